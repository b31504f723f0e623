"""Cards and questions (R15): which types a question names, and what a document can be asked."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from documents.cards.rules import headed_fields
from documents.cards.signs import card_signs
from documents.cards.types import FIELDS, TYPES, Card
from documents.models import Document, DocumentCard
from reading.matching import match_form
from reading.wording import read_word_lists


def types_named(question_text: str) -> frozenset[str]:
    """The types of documents a question speaks of: "the 2022 annual report", "quels avenants"."""
    asked = (sign for sign in card_signs() if sign.where == "asked")
    return frozenset(sign.type for sign in asked if sign.pattern.search(question_text))


def types_called(name: str) -> frozenset[str]:
    """The types of documents that a name is nothing but a word for: "contracts", "annual reports"."""
    asked = (sign for sign in card_signs() if sign.where == "asked")
    return frozenset(sign.type for sign in asked if sign.pattern.fullmatch(name))


@lru_cache(maxsize=1)
def legal_forms() -> frozenset[str]:
    return frozenset().union(*read_word_lists(Path(__file__).parent, "legal_forms").values())


def distinctive_words(name: str) -> frozenset[str]:
    """The words of a party or a period, in match form, that tell it from others."""
    return frozenset(re.findall(r"\w+", match_form(name))) - legal_forms()


def cards_of(documents: Iterable[Document]) -> dict[UUID, Card]:
    """The cards that hold, by document, in one query."""
    ids = {document.card_id: document.pk for document in documents if document.card_id}
    rows = DocumentCard.objects.filter(pk__in=ids).values_list("pk", "content")
    return {ids[key]: Card.from_json(content) for key, content in rows}


def typical_questions(card: Card, titles: Iterable[str]) -> list[str]:
    """The questions typical of its type that a document can answer, by its card or titles, in the reader's language."""
    known = {field.name for field in card.fields}
    headed = set(headed_fields(card.type, titles))
    return [str(FIELDS[name].question) for name in TYPES[card.type].fields if name in known | headed]
