"""A line of the log names the route of a request; paths, queries and addresses of ours are nowhere in it."""

import asyncio
import logging
from typing import cast

import pytest
from django.conf import settings
from django.http import HttpRequest
from django.test import RequestFactory

from docintel_site.http.access_log import NO_ROUTE, AccessLog, RouteForPath, route_of
from docintel_site.http.asgi_types import Message, Receive, Scope, Send


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
    assert words[4:] == ["ms"] and float(words[3]) < 1000


def test_it_logs_a_request_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError):
        logged(caplog, fails=True)
    assert "GET /invitation/<str:token>/ unanswered" in caplog.text


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
    assert handlers and all("route" in handler["filters"] for handler in handlers.values())
