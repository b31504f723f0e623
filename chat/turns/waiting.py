"""Wait for a turn, a retrieval or an extraction to end. The row is the truth; events only say when to check it."""

import time
import uuid
from typing import Any

import redis
from django.db import close_old_connections
from django.http import Http404

from chat.followers import Follower
from chat.models import Extraction, Retrieval, Turn
from chat.stream import BEGINNING, ENDINGS, LOOK_S, shared_client, stream_key
from jobs import silence

ENDED = (Turn.State.DONE, Turn.State.STOPPED, Turn.State.FAILED)
LOOK_MS = 1000  # between two checks of the row without an event; whether the reader may go on is asked every LOOK_S


def wait_for_end(job: Turn | Retrieval | Extraction, patience_s: float, follower: Follower) -> bool:
    """Whether the job has ended within the time. Raises Http404 for a reader who meanwhile lost access."""
    rows = type(job)._default_manager.filter(pk=job.pk, state__in=ENDED)
    until = time.monotonic() + patience_s
    look_at = time.monotonic() + LOOK_S
    last_id = BEGINNING
    while not rows.exists():
        left_ms = milliseconds_to(until)
        if left_ms <= 0:
            return False
        if time.monotonic() >= look_at:
            if not follower.may_read(type(job), job.pk):
                raise Http404("This is no longer open to you.")
            look_at = time.monotonic() + LOOK_S
        close_old_connections()  # a hundred waiting clients would hold every database connection
        last_id = pause(job.pk, last_id, min(left_ms, LOOK_MS))
    return True


def pause(job_id: uuid.UUID, last_id: str, pause_ms: int) -> str:
    """Sleep until the job reports its end, or `pause_ms` have passed; return the last event id."""
    until = time.monotonic() + pause_ms / 1000
    while (left_ms := milliseconds_to(until)) > 0:
        if silence.lasts():  # only the row can tell
            time.sleep(left_ms / 1000)
            return last_id
        try:
            reply: Any = shared_client().xread({stream_key(job_id): last_id}, block=left_ms)
        except redis.RedisError as error:
            silence.note(error)
            time.sleep(max(0, milliseconds_to(until)) / 1000)
            return last_id
        events = [event for _, entries in reply or [] for event in entries]
        last_id = events[-1][0] if events else last_id
        if any(fields["type"] in ENDINGS for _, fields in events):
            return last_id
    return last_id


def milliseconds_to(moment: float) -> int:
    return int(1000 * (moment - time.monotonic()))
