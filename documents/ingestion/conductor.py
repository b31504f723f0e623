"""The conductor of ingestion: turns a stored file into a document that answers questions, then improves it.

1. a worker claims the job whose turn it is, in its current stage; jobs that are taken or ended are left alone
2. reading: check the file, read it in a limited child process, store the new parse; keyword questions work from here
3. recognise: pages without text, then other flagged pages, in batches; after the last the document is read again
4. contents, card: have a model look over recovered contents, and describe the document
5. annotate: have a model describe passages, in batches
6. embed: give passages and sections their vectors, for some seconds at a time
After each stage the job moves to the next one that improves the document, or is done. Every stage may run twice and
in parallel, and continues where an earlier attempt stopped, three times at most (T2).

The upload is stored and its `IngestJob` committed before a Celery task is woken. The rows of a reading go in by COPY as
a new `Parse`, swapped in in one transaction. Between two stages the job waits in its queue again, and embedding goes on
for some seconds at a time (`TURN_S`), so that others have their turn.
"""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from django.core.files import File
from django.db import transaction

from accounts.models import User
from documents.base_settings import BaseSettings, ChosenCutting
from documents.ingestion import annotation, contents, embedding, escalation, page_images, rereading
from documents.ingestion.describing import describe_parse
from documents.ingestion.ending import cancel, fail, give_up_exhausted, hand_over, is_left_to_another_attempt
from documents.ingestion.improving import (
    may_recognise,
    next_stage,
    stage_after_annotation,
    stage_after_card,
    stage_after_reading,
)
from documents.ingestion.parsing import check_file, cut, read_file, swap_in
from documents.ingestion.queueing import claim_next, queue_again
from documents.ingestion.reporting import Cancelled, IngestLease, Watch, claim_job
from documents.ingestion.unlocking import unlock_if_told
from documents.models import Document, IngestJob, JobState, KnowledgeBase, Parse, Stage
from documents.storage.collecting import collection_paused
from documents.storage.uploads import AS_BASE, DuplicateDocument, accept_upload
from jobs.ids import NOTHING, start_with
from jobs.lease import LeaseLost
from reading import recognition
from reading.pages.without_text import RECOGNISABLE
from reading.processes.sandbox import recognise_in_child
from reading.reasons import ReadingError

logger = logging.getLogger(__name__)

READING_STAGES = (Stage.CHECK, Stage.PAGES, Stage.STORE)
IMPROVING_STAGES = (Stage.RECOGNISE, Stage.CONTENTS, Stage.CARD, Stage.ANNOTATE, Stage.EMBED)
WAIT_EVERY_S = 0.5


def run(job: IngestJob, *stages: Stage, watch: Watch | None = None) -> None:
    """Run the job's current stage if it is one of these; on unexpected errors release the job and raise."""
    lease = claim_job(job, stages, watch)
    if lease:
        work_on(lease)


def take_turn(stages: Sequence[Stage], woken_for: str) -> IngestJob | None:
    """Run the stage of the job whose turn it is, which need not be the one a worker was woken for; return that job."""
    lease = claim_next(stages, woken_for)
    if lease is None:
        return None
    if str(lease.job.pk) != woken_for:
        start_with(NOTHING)  # the request that woke the worker did not ask for this
    work_on(lease)
    return lease.job


def work_on(lease: IngestLease) -> None:
    with lease:
        try:
            STAGES[Stage(lease.job.stage)](lease)
        except ReadingError as error:
            if not is_left_to_another_attempt(lease, error):
                go_on_without(lease, error)
        except Cancelled:
            cancel(lease)
        except LeaseLost:
            logger.warning("job %s was taken over or removed in stage %s", lease.job.pk, lease.job.stage)


def ingest(job: IngestJob, watch: Watch | None = None) -> None:
    """Read a document until it answers keyword questions."""
    run(job, *READING_STAGES, watch=watch)


def improve_document(job: IngestJob, watch: Watch | None = None) -> None:
    """Run the stages after reading: the next one, or several in a row."""
    for stage in IMPROVING_STAGES:
        run(job, stage, watch=watch)


def finish(job: IngestJob, watch: Watch | None = None) -> Document:
    """Run a job to its end in this process, or wait for its worker; return the resulting document."""
    while job.state in IngestJob.OPEN:
        ingest(job, watch)
        improve_document(job, watch)
        give_up_exhausted()
        job.refresh_from_db()
        if job.state == JobState.RUNNING:
            time.sleep(WAIT_EVERY_S)
    return Document.objects.get(pk=job.document_id)


def ingest_path(
    path: Path, base: KnowledgeBase, user: User | None, watch: Watch | None = None, cutting: ChosenCutting = AS_BASE
) -> Document:
    """Take a file from this machine into a base and process it here, without a broker.

    The same bytes give the same document, cut as it was first. Raises UploadRefused; an unreadable file returns a
    failed document.
    """
    with path.open("rb") as file:
        try:
            document = accept_upload(base, user, File(file, name=path.name), cutting=cutting)
        except DuplicateDocument as duplicate:
            document = duplicate.document
    job = document.jobs.filter(state__in=IngestJob.OPEN).first()
    if job is None and document.current_parse_id is None:
        job = queue_again(document)
    return finish(job, watch) if job else document


# ---- the stages: each raises ReadingError, Cancelled or LeaseLost, and passes the job to its next stage


def read_document(lease: IngestLease) -> None:
    document = begin_stage(lease, Stage.CHECK)
    chosen = document.reading_settings()
    path = unlock_if_told(document, check_file(document), lease)
    with collection_paused():
        reading = read_file(document, path, lease)
        lease.report(Stage.STORE, 0, len(reading.lines))
        passages = cut(reading, chosen)
        # Meanwhile others see either the old parse or the new one, complete.
        with transaction.atomic():
            lease.hold()
            parse = swap_in(document, reading, passages, chosen)
            # Of pages somebody chose no others are read again, whatever is flagged beside them.
            follows = stage_after_reading(parse, chosen) if lease.job.pages else next_stage(document, parse, chosen)
            hand_over(lease, follows, parse_id=parse.pk)


def recognise_document(lease: IngestLease) -> None:
    """Between batches the job goes to the end of the queue, so that a long scan does not block other documents."""
    document = begin_stage(lease, Stage.RECOGNISE)
    path, folder = check_file(document), page_images.folder_of(document.read_sha256)
    report = partial(lease.report, Stage.RECOGNISE)
    if lease.job.pages:
        hand_over(lease, rereading.read_chosen_pages(document, path, lease.job, report))
        return
    is_more_left = False
    if recognition.engine() or not any(escalation.pages_to_read_again(document, lease.job.parse)):
        is_more_left = recognise_in_child(path, folder, page_images.limits(), report) > 0
    if not is_more_left:
        is_more_left = escalation.read_next(document, path, lease.job.parse, report)
    hand_over(lease, Stage.RECOGNISE if is_more_left else Stage.CHECK)


def describe_document(lease: IngestLease) -> None:
    describe_parse(lease)
    hand_over(lease, stage_after_card(chosen_for(lease)))


def annotate_document(lease: IngestLease) -> None:
    is_complete = annotation.annotate_parse(lease)
    hand_over(lease, stage_after_annotation(chosen_for(lease)) if is_complete else Stage.ANNOTATE)


def make_vectors(lease: IngestLease) -> None:
    """Between turns the job waits in its queue again, so that a long document does not hold the only embedder."""
    is_complete = embedding.embed_parse(lease)
    hand_over(lease, Stage.DONE if is_complete else Stage.EMBED)


STAGES: dict[Stage, Callable[[IngestLease], None]] = {
    Stage.CHECK: read_document,
    Stage.PAGES: read_document,  # where a dead worker left a reading: start again
    Stage.STORE: read_document,
    Stage.RECOGNISE: recognise_document,
    Stage.CONTENTS: contents.check_contents,
    Stage.CARD: describe_document,
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
    return lease.job.document.reading_settings()


def go_on_without(lease: IngestLease, error: ReadingError) -> None:
    """After a failed stage: try recognition, keep what was read before, or mark the document as failed."""
    document, chosen = lease.job.document, chosen_for(lease)
    parse = Parse.objects.filter(pk=lease.job.parse_id).first() if lease.job.parse_id else None
    if lease.job.stage == Stage.RECOGNISE and parse and not lease.job.pages:
        parse.note("recognition", error.message)  # why pages have no text
        hand_over(lease, stage_after_reading(parse, chosen))
    elif lease.job.stage != Stage.RECOGNISE and error.code in RECOGNISABLE and may_recognise(document, [1], chosen):
        hand_over(lease, Stage.RECOGNISE, parse_id=None)
    else:
        fail(lease, error)
