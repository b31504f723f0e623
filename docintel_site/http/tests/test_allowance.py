"""How much a request may carry: by where it goes, and by whether somebody who is signed in sends it."""

import asyncio
from collections.abc import Iterable
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from accounts.models import Scope as TokenScope
from accounts.models import Token, User
from accounts.people import set_active
from accounts.tokens import make_token, revoke_token
from docintel_site.http.allowance import (
    FILES_WORDS,
    FORM_WORDS,
    STRANGER_WORDS,
    UPLOADS,
    allowance,
    is_signed_in,
    takes_files,
)
from docintel_site.http.asgi_types import Scope
from docintel_site.http.body_limit import Allowance

BASE = "5f0e0d0a-7e9f-4c53-9d3b-d9a0cbbd4f11"
UPLOAD = f"/bases/{BASE}/upload/"
API = f"/api/v1/bases/{BASE}/documents"
FORM = Allowance(settings.BODY_MAX_BYTES, FORM_WORDS)
STRANGER = Allowance(settings.BODY_MAX_BYTES, STRANGER_WORDS)
FILES = Allowance(settings.REQUEST_MAX_BYTES, FILES_WORDS)


def scope_of(path: str = API, method: str = "POST", headers: Iterable[tuple[str, bytes]] = ()) -> Scope:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value) for name, value in headers],
    }


def with_token(secret: str) -> Scope:
    return scope_of(headers=[("authorization", f"Bearer {secret}".encode())])


def with_session(client: Client, path: str = API) -> Scope:
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"
    return scope_of(path, headers=[("cookie", cookie.encode())])


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada@example.org", None, name="Ada")


@pytest.mark.parametrize(
    ("method", "path", "takes"),
    [
        ("POST", API, True),
        ("POST", UPLOAD, True),
        ("GET", API, False),
        ("PUT", API, False),
        ("PATCH", API, False),
        ("post", API, False),
        ("POST", f"{API}/", False),
        ("POST", API.replace(BASE, "x"), False),
        ("POST", f"/bases/{BASE}/members/", False),
        ("POST", "/api/v1/bases", False),
        ("POST", "/api/chat", False),
        ("POST", "/accounts/login/", False),
        ("POST", "/", False),
        ("POST", "/nowhere", False),
        ("POST", "", False),
        ("POST", "\x00", False),
        ("POST", f"/static/..{API}", False),
    ],
)
def test_files_go_to_few_addresses_and_by_one_method(method: str, path: str, takes: bool) -> None:
    assert takes_files(scope_of(path, method)) is takes


def test_every_route_that_takes_files_exists() -> None:
    spaces = {f"{space}:": resolver for space, (_, resolver) in get_resolver().namespace_dict.items()}
    spaces[""] = get_resolver()
    assert {f"{space}{name}" for space, resolver in spaces.items() for name in resolver.reverse_dict} >= UPLOADS


def test_a_form_asks_the_database_nothing(django_assert_num_queries: DjangoAssertNumQueries, db: None) -> None:
    with django_assert_num_queries(0):
        assert asyncio.run(allowance(scope_of("/bases/"))) == FORM
        assert asyncio.run(allowance(scope_of(API, "GET"))) == FORM


def ask(scope: Scope) -> Allowance:
    return asyncio.run(allowance(scope))


@pytest.mark.django_db(transaction=True)
def test_who_is_signed_in_may_send_files(ada: User, client: Client) -> None:
    """One test for all ways, because a thread of its own asks the database: each needs a real transaction."""
    client.force_login(ada)
    _, secret = make_token(ada, "Import", [TokenScope.READ], 7)
    assert ask(with_token(secret)) == ask(with_session(client)) == ask(with_session(client, UPLOAD)) == FILES
    assert ask(scope_of()) == ask(with_token("dit_wrong")) == STRANGER
    assert ask(with_token(secret) | {"path": "/bases/"}) == FORM


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], False),
        ([("authorization", b"Bearer {secret}")], True),
        ([("authorization", b"bearer {secret}")], True),
        ([("authorization", b"Bearer  {secret}  ")], True),
        ([("authorization", b"Basic {secret}")], False),
        ([("authorization", b"Bearer")], False),
        ([("authorization", b"Bearer {secret} {secret}")], False),
        ([("authorization", b"Bearer {secret}x")], False),
        ([("authorization", b"Bearer \xff\xfe\x00")], False),
        ([("authorization", b"")], False),
        ([("x-authorization", b"Bearer {secret}")], False),
        ([("cookie", b"sessionid=")], False),
        ([("cookie", b"sessionid=nonsense")], False),
        ([("cookie", b"\xff\xfe=\x00; ;;=")], False),
        ([("cookie", b"sessionid=" + b"a" * 10_000)], False),
    ],
)
def test_what_opens_is_a_living_token_or_session(ada: User, headers: list[tuple[str, bytes]], expected: bool) -> None:
    _, secret = make_token(ada, "Import", [TokenScope.READ], 7)
    filled = [(name, value.replace(b"{secret}", secret.encode())) for name, value in headers]
    assert is_signed_in(scope_of(headers=filled)) is expected


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["revoked", "expired", "disabled"])
def test_a_token_that_ended_opens_nothing(ada: User, end: str) -> None:
    token, secret = make_token(ada, "Import", [TokenScope.READ], 7)
    if end == "revoked":
        revoke_token(token, ada)
    elif end == "expired":
        Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        set_active(ada, False, ada)
    assert not is_signed_in(with_token(secret))


@pytest.mark.django_db
def test_a_session_that_ended_opens_nothing(ada: User, client: Client) -> None:
    client.force_login(ada)
    scope = with_session(client)
    set_active(ada, False, ada)
    assert not is_signed_in(scope)


@pytest.mark.django_db
def test_a_wrong_token_is_not_mended_by_a_good_session(ada: User, client: Client) -> None:
    client.force_login(ada)
    scope = with_session(client)
    scope["headers"] = [*scope["headers"], (b"authorization", b"Bearer dit_wrong")]
    assert not is_signed_in(scope)


@pytest.mark.parametrize("words", [FORM_WORDS, STRANGER_WORDS, FILES_WORDS])
def test_what_is_said_names_the_limit_in_the_language_of_the_reader(words: object) -> None:
    limit = settings.REQUEST_MAX_BYTES if words is FILES_WORDS else settings.BODY_MAX_BYTES
    english = str(words)
    with translation.override("fr"):
        french = str(words)
    assert f"{limit // 1_000_000} MB" in english and "Nothing was stored" in english
    assert str(limit // 1_000_000) in french and "Nothing" not in french


def test_a_form_carries_less_than_files() -> None:
    assert settings.BODY_MAX_BYTES < settings.REQUEST_MAX_BYTES
