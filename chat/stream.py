"""The events of a turn: entries of a Redis stream, written by the worker and read over SSE (R99).

The row of the turn is the truth. Events only report it: without Redis there is no live progress, and no other loss.
They are numbered, and a browser that lost its connection resumes by `Last-Event-ID`.
"""

import asyncio
import json
import logging
import re
import threading
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Literal, NamedTuple, cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings
from django.db import Error as DatabaseError

from jobs import silence

EventType = Literal["question", "stage", "candidates", "token", "citation", "done", "error"]
ENDINGS = frozenset({"done", "error"})

ENTRIES_MAX = 20_000  # more than the longest answer at one entry per token; a limit for a model that never stops
KEPT_S = 3600  # a reload within an hour replays the stages; later the page is built from the row alone
LOOK_S = 15  # between two looks whether the reader may still read; twice that is promised (W5)
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


_shared: list["redis.Redis"] = []
_lock = threading.Lock()


def shared_client() -> "redis.Redis":
    """The client of all threads of this process, made at its first use.

    It must be made only once: a second one that nobody keeps closes its connections when it is collected, also under
    the thread that is still using one of them.
    """
    with _lock:
        if not _shared:
            # With protocol 3 XREAD's reply has another shape.
            options = {"retry": settings.REDIS_RETRY, **settings.REDIS_TIMEOUTS}
            _shared.append(
                redis.Redis.from_url(settings.EVENTS_REDIS_URL, decode_responses=True, protocol=2, **options)
            )
        return _shared[0]


_untold: set[str] = set()  # turns that were said to go untold, until their last event


def publish_event(turn_id: uuid.UUID | str, event: EventType, **data: Any) -> None:
    """Append one event. After the last one the stream expires in an hour.

    No turn ends by what happens here: an error is only logged, once a turn. Without the last event its readers would
    wait on in vain, so that one is told as soon as Redis answers.
    """
    again = partial(publish_event, turn_id, event, **data) if event in ENDINGS else None
    if silence.lasts():
        if again:
            silence.owe(again)
        return
    key = stream_key(turn_id)
    try:
        fields = {"type": event, "data": json.dumps(data, ensure_ascii=False)}
        with shared_client().pipeline(transaction=False) as pipe:
            pipe.xadd(key, cast("Any", fields), maxlen=ENTRIES_MAX, approximate=True)
            pipe.expire(key, KEPT_S)
            pipe.execute()
    except Exception as error:  # noqa: BLE001  # of Redis or of ours: progress is told, or it is not
        silence.note(error, again)
        if key not in _untold:
            logger.warning("Event %s of turn %s was not told, nor may the next ones be: %s", event, turn_id, error)
            _untold.add(key)
    if event in ENDINGS:
        _untold.discard(key)


def forget(turn_ids: Iterable[uuid.UUID]) -> None:
    """Drop the events of erased turns; if Redis is down, they expire within the hour."""
    keys = [stream_key(turn_id) for turn_id in turn_ids]
    try:
        if keys:
            shared_client().delete(*keys)
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
        # The timeout must exceed the longest block of XREAD; with protocol 3 its reply has another shape.
        timeouts: dict[str, Any] = dict(settings.REDIS_TIMEOUTS)
        timeouts["socket_timeout"] += PING_MS / 1000
        _clients[loop] = redis.asyncio.Redis.from_url(
            settings.EVENTS_REDIS_URL, decode_responses=True, protocol=2, **timeouts
        )
    return _clients[loop]


REFUSED = frame(StreamEvent("", "error", json.dumps({"message": "This is no longer open to you."})))


async def follow(
    turn_id: uuid.UUID | str,
    last_id: str,
    *,
    is_ended: bool,
    may_go_on: Callable[[], Awaitable[bool]],
    say: Callable[[StreamEvent], StreamEvent] = lambda event: event,
) -> AsyncGenerator[bytes]:
    """The frames of a turn after `last_id`, up to its last one; a ping whenever nothing happens.

    `is_ended`: the row has ended, so remaining events are replayed, and a missing last one is added.
    `say` puts an event in the reader's words: who tells it has no reader.
    `may_go_on` is asked by the clock, as words may come without a pause; when it says no, REFUSED is the last frame.
    """
    yield b"retry: 1500\n\n"
    until = time.monotonic() + CONNECTION_S
    look_at = time.monotonic() + LOOK_S
    try:
        while time.monotonic() < until:
            if time.monotonic() >= look_at:
                if not await may_go_on():
                    yield REFUSED
                    return
                look_at = time.monotonic() + LOOK_S
            wait_ms = max(1, min(PING_MS, int(1000 * (look_at - time.monotonic()))))
            events = await read_events(turn_id, last_id, block_ms=None if is_ended else wait_ms)
            for event in events:
                last_id = event.id
                yield frame(say(event))
                if event.type in ENDINGS:
                    return
            if not events:
                if is_ended:
                    yield frame(StreamEvent("", "done", "{}"))
                    return
                yield b": ping\n\n"
    except DatabaseError as error:
        # Nobody can say whether the reader still may. The browser comes back by itself.
        logger.warning("The reader of turn %s cannot be checked: %s", turn_id, error)
    except redis.RedisError as error:
        # The browser reconnects by itself, and the view checks the row again.
        logger.warning("The events of turn %s cannot be read: %s", turn_id, error)
        if is_ended:
            yield frame(StreamEvent("", "done", "{}"))


async def read_events(turn_id: uuid.UUID | str, last_id: str, *, block_ms: int | None) -> list[StreamEvent]:
    """The next entries after `last_id`, waiting up to `block_ms` for the first.

    Raises CancelledError also where the client lost it: it sends with `asyncio.wait_for`, which before Python 3.12
    swallows a cancelling that comes as the sending ends (python/cpython#86296). The stream of a reader who left would
    go on for `CONNECTION_S`, and keep its place.
    """
    key = stream_key(turn_id)
    reply: Any = await reader_client().xread({key: last_id}, count=READ_COUNT, block=block_ms)
    if (task := asyncio.current_task()) and task.cancelling():
        raise asyncio.CancelledError
    return [
        StreamEvent(entry_id, fields["type"], fields["data"])
        for _, entries in reply or []
        for entry_id, fields in entries
    ]
