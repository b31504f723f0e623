"""Celery tasks of ingestion. The job's row is the truth; every task may arrive twice, late or never."""

from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction

from documents import idempotency
from documents.ingestion import orphans, trash
from documents.ingestion.conductor import IMPROVING_STAGES, READING_STAGES, take_turn
from documents.ingestion.ending import give_up_exhausted
from documents.models import IngestJob
from documents.storage import derived, near, versions, watched
from jobs import waking

INGEST_LIMIT_S = 15 * 60  # the child's own limits are far shorter; this kills a worker that hangs elsewhere
EMBED_LIMIT_S = 2 * 60 * 60


@shared_task(name="documents.tasks.ingest_document", time_limit=INGEST_LIMIT_S)
def ingest_document(job_id: str, **_: Any) -> None:
    """Read the document whose turn it is, then wake the worker that embeds it."""
    go_on_after(take_turn(READING_STAGES, job_id))


@shared_task(name="documents.tasks.embed_document", time_limit=EMBED_LIMIT_S)
def embed_document(job_id: str, **_: Any) -> None:
    """Recognise, describe or embed the read document whose turn it is, whichever stage its job is in."""
    go_on_after(take_turn(IMPROVING_STAGES, job_id))


@shared_task(name="documents.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake jobs whose message was lost or whose worker died, and end those that used their last attempt."""
    give_up_exhausted()
    waking.sweep(IngestJob.objects.all(), task_of)


@shared_task(name="documents.tasks.watch_folders", time_limit=INGEST_LIMIT_S)
def watch_folders(**_: Any) -> None:
    """Take what has arrived in the folders that the service watches."""
    for path, base in settings.WATCHED_FOLDERS:
        for document in watched.take_arrived(Path(path), base):
            start(document.jobs.get())


@shared_task(name="documents.tasks.tidy")
def tidy(**_: Any) -> None:
    """Purge what is due, drop unused parses, remove orphaned files, delete old idempotency keys."""
    trash.purge_due()
    versions.drop_superseded()
    orphans.remove_orphans()
    idempotency.forget_old_keys()


@shared_task(name="documents.tasks.index_vectors", time_limit=EMBED_LIMIT_S)
def index_vectors(**_: Any) -> None:
    """Make the indexes of vectors that large bases lack."""
    near.index_large_bases()


@shared_task(name="documents.tasks.pack_readings", time_limit=INGEST_LIMIT_S)
def pack_readings(**_: Any) -> None:
    """Pack some of the readings that another version of the program packed."""
    derived.pack_outdated()


def go_on_after(job: IngestJob | None) -> None:
    """Wake a worker for the next stage of a job; one released after an error waits for the sweeper."""
    if job and (waiting := IngestJob.objects.filter(pk=job.pk, state=IngestJob.State.QUEUED, reason_code="").first()):
        start(waiting)


def start_tidying() -> None:
    """Start `tidy` soon after a deletion; without a broker the schedule does it."""
    transaction.on_commit(lambda: tidy.apply_async(retry=False), robust=True)


def start(*jobs: IngestJob) -> None:
    """Wake a worker for each once its rows are committed. If the broker is down, the sweeper does it later."""
    for job in jobs:
        waking.wake_after_commit(job, wake)


def wake(job: IngestJob) -> None:
    waking.send(task_of(job), job)


def task_of(job: IngestJob) -> waking.AnyTask:
    return ingest_document if job.stage in READING_STAGES else embed_document
