"""The conductor of ingestion: a stored file becomes a document that answers questions, and then answers better."""

import hashlib
import logging
import re
import time
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from documents import embedding
from documents.base_settings import BaseSettings
from documents.lease import Cancelled, Lease, LeaseLost, Watch, claim, is_expired
from documents.limits import Limits
from documents.models import Document, IngestJob, KnowledgeBase, Parse
from documents.passages import cut_passages
from documents.reading import read_markdown, read_plain_text
from documents.reasons import REASONS, ReadingError, refusal
from documents.rows import Reading
from documents.sandbox import read_in_child
from documents.store import store_reading
from documents.uploads import MARKDOWN, PDF, TITLE_MAX, DuplicateDocument, accept_upload, title_of

logger = logging.getLogger(__name__)

Stage, JobState = IngestJob.Stage, IngestJob.State
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
    5. leave the job queued for its embeddings, or done when there are to be none
    """
    lease = claim(job, READING_STAGES, watch)
    if lease is None:
        return
    with lease:
        try:
            document = begin(lease)
            path = check(document)
            reading = read(document, path, lease)
            store(document, reading, lease)
        except ReadingError as error:
            fail(lease, error)
        except Cancelled:
            cancel(lease)
        except LeaseLost:
            logger.warning("job %s was taken over or removed while it was being read", job.pk)


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


def finish(job: IngestJob, watch: Watch | None = None) -> Document:
    """Run a job to its end in this process, or wait for the worker that has it; the document as it is then."""
    while job.state in (JobState.QUEUED, JobState.RUNNING):
        ingest(job, watch)
        embed(job, watch)
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


def begin(lease: Lease) -> Document:
    lease.report(Stage.CHECK, 0, 0)
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
        reading = read_in_child(path, limits=limits(), on_progress=partial(lease.report, Stage.PAGES))
    else:
        # Text needs no child: its reader is ours and its size is bounded by the upload.
        read_text = read_markdown if document.media_type == MARKDOWN else read_plain_text
        reading = read_text(path.read_text(encoding="utf-8-sig"), limits())
    if not reading.lines:
        raise refusal("no_text")
    return reading


def limits() -> Limits:
    """What one file may cost here, from the settings."""
    return Limits(
        file_bytes=settings.UPLOAD_MAX_BYTES,
        pages=settings.PAGES_MAX,
        memory_bytes=settings.CHILD_MEMORY_BYTES,
        cpu_s=settings.CHILD_CPU_S,
        wall_s=settings.CHILD_WALL_S,
    )


def store(document: Document, reading: Reading, lease: Lease) -> None:
    """Store the parse aside and swap it in; whoever asks meanwhile sees the old one or the new one, whole."""
    lease.report(Stage.STORE, 0, len(reading.lines))
    chosen = BaseSettings.from_json(document.base.settings)
    passages = cut_passages(reading, chosen)
    obstacle = embedding.obstacle(chosen)
    reading.report["embeddings"] = obstacle
    with transaction.atomic():
        lease.hold()
        document = Document.objects.select_for_update().get(pk=document.pk)
        parse = store_reading(document, reading, passages, chosen.to_json())
        document.current_parse = parse
        document.state = Document.State.READY
        document.title = better_title(document, reading.title)
        document.save(update_fields=["current_parse", "state", "title"])
        hand_over(lease, parse, has_embeddings=not obstacle)


def hand_over(lease: Lease, parse: Parse, *, has_embeddings: bool) -> None:
    if has_embeddings:
        # A new stage has all its attempts before it.
        lease.end(state=JobState.QUEUED, stage=Stage.EMBED, parse=parse, attempts=0, done_count=0, total_count=0)
    else:
        lease.end(state=JobState.DONE, stage=Stage.DONE, parse=parse, ended_at=timezone.now(), reason_code="")


def better_title(document: Document, title: str) -> str:
    """The title the document gives itself, unless somebody named it or it is what a program wrote there."""
    title = " ".join(title.split())[:TITLE_MAX]
    letters = sum(sign.isalpha() for sign in title)
    is_title = letters >= TITLE_LETTERS_MIN and len(title) <= TITLE_CREDIBLE and not NO_TITLE.search(title)
    was_named = document.title != title_of(document.file_name)
    is_file_name = title == Path(document.file.path).stem
    return document.title if was_named or is_file_name or not is_title else title


# ---- ends


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
        code = job.reason_code or "parse_crash"
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


def queue_again(document: Document) -> IngestJob:
    """A new job to read a document once more; the open one when there is one already."""
    try:
        with transaction.atomic():
            job = IngestJob.objects.create(document=document)
            Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.WAITING)
            return job
    except IntegrityError:
        return document.jobs.get(state__in=(JobState.QUEUED, JobState.RUNNING))


def stop(document: Document) -> None:
    """Stop the work on a document: at once when nobody has begun, else at the worker's next report."""
    waiting = document.jobs.filter(state=JobState.QUEUED)
    if waiting.update(state=JobState.CANCELLED, ended_at=timezone.now()):
        Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.FAILED)
    document.jobs.filter(state=JobState.RUNNING).update(cancel_requested=True)
