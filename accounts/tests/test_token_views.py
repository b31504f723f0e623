"""The form and the page of tokens: what each choice makes, in any language, and what no request can do."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone, translation

from accounts.models import Scope, Token, User
from accounts.token_views import LIFETIMES, TokenForm
from accounts.tokens import find_token, make_token
from ledger.models import Event

URL = "/accounts/tokens/"
GOOD = {"name": "Import", "scopes": ["read"], "days": "30"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada@example.org", None, name="Ada")


@pytest.fixture
def page(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


@pytest.mark.parametrize("days", [days for days, _ in LIFETIMES])
def test_a_token_lives_as_long_as_was_chosen(page: Client, ada: User, days: int) -> None:
    before = timezone.now()
    page.post(URL, GOOD | {"days": str(days)})
    token = ada.tokens.get()
    assert before + timedelta(days=days) <= token.expires_at <= timezone.now() + timedelta(days=days)


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        (["read"], ["read"]),
        (["audit", "read"], ["read", "audit"]),
        (["read", "read", "ask"], ["read", "ask"]),
        (Scope.values, Scope.values),
    ],
)
def test_scopes_are_kept_once_and_in_one_order(page: Client, ada: User, chosen: list[str], kept: list[str]) -> None:
    page.post(URL, GOOD | {"scopes": chosen})
    assert ada.tokens.get().scopes == kept


@pytest.mark.parametrize(
    "change",
    [
        {"name": "   "},
        {"name": "\x00"},
        {"name": "x" * 100_000},
        {"scopes": ["read", "root"]},
        {"scopes": ["READ"]},
        {"scopes": [""]},
        {"days": ""},
        {"days": "-7"},
        {"days": "7.0"},
        {"days": "٣٠"},
        {"days": "366"},
    ],
)
def test_a_choice_that_was_not_offered_makes_nothing(page: Client, change: dict[str, object]) -> None:
    answer = page.post(URL, GOOD | change)
    assert answer.status_code == 400 and not Token.objects.exists() and not Event.objects.exists()
    assert "errorlist" in answer.content.decode()


def test_what_was_typed_is_still_there_after_a_mistake(page: Client) -> None:
    shown = page.post(URL, {"name": 'Import "7"', "scopes": ["audit"], "days": "nope"}).content.decode()
    assert "Import &quot;7&quot;" in shown
    form = TokenForm({"name": "Import", "scopes": ["audit"], "days": "nope"})
    assert set(form.errors) == {"days"} and 'value="audit"' in str(form["scopes"]) and "checked" in str(form["scopes"])


@pytest.mark.parametrize("name", ["名前", "<script>alert(1)</script>", "a\u202eb", "🙂" * 80, "Zähler & Co"])
def test_a_name_is_kept_and_shown_as_text(page: Client, ada: User, name: str) -> None:
    shown = page.post(URL, GOOD | {"name": name}).content.decode()
    assert ada.tokens.get().name == name and "<script>alert" not in shown


def test_an_empty_form_offers_what_most_programs_need() -> None:
    form = TokenForm()
    assert form["scopes"].initial == [Scope.READ, Scope.ASK] and form["days"].initial == 90
    assert all(f'value="{scope}"' in str(form["scopes"]) for scope in Scope.values)
    assert [days for days, _ in LIFETIMES] == [7, 30, 90, 365]


def test_the_form_is_in_the_language_of_the_reader() -> None:
    english = str(TokenForm())
    with translation.override("fr"):
        french = str(TokenForm())
    assert "a year" in english and "a year" not in french and "It may" not in french


def test_each_token_has_its_own_secret_and_the_newest_stands_first(page: Client, ada: User) -> None:
    for name in ("One", "Two", "Three"):
        page.post(URL, GOOD | {"name": name})
    assert [token.name for token in ada.tokens.all()] == ["Three", "Two", "One"]
    assert len(set(ada.tokens.values_list("digest", flat=True))) == 3
    shown = page.get(URL).content.decode()
    assert shown.index("Three") < shown.index("Two") < shown.index("One")


def expire(token: Token) -> None:
    Token.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def revoke_it(token: Token) -> None:
    Token.objects.filter(pk=token.pk).update(revoked_at=timezone.now())


@pytest.mark.parametrize(("end", "word"), [(expire, "Expired"), (revoke_it, "Revoked")])
def test_a_token_that_ended_says_so_and_offers_no_end(
    page: Client, ada: User, end: Callable[[Token], None], word: str
) -> None:
    token, _ = make_token(ada, "Nightly", [Scope.READ], 7)
    before = page.get(URL).content.decode()
    assert f"/{token.pk}/revoke/" in before and word not in before
    end(token)
    after = page.get(URL).content.decode()
    assert word in after and f"/{token.pk}/revoke/" not in after and "Nightly" in after


def test_revoking_twice_is_told_and_recorded_once(page: Client, ada: User) -> None:
    token, secret = make_token(ada, "Nightly", [Scope.READ], 7)
    first, second = (page.post(f"{URL}{token.pk}/revoke/", follow=True).content.decode() for _ in range(2))
    assert "opens nothing any more" in first and "opens nothing any more" not in second
    assert find_token(secret) is None and Event.objects.filter(kind="token_revoked").count() == 1


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_only_a_form_that_was_sent_revokes(page: Client, ada: User, method: str) -> None:
    token, secret = make_token(ada, "Nightly", [Scope.READ], 7)
    assert getattr(page, method)(f"{URL}{token.pk}/revoke/").status_code == 405
    assert find_token(secret) == token


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_the_page_knows_no_other_method(page: Client, method: str) -> None:
    assert getattr(page, method)(URL).status_code == 405


def test_without_the_token_of_the_form_nothing_is_made_or_ended(ada: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    token, secret = make_token(ada, "Nightly", [Scope.READ], 7)
    assert client.post(URL, GOOD).status_code == 403
    assert client.post(f"{URL}{token.pk}/revoke/").status_code == 403
    assert ada.tokens.count() == 1 and find_token(secret) == token


def test_a_token_does_not_open_the_page_that_makes_tokens(ada: User, client: Client) -> None:
    _, secret = make_token(ada, "All", Scope.values, 7)
    answer = client.post(URL, GOOD, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 302 and "/accounts/login/" in answer.headers["Location"]
    assert ada.tokens.count() == 1


def test_an_administrator_does_not_revoke_the_token_of_another(ada: User, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", None))
    token, secret = make_token(ada, "Hers", [Scope.READ], 7)
    assert client.post(f"{URL}{token.pk}/revoke/").status_code == 404
    assert find_token(secret) == token
