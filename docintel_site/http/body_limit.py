"""Refuses a body that is too large or too slow while it arrives: Django would first write all of it to disk.

What is refused is answered at once and the connection closed. Nothing is read to its end, because its sender decides
where that is.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from django.core.handlers.asgi import ASGIRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from docintel_site.http.asgi_types import Application, Message, Receive, Scope, Send
from docintel_site.http.problems import MEDIA_TYPE, problem, wants_json

GRACE_S = 20.0  # for a body of any size, a slow start and a busy server included
SLOWEST_BYTES_S = 4_000  # on the average after that: less than any line people upload over
LINGER_S = 1.0  # a sender that is cut off at once may lose the answer; this long its bytes are thrown away
GONE: Message = {"type": "http.disconnect"}
POLICY = b"default-src 'none'; style-src 'self'"


class Allowance(NamedTuple):
    """How many bytes a request may carry, and what its sender is told who sends more."""

    limit_bytes: int
    words: str | Promise


class Refusal(NamedTuple):
    """The answer to a body that is not taken."""

    status: HTTPStatus
    code: str
    heading: str | Promise
    words: str | Promise


class BodyLimit:
    """An ASGI application that passes requests on as long as their bodies are small enough and keep arriving.

    Every request may carry `limit_bytes`. For one that carries more, `allowance` says how much it may; it is asked as
    soon as that shows and before anything more is read.
    """

    def __init__(
        self, application: Application, limit_bytes: int, allowance: Callable[[Scope], Awaitable[Allowance]]
    ) -> None:
        self.application = application
        self.limit_bytes = limit_bytes
        self.allowance = allowance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        body = IncomingBody(scope, receive, self.limit_bytes, self.allowance)
        if await body.may_have(read_content_length(scope)):
            await self.application(scope, body.receive, send)
        if body.refusal:
            await send_refusal(scope, receive, send, body.refusal)


class IncomingBody:
    """The body of one request; once it is refused, the application is told that the sender is gone."""

    def __init__(
        self, scope: Scope, receive: Receive, limit_bytes: int, allowance: Callable[[Scope], Awaitable[Allowance]]
    ) -> None:
        self.scope = scope
        self.arriving = receive
        self.limit_bytes = limit_bytes
        self.allowance = allowance
        self.clock = asyncio.get_running_loop().time
        self.began = self.clock()
        self.received = 0
        self.is_whole = False
        self.refusal: Refusal | None = None

    async def receive(self) -> Message:
        """The next piece. The announced length may be missing or a lie, so the bytes themselves are counted."""
        if self.is_whole:
            return await self.arriving()
        try:
            async with asyncio.timeout(self.left_s()):
                message = await self.arriving()
        except TimeoutError:
            self.refusal = too_slow()
            return GONE
        self.is_whole = not message.get("more_body", False)
        self.received += len(message.get("body", b""))
        return message if await self.may_have(self.received) else GONE

    def left_s(self) -> float:
        """The seconds in which the next piece has to be here."""
        return self.began + GRACE_S + self.received / SLOWEST_BYTES_S - self.clock()

    async def may_have(self, size: int) -> bool:
        """Whether a body of this size is taken; else it is refused from now on."""
        if size > self.limit_bytes:
            self.limit_bytes, words = await self.allowance(self.scope)
            if size > self.limit_bytes:
                self.refusal = size_refusal(words)
        return self.refusal is None


def read_content_length(scope: Scope) -> int:
    """The Content-Length of a request, 0 when there is none."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


def size_refusal(words: str | Promise) -> Refusal:
    heading = gettext_lazy("That is too much at once")
    return Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", heading, words)


def too_slow() -> Refusal:
    heading = gettext_lazy("That took too long to arrive")
    words = gettext_lazy("Nothing was stored. Send it again over a faster line, or in smaller parts.")
    return Refusal(HTTPStatus.REQUEST_TIMEOUT, "too_slow", heading, words)


async def send_refusal(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    """Answer, and close the connection a moment later, whatever is still on its way."""
    media_type, body = answer(scope, refusal)
    headers = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"content-security-policy", POLICY),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_S):
            while (await receive()).get("more_body"):
                pass
    await send({"type": "http.response.body", "body": b""})


def answer(scope: Scope, refusal: Refusal) -> tuple[str, bytes]:
    """Media type and body: a page for people in their language, a problem for programs."""
    request = ASGIRequest({**scope, "query_string": b""}, io.BytesIO())
    with translation.override(translation.get_language_from_request(request)):
        if wants_json(request):
            return MEDIA_TYPE, problem(refusal.status, refusal.code, str(refusal.words)).content
        page = render_to_string("refused.html", {"heading": refusal.heading, "words": refusal.words})
        return "text/html; charset=utf-8", page.encode()
