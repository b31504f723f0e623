"""The lease of a job: one worker at a time holds it, in the job's own row, and renews it by a heartbeat.

A task that arrives twice finds the lease taken (T3). A worker that dies stops renewing it, and the sweeper passes
the job on (T1). The broker may lose every message: the row is the truth (T5). Work under a lease with a limit is ended
by the heartbeat once it takes longer, whatever its thread waits for: a pool of threads can end none of them. A lease
without one is renewed for as long as the worker lives, so such work ends by limits of its own or with its worker: the
readings of files, and the check of the ledger.

Used for readings, turns, retrievals, fields, tests of a model, judging again and checks of the ledger. The sweeper
hands a job on three times at most; a worker that is told to stop gives back what it cannot finish in time, and no
attempt is counted.
"""

import logging
import math
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import copy_context
from datetime import timedelta
from functools import reduce
from operator import or_
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import DatabaseError, Error, connection, connections, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from jobs.ids import noted_ids
from jobs.models import LeasedJob

logger = logging.getLogger(__name__)

HEARTBEATS_PER_LEASE = 4  # three may fail before a living worker is considered dead
WAIT_FOR_ROW_S = 10.0 * settings.PATIENCE  # a heartbeat, for a row that its own block may have locked
CUT_EVERY_S = 5.0
# Of a thread whose job was ended because it took too long; detectors, which wait for no database, end by themselves.
LEAVE_WITHIN_S = max(30.0 * settings.PATIENCE, settings.DETECTION_DEADLINE_S + 10.0)

Job = TypeVar("Job", bound=LeasedJob)


class LeaseLost(Exception):
    """Another worker has the job, or it is gone; nothing more may be written for it."""


class TookTooLong(Exception):
    """A job was not done within its limit, whatever it waited for."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"It was not done within {seconds:.0f} s.")
        self.seconds = seconds


def is_expired(leases: int = 1) -> Q:
    """Jobs whose worker has been silent for that many lease lengths."""
    oldest = Now() - timedelta(seconds=leases * settings.LEASE_S)
    return Q(state=LeasedJob.RUNNING) & (Q(heartbeat_at__lt=oldest) | Q(heartbeat_at=None))


def is_free() -> Q:
    """Unfinished jobs nobody works on."""
    return Q(state=LeasedJob.QUEUED) | is_expired()


def is_exhausted() -> Q:
    """Free jobs that had their last attempt; whoever finds one must end it."""
    return is_free() & Q(attempts__gte=settings.ATTEMPTS_MAX)


def renew_every_s() -> float:
    return float(settings.LEASE_S / HEARTBEATS_PER_LEASE)


def owner_prefix(pid: int) -> str:
    """What the names of all claims of a process of this host begin with."""
    return f"{socket.gethostname()[:40]}:{pid}:"


def new_owner() -> str:
    """A unique name for a claim: host and process for people, the rest for uniqueness."""
    return owner_prefix(os.getpid()) + uuid4().hex[:12]


def claim(jobs: "QuerySet[Job]", job_id: UUID | str, **fields: Any) -> Job | None:
    """Take the job of that key for a `Lease` if it is in `jobs`, free and has attempts left, else return None.

    `fields` are written with the claim; the returned row includes them and whatever the query selects.
    """
    owner = new_owner()
    free = jobs.filter(is_free(), pk=job_id, attempts__lt=settings.ATTEMPTS_MAX)
    # One conditional UPDATE: for a second claimant PostgreSQL checks the condition again.
    claimed = free.update(
        state=LeasedJob.RUNNING, lease_owner=owner, heartbeat_at=Now(), attempts=F("attempts") + 1, **fields
    )
    # Its owner may delete the row at any time.
    return jobs.filter(pk=job_id, lease_owner=owner).first() if claimed else None


def write_outcome(row: LeasedJob, state: str, **fields: Any) -> None:
    """Write the outcome to the locked row and release it."""
    values = {"state": state, "ended_at": timezone.now(), "lease_owner": "", **fields}
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))


def end_in_vain(lease: "Lease[Job]", end: Callable[[Job], None]) -> None:
    """Have `end` write why nothing came of a job. If the database is down, leave it to the sweeper."""
    try:
        with transaction.atomic():
            end(lease.hold())
    except (DatabaseError, LeaseLost) as error:
        logger.error("The failure of %s could not be recorded: %s", lease.job.pk, error)


def give_up(jobs: type[Job], end: Callable[[Job], None], then: Callable[[Job], None] | None = None) -> None:
    """End each job of a kind whose last attempt died with its worker; `then` tells of it once that is committed."""
    for job_id in list(jobs._default_manager.filter(is_exhausted()).values_list("pk", flat=True)):
        with transaction.atomic():
            rows = jobs._default_manager.select_for_update(of=("self",))
            row = rows.filter(is_exhausted(), pk=job_id).first()
            if row is None:
                continue
            end(row)
        if then:
            then(row)


def give_back(jobs: "QuerySet[Job]", pids: Iterable[int]) -> int:
    """Release what these processes of this host hold, as if they had not tried it; the next sweep passes it on."""
    held = [Q(lease_owner__startswith=owner_prefix(pid)) for pid in pids]
    long_ago = Now() - timedelta(seconds=settings.SWEEP_EVERY_S)
    return jobs.filter(reduce(or_, held), state=LeasedJob.RUNNING).update(
        state=LeasedJob.QUEUED, lease_owner="", heartbeat_at=long_ago, attempts=F("attempts") - 1
    )


class Lease(Generic[Job]):
    """The right to work on a claimed job: a context manager that renews it during the block, up to a limit.

    Past `limit_s` seconds `end_late` is called in the thread of the heartbeat, to end the job with that reason. Then
    the block's connection to the database is cut, which is what it may be waiting for; if it goes on all the same,
    `on_stuck` is called.
    """

    on_stuck: Callable[[], None] | None = None  # a worker's way to be replaced, see docintel_site.celery

    def __init__(
        self, job: Job, limit_s: float = math.inf, end_late: Callable[[Any, TookTooLong], object] | None = None
    ) -> None:
        self.job = job
        self.owner = job.lease_owner
        self._limit_s, self._end_late, self._began = limit_s, end_late, time.monotonic()
        self._ended = threading.Event()
        self._noted = noted_ids(**{job.ID_NAME: job.pk})

    def rows(self) -> "QuerySet[Job]":
        """The job's row while this lease holds it, else none."""
        jobs: QuerySet[Job] = type(self.job)._default_manager.all()
        return jobs.filter(pk=self.job.pk, lease_owner=self.owner, state=LeasedJob.RUNNING)

    def hold(self) -> Job:
        """Lock the job's row until the end of the transaction. Raises LeaseLost."""
        job = self.rows().select_for_update().first()
        if job is None:
            raise LeaseLost(f"Job {self.job.pk} was taken over by another worker or is gone.")
        return job

    def renew(self) -> None:
        self.rows().update(heartbeat_at=Now())

    def end(self, **fields: Any) -> None:
        """Write the outcome and release the job; nothing is written if another worker has it."""
        self.rows().update(lease_owner="", heartbeat_at=Now(), **fields)

    def __enter__(self) -> Self:
        self._noted.__enter__()
        self._used = connections["default"]
        self._heart = threading.Thread(
            target=copy_context().run, args=(self._beat,), name=f"heartbeat-{self.job.pk}", daemon=True
        )
        self._heart.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ended.set()
        self._heart.join()
        logger.info("%s left after %.1f s", self.job._meta.verbose_name, time.monotonic() - self._began)
        self._noted.__exit__(None, None, None)

    def beat_every_s(self) -> float:
        return renew_every_s()

    def beat(self) -> None:
        """One heartbeat; subclasses may check more."""
        self.renew()

    def _beat(self) -> None:
        # A worker may be silent for long inside one page or call, and still be alive.
        try:
            while not self._ended.wait(max(0.0, min(self.beat_every_s(), self._left_s()))):
                if self._left_s() <= 0:
                    self._end_block()
                    return
                try:
                    limit_waiting()
                    self.beat()
                except Error as error:
                    # The database is briefly away; the lease outlives that, or the sweeper takes over.
                    logger.warning("heartbeat of job %s failed: %s", self.job.pk, error)
                    connection.close()
        finally:
            connection.close()

    def _left_s(self) -> float:
        return self._began + self._limit_s - time.monotonic()

    def _end_block(self) -> None:
        """End the job, which is not renewed any more, and have its thread come back for others."""
        logger.error("%s %s took longer than %.0f s", self.job._meta.verbose_name, self.job.pk, self._limit_s)
        try:
            limit_waiting()
            if self._end_late:
                self._end_late(self, TookTooLong(self._limit_s))
        except Exception:  # its lease ends, and the sweeper passes it on
            logger.exception("job %s could not be ended", self.job.pk)
        until = time.monotonic() + LEAVE_WITHIN_S
        while not self._ended.is_set() and time.monotonic() < until:
            shut_socket(self._used.connection)  # again and again: it may have been elsewhere, or connect anew
            self._ended.wait(min(CUT_EVERY_S, LEAVE_WITHIN_S))
        if not self._ended.is_set() and Lease.on_stuck:
            Lease.on_stuck()


def limit_waiting() -> None:
    """Have no lock waited for without end on this thread's connection."""
    if connection.connection is None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{1000 * WAIT_FOR_ROW_S:.0f}ms"])


def shut_socket(link: Any) -> None:
    """Shut the socket of a connection to the database; whoever waits for an answer on it gets an error."""
    with suppress(AttributeError, Error, OSError), socket.socket(fileno=os.dup(link.fileno())) as shared:
        shared.shutdown(socket.SHUT_RDWR)
