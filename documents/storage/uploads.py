"""Accept uploads (R96): check size, type and name, then store the file on disk and in the database."""

import codecs
import hashlib
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.files import File
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Count, Sum
from django.utils.translation import gettext, gettext_noop

from accounts.models import User
from documents.base_settings import ChosenCutting
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage.whole import says_full
from reading.characters import clean_name
from reading.limits import HEADER_WITHIN, PDF_HEADER
from reading.reasons import REASONS
from reading.rows import ContentsSource

PDF, MARKDOWN, PLAIN_TEXT = "application/pdf", "text/markdown", "text/plain"
TEXT_TYPES = {".md": MARKDOWN, ".markdown": MARKDOWN, ".txt": PLAIN_TEXT}
SUFFIXES = frozenset({".pdf", *TEXT_TYPES})
FILE_NAME_BYTES_MAX = 255
ATTEMPTS_MAX = 5  # to store a file whose copy comes and goes; five people doing so at once is only a test
TITLE_MAX = 300
AS_BASE: ChosenCutting = {}  # no cutting of its own
OWN_REASONS = {
    "not_text": gettext_noop(
        "This text file is not UTF-8, or holds characters no text has. Save it as UTF-8 text and upload that."
    ),
    "not_supported": gettext_noop(
        "This is not a PDF, Markdown or text file. Save or print the original as PDF and upload that."
    ),
    "quota_files": gettext_noop(
        "You have uploaded {limit} files today, as many as one person may in a day. Go on after midnight UTC, or ask "
        "an administrator to raise the limit."
    ),
    "quota_mb": gettext_noop(
        "With this file you would have uploaded more than {limit} MB today, the most for one person in a day. Go on "
        "after midnight UTC, or ask an administrator to raise the limit."
    ),
}


class UploadRefused(Exception):
    """A file is not accepted; `message` tells people what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class DuplicateDocument(UploadRefused):
    """The base already has the same bytes; `document` is the existing one."""

    def __init__(self, document: Document) -> None:
        super().__init__("duplicate", gettext(REASONS["duplicate"]))
        self.document = document


class StorageFull(UploadRefused):
    """There is no room for the file, on the disk or in the database; later there may be."""

    CODE = "storage_full"

    def __init__(self) -> None:
        super().__init__(self.CODE, gettext(REASONS[self.CODE]))


class QuotaReached(UploadRefused):
    """The person has uploaded as much as one may in a day; after midnight UTC there is room again."""

    CODE = "quota"

    def __init__(self, which: str, limit: int) -> None:
        super().__init__(self.CODE, gettext(OWN_REASONS[which]).format(limit=limit))


@dataclass(frozen=True)
class FileFacts:
    """What is learned from reading a file once."""

    sha256: str
    size_bytes: int
    media_type: str


def build_refusal(code: str, **values: Any) -> UploadRefused:
    return UploadRefused(code, gettext(OWN_REASONS.get(code) or REASONS[code]).format(**values))


def refusal_of_size() -> UploadRefused:
    return build_refusal("too_large", limit_mb=settings.UPLOAD_MAX_BYTES // 1_000_000)


def accept_upload(
    base: KnowledgeBase,
    user: User | None,
    uploaded_file: "File[Any]",
    *,
    replaces: Document | None = None,
    carrier: Document | None = None,
    cutting: ChosenCutting = AS_BASE,
    contents_source: ContentsSource | None = None,
) -> Document:
    """Store a file as a new document with a queued job; `tasks.start(document)` then wakes a worker.

    `cutting` is what `BaseSettings.cutting` returned; a newer version is cut as the older one. Its contents are taken
    from `contents_source`, without one as those of the older version. A file that was attached to a document has that
    as its `carrier`. Raises UploadRefused, or DuplicateDocument if a living document of the base has the same bytes.
    """
    file_name = clean_file_name(uploaded_file.name or "")
    inspection = inspect(uploaded_file, file_name)
    given = replaces.title if replaces and replaces.is_title_given else ""
    document = Document(
        base=base,
        title=given or title_of(file_name),
        is_title_given=bool(given),
        file_name=file_name,
        sha256=inspection.sha256,
        size_bytes=inspection.size_bytes,
        media_type=inspection.media_type,
        created_by=user,
        replaces=replaces,
        carrier=carrier or (replaces.carrier if replaces else None),
        tags=replaces.tags if replaces else [],
        metadata=replaces.metadata if replaces else {},
        cutting=replaces.cutting if replaces else cutting,
        contents_source=contents_source or (replaces.contents_source if replaces else "automatic"),
    )
    refuse_duplicate(document)
    with within_quota(user, document.size_bytes):
        store_upload(document, uploaded_file)
    return document


@contextmanager
def within_quota(user: User | None, size_bytes: int) -> Iterator[None]:
    """Store a file of that size in the block, if the person's quota of the day has room for it. Raises QuotaReached.

    One upload of a person at a time, so that many at once are not more than the quota (U12).
    """
    if user is None or not (settings.QUOTA_FILES_DAY or settings.QUOTA_BYTES_DAY):
        yield
        return
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        today = Document.objects.filter(created_by=user, created_at__gte=begin_of_day())
        used = today.aggregate(files=Count("pk"), size=Sum("size_bytes", default=0))
        if settings.QUOTA_FILES_DAY and used["files"] >= settings.QUOTA_FILES_DAY:
            raise QuotaReached("quota_files", settings.QUOTA_FILES_DAY)
        if settings.QUOTA_BYTES_DAY and used["size"] + size_bytes > settings.QUOTA_BYTES_DAY:
            raise QuotaReached("quota_mb", settings.QUOTA_BYTES_DAY // 1_000_000)
        yield


def begin_of_day() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def quota_renewed_in_s() -> int:
    """Seconds until midnight UTC, when quotas are counted anew."""
    return int((begin_of_day() + timedelta(days=1) - datetime.now(UTC)).total_seconds()) + 1


def inspect(uploaded_file: "File[Any]", file_name: str) -> FileFacts:
    """Digest, size and type of a file, read in chunks. Raises UploadRefused."""
    if uploaded_file.size == 0:
        raise build_refusal("empty_file")
    if uploaded_file.size > settings.UPLOAD_MAX_BYTES:
        raise refusal_of_size()
    digest, size_bytes, head = hashlib.sha256(), 0, b""
    text = TextCheck()
    for piece in uploaded_file.chunks():
        size_bytes += len(piece)
        if size_bytes > settings.UPLOAD_MAX_BYTES:
            raise refusal_of_size()
        digest.update(piece)
        text.feed(piece)
        head = head or piece[:HEADER_WITHIN]
    if not size_bytes:
        raise build_refusal("empty_file")
    return FileFacts(digest.hexdigest(), size_bytes, media_type_of(file_name, head, is_text=text.passed()))


class TextCheck:
    """Whether bytes read in chunks are UTF-8 without NUL."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_text = True

    def feed(self, piece: bytes, final: bool = False) -> None:
        if not self._is_text:
            return
        try:
            self._is_text = "\x00" not in self._decoder.decode(piece, final)
        except UnicodeDecodeError:
            self._is_text = False

    def passed(self) -> bool:
        self.feed(b"", final=True)
        return self._is_text


def media_type_of(file_name: str, head: bytes, *, is_text: bool) -> str:
    """The type shown by the content; the name only tells Markdown from plain text. Raises UploadRefused."""
    suffix = os.path.splitext(file_name)[1].lower()
    if head.startswith(PDF_HEADER):
        return PDF
    if suffix in TEXT_TYPES and is_text:
        return TEXT_TYPES[suffix]
    if PDF_HEADER in head:
        return PDF
    if suffix in TEXT_TYPES:
        raise build_refusal("not_text")
    raise build_refusal("not_pdf" if suffix == ".pdf" else "not_supported")


def clean_file_name(name: str) -> str:
    """The uploader's name made safe to store and show: NFC, no directories or controls, at most 255 bytes."""
    # Category C includes controls, surrogates and the overrides that make "fdp.exe" read "exe.pdf".
    printable = "".join(sign for sign in name if unicodedata.category(sign)[0] != "C")
    last = unicodedata.normalize("NFC", printable).replace("\\", "/").rsplit("/", 1)[-1].strip()
    stem, suffix = os.path.splitext(last)
    room = FILE_NAME_BYTES_MAX - len(suffix.encode()[:20])
    return (stem.encode()[:room].decode(errors="ignore") + suffix[:20]) or "unnamed"


def clean_title(text: str) -> str:
    """A title as typed, cleaned; "" if nothing is left."""
    return clean_name(text)[:TITLE_MAX]


def title_of(file_name: str) -> str:
    """A title for a document not read yet."""
    return os.path.splitext(file_name)[0][:TITLE_MAX] or file_name[:TITLE_MAX]


def refuse_duplicate(document: Document) -> None:
    existing = Document.objects.living().filter(base=document.base, sha256=document.sha256).first()
    if existing:
        raise DuplicateDocument(existing)


def store_upload(document: Document, uploaded_file: "File[Any]", attempts: int = ATTEMPTS_MAX) -> None:
    """Write the file before its rows, so that what is in the database is always on disk."""
    try:
        uploaded_file.seek(0)
        document.file.save(document.file_name, uploaded_file, save=False)
        with transaction.atomic():
            document.save(force_insert=True)
            IngestJob.objects.create(document=document)
    except IntegrityError:
        discard(document)
        refuse_duplicate(document)  # two uploads of the same bytes at once: the constraint accepted the first
        if attempts <= 1:
            raise
        store_upload(document, uploaded_file, attempts - 1)  # the first one was trashed meanwhile
    except (OSError, DatabaseError) as error:
        if not says_full(error):
            raise
        discard(document)
        raise StorageFull from error


def discard(document: Document) -> None:
    if document.file:
        document.file.delete(save=False)


def has_readable_suffix(name: str) -> bool:
    """Whether a folder's file is worth trying; its content decides what it is."""
    return os.path.splitext(name)[1].lower() in SUFFIXES
