"""The headlines of an answer without a writer among its quotes: each cited, and nothing quoted twice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from chat.drafts import Quoted, cite_lines
from documents.storage.content import DocumentContent
from reading.rows import LineRow
from reading.tables import cells_of_line
from retrieval.arbiter.order import STATEMENT
from retrieval.headlines.choosing import Spoken
from retrieval.models import RunCandidate


def quote_headline(spoken: Spoken, candidate: RunCandidate, marker: int) -> Quoted:
    """The headline as a citation of its own."""
    first, last = min(each.number for each in spoken.said_itself), max(each.number for each in spoken.pieces)
    pieces = [(each.number, each.start, each.end) for each in spoken.pieces]
    return Quoted(marker, candidate, spoken.literal, cite_lines(spoken.content, first, last, pieces))


def with_headlines(headlines: Sequence[Quoted], quotes: Sequence[Quoted]) -> list[Quoted]:
    """Each headline's quote, or the one of the quotes that holds it, then those that say something else."""
    first: list[Quoted] = []
    for headline in headlines:
        holding = (each for each in quotes if flat(headline.quote) in flat(each.quote) and each not in first)
        first.append(next(holding, headline))
    said = "".join(flat(each.quote) for each in first)
    return number_anew([*first, *(each for each in quotes if flat(each.quote) not in said)])


def drop_repeated_quotes(quoted: Sequence[Quoted], headlines: Sequence[Quoted]) -> list[Quoted]:
    """The quotes but for those that are a headline and no more."""
    said = {flat(each.quote) for each in headlines}
    return [each for each in quoted if flat(each.quote) not in said]


def prose_before_tables(quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent]) -> list[Quoted]:
    """The quotes with those last that are only rows of a statement, or lines with columns side by side."""
    return number_anew(sorted(quotes, key=lambda each: is_beside(each, contents.get(each.candidate.parse_id))))


def is_beside(quoted: Quoted, content: DocumentContent | None) -> bool:
    """Whether a quote is only a row of a statement, or of lines with columns side by side, which read as one."""
    candidate = quoted.candidate
    if candidate.rule == STATEMENT.name:
        return True
    numbers = [piece["line_number"] for piece in candidate.anchor_pieces]
    lines = content.legible_lines(min(numbers), max(numbers)) if content and numbers else ()
    columns = [line for line in lines if line.kind != "table_row" and len(cells_of_line(line)) > 1]
    is_parted = len(columns) > 1 and 2 * len(columns) >= len(lines)  # one line alone may have a formula
    return is_parted or any(stands_beside(line, following) for line, following in pairwise(lines))


def stands_beside(line: LineRow, following: LineRow) -> bool:
    """Whether a line is printed to the right of the one before it, rather than below."""
    is_level = following.y0 < (line.y0 + line.y1) / 2 and line.page_number == following.page_number
    return is_level and following.x0 > line.x1


def move_cited_first(quotes: Sequence[Quoted], marker: int) -> list[Quoted]:
    """The quotes with one of them before the others."""
    return number_anew(sorted(quotes, key=lambda each: each.marker != marker))


def number_anew(quotes: Iterable[Quoted]) -> list[Quoted]:
    return [replace(each, marker=marker) for marker, each in enumerate(quotes, start=1)]


def flat(text: str) -> str:
    return "".join(text.split())
