"""Who gets in: every address of the app for every role, and the last owner who cannot leave."""

import re
from collections.abc import Callable
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents import access
from documents.access import LastOwner, create_base, get_base, get_document, remove_member, role_in, set_role
from documents.base_settings import BaseSettings
from documents.ingestion import conductor
from documents.models import Document, IngestJob, KnowledgeBase, Membership, Role
from documents.urls import urlpatterns
from ledger.models import Event

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]
Queued = Callable[..., IngestJob]

READS = ["viewer", "editor", "auditor", "owner"]
WRITES = ["editor", "owner"]
OWNS = ["owner"]
# For each address: the method, who may, and what it answers them.
WALK: dict[str, tuple[str, list[str], tuple[int, ...]]] = {
    "base": ("get", READS, (200,)),
    "upload": ("post", WRITES, (400,)),
    "bulk": ("post", [], (404,)),  # without an action; test_bulk has the roles
    "members": ("get", READS, (200,)),
    "member": ("post", OWNS, (302,)),
    "member_link": ("post", [], (404,)),  # for owners who administer the site; test_member_views has them
    "settings": ("get", ["editor", "auditor", "owner"], (200,)),
    "read_outdated": ("post", WRITES, (302,)),
    "embed_again": ("post", OWNS, (302,)),
    "delete_base": ("post", OWNS, (302,)),
    "trashed": ("get", WRITES, (200,)),
    "search": ("get", READS, (302,)),
    "take_over": ("post", [], (404,)),  # administrators only; test_first_run has them
    "fields": ("get", READS, (200,)),
    "name_field": ("post", OWNS, (302,)),
    "delete_field": ("post", OWNS, (302,)),
    "keep_filter": ("post", READS, (302,)),
    "delete_filter": ("post", READS, (302,)),
    "document": ("get", READS, (200,)),
    "unlock": ("post", WRITES, (302,)),
    "attachments": ("post", WRITES, (302,)),
    "newest": ("get", READS, (302,)),
    "row": ("get", READS, (200,)),
    "card": ("get", WRITES, (200,)),
    "undo_card": ("post", WRITES, (302,)),
    "contents": ("post", WRITES, (302,)),
    "sheet": ("get", READS, (200,)),
    "page_image": ("get", READS, (200,)),
    "thumbnail": ("get", READS, (200,)),
    "original": ("get", READS, (200,)),
    "rename": ("post", WRITES, (302,)),
    "describe": ("post", WRITES, (302,)),
    "replace": ("post", WRITES, (302,)),
    "read_again": ("post", WRITES, (302,)),
    "stop": ("post", WRITES, (302,)),
    "trash": ("post", WRITES, (302,)),
    "restore": ("post", WRITES, (302,)),
    "improve": ("post", [], (404,)),  # there is nothing to improve; test_recognition has the roles
    "purge": ("post", OWNS, (302,)),
}
OF_BASES = {
    "base",
    "upload",
    "bulk",
    "members",
    "member",
    "member_link",
    "settings",
    "read_outdated",
    "embed_again",
    "delete_base",
    "trashed",
    "search",
    "take_over",
    "fields",
    "name_field",
    "delete_field",
    "keep_filter",
    "delete_filter",
}
OF_DOCUMENTS = WALK.keys() - OF_BASES
CHANGES = [
    ("members", {"email": "x@example.org", "role": "viewer"}, OWNS),
    ("settings", {"name": "Renamed"}, OWNS),
]


@pytest.fixture
def document(base: KnowledgeBase, queued: Queued, settings: object) -> Document:
    base.settings = {"embeddings": "none"}
    base.save()
    job = queued()
    conductor.ingest(job)
    return job.document


def address(name: str, base: KnowledgeBase, document: Document) -> str:
    if name in OF_DOCUMENTS:
        return reverse(f"documents:{name}", args=[document.pk, *([1] if name in ("page_image", "sheet") else [])])
    of_person: list[Any] = [base.created_by_id]
    more = {"member": of_person, "member_link": of_person, "name_field": [1], "delete_field": [1], "delete_filter": [1]}
    return reverse(f"documents:{name}", args=[base.pk, *more.get(name, [])])


def test_the_walk_knows_every_address() -> None:
    assert {pattern.name for pattern in urlpatterns} == {*WALK, "bases"}


@pytest.mark.parametrize("role", [*READS, "stranger"])
def test_it_opens_each_address_to_the_right_roles(
    base: KnowledgeBase, document: Document, member: Member, client: Client, role: str
) -> None:
    client.force_login(base.members.get() if role == "owner" else member(role))
    for name, (method, roles, codes) in WALK.items():
        response = getattr(client, method)(address(name, base, document))
        expected = codes if role in roles else (404,)
        assert response.status_code in expected, (role, name, response.status_code)


@pytest.mark.parametrize(("name", "form", "roles"), CHANGES)
@pytest.mark.parametrize("role", [*READS, "stranger"])
def test_only_owners_change_a_base(
    base: KnowledgeBase, member: Member, client: Client, role: str, name: str, form: dict[str, str], roles: list[str]
) -> None:
    client.force_login(base.members.get() if role == "owner" else member(role))
    response = client.post(reverse(f"documents:{name}", args=[base.pk]), form)
    assert (response.status_code != 404) == (role in roles)
    base.refresh_from_db()
    assert base.name == "Suppliers"


def test_it_sends_whoever_is_not_signed_in_to_the_login(
    base: KnowledgeBase, document: Document, client: Client
) -> None:
    for name, (method, _, _) in WALK.items():
        response = getattr(client, method)(address(name, base, document))
        assert (response.status_code, response.headers["Location"].split("?")[0]) == (302, reverse("account_login"))


def test_it_answers_an_absent_thing_like_a_forbidden_one(
    base: KnowledgeBase, document: Document, member: Member, client: Client
) -> None:
    client.force_login(member("stranger"))
    absent = "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"
    for name in ("base", "document"):
        forbidden = client.get(address(name, base, document))
        missing = client.get(reverse(f"documents:{name}", args=[absent]))
        assert (forbidden.status_code, without_tokens(forbidden)) == (missing.status_code, without_tokens(missing))


def without_tokens(response: Any) -> str:
    """A page without the tokens of its forms, which are never the same, and without its own address."""
    page = re.sub(r'(csrfmiddlewaretoken" value=")[^"]+', r"\1", response.content.decode())
    return page.replace(response.wsgi_request.path, "")


@pytest.mark.parametrize("name", [name for name, (method, _, _) in WALK.items() if method == "post"])
def test_it_changes_nothing_by_get(base: KnowledgeBase, document: Document, signed_in: Client, name: str) -> None:
    assert signed_in.get(address(name, base, document)).status_code == 405


def test_it_asks_for_the_token_of_the_form(base: KnowledgeBase, owner: User, document: Document) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    for name, (method, _, _) in WALK.items():
        if method == "post":
            assert client.post(address(name, base, document)).status_code == 403


@pytest.mark.parametrize(("role", "allowed"), [("viewer", False), ("editor", True), ("auditor", False)])
def test_the_gate_asks_for_the_role(base: KnowledgeBase, member: Member, role: str, allowed: bool) -> None:
    user = member(role)
    assert get_base(user, base.pk) == base
    if allowed:
        assert get_base(user, str(base.pk), *access.WRITE) == base
    else:
        with pytest.raises(Http404):
            get_base(user, base.pk, *access.WRITE)


@pytest.mark.parametrize("pk", ["", "1", "null", "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11", "x" * 400, "\x00"])
def test_the_gate_finds_nothing_under_nonsense(owner: User, base: KnowledgeBase, pk: str) -> None:
    with pytest.raises(Http404):
        get_document(owner, pk)


def test_whoever_makes_a_base_owns_it(owner: User) -> None:
    assert role_in(owner, create_base(owner, "New")) == Role.OWNER


def test_a_removed_member_is_out_at_once(base: KnowledgeBase, member: Member, client: Client) -> None:
    user = member("viewer")
    client.force_login(user)
    assert client.get(reverse("documents:base", args=[base.pk])).status_code == 200
    remove_member(base, user)
    assert client.get(reverse("documents:base", args=[base.pk])).status_code == 404


def test_the_last_owner_stays(base: KnowledgeBase, owner: User, member: Member) -> None:
    with pytest.raises(LastOwner):
        remove_member(base, owner)
    with pytest.raises(LastOwner):
        set_role(base, owner, "viewer")
    assert role_in(owner, base) == Role.OWNER
    set_role(base, member("editor"), "owner")
    remove_member(base, owner)
    assert role_in(owner, base) == ""


@pytest.mark.django_db(transaction=True)
def test_two_owners_cannot_remove_each_other_at_once(base: KnowledgeBase, owner: User, member: Member) -> None:
    other = member("owner2")
    set_role(base, other, "owner")
    together = Barrier(2, timeout=60)
    refused: list[User] = []

    def remove(user: User) -> None:
        together.wait()
        try:
            remove_member(base, user)
        except LastOwner:
            refused.append(user)
        finally:
            connection.close()

    removers = [Thread(target=remove, args=[user]) for user in (owner, other)]
    for remover in removers:
        remover.start()
    for remover in removers:
        remover.join()
    assert len(refused) == 1
    assert Membership.objects.filter(base=base, role="owner").count() == 1


def test_changes_of_roles_and_settings_are_recorded(
    base: KnowledgeBase, owner: User, member: Callable[[str], User]
) -> None:
    other = member("viewer")
    access.set_role(base, other, "viewer", owner)
    access.set_role(base, other, "auditor", owner)
    access.remove_member(base, other, owner)
    access.remove_member(base, other, owner)
    access.change_settings(base, "Suppliers", replace(BaseSettings.from_json(base.settings), chunking="page"), owner)
    access.change_settings(base, "Suppliers", BaseSettings.from_json(base.settings), owner)
    found = list(Event.objects.filter(subject=f"base:{base.pk}", actor=str(owner)).order_by("created_at"))
    roles = [(event.details["before"], event.details["after"]) for event in found if event.kind == "role_changed"]
    assert roles == [("viewer", "auditor"), ("auditor", "")]
    assert [event.details for event in found if event.kind == "settings_changed"] == [{"chunking": ["section", "page"]}]


def test_a_change_that_is_refused_leaves_no_record(base: KnowledgeBase, owner: User) -> None:
    with pytest.raises(LastOwner):
        access.remove_member(base, owner, owner)
    assert not Event.objects.filter(actor=str(owner)).exists()
