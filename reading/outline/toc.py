"""The table of contents: the starts of the first usable source become line-exact sections (R5-R7, R13)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from operator import itemgetter
from typing import NamedTuple, Protocol

from reading.layout.lines import PageLine
from reading.matching import match_form
from reading.outline.headings import VERIFIED, SectionStart
from reading.outline.typography import USABLE_ENTRIES
from reading.rows import FRONT_INDEX, STRUCK_MARK, ContentsSource, LineKind, TocRow, name_in_force

HEADING_LINES = 3
WORD = re.compile(r"\S+")
FRONT_TITLE, WHOLE_TITLE = "Front matter", "Whole document"


class Numbered(Protocol):
    """What is needed of a line: while it is read, and when it is stored."""

    @property
    def page_number(self) -> int: ...


def mark_struck_names(starts: Sequence[SectionStart], lines: Sequence[PageLine]) -> None:
    """Mark what of each title is struck through on its heading, so that no name is shown as if it held.

    They are compared word by word, without the number: an outline may say it in other letters. One that says something
    else is marked as a whole, where the whole heading is struck.
    """
    ends = [*sorted(start.line_index for start in starts), len(lines)]
    for start in starts:
        end = ends[bisect_right(ends, start.line_index)] if start.line_index < len(lines) else len(lines)
        first, *others = lines[start.line_index : min(end, start.line_index + HEADING_LINES)] or (None,)
        if first is None or not any(span.struck for line in (first, *others) for span in line.spans):
            continue
        printed = [*words_struck(first)]
        is_whole = all(is_struck for _, is_struck in printed)
        for line in takewhile(lambda line: line.kind == "heading", others):
            printed += words_struck(line)
        title = start.title.split()
        words = [match_form(word) for word in title]
        at = find_words(words, [word for word, _ in printed])
        if find_words(words, [word for word, is_struck in printed if not is_struck]) is not None:
            continue
        if at is not None:
            start.title = with_marks(title, [is_struck for _, is_struck in printed[at : at + len(title)]])
        elif is_whole:
            start.title = with_marks(title, [True] * len(title))
        if name_in_force(start.title) and start.title.startswith(f"{STRUCK_MARK}{start.number}"):
            start.number = ""


def words_struck(line: PageLine) -> Iterator[tuple[str, bool]]:
    """The match form of each word of a line, and whether most of it is struck through."""
    for word in WORD.finditer(line.text):
        struck = sum(
            max(0, min(span.end, word.end()) - max(span.start, word.start())) for span in line.spans if span.struck
        )
        yield match_form(word[0]), 2 * struck > len(word[0])


def find_words(words: Sequence[str], printed: Sequence[str]) -> int | None:
    """Where the words of a title stand one after the other in what is printed."""
    places = range(len(printed) - len(words) + 1) if words else ()
    return next((at for at in places if list(printed[at : at + len(words)]) == list(words)), None)


def with_marks(words: Sequence[str], is_struck: Sequence[bool]) -> str:
    """The words, with marks around each run of those that are struck through."""
    runs = groupby(zip(words, is_struck, strict=True), key=itemgetter(1))
    marks = {True: STRUCK_MARK, False: ""}
    return " ".join(f"{marks[struck]}{' '.join(word for word, _ in run)}{marks[struck]}" for struck, run in runs)


def rows_of_starts(
    starts: Sequence[SectionStart], lines: Sequence[PageLine], document_title: str
) -> tuple[TocRow, ...]:
    """Entries with inclusive line and page ranges, front matter first; sets `toc_index` of every line."""
    rows, indexes = sections_of(starts, lines, document_title)
    for line, index in zip(lines, indexes, strict=True):
        line.toc_index = index
    return rows


def sections_of(
    starts: Sequence[SectionStart], lines: Sequence[Numbered], document_title: str
) -> tuple[tuple[TocRow, ...], list[int]]:
    """The entries, and for each line the index of its own."""
    ordered = sorted(starts, key=lambda start: start.line_index)
    last_line = len(lines)
    if not ordered:
        return (whole_document(lines, document_title),) if lines else (), [FRONT_INDEX] * len(lines)
    rows: list[TocRow] = []
    if ordered[0].line_index > 0:
        rows.append(build_front_row(lines, ordered[0].line_index))
    ancestors: list[TocRow] = []
    ends = section_ends(ordered, last_line)
    for index, (start, end) in enumerate(zip(ordered, ends, strict=True), start=1):
        ancestors = [row for row in ancestors if row.level < start.level]
        row = TocRow(
            index,
            start.level,
            ancestors[-1].index if ancestors else None,
            start.number,
            start.title,
            " > ".join([*(ancestor.title for ancestor in ancestors), start.title]),
            start.line_index + 1,
            end,
            start.page_number,
            lines[end - 1].page_number,
            start.origin,
            start.confidence,
        )
        rows.append(row)
        ancestors.append(row)
    return tuple(rows), indexes_of(ordered, last_line)


def section_ends(ordered: Sequence[SectionStart], last_line: int) -> list[int]:
    """R6: a section ends before the next entry of the same or a shallower level, never before its start."""
    ends = [last_line] * len(ordered)
    open_entries: list[int] = []
    for index, start in enumerate(ordered):
        while open_entries and ordered[open_entries[-1]].level >= start.level:
            before = open_entries.pop()
            ends[before] = max(start.line_index, ordered[before].line_index + 1)
        open_entries.append(index)
    return ends


def indexes_of(ordered: Sequence[SectionStart], line_count: int) -> list[int]:
    """R7: every line belongs to the entry begun last, which is the deepest one containing it."""
    bounds = [start.line_index for start in ordered[1:]] + [line_count]
    indexes = [FRONT_INDEX] * ordered[0].line_index
    for index, (start, end) in enumerate(zip(ordered, bounds, strict=True), start=1):
        indexes += [index] * (end - start.line_index)
    return indexes


def build_front_row(lines: Sequence[Numbered], end: int) -> TocRow:
    page = lines[end - 1].page_number
    return TocRow(FRONT_INDEX, 1, None, "", FRONT_TITLE, FRONT_TITLE, 1, end, lines[0].page_number, page, "front", 1.0)


def whole_document(lines: Sequence[Numbered], title: str) -> TocRow:
    title = title or WHOLE_TITLE
    pages = (lines[0].page_number, lines[-1].page_number)
    return TocRow(FRONT_INDEX, 1, None, "", title, title, 1, len(lines), *pages, "front", 1.0)


def strength_of(starts: Sequence[SectionStart], page_count: int) -> tuple[str, float]:
    """How reliable a table of contents is, and the share of titles found on their start line."""
    if not starts:
        return "none", 0.0
    verified = sum(start.confidence >= VERIFIED for start in starts) / len(starts)
    if len(starts) < USABLE_ENTRIES or verified < 0.5:
        return "weak", verified
    is_fine = len(starts) >= page_count / 10
    is_given = starts[0].origin in ("outline", "linked_contents", "markdown")
    return ("strong" if verified >= 0.9 and is_given and is_fine else "medium"), verified


Source = Callable[[], list[SectionStart]]


class Tried(NamedTuple):
    """What a source gave, and the kinds of the lines after it: it marks those of its contents pages."""

    name: ContentsSource
    starts: list[SectionStart]
    kinds: list[LineKind]

    @property
    def is_usable(self) -> bool:
        """Whether there are enough entries, and most titles were found."""
        verified = sum(start.confidence >= VERIFIED for start in self.starts)
        return len(self.starts) >= USABLE_ENTRIES and verified * 2 >= len(self.starts)


def take_source(
    sources: Mapping[ContentsSource, Source], lines: Sequence[PageLine], wanted: ContentsSource
) -> tuple[Tried, list[Tried]]:
    """The wanted source if it is usable, else the first usable one, else the best there is; and all usable ones.

    The lines are left as the source that is taken found them, whatever those after it marked.
    """
    tried = [Tried(name, source(), [line.kind for line in lines]) for name, source in sources.items()]
    usable = [each for each in tried if each.is_usable]
    if not usable:
        return max(tried, key=lambda each: sum(start.confidence for start in each.starts)), []
    taken = next((each for each in usable if each.name == wanted), usable[0])
    for line, kind in zip(lines, taken.kinds, strict=True):
        line.kind = kind
    return taken, usable
