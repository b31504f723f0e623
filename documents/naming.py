"""The title of a document: the one that a person gives it, else the one that a reading does."""

from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, override

from accounts.models import User
from documents.access import actor_of
from documents.cards.types import TYPES, UNKNOWN, Card
from documents.models import Document
from documents.storage.uploads import TITLE_MAX, clean_title, title_of
from ledger.events import record

PARTIES_NAMED = 2


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


def better_title(document: Document, title: str, called: str = "") -> str:
    """The title that was read, unless a person gave one; if none was read what its card calls it, else its file."""
    if document.is_title_given:
        return document.title
    return printed_title(document, title) or called[:TITLE_MAX] or title_of(document.file_name)


def printed_title(document: Document, title: str) -> str:
    """The title that was read in a document; "" if a reading found none and gave the name of the stored file."""
    title = " ".join(title.split())[:TITLE_MAX]
    stored = {Path(file.path).stem for file in (document.file, document.unlocked) if file}
    return "" if title in stored else title


def name_by_card(card: Card, language: str) -> str:
    """What a document is called by its card, "Invoice, Acme Ltd, 3 May 2024"; "" if the card does not tell it apart."""
    told = [*card.parties[:PARTIES_NAMED], card.period or next((date.value for date in card.dates), "")]
    if card.type == UNKNOWN or not any(told):
        return ""
    known = {code for code, _ in settings.LANGUAGES}
    with override(language if language in known else settings.LANGUAGE_CODE):
        return ", ".join(filter(None, (str(TYPES[card.type].label), *told)))
