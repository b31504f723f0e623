"""A locked PDF is opened once with its password, and a copy without it is kept for reading and drawing."""

import hashlib
from functools import partial
from pathlib import Path

from django.core.files import File
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from documents.access import actor_of
from documents.ingestion import page_images
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


def unlock_if_told(document: Document, path: Path, lease: IngestLease) -> Path:
    """The path of the file to read: of an unlocked copy, if somebody has given the password. Raises ReadingError."""
    is_locked = document.media_type == PDF and not document.unlocked
    if not is_locked or not document.jobs.filter(reason_code__in=LOCKED).exists():
        return path
    handed = passwords.take(document.pk)
    if handed is None:
        return path
    with temporary_folder("unlock") as folder:
        out_path = folder / "unlocked.pdf"
        report = partial(lease.report, IngestJob.Stage.CHECK)
        unlock_in_child(path, out_path, handed.password, page_images.limits(), report)
        return keep_unlocked(document, out_path, handed, lease)


@sensitive_variables("handed")
def keep_unlocked(document: Document, path: Path, handed: HandedIn, lease: IngestLease) -> Path:
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
    return Path(document.unlocked.path)
