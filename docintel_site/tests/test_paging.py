"""Lists by key: every row once, in order, and no cursor but our own."""

import json
from base64 import urlsafe_b64encode

import pytest
from django.test import Client

from accounts.models import User
from documents.access import create_base
from documents.models import KnowledgeBase

NAMES = ["b", "a", "a", "c, “d” & e", "a", "Zoë", "%", "a b"]


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("ada@example.org", "quiet-harbour-91")


@pytest.fixture
def signed_in(owner: User) -> Client:
    for name in NAMES:
        create_base(owner, name)
    client = Client()
    client.force_login(owner)
    return client


@pytest.mark.parametrize("limit", [1, 2, 3, 8, 500])
def test_it_gives_every_row_once_and_in_order(signed_in: Client, owner: User, limit: int) -> None:
    found: list[str] = []
    address: str | None = f"/api/v1/bases?limit={limit}"
    while address:
        page = signed_in.get(address).json()
        assert len(page["results"]) <= limit
        found += [base["id"] for base in page["results"]]
        address = page["next"]
    ordered = KnowledgeBase.objects.visible_to(owner).order_by("name", "id")
    assert found == [str(base.pk) for base in ordered]


def test_a_row_that_comes_or_goes_between_pages_moves_no_other(signed_in: Client, owner: User) -> None:
    first = signed_in.get("/api/v1/bases?limit=4").json()
    create_base(owner, "!")
    KnowledgeBase.objects.filter(pk=first["results"][0]["id"]).delete()
    rest = signed_in.get(first["next"]).json()["results"]
    seen = {base["id"] for base in first["results"]} | {base["id"] for base in rest}
    assert len(first["results"]) + len(rest) == len(seen) == len(NAMES)


def written(*values: object) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        "%00",
        "x" * 5000,
        written(),
        written("a"),
        written("a", "no-id"),
        written("a", 5),
        written("a\x00", "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"),
        written("a", "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11", "x"),
        urlsafe_b64encode(b"{}").decode(),
        urlsafe_b64encode(b"[" * 700).decode(),
    ],
)
def test_a_cursor_that_is_not_ours_finds_nothing(signed_in: Client, cursor: str) -> None:
    refused = signed_in.get("/api/v1/bases", {"cursor": cursor})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("limit", ["0", "-1", "501", "ten", "1.5", "", "٣", "9" * 400])
def test_a_limit_is_a_number_within_its_bounds(signed_in: Client, limit: str) -> None:
    refused = signed_in.get("/api/v1/bases", {"limit": limit})
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "limit"


def test_the_next_page_keeps_the_filters(signed_in: Client) -> None:
    page = signed_in.get("/api/v1/bases?limit=1&note=x%26y").json()
    assert "note=x%26y" in page["next"] and "limit=1" in page["next"]
