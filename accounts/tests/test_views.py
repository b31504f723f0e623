"""Pages of accounts from the outside: who finds them, what a form keeps, and that a link opens no second door."""

import re

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.invitations import invite
from accounts.models import Invitation, User
from accounts.people import set_active
from accounts.views import administrator, change_person
from ledger.models import Event

PASSWORD = "quiet-harbour-91"
FORM = {"name": "Nia Roy", "password": PASSWORD}

pytestmark = pytest.mark.django_db


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", None, name="Root")


@pytest.fixture
def nia() -> User:
    return User.objects.create_user("nia@example.org", None, name="Nia")


@pytest.fixture
def admin(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


# ---- who administers


@pytest.mark.parametrize(
    ("fields", "may"),
    [
        ({"is_superuser": True}, True),
        ({"is_superuser": False}, False),
        ({"is_staff": True}, False),
    ],
)
def test_only_an_administrator_administers(fields: dict[str, bool], may: bool) -> None:
    request = RequestFactory().get("/people/")
    request.user = User.objects.create_user("ada@example.org", None, **fields)
    if may:
        assert administrator(request) == request.user
    else:
        with pytest.raises(Http404):
            administrator(request)


@pytest.mark.parametrize(
    ("action", "kind", "field", "value"),
    [
        ("disable", "person_disabled", "is_active", False),
        ("promote", "administrator_made", "is_superuser", True),
    ],
)
def test_an_action_does_what_it_is_called(
    root: User, nia: User, action: str, kind: str, field: str, value: bool
) -> None:
    change_person(nia, action, root)
    assert getattr(User.objects.get(pk=nia.pk), field) is value
    assert list(Event.objects.values_list("kind", "actor", "subject")) == [(kind, "Root", f"user:{nia.pk}")]


@pytest.mark.parametrize(
    ("first", "then", "field"), [("disable", "enable", "is_active"), ("promote", "demote", "is_superuser")]
)
def test_an_action_has_its_opposite(root: User, nia: User, first: str, then: str, field: str) -> None:
    before = getattr(nia, field)
    change_person(nia, first, root)
    change_person(nia, then, root)
    assert getattr(User.objects.get(pk=nia.pk), field) is before and Event.objects.count() == 2


@pytest.mark.parametrize("action", [None, "", "link", "Disable", "disable ", "__class__", "delete"])
def test_an_action_nobody_offers_is_refused(root: User, nia: User, action: str | None) -> None:
    with pytest.raises(PermissionDenied):
        change_person(nia, action, root)
    assert not Event.objects.exists()


# ---- the page of people


@pytest.mark.parametrize("path", ["/people/0/", "/people/99999999999999999999999/"])
def test_a_person_who_is_not_there_is_not_found(admin: Client, path: str) -> None:
    assert admin.post(path, {"action": "link"}).status_code == 404


@pytest.mark.parametrize("path", ["/people/-1/", "/people/x/", "/people/%00/"])
def test_what_is_no_number_is_no_person(admin: Client, path: str) -> None:
    assert admin.post(path, {"action": "link"}).status_code == 404


def test_the_page_of_a_person_takes_forms_only(admin: Client, nia: User) -> None:
    assert admin.get(f"/people/{nia.pk}/").status_code == 405
    assert admin.put("/people/").status_code == 405


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"email": "ada@example.org", "name": "x" * 121}, "at most 120 characters"),
        ({"email": "ada@example.org", "name": "a\x00b"}, "Null characters are not allowed"),
        ({"email": "a\x00@example.org"}, "errorlist"),
        ({"email": f"{'a' * 400}@example.org"}, "errorlist"),
        ({"email": "ada@example.org, bo@example.org"}, "Enter a valid email address"),
        ({"email": "ada@"}, "Enter a valid email address"),
        ({"name": "Ada"}, "This field is required"),
    ],
)
def test_a_form_that_is_refused_says_why_and_invites_nobody(admin: Client, form: dict[str, str], words: str) -> None:
    answer = admin.post("/people/", form)
    assert answer.status_code == 400 and words in answer.content.decode()
    assert User.objects.count() == 1 and not Invitation.objects.exists()


def test_what_was_typed_is_still_there_after_a_mistake(admin: Client) -> None:
    shown = admin.post("/people/", {"email": 'no"address', "name": "<Ada>"}).content.decode()
    assert 'value="no&quot;address"' in shown and 'value="&lt;Ada&gt;"' in shown


def test_a_link_is_shown_this_once_and_kept_by_nobody(admin: Client) -> None:
    answer = admin.post("/people/", {"email": "ada@example.org", "name": "Ada"})
    link = answer.context["link"]
    assert link.startswith("http://testserver/invitation/") and link in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"] and link not in admin.get("/people/").content.decode()


def states(admin: Client) -> dict[str, str]:
    """How the page shows each person: the words in the second cell of its row."""
    rows = admin.get("/people/").content.decode().split('<tr role="row">')[2:]
    words = ("Administrator", "Active", "Disabled", "Invitation too old", "Invited")
    cells = [(row, row.split('<td role="cell">')[2]) for row in rows]
    return {
        next(name for name in ("root", "nia", "ada", "old") if f"{name}@" in row): next(w for w in words if w in cell)
        for row, cell in cells
    }


def test_everybody_is_shown_as_they_are(admin: Client, root: User, nia: User) -> None:
    invite("ada@example.org", root, "Ada")
    old, _ = invite("old@example.org", root, "Old")
    old.invitations.update(created_at="2001-01-01T00:00:00Z")
    assert states(admin) == {"root": "Administrator", "nia": "Active", "ada": "Invited", "old": "Invitation too old"}
    set_active(nia, False, root)
    assert states(admin)["nia"] == "Disabled"


def test_a_demoted_administrator_no_longer_finds_the_page(root: User, nia: User, admin: Client) -> None:
    admin.post(f"/people/{nia.pk}/", {"action": "promote"})
    theirs = Client()
    theirs.force_login(nia)
    assert theirs.post(f"/people/{root.pk}/", {"action": "demote"}).status_code == 302
    assert admin.get("/people/").status_code == 404 and theirs.get("/people/").status_code == 200


def test_one_who_is_disabled_is_out(root: User, nia: User, admin: Client) -> None:
    admin.post(f"/people/{nia.pk}/", {"action": "promote"})
    theirs = Client()
    theirs.force_login(nia)
    assert theirs.post(f"/people/{root.pk}/", {"action": "disable"}).status_code == 302
    assert admin.get("/people/").status_code == 302, "to the page to sign in"


# ---- the link


def test_a_link_does_not_get_past_the_second_factor(root: User, nia: User, client: Client) -> None:
    """Whoever reads the mail of a person has a password then, and still no second factor."""
    sealed = get_adapter().encrypt("JBSWY3DPEHPK3PXP")
    Authenticator.objects.create(user=nia, type=Authenticator.Type.TOTP, data={"secret": sealed})
    _, token = invite(nia.email, root)
    answer = client.post(f"/invitation/{token}/", FORM)
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert client.get("/bases/").status_code == 302 and "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "change",
    [
        {"password": ""},
        {"password": "short"},
        {"password": "1234567890"},
        {"password": "password123"},
        {"password": "nia@example.org"},
        {"name": ""},
        {"name": "x" * 121},
        {"name": "\x00"},
    ],
)
def test_a_refused_choice_keeps_the_link_and_signs_nobody_in(
    root: User, client: Client, change: dict[str, str]
) -> None:
    nia, token = invite("nia@example.org", root, "Nia")
    answer = client.post(f"/invitation/{token}/", FORM | change)
    page = answer.content.decode()
    assert answer.status_code == 400 and "errorlist" in page
    focused = re.findall(r"<input[^>]*autofocus[^>]*>", page)
    assert len(focused) == 1 and f'name="{next(iter(change))}"' in focused[0], "typing goes on at the fault"
    nia.refresh_from_db()
    assert not nia.is_active and not nia.has_usable_password() and "_auth_user_id" not in client.session
    assert client.get(f"/invitation/{token}/").status_code == 200


def test_a_password_may_begin_and_end_with_spaces(root: User, client: Client) -> None:
    nia, token = invite("nia@example.org", root)
    client.post(f"/invitation/{token}/", FORM | {"password": "  quiet harbour 91  "})
    nia.refresh_from_db()
    assert nia.check_password("  quiet harbour 91  ") and not nia.check_password("quiet harbour 91")


def test_looking_at_a_link_does_not_use_it_up(root: User, client: Client) -> None:
    """Mail programs and scanners open links before people do."""
    _, token = invite("nia@example.org", root, "Nia <i>Roy</i>")
    for _ in range(3):
        answer = client.get(f"/invitation/{token}/")
        assert answer.status_code == 200 and "no-store" in answer.headers["Cache-Control"]
    assert client.head(f"/invitation/{token}/").status_code == 200
    assert 'value="Nia &lt;i&gt;Roy&lt;/i&gt;"' in answer.content.decode()
    assert client.post(f"/invitation/{token}/", FORM).status_code == 302


@pytest.mark.parametrize("token", ["x", "%00", "%ff%fe", "ü", "a" * 5000, "..%2f..", "{{7*7}}"])
def test_a_link_of_nobody_is_not_found(client: Client, token: str) -> None:
    assert client.get(f"/invitation/{token}/").status_code == 404


def test_a_person_who_is_signed_in_as_another_becomes_the_one_of_the_link(root: User, admin: Client) -> None:
    nia, token = invite("nia@example.org", root)
    admin.post(f"/invitation/{token}/", FORM)
    assert admin.session["_auth_user_id"] == str(nia.pk) and admin.get("/people/").status_code == 404


# ---- sessions


@pytest.mark.parametrize("session", ["0", "-1", "x", "99999999999999999999999", "\x00", "1 OR 1=1"])
def test_a_session_that_is_not_there_ends_nothing(nia: User, client: Client, session: str) -> None:
    client.force_login(nia)
    told = client.post(reverse("accounts:sessions"), {"session": session}, follow=True).content.decode()
    assert "0 sessions ended." in told and not Event.objects.exists()
    assert client.get("/bases/").status_code == 200


def test_this_session_is_ended_by_signing_out_only(nia: User, client: Client) -> None:
    client.force_login(nia)
    [own] = client.get(reverse("accounts:sessions")).context["sessions"]
    client.post(reverse("accounts:sessions"), {"session": str(own.pk)})
    assert own.is_current and client.get("/bases/").status_code == 200


@pytest.mark.parametrize("name", ["accounts:people", "accounts:sessions", "tokens"])
def test_a_stranger_is_asked_to_sign_in(client: Client, name: str) -> None:
    for ask in (client.get, client.post):
        answer = ask(reverse(name))
        assert answer.status_code == 302 and answer.headers["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("name", ["accounts:people", "accounts:sessions"])
def test_without_the_token_of_the_form_nothing_changes(root: User, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(root)
    assert client.post(reverse(name), {"email": "eve@example.org"}).status_code == 403
    assert User.objects.count() == 1 and not Event.objects.exists()
