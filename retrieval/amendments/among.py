"""Which documents of a base amend others: told by first pages, then by their titles or the changes they make.

An agreement alone says nothing of what became of it, so what amends it is read with it, or told as not read. First
lines are at hand for every document of a base; only of those few that speak of an amendment and name one of the
documents asked about is the text looked at, and of one whose title calls it an amendment not even that: what it
changes may have no number.
"""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from documents.models import Document, Parse
from documents.storage.content import DocumentContent, load_content, read_covers
from reading.matching import match_form
from retrieval.amendments.naming import is_named_by_date, naming_words
from retrieval.amendments.sentences import cover_dates, has_changes, own_date
from retrieval.amendments.versions import names_document, number_of, title_forms
from retrieval.question.documents_named import Called, Name, called_of

READ_MAX = 20  # of those that name a document, in which is looked for changes; those with a telling title first
LINES_MAX = 2_000  # about forty pages: what is longer and not titled so is no amendment, and takes long to load
PARSES_MAX = 10_000


def find_amending(
    documents: Sequence[Document], others: Sequence[Document], names: Sequence[Name]
) -> dict[uuid.UUID, tuple[Document, ...]]:
    """For each of the documents that others amend, which: by the `names` of these, their first lines, and the text."""
    speaking = [(other, called_of(name)) for other, name in zip(others, names, strict=True) if speaks_of_amending(name)]
    if not speaking:
        return {}
    covers = read_covers(documents)
    known = {key: KnownBy(own_date(cover), frozenset(title_forms(cover))) for key, cover in covers.items()}
    candidates = {
        key: [other for other, called in speaking if other.pk != key and named.may_stand_in(called)]
        for key, named in known.items()
    }
    of_others = read_covers([*{other.pk: other for possible in candidates.values() for other in possible}.values()])
    found = {}
    for key, possible in candidates.items():
        naming = [
            other for other in possible if (cover := of_others.get(other.pk)) and names_as_amended(cover, covers[key])
        ]
        naming.sort(key=lambda other: (not is_titled_amendment(other.title), other.title, str(other.pk)))
        amending = tuple(
            other for other in naming[:READ_MAX] if is_titled_amendment(other.title) or makes_changes(parse_of(other))
        )
        if amending:
            found[key] = amending
    return found


@lru_cache(maxsize=PARSES_MAX)
def speaks_of_amending(name: Name) -> bool:
    """Whether a document's name or first lines have a word for a change of another document."""
    called = called_of(name)
    return is_titled_amendment(" ".join(called.label)) or is_titled_amendment(" ".join(called.cover))


def is_titled_amendment(text: str) -> bool:
    return naming_words()["amendment"].search(match_form(text)) is not None


class KnownBy(NamedTuple):
    """By what others name a document: its own date, "" without one, and its titles."""

    own: str
    titles: frozenset[str]

    def may_stand_in(self, called: Called) -> bool:
        """Whether first lines have the year and the day of the date, or a title."""
        if self.own[:4] in called.cover and any(word.lstrip("0").startswith(self.day) for word in called.cover):
            return True
        text = f" {' '.join(called.cover)} "
        return any(f" {title} " in text for title in self.titles)

    @property
    def day(self) -> str:
        return self.own[8:].lstrip("0")


def names_as_amended(amending: DocumentContent, other: DocumentContent) -> bool:
    """Whether a document names the other where it says what it amends: before its first clause, if it does so there.

    By a title that both have, as filings of one form do, it names itself.
    """
    preamble = preamble_of(amending)
    naming = preamble if len(set(cover_dates(preamble))) > 1 else amending
    is_own = bool(title_forms(amending) & title_forms(other))
    return (not is_own and names_document(naming, other)) or is_named_by_date(naming, other)


def preamble_of(content: DocumentContent) -> DocumentContent:
    """A document up to its first numbered clause."""
    end = next((at for at, line in enumerate(content.cover) if number_of(line)), len(content.cover))
    return replace(content, lines=content.lines[:end])


def parse_of(document: Document) -> uuid.UUID:
    assert document.current_parse_id is not None
    return document.current_parse_id


@lru_cache(maxsize=PARSES_MAX)
def makes_changes(parse_id: uuid.UUID) -> bool:
    """Whether sentences of a reading change clauses or parts of another document; of one that was erased none do."""
    parse = Parse.objects.select_related("document").filter(pk=parse_id).first()
    return parse is not None and parse.line_count <= LINES_MAX and has_changes(load_content(parse))
