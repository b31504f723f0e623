"""Sign-on by an OpenID Connect provider, here a scripted one: it opens accounts that exist, and makes none unasked."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from django.test import Client
from django.utils.html import escape
from pytest_django import Settings

from accounts.invitations import invite
from accounts.models import Invitation, User, token_digest
from accounts.people import set_active
from ledger.models import Event

SECRET = "the client's secret of the scripted provider"
LOGIN = "/accounts/oidc/oidc/login/"
CALLBACK = "/accounts/oidc/oidc/login/callback/"

pytestmark = pytest.mark.django_db


class Provider(ThreadingHTTPServer):
    """Discovery, token and userinfo of a provider that knows one person."""

    person: dict[str, Any]
    asked: dict[str, list[str]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Endpoints(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        url = self.server.url
        if self.path.endswith("/openid-configuration"):
            return self.answer(
                {
                    "issuer": url,
                    "authorization_endpoint": f"{url}/authorize",
                    "token_endpoint": f"{url}/token",
                    "userinfo_endpoint": f"{url}/userinfo",
                    "jwks_uri": f"{url}/keys",
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                }
            )
        if self.path.startswith("/authorize?"):  # the person agrees at once
            asked = parse_qs(urlsplit(self.path).query)
            self.send_response(302)
            back = urlencode({"code": "a-code", "state": asked["state"][0]})
            self.send_header("Location", f"{asked['redirect_uri'][0]}?{back}")
            return self.end_headers()
        assert self.headers["Authorization"] == "Bearer an-access-token"
        return self.answer(self.server.person)

    def do_POST(self) -> None:
        self.server.asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        now = int(time.time())
        claims = self.server.person | {"iss": self.server.url, "aud": "docintel", "iat": now, "exp": now + 60}
        token = jwt.encode(claims, SECRET, algorithm="HS256")
        self.answer({"access_token": "an-access-token", "token_type": "Bearer", "id_token": token})

    def answer(self, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *arguments: object) -> None:
        """Nothing is said in a test."""


@contextmanager
def scripted_provider() -> Iterator[Provider]:
    """A provider on a real socket."""
    with Provider(("127.0.0.1", 0), Endpoints) as server:
        server.person = {"sub": "77", "email": "ada@example.org", "email_verified": True, "name": "Ada Osei"}
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with scripted_provider() as server:
        app = settings.OIDC_APP | {"client_id": "docintel", "secret": SECRET}
        app["settings"] = app["settings"] | {"server_url": server.url}
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
        yield server


def sign_on(client: Client) -> Any:
    """Go to the provider and come back with its code, as a browser does."""
    away = urlsplit(client.post(LOGIN).headers["Refresh"].removeprefix("0; url="))
    asked = parse_qs(away.query)
    assert asked["redirect_uri"] == [f"http://testserver{CALLBACK}"] and "code_challenge" in asked
    return client.get(CALLBACK, {"code": "a-code", "state": asked["state"][0]})


def is_in(client: Client) -> bool:
    return client.get("/bases/").status_code == 200


def test_it_opens_the_account_of_a_verified_address(client: Client, provider: Provider) -> None:
    ada = User.objects.create_user("ada@example.org", "quiet-harbour-91")
    assert provider.url in client.post(LOGIN).headers["Refresh"]
    assert sign_on(client).status_code == 302
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert provider.asked["code_verifier"] and provider.asked["client_secret"] == [SECRET]
    assert Event.objects.filter(kind="account_connected").count() == 1
    again = Client()
    sign_on(again)
    assert is_in(again) and User.objects.count() == 1


def test_a_link_alone_sends_nobody_to_the_provider(client: Client, provider: Provider) -> None:
    """A page elsewhere could otherwise sign its visitors in."""
    shown = client.get(f"{LOGIN}?next=/bases/")
    assert shown.status_code == 200 and "Location" not in shown.headers and "Refresh" not in shown.headers
    assert provider.url not in shown.content.decode() and 'method="post"' in shown.content.decode()
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(LOGIN).status_code == 403
    button = client.get("/accounts/login/?next=/bases/").content.decode()
    assert f'<form method="post" action="{LOGIN}?next=%2Fbases%2F">' in button and f'href="{LOGIN}' not in button


def test_the_form_ends_at_a_page_of_ours_that_goes_on(client: Client, provider: Provider) -> None:
    page = client.post(LOGIN)
    address = page.headers["Refresh"].removeprefix("0; url=")
    assert page.status_code == 200 and address.startswith(f"{provider.url}/authorize?")
    assert f'href="{escape(address)}"' in page.content.decode()
    assert "form-action 'self'" in page.headers["Content-Security-Policy"]
    assert "no-store" in page.headers["Cache-Control"]


def test_it_does_not_trust_an_address_nobody_verified(client: Client, provider: Provider) -> None:
    User.objects.create_user("ada@example.org", "quiet-harbour-91")
    provider.person["email_verified"] = False
    sign_on(client)
    assert not is_in(client)


def test_it_makes_no_account_unasked(client: Client, provider: Provider) -> None:
    answer = sign_on(client)
    assert "There is no account for you yet" in answer.content.decode()
    assert not User.objects.exists()


def test_it_makes_accounts_where_the_operator_says_so(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_SIGNUP = True
    sign_on(client)
    ada = User.objects.get()
    assert (ada.email, ada.name, ada.is_superuser) == ("ada@example.org", "Ada Osei", False)
    assert is_in(client) and not ada.has_usable_password()


def test_an_invited_person_comes_in_by_it(client: Client, provider: Provider) -> None:
    root = User.objects.create_superuser("root@example.org", "quiet-harbour-91")
    invite("ada@example.org", root)
    sign_on(client)
    assert is_in(client)
    assert Event.objects.filter(kind="invitation_accepted", details__door="sign-on").exists()


@pytest.mark.parametrize("with_signup", [False, True])
@pytest.mark.parametrize("known", ["password", "link", "old link", "connected"])
def test_a_disabled_person_stays_out(
    client: Client, provider: Provider, settings: Settings, known: str, with_signup: bool
) -> None:
    settings.OIDC_SIGNUP = with_signup
    root = User.objects.create_superuser("root@example.org", "quiet-harbour-91")
    ada = User.objects.create_user("ada@example.org", "quiet-harbour-91")
    if known == "link":
        invite(ada.email, root)
    if known == "connected":
        sign_on(Client())
    set_active(ada, False, root)
    if known == "old link":  # as older programs left it
        Invitation.objects.create(user=ada, digest=token_digest("kept"))
    sign_on(client)
    assert not is_in(client)
    ada.refresh_from_db()
    assert not ada.is_active and User.objects.count() == 2
    set_active(ada, True, root)
    assert not is_in(client)
    sign_on(client)
    assert is_in(client)


def test_a_callback_nobody_began_is_refused(client: Client, provider: Provider) -> None:
    User.objects.create_user("ada@example.org", "quiet-harbour-91")
    client.get(CALLBACK, {"code": "a-code", "state": "invented"})
    assert not is_in(client)


def test_the_sign_in_page_offers_it_only_where_it_is_set_up(client: Client, provider: Provider) -> None:
    assert LOGIN in client.get("/accounts/login/").content.decode()


def test_without_a_provider_there_is_nothing(client: Client) -> None:
    assert "/oidc/" not in client.get("/accounts/login/").content.decode()
    assert client.get(LOGIN).status_code == 404
