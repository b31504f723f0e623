"""The page of tokens: the secret is shown once, to its owner, and everything about it is recorded."""

import re

import pytest
from django.test import Client

from accounts import tokens
from accounts.models import Scope, Token, User
from accounts.tokens import find_token, make_token
from ledger.models import Event

pytestmark = pytest.mark.django_db

FORM = {"name": "Nightly <b>import</b>", "scopes": ["read", "write"], "days": "30"}
SECRET = re.compile(r"dit_[\w-]{43}")


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada@example.org", "quiet-harbour-91", name="Ada")


@pytest.fixture
def page(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def test_it_shows_the_secret_once_and_it_works(page: Client) -> None:
    made = page.post("/accounts/tokens/", FORM)
    [secret] = set(SECRET.findall(made.content.decode()))
    token = find_token(secret)
    assert token is not None and token.scopes == ["read", "write"]
    assert "no-store" in made.headers["Cache-Control"]
    again = page.get("/accounts/tokens/").content.decode()
    assert secret not in again and token.prefix in again
    assert "Nightly &lt;b&gt;import&lt;/b&gt;" in again
    assert [event.kind for event in Event.objects.filter(subject=f"token:{token.pk}")] == ["token_made"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": ""}, "required"),
        ({"name": "x" * 81}, "at most 80"),
        ({"scopes": []}, "required"),
        ({"scopes": ["root"]}, "not one of the available"),
        ({"days": "9999"}, "not one of the available"),
        ({"days": "x"}, "not one of the available"),
    ],
)
def test_it_says_what_is_wrong_and_makes_nothing(page: Client, change: dict[str, object], words: str) -> None:
    refused = page.post("/accounts/tokens/", FORM | change)
    assert refused.status_code == 400 and words in refused.content.decode()
    assert not Token.objects.exists()


def test_it_says_when_there_are_too_many(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "TOKENS_MAX", 1)
    page.post("/accounts/tokens/", FORM)
    refused = page.post("/accounts/tokens/", FORM)
    assert refused.status_code == 400 and "Revoke one" in refused.content.decode()


def test_it_revokes_at_once(page: Client, ada: User) -> None:
    token, secret = make_token(ada, "Old", [Scope.READ], 30)
    told = page.post(f"/accounts/tokens/{token.pk}/revoke/", follow=True).content.decode()
    assert "“Old” opens nothing any more." in told and "Revoked" in told
    assert find_token(secret) is None


def test_nobody_sees_or_revokes_the_token_of_another(page: Client) -> None:
    other = User.objects.create_user("bo@example.org", "quiet-harbour-91")
    token, secret = make_token(other, "Hers", [Scope.READ], 30)
    assert "Hers" not in page.get("/accounts/tokens/").content.decode()
    assert page.post(f"/accounts/tokens/{token.pk}/revoke/").status_code == 404
    assert find_token(secret) == token
