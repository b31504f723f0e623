"""One line in the log for each request: method, route, status, milliseconds. Its path and query are never logged.

A path may hold a token that works once, and a query the words of a question: who reads a log must not learn them.
"""

import logging
import re
import time

from django.conf import settings
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from docintel_site.http.asgi_types import Application, Message, Receive, Scope, Send

NO_ROUTE = "(no such address)"
URL_PATH = re.compile(r"(https?://[^/\s]+)/\S*")

logger = logging.getLogger(__name__)


class AccessLog:
    """An ASGI application that logs each request once it is over; a stream is over when it has ended."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        began, status = time.perf_counter(), "unanswered"

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self.application(scope, receive, send_noted)
        finally:
            took_ms = (time.perf_counter() - began) * 1000
            logger.info("%s %s %s %.0f ms", scope["method"], route_of(scope["path"]), status, took_ms)


def route_of(path: str) -> str:
    """The address as `urls.py` writes it, such as `/welcome/<str:token>/`, or that there is none."""
    if path.startswith(settings.STATIC_URL):
        return settings.STATIC_URL
    try:
        return f"/{resolve(path).route}"
    except Resolver404:
        return NO_ROUTE


class RouteForPath(logging.Filter):
    """Puts the route where Django names the path of a request, and leaves of other addresses only the host."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            # As Django writes a path into its records.
            path = request.path.encode("unicode_escape").decode("ascii")
            record.args = tuple(
                route_of(request.path) if value == path else without_paths(value) for value in record.args
            )
        return True


def without_paths(value: object) -> object:
    """A text with its addresses cut after the host: a refused referrer is an address of ours like any other."""
    return URL_PATH.sub(r"\1/…", value) if isinstance(value, str) else value
