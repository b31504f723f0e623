"""People come in by a link that works once; who administers is recorded, and somebody always does."""

import re
from datetime import timedelta
from threading import Thread

import pytest
from django.core import mail
from django.core.mail.backends.smtp import EmailBackend
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.invitations import AccountDisabled, InvitationClosed, accept, accept_signed_on, invite
from accounts.models import Invitation, Scope, Token, User, token_digest
from accounts.people import LastAdministrator, people, set_active, set_administrator
from accounts.tokens import find_token, make_token
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
    closed, never = client.get(f"/invitation/{token}/"), client.get(f"/invitation/{'x' * 43}/")
    assert closed.status_code == never.status_code == 404
    assert closed.content == never.content and "This link no longer opens" in closed.content.decode()
    assert client.post(f"/invitation/{token}/", FORM).status_code == 404


def test_a_weak_password_keeps_the_link(root: User, client: Client) -> None:
    _, token = invite("nia@example.org", root)
    refused = client.post(f"/invitation/{token}/", {**FORM, "password": "nia@example"})
    assert refused.status_code == 400
    assert b'aria-describedby="id_password_helptext id_password_error"' in refused.content
    assert refused.content.count(b'id="id_password_error"') == 1, "the error stands at its field"
    assert client.post(f"/invitation/{token}/", FORM).status_code == 302


def test_a_person_who_is_in_gets_a_link_for_a_new_password(admin: Client, root: User) -> None:
    nia = User.objects.create_user("nia@example.org", "an older password")
    assert "Link for a new password" in admin.get("/people/").content.decode()
    page = admin.post(f"/people/{nia.pk}/", {"action": "link"}).content.decode()
    assert "chooses a new password for this account" in page
    shown = Client().get(link_in(page)).content.decode()
    assert "Choose a new password" in shown and "Welcome" not in shown and 'name="name"' not in shown
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
    assert kinds() == ["person_disabled", "person_enabled"]
    assert theirs.get("/bases/").status_code == 302, "a session of before stays ended"
    assert theirs.post("/accounts/login/", {"login": "nia@example.org", "password": PASSWORD}).status_code == 302
    assert theirs.get("/bases/").status_code == 200


def arrived(root: User) -> User:
    """Somebody who was invited, came, and has signed in."""
    _, token = invite("nia@example.org", root)
    nia = accept(token, **FORM)
    Client().force_login(nia)
    return nia


def test_disabling_voids_a_password_link(root: User, client: Client) -> None:
    nia = arrived(root)
    _, token = invite(nia.email, root)
    set_active(nia, False, root)
    assert client.get(f"/invitation/{token}/").status_code == 404
    assert client.post(f"/invitation/{token}/", FORM).status_code == 404
    with pytest.raises(InvitationClosed):
        accept(token, **FORM)
    set_active(nia, True, root)
    assert client.get(f"/invitation/{token}/").status_code == 404, "nor does it open once the account does"
    nia.refresh_from_db()
    assert nia.is_active and nia.disabled_at is None and nia.check_password(PASSWORD)


def test_a_link_that_outlived_the_disabling_opens_nothing(root: User, client: Client) -> None:
    """As older programs left them, and as one made in the same moment would be."""
    nia = arrived(root)
    set_active(nia, False, root)
    Invitation.objects.create(user=nia, digest=token_digest("kept"))
    assert client.post("/invitation/kept/", FORM).status_code == 404
    assert not accept_signed_on(nia)
    nia.refresh_from_db()
    assert not nia.is_active


def test_an_invitation_can_be_withdrawn(admin: Client, root: User, client: Client) -> None:
    nia, token = invite("nia@example.org", root)
    assert 'value="disable"' in admin.get("/people/").content.decode().split("nia@example.org")[-1]
    admin.post(f"/people/{nia.pk}/", {"action": "disable"})
    assert Client().get(f"/invitation/{token}/").status_code == 404
    assert not accept_signed_on(nia)
    assert nia in people(), "so that it can be taken back"
    assert 'value="enable"' in admin.get("/people/").content.decode().split("nia@example.org")[-1]
    assert kinds() == ["person_invited", "person_disabled"]


def test_nobody_disabled_is_invited_again(admin: Client, root: User) -> None:
    nia = arrived(root)
    set_active(nia, False, root)
    with pytest.raises(AccountDisabled):
        invite(nia.email, root)
    refused = admin.post("/people/", {"email": nia.email})
    assert refused.status_code == 400 and "This account is disabled. Enable it first." in refused.content.decode()
    answer = admin.post(f"/people/{nia.pk}/", {"action": "link"}, follow=True)
    assert "This account is disabled. Enable it first." in answer.content.decode()
    assert not Invitation.objects.filter(used_at=None).exists()


def test_disabling_revokes_tokens(root: User) -> None:
    nia = arrived(root)
    token, secret = make_token(nia, "Nightly import", [Scope.READ], 30)
    set_active(nia, False, root)
    assert find_token(secret) is None
    set_active(nia, True, root)
    assert find_token(secret) is None
    assert Token.objects.get(pk=token.pk).revoked_at is not None
    assert kinds()[-3:] == ["person_disabled", "token_revoked", "person_enabled"]


def test_what_was_opened_while_disabled_ends_when_enabled(root: User, client: Client) -> None:
    """A sign-in that was under way when the account was disabled leaves a session and a token behind."""
    nia = arrived(root)
    set_active(nia, False, root)
    client.force_login(nia)
    _, secret = make_token(nia, "Nightly import", [Scope.READ], 30)
    set_active(nia, True, root)
    assert client.get("/bases/").status_code == 302
    assert find_token(secret) is None


def test_disabling_twice_is_recorded_once(root: User) -> None:
    nia = arrived(root)
    set_active(nia, False, root)
    first = User.objects.get(pk=nia.pk).disabled_at
    set_active(nia, False, root)
    assert User.objects.get(pk=nia.pk).disabled_at == first
    assert kinds().count("person_disabled") == 1


def test_the_database_holds_nobody_active_and_disabled(root: User) -> None:
    nia = arrived(root)
    set_active(nia, False, root)
    nia.is_active = True
    with pytest.raises(IntegrityError), transaction.atomic():
        nia.save(update_fields=["is_active"])


@pytest.mark.django_db(transaction=True)
def test_a_link_taken_while_the_account_is_disabled_does_not_open_it(root: User) -> None:
    nia = arrived(root)
    _, token = invite(nia.email, root)
    said: list[str] = []

    def take() -> None:
        try:
            accept(token, name="Nia", password="an even quieter harbour")
            said.append("in")
        except InvitationClosed:
            said.append("closed")
        finally:
            connection.close()

    with transaction.atomic():
        set_active(nia, False, root)
        other = Thread(target=take)
        other.start()
        other.join(1)  # it waits for the person's row
        assert said == []
    other.join(60)
    assert said == ["closed"]
    nia.refresh_from_db()
    assert not nia.is_active and nia.check_password(PASSWORD)


@pytest.mark.django_db(transaction=True)
def test_an_upgrade_tells_the_disabled_from_the_awaited(root: User) -> None:
    left = User.objects.create_user("left@example.org", PASSWORD, is_active=False)
    signed_on = User.objects.create_user("sso@example.org", None, is_active=False, last_login=timezone.now())
    invite("nia@example.org", root)
    User.objects.create_user("demo@localhost", None, is_active=False)
    Invitation.objects.create(user=left, digest=token_digest("kept"))
    call_command("migrate", "accounts", "0003", verbosity=0)
    call_command("migrate", "accounts", verbosity=0)
    assert set(User.objects.exclude(disabled_at=None)) == {left, signed_on}
    assert list(Invitation.objects.values_list("user__email", flat=True)) == ["nia@example.org"]


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


@pytest.mark.parametrize("action", ["demote", "disable"])
def test_nobody_ends_their_own_administration(admin: Client, root: User, action: str) -> None:
    set_administrator(User.objects.create_user("nia@example.org", PASSWORD), True, root)
    answer = admin.post(f"/people/{root.pk}/", {"action": action}, follow=True)
    assert answer.status_code == 200 and "Ask another administrator to do it." in answer.content.decode()
    root.refresh_from_db()
    assert root.is_superuser and root.is_active and kinds() == ["administrator_made"]
    own_row = answer.content.decode().split("root@example.org")[-1].split("</tr>")[0]
    assert "another administrator" in own_row and 'value="demote"' not in own_row and 'value="disable"' not in own_row


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
