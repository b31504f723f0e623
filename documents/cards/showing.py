"""A card in words, for the page of its document and the list (R15)."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext

from documents.cards.types import DATES, FIELDS, TYPES, UNKNOWN
from documents.cards.versions import card_of
from documents.models import Document, DocumentCard


class ShownCard(NamedTuple):
    """A card for the page: its version, the type in words, and what it says, each with its name in words."""

    version: DocumentCard
    type: Promise
    said: tuple[tuple[str, str], ...]
    summary: str
    parties: tuple[str, ...]


def show_card(document: Document) -> ShownCard | None:
    """The card that holds; None for a document read before there were cards."""
    if document.card is None:
        return None
    card = card_of(document)
    said = [(gettext("Period"), card.period)] if card.period else []
    said += [(str(DATES[each.name]), each.value) for each in card.dates]
    said += [(str(FIELDS[each.name].label), each.value) for each in card.fields]
    return ShownCard(document.card, TYPES[card.type].label, tuple(said), card.summary, card.parties)


def type_words(document: Document) -> str:
    """The type of a document for the list; "" where nothing told it."""
    kind = card_of(document).type
    return "" if kind == UNKNOWN else str(TYPES[kind].label)
