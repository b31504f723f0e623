"""A card in words, for the page of its document and the list (R15)."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext

from documents.cards.places import CardPlace
from documents.cards.types import DATES, FIELDS, TYPES, UNKNOWN
from documents.cards.versions import card_of, card_places
from documents.models import Document, DocumentCard


class ShownValue(NamedTuple):
    """What a card says, its name in words ("" of a party), and where it was read, if that is known."""

    label: str
    value: str
    place: CardPlace | None


class ShownCard(NamedTuple):
    """A card for the page: its version, the type in words, and what it says."""

    version: DocumentCard
    type: Promise
    said: tuple[ShownValue, ...]
    summary: str
    parties: tuple[ShownValue, ...]

    @property
    def has_places(self) -> bool:
        return any(each.place for each in (*self.parties, *self.said))


def show_card(document: Document) -> ShownCard | None:
    """The card that holds; None for a document read before there were cards."""
    if document.card is None:
        return None
    card, places = card_of(document), card_places(document)
    parties = [ShownValue("", name, places.get(("party", name))) for name in card.parties]
    said = [ShownValue(gettext("Period"), card.period, places.get(("period", "")))] if card.period else []
    said += [ShownValue(str(DATES[name]), value, places.get(("date", name))) for name, value in card.dates]
    said += [ShownValue(str(FIELDS[name].label), value, places.get(("value", name))) for name, value in card.fields]
    return ShownCard(document.card, TYPES[card.type].label, tuple(said), card.summary, tuple(parties))


def type_words(document: Document) -> str:
    """The type of a document for the list; "" where nothing told it."""
    kind = card_of(document).type
    return "" if kind == UNKNOWN else str(TYPES[kind].label)
