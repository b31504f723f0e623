"""The conductor of ingestion: a stored file becomes a document that answers questions, and then answers better."""

import gc
import hashlib
import logging
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.ingestion import annotation, embedding, page_images
from documents.ingestion.lease import Cancelled, Lease, LeaseLost, Watch, claim, is_expired
from documents.models import Document, IngestJob, KnowledgeBase, Parse
from documents.storage.replacement import take_over
from documents.storage.store import store_reading
from documents.storage.uploads import MARKDOWN, PDF, TITLE_MAX, DuplicateDocument, accept_upload, title_of
from reading import recognition
from reading.passages import cut_passages
from reading.plain_text import read_markdown, read_plain_text
from reading.processes.sandbox import read_in_child, recognise_in_child
from reading.reasons import REASONS, ReadingError, refusal
from reading.rows import Reading

logger = logging.getLogger(__name__)

Stage: TypeAlias = IngestJob.Stage
JobState: TypeAlias = IngestJob.State
READING_STAGES = (Stage.CHECK, Stage.PAGES, Stage.STORE)
WAIT_EVERY_S = 0.5
TITLE_LETTERS_MIN = 4
# What programs write into a file's title when nobody gave it one.
NO_TITLE = re.compile(
    r"^(microsoft (word|powerpoint)|powerpoint presentation|untitled|(document|slide|presentation) ?\d*$)"
    r"|\.(pdf|docx?|pptx?|xlsx?|indd|tex|dvi|qxd)$",
    re.IGNORECASE,
)
TITLE_CREDIBLE = 200  # characters; what is longer was a paragraph


def ingest(job: IngestJob, watch: Watch | None = None) -> None:
    """Read a document until it answers keyword questions. Safe to run twice and in parallel.

    1. claim the job; somebody else's or a finished one is left alone
    2. check that the file is the one that was uploaded
    3. read it in a limited child process, reporting page by page
    4. store the parse aside and make it the current one in one transaction: ready for keyword questions
    5. leave the job queued for what improves it, see `next_stage`, or done when nothing does
    """
    lease = claim(job, READING_STAGES, watch)
    if lease is None:
        return
    with lease:
        try:
            document = begin(lease)
            path = check(document)
            with collection_paused():
                reading = read(document, path, lease)
                store(document, reading, lease)
        except ReadingError as error:
            if not (is_left_to_another_attempt(lease, error) or recognition_may_help(lease, error)):
                fail(lease, error)
        except Cancelled:
            cancel(lease)
        except LeaseLost:
            logger.warning("job %s was taken over or removed while it was being read", job.pk)


def recognise(job: IngestJob, watch: Watch | None = None) -> None:
    """Recognise some pages of a document that hold no text; after the last of them it is read again.

    In between the job goes to the end of the queue: the vectors of other documents do not wait for a long scan.
    """
    lease = claim(job, (Stage.RECOGNISE,), watch)
    if lease is None:
        return
    with lease:
        try:
            document = begin(lease, Stage.RECOGNISE)
            path, folder = check(document), page_images.folder_of(document.sha256)
            report = partial(lease.report, Stage.RECOGNISE)
            left = recognise_in_child(path, folder, page_images.limits(), report)
            hand_over(lease, Stage.RECOGNISE if left else Stage.CHECK, lease.job.parse_id)
        except ReadingError as error:
            if not is_left_to_another_attempt(lease, error):
                without_recognition(lease, error)
        except Cancelled:
            cancel(lease)
        except LeaseLost:
            logger.warning("job %s was taken over or removed while its pages were being recognised", job.pk)


def annotate(job: IngestJob, watch: Watch | None = None) -> None:
    """Have a model describe some passages of a job's parse; goes on where an earlier turn or attempt stopped."""
    lease = claim(job, (Stage.ANNOTATE,), watch)
    if lease is None:
        return
    with lease:
        try:
            is_complete = annotation.annotate_parse(lease)
            following = Stage.EMBED if is_to_be_embedded(lease) else Stage.DONE
            hand_over(lease, following if is_complete else Stage.ANNOTATE, lease.job.parse_id)
        except Cancelled:
            lease.end(state=JobState.CANCELLED, ended_at=timezone.now())
        except LeaseLost:
            logger.warning("job %s was taken over or removed while it was being described", job.pk)


def embed(job: IngestJob, watch: Watch | None = None) -> None:
    """Give the passages and sections of a job's parse their vectors; goes on where an earlier attempt stopped."""
    lease = claim(job, (Stage.EMBED,), watch)
    if lease is None:
        return
    with lease:
        try:
            embedding.embed_parse(lease)
            lease.end(state=JobState.DONE, stage=Stage.DONE, ended_at=timezone.now(), reason_code="")
        except Cancelled:
            lease.end(state=JobState.CANCELLED, ended_at=timezone.now())
        except LeaseLost:
            logger.warning("job %s was taken over or removed while it was being embedded", job.pk)


def improve(job: IngestJob, watch: Watch | None = None) -> None:
    """Do what a job waits for after the reading: one stage, or several that follow each other."""
    recognise(job, watch)
    annotate(job, watch)
    embed(job, watch)


def finish(job: IngestJob, watch: Watch | None = None) -> Document:
    """Run a job to its end in this process, or wait for the worker that has it; the document as it is then."""
    while job.state in (JobState.QUEUED, JobState.RUNNING):
        ingest(job, watch)
        improve(job, watch)
        give_up_exhausted()
        job.refresh_from_db()
        if job.state == JobState.RUNNING:
            time.sleep(WAIT_EVERY_S)
    return Document.objects.get(pk=job.document_id)


def ingest_path(path: Path, base: KnowledgeBase, user: User | None, watch: Watch | None = None) -> Document:
    """Take a file from this machine into a base and finish it here, without a broker. The same bytes give the same document.

    Raises UploadRefused when it is not taken; a file that cannot be read comes back as a failed document.
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


# ---- steps


@contextmanager
def collection_paused() -> Iterator[None]:
    """A reading is a million small tuples without a cycle: looking through them for cycles took a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def begin(lease: Lease, stage: Stage = Stage.CHECK) -> Document:
    lease.report(stage, 0, 0)
    document = Document.objects.select_related("base").filter(pk=lease.job.document_id).first()
    if document is None:
        raise LeaseLost
    if document.current_parse_id is None:
        Document.objects.filter(pk=document.pk).update(state=Document.State.READING)
    return document


def check(document: Document) -> Path:
    """The path of the stored file, which must be byte for byte the one that was uploaded."""
    path = Path(document.file.path)
    if not path.exists():
        raise refusal("internal", f"the stored file {document.file.name} is missing")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != document.sha256:
        raise refusal("damaged", f"the stored file has the digest {digest}, at upload it had {document.sha256}")
    return path


def read(document: Document, path: Path, lease: Lease) -> Reading:
    if document.media_type == PDF:
        report, recognised = partial(lease.report, Stage.PAGES), page_images.folder_of(document.sha256)
        reading = read_in_child(path, limits=page_images.limits(), on_progress=report, recognised=recognised)
    else:
        # Text needs no child: its reader is ours and its size is bounded by the upload.
        read_text = read_markdown if document.media_type == MARKDOWN else read_plain_text
        reading = read_text(path.read_text(encoding="utf-8-sig"), page_images.limits())
    if not reading.lines:
        raise refusal("no_text")
    return reading


def store(document: Document, reading: Reading, lease: Lease) -> None:
    """Store the parse aside and swap it in; whoever asks meanwhile sees the old one or the new one, whole."""
    lease.report(Stage.STORE, 0, len(reading.lines))
    chosen = BaseSettings.from_json(document.base.settings)
    passages = cut_passages(reading, chosen)
    if chosen.contextualisation == "none":
        passages = [passage._replace(context="") for passage in passages]
    reading.report["embeddings"] = embedding.obstacle(chosen)
    reading.report["annotation"] = annotation.obstacle(chosen)
    with transaction.atomic():
        lease.hold()
        document = Document.objects.select_for_update().get(pk=document.pk)
        parse = store_reading(document, reading, passages, chosen.to_json())
        document.current_parse = parse
        document.state = Document.State.READY
        document.title = better_title(document, reading.title)
        document.save(update_fields=["current_parse", "state", "title"])
        take_over(document)
        hand_over(lease, next_stage(document, parse.unreadable_pages, chosen), parse.pk)


def next_stage(document: Document, unreadable_pages: Sequence[int], chosen: BaseSettings) -> Stage:
    """What improves a parse next: recognised pages make another parse, annotations are embedded with their passages."""
    if chosen.recognition == "automatic" and recognition.engine() and has_unseen(document, unreadable_pages):
        return Stage.RECOGNISE
    if annotation.is_wanted(chosen):
        return Stage.ANNOTATE
    return Stage.DONE if embedding.obstacle(chosen) else Stage.EMBED


def has_unseen(document: Document, page_numbers: Iterable[int]) -> bool:
    """Whether one of the pages was never given to text recognition."""
    folder = page_images.folder_of(document.sha256)
    return any(not recognition.place_of(folder, number).exists() for number in page_numbers)


def hand_over(lease: Lease, stage: Stage, parse_id: UUID | None) -> None:
    """Let the next stage have the job, with all its attempts before it; what went wrong on the way here is over."""
    over = {"stage": stage, "parse_id": parse_id, "reason_code": ""}
    if stage == Stage.DONE:
        lease.end(state=JobState.DONE, ended_at=timezone.now(), **over)
    else:
        lease.end(state=JobState.QUEUED, attempts=0, done_count=0, total_count=0, **over)


def is_to_be_embedded(lease: Lease) -> bool:
    return not embedding.obstacle(BaseSettings.from_json(lease.job.document.base.settings))


def recognition_may_help(lease: Lease, error: ReadingError) -> bool:
    """Hand a document without any text over to recognition, once, when that is installed and wanted."""
    document = lease.job.document
    chosen = BaseSettings.from_json(document.base.settings)
    is_wanted = error.code == "no_text" and document.media_type == PDF and recognition.engine()
    if not is_wanted or chosen.recognition != "automatic" or not has_unseen(document, [1]):
        return False
    hand_over(lease, Stage.RECOGNISE, None)
    return True


def without_recognition(lease: Lease, error: ReadingError) -> None:
    """Say why pages stayed without text, and go on with what was read before; without that the document has failed."""
    parse = Parse.objects.filter(pk=lease.job.parse_id).first() if lease.job.parse_id else None
    if parse is None:
        return fail(lease, error)
    parse.report["recognition"] = error.message
    parse.save(update_fields=["report"])
    chosen = BaseSettings.from_json(lease.job.document.base.settings)
    hand_over(lease, next_stage(lease.job.document, [], chosen), parse.pk)


def better_title(document: Document, title: str) -> str:
    """The title the document gives itself, unless somebody named it or it is what a program wrote there."""
    title = " ".join(title.split())[:TITLE_MAX]
    letters = sum(sign.isalpha() for sign in title)
    is_title = letters >= TITLE_LETTERS_MIN and len(title) <= TITLE_CREDIBLE and not NO_TITLE.search(title)
    was_named = document.title != title_of(document.file_name)
    is_file_name = title == Path(document.file.path).stem
    return document.title if was_named or is_file_name or not is_title else title


# ---- ends


def is_left_to_another_attempt(lease: Lease, error: ReadingError) -> bool:
    """Give the job back when its child was stopped from outside, which says nothing of the file, and attempts are left."""
    if error.code != "parse_killed" or lease.job.attempts >= settings.ATTEMPTS_MAX:
        return False
    lease.give_back(error.code, error.detail)
    return True


def fail(lease: Lease, error: ReadingError) -> None:
    """Record why a file cannot be read; a document that was read before keeps answering from its old parse."""
    with transaction.atomic():
        lease.end(
            state=JobState.FAILED,
            ended_at=timezone.now(),
            reason_code=error.code,
            error_for_people=error.message,
            error_for_admins=error.detail,
        )
        mark_failed(lease.job)


def cancel(lease: Lease) -> None:
    with transaction.atomic():
        lease.end(state=JobState.CANCELLED, ended_at=timezone.now())
        mark_failed(lease.job)


def give_up_exhausted() -> None:
    """End the jobs whose last attempt died with its worker or failed on our side."""
    idle = is_expired() | Q(state=JobState.QUEUED)
    for job in IngestJob.objects.filter(idle, attempts__gte=settings.ATTEMPTS_MAX):
        code = job.reason_code or "parse_killed"
        detail = (
            job.error_for_admins or f"{job.attempts} workers died in stage {job.stage}; the last was {job.lease_owner}"
        )
        ended = IngestJob.objects.filter(idle, pk=job.pk).update(
            state=JobState.FAILED,
            ended_at=timezone.now(),
            reason_code=code,
            error_for_people=REASONS[code],
            error_for_admins=detail,
            lease_owner="",
        )
        if ended:
            mark_failed(job)


def mark_failed(job: IngestJob) -> None:
    Document.objects.filter(pk=job.document_id, current_parse=None).update(state=Document.State.FAILED)


# ---- what a person asks for


def queue_again(document: Document, stage: Stage = Stage.CHECK) -> IngestJob:
    """A new job to read a document once more, or to improve its current parse; the open one when there is one already."""
    parse_id = None if stage == Stage.CHECK else document.current_parse_id
    try:
        with transaction.atomic():
            job = IngestJob.objects.create(document=document, stage=stage, parse_id=parse_id)
            Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.WAITING)
            return job
    except IntegrityError:
        return document.jobs.get(state__in=(JobState.QUEUED, JobState.RUNNING))


def improvements(document: Document) -> list[Stage]:
    """What can be asked for on top of the reading: recognition of pages it could not read, descriptions it lacks."""
    parse = document.current_parse
    is_open = document.jobs.filter(state__in=(JobState.QUEUED, JobState.RUNNING)).exists()
    if document.trashed_at or is_open:
        return []
    stages = []
    is_unread = document.media_type == PDF and (parse is None or parse.unreadable_pages)
    if is_unread and recognition.engine() and has_unseen(document, parse.unreadable_pages if parse else [1]):
        stages.append(Stage.RECOGNISE)
    chosen = BaseSettings.from_json(document.base.settings)
    if parse and annotation.is_wanted(chosen) and parse.passages.filter(annotation="").exists():
        stages.append(Stage.ANNOTATE)
    return stages


def stop(document: Document) -> None:
    """Stop the work on a document: at once when nobody has begun, else at the worker's next report."""
    waiting = document.jobs.filter(state=JobState.QUEUED)
    if waiting.update(state=JobState.CANCELLED, ended_at=timezone.now()):
        Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.FAILED)
    document.jobs.filter(state=JobState.RUNNING).update(cancel_requested=True)
