"""The lease of what people may stop, a turn or fields, which also polls for that, and how long each may take."""

import threading
import time
from collections.abc import Callable
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

from chat.models import Turn
from chat.turns.waiting import ENDED
from jobs.lease import Lease, LeaseLost, TookTooLong, renew_every_s
from jobs.models import StoppableJob

STOP_POLL_S = 0.5  # a slower stop button feels broken
STOP_WAIT_S = 2 * settings.PATIENCE  # a beat holds the row for milliseconds, storing fifty fields for a minute
STOP_LIMIT_S = 1.5 * settings.PATIENCE  # after Stop was seen, whatever is awaited, unless there is an answer to store
SPARE_S = int(300 * settings.PATIENCE)  # loading, detecting and storing take seconds, a minute on the largest base
FULL_SEARCH_S = int(3600 * settings.PATIENCE)  # 10,000 documents of ten pages take ten minutes

Stoppable = TypeVar("Stoppable", bound=StoppableJob)


def answer_limit_s() -> int:
    """More than the sum of all inner deadlines, so that only what hangs is ended."""
    return int(2 * settings.ARBITER_DEADLINE_S + settings.ANSWER_DEADLINE_S + SPARE_S)


def extraction_limit_s() -> int:
    """Of up to fifty fields, each with a search of its own, together."""
    return answer_limit_s() + FULL_SEARCH_S


def limit_of(job: StoppableJob) -> float:
    if isinstance(job, Turn):
        return answer_limit_s() + FULL_SEARCH_S * job.is_full_search
    return extraction_limit_s()


def request_stop(job: StoppableJob) -> bool:
    """Ask the worker to stop; what it has found so far is kept. Return whether there was something left to stop.

    What has ended stays as it is, and so does what is being stored, which holds the row as long as that takes.
    """
    rows = type(job)._default_manager.filter(pk=job.pk).exclude(state__in=ENDED)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{1000 * STOP_WAIT_S:.0f}ms"])
            return bool(rows.update(stop_requested=True))
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        return False


class StoppableLease(Lease[Stoppable]):
    """Keeps a claimed job alive during the block, and knows whether it was stopped or taken over."""

    def __init__(self, job: Stoppable, end_late: Callable[[Any, TookTooLong], object] | None = None) -> None:
        super().__init__(job, limit_of(job), end_late)
        self._stop_requested = threading.Event()
        self._lost = threading.Event()
        self._is_written = False
        self._renewed_at = time.monotonic()

    def __enter__(self) -> Self:
        self.look()
        return super().__enter__()

    def stop_requested(self) -> bool:
        return self._stop_requested.is_set()

    def check(self) -> None:
        """Raise LeaseLost when another worker has the job."""
        if self._lost.is_set():
            raise LeaseLost(f"Job {self.job.pk} was taken over by another worker.")

    def look(self) -> None:
        stop_requested = self.rows().values_list("stop_requested", flat=True).first()
        if stop_requested is None:
            self._lost.set()
        elif stop_requested and not self._stop_requested.is_set():
            self._stop_requested.set()
            self._limit_s = min(self._limit_s, time.monotonic() - self._began + STOP_LIMIT_S)
            if self._is_written:  # asked last: the answer may be written while this is read
                self._limit_s = limit_of(self.job)

    def allow_storing(self) -> None:
        """Give what is written the usual time to be stored, whether Stop was pressed or will be."""
        self._is_written = True
        self._limit_s = limit_of(self.job)

    def beat_every_s(self) -> float:
        return STOP_POLL_S

    def beat(self) -> None:
        self.look()
        if time.monotonic() - self._renewed_at >= renew_every_s():
            self.renew()
            self._renewed_at = time.monotonic()
