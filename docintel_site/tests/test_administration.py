"""The Django admin changes nothing, whatever is registered: people and bases change on pages that keep a record."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialApp
from django.conf import global_settings
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.hashers import make_password
from django.db import DatabaseError
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, path
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Token, User
from audit.models import AuditEvent
from audit.proof.verification import verify
from docintel_site.administration import RECORDS
from documents.access import create_base
from ledger.models import Event
from retrieval.record.storing import store_failed_run

PASSWORD = "quiet-harbour-91"
WRITING = ("post", "put", "patch", "delete")

pytestmark = pytest.mark.django_db


@pytest.fixture
def real_hashers(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", PASSWORD, name="Root")


@pytest.fixture
def client(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


class Writable(ModelAdmin):  # type: ignore[type-arg]  # Django itself cannot subscript it
    """What somebody might register one day: forms, an action, a list to edit, and a view that writes."""

    list_display = ("prefix", "name")
    list_editable = ("name",)
    actions = ("revoke",)

    def revoke(self, request: HttpRequest, queryset: Any) -> None:
        queryset.update(revoked_at=timezone.now())

    def get_urls(self) -> list[URLPattern]:
        return [path("all/", self.admin_site.admin_view(self.revoke_all)), *super().get_urls()]

    def revoke_all(self, request: HttpRequest) -> HttpResponse:
        Token.objects.update(revoked_at=timezone.now())
        return HttpResponse()


@pytest.fixture
def token(root: User) -> Iterator[Token]:
    """A token, and tokens in the admin."""
    admin.site.register(Token, Writable)
    yield Token.objects.create(
        user=root, name="Import", digest="d" * 64, prefix="dit_abc", scopes=[], expires_at=timezone.now()
    )
    admin.site.unregister(Token)


def registered() -> list[type[Model]]:
    return list(admin.site._registry)


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def test_no_model_in_it_can_be_added_changed_or_deleted(root: User, token: Token) -> None:
    request = RequestFactory().get("/")
    request.user = root
    assert len(registered()) > 10
    for model in registered():
        shown = admin.site._registry[model]
        assert shown.has_view_permission(request), model
        may = (shown.has_add_permission, shown.has_change_permission, shown.has_delete_permission)
        assert [may_it(request) for may_it in may] == [False] * 3, model
        assert not shown.get_actions(request), model


def test_every_address_of_it_refuses_to_write(root: User, client: Client, token: Token) -> None:
    before = (list(User.objects.values()), list(Token.objects.values()), Event.objects.count())
    patterns = [route for route in routes(admin.site.get_urls()) if not route.startswith(("login", "logout"))]
    assert len(patterns) > 5 * len(registered())
    for route in patterns:
        address = "/admin/" + "/".join(
            str(root.pk) if part.startswith(("<", "(")) else part for part in route.replace("^", "").split("/")
        )
        for method in WRITING:
            answer = getattr(client, method)(address.removesuffix("$"))
            assert answer.status_code in (403, 404), (method, route, answer.status_code)
    assert before == (list(User.objects.values()), list(Token.objects.values()), Event.objects.count())


def test_what_is_registered_later_cannot_write_either(client: Client, token: Token) -> None:
    rows = f"/admin/accounts/token/{token.pk}"
    sent = {
        "/admin/accounts/token/all/": {},
        "/admin/accounts/token/add/": {"name": "Another"},
        "/admin/accounts/token/": {"action": "revoke", "_selected_action": [str(token.pk)]},
        f"{rows}/change/": {"name": "Another"},
        f"{rows}/delete/": {"post": "yes"},
    }
    for address, form in sent.items():
        assert client.post(address, form).status_code == 403, address
    listed = {"form-TOTAL_FORMS": 1, "form-INITIAL_FORMS": 1, "form-0-id": token.pk, "form-0-name": "X", "_save": ""}
    assert client.post("/admin/accounts/token/", listed).status_code == 403
    kept = Token.objects.get()
    assert (kept.name, kept.revoked_at) == ("Import", None)


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/admin/accounts/user/{carl}/change/", {"email": "carl@example.org", "is_active": "on", "is_superuser": "on"}),
        ("/admin/accounts/user/{carl}/password/", {"password1": PASSWORD + "2", "password2": PASSWORD + "2"}),
        ("/admin/accounts/user/{carl}/delete/", {"post": "yes"}),
        ("/admin/accounts/user/{root}/change/", {"email": "root@example.org"}),
        ("/admin/accounts/user/{root}/delete/", {"post": "yes"}),
        ("/admin/accounts/user/add/", {"email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD}),
        ("/admin/accounts/user/", {"action": "delete_selected", "_selected_action": "{carl}", "post": "yes"}),
        (
            "/admin/password_change/",
            {"old_password": PASSWORD, "new_password1": PASSWORD + "2", "new_password2": PASSWORD + "2"},
        ),
    ],
)
def test_people_are_not_changed_past_the_record(root: User, client: Client, address: str, form: dict[str, str]) -> None:
    carl = User.objects.create_user("carl@example.org", PASSWORD, name="Carl")
    before = list(User.objects.order_by("pk").values())
    pks = {"carl": carl.pk, "root": root.pk}
    sent = {name: value.format(**pks) for name, value in form.items()}
    assert client.post(address.format(**pks), sent).status_code in (403, 404)
    assert list(User.objects.order_by("pk").values()) == before
    assert not Event.objects.exists()


def test_every_list_of_it_opens_and_is_searched(client: Client) -> None:
    for model in registered():
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(address).status_code == 200, model
        assert client.get(address, {"q": "x"}).status_code == 200, model
        assert client.get(f"{address}add/").status_code == 403, model


@pytest.mark.usefixtures("real_hashers")
def test_a_person_is_shown_without_a_form_and_without_a_password(root: User, client: Client) -> None:
    page = client.get(f"/admin/accounts/user/{root.pk}/change/")
    assert "root@example.org" in page.content.decode()
    assert 'name="_save"' not in page.content.decode()
    assert make_password(PASSWORD)[:12] not in page.content.decode(), "not even how it is kept"


def test_what_libraries_keep_of_people_is_not_shown(client: Client) -> None:
    for model in (Authenticator, SocialApp):
        assert not admin.site.is_registered(model)
        assert client.get(f"/admin/{model._meta.app_label}/").status_code == 404


def test_its_own_password_page_leads_to_the_one_that_keeps_a_record(client: Client) -> None:
    answer = client.get("/admin/password_change/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/password/change/")


def test_one_signs_out_of_it(client: Client) -> None:
    assert client.post("/admin/logout/").status_code == 200
    assert client.get("/bases/").status_code == 302


def test_it_leads_strangers_to_the_one_sign_in() -> None:
    answer = Client().get("/admin/login/", {"next": "/admin/"})
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/")
    assert Client().get("/admin/accounts/user/").status_code == 302


def test_it_is_no_place_for_others() -> None:
    client = Client()
    client.force_login(User.objects.create_user("nia@example.org", PASSWORD))
    assert client.get("/admin/accounts/user/", follow=True).status_code == 403


def test_who_looks_at_what_others_asked_leaves_an_event_or_sees_nothing(
    root: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = User.objects.create_user("ada@example.org")
    run = store_failed_run("What is the cap?", "x", base=create_base(ada, "Hers"), user=ada, mode="fast")
    rows = "/admin/retrieval/retrievalrun/"
    for address in (rows, f"{rows}{run.pk}/change/", f"{rows}{run.pk}/history/"):
        assert "What is the cap?" in client.get(address).content.decode()
    listed, *opened = AuditEvent.objects.order_by("created_at")
    assert (listed.action, listed.person, listed.run_id) == ("admin", root, None)
    assert listed.detail == {"model": "retrieval.retrievalrun"}
    assert [event.run_id for event in opened] == [run.pk, run.pk] and verify().ok

    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr("audit.access_log.store", refuse)
    for label in RECORDS:
        with pytest.raises(DatabaseError):
            client.get(f"/admin/{label.replace('.', '/')}/")


def test_all_that_was_asked_and_answered_is_looked_at_on_record() -> None:
    shown = {model._meta.label_lower for model in registered() if model._meta.app_label in ("chat", "llm", "retrieval")}
    assert shown == RECORDS | {"retrieval.concept"}
