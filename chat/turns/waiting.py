"""Wait for a turn or a retrieval to end. The row is the truth; events only say when to check it."""

import time
import uuid
from functools import cache
from typing import Any

import redis
from django.conf import settings
from django.db import close_old_connections

from chat.models import Retrieval, Turn
from chat.stream import BEGINNING, ENDINGS, stream_key

ENDED = (Turn.State.DONE, Turn.State.STOPPED, Turn.State.FAILED)
LOOK_MS = 1000  # between two checks of the row without an event


@cache
def listener() -> "redis.Redis":
    # With protocol 3 XREAD's reply has another shape; the timeout must exceed the longest block.
    return redis.Redis.from_url(settings.EVENTS_REDIS_URL, decode_responses=True, socket_timeout=5, protocol=2)


def wait_for_end(job: Turn | Retrieval, patience_s: float) -> bool:
    """Whether the job has ended within the time."""
    rows = type(job)._default_manager.filter(pk=job.pk, state__in=ENDED)
    until = time.monotonic() + patience_s
    last_id = BEGINNING
    while not rows.exists():
        left_ms = milliseconds_to(until)
        if left_ms <= 0:
            return False
        close_old_connections()  # a hundred waiting clients would hold every database connection
        last_id = pause(job.pk, last_id, min(left_ms, LOOK_MS))
    return True


def pause(job_id: uuid.UUID, last_id: str, pause_ms: int) -> str:
    """Sleep until the job reports its end, or `pause_ms` have passed; return the last event id."""
    until = time.monotonic() + pause_ms / 1000
    while (left_ms := milliseconds_to(until)) > 0:
        try:
            reply: Any = listener().xread({stream_key(job_id): last_id}, block=left_ms)
        except redis.RedisError:
            time.sleep(left_ms / 1000)  # without Redis only the row can tell
            return last_id
        events = [event for _, entries in reply or [] for event in entries]
        last_id = events[-1][0] if events else last_id
        if any(fields["type"] in ENDINGS for _, fields in events):
            return last_id
    return last_id


def milliseconds_to(moment: float) -> int:
    return int(1000 * (moment - time.monotonic()))
