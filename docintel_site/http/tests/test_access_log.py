"""A line of the log names the route of a request; paths, queries and addresses of ours are nowhere in it."""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any, cast

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.test import RequestFactory

from docintel_site.http.access_log import NO_ROUTE, AccessLog, RouteForPath, route_of
from docintel_site.http.asgi_types import Message, Receive, Scope, Send
from docintel_site.http.log_lines import WithIds
from docintel_site.http.problems import absent, handle
from docintel_site.http.request_id import current_request_id


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/", "/"),
        ("/welcome/secret/", "/welcome/<str:token>/"),
        ("/invitation/secret/", "/invitation/<str:token>/"),
        ("/static/secret.css", "/static/"),
        ("/welcome/secret", NO_ROUTE),
        ("/nowhere/secret/", NO_ROUTE),
        ("//secret", NO_ROUTE),
        ("/healthz", "/healthz"),
        ("/readyz/secret", NO_ROUTE),
        ("/welcome/%0aINFO/", "/welcome/<str:token>/"),
        ("", NO_ROUTE),
    ],
)
def test_it_knows_the_route_of_a_path(path: str, route: str) -> None:
    assert route_of(path) == route


def test_no_route_of_the_site_loses_its_pattern() -> None:
    told = route_of("/accounts/password/reset/key/1-secret/")
    assert told.startswith("/accounts/") and "uidb36" in told and "secret" not in told


def logged(caplog: pytest.LogCaptureFixture, *, fails: bool = False) -> str:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if fails:
            raise ZeroDivisionError
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        return None

    scope = {"type": "http", "method": "GET", "path": "/invitation/secret/", "query_string": b"q=secret"}
    with caplog.at_level(logging.INFO, "docintel_site.http.access_log"):
        asyncio.run(AccessLog(application)(scope, receive, send))
    [record] = caplog.records
    return record.getMessage()


def test_it_logs_method_route_status_and_time(caplog: pytest.LogCaptureFixture) -> None:
    words = logged(caplog).split()
    assert words[:3] == ["GET", "/invitation/<str:token>/", "200"]
    assert words[4:] == ["ms"] and float(words[3]) >= 0


def test_it_logs_a_request_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError):
        logged(caplog, fails=True)
    assert "GET /invitation/<str:token>/ unanswered" in caplog.text


def answered(*sent_ids: bytes) -> tuple[str, str, Mapping[str, Any], str, str]:
    """The id in the header of an answer, in the request, in its problem, on its page and in a line it logs."""
    told: dict[str, Any] = {}

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        told["inside"] = current_request_id()
        problem = handle(PermissionDenied("x"), {})
        assert problem is not None
        told["problem"] = json.loads(problem.content)  # type: ignore[attr-defined]
        told["page"] = absent(RequestFactory().get("/x"), Http404()).content.decode()  # type: ignore[attr-defined]
        record = logging.LogRecord("django.request", logging.ERROR, __file__, 1, "failed", (), None)
        WithIds().filter(record)
        told["line"] = cast(Any, record).ids
        await send({"type": "http.response.start", "status": 404, "headers": [(b"content-type", b"text/plain")]})

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        told["headers"] = message["headers"]

    headers = [(b"x-request-id", each) for each in sent_ids]
    asyncio.run(
        AccessLog(application)({"type": "http", "method": "GET", "path": "/x", "headers": headers}, receive, send)
    )
    [header] = [value.decode() for name, value in told["headers"] if name == b"x-request-id"]
    return header, told["inside"], told["problem"], told["page"], told["line"]


def test_an_answer_its_problem_its_page_and_its_lines_have_one_id() -> None:
    header, inside, problem, page, line = answered()
    assert len(header) == 32 and header == inside == problem["request_id"]
    assert f"<code>{header}</code>" in page and line == f"[{header}] "
    assert answered()[0] != header


def test_the_id_is_never_the_clients() -> None:
    header, _, problem, page, line = answered(b"forged\nINFO", b"forged")
    assert "forged" not in header + str(problem) + page + line


def test_outside_of_a_request_there_is_no_id() -> None:
    assert current_request_id() == ""
    problem = handle(PermissionDenied("x"), {})
    assert problem is not None and b"request_id" not in problem.content  # type: ignore[attr-defined]
    assert b"<code>" not in absent(RequestFactory().get("/x"), Http404()).content  # type: ignore[attr-defined]


def written(message: str, *values: object, request: HttpRequest | None = None) -> str:
    record = logging.LogRecord("django.request", logging.ERROR, __file__, 1, message, values, None)
    if request is not None:
        record.request = request
    assert RouteForPath().filter(record)
    return record.getMessage()


def test_a_record_of_django_names_the_route() -> None:
    request = RequestFactory().get("/invitation/secret\n/?q=secret")
    path = request.path.encode("unicode_escape").decode()
    assert written("%s: %s", "Not Found", path, request=request) == "Not Found: /invitation/<str:token>/"
    refused = "Referer checking failed - https://docs.example/invitation/secret/?q=secret does not match."
    assert written("Forbidden (%s): %s", refused, path, request=request) == (
        "Forbidden (Referer checking failed - https://docs.example/… does not match.): /invitation/<str:token>/"
    )


def test_other_records_are_left_as_they_are() -> None:
    assert written("%s at %s", "Redis", "https://broker.example/x") == "Redis at https://broker.example/x"
    assert written("plain") == "plain"


def test_every_handler_of_the_log_leaves_paths_out() -> None:
    handlers = cast("dict[str, dict[str, list[str]]]", settings.LOGGING["handlers"])
    assert handlers and all({"route", "ids"} <= set(handler["filters"]) for handler in handlers.values())
