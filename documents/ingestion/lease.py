"""Who works on a job: a lease in the job's own row, kept alive by a heartbeat, that one worker at a time can hold.

The row is the truth and the broker only a wake-up call: a task that arrives twice finds the lease taken, a worker
that dies stops renewing it, and the sweeper hands the job to the next one.
"""

import logging
import os
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from datetime import timedelta
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from documents.models import IngestJob

logger = logging.getLogger(__name__)

HEARTBEATS_PER_LEASE = 4
REPORT_EVERY_S = 1.0

Watch = Callable[[str, int, int], None]


class LeaseLost(Exception):
    """Another worker has the job now, or it is gone; nothing may be written for it any more."""


class Cancelled(Exception):
    """A person asked to stop."""


def is_expired() -> Q:
    """Jobs whose worker has not been heard of for the length of a lease."""
    return Q(state=IngestJob.State.RUNNING, heartbeat_at__lt=Now() - timedelta(seconds=settings.LEASE_S))


def claim(job: IngestJob, stages: Iterable[str], watch: Watch | None = None) -> "Lease | None":
    """Take the job if it waits in one of the stages or its worker is dead; None when it is not to be had."""
    owner = f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid4().hex[:12]}"
    free = Q(state=IngestJob.State.QUEUED) | is_expired()
    # One conditional UPDATE: PostgreSQL checks the condition again for whoever comes second.
    claimed = IngestJob.objects.filter(
        free, pk=job.pk, stage__in=list(stages), attempts__lt=settings.ATTEMPTS_MAX
    ).update(
        state=IngestJob.State.RUNNING,
        lease_owner=owner,
        heartbeat_at=Now(),
        attempts=F("attempts") + 1,
        started_at=Coalesce(F("started_at"), Now()),
    )
    # With its document and base, which a purge may delete at any later moment.
    jobs = IngestJob.objects.select_related("document__base")
    fresh = jobs.filter(pk=job.pk, lease_owner=owner).first() if claimed else None
    return Lease(fresh, owner, watch) if fresh else None


class Lease:
    """The right to work on a job, as a context manager: renewed inside, given back when the work fails unexpectedly."""

    def __init__(self, job: IngestJob, owner: str, watch: Watch | None = None) -> None:
        self.job = job
        self.owner = owner
        self._watch = watch
        self._stage = ""
        self._reported_at = 0.0
        self._ended = threading.Event()
        self._heart = threading.Thread(target=self._beat, name=f"heartbeat-{job.pk}", daemon=True)

    def rows(self) -> "QuerySet[IngestJob]":
        """The job's row while this lease holds it, else none."""
        return IngestJob.objects.filter(pk=self.job.pk, lease_owner=self.owner, state=IngestJob.State.RUNNING)

    def report(self, stage: str, done: int, total: int) -> None:
        """Say how far the work is, at most each second; raises LeaseLost or Cancelled when it is to be stopped."""
        now = time.monotonic()
        if stage == self._stage and done < total and now - self._reported_at < REPORT_EVERY_S:
            return
        self._stage, self._reported_at = stage, now
        if self._watch:
            self._watch(stage, done, total)
        renewed = self.rows().filter(cancel_requested=False)
        if not renewed.update(stage=stage, done_count=done, total_count=total, heartbeat_at=Now()):
            raise Cancelled if self.rows().exists() else LeaseLost

    def hold(self) -> IngestJob:
        """The job's row locked until the end of the transaction; raises LeaseLost or Cancelled."""
        job = self.rows().select_for_update().first()
        if job is None:
            raise LeaseLost
        if job.cancel_requested:
            raise Cancelled
        return job

    def end(self, **fields: Any) -> None:
        """Write the outcome and let go of the job."""
        self.rows().update(lease_owner="", heartbeat_at=Now(), **fields)

    def __enter__(self) -> Self:
        self._heart.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ended.set()
        self._heart.join()
        if isinstance(error, Exception):
            self.give_back("internal", "".join(traceback.format_exception(error)))

    def give_back(self, reason_code: str, detail: str) -> None:
        """Leave the job to the sweeper, which tries again or gives up after the last attempt."""
        self.end(state=IngestJob.State.QUEUED, reason_code=reason_code, error_for_admins=detail)

    def _beat(self) -> None:
        # A worker may be silent for long inside one page or one batch, and is alive all the same.
        while not self._ended.wait(settings.LEASE_S / HEARTBEATS_PER_LEASE):
            try:
                self.rows().update(heartbeat_at=Now())
            except DatabaseError as error:
                logger.warning("heartbeat of job %s failed: %s", self.job.pk, error)
                connection.close()
        connection.close()
