"""Trash, restore and purge documents. A trashed document leaves every search at once; its audit trails stay."""

from contextlib import suppress
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from documents.access import actor_of
from documents.ingestion import page_images
from documents.ingestion.queueing import queue_again, stop_jobs
from documents.models import Document, IngestJob
from documents.storage.replacement import versions_before
from documents.storage.store import erase_parses
from ledger.events import record
from ledger.holds import Held, refuse_when_held

KEPT_DAYS = 30  # in the trash, then a document is purged automatically


class CopyExists(Exception):
    """The same bytes were uploaded again; `document` is the living copy."""

    def __init__(self, document: Document) -> None:
        super().__init__(gettext("The same file is in the base again already."))
        self.document = document


def move_to_trash(document: Document, by: User | None = None) -> None:
    """Trash a document with the versions it replaced, and stop work on it."""
    now = timezone.now()
    with transaction.atomic():
        if Document.objects.filter(pk=document.pk, trashed_at=None).update(trashed_at=now):
            Document.objects.filter(pk__in=older_versions(document), trashed_at=None).update(trashed_at=now)
            record("trashed", actor_of(by), f"document:{document.pk}", identify_document(document))
    stop_jobs(document)


def older_versions(document: Document) -> list[UUID]:
    """The versions that can only be found through this one."""
    return [version.pk for version in versions_before(document) if version.replaced_at]


def identify_document(document: Document) -> dict[str, str]:
    """The details that identify the document years later."""
    return {"base": str(document.base_id), "title": document.title, "sha256": document.sha256}


def restore_document(document: Document, by: User | None = None) -> IngestJob | None:
    """Restore a document; return the job that reads it, if it was never read. Raises CopyExists."""
    try:
        with transaction.atomic():
            if Document.objects.filter(pk=document.pk).exclude(trashed_at=None).update(trashed_at=None):
                Document.objects.filter(pk__in=older_versions(document)).update(trashed_at=None)
                record("restored", actor_of(by), f"document:{document.pk}", identify_document(document))
    except IntegrityError:
        living = Document.objects.living().filter(base=document.base, sha256=document.sha256).first()
        if living is None:  # the copy was trashed between the refusal and this query
            return restore_document(document, by)
        raise CopyExists(living) from None
    was_stopped = document.current_parse_id is None and not document.jobs.filter(state=IngestJob.State.FAILED).exists()
    return queue_again(document) if was_stopped else None


# ---- purging


def purge_document(document: Document, by: User | None = None) -> bool:
    """Purge a trashed document with its file, images, lines and vectors. Return whether it existed. Raises Held.

    What runs recorded of it stays. A worker reading it loses its job and writes nothing more.
    """
    with transaction.atomic():
        # In the order in which a worker locks them: first the job, then the document.
        list(IngestJob.objects.select_for_update().filter(document=document).order_by("pk"))
        trashed = Document.objects.select_for_update().filter(pk=document.pk).exclude(trashed_at=None).first()
        if trashed is None:
            return False
        refuse_when_held(f"document:{trashed.pk}", f"base:{trashed.base_id}")
        older = list(Document.objects.filter(pk__in=older_versions(trashed)).exclude(trashed_at=None))
        parses = list(trashed.parses.only("pk"))
        erase_parses(trashed.parses.all())
        transaction.on_commit(partial(forget_files, str(trashed.file), trashed.sha256))
        detail = identify_document(trashed) | {
            "file_name": trashed.file_name,
            "parses": [str(parse.pk) for parse in parses],
        }
        trashed.delete()
        record("purged", actor_of(by), f"document:{document.pk}", detail)
        for version in older:
            purge_document(version, by)
    return True


def forget_files(name: str, sha256: str) -> None:
    """Delete a stored file, and its page images unless another document has the same bytes."""
    Document._meta.get_field("file").storage.delete(name)
    if not Document.objects.filter(sha256=sha256).exists():
        page_images.forget(sha256)


def purge_due() -> None:
    """Purge documents long enough in the trash, and those left of deleted bases."""
    # An upload may have arrived while its base was being deleted.
    Document.objects.filter(trashed_at=None).exclude(base__deleted_at=None).update(trashed_at=Now())
    long_ago = Q(trashed_at__lt=Now() - timedelta(days=KEPT_DAYS))
    for document in Document.objects.filter(long_ago | Q(base__deleted_at__isnull=False)).only("pk"):
        with suppress(Held):  # it stays in the trash until the hold is released
            purge_document(document)
