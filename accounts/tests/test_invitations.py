"""Links that let people in: whose they are, when they close, and that one person comes of two invitations at once."""

import time
from datetime import timedelta
from threading import Thread

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone, translation
from pytest_django import Settings

from accounts.invitations import (
    TOKEN_BYTES,
    AccountDisabled,
    InvitationClosed,
    accept,
    accept_signed_on,
    invite,
    lock_invitation,
)
from accounts.models import Invitation, User, token_digest
from accounts.people import set_active
from ledger.models import Event

PASSWORD = "quiet-harbour-91"

pytestmark = pytest.mark.django_db


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", None, name="Root")


def events() -> list[tuple[str, str, str]]:
    return list(Event.objects.order_by("created_at").values_list("kind", "actor", "subject"))


@pytest.mark.parametrize("again", ["nia@example.org", "NIA@EXAMPLE.ORG", "Nia@Example.Org"])
def test_an_address_is_one_person_however_it_is_written(root: User, again: str) -> None:
    first, _ = invite("Nia@example.org", root, "Nia")
    second, _ = invite(again, root, "Somebody else")
    assert first == second and User.objects.count() == 2
    first.refresh_from_db()
    assert (first.email, first.name) == ("nia@example.org", "Nia"), "a second invitation renames nobody"


def test_an_invited_person_can_do_nothing_yet(root: User) -> None:
    nia, token = invite("nia@example.org", root, "Nia")
    assert not nia.is_active and not nia.has_usable_password() and not nia.is_superuser and not nia.is_staff
    assert nia.disabled_at is None and nia.last_login is None
    assert len(token) >= TOKEN_BYTES * 4 // 3
    kept = nia.invitations.get()
    assert kept.digest == token_digest(token) != token and kept.used_at is None
    assert events() == [("person_invited", "Root", f"user:{nia.pk}")]
    assert Event.objects.get().details == {"email": "nia@example.org", "name": "Nia"}


def test_only_the_last_link_opens_and_used_ones_stay_on_record(root: User) -> None:
    nia, first = invite("nia@example.org", root)
    accept(first, name="Nia", password=PASSWORD)
    tokens = [invite("nia@example.org", root)[1] for _ in range(3)]
    assert len({first, *tokens}) == 4 and nia.invitations.count() == 2
    for token in (first, *tokens[:2]):
        with pytest.raises(InvitationClosed):
            accept(token, name="Eve", password=PASSWORD)
    assert accept(tokens[2], name="Nia Roy", password="another quiet harbour").name == "Nia Roy"
    kinds = [kind for kind, *_ in events()]
    assert kinds == ["person_invited", "invitation_accepted", *["password_link_made"] * 3, "invitation_accepted"]


def test_the_link_of_one_person_does_not_touch_that_of_another(root: User) -> None:
    _, first = invite("nia@example.org", root)
    _, second = invite("bo@example.org", root)
    assert accept(second, name="Bo", password=PASSWORD).email == "bo@example.org"
    assert accept(first, name="Nia", password=PASSWORD).email == "nia@example.org"


@pytest.mark.parametrize("token", ["", " ", "x", "\x00", "ü" * 50, "a" * 100_000, "' OR 1=1 --"])
def test_a_token_nobody_was_given_opens_nothing(root: User, token: str) -> None:
    invite("nia@example.org", root)
    with pytest.raises(InvitationClosed):
        accept(token, name="Eve", password=PASSWORD)
    assert [kind for kind, *_ in events()] == ["person_invited"]


def test_the_digest_in_the_database_is_no_token(root: User) -> None:
    nia, _ = invite("nia@example.org", root)
    with pytest.raises(InvitationClosed):
        accept(nia.invitations.get().digest, name="Eve", password=PASSWORD)


@pytest.mark.parametrize(("days", "is_open"), [(6.9, True), (7.1, False), (400, False)])
def test_a_link_opens_for_as_long_as_the_settings_say(
    root: User, settings: Settings, days: float, is_open: bool
) -> None:
    settings.INVITATION_DAYS = 7
    nia, token = invite("nia@example.org", root)
    Invitation.objects.update(created_at=timezone.now() - timedelta(days=days))
    assert Invitation.open_for(token).exists() is is_open
    assert (lock_invitation(nia.invitations.open()) is not None) is is_open


def test_accepting_changes_what_it_says_and_nothing_else(root: User) -> None:
    nia = User.objects.create_superuser("nia@example.org", "an older password", name="Nia")
    _, token = invite("nia@example.org", root)
    accept(token, name="Nia Roy", password=PASSWORD)
    after = User.objects.get(pk=nia.pk)
    assert after.is_superuser and after.is_staff and after.is_active and after.date_joined == nia.date_joined
    assert after.check_password(PASSWORD) and after.name == "Nia Roy"
    assert Event.objects.get(kind="invitation_accepted").details == {"email": "nia@example.org", "door": "link"}


def test_signing_on_keeps_the_name_and_needs_no_password(root: User) -> None:
    nia, token = invite("nia@example.org", root, "Nia")
    assert accept_signed_on(nia)
    assert nia.is_active and nia.name == "Nia" and not nia.has_usable_password()
    assert Event.objects.get(kind="invitation_accepted").details["door"] == "sign-on"
    with pytest.raises(InvitationClosed):
        accept(token, name="Eve", password=PASSWORD)


def test_signing_on_without_an_invitation_opens_nothing(root: User) -> None:
    nia = User.objects.create_user("nia@example.org", None, is_active=False)
    invite("bo@example.org", root)
    assert not accept_signed_on(nia)
    nia.refresh_from_db()
    assert not nia.is_active and "invitation_accepted" not in [kind for kind, *_ in events()]


def test_a_disabled_account_is_named_in_the_language_of_who_invites(root: User) -> None:
    nia, token = invite("nia@example.org", root)
    accept(token, name="Nia", password=PASSWORD)
    set_active(nia, False, root)
    with pytest.raises(AccountDisabled, match="Enable it first"):
        invite("NIA@example.org", root)
    with translation.override("fr"), pytest.raises(AccountDisabled) as caught:
        invite("nia@example.org", root)
    assert "Enable it first" not in str(caught.value) and "compte" in str(caught.value)
    assert Invitation.objects.filter(used_at=None).count() == 0


@pytest.mark.django_db(transaction=True)
def test_two_invitations_of_one_new_person_at_once_are_one_person(root: User) -> None:
    """As a button that is pressed twice sends them."""
    said: list[str | IntegrityError] = []

    def invite_too() -> None:
        try:
            said.append(invite("nia@example.org", root)[1])
        except IntegrityError as error:
            said.append(error)
        finally:
            connection.close()

    with transaction.atomic():
        _, first = invite("nia@example.org", root)
        other = Thread(target=invite_too)
        other.start()
        wait_for_a_lock()
    other.join(60)
    [second] = said
    assert isinstance(second, str), second
    assert User.objects.filter(email="nia@example.org").count() == 1
    assert not Invitation.open_for(first).exists() and Invitation.open_for(second).exists()


def wait_for_a_lock() -> None:
    """Until somebody else waits for what this transaction holds."""
    deadline = time.monotonic() + 120
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
    pytest.fail("nobody waits")


@pytest.mark.django_db(transaction=True)
def test_a_link_taken_twice_at_once_lets_in_once(root: User) -> None:
    nia, token = invite("nia@example.org", root)
    said: list[str] = []

    def take() -> None:
        try:
            said.append(accept(token, name="Eve", password=PASSWORD).name)
        except InvitationClosed:
            said.append("closed")
        finally:
            connection.close()

    with transaction.atomic():
        accept(token, name="Nia", password=PASSWORD)
        other = Thread(target=take)
        other.start()
        wait_for_a_lock()
    other.join(60)
    nia.refresh_from_db()
    assert said == ["closed"] and nia.name == "Nia"
