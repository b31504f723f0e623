"""Whether what a request shows is enough to judge: gold quotes, and the rows an answer is made of, in one brief."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.derived import numbers_of
from benchmarks.metrics import mean
from benchmarks.questions import GoldQuestion
from chat.figures.computing import compute_all, read_formulas
from chat.figures.statement_rows import SCALE, statement_rows
from documents.storage.content import DocumentContent
from llm.fence import unfence
from reading.matching import loose_map
from reading.rows import UNSEARCHED_KINDS, LineRow
from retrieval.candidates.plain import plain_text

BLOCK = re.compile(r'<candidate id="[^"]*">\n(.*?)\n</candidate>', re.DOTALL)
DIGITS_MIN = 2  # a number of one digit is printed on every page


@dataclass(frozen=True)
class NeededRow:
    """A line that an answer needs, the years of its columns that it needs, and the unit its page states, or ""."""

    line: LineRow
    years: tuple[str, ...]
    unit: str


@dataclass(frozen=True)
class Shown:
    """What one request shows of the evidence of its question."""

    id: str
    quotes: tuple[bool, ...]
    readable: tuple[bool, ...]  # the quotes that the document's text has in one piece
    pages: tuple[bool, ...]  # of the pages with needed rows: every row, with period and unit


def shown_of(question: GoldQuestion, request: str, content: DocumentContent) -> Shown:
    texts = [loose(unfence(block)) for block in BLOCK.findall(request)]
    quotes = () if question.not_found else tuple(map(loose, question.quotes))
    whole = loose(content.text_between(1, len(content.lines), searched_only=True))
    rows = () if question.not_found or question.quotes else needed_rows(question, content)
    pages = sorted({row.line.page_number for row in rows})
    return Shown(
        question.id,
        tuple(any(quote in text for text in texts) for quote in quotes),
        tuple(quote in whole for quote in quotes),
        tuple(all(is_row_shown(row, texts) for row in rows if row.line.page_number == page) for page in pages),
    )


def needed_rows(question: GoldQuestion, content: DocumentContent) -> tuple[NeededRow, ...]:
    """The statement rows that the asked figure is computed from; else the gold pages' lines with the gold numbers.

    A line counts if it prints most of the gold answer's numbers that its page prints at all.
    """
    computed = compute_all(read_formulas(question.question), statement_rows(content))
    years: dict[int, set[str]] = {}
    for each in (one for found in computed for one in found.inputs):
        years.setdefault(each.row.line.number, set()).add(each.year)
    if years:
        lines = [content.lines[number - 1] for number in sorted(years)]
        return tuple(NeededRow(line, tuple(sorted(years[line.number])), unit_of(line, content)) for line in lines)
    found = [line for page in question.pages if (line := line_with(question.answer, page, content))]
    return tuple(NeededRow(line, (), unit_of(line, content) if is_row(line) else "") for line in found)


def line_with(answer: str, page: int, content: DocumentContent) -> LineRow | None:
    """The line of a page with the most numbers of the answer, a row rather than text; None if no line has any."""
    wanted = {abs(number) for number in numbers_of(answer) if len(re.sub(r"\D", "", str(number))) >= DIGITS_MIN}
    lines = [line for line in content.lines_on_page(page) if line.kind not in UNSEARCHED_KINDS]
    printed = {line.number: {abs(each) for each in numbers_of(line.text)} & wanted for line in lines}
    best = max(lines, key=lambda line: (len(printed[line.number]), is_row(line)), default=None)
    return best if best and printed[best.number] else None


def is_row(line: LineRow) -> bool:
    return line.kind == "table_row"


def unit_of(line: LineRow, content: DocumentContent) -> str:
    """The unit stated nearest above a row on its page, such as "in millions"; "" if none is."""
    above = [each for each in content.lines_on_page(line.page_number) if each.number <= line.number]
    return next((found[0] for each in reversed(above) if (found := SCALE.search(each.match))), "")


def is_row_shown(row: NeededRow, texts: Iterable[str]) -> bool:
    """Whether one brief has the whole line, each year it is needed for, and its unit."""
    parts = [loose(row.line.text), *row.years, loose(row.unit)]
    return any(all(part in text for part in parts) for text in texts)


def loose(text: str) -> str:
    return loose_map(plain_text(text))[0]


def summarise_shown(shown: Sequence[Shown]) -> dict[str, Any]:
    """Shares over all quotes and over all pages with needed rows, and which questions lack some."""
    quotes = [whole for one in shown for whole in one.quotes]
    readable = [is_readable for one in shown for is_readable in one.readable]
    pages = [whole for one in shown for whole in one.pages]
    return {
        "quotes": len(quotes),
        "quotes_whole": mean([float(whole) for whole in quotes]),
        "quotes_readable": mean([float(is_readable) for is_readable in readable]),
        "pages_with_rows": len(pages),
        "pages_with_rows_shown": mean([float(whole) for whole in pages]),
        "lacking": [one.id for one in shown if not all(one.quotes) or not all(one.pages)],
    }
