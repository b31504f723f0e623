"""The lease of an ingestion, which reports progress and learns when to stop."""

import time
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType

from django.db.models import F
from django.db.models.functions import Coalesce, Now

from documents.models import IngestJob, Parse
from jobs import lease
from jobs.lease import Lease, LeaseLost

REPORT_EVERY_S = 1.0

Watch = Callable[[str, int, int], None]


class Cancelled(Exception):
    """A person asked to stop."""


def claim_job(job: IngestJob, stages: Iterable[str], watch: Watch | None = None) -> "IngestLease | None":
    """Take the job if it is in one of the stages and free, or its worker is dead; else None."""
    # With its document and base, since a purge may delete them at any time.
    waiting = IngestJob.objects.select_related("document__base").filter(stage__in=list(stages))
    claimed = lease.claim(waiting, job.pk, started_at=Coalesce(F("started_at"), Now()))
    return IngestLease(claimed, watch) if claimed else None


class IngestLease(Lease[IngestJob]):
    """The right to work on a job: renewed during the block, released if the work fails unexpectedly."""

    def __init__(self, job: IngestJob, watch: Watch | None = None) -> None:
        super().__init__(job)
        self._watch = watch
        self._stage = ""
        self._reported_at = 0.0

    def report(self, stage: str, done: int, total: int) -> None:
        """Report progress, at most once a second. Raises LeaseLost or Cancelled if the work must stop."""
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
        """Lock the job's row until the end of the transaction. Raises LeaseLost or Cancelled."""
        job = super().hold()
        if job.cancel_requested:
            raise Cancelled
        return job

    def read_parse(self) -> Parse:
        """The parse of the job, with its document and base. Raises LeaseLost if it was purged meanwhile."""
        parses = Parse.objects.select_related("document__base")
        parse = parses.filter(pk=self.job.parse_id).first() if self.job.parse_id else None
        if parse is None:
            raise LeaseLost
        return parse

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, Exception):
            self.give_back("internal", "".join(traceback.format_exception(error)))

    def give_back(self, reason_code: str, detail: str) -> None:
        """Leave the job to the sweeper, which retries, or gives up after the last attempt."""
        self.end(state=IngestJob.State.QUEUED, reason_code=reason_code, error_for_admins=detail)
