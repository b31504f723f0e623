"""One document as retrieval sees it: lines, sections, passages and vectors of one parse, read-only and cached."""

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, TypedDict, TypeVar, cast
from uuid import UUID

import numpy as np
from django.db import connection

from documents.cards.asking import cards_of
from documents.cards.types import UNKNOWN
from documents.models import Document, Embedding, Line, Parse, Passage, TocEntry
from documents.storage.collecting import collection_paused
from documents.storage.packed import ROWS, ReadingRows, read_packed, stored_rows, unpack
from reading.boxes import Box, PictureBox, boxes_of
from reading.matching import match_form
from reading.pages.joined_tables import tables_of_page
from reading.pages.stated_units import StatedUnit, stated_units_in, with_stated_units
from reading.passages import RUNNING
from reading.registry.objects import Registry, read_registry
from reading.registry.pictures import pictures_at
from reading.rows import (
    UNSEARCHED_KINDS,
    ImageRow,
    LineRow,
    LineSpan,
    PageRow,
    PassageRow,
    TocRow,
    name_in_force,
)
from reading.running_heads import RunningHead, find_running_heads
from reading.tables import Table

KEYS_KEPT = 20_000  # of what is kept by key: more than a long document has lines
LINES_KEPT = 250_000  # of the contents in memory: with its vectors a line takes 3 KB after sixty questions, all 0.8 GB
LINES_BESIDE = 10  # lines take as much room as what a content has beside its lines
COVER_LINES = 40  # of a first page, which has parties, titles and dates
USABLE_TOC_ENTRIES = 4  # R10
VECTOR_HEAD = 4  # bytes that pgvector sends before the numbers

Value = TypeVar("Value")
Key = TypeVar("Key")


@dataclass(frozen=True)
class Vectors:
    """Normalised vectors, float32: `passages` [passages, dimensions], `toc` [entries, dimensions] by row order."""

    model_key: str
    passages: np.ndarray
    toc: np.ndarray


class DocumentSnapshot(TypedDict):
    """What a run stores about a document it read; `language` and the last two are of later versions."""

    document_id: str
    title: str
    file_name: str
    language: str
    sha256: str
    parse_id: str
    parse_number: int
    parser_version: str
    pages: int
    lines: int
    toc_origin: str
    toc_strength: str
    unreadable_pages: list[int]
    embedding_model: str


@dataclass(frozen=True)
class DocumentContent:
    """The frozen content of one parse. `lines[n - 1].number == n`; `toc[i].index` ascends from 0 or 1."""

    document_id: str
    parse_id: str
    parse_number: int
    parser_version: str
    title: str
    file_name: str
    media_type: str
    sha256: str
    language: str
    search_config: str
    toc_origin: str
    toc_strength: str
    unreadable_pages: tuple[int, ...]
    pages: tuple[PageRow, ...]
    lines: tuple[LineRow, ...]
    toc: tuple[TocRow, ...]
    passages: tuple[PassageRow, ...]
    vectors: Vectors | None = None
    images: tuple[ImageRow, ...] = ()
    stored_registry: Registry | None = None  # None in readings older than it
    document_type: str = ""  # by the card that holds (R15, R23), a guess; "" where none is known
    attached: tuple[tuple[str, str], ...] = ()  # names and digests of the files it carries, which were not read with it
    # What is stored with the reading, by name. A copy with other rows has none of it.
    derived: Mapping[str, bytes] | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def cover(self) -> tuple[LineRow, ...]:
        """The first lines, which say who, what and when."""
        return self.lines[:COVER_LINES]

    @cached_property
    def registry(self) -> Registry:
        """The document's figures, tables, equations and appendices, and the references to them (R14)."""
        return self.stored_registry or read_registry(self.lines, self.toc, self.images)

    def lines_between(self, first: int, last: int) -> tuple[LineRow, ...]:
        """Lines first..last inclusive; numbers outside the document are ignored."""
        return self.lines[max(first, 1) - 1 : max(last, 0)]

    def text_between(self, first: int, last: int, *, searched_only: bool = False) -> str:
        """The literal text of lines first..last, one line each; `searched_only` leaves furniture out of text."""
        lines = self.legible_lines(first, last) if searched_only else self.lines_between(first, last)
        return "\n".join(line.text for line in lines)

    def legible_lines(self, first: int, last: int) -> tuple[LineRow, ...]:
        """The lines of a range that are read: its text; where there is none, the running heads that are searched."""
        lines = self.lines_between(first, last)
        text = tuple(line for line in lines if line.kind not in UNSEARCHED_KINDS)
        return text or tuple(line for line in lines if line.number in self.running_heads)

    @cached_property
    def running_heads(self) -> dict[int, RunningHead]:
        """The lines of furniture that are searched: the first copy of each that says something."""
        return find_running_heads(self.lines)

    def heads_around(self, number: int) -> tuple[int, int]:
        """First and last line of the running heads that stand together with this one."""
        page = self.lines[number - 1].page_number
        first = last = number
        while first - 1 in self.running_heads and self.lines[first - 2].page_number == page:
            first -= 1
        while last + 1 in self.running_heads and self.lines[last].page_number == page:
            last += 1
        return first, last

    def lines_on_page(self, number: int) -> tuple[LineRow, ...]:
        first = bisect_left(self.lines, number, key=lambda line: line.page_number)
        return self.lines[first : bisect_right(self.lines, number, key=lambda line: line.page_number)]

    def boxes_at(self, pieces: Iterable[tuple[int, int, int]]) -> tuple[Box | PictureBox, ...]:
        """One box for each piece (line number, start, end), then the pictures these lines stand in or caption (R85)."""
        placed = [piece for piece in pieces if 0 < piece[0] <= len(self.lines)]
        lines = {number: self.lines[number - 1] for number, _, _ in placed}
        return (*boxes_of(placed, lines), *self.pictures_at(lines.values()))

    def pictures_at(self, lines: Iterable[LineRow]) -> tuple[PictureBox, ...]:
        """The pictures that lines stand in or caption, page by page."""
        pictured = {image.page_number for image in self.images}
        by_page: dict[int, list[LineRow]] = {}
        for line in lines:
            if line.page_number in pictured:
                by_page.setdefault(line.page_number, []).append(line)
        return tuple(
            box
            for number, cited in sorted(by_page.items())
            for box in pictures_at(
                cited,
                self.lines_on_page(number),
                self.page(number),
                [image for image in self.images if image.page_number == number],
                [each for each in self.registry.objects if each.page_number == number],
            )
        )

    def tables_on_page(self, number: int) -> list[Table]:
        """The tables of a page, in reading order; read once, as many steps of a question ask for them by line."""
        if number not in self._tables_by_page:
            tables = tables_of_page(number, self.lines_on_page, self.language)
            self._tables_by_page[number] = with_stated_units(tables, stated_units_of(self))
        return self._tables_by_page[number]

    @cached_property
    def _tables_by_page(self) -> dict[int, list[Table]]:
        return {}

    @cached_property
    def searched_lines(self) -> tuple[LineRow, ...]:
        """The lines that may be hits: without page furniture and contents pages."""
        heads = self.running_heads
        return tuple(line for line in self.lines if line.kind not in UNSEARCHED_KINDS or line.number in heads)

    @cached_property
    def text(self) -> str:
        """Every line in order, joined by line feeds: what `char_start` and `char_end` of a passage count in (R91)."""
        return "\n".join(line.text for line in self.lines)

    def passage_at(self, number: int) -> PassageRow | None:
        """The first passage of the text that has a line; None for furniture and lines of contents pages."""
        return self._passages_by_line.get(number)

    @cached_property
    def _passages_by_line(self) -> dict[int, PassageRow]:
        found: dict[int, PassageRow] = {}
        for passage in self.passages:
            if passage.kind != RUNNING:
                for number in range(passage.first_line, passage.last_line + 1):
                    found.setdefault(number, passage)
        return found

    @cached_property
    def toc_by_index(self) -> dict[int, TocRow]:
        return {entry.index: entry for entry in self.toc}

    @cached_property
    def title_forms(self) -> dict[int, str]:
        """The match form of each title, by TOC index, for comparison with questions."""
        return {entry.index: match_form(name_in_force(entry.title)) for entry in self.toc}

    @property
    def has_usable_toc(self) -> bool:
        return sum(1 for entry in self.toc if entry.origin != "front") >= USABLE_TOC_ENTRIES

    def page(self, number: int) -> PageRow:
        return self.pages[number - 1]

    def snapshot(self) -> DocumentSnapshot:
        """What a run stores about the document it read."""
        return {
            "document_id": self.document_id,
            "title": self.title,
            "file_name": self.file_name,
            "language": self.language,
            "sha256": self.sha256,
            "parse_id": self.parse_id,
            "parse_number": self.parse_number,
            "parser_version": self.parser_version,
            "pages": len(self.pages),
            "lines": len(self.lines),
            "toc_origin": self.toc_origin,
            "toc_strength": self.toc_strength,
            "unreadable_pages": list(self.unreadable_pages),
            "embedding_model": self.vectors.model_key if self.vectors else "",
        }


def kept_with_content(compute: "Callable[[DocumentContent], Value]") -> "Callable[[DocumentContent], Value]":
    """Keep what a function computes of a content with it, as `cached_property` does for those written above."""
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def value_of(content: DocumentContent) -> Value:
        kept = vars(content)
        if name not in kept:
            kept.setdefault(name, compute(content))  # of two threads, both get the value that was first
        return cast("Value", kept[name])

    return value_of


DERIVED: "dict[str, Callable[[DocumentContent], Any]]" = {}  # by name, what makes a value of plain types


def stored_with_reading(
    name: str, to_plain: Callable[[Value], Any], from_plain: "Callable[[Any, DocumentContent], Value]"
) -> "Callable[[Callable[[DocumentContent], Value]], Callable[[DocumentContent], Value]]":
    """Keep what a function computes of a content with it, and store it with the reading as well (`storage.derived`).

    Where the reading lacks it, it is computed.
    """

    def keep(compute: "Callable[[DocumentContent], Value]") -> "Callable[[DocumentContent], Value]":
        DERIVED[name] = lambda content: to_plain(compute(content))

        @kept_with_content
        @wraps(compute)
        def value_of(content: DocumentContent) -> Value:
            packed = (content.derived or {}).get(name)
            return from_plain(unpack(packed), content) if packed else compute(content)

        return value_of

    return keep


@stored_with_reading(
    "stated units", lambda found: [*map(tuple, found)], lambda plain, _: [*map(StatedUnit._make, plain)]
)
def stated_units_of(content: DocumentContent) -> list[StatedUnit]:
    """The units that sentences state for the tables below them."""
    return stated_units_in(content.lines)


def kept_by_key(compute: "Callable[[Key, DocumentContent], Value]") -> "Callable[[Key, DocumentContent], Value]":
    """The same of what a function computes of a content for a key, which is hashable; of None nothing is kept."""
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def value_for(key: Key, content: DocumentContent) -> Value:
        kept: dict[Key, Value] = vars(content).setdefault(name, {})
        value = kept.get(key)
        if value is None:
            value = compute(key, content)
            if len(kept) >= KEYS_KEPT:
                kept.clear()
            value = kept.setdefault(key, value)
        return value

    return value_for


class ContentCache:
    """The most recently used contents of this process, as many as have so many lines together, and at least one.

    Only the vectors of a parse change, which are in the key, and what its document is called and its type, which are
    put right when they are told.
    """

    def __init__(self, lines: int = LINES_KEPT) -> None:
        self._room = lines
        self._contents: OrderedDict[tuple[str, str], DocumentContent] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, parse: Parse, document_type: str | None = None) -> DocumentContent:
        key = (str(parse.pk), f"{parse.embedding_model} {parse.embedded_at}")
        told: dict[str, Any] = {"title": parse.document.title, "file_name": parse.document.file_name}
        if document_type is not None:
            told["document_type"] = document_type
        with self._lock:
            content = self._contents.get(key)
            if content is not None and all(getattr(content, name) == value for name, value in told.items()):
                self._contents.move_to_end(key)
                return content
        if content is None:
            self.drop_erased()
            content = read_content(parse, document_type)
        else:
            content = with_derived(replace(content, **told), content.derived)
        with self._lock:
            self._contents[key] = content
            self._contents.move_to_end(key)
            taken = sum(len(each.lines) + LINES_BESIDE for each in self._contents.values())
            while taken > self._room and len(self._contents) > 1:
                taken -= len(self._contents.popitem(last=False)[1].lines) + LINES_BESIDE
        return content

    def drop_erased(self) -> None:
        """Let go of the contents whose readings are gone."""
        with self._lock:
            kept = list(self._contents)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT kept::text FROM unnest(%s::uuid[]) kept"
                f" WHERE NOT EXISTS (SELECT FROM {Parse._meta.db_table} WHERE id = kept)",
                [[parse_id for parse_id, _ in kept]],
            )
            gone = {parse_id for (parse_id,) in cursor}
        with self._lock:
            self._contents = OrderedDict(each for each in self._contents.items() if each[0][0] not in gone)


_cache = ContentCache()
drop_erased = _cache.drop_erased


def load_content(parse: Parse, document_type: str | None = None) -> DocumentContent:
    """The content of a parse, from this process's cache if possible, under the name of its document as it is given.

    Who needs the type of the document as it is now gives it (`known_types` reads it for many); else it is as it was
    when the content was read.
    """
    return _cache.get(parse, document_type)


def known_types(documents: Iterable[Document]) -> dict[UUID, str]:
    """The types of documents by the cards that hold, "" where none is known, in one query."""
    cards = cards_of(documents := list(documents))
    known = {key: card.type for key, card in cards.items() if card.type != UNKNOWN}
    return {document.pk: known.get(document.pk, "") for document in documents}


@collection_paused()
def read_content(parse: Parse, document_type: str | None = None) -> DocumentContent:
    """The content of a parse, from the database; the type of its document as well, unless it is given."""
    document, packed = parse.document, read_packed(parse) or {}
    rows = stored_rows(parse, packed)
    packed.pop(ROWS, None)
    content = replace(
        content_of_rows(document, parse, rows),
        passages=tuple(PassageRow(*row) for row in parse.passages.order_by("index").values_list(*PassageRow._fields)),
        vectors=read_vectors(parse),
        stored_registry=Registry(rows.objects, rows.references) if parse.profile else None,  # both are of one version
        document_type=known_types([document])[document.pk] if document_type is None else document_type,
    )
    return with_derived(content, packed)


def with_derived(content: DocumentContent, packed: Mapping[str, bytes] | None) -> DocumentContent:
    """A content that was just made, with what is stored of its reading."""
    object.__setattr__(content, "derived", packed)
    return content


def content_of_rows(document: Document, parse: Parse, rows: ReadingRows) -> DocumentContent:
    """What the rows of a reading say of a document, without its passages and what things it names."""
    return replace(bare_content(document, parse, rows.lines), pages=rows.pages, toc=rows.toc, images=rows.images)


def bare_content(document: Document, parse: Parse, lines: tuple[LineRow, ...]) -> DocumentContent:
    """What is known of a reading without its rows but for these lines."""
    return DocumentContent(
        document_id=str(document.pk),
        parse_id=str(parse.pk),
        parse_number=parse.number,
        parser_version=parse.parser_version,
        title=document.title,
        file_name=document.file_name,
        media_type=document.media_type,
        sha256=document.sha256,
        language=parse.language,
        search_config=parse.search_config,
        toc_origin=parse.toc_origin,
        toc_strength=parse.toc_strength,
        unreadable_pages=tuple(parse.unreadable_pages),
        pages=(),
        lines=lines,
        toc=(),
        passages=(),
        attached=files_attached(parse),
    )


def files_attached(parse: Parse | None) -> tuple[tuple[str, str], ...]:
    """The files that a reading found attached to a document, by name and digest."""
    return tuple((name, sha256) for name, sha256 in (parse.report if parse else {}).get("attached", ()))


def read_covers(documents: Sequence[Document]) -> dict[UUID, DocumentContent]:
    """The first lines of the documents that have been read, as all that is known of them, in two queries."""
    parses = Parse.objects.in_bulk([key for document in documents if (key := document.current_parse_id)])
    lines: dict[UUID, list[LineRow]] = {key: [] for key in parses}
    rows = Line.objects.filter(parse__in=lines, number__lte=COVER_LINES).order_by("parse_id", "number")
    for parse_id, *row, spans in rows.values_list("parse_id", *LineRow._fields):
        lines[parse_id].append(LineRow._make((*row, tuple(LineSpan(*span) for span in spans))))
    read = ((document, document.current_parse_id) for document in documents)
    return {each.pk: bare_content(each, parses[key], tuple(lines[key])) for each, key in read if key and key in parses}


def read_vectors(parse: Parse) -> Vectors | None:
    """The vectors of a parse in the order of its passages and TOC entries; None until complete."""
    if not parse.embedding_model:
        return None
    return Vectors(parse.embedding_model, read_matrix(parse, Passage), read_matrix(parse, TocEntry))


def read_matrix(parse: Parse, owner: type[Passage] | type[TocEntry]) -> np.ndarray:
    """The vectors of the rows of one kind, sent as bytes: as text each number would be read by itself."""
    column = "passage_id" if owner is Passage else "toc_entry_id"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(dimensions), string_agg(substring(vector_send(vector) from {VECTOR_HEAD + 1}), ''::bytea"
            f" ORDER BY o.index) FROM {Embedding._meta.db_table} e JOIN {owner._meta.db_table} o ON o.id = e.{column}"
            " WHERE e.parse_id = %s AND e.model_key = %s",
            [parse.pk, parse.embedding_model],
        )
        dimensions, sent = cursor.fetchone()
    return np.frombuffer(sent or b"", dtype=">f4").astype(np.float32).reshape(-1, dimensions or 1)
