"""The lease of an ingestion, by which the work says how far it is and hears when it is to stop."""

import time
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType

from django.db.models import F
from django.db.models.functions import Coalesce, Now

from documents.models import IngestJob
from jobs import lease
from jobs.lease import Lease, LeaseLost

REPORT_EVERY_S = 1.0

Watch = Callable[[str, int, int], None]


class Cancelled(Exception):
    """A person asked to stop."""


def claim_job(job: IngestJob, stages: Iterable[str], watch: Watch | None = None) -> "IngestLease | None":
    """Take the job if it waits in one of the stages or its worker is dead; None when it is not to be had."""
    # With its document and base, which a purge may delete at any later moment.
    waiting = IngestJob.objects.select_related("document__base").filter(stage__in=list(stages))
    claimed = lease.claim(waiting, job.pk, started_at=Coalesce(F("started_at"), Now()))
    return IngestLease(claimed, watch) if claimed else None


class IngestLease(Lease[IngestJob]):
    """The right to work on a job: renewed inside, given back when the work fails unexpectedly."""

    def __init__(self, job: IngestJob, watch: Watch | None = None) -> None:
        super().__init__(job)
        self._watch = watch
        self._stage = ""
        self._reported_at = 0.0

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
        job = super().hold()
        if job.cancel_requested:
            raise Cancelled
        return job

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, Exception):
            self.give_back("internal", "".join(traceback.format_exception(error)))

    def give_back(self, reason_code: str, detail: str) -> None:
        """Leave the job to the sweeper, which tries again or gives up after the last attempt."""
        self.end(state=IngestJob.State.QUEUED, reason_code=reason_code, error_for_admins=detail)
