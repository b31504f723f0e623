"""The dictionary of a base for programs."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from documents.access import create_base, set_role
from documents.models import KnowledgeBase
from retrieval.models import Concept, Term

pytestmark = pytest.mark.django_db

Browse = Callable[[str], Client]


@pytest.fixture
def base(db: None) -> KnowledgeBase:
    owner = User.objects.create_user("owner@example.org", "quiet-harbour-91")
    base = create_base(owner, "Suppliers")
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"packs": []})
    return base


@pytest.fixture
def browse(base: KnowledgeBase) -> Browse:
    def open_as(role: str) -> Client:
        user, _ = User.objects.get_or_create(email=f"{role}@example.org")
        if role != "owner":
            set_role(base, user, role)
        client = Client()
        client.force_login(user)
        return client

    return open_as


def address(base: KnowledgeBase, rest: str = "") -> str:
    return f"/api/v1/bases/{base.pk}/dictionary{rest}"


def add(client: Client, base: KnowledgeBase, *rows: dict[str, Any]) -> Any:
    return client.post(address(base), json.dumps({"rows": rows}), content_type="application/json")


def test_it_adds_changes_and_lists_terms(base: KnowledgeBase, browse: Browse) -> None:
    client = browse("editor")
    deposit = {"concept": "zz deposit", "term": "caution", "language": "fr"}
    assert add(client, base, deposit, {"concept": "zz deposit", "term": "security"}).json() == {
        "new": 2,
        "changed": 0,
        "same": 0,
    }
    assert add(client, base, deposit | {"weight": 2.5}).json() == {"new": 0, "changed": 1, "same": 0}
    listed = client.get(address(base), {"limit": 500}).json()["results"]
    [concept] = [concept for concept in listed if concept["concept"] == "zz deposit"]
    assert [(term["term"], term["language"], term["weight"]) for term in concept["terms"]] == [
        ("security", "", 1.0),
        ("caution", "fr", 2.5),
    ]


def test_it_pages_through_every_concept(base: KnowledgeBase, browse: Browse) -> None:
    client, found, next_page = browse("viewer"), 0, f"{address(base)}?limit=100"
    while next_page:
        page = client.get(next_page).json()
        found, next_page = found + len(page["results"]), page["next"]
    assert found == Concept.objects.filter(base=base).count() > 100


def test_the_csv_is_the_whole_dictionary(base: KnowledgeBase, browse: Browse) -> None:
    client = browse("viewer")
    text = client.get(address(base), headers={"Accept": "text/csv"}).content.decode()
    assert len(list(csv.DictReader(io.StringIO(text)))) == Term.objects.filter(concept__base=base).count()


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"concept": "", "term": "x"}, "rows.1.concept"),
        ({"concept": "x", "term": "x" * 121}, "rows.1.term"),
        ({"concept": "x", "term": "x", "weight": 1e9}, "rows.1"),
        ({"concept": "x", "term": "x", "priority": "first"}, "rows.1.priority"),
        ({"concept": "x", "term": "x", "language": "xx"}, "rows.1.language"),
        ({"concept": "x", "term": "…"}, "rows.1"),
        ({"concept": "ZZ good", "term": "Good"}, "rows.1"),
    ],
)
def test_it_takes_all_rows_or_none(base: KnowledgeBase, browse: Browse, row: dict[str, Any], field: str) -> None:
    refused = add(browse("owner"), base, {"concept": "zz good", "term": "good"}, row)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)
    assert not Concept.objects.filter(base=base, name="zz good").exists()


def test_it_deletes_a_concept_of_this_base_only(base: KnowledgeBase, browse: Browse) -> None:
    client = browse("owner")
    other = create_base(User.objects.get(email="owner@example.org"), "Other")
    mine, foreign = (Concept.objects.create(base=each, name="zz one") for each in (base, other))
    assert client.delete(address(base, f"/{mine.pk}")).status_code == 204
    assert client.delete(address(base, f"/{foreign.pk}")).status_code == 404
    assert [concept.pk for concept in Concept.objects.filter(name="zz one")] == [foreign.pk]


def test_what_was_added_is_told_as_json_alone(base: KnowledgeBase, browse: Browse) -> None:
    rows = json.dumps({"rows": [{"concept": "zz one", "term": "one"}]})
    refused = browse("owner").post(f"{address(base)}?format=csv", rows, content_type="application/json")
    assert refused.status_code == 404 and not Concept.objects.filter(name="zz one").exists()


@pytest.mark.parametrize("role", ["viewer", "auditor"])
def test_readers_change_nothing(base: KnowledgeBase, browse: Browse, role: str) -> None:
    assert add(browse(role), base, {"concept": "a", "term": "b"}).status_code == 404
