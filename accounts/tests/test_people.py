"""People come in by a link that works once; who administers is recorded, and somebody always does."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.smtp import EmailBackend
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.invitations import accept, accept_signed_on, invite
from accounts.models import Invitation, User
from accounts.people import LastAdministrator, people, set_active, set_administrator
from ledger.models import Event

PASSWORD = "quiet-harbour-91"
FORM = {"name": "Nia Roy", "password": PASSWORD}

pytestmark = pytest.mark.django_db


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", PASSWORD, name="Root")


@pytest.fixture
def admin(root: User, client: Client) -> Client:
    client.force_login(root)
    return client


def link_in(page: str) -> str:
    found = re.search(r"http://testserver(/invitation/[^\"/]+/)", page)
    assert found is not None, page
    return found[1]


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at").values_list("kind", flat=True))


def test_an_invited_person_chooses_a_password_and_is_in(admin: Client) -> None:
    page = admin.post("/people/", {"email": "Nia@Example.org", "name": "Nia"}).content.decode()
    link = link_in(page)
    assert not User.objects.filter(is_active=True, email="nia@example.org").exists()
    newcomer = Client()
    assert "nia@example.org" in newcomer.get(link).content.decode()
    assert newcomer.post(link, FORM).headers["Location"] == "/"
    nia = User.objects.get(email="nia@example.org")
    assert nia.is_active and nia.name == "Nia Roy" and nia.check_password(PASSWORD) and not nia.is_superuser
    assert newcomer.session["_auth_user_id"] == str(nia.pk)
    assert kinds()[-2:] == ["person_invited", "invitation_accepted"]
    assert Client().get(link).status_code == 404


def test_the_link_is_kept_as_a_digest_only(admin: Client) -> None:
    link = link_in(admin.post("/people/", {"email": "nia@example.org"}).content.decode())
    token = link.split("/")[2]
    assert token not in str([*Invitation.objects.values(), *Event.objects.values()])


@pytest.mark.parametrize("spoil", ["used", "old", "replaced", "wrong"])
def test_a_closed_link_is_not_found(root: User, client: Client, spoil: str) -> None:
    _, token = invite("nia@example.org", root)
    if spoil == "used":
        accept(token, **FORM)
    elif spoil == "old":
        Invitation.objects.update(created_at=timezone.now() - timedelta(days=8))
    elif spoil == "replaced":
        invite("nia@example.org", root)
    else:
        token = token[:-1] + ("a" if token[-1] != "a" else "b")
    assert client.get(f"/invitation/{token}/").status_code == 404
    assert client.post(f"/invitation/{token}/", FORM).status_code == 404


def test_a_weak_password_keeps_the_link(root: User, client: Client) -> None:
    _, token = invite("nia@example.org", root)
    assert client.post(f"/invitation/{token}/", {**FORM, "password": "nia@example"}).status_code == 400
    assert client.post(f"/invitation/{token}/", FORM).status_code == 302


def test_a_person_who_is_in_gets_a_link_for_a_new_password(admin: Client, root: User) -> None:
    nia = User.objects.create_user("nia@example.org", "an older password")
    page = admin.post(f"/people/{nia.pk}/", {"action": "link"}).content.decode()
    assert Client().post(link_in(page), FORM).status_code == 302
    nia.refresh_from_db()
    assert nia.check_password(PASSWORD)
    assert kinds()[0] == "password_link_made"


def test_a_disabled_person_is_out_at_once_and_recorded(admin: Client) -> None:
    nia = User.objects.create_user("nia@example.org", PASSWORD)
    theirs = Client()
    theirs.force_login(nia)
    assert theirs.get("/bases/").status_code == 200
    admin.post(f"/people/{nia.pk}/", {"action": "disable"})
    assert theirs.get("/bases/").status_code == 302
    assert kinds() == ["person_disabled"]
    admin.post(f"/people/{nia.pk}/", {"action": "enable"})
    assert theirs.get("/bases/").status_code == 200


def test_somebody_always_administers(root: User) -> None:
    with pytest.raises(LastAdministrator):
        set_active(root, False, root)
    with pytest.raises(LastAdministrator):
        set_administrator(root, False, root)
    other = User.objects.create_user("nia@example.org", PASSWORD)
    set_administrator(other, True, root)
    set_administrator(root, False, other)
    assert kinds() == ["administrator_made", "administrator_removed"]
    set_administrator(root, False, other)
    assert len(kinds()) == 2, "what changes nothing is not recorded"


def test_the_page_says_that_somebody_has_to_administer(admin: Client, root: User) -> None:
    answer = admin.post(f"/people/{root.pk}/", {"action": "demote"}, follow=True)
    assert "Somebody has to administer the site" in answer.content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_people_does_not_exist_for_others(client: Client, root: User, method: str) -> None:
    client.force_login(User.objects.create_user("nia@example.org", PASSWORD))
    assert getattr(client, method)("/people/", {"email": "x@example.org"}).status_code == 404
    assert client.post(f"/people/{root.pk}/", {"action": "disable"}).status_code == 404


@pytest.mark.parametrize("email", ["root@example.org", "no address", ""])
def test_it_says_what_is_wrong_with_an_address(admin: Client, email: str) -> None:
    assert admin.post("/people/", {"email": email}).status_code == 400


def test_an_unknown_action_changes_nothing(admin: Client, root: User) -> None:
    assert admin.post(f"/people/{root.pk}/", {"action": "delete"}).status_code == 403
    assert admin.post("/people/999999/", {"action": "disable"}).status_code == 404


def test_the_holder_of_the_demonstration_is_nobody() -> None:
    User.objects.create_user("demo@localhost", None, is_active=False)
    assert not people().exists()


def test_with_a_mail_server_the_link_is_sent(admin: Client, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    page = admin.post("/people/", {"email": "nia@example.org"}).content.decode()
    assert "on its way to nia@example.org" in page and "/invitation/" not in page
    (sent,) = mail.outbox
    assert sent.to == ["nia@example.org"] and "/invitation/" in sent.body


def test_a_mail_server_that_does_not_answer_leaves_the_link(admin: Client, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = f"{EmailBackend.__module__}.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert link_in(admin.post("/people/", {"email": "nia@example.org"}).content.decode())


def test_sign_on_accepts_an_open_invitation_only(root: User) -> None:
    nia, _ = invite("nia@example.org", root)
    Invitation.objects.update(created_at=timezone.now() - timedelta(days=8))
    assert not accept_signed_on(nia)
    invite("nia@example.org", root)
    assert accept_signed_on(nia) and nia.is_active
    assert not accept_signed_on(nia)
