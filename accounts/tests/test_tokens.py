"""Tokens: shown once, kept as a digest, limited, expiring, revocable, each step on record."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import Scope, Token, User
from accounts.tokens import TooManyTokens, find_token, make_token, revoke_token
from ledger.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ada@example.org", "quiet-harbour-91", name="Ada Osei")


def me(secret: str) -> int:
    return Client().get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).status_code


def test_it_keeps_a_digest_and_never_the_secret(user: User) -> None:
    token, secret = make_token(user, "Nightly import", [Scope.READ, Scope.WRITE], 30)
    assert secret.startswith(token.prefix) and len(secret) > 40
    assert secret not in str(list(Token.objects.values()))
    assert secret not in str(list(Event.objects.values()))
    assert find_token(secret) == token


def test_no_two_secrets_are_the_same(user: User) -> None:
    assert len({make_token(user, "A", [Scope.READ], 1)[1] for _ in range(20)}) == 20


@pytest.mark.parametrize("secret", ["", "dit_", "dit_wrong", "x" * 5000, "é", "\x00"])
def test_it_finds_nothing_under_a_wrong_secret(user: User, secret: str) -> None:
    make_token(user, "A", [Scope.READ], 30)
    assert find_token(secret) is None


def test_it_opens_until_it_expires(user: User) -> None:
    token, secret = make_token(user, "A", [Scope.READ], 30)
    assert me(secret) == 200
    Token.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert me(secret) == 401


def test_it_opens_until_it_is_revoked_and_that_is_on_record(user: User) -> None:
    token, secret = make_token(user, "A", [Scope.READ], 30)
    assert revoke_token(token, user)
    assert not revoke_token(token, user)
    assert me(secret) == 401
    kinds = Event.objects.filter(subject=f"token:{token.pk}").order_by("created_at").values_list("kind", "actor")
    assert list(kinds) == [("token_made", "Ada Osei"), ("token_revoked", "Ada Osei")]


def test_it_ends_with_its_person(user: User) -> None:
    _, secret = make_token(user, "A", [Scope.READ], 30)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert me(secret) == 401


def test_it_lives_a_year_at_most(user: User) -> None:
    token, _ = make_token(user, "A", [Scope.READ], 100_000)
    assert token.expires_at < timezone.now() + timedelta(days=tokens.DAYS_MAX + 1)


def test_a_person_has_so_many_and_no_more(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "TOKENS_MAX", 2)
    first, _ = make_token(user, "A", [Scope.READ], 30)
    make_token(user, "B", [Scope.READ], 30)
    with pytest.raises(TooManyTokens):
        make_token(user, "C", [Scope.READ], 30)
    revoke_token(first, user)
    make_token(user, "C", [Scope.READ], 30)


def test_it_notes_when_a_token_was_used(user: User) -> None:
    _, secret = make_token(user, "A", [Scope.READ], 30)
    uses = Token.objects.values_list("last_used_at", flat=True)
    assert uses.get() is None
    me(secret)
    noted = uses.get()
    assert noted is not None
    me(secret)
    assert uses.get() == noted


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer a b", "Bearer dit_x", "bearer dit_é", "Basic YTpi", "", "Token dit_x", "Bearer \x7f"]
)
def test_a_header_that_opens_nothing_is_refused_as_a_problem(user: User, header: str) -> None:
    answer = Client().get("/api/v1/me", headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["status"] == 401


@pytest.mark.parametrize("name", ["token", "access_token", "api_key", "Authorization"])
def test_a_token_in_an_address_opens_nothing(user: User, name: str) -> None:
    _, secret = make_token(user, "A", [Scope.READ], 30)
    assert Client().get("/api/v1/me", {name: secret}).status_code == 401
    assert Client().get("/api/v1/me", {name: f"Bearer {secret}"}).status_code == 401


def test_a_bad_token_beside_a_good_session_is_refused_too(user: User) -> None:
    client = Client()
    client.force_login(user)
    assert client.get("/api/v1/me").json()["token"] is None
    assert client.get("/api/v1/me", headers={"Authorization": "Bearer dit_x"}).status_code == 401


def test_it_says_who_calls_and_with_what(user: User) -> None:
    _, secret = make_token(user, "Nightly", [Scope.ASK, Scope.READ], 30)
    told = Client().get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).json()
    assert (told["email"], told["token"]["name"]) == ("ada@example.org", "Nightly")
    assert told["token"]["scopes"] == ["read", "ask"]
    assert secret not in str(told) and "digest" not in told["token"]


def test_a_token_without_the_scope_is_told_which_one_is_missing(user: User) -> None:
    _, secret = make_token(user, "A", [Scope.ASK], 30)
    answer = Client().get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 403
    assert answer.json()["detail"] == "This token does not have the scope “read”."
