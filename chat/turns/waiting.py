"""Waiting for a turn to end: the row is the truth, its events only say when to look."""

import time
import uuid
from functools import cache
from typing import Any

import redis
from django.conf import settings
from django.db import close_old_connections

from chat.models import Turn
from chat.stream import BEGINNING, ENDINGS, stream_key

ENDED = (Turn.State.DONE, Turn.State.STOPPED, Turn.State.FAILED)
LOOK_MS = 1000  # between two looks at the row when no event tells of its ending


@cache
def listener() -> "redis.Redis":
    # Protocol 3 would give the reply of XREAD another shape; the timeout has to be longer than the longest block.
    return redis.Redis.from_url(settings.EVENTS_REDIS_URL, decode_responses=True, socket_timeout=5, protocol=2)


def wait_for_end(turn_id: uuid.UUID, patience_s: float) -> bool:
    """Whether the turn has ended within the time."""
    until = time.monotonic() + patience_s
    last_id = BEGINNING
    while not Turn.objects.filter(pk=turn_id, state__in=ENDED).exists():
        left_ms = milliseconds_to(until)
        if left_ms <= 0:
            return False
        close_old_connections()  # a hundred that wait would hold every connection the database has
        last_id = pause(turn_id, last_id, min(left_ms, LOOK_MS))
    return True


def pause(turn_id: uuid.UUID, last_id: str, pause_ms: int) -> str:
    """Sleep until the turn tells of its ending, at most so long; the id of the last event that was heard."""
    until = time.monotonic() + pause_ms / 1000
    while (left_ms := milliseconds_to(until)) > 0:
        try:
            reply: Any = listener().xread({stream_key(turn_id): last_id}, block=left_ms)
        except redis.RedisError:
            time.sleep(left_ms / 1000)  # without Redis only the row tells
            return last_id
        events = [event for _, entries in reply or [] for event in entries]
        last_id = events[-1][0] if events else last_id
        if any(fields["type"] in ENDINGS for _, fields in events):
            return last_id
    return last_id


def milliseconds_to(moment: float) -> int:
    return int(1000 * (moment - time.monotonic()))
