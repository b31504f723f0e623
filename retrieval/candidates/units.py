"""Where the units of a text begin and end: clauses, list items, headings, rows; and the sentences inside them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from statistics import median
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_with_content, stored_with_reading
from reading.layout.ticks import SIGNS
from reading.markdown import goes_on_in_row
from reading.matching import goes_on_without_space
from reading.rows import UNSEARCHED_KINDS, LineRow, cut_spans
from reading.values.sentences import ITEM_CLAUSE, LINE_ENDS_ITEM, SENTENCE, split_at
from retrieval.candidates.plain import BULLETS
from retrieval.types import LineRange

WIDE_GAP = 1.25  # of the usual distance of two lines on a page: more parts two paragraphs
SHORT_LINE = 0.85  # of the widest line nearby: a line that ends a sentence before that ends its paragraph
PITCH_LINES_MIN = 4
LEAD_IN_REACH = 30  # units looked back over for what an item hangs on
CELL_GAP = 1.0  # of a line's height, between a label and what is said of it: no blank between words is as wide
ROW_STEP = 1.25  # of a line's height, from line to line: rows are set apart, the lines of one are not
EDGE_SLACK = 2.0  # points
ROWS_APART = 4  # lines: a row of words has another one so near

ITEM = re.compile(
    r"(?P<number>\d+(?:\.\d+)+)[.)]?\s|\(?(?:(?P<digits>\d{1,3})|(?P<roman>[ivxlc]{2,6}|[IVXLC]{2,6})|(?P<letter>[A-Za-z]))[.)]\s"
    rf"|(?P<bullet>[{BULLETS}{SIGNS}–—*-]|\[[xX_ ]?\])\s"
)
WORD = re.compile(r"\s+")

EVEN = {"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u037e": ";", "\t": " "}


class Units(NamedTuple):
    """The first lines of the units of a document, ascending, with the characters and the section of each."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    sections: tuple[int, ...]
    lines: int  # of the document

    def position(self, number: int) -> int:
        return max(bisect_right(self.starts, number) - 1, 0)

    def around(self, number: int) -> LineRange:
        """The unit that a line is in."""
        return self.at(self.position(number))

    def at(self, position: int) -> LineRange:
        after = self.starts[position + 1] if position + 1 < len(self.starts) else self.lines + 1
        return LineRange(self.starts[position], after - 1)


@stored_with_reading("units", tuple, lambda plain, _: Units._make(plain))
def units_of(content: DocumentContent) -> Units:
    starts = tuple(find_starts(content)) or (1,)
    sizes = [0] * len(starts)
    position = 0
    for line in content.lines:
        if position + 1 < len(starts) and line.number >= starts[position + 1]:
            position += 1
        if line.kind not in UNSEARCHED_KINDS:
            sizes[position] += len(line.text) + 1
    sections = tuple(content.lines[start - 1].toc_index for start in starts)
    return Units(starts, tuple(sizes), sections, len(content.lines))


def find_starts(content: DocumentContent) -> Iterator[int]:
    """The first line of each unit; furniture and contents pages belong to the unit before them."""
    above: LineRow | None = None
    pitch = 0.0
    rows = rows_of_words(content)
    for line in content.lines:
        if line.kind in UNSEARCHED_KINDS:
            continue
        if above is None or above.page_number != line.page_number:
            pitch = pitch_of(content.lines_on_page(line.page_number))
        if above is None or line.number in rows or is_start(above, line, pitch):
            yield line.number
        above = line


@kept_with_content
def rows_of_words(content: DocumentContent) -> Mapping[int, int]:
    """The first lines of the rows of tables in words: a label and, beside it, what is said of it ("Law  Ireland").

    Each with the first row of its table. Such a line has two parts far from each other, as one nearby whose second part
    begins below it, and stands apart from the line above. No sentence goes over the end of a row.
    """
    rows: dict[int, int] = {}
    before: tuple[LineRow, float] | None = None
    for line in content.lines:
        edge = value_edge(line)
        if edge is None:
            continue
        is_beside = (
            before is not None
            and (line.page_number, line.column) == (before[0].page_number, before[0].column)
            and line.number - before[0].number <= ROWS_APART
            and abs(edge - before[1]) <= EDGE_SLACK
        )
        if before and is_beside and is_set_apart(line, content):
            top = rows.setdefault(before[0].number, before[0].number)
            rows[line.number] = top
        if not is_beside or line.number in rows:  # else it goes on with the row above
            before = line, edge
    return rows


def value_edge(line: LineRow) -> float | None:
    """Where the second part of a line of text in two parts begins; None of any other line."""
    if line.kind not in ("body", "list_item"):
        return None
    parts = parts_apart(line)
    return line.spans[parts[1][0]].x0 if len(parts) == 2 else None


def parts_apart(line: LineRow) -> list[tuple[int, int]]:
    """Which spans [first, last) of a line are together."""
    return cut_spans(line.spans, CELL_GAP * (line.y1 - line.y0))


def ends_row(number: int, content: DocumentContent) -> bool:
    """Whether a row of a table in words ends or begins between a line and the next one."""
    rows, units = rows_of_words(content), units_of(content)
    at, after = units.position(number), units.position(number + 1)
    return at != after and (units.starts[at] in rows or units.starts[after] in rows)


def table_below(number: int, content: DocumentContent) -> LineRange | None:
    """The table in words whose head a line is, to the end of its last row; None for any other line.

    A first row whose label ends with a colon is no head.
    """
    rows, units = rows_of_words(content), units_of(content)
    top = units.around(number).first
    line = content.lines[top - 1]
    if rows.get(top) != top or line.text[: line.spans[parts_apart(line)[0][1]].start].rstrip().endswith(":"):
        return None
    last = max(row for row, first in rows.items() if first == top)
    return LineRange(top, units.around(last).last)


def is_set_apart(line: LineRow, content: DocumentContent) -> bool:
    above = content.lines[line.number - 2] if line.number > 1 else None
    if above is None or above.page_number != line.page_number:
        return True
    return not 0 <= line.y0 - above.y0 <= ROW_STEP * (line.y1 - line.y0)


def pitch_of(lines: Sequence[LineRow]) -> float:
    """The usual distance from one text line of a page to the next; 0 if the page has too few."""
    tops = [line.y0 for line in lines if line.kind in ("body", "list_item")]
    steps = [after - before for before, after in pairwise(tops) if after > before]
    return median(steps) if len(steps) >= PITCH_LINES_MIN else 0.0


def is_start(above: LineRow, line: LineRow, pitch: float) -> bool:
    """Whether a line begins a unit, rather than going on with the line above it."""
    if line.kind == "table_row" or above.kind == "table_row":
        return not goes_on_in_row(above, line)
    if line.kind in ("heading", "caption"):
        return line.kind != above.kind or line.toc_index != above.toc_index
    if above.kind in ("heading", "caption"):
        return True
    is_marked = bool(ITEM.match(line.text))
    if line.kind == "list_item" and (is_marked or above.kind != "list_item"):
        return True
    ends = bool(LINE_ENDS_ITEM.search(even(above.text).rstrip()))
    if is_marked and (ends or line.toc_index != above.toc_index):
        return True
    if above.page_number != line.page_number or above.column != line.column or line.y0 < above.y0:
        return ends and not line.text[:1].islower()
    if pitch and line.y0 - above.y0 > WIDE_GAP * pitch:
        return True
    return ends and above.x1 - above.x0 < SHORT_LINE * (line.x1 - line.x0) and not line.text[:1].islower()


def marker_of(lines: LineRange, content: DocumentContent) -> str:
    """How an item is marked: "bullet", "letter", "roman", "digits" or "number" with its depth; "" for other units."""
    line = content.lines[lines.first - 1]
    found = ITEM.match(line.text)
    if not found:
        return "item" if line.kind == "list_item" else ""
    kind = str(found.lastgroup)
    return f"{kind}{found['number'].count('.')}" if kind == "number" else kind


def introduces(lines: LineRange, content: DocumentContent) -> bool:
    """Whether a unit introduces the items after it: it ends in a colon or a dash; one that is no item has no end."""
    text = even(content.text_between(*lines, searched_only=True)).rstrip()
    return text.endswith((":", "—", "–")) or not (marker_of(lines, content) or LINE_ENDS_ITEM.search(text))


def lead_in_of(lines: LineRange, content: DocumentContent) -> LineRange | None:
    """The unit that introduces the item at `lines`; None if it is no item or nothing introduces it."""
    own = marker_of(lines, content)
    if not own:
        return None
    units = units_of(content)
    position = units.position(lines.first)
    section = content.lines[lines.first - 1].toc_index
    for before in range(position - 1, max(position - 1 - LEAD_IN_REACH, -1), -1):
        above = units.at(before)
        first = content.lines[above.first - 1]
        if first.kind in ("heading", "table_row") or first.toc_index != section:
            return None
        marker = marker_of(above, content)
        is_next = before == position - 1  # "(a) … shall not:" introduces "(i)", which is a letter as well
        if (marker != own or is_next) and introduces(above, content):
            return above
        if not marker:
            return None
    return None


def even(text: str) -> str:
    """The text with plain blanks and semicolons, character for character as long as it was."""
    for sign, plain in EVEN.items():  # a hundred times as fast as str.translate
        text = text.replace(sign, plain)
    return text


# ---- inside a unit


class Piece(NamedTuple):
    """Characters [start, end) of one line."""

    number: int
    start: int
    end: int


class Prose(NamedTuple):
    """Consecutive lines as one text, and where in it each of them begins."""

    text: str
    begins: tuple[int, ...]
    lines: tuple[LineRow, ...]

    def pieces(self, start: int, end: int) -> list[Piece]:
        """Characters [start, end) of the text as pieces of its lines."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        if start == end:
            return []
        first, last = bisect_right(self.begins, start) - 1, bisect_right(self.begins, end - 1) - 1
        begin, stop = start - self.begins[first], end - 1 - self.begins[last]
        return [
            Piece(line.number, begin if index == first else 0, stop + 1 if index == last else len(line.text))
            for index, line in enumerate(self.lines[first : last + 1], first)
        ]

    def stretch(self, lines: LineRange) -> tuple[int, int]:
        """The characters of the text that are on these lines; the whole text if there are none."""
        inside = [index for index, line in enumerate(self.lines) if lines.first <= line.number <= lines.last]
        if not inside:
            return 0, len(self.text)
        return self.begins[inside[0]], (*self.begins, len(self.text))[inside[-1] + 1]


def prose_of(lines: LineRange, content: DocumentContent, *, in_force: bool = False) -> Prose:
    """The lines joined by blanks, but for a word that goes on over the end of one.

    With blanks for what is struck through, where only what is `in_force` is wanted.
    """
    rows = content.legible_lines(*lines)
    parts: list[str] = []
    begins: list[int] = []
    at = 0
    for row, following in zip_longest(rows, rows[1:]):
        text = row.text_in_force if in_force else row.text
        text = text.rstrip() if following else text
        if following and not goes_on_without_space(text, following.text.lstrip()):
            text += " "
        parts.append(text)
        begins.append(at)
        at += len(text)
    return Prose(even("".join(parts)), tuple(begins), rows)


def cut_around(text: str, wanted: tuple[int, int], limit: int) -> tuple[int, int]:
    """The whole sentences around the wanted characters, at most `limit` characters if they allow it.

    A sentence longer than that is cut between its clauses, and a clause longer than that between words.
    """
    # Parts that begin or end where this is cut off are longer than the limit, and so never taken.
    inside = (max(0, wanted[0] - 2 * limit), min(len(text), wanted[1] + 2 * limit))
    for ends in (SENTENCE, ITEM_CLAUSE, WORD):
        parts = [(inside[0] + start, inside[0] + end) for start, end in split_at(text[inside[0] : inside[1]], ends)]
        first = next((at for at, part in enumerate(parts) if part[1] > wanted[0]), len(parts) - 1)
        last = next((at for at, part in enumerate(parts) if part[1] >= wanted[1]), len(parts) - 1)
        if parts[last][1] - parts[first][0] > limit and first < last:  # keep the first, which holds the beginning
            last = first
        if parts[last][1] - parts[first][0] <= limit:
            return grow(parts, first, last, limit)
        inside = parts[first][0], parts[last][1]
    return inside


def grow(parts: Sequence[tuple[int, int]], first: int, last: int, limit: int) -> tuple[int, int]:
    """The parts first..last with as many after and before them as fit."""
    is_grown = True
    while is_grown:
        is_grown = False
        if last + 1 < len(parts) and parts[last + 1][1] - parts[first][0] <= limit:
            last, is_grown = last + 1, True
        if first and parts[last][1] - parts[first - 1][0] <= limit:
            first, is_grown = first - 1, True
    return parts[first][0], parts[last][1]
