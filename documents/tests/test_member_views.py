"""The page of members: who finds it, what each button does, and where it leads when it closes the page to oneself."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import Invitation, User
from documents.access import role_in, set_role
from documents.models import KnowledgeBase, Role
from ledger.models import Event

Member = Callable[[str], User]

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org", name="Olu Owner")


@pytest.fixture
def ada(base: KnowledgeBase) -> User:
    ada = User.objects.create_user("ada@example.org", name="Ada <b>")
    set_role(base, ada, "viewer")
    return ada


def address(base: KnowledgeBase, user: User | None = None) -> str:
    return f"/bases/{base.pk}/members/" + (f"{user.pk}/" if user else "")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize(("role", "may_see"), [("viewer", True), ("editor", True), ("auditor", True), ("", False)])
def test_members_see_the_page_and_only_owners_change_it(
    base: KnowledgeBase, ada: User, role: str, may_see: bool
) -> None:
    bo = User.objects.create_user("bo@example.org")
    if role:
        set_role(base, bo, role)
    client = client_of(bo)
    assert client.get(address(base)).status_code == (200 if may_see else 404)
    assert client.post(address(base), {"email": "ada@example.org", "role": "owner"}).status_code == 404
    assert client.post(address(base, ada), {"role": "owner"}).status_code == 404
    assert role_in(ada, base) == "viewer"


@pytest.mark.parametrize("role", Role.values)
def test_an_owner_gives_any_role_and_it_is_recorded(
    base: KnowledgeBase, signed_in: Client, ada: User, role: str
) -> None:
    answer = signed_in.post(address(base, ada), {"role": role})
    assert answer.headers["Location"] == address(base) and role_in(ada, base) == role
    assert Event.objects.filter(kind="role_changed", actor="Olu Owner").exists() is (role != "viewer")


def test_an_empty_role_takes_a_member_out(base: KnowledgeBase, signed_in: Client, ada: User) -> None:
    assert signed_in.post(address(base, ada), {}).status_code == 302 and role_in(ada, base) == ""
    assert signed_in.post(address(base, ada), {}).status_code == 404, "who is out already is not found"
    assert client_of(ada).get(address(base)).status_code == 404


@pytest.mark.parametrize("role", ["root", "Owner", "viewer ", "\x00"])
def test_a_role_nobody_offers_is_not_found(base: KnowledgeBase, signed_in: Client, ada: User, role: str) -> None:
    assert signed_in.post(address(base, ada), {"role": role}).status_code == 404 and role_in(ada, base) == "viewer"


@pytest.mark.parametrize("path", ["0/", "99999999999999999999999/", "-1/", "x/"])
def test_a_person_who_is_no_member_is_not_found(base: KnowledgeBase, signed_in: Client, path: str) -> None:
    stranger = User.objects.create_user("stranger@example.org")
    for target in (path, f"{stranger.pk}/"):
        assert signed_in.post(address(base) + target, {"role": "owner"}).status_code == 404
    assert role_in(stranger, base) == ""


@pytest.mark.parametrize("role", ["viewer", ""])
def test_the_last_owner_stays(base: KnowledgeBase, signed_in: Client, owner: User, role: str) -> None:
    told = signed_in.post(address(base, owner), {"role": role}, follow=True).content.decode()
    assert "A base needs an owner" in told and role_in(owner, base) == "owner"


@pytest.mark.parametrize(("role", "leads_to"), [("", "/bases/"), ("viewer", "members")])
def test_one_of_two_owners_may_go_and_is_led_to_what_is_still_open(
    base: KnowledgeBase, signed_in: Client, owner: User, ada: User, role: str, leads_to: str
) -> None:
    set_role(base, ada, "owner")
    answer = signed_in.post(address(base, owner), {"role": role})
    assert answer.headers["Location"].endswith(leads_to if leads_to == "/bases/" else address(base))
    assert role_in(owner, base) == role and signed_in.get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("form", "status"), [({"email": "ada@example.org", "role": "root"}, 400), ({"email": "x"}, 400), ({}, 200)]
)
def test_a_form_that_is_refused_says_so_on_the_page(
    base: KnowledgeBase, signed_in: Client, ada: User, form: dict[str, str], status: int
) -> None:
    answer = signed_in.post(address(base), form) if form else signed_in.get(address(base))
    assert answer.status_code == status and "no-store" in answer.headers["Cache-Control"]
    assert "Ada &lt;b&gt;" in answer.content.decode() and base.membership_set.count() == 2


@pytest.mark.parametrize("is_administrator", [True, False])
@pytest.mark.parametrize("is_awaited", [True, False])
def test_adding_a_member_again_says_so_and_changes_nothing(
    base: KnowledgeBase, signed_in: Client, owner: User, ada: User, is_administrator: bool, is_awaited: bool
) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=is_administrator)
    User.objects.filter(pk=ada.pk).update(is_active=not is_awaited)
    told = signed_in.post(address(base), {"email": "ADA@example.org", "role": "editor"})
    assert told.status_code == 400
    assert "is a member already, with the role “Viewer”" in told.content.decode()
    assert role_in(ada, base) == "viewer" and base.membership_set.count() == 2
    assert not Invitation.objects.exists()


def test_every_change_of_members_is_answered(base: KnowledgeBase, signed_in: Client, ada: User) -> None:
    bo = User.objects.create_user("bo@example.org", name="Bo")
    added = signed_in.post(address(base), {"email": bo.email, "role": "auditor"}, follow=True)
    assert "Bo now has the role “Auditor”." in added.content.decode()
    changed = signed_in.post(address(base, ada), {"role": "editor"}, follow=True)
    assert "now has the role “Editor”." in changed.content.decode()
    removed = signed_in.post(address(base, bo), {}, follow=True)
    assert "Bo is no longer a member." in removed.content.decode()


def test_the_form_says_what_each_role_may_do(base: KnowledgeBase, signed_in: Client, ada: User) -> None:
    page = signed_in.get(address(base)).content.decode()
    assert all(f"<dt>{role.label}</dt>" in page for role in Role)
    assert "What each role may do" not in client_of(ada).get(address(base)).content.decode()


def test_an_administrator_renews_the_link_of_a_member_who_has_not_come(
    base: KnowledgeBase, signed_in: Client, owner: User, ada: User
) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    signed_in.post(address(base), {"email": "cy@example.org", "role": "auditor"})
    cy, first = User.objects.get(email="cy@example.org"), Invitation.objects.get()
    renewed = signed_in.post(f"{address(base, cy)}link/")
    assert "/invitation/" in renewed.content.decode() and Invitation.objects.get() != first
    assert role_in(cy, base) == "auditor", "the role stays"
    stranger = User.objects.create_user("stranger@example.org", is_active=False)
    for nobody in (ada, stranger):
        assert signed_in.post(f"{address(base, nobody)}link/").status_code == 404
    User.objects.filter(pk=owner.pk).update(is_superuser=False)
    assert signed_in.post(f"{address(base, cy)}link/").status_code == 404, "an owner alone invites nobody"


def test_methods_and_forms_without_their_token_change_nothing(base: KnowledgeBase, owner: User, ada: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.get(address(base, ada)).status_code == 405 and client.put(address(base)).status_code in (403, 405)
    assert client.post(address(base, ada), {"role": "owner"}).status_code == 403 and role_in(ada, base) == "viewer"
