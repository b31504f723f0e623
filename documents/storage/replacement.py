"""Replace a document by a newer file. The newer one is its own document; the older answers until it is read."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from documents.access import actor_of
from documents.models import Document
from documents.storage.uploads import UploadRefused, accept_upload
from ledger.events import record

VERSIONS_MAX = 1_000  # more than people make; ends the loop if a row ever referred to itself


class NotReplaceable(UploadRefused):
    """The document can no longer, or not yet, be replaced."""

    def __init__(self, message: str) -> None:
        super().__init__("not_replaceable", message)


def replace(document: Document, user: User | None, uploaded_file: "File[Any]") -> Document:
    """Store a file as the next version of a document, also after one that was not readable. Raises UploadRefused."""
    with transaction.atomic():
        old = Document.objects.select_for_update().get(pk=document.pk)
        if old.replaced_at or old.trashed_at:
            raise NotReplaceable(gettext("This is not the current version any more. Replace the newest one."))
        pending = list(Document.objects.living().filter(replaces=old))
        if any(newer.state != Document.State.FAILED for newer in pending):
            raise NotReplaceable(gettext("A newer version is being read already. Wait until it is ready."))
        Document.objects.filter(pk__in=[newer.pk for newer in pending]).update(trashed_at=timezone.now())
        newer = accept_upload(old.base, user, uploaded_file, replaces=old)
        details = {"base": str(old.base_id), "title": old.title, "by": str(newer.pk), "sha256": newer.sha256}
        record("replaced", actor_of(user), f"document:{old.pk}", details)
    return newer


def take_over(document: Document) -> None:
    """Set a document's older versions aside once it answers; called in the transaction that makes it answer."""
    older = [version.pk for version in versions_before(document)]
    Document.objects.filter(pk__in=older, replaced_at=None).update(replaced_at=timezone.now())


def versions_before(document: Document) -> list[Document]:
    """The older versions of a document, newest first."""
    versions: list[Document] = []
    older = document.replaces
    while older is not None and len(versions) < VERSIONS_MAX:
        versions.append(older)
        older = older.replaces
    return versions


def versions_of(document: Document) -> list[Document]:
    """Every version of a document that is not trashed separately, oldest first."""
    newer: list[Document] = []
    following = next_version(document)
    while following is not None and len(newer) < VERSIONS_MAX:
        newer.append(following)
        following = next_version(following)
    return [*reversed(versions_before(document)), document, *newer]


def next_version(document: Document) -> Document | None:
    """The document that replaced this one, else the one about to."""
    return document.replacements.filter(trashed_at=None).order_by("created_at").last()


def newest(document_ids: Iterable[UUID | str]) -> list[UUID]:
    """The ids of the versions that answer now; unknown ids stay unchanged."""
    return [answering(UUID(str(pk))) for pk in document_ids]


def answering(pk: UUID) -> UUID:
    document = Document.objects.filter(pk=pk).first()
    return latest(document).pk if document else pk


def latest(document: Document) -> Document:
    """The version that answers in place of a document; itself if nothing replaced it, or nothing newer is left."""
    while document.replaced_at and (following := next_version(document)):
        document = following
    return document
