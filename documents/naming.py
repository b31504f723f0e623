"""The name a person gives a document."""

from django.db import transaction
from django.utils.translation import gettext

from accounts.models import User
from documents.access import actor_of
from documents.models import Document
from documents.storage.uploads import clean_title
from ledger.events import record


class TitleError(ValueError):
    """An invalid title; the message is for people."""


def rename_document(document: Document, title: str, by: User | None = None) -> None:
    """Give a document another title, which no reading changes, and record both. Raises TitleError."""
    title = clean_title(title)
    if not title:
        raise TitleError(gettext("A document needs a title."))
    with transaction.atomic():
        current = Document.objects.select_for_update().get(pk=document.pk)
        if title == current.title:
            return
        Document.objects.filter(pk=document.pk).update(title=title, is_title_given=True)
        details = {"base": str(document.base_id), "title": [current.title, title]}
        record("renamed", actor_of(by), f"document:{document.pk}", details)
    document.title, document.is_title_given = title, True
