"""Pages count with the API: one limit for a person, exact under a rush, and a page that says when to come back."""

import ast
import inspect
import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve
from pytest_django import Settings

from accounts.models import User
from chat.models import Turn
from docintel_site.http import limits
from docintel_site.http.page_limits import COSTLY, ENDING_WORK, PageLimits
from docintel_site.tests.test_access import TABLE, Site, browser, routes, send, site
from documents.models import Document

__all__ = ["site"]  # the fixture

ASK_DEFAULT, API_DEFAULT = 60, 600


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> float:
    """The clock is in the middle of a minute of its own, so that no test crosses from one to the next."""
    moment = time.time() // 60 * 60 + 22
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: moment))
    cache.clear()
    return moment


@pytest.fixture
def limited(site: Site, settings: Settings, one_minute: float) -> Site:
    """The site with the limits it comes with, and nothing counted yet."""
    settings.ASK_RATE, settings.API_RATE = ASK_DEFAULT, API_DEFAULT
    cache.clear()
    return site


def asked(site: Site, client: Client, **values: str) -> Any:
    form = {"question": f"What of {uuid.uuid4()}?", "scope": f"base:{site.base.pk}", "mode": "fast"}
    return client.post("/ask/", form | {"form_id": str(uuid.uuid4())} | values)


def test_the_sixty_first_question_of_a_minute_is_refused(limited: Site) -> None:
    client, before = browser(limited.people["editor"]), Turn.objects.count()
    codes = [asked(limited, client).status_code for _ in range(61)]
    assert codes == [302] * 60 + [429]
    assert Turn.objects.count() == before + 60


def test_forms_and_programs_are_one_count(limited: Site, settings: Settings) -> None:
    settings.ASK_RATE = 4
    client, _ = limited.client("owner")
    bearer = {"Authorization": f"Bearer {limited.secrets['token']}"}
    body = f'{{"message": "records", "knowledge_base_id": "{limited.base.pk}"}}'
    codes = []
    for _ in range(3):
        codes.append(asked(limited, client).status_code)
        codes.append(send(Client(), "POST api/v1/retrieve", "api/v1/retrieve", body, **bearer).status_code)
    assert codes == [302, 202, 302, 202, 429, 429]
    assert asked(limited, limited.client("viewer")[0]).status_code == 302, "others are not concerned"


def test_it_counts_two_hundred_at_once_exactly(settings: Settings) -> None:
    settings.ASK_RATE = 20
    request = RequestFactory().post("/ask/", headers={"Accept": "application/json"})
    request.user = SimpleNamespace(pk=7, is_authenticated=True)  # type: ignore[assignment]
    request.resolver_match = resolve("/ask/")
    middleware = PageLimits(lambda _: HttpResponse())
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: middleware.process_view(request), range(200)))
    assert sum(answer is None for answer in answers) == 20
    assert {answer.status_code for answer in answers if answer} == {429}


def test_it_lets_in_again_when_sixty_seconds_are_over(
    limited: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch, one_minute: float
) -> None:
    settings.ASK_RATE = 1
    client, _ = limited.client("editor")
    assert [asked(limited, client).status_code for _ in range(2)] == [302, 429]
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: one_minute + 60))
    assert asked(limited, client).status_code == 302


def rows_of(names: set[str]) -> list[str]:
    """The rows of the table of access for methods and names of routes, such as `POST ask/` for `POST chat:home`."""
    named: dict[str, list[str]] = {}
    for route, pattern in routes():
        named.setdefault(f"{pattern.name}", []).append(route)
    apps: dict[str, str | tuple[str, ...]] = {"chat": "ask/", "audit": "audit/", "documents": ("bases/", "documents/")}
    rows = []
    for name in names:
        method, _, view = name.partition(" ")
        app, _, url = view.partition(":")
        [route] = [route for route in named[url] if route.startswith(apps[app])]
        rows.append(f"{method} {route}")
    return rows


def test_every_costly_page_is_refused_before_it_does_anything(limited: Site, settings: Settings) -> None:
    client = browser(limited.people["owner"])
    rows = rows_of(COSTLY)
    assert len(rows) == len(COSTLY) and set(rows) <= TABLE.keys()
    settings.ASK_RATE = 0
    for row in rows:
        refused = send(client, row, limited.address(row))
        assert refused.status_code == 429, row
        assert refused.headers["Retry-After"] == "60" and "no-store" in refused.headers["Cache-Control"]
    settings.ASK_RATE = 1_000
    assert {row: send(client, row, limited.address(row)).status_code for row in rows if row.startswith("POST")} == {
        "POST ask/": 400,
        "POST ask/<uuid:conversation_id>/": 404,
        "POST ask/fields/": 400,
        "POST ask/turns/<uuid:turn_id>/meaning": 404,
        "POST ask/turns/<uuid:turn_id>/read-again": 404,
        "POST ask/turns/<uuid:turn_id>/retry": 404,
        "POST ask/turns/<uuid:turn_id>/search-rest": 404,
        "POST audit/golden/check/": 400,
        "POST audit/proposals/<uuid:base_id>/<uuid:proposal_id>/check/": 302,
        "POST audit/runs/<uuid:run_id>/replay/": 400,
        "POST audit/technical-file/": 404,
    }


def calls_of(view: Any) -> set[str]:
    """The names of all that a view calls, by itself, of another module, or through another function of its own."""
    home = inspect.getmodule(view)
    module = ast.parse(inspect.getsource(home))  # type: ignore[arg-type]
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    called: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(inspect.cleandoc("\n" + inspect.getsource(view)))]
    while waiting:
        found = set(filter(None, (name_of_call(node, vars(home)) for node in ast.walk(waiting.pop())))) - called
        called |= found
        waiting += [functions[name] for name in found if name in functions]
    return called


def name_of_call(node: ast.AST, names: dict[str, Any]) -> str | None:
    """What is called by its name, or by that of a module and its own."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if inspect.ismodule(names.get(module)):
            return name
    return None


def test_what_is_costly_for_a_program_is_costly_on_a_page() -> None:
    """Whatever only costly calls of the API do (keep a question, ask it again), no page does at another price."""
    api = {pattern.callback.cls for _, pattern in routes() if hasattr(pattern.callback, "cls")}
    costly, others = (
        set().union(*(calls_of(view) for view in api if getattr(view, "is_costly", False) is is_costly))
        for is_costly in (True, False)
    )
    dear = costly - others - {"reverse", "get_ended_turn", "write_picker_value"}  # which only find what is there
    pages = {f"chat:{pattern.name}": pattern.callback for route, pattern in routes() if route.startswith("ask/")}
    done = {name: calls_of(inspect.unwrap(view)) & dear for name, view in pages.items()}
    assert set().union(*done.values()) == {
        "ask_again",
        "choose_meaning",
        "keep_extraction",
        "keep_grid",
        "keep_question",
        "order_reading",
    }
    assert {name for name, acts in done.items() if acts} <= {row.partition(" ")[2] for row in COSTLY}


def test_every_form_counts_and_no_page_that_is_read(limited: Site, settings: Settings) -> None:
    client = browser(limited.people["owner"])
    settings.API_RATE = 0
    forms = [row for row in TABLE if not row.startswith("GET ") and " api/" not in row]
    assert {send(client, row, limited.address(row)).status_code for row in forms} == {429}
    assert len(forms) > 40
    for path in ("/bases/", "/ask/", "/audit/", "/status/", f"/bases/{limited.base.pk}/"):
        assert client.get(path).status_code == 200, path
    stranger = Client()
    assert stranger.post("/accounts/login/", {"login": "x@example.org", "password": "x"}).status_code == 200


def test_no_other_request_keeps_anybody_from_stopping(limited: Site, settings: Settings) -> None:
    """Whatever ends work is counted by each process for itself, so that no Stop waits for Redis."""
    stops = [route for route, _ in routes() if route.rstrip("/").endswith("/stop")]
    assert len([route for route in stops if not route.startswith("api/")]) == len(ENDING_WORK)
    client, kept = browser(limited.people["owner"]), cast(Any, cache)
    kept.spare.clear()
    settings.API_RATE = 0
    assert {send(client, f"POST {route}", limited.address(f"POST {route}")).status_code for route in stops} == {429}
    settings.API_RATE = len(stops)
    others = [client.get("/api/v1/me").status_code for _ in range(len(stops) + 1)]
    assert others == [200] * len(stops) + [429]
    codes = [send(client, f"POST {route}", limited.address(f"POST {route}")).status_code for route in stops]
    assert 429 not in codes
    kept.spare.clear()


def test_a_refused_upload_stores_nothing_and_tells_the_script(limited: Site, settings: Settings) -> None:
    settings.API_RATE = 0
    client, count = browser(limited.people["owner"]), Document.objects.count()
    path = f"/bases/{limited.base.pk}/upload/"
    refused = client.post(path, {"files": b"x"}, headers={"Accept": "application/json"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert refused.json()["code"] == "throttled" and "Try again in 60 seconds." in refused.json()["detail"]
    part = client.post(path, headers={"HX-Request": "true"})
    assert part.json()["detail"] == refused.json()["detail"]
    assert Document.objects.count() == count


def test_the_page_says_when_to_come_back_and_keeps_the_question(limited: Site, settings: Settings) -> None:
    settings.ASK_RATE = 0
    client, form_id = browser(limited.people["editor"]), str(uuid.uuid4())
    refused = asked(limited, client, question='What is <b>"due"</b>?', form_id=form_id)
    page = refused.content.decode()
    assert refused.headers["Content-Type"].startswith("text/html")
    assert "0 questions" in page and "Try again in 60 seconds." in page
    kept = {name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)}
    assert kept.pop("csrfmiddlewaretoken")
    assert kept["question"] == 'What is <b>"due"</b>?' and kept["form_id"] == form_id
    settings.ASK_RATE = 60
    assert client.post("/ask/", kept).status_code == 302
    assert Turn.objects.filter(question='What is <b>"due"</b>?').count() == 1


def test_the_page_repeats_no_password(limited: Site, settings: Settings) -> None:
    settings.API_RATE = 0
    client = browser(limited.people["editor"])
    refused = client.post("/accounts/password/change/", {"oldpassword": "quiet-harbour-91", "password1": "canary-91"})
    assert refused.status_code == 429
    assert b"quiet-harbour-91" not in refused.content and b"canary-91" not in refused.content


def test_an_export_leads_back_to_where_it_was(limited: Site, settings: Settings) -> None:
    settings.ASK_RATE = 0
    refused = browser(limited.people["owner"]).get("/audit/export.csv?status=found", headers={"Accept-Language": "fr"})
    page = refused.content.decode()
    assert 'href="/audit/export.csv?status=found"' in page
    assert "Réessayez dans 60 secondes." in page


def test_somebody_signed_out_is_not_counted(db: None, settings: Settings) -> None:
    settings.ASK_RATE = 0
    User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
    assert Client().post("/ask/", {"question": "x"}).status_code == 302
