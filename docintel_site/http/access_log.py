"""Log one line per request: method, route, status, milliseconds. Paths and queries are never logged.

A path may contain a one-time token, and a query the words of a question; readers of logs must not learn them.
"""

import logging
import re
import time

from django.conf import settings
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from docintel_site.http.asgi_types import Application, Message, Receive, Scope, Send
from docintel_site.http.request_id import HEADER, make_request_id

NO_ROUTE = "(no such address)"
UNANSWERED = "unanswered"  # the status of a request whose client left before there was one
LIVING, READY, METRICS = "/healthz", "/readyz", "/metrics"  # answered in front of Django, which knows nothing of them
URL_PATH = re.compile(r"(https?://[^/\s]+)/\S*")

logger = logging.getLogger(__name__)


class AccessLog:
    """An ASGI application that gives each request its id, and logs it when it is over, for streams at their end."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        began, status, request_id = time.perf_counter(), UNANSWERED, make_request_id()

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, request_id.encode())]}
            await send(message)

        try:
            await self.application(scope, receive, send_noted)
        finally:
            took_ms = (time.perf_counter() - began) * 1000
            logger.info("%s %s %s %.0f ms", scope["method"], route_of(scope["path"]), status, took_ms)


def route_of(path: str) -> str:
    """The route as in `urls.py`, such as `/welcome/<str:token>/`, or a note that there is none."""
    if path.startswith(settings.STATIC_URL):
        return settings.STATIC_URL
    if path in (LIVING, READY, METRICS):
        return path
    try:
        return f"/{resolve(path).route}"
    except Resolver404:
        return NO_ROUTE


class RouteForPath(logging.Filter):
    """A log filter that replaces request paths by routes, and shortens other addresses to the host."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            # As Django formats a path in its records.
            path = request.path.encode("unicode_escape").decode("ascii")
            record.args = tuple(
                route_of(request.path) if value == path else without_paths(value) for value in record.args
            )
        return True


def without_paths(value: object) -> object:
    """A text with addresses cut after the host: a refused referrer may be one of ours."""
    return URL_PATH.sub(r"\1/…", value) if isinstance(value, str) else value
