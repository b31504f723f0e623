"""The rows of a passage for the writer, read from its document: lines, and rows of tables with their columns (R80)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from chat.drafts import Quoted
from chat.figures.inputs import (
    SCALE_STATED,
    ExcerptSource,
    PrintedNumber,
    cell_as_printed,
    column_of_printed,
    scale_on_page,
)
from chat.writing.excerpts import CELL_SIGN, Excerpt, ExcerptRow, has_struck, only_rows, with_text_of
from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import LineRow
from reading.tables import Table, TableColumn, TableRow, cells_of_line
from reading.values.scales import SCALE_WORDS
from reading.values.years import YEAR
from retrieval.candidates.plain import one_line, plain_text
from retrieval.candidates.units import units_of
from retrieval.models import RunCandidate

OVER_MAX = 120  # characters over the labels of a table; more of them are lines of their own
HEADING_MAX = 80  # characters; what is longer above a column is a sentence, and its period says enough
WORD = re.compile(r"\w+")
LEADERS = re.compile(r" ?(?:\. ?){4,}")  # from a label to its value
NOT_COMPARED = re.compile(r"[\s.\u2026|]+")  # blanks, leaders, the signs between cells


def excerpts_of(quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent]) -> list[Excerpt]:
    """The contexts of the quotes, numbered like their markers; a line that is in an earlier one is not sent twice."""
    excerpts: list[Excerpt] = []
    sent: list[RunCandidate] = []
    for each in quotes:
        candidate = each.candidate
        is_sent = any(holds(earlier, candidate) for earlier in sent)
        pages = sorted({candidate.context_first_page, candidate.context_last_page})
        excerpt = Excerpt(
            number=each.marker,
            document=candidate.document_title,
            section=candidate.breadcrumb or candidate.section_title,
            pages="\u2013".join(map(str, pages)),
            text=each.quote if is_sent else candidate.context_text,
            quote=each.quote,
            relevance=candidate.rule.removeprefix("relevance ") if is_reranked(candidate) else "",
        )
        content = contents.get(candidate.parse_id)
        rows = rows_of_passage(each, content) if content else ()
        excerpts.append(with_unsent_rows(excerpt, rows, candidate, sent) if rows else excerpt)
        sent.append(candidate)
    return excerpts


def with_unsent_rows(
    excerpt: Excerpt, rows: Sequence[ExcerptRow], candidate: RunCandidate, sent: Sequence[RunCandidate]
) -> Excerpt:
    """The excerpt with its quote and the rows that no earlier one has."""
    earlier = [each for each in sent if each.parse_id == candidate.parse_id]
    if has_struck(rows):
        excerpt = with_text_of(rows, excerpt)
    if any(holds(each, candidate) for each in earlier):
        quoted = [row for row in rows if row.is_quote]
        return only_rows(excerpt, quoted) if quoted else excerpt
    unsent = [row for row in rows if row.is_quote or not any(has_row(each, row) for each in earlier)]
    return replace(excerpt, rows=tuple(unsent))


def is_reranked(candidate: RunCandidate) -> bool:
    return candidate.rule.startswith("relevance ")


def holds(earlier: RunCandidate, candidate: RunCandidate) -> bool:
    return (
        earlier.parse_id == candidate.parse_id
        and earlier.context_first_line <= candidate.context_first_line
        and candidate.context_last_line <= earlier.context_last_line
    )


def has_row(candidate: RunCandidate, row: ExcerptRow) -> bool:
    return candidate.context_first_line <= row.number and row.last <= candidate.context_last_line


def rows_of_passage(quoted: Quoted, content: DocumentContent) -> tuple[ExcerptRow, ...]:
    """The rows of a candidate's context; () where its lines are not what the record says that they are."""
    candidate = quoted.candidate
    lines = content.legible_lines(candidate.context_first_line, candidate.context_last_line)
    if not lines or "\n".join(line.text for line in lines) != candidate.context_text:
        return ()
    cited = {int(piece["line_number"]) for piece in candidate.anchor_pieces}
    cited = cited or {*range(candidate.anchor_first_line, candidate.anchor_last_line + 1)}
    rows = read_rows(lines, content, cited)
    return tuple(
        replace(row, at=at, is_quote=any(row.number <= number <= row.last for number in cited))
        for at, row in enumerate(rows)
    )


def read_rows(lines: Sequence[LineRow], content: DocumentContent, cited: set[int]) -> Iterator[ExcerptRow]:
    """The rows of tables, without the lines that say no more than their columns and are not cited; and paragraphs."""
    tables = {page: content.tables_on_page(page) for page in dict.fromkeys(line.page_number for line in lines)}
    present = {line.number for line in lines}
    heads: dict[int, TableHead] = {}
    seen = 0
    for at, line in enumerate(lines):
        if line.number <= seen:
            continue
        table = table_at(line, tables)
        if table is None:
            own = list(takewhile(partial(is_of_paragraph, line, tables=tables, content=content), lines[at:]))
            seen = own[-1].number
            yield row_of_lines(own)
            continue
        if id(table) not in heads:
            heads[id(table)] = head_of_table(table, present, content)
        head = heads[id(table)]
        if line.number in table.head_lines:
            if line.number in (table.title_line, *cited) or not head.tells(line.text):
                yield row_of_lines([line])
            continue
        row = table.row_at(line.number)
        own = [each for each in lines[at:] if each.number <= row.last_line] if row else [line]
        seen = own[-1].number
        yield row_of_lines(own, row, head.text)


def table_at(line: LineRow, tables: Mapping[int, Sequence[Table]]) -> Table | None:
    return next((each for each in tables[line.page_number] if each.first_line <= line.number <= each.last_line), None)


def is_of_paragraph(
    first: LineRow, line: LineRow, *, tables: Mapping[int, Sequence[Table]], content: DocumentContent
) -> bool:
    """Whether a line is of the paragraph that begins with the first, on the same page."""
    is_same = line.page_number == first.page_number and line.number <= units_of(content).around(first.number).last
    return is_same and table_at(line, tables) is None


def row_of_lines(lines: Sequence[LineRow], row: TableRow | None = None, head: str = "") -> ExcerptRow:
    text = "\n".join(line.marked() for line in lines)
    shown = LEADERS.sub(" ", write_cells(row, text) if row else one_line(text))
    in_force = "\n".join(line.text_in_force for line in lines) if any(line.struck for line in lines) else None
    first, last = lines[0], lines[-1]
    return ExcerptRow(text, shown, first.number, last.number, first.page_number, head, in_force=in_force)


def write_cells(row: TableRow, text: str) -> str:
    """The cells of a row; the text as it is where they would say anything else, or in another order."""
    cells = CELL_SIGN.join([row.label, *(" ".join(cell.text.split()) if cell else "" for cell in row.cells)])
    is_same = NOT_COMPARED.sub("", cells) == NOT_COMPARED.sub("", text)
    return plain_text(cells if is_same else text).rstrip()


class TableHead(NamedTuple):
    """What is told over the rows of a table. `is_even` if a year is in the headings of all its columns, or of none."""

    text: str
    is_even: bool

    def tells(self, line: str) -> bool:
        """Whether it has all the words of a line, and each column its share of them."""
        return self.is_even and set(WORD.findall(match_form(line))) <= set(WORD.findall(match_form(self.text)))


def head_of_table(table: Table, present: set[int], content: DocumentContent) -> TableHead:
    """What is printed over the labels, else the unit, and the heading of each column; first a title left out above."""
    columns = [column_read(at, table, content) for at in range(len(table.columns))]
    # A percent sign in a head is that of a column, which says it itself.
    unit = next((each for each in (table.unit, unit_of_all(columns)) if each not in ("", "%")), "")
    unit = unit or scale_stated(table, content)
    named = [name_column(column, (unit, table.unit)) for column in columns]
    over = over_labels(table, named, content)
    told = " ".join(filter(None, [f"columns: {over}" if over else "columns", f"({unit})" if unit not in over else ""]))
    title = table.title.strip() if table.title_line and table.title_line not in present else ""
    head = CELL_SIGN.join([f"{title}, {told}" if title else told, *(named if any(named) else [])])
    is_even = len({bool(YEAR.search(name)) for name in named}) == 1
    return TableHead(plain_text(head if any(named) or unit else title), is_even)


def over_labels(table: Table, named: Sequence[str], content: DocumentContent) -> str:
    """What the head prints beside the headings of the columns: "Years ended December 31, (in millions)"."""
    cells = [
        cell.text
        for number in table.head_lines
        if number != table.title_line
        for cell in cells_of_line(content.lines[number - 1])
    ]
    over = " ".join(" ".join(text for text in cells if not any(text in name for name in named)).split())
    return over if all(named) and len(over) <= OVER_MAX else ""


def unit_of_all(columns: Sequence[TableColumn]) -> str:
    units = {column.unit for column in columns}
    return units.pop() if len(units) == 1 else ""


def column_read(at: int, table: Table, content: DocumentContent) -> TableColumn:
    """A column as the check of figures reads it, not with the heading of another where its table has headings."""
    own, printed = table.columns[at], first_number(at, table, content)
    is_headed = any(each.heading for each in table.columns)
    return column_of_printed(printed, content) if printed and (own.heading or not is_headed) else own


def first_number(at: int, table: Table, content: DocumentContent) -> PrintedNumber | None:
    """The first number of a column in a row without a unit of its own, such as "Loans (billions)"."""
    for row in table.rows:
        cell = row.cells[at]
        if cell is not None and cell.amount is not None and not SCALE_STATED.search(match_form(row.label)):
            return cell_as_printed(cell, content.lines[cell.line - 1], table, row, at)
    return None


def name_column(column: TableColumn, units: Sequence[str]) -> str:
    """The heading of a column, with its unit where that is none of the table's."""
    heading = " ".join(column.heading.split())
    if not heading or len(heading) > HEADING_MAX:
        heading = column.period
    own = column.unit if column.unit not in units and column.unit.lower() not in heading.lower() else ""
    return f"{heading} ({own})" if heading and own else heading or own


def scale_stated(table: Table, content: DocumentContent) -> str:
    """What the page says of all its amounts: "in millions"."""
    for at in range(len(table.columns)):
        if printed := first_number(at, table, content):
            scale = scale_on_page(printed, table.columns[at], ExcerptSource(RunCandidate(), content))
            return f"in {SCALE_WORDS[scale]}s" if scale in SCALE_WORDS else ""
    return ""
