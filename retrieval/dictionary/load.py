"""Load a base's expert dictionary as values (R18): the names of each concept, and what it is computed from."""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from django.db import connection

from documents.models import KnowledgeBase
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.packs import PACKS, load_missing, pack_rows
from retrieval.models import Term
from retrieval.types import ConceptTerm, ConceptTerms
from retrieval.words.tokens import normalise_words

DIGEST = """
SELECT sha256(convert_to(string_agg(
    ROW(concept.name, term.language, term.text, term.priority, term.weight)::text, '' ORDER BY term.id
), 'UTF8'))
FROM retrieval_term term JOIN retrieval_concept concept ON concept.id = term.concept_id WHERE concept.base_id = %s
"""


@dataclass(frozen=True)
class Stored:
    """The rows of a base's dictionary. Those of another base with this digest say the same, in the same order."""

    digest: bytes
    base_id: uuid.UUID = field(compare=False)


class DictionaryChanged(Exception):
    """Somebody changed a dictionary while it was read."""


def ensure_dictionary(base: KnowledgeBase) -> tuple[ConceptTerms, ...]:
    """Every concept of a base with its terms, by name; packs without a decision are loaded first.

    The database says by a digest whether its thousands of rows are those that were read before.
    """
    load_missing(base)
    while True:
        with suppress(DictionaryChanged):
            return concepts_at(Stored(hash_rows(base.pk), base.pk))


def hash_rows(base_id: uuid.UUID) -> bytes:
    """SHA-256 of all rows of a base's dictionary; empty where there are none."""
    with connection.cursor() as cursor:
        cursor.execute(DIGEST, [base_id])
        return bytes(cursor.fetchone()[0] or b"")


@lru_cache(maxsize=64)
def concepts_at(stored: Stored) -> tuple[ConceptTerms, ...]:
    """The concepts of a dictionary while its rows have their digest. Raises DictionaryChanged."""
    rows = tuple(read_word_rows(stored.base_id))
    if hash_rows(stored.base_id) != stored.digest:
        raise DictionaryChanged
    return concepts_of(rows)


def read_word_rows(base: KnowledgeBase | uuid.UUID) -> Iterator[WordRow]:
    """A base's dictionary as rows, by concept; terms in the order they were added, the usual one first."""
    terms = Term.objects.filter(concept__base=base).order_by("concept__name", "pk")
    values = terms.values_list("concept__name", "language", "text", "priority", "weight")
    for concept, language, text, priority, weight in values:
        yield WordRow(concept, language, text, "secondary" if priority == "secondary" else "primary", weight)


@lru_cache
def pack_concepts(*names: str) -> tuple[ConceptTerms, ...]:
    """The concepts of the named packs (all if none is named), without a database."""
    return concepts_of(tuple(row for name in names or PACKS for row in pack_rows(name)))


def concepts_of(rows: tuple[WordRow, ...]) -> tuple[ConceptTerms, ...]:
    """Rows as values. A term that names another concept pulls in that concept's terms, never the reverse."""
    grouped: dict[str, list[WordRow]] = {}
    for row in rows:
        grouped.setdefault(row.concept, []).append(row)
    names = {phrase_of(name): name for name in grouped}
    return tuple(ConceptTerms(name, tuple(expand_concept(name, grouped, names))) for name in grouped)


def expand_concept(concept: str, grouped: dict[str, list[WordRow]], names: dict[str, str]) -> Iterator[ConceptTerm]:
    """A concept's own terms, then those of the concepts it pulls in, nearest first.

    Weights multiply along the way, and terms pulled in as secondary remain secondary.
    """
    pulled = [(concept, 1.0, False)]
    seen = {concept}
    for name, share, is_secondary in pulled:  # grows during iteration
        for row in grouped[name]:
            other = names.get(phrase_of(row.term), name)
            weaker = is_secondary or row.priority == "secondary"
            if other == name:
                weight = round(share * row.weight, 4)
                origin = "" if name == concept else name
                yield ConceptTerm(row.term, row.language, "secondary" if weaker else "primary", weight, origin)
            elif other not in seen:
                seen.add(other)
                pulled.append((other, share * row.weight, weaker))


@lru_cache(maxsize=20_000)
def phrase_of(text: str) -> str:
    """The key two spellings of a name share."""
    return " ".join(normalise_words(text))
