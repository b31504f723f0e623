"""One document as retrieval sees it: lines, sections, passages and vectors of one parse, read-only and cached."""

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from documents.models import Embedding, Parse
from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS, LineRow, LineSpan, PageRow, PassageRow, Reading, TocRow
from reading.running_heads import RunningHead, find_running_heads
from reading.tables import Table, read_tables

CACHED_DOCUMENTS_MAX = 32  # a 390-page filing takes about 30 MB here, so at most about 1 GB in a worker
USABLE_TOC_ENTRIES = 4  # R10


@dataclass(frozen=True)
class Vectors:
    """Normalised vectors, float32: `passages` [passages, dimensions], `toc` [entries, dimensions] by row order."""

    model_key: str
    passages: np.ndarray
    toc: np.ndarray


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
        """The lines of a page, possibly none."""
        first = bisect_left(self.lines, number, key=lambda line: line.page_number)
        return self.lines[first : bisect_right(self.lines, number, key=lambda line: line.page_number)]

    def tables_on_page(self, number: int) -> list[Table]:
        """The tables of a page, in reading order."""
        return read_tables(self.lines_on_page(number))

    @cached_property
    def searched_lines(self) -> tuple[LineRow, ...]:
        """The lines that may be hits: without page furniture and contents pages."""
        heads = self.running_heads
        return tuple(line for line in self.lines if line.kind not in UNSEARCHED_KINDS or line.number in heads)

    @cached_property
    def toc_by_index(self) -> dict[int, TocRow]:
        return {entry.index: entry for entry in self.toc}

    @cached_property
    def title_forms(self) -> dict[int, str]:
        """The match form of each title, by TOC index, for comparison with questions."""
        return {entry.index: match_form(entry.title) for entry in self.toc}

    @property
    def has_usable_toc(self) -> bool:
        return sum(1 for entry in self.toc if entry.origin != "front") >= USABLE_TOC_ENTRIES

    def page(self, number: int) -> PageRow:
        return self.pages[number - 1]

    def snapshot(self) -> dict[str, Any]:
        """What a run stores about the document it read."""
        return {
            "document_id": self.document_id,
            "title": self.title,
            "file_name": self.file_name,
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


class ContentCache:
    """The most recently used contents of this process. Only a parse's vectors change, and they are in the key."""

    def __init__(self, size: int = CACHED_DOCUMENTS_MAX) -> None:
        self._size = size
        self._contents: OrderedDict[tuple[str, str], DocumentContent] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, parse: Parse) -> DocumentContent:
        key = (str(parse.pk), f"{parse.embedding_model} {parse.embedded_at}")
        with self._lock:
            if key in self._contents:
                self._contents.move_to_end(key)
                return self._contents[key]
        content = read_content(parse)
        with self._lock:
            self._contents[key] = content
            while len(self._contents) > self._size:
                self._contents.popitem(last=False)
        return content


_cache = ContentCache()


def load_content(parse: Parse) -> DocumentContent:
    """The content of a parse, from this process's cache if possible."""
    return _cache.get(parse)


def read_content(parse: Parse) -> DocumentContent:
    """The content of a parse, from the database."""
    document = parse.document
    line_columns = [name for name in LineRow._fields if name != "spans"]
    lines: Iterable[tuple[Any, ...]] = parse.lines.order_by("number").values_list(*line_columns, "spans")
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
        pages=tuple(page_row(row) for row in parse.pages.order_by("number").values_list(*PageRow._fields)),
        lines=tuple(LineRow._make((*row[:-1], tuple(LineSpan(*span) for span in row[-1]))) for row in lines),
        toc=tuple(TocRow(*row) for row in parse.toc_entries.order_by("index").values_list(*TocRow._fields)),
        passages=tuple(PassageRow(*row) for row in parse.passages.order_by("index").values_list(*PassageRow._fields)),
        vectors=read_vectors(parse),
    )


def page_row(stored: tuple[Any, ...]) -> PageRow:
    """A page of the database, whose flags come as a list."""
    return PageRow._make((*stored[:-1], tuple(stored[-1])))


def content_of(
    reading: Reading,
    passages: Sequence[PassageRow],
    *,
    file_name: str,
    media_type: str,
    sha256: str,
    vectors: Vectors | None = None,
) -> DocumentContent:
    """The content of a reading that is not stored, for notebooks, benchmarks and tests."""
    return DocumentContent(
        document_id=sha256[:32],
        parse_id=f"{sha256[:32]}-{reading.language}",
        parse_number=1,
        parser_version=str(reading.report.get("parser_version", "")),
        title=reading.title or file_name,
        file_name=file_name,
        media_type=media_type,
        sha256=sha256,
        language=reading.language,
        search_config=str(reading.report.get("search_config", "simple")),
        toc_origin=str(reading.report.get("toc_origin", "")),
        toc_strength=str(reading.report.get("toc_strength", "")),
        unreadable_pages=tuple(page.number for page in reading.pages if page.text_layer == "none"),
        pages=reading.pages,
        lines=reading.lines,
        toc=reading.toc,
        passages=tuple(passages),
        vectors=vectors,
    )


def read_vectors(parse: Parse) -> Vectors | None:
    """The vectors of a parse in the order of its passages and TOC entries; None until complete."""
    if not parse.embedding_model:
        return None
    rows = Embedding.objects.filter(parse=parse, model_key=parse.embedding_model)
    passages = rows.exclude(passage=None).order_by("passage__index").values_list("vector", flat=True)
    toc = rows.exclude(toc_entry=None).order_by("toc_entry__index").values_list("vector", flat=True)
    return Vectors(parse.embedding_model, matrix(list(passages)), matrix(list(toc)))


def matrix(vectors: list[Any]) -> np.ndarray:
    return np.asarray([np.asarray(vector) for vector in vectors], dtype=np.float32)
