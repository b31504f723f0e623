"""A body that is too large is refused while it arrives, whatever its announced length says."""

import asyncio
import json
from collections.abc import Iterable
from http import HTTPStatus

import pytest

from docintel_site.asgi_types import Message, Receive, Scope, Send
from docintel_site.body_limit import BodyLimit
from docintel_site.problems import problem

LIMIT = 1_000_000


async def echo_size(scope: Scope, receive: Receive, send: Send) -> None:
    """Like Django: the whole body first, then the answer."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def answer_to(pieces: Iterable[bytes], headers: list[tuple[bytes, bytes]], path: str = "/") -> tuple[int, bytes]:
    sent: list[Message] = []
    arriving = iter([*({"type": "http.request", "body": piece, "more_body": True} for piece in pieces)])
    last = {"type": "http.request", "body": b"", "more_body": False}

    async def receive() -> Message:
        return next(arriving, last)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(BodyLimit(echo_size, LIMIT)({"type": "http", "path": path, "headers": headers}, receive, send))
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("size", "headers", "status"),
    [
        (LIMIT, [], 200),
        (LIMIT, [(b"content-length", b"1000000")], 200),
        (LIMIT + 1, [], 413),
        (LIMIT + 1, [(b"content-length", b"10")], 413),
        (LIMIT + 1, [(b"content-length", b"1000001")], 413),
        (5, [(b"content-length", b"99999999999")], 413),
        (5, [(b"content-length", b"-1")], 200),
    ],
)
def test_it_counts_what_arrives(size: int, headers: list[tuple[bytes, bytes]], status: int) -> None:
    pieces = [b"x" * 1000] * (size // 1000) + [b"x" * (size % 1000)]
    told, body = answer_to(pieces, headers)
    assert told == status
    assert body == str(size).encode() if status == 200 else b"at most 1 MB" in body


def test_it_tells_a_program_in_the_form_of_every_problem() -> None:
    status, body = answer_to([b"x"] * 2, [(b"content-length", b"1000001")], "/api/v1/bases")
    as_answered = json.loads(problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "x").content)
    assert (status, json.loads(body) | {"detail": "x"}) == (413, as_answered)
    assert "at most 1 MB" in json.loads(body)["detail"]
