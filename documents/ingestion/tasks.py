"""Celery tasks of ingestion. The job's row is the truth; every task may arrive twice, late or never."""

from typing import Any

from celery import shared_task
from django.db import transaction

from documents import idempotency
from documents.ingestion import orphans, trash
from documents.ingestion.conductor import READING_STAGES, improve_document, ingest
from documents.ingestion.ending import give_up_exhausted
from documents.models import IngestJob
from documents.storage import versions
from jobs import waking

INGEST_LIMIT_S = 15 * 60  # the child's own limits are far shorter; this kills a worker that hangs elsewhere
EMBED_LIMIT_S = 2 * 60 * 60


@shared_task(name="documents.tasks.ingest_document", time_limit=INGEST_LIMIT_S)
def ingest_document(job_id: str, **_: Any) -> None:
    """Read a document, then wake the worker that embeds it."""
    job = IngestJob.objects.filter(pk=job_id).first()
    if job:
        ingest(job)
        start_next_stage(job_id)


@shared_task(name="documents.tasks.embed_document", time_limit=EMBED_LIMIT_S)
def embed_document(job_id: str, **_: Any) -> None:
    """Recognise, describe or embed a read document, whichever stage its job is in."""
    job = IngestJob.objects.filter(pk=job_id).first()
    if job:
        improve_document(job)
        start_next_stage(job_id)


@shared_task(name="documents.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake jobs whose message was lost or whose worker died, and end those that used their last attempt."""
    give_up_exhausted()
    waking.sweep(IngestJob.objects.all(), wake)


@shared_task(name="documents.tasks.tidy")
def tidy(**_: Any) -> None:
    """Purge what is due, drop unused parses, remove orphaned files, delete old idempotency keys."""
    trash.purge_due()
    versions.drop_superseded()
    orphans.remove_orphans()
    idempotency.forget_old_keys()


def start_next_stage(job_id: str) -> None:
    """Wake a worker for a job's next stage; one released after an error waits for the sweeper."""
    waiting = IngestJob.objects.filter(pk=job_id, state=IngestJob.State.QUEUED, reason_code="").first()
    if waiting:
        start(waiting)


def start_tidying() -> None:
    """Start `tidy` soon after a deletion; without a broker the schedule does it."""
    transaction.on_commit(lambda: tidy.apply_async(retry=False), robust=True)


def start(job: IngestJob) -> None:
    """Wake a worker once the rows are committed. If the broker is down, the sweeper does it later."""
    waking.wake_after_commit(job, wake)


def wake(job: IngestJob) -> None:
    task = ingest_document if job.stage in READING_STAGES else embed_document
    waking.send(task, job)
