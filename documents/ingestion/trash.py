"""Trash, restore and purge documents. A trashed document leaves every search at once; its audit trails stay."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.models import User
from documents.access import actor_of
from documents.ingestion import page_images
from documents.ingestion.queueing import queue_again, stop_jobs
from documents.models import Document, DocumentQuerySet, IngestJob, KnowledgeBase
from documents.storage.replacement import versions_before
from documents.storage.store import erase_parses
from ledger.events import record
from ledger.holds import Held, holds_on, refuse_when_held

# The documents, of some, that an answer cites, each with the key of the answer; the app that keeps answers sets it.
citing_answers: list[Callable[[Collection[UUID]], Iterable[tuple[UUID, UUID]]]] = []
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


def in_trash(base: KnowledgeBase) -> DocumentQuerySet:
    """What the trash of a base lists: its trashed documents, without the versions that go with them."""
    return base.documents.filter(replaced_at=None).exclude(trashed_at=None)


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
        transaction.on_commit(partial(forget_files, trashed))
        detail = identify_document(trashed) | {
            "file_name": trashed.file_name,
            "parses": [str(parse.pk) for parse in parses],
        }
        trashed.delete()
        record("purged", actor_of(by), f"document:{document.pk}", detail)
        for version in older:
            purge_document(version, by)
    return True


def find_citing(documents: Iterable[Document]) -> dict[UUID, set[UUID]]:
    """The answers that cite each document or a version that goes with it."""
    newest = {pk: each.pk for each in documents for pk in (each.pk, *older_versions(each))}
    found: dict[UUID, set[UUID]] = {pk: set() for pk in newest.values()}
    for find in citing_answers:
        for pk, answer in find(newest):
            found[newest[pk]].add(answer)
    return found


def say_citing(documents: Iterable[Document]) -> str:
    """How many answers cite one of the documents that are in the trash, or a version that went with it, and what is
    left of these answers.
    """
    gone = list(documents)
    count = len(set().union(*find_citing(gone).values()))
    if any(older_versions(each) for each in gone):
        words = ngettext(
            "The earlier versions are in the trash too. %(count)s answer cites this or one of them: its quotes stay, "
            "and no page is shown beside them.",
            "The earlier versions are in the trash too. %(count)s answers cite this or one of them: their quotes stay, "
            "and no page is shown beside them.",
            count,
        )
        nothing = gettext("The earlier versions are in the trash too. No answer cites this or one of them.")
    else:
        words = ngettext(
            "%(count)s answer cites this: its quotes stay, and no page is shown beside them.",
            "%(count)s answers cite this: their quotes stay, and no page is shown beside them.",
            count,
        )
        nothing = gettext("No answer cites this.")
    return words % {"count": count} if count else nothing


def find_held(documents: Sequence[Document]) -> set[UUID]:
    """Those of the documents that a legal hold keeps, on each or on its base."""
    subjects = {document.pk: {f"document:{document.pk}", f"base:{document.base_id}"} for document in documents}
    held = {hold.subject for hold in holds_on(set().union(*subjects.values()))}
    return {pk for pk, named in subjects.items() if held & named}


def forget_files(document: Document) -> None:
    """Delete what is stored of a document's file, and its page images unless another document has the same bytes."""
    for file in filter(None, (document.file, document.unlocked)):
        file.storage.delete(str(file))
    if document.unlocked_sha256:
        page_images.forget(document.unlocked_sha256)
    if not Document.objects.filter(sha256=document.sha256).exists():
        page_images.forget(document.sha256)


def purge_due() -> None:
    """Purge documents long enough in the trash, and those left of deleted bases."""
    # An upload may have arrived while its base was being deleted.
    Document.objects.filter(trashed_at=None).exclude(base__deleted_at=None).update(trashed_at=Now())
    long_ago = Q(trashed_at__lt=Now() - timedelta(days=KEPT_DAYS))
    for document in Document.objects.filter(long_ago | Q(base__deleted_at__isnull=False)).only("pk"):
        with suppress(Held):  # it stays in the trash until the hold is released
            purge_document(document)
