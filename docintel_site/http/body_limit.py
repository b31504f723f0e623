"""Refuse too large or too slow bodies while they arrive; Django would first write all of it to disk.

A refused request is answered at once and its connection closed. It is not read to its end, which only the sender
decides.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from docintel_site.http.asgi_types import Application, Message, Receive, Scope, Send
from docintel_site.http.headers import BARE_HEADERS
from docintel_site.http.problems import MEDIA_TYPE, problem, wants_json
from documents.storage.whole import RETRY_AFTER_S, says_full

GRACE_S = 20.0  # times the patience of the settings, for any body, including a slow start and a busy server
SLOWEST_BYTES_S = 4_000  # the average required after that: less than any upload line has
LINGER_S = 1.0  # how long a refused sender's bytes are discarded, so that it can read the answer
GONE: Message = {"type": "http.disconnect"}
POLICY = b"default-src 'none'; style-src 'self'"


class Allowance(NamedTuple):
    """How many bytes a request may have, and the message for a sender who exceeds it."""

    limit_bytes: int
    words: str | Promise


class Refusal(NamedTuple):
    """The response to a refused body."""

    status: HTTPStatus
    code: str
    heading: str | Promise
    words: str | Promise


TOO_MUCH = gettext_lazy("That is too much at once")
TOO_SLOW = Refusal(
    HTTPStatus.REQUEST_TIMEOUT,
    "too_slow",
    gettext_lazy("That took too long to arrive"),
    gettext_lazy("Nothing was stored. Send it again over a faster line, or in smaller parts."),
)
NO_ROOM = Refusal(
    HTTPStatus.INSUFFICIENT_STORAGE,
    "storage_full",
    gettext_lazy("There is no room at the moment"),
    gettext_lazy("Nothing was stored. Tell an administrator that the disk is full, and send it again later."),
)


@dataclass(frozen=True)
class BodyLimit:
    """An ASGI application that passes requests on while their bodies stay small enough and keep arriving.

    Every request may have `limit_bytes`. If one has more, `allowance` is asked for its limit, as soon as that is known
    and before more is read.
    """

    application: Application
    limit_bytes: int
    allowance: Callable[[Scope], Awaitable[Allowance]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        body = IncomingBody(scope, receive, self.limit_bytes, self.allowance)
        is_answered = False

        async def send_noted(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        if await body.may_have(read_content_length(scope)):
            try:
                await self.application(scope, body.receive, send_noted)
            except OSError as error:  # Django keeps a large body on the disk, before any page is asked
                if is_answered or not says_full(error):
                    raise
                body.refusal = NO_ROOM
        if body.refusal:
            await send_refusal(scope, receive, send, body.refusal)


@dataclass
class IncomingBody:
    """The body of one request; once refused, the application is told that the client disconnected."""

    scope: Scope
    arriving: Receive
    limit_bytes: int
    allowance: Callable[[Scope], Awaitable[Allowance]]
    received: int = 0
    is_whole: bool = False
    refusal: Refusal | None = None

    def __post_init__(self) -> None:
        self.clock = asyncio.get_running_loop().time
        self.began = self.clock()

    async def receive(self) -> Message:
        """The next chunk. The announced length may be missing or false, so actual bytes are counted."""
        if self.is_whole:
            return await self.arriving()
        try:
            async with asyncio.timeout(self.left_s()):
                message = await self.arriving()
        except TimeoutError:
            self.refusal = TOO_SLOW
            return GONE
        self.is_whole = not message.get("more_body", False)
        self.received += len(message.get("body", b""))
        return message if await self.may_have(self.received) else GONE

    def left_s(self) -> float:
        """Seconds until the next chunk must have arrived."""
        return self.began + GRACE_S * settings.PATIENCE + self.received / SLOWEST_BYTES_S - self.clock()

    async def may_have(self, size: int) -> bool:
        """Whether a body of this size is accepted; if not, it is refused from now on."""
        if size > self.limit_bytes:
            self.limit_bytes, words = await self.allowance(self.scope)
            if size > self.limit_bytes:
                self.refusal = Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", TOO_MUCH, words)
        return self.refusal is None


def read_content_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def send_refusal(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    """Send the refusal, and close the connection a moment later, whatever is still arriving."""
    media_type, body = answer(scope, refusal)
    headers = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"content-security-policy", POLICY),
        *BARE_HEADERS,
    ]
    if refusal.status == HTTPStatus.INSUFFICIENT_STORAGE:
        headers.append((b"retry-after", str(RETRY_AFTER_S).encode()))
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_S):
            while (await receive()).get("more_body"):
                pass
    await send({"type": "http.response.body", "body": b""})


def answer(scope: Scope, refusal: Refusal) -> tuple[str, bytes]:
    """Media type and body of the refusal: a page in the reader's language, or a problem for API clients."""
    request = ASGIRequest({**scope, "query_string": b""}, io.BytesIO())
    with translation.override(translation.get_language_from_request(request)):
        if wants_json(request):
            return MEDIA_TYPE, problem(refusal.status, refusal.code, str(refusal.words)).content
        page = render_to_string("refused.html", {"heading": refusal.heading, "words": refusal.words})
        return "text/html; charset=utf-8", page.encode()
