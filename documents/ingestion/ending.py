"""How a job leaves its worker: passed to its next stage, done, failed, stopped, or given up by the sweeper."""

from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from documents.ingestion.reporting import IngestLease
from documents.models import Document, IngestJob, JobState, Stage
from jobs.lease import is_exhausted, is_free
from reading.reasons import REASONS, ReadingError


def hand_over(lease: IngestLease, stage: Stage, **fields: UUID | None) -> None:
    """Pass the job to its next stage without old attempts and errors; a stage that goes on later keeps its counts.

    `fields` may have the `parse_id` of the parse to improve, if it changed.
    """
    over = {"stage": stage, "reason_code": "", **fields}
    if stage == Stage.DONE:
        lease.end(state=JobState.DONE, ended_at=timezone.now(), **over)
    else:
        begun_anew = {} if stage == lease.job.stage else {"done_count": 0, "total_count": 0}
        lease.end(state=JobState.QUEUED, attempts=0, **begun_anew, **over)


def is_left_to_another_attempt(lease: IngestLease, error: ReadingError) -> bool:
    """Release the job if its child was killed from outside, which is not the file's fault, and attempts are left."""
    if error.code != "parse_killed" or lease.job.attempts >= settings.ATTEMPTS_MAX:
        return False
    lease.give_back(error.code, error.detail)
    return True


def fail(lease: IngestLease, error: ReadingError) -> None:
    """Record why a file cannot be read; a document read before keeps answering from its old parse."""
    with transaction.atomic():
        lease.end(
            state=JobState.FAILED,
            ended_at=timezone.now(),
            reason_code=error.code,
            error_for_people=error.message,
            error_for_admins=error.detail,
        )
        mark_failed(lease.job)


def cancel(lease: IngestLease) -> None:
    """End a job that was asked to stop; a document read before keeps answering from its parse."""
    with transaction.atomic():
        lease.end(state=JobState.CANCELLED, ended_at=timezone.now())
        mark_failed(lease.job)


def give_up_exhausted() -> None:
    """End jobs whose last attempt died with its worker or failed on our side."""
    for job in IngestJob.objects.filter(is_exhausted()):
        code = job.reason_code or "parse_killed"
        died = f"{job.attempts} workers died in stage {job.stage}; the last was {job.lease_owner}"
        ended = IngestJob.objects.filter(is_free(), pk=job.pk).update(
            state=JobState.FAILED,
            ended_at=timezone.now(),
            reason_code=code,
            error_for_people=REASONS[code],
            error_for_admins=job.error_for_admins or died,
            lease_owner="",
        )
        if ended:
            mark_failed(job)


def mark_failed(job: IngestJob) -> None:
    Document.objects.filter(pk=job.document_id, current_parse=None).update(state=Document.State.FAILED)
