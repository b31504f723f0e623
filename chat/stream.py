"""The events of a turn: entries of a Redis stream, written by the worker and read over SSE (R99).

The row of the turn is the truth. Events only report it: without Redis there is no live progress, and no other loss.
"""

import asyncio
import json
import logging
import re
import time
import uuid
from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple, cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings

EventType = Literal["question", "stage", "candidates", "token", "citation", "done", "error"]
ENDINGS = frozenset({"done", "error"})

ENTRIES_MAX = 20_000  # more than the longest answer at one entry per token; a limit for a model that never stops
KEPT_S = 3600  # a reload within an hour replays the stages; later the page is built from the row alone
PING_MS = 15_000  # proxies close a connection that has been silent for 30 to 60 s
READ_COUNT = 64
CONNECTION_S = 300  # then the browser reconnects and the row is checked: no stream waits for a lost event for ever
BEGINNING = "0"
ENTRY_ID = re.compile(r"\d{1,20}-\d{1,20}")

logger = logging.getLogger(__name__)


class StreamEvent(NamedTuple):
    """One entry; `id` is what the browser sends back as Last-Event-ID."""

    id: str
    type: str
    data: str  # JSON


def stream_key(turn_id: uuid.UUID | str) -> str:
    return f"turn:{turn_id}"


@cache
def writer_client() -> "redis.Redis":
    return redis.Redis.from_url(settings.EVENTS_REDIS_URL, decode_responses=True, socket_timeout=5)


def tell(turn_id: uuid.UUID | str, event: EventType, **data: Any) -> None:
    """Append one event. After the last one the stream expires in an hour. Redis errors are only logged."""
    key = stream_key(turn_id)
    fields = {"type": event, "data": json.dumps(data, ensure_ascii=False)}
    try:
        with writer_client().pipeline(transaction=False) as pipe:
            pipe.xadd(key, cast("Any", fields), maxlen=ENTRIES_MAX, approximate=True)
            pipe.expire(key, KEPT_S)
            pipe.execute()
    except redis.RedisError as error:
        logger.warning("Event %s of turn %s was not told: %s", event, turn_id, error)


def forget(turn_ids: Iterable[uuid.UUID]) -> None:
    """Drop the events of erased turns; if Redis is down, they expire within the hour."""
    keys = [stream_key(turn_id) for turn_id in turn_ids]
    try:
        if keys:
            writer_client().delete(*keys)
    except redis.RedisError as error:
        logger.warning("The events of %s erased turns could not be dropped: %s", len(keys), error)


def last_event_id(header: str) -> str:
    """The id a browser has seen last if it looks like an entry id, else the beginning."""
    return header if ENTRY_ID.fullmatch(header) else BEGINNING


def frame(event: StreamEvent) -> bytes:
    """One server-sent event. The data is JSON and holds no line feed."""
    head = f"id: {event.id}\n" if event.id else ""
    return f"{head}event: {event.type}\ndata: {event.data}\n\n".encode()


# An asyncio client belongs to its event loop; a server has one loop, so one client per process.
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, "redis.asyncio.Redis"] = WeakKeyDictionary()


def reader_client() -> "redis.asyncio.Redis":
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        # XREAD blocks longer than any ordinary socket timeout; with protocol 3 its reply has another shape.
        _clients[loop] = redis.asyncio.Redis.from_url(
            settings.EVENTS_REDIS_URL, decode_responses=True, socket_timeout=None, protocol=2
        )
    return _clients[loop]


async def follow(turn_id: uuid.UUID | str, last_id: str, *, is_ended: bool) -> AsyncIterator[bytes]:
    """The frames of a turn after `last_id`, up to its last one; a ping whenever nothing happens.

    `is_ended`: the row has ended, so remaining events are replayed, and a missing last one is added.
    """
    yield b"retry: 1500\n\n"
    until = time.monotonic() + CONNECTION_S
    try:
        while time.monotonic() < until:
            events = await read_events(turn_id, last_id, block_ms=None if is_ended else PING_MS)
            for event in events:
                last_id = event.id
                yield frame(event)
                if event.type in ENDINGS:
                    return
            if not events:
                if is_ended:
                    yield frame(StreamEvent("", "done", "{}"))
                    return
                yield b": ping\n\n"
    except redis.RedisError as error:
        # The browser reconnects by itself, and the view checks the row again.
        logger.warning("The events of turn %s cannot be read: %s", turn_id, error)
        if is_ended:
            yield frame(StreamEvent("", "done", "{}"))


async def read_events(turn_id: uuid.UUID | str, last_id: str, *, block_ms: int | None) -> list[StreamEvent]:
    """The next entries after `last_id`, waiting up to `block_ms` for the first."""
    key = stream_key(turn_id)
    reply: Any = await reader_client().xread({key: last_id}, count=READ_COUNT, block=block_ms)
    return [
        StreamEvent(entry_id, fields["type"], fields["data"])
        for _, entries in reply or []
        for entry_id, fields in entries
    ]
