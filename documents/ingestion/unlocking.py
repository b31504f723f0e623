"""A locked PDF is opened once with its password, and a copy without it is kept for reading and drawing."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.core.files import File
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from documents.access import actor_of
from documents.ingestion import page_images
from documents.ingestion.parsing import checked_file
from documents.ingestion.queueing import queue_again
from documents.ingestion.reporting import IngestLease
from documents.models import Document, IngestJob
from documents.storage import passwords
from documents.storage.passwords import LOCKED, HandedIn
from documents.storage.temporary import temporary_folder
from documents.storage.uploads import PDF
from ledger.events import record
from reading.processes.sandbox import unlock_in_child


@sensitive_variables("password")
def unlock(document: Document, password: str, by: User | None = None) -> IngestJob:
    """A job that reads a locked document with this password. Raises PasswordRefused."""
    passwords.hand_in(document, password, actor_of(by))
    return queue_again(document)


@contextmanager
def file_to_read(document: Document, lease: IngestLease) -> Iterator[Path]:
    """A path of the checked file: of an unlocked copy, if somebody has given the password. Raises ReadingError."""
    with checked_file(document) as path:
        if not unlock_if_told(document, path, lease):
            yield path
            return
    with checked_file(document) as path:
        yield path


def unlock_if_told(document: Document, path: Path, lease: IngestLease) -> bool:
    """Store an unlocked copy, if somebody has given the password; return whether. Raises ReadingError."""
    is_locked = document.media_type == PDF and not document.unlocked
    if not is_locked or not document.jobs.filter(reason_code__in=LOCKED).exists():
        return False
    handed = passwords.take(document.pk)
    if handed is None:
        return False
    with temporary_folder("unlock") as folder:
        out_path = folder / "unlocked.pdf"
        report = partial(lease.report, IngestJob.Stage.CHECK)
        unlock_in_child(path, out_path, handed.password, page_images.limits(), report)
        keep_unlocked(document, out_path, handed, lease)
    return True


@sensitive_variables("handed")
def keep_unlocked(document: Document, path: Path, handed: HandedIn, lease: IngestLease) -> None:
    """Store a copy without a password beside the file, on record."""
    with path.open("rb") as copy:
        document.unlocked_sha256 = hashlib.file_digest(copy, "sha256").hexdigest()
        document.unlocked.save(document.file_name, File(copy), save=False)
    try:
        with transaction.atomic():
            lease.hold()
            document.save(update_fields=["unlocked", "unlocked_sha256"])
            details = {"base": str(document.base_id), "title": document.title, "sha256": document.sha256}
            record("unlocked", handed.by, f"document:{document.pk}", details | {"copy": document.unlocked_sha256})
    except BaseException:
        document.unlocked.storage.delete(str(document.unlocked))
        raise
    lease.job.document = document
