"""Taking documents out of a base and back. A trashed document leaves every search at once; its trails stay."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from documents.ingestion import queue_again, stop
from documents.models import Document, IngestJob


class CopyExists(Exception):
    """The same bytes were uploaded again meanwhile; `document` is the living copy."""

    def __init__(self, document: Document) -> None:
        super().__init__("The same file is in the base again already.")
        self.document = document


def move_to_trash(document: Document) -> None:
    """Take a document out of its base, and stop the work on it."""
    Document.objects.filter(pk=document.pk, trashed_at=None).update(trashed_at=timezone.now())
    stop(document)


def restore(document: Document) -> IngestJob | None:
    """Put a document back; the job that reads it when it never was read. Raises CopyExists."""
    try:
        with transaction.atomic():
            Document.objects.filter(pk=document.pk).update(trashed_at=None)
    except IntegrityError:
        living = Document.objects.living().get(base=document.base, sha256=document.sha256)
        raise CopyExists(living) from None
    was_stopped = document.current_parse_id is None and not document.jobs.filter(state=IngestJob.State.FAILED).exists()
    return queue_again(document) if was_stopped else None
