"""What a person does with their own account: password, second factor, sessions; each change is recorded."""

import re

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.usersessions.models import UserSession
from cryptography.fernet import InvalidToken
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from accounts.people import set_active
from accounts.sessions import browser_of
from ledger.models import Event

PASSWORD = "quiet-harbour-91"
TOO_MANY = "Too many failed login attempts"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada@example.org", PASSWORD, name="Ada")


def sign_in(client: Client, **headers: str) -> None:
    answer = client.post("/accounts/login/", {"login": "ada@example.org", "password": PASSWORD}, headers=headers)
    assert answer.status_code == 302


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at").values_list("kind", flat=True))


def code_for(secret: str) -> str:
    _, counter, _ = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, counter)))


def test_a_changed_password_is_recorded_and_ends_other_sessions(ada: User, client: Client) -> None:
    other = Client()
    sign_in(client)
    sign_in(other)
    new = "an even quieter harbour"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert client.post("/accounts/password/change/", form).status_code == 302
    assert kinds() == ["password_changed"]
    assert other.get("/bases/").status_code == 302
    assert mail.outbox == [], "no mail server, no mail"


def guess(client: Client, email: str, password: str, address: str) -> str:
    """The page after an attempt. Attempts are counted in Redis: each test has an address and a name of its own."""
    form = {"login": email, "password": password}
    answer = client.post("/accounts/login/", form, REMOTE_ADDR=address)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_guessing_ends_for_an_account(client: Client) -> None:
    User.objects.create_user("guessed@example.org", PASSWORD)
    pages = [guess(client, "guessed@example.org", f"guess {n}", "203.0.113.7") for n in range(5)]
    assert not any(TOO_MANY in page for page in pages)
    assert TOO_MANY in guess(client, "guessed@example.org", PASSWORD, "203.0.113.8"), "from wherever, even when right"
    assert client.get("/bases/").status_code == 302


def test_guessing_ends_for_an_address(client: Client) -> None:
    pages = [guess(client, f"{n}@guessed.example", "guess", "203.0.113.9") for n in range(11)]
    assert [TOO_MANY in page for page in pages] == [False] * 10 + [True]


def test_a_forgotten_password_is_reset_by_mail(ada: User, client: Client, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    client.post("/accounts/password/reset/", {"email": "ADA@example.org"})
    found = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    assert found is not None
    form = client.get(found[1], follow=True)
    address = form.redirect_chain[-1][0]
    new = "an even quieter harbour"
    client.post(address, {"password1": new, "password2": new})
    ada.refresh_from_db()
    assert ada.check_password(new)
    assert kinds() == ["password_reset"]
    assert len(mail.outbox) == 2, "the person is told of the change"


def test_disabling_voids_a_mailed_reset_for_good(ada: User, client: Client, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    root = User.objects.create_superuser("root@example.org", PASSWORD)
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    found = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    assert found is not None
    for is_active in (False, True):
        set_active(ada, is_active, root)
        fresh = Client()
        page = fresh.get(found[1], follow=True)
        assert page.redirect_chain == [], "a link that opens leads on to the form"
        ada.refresh_from_db()
        assert ada.check_password(PASSWORD)
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    again = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
    assert again is not None and Client().get(again[1], follow=True).redirect_chain, "a new one opens"


def test_nobody_disabled_is_sent_a_reset(ada: User, client: Client, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    set_active(ada, False, User.objects.create_superuser("root@example.org", PASSWORD))
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    assert mail.outbox == []


def test_a_stranger_learns_nothing_from_the_reset(client: Client, ada: User) -> None:
    known = client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    unknown = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert (known.status_code, known.headers["Location"]) == (unknown.status_code, unknown.headers["Location"])
    assert [sent.to for sent in mail.outbox] == [["ada@example.org"]], "nobody is written to who has no account"


def test_without_mail_the_reset_says_whom_to_ask(client: Client) -> None:
    assert "Ask an administrator" in client.get("/accounts/password/reset/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_second_factor_is_asked_for_and_recovery_codes_work_once(ada: User, client: Client) -> None:
    sign_in(client)
    assert client.get("/accounts/2fa/totp/activate/").status_code == 302, "the password is asked for once more"
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    assert "<svg" in page and "data:image" not in page, "our content security policy shows no data: image"
    secret = client.session["mfa.totp.secret"]
    client.post("/accounts/2fa/totp/activate/", {"code": code_for(secret)})
    assert kinds() == ["totp_activated"]
    assert secret not in str(list(Authenticator.objects.values())), "secrets are sealed"
    codes = re.findall(
        r"^\d{8}|\d{4}-?\d{4}", client.get("/accounts/2fa/recovery-codes/").content.decode(), re.MULTILINE
    )
    assert len(codes) == 10

    fresh = Client()
    answer = fresh.post("/accounts/login/", {"login": "ada@example.org", "password": PASSWORD})
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert fresh.get("/bases/").status_code == 302, "a password alone opens nothing"
    assert fresh.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert fresh.post("/accounts/2fa/authenticate/", {"code": codes[0]}).status_code == 302
    assert fresh.get("/bases/").status_code == 200

    again = Client()
    again.post("/accounts/login/", {"login": "ada@example.org", "password": PASSWORD})
    assert again.post("/accounts/2fa/authenticate/", {"code": codes[0]}).status_code == 200
    assert again.get("/bases/").status_code == 302


def test_a_lost_second_factor_is_removed_at_the_console_and_on_record(ada: User, client: Client) -> None:
    with pytest.raises(CommandError, match="no second factor"):
        call_command("remove_second_factor", "ADA@example.org")
    with pytest.raises(CommandError, match="no user"):
        call_command("remove_second_factor", "eve@example.org")
    sign_in(client)
    client.get("/accounts/sessions/")
    for kind in (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES):
        Authenticator.objects.create(user=ada, type=kind, data={})
    call_command("remove_second_factor", "ADA@example.org", by="Root")
    assert not Authenticator.objects.exists()
    assert client.get("/bases/").status_code == 302, "whoever holds a session signs in anew"
    assert Event.objects.values_list("kind", "actor").get() == ("second_factor_removed", "Root")


def test_sealed_secrets_open_with_the_key_of_the_installation_only(settings: Settings) -> None:
    sealed = get_adapter().encrypt("JBSWY3DPEHPK3PXP")
    assert get_adapter().decrypt(sealed) == "JBSWY3DPEHPK3PXP"
    settings.SECRET_KEY = "another installation"
    with pytest.raises(InvalidToken):
        get_adapter().decrypt(sealed)


def test_sessions_are_listed_and_ended(ada: User, client: Client) -> None:
    other, third = Client(), Client()
    sign_in(client, **{"User-Agent": CHROME})
    sign_in(other, **{"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0"})
    sign_in(third, **{"User-Agent": "curl/8.0"})
    page = client.get("/accounts/sessions/", headers={"User-Agent": CHROME}).content.decode()
    assert [name in page for name in ("Chrome, Linux", "Firefox, Windows", "curl")] == [True] * 3
    one = re.search(r'name="session" value="(\d+)"', page)
    assert one is not None
    client.post("/accounts/sessions/", {"session": one[1]})
    assert sorted(c.get("/bases/").status_code for c in (other, third)) == [200, 302]
    client.post("/accounts/sessions/")
    assert [c.get("/bases/").status_code for c in (client, other, third)] == [200, 302, 302]
    assert kinds() == ["sessions_ended", "sessions_ended"]


def test_nobody_ends_the_session_of_somebody_else(ada: User, client: Client) -> None:
    theirs = Client()
    theirs.force_login(User.objects.create_user("eve@example.org", PASSWORD))
    sign_in(client)
    client.get("/accounts/sessions/")
    row = UserSession.objects.get(user=ada)
    theirs.post("/accounts/sessions/", {"session": str(row.pk)})
    assert client.get("/bases/").status_code == 200
    assert kinds() == []


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (CHROME, "Chrome, Linux"),
        (f"{CHROME} Edg/140.0", "Edge, Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari, iPhone"),
        ("", ""),
        ("x" * 100, "x" * 60),
    ],
)
def test_it_names_a_browser(user_agent: str, words: str) -> None:
    assert browser_of(user_agent) == words
