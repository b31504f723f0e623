"""The conductor of ingestion: turns a stored file into a document that answers questions, then improves it.

1. a worker claims the job in its current stage; jobs that are taken or ended are left alone
2. reading: check the file, read it in a limited child process, store the new parse; keyword questions work from here
3. recognise: pages without text, in batches; after the last one the document is read again
4. annotate: have a model describe passages, in batches
5. embed: give passages and sections their vectors
After each stage the job moves to the next one that improves the document, or is done. Every stage may run twice and
in parallel, and continues where an earlier attempt stopped.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from django.core.files import File
from django.db import transaction

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.ingestion import annotation, embedding, page_images
from documents.ingestion.ending import cancel, fail, give_up_exhausted, hand_over, is_left_to_another_attempt
from documents.ingestion.improving import may_recognise, next_stage, stage_after_annotation
from documents.ingestion.parsing import check_file, collection_paused, cut, read_file, swap_in
from documents.ingestion.queueing import queue_again
from documents.ingestion.reporting import Cancelled, IngestLease, Watch, claim_job
from documents.models import Document, IngestJob, KnowledgeBase, Parse
from documents.storage.uploads import DuplicateDocument, accept_upload
from jobs.lease import LeaseLost
from reading.processes.sandbox import recognise_in_child
from reading.reasons import ReadingError

logger = logging.getLogger(__name__)

Stage: TypeAlias = IngestJob.Stage
JobState: TypeAlias = IngestJob.State
READING_STAGES = (Stage.CHECK, Stage.PAGES, Stage.STORE)
WAIT_EVERY_S = 0.5


def run(job: IngestJob, *stages: Stage, watch: Watch | None = None) -> None:
    """Run the job's current stage if it is one of these; on unexpected errors release the job and raise."""
    lease = claim_job(job, stages, watch)
    if lease is None:
        return
    with lease:
        try:
            STAGES[Stage(lease.job.stage)](lease)
        except ReadingError as error:
            if not is_left_to_another_attempt(lease, error):
                go_on_without(lease, error)
        except Cancelled:
            cancel(lease)
        except LeaseLost:
            logger.warning("job %s was taken over or removed in stage %s", job.pk, lease.job.stage)


def ingest(job: IngestJob, watch: Watch | None = None) -> None:
    """Read a document until it answers keyword questions."""
    run(job, *READING_STAGES, watch=watch)


def improve_document(job: IngestJob, watch: Watch | None = None) -> None:
    """Run the stages after reading: the next one, or several in a row."""
    for stage in (Stage.RECOGNISE, Stage.ANNOTATE, Stage.EMBED):
        run(job, stage, watch=watch)


def finish(job: IngestJob, watch: Watch | None = None) -> Document:
    """Run a job to its end in this process, or wait for its worker; return the resulting document."""
    while job.state in (JobState.QUEUED, JobState.RUNNING):
        ingest(job, watch)
        improve_document(job, watch)
        give_up_exhausted()
        job.refresh_from_db()
        if job.state == JobState.RUNNING:
            time.sleep(WAIT_EVERY_S)
    return Document.objects.get(pk=job.document_id)


def ingest_path(path: Path, base: KnowledgeBase, user: User | None, watch: Watch | None = None) -> Document:
    """Take a file from this machine into a base and process it here, without a broker.

    The same bytes give the same document. Raises UploadRefused; an unreadable file returns a failed document.
    """
    with path.open("rb") as file:
        try:
            document = accept_upload(base, user, File(file, name=path.name))
        except DuplicateDocument as duplicate:
            document = duplicate.document
    job = document.jobs.filter(state__in=(JobState.QUEUED, JobState.RUNNING)).first()
    if job is None and document.current_parse_id is None:
        job = queue_again(document)
    return finish(job, watch) if job else document


# ---- the stages: each raises ReadingError, Cancelled or LeaseLost, and passes the job to its next stage


def read_document(lease: IngestLease) -> None:
    document = begin_stage(lease, Stage.CHECK)
    chosen = BaseSettings.from_json(document.base.settings)
    path = check_file(document)
    with collection_paused():
        reading = read_file(document, path, lease)
        lease.report(Stage.STORE, 0, len(reading.lines))
        passages = cut(reading, chosen)
        # Meanwhile others see either the old parse or the new one, complete.
        with transaction.atomic():
            lease.hold()
            parse = swap_in(document, reading, passages, chosen)
            hand_over(lease, next_stage(document, parse.unreadable_pages, chosen), parse_id=parse.pk)


def recognise_document(lease: IngestLease) -> None:
    """Between batches the job goes to the end of the queue, so that a long scan does not block other documents."""
    document = begin_stage(lease, Stage.RECOGNISE)
    path, folder = check_file(document), page_images.folder_of(document.sha256)
    left = recognise_in_child(path, folder, page_images.limits(), partial(lease.report, Stage.RECOGNISE))
    hand_over(lease, Stage.RECOGNISE if left else Stage.CHECK)


def annotate_document(lease: IngestLease) -> None:
    is_complete = annotation.annotate_parse(lease)
    hand_over(lease, stage_after_annotation(chosen_for(lease)) if is_complete else Stage.ANNOTATE)


def make_vectors(lease: IngestLease) -> None:
    embedding.embed_parse(lease)
    hand_over(lease, Stage.DONE)


STAGES: dict[Stage, Callable[[IngestLease], None]] = {
    Stage.CHECK: read_document,
    Stage.PAGES: read_document,  # where a dead worker left a reading: start again
    Stage.STORE: read_document,
    Stage.RECOGNISE: recognise_document,
    Stage.ANNOTATE: annotate_document,
    Stage.EMBED: make_vectors,
}


# ---- steps


def begin_stage(lease: IngestLease, stage: Stage) -> Document:
    """Report that the stage begins. Raises LeaseLost if the document is gone."""
    lease.report(stage, 0, 0)
    document = Document.objects.select_related("base").filter(pk=lease.job.document_id).first()
    if document is None:
        raise LeaseLost
    if document.current_parse_id is None:
        Document.objects.filter(pk=document.pk).update(state=Document.State.READING)
    return document


def chosen_for(lease: IngestLease) -> BaseSettings:
    return BaseSettings.from_json(lease.job.document.base.settings)


def go_on_without(lease: IngestLease, error: ReadingError) -> None:
    """After a failed stage: try recognition, keep what was read before, or mark the document as failed."""
    document, chosen = lease.job.document, chosen_for(lease)
    parse = Parse.objects.filter(pk=lease.job.parse_id).first() if lease.job.parse_id else None
    if lease.job.stage == Stage.RECOGNISE and parse:
        parse.report["recognition"] = error.message  # why pages have no text
        parse.save(update_fields=["report"])
        hand_over(lease, next_stage(document, [], chosen))
    elif lease.job.stage != Stage.RECOGNISE and error.code == "no_text" and may_recognise(document, [1], chosen):
        hand_over(lease, Stage.RECOGNISE, parse_id=None)
    else:
        fail(lease, error)
