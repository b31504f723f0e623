"""Which lines of a page show a row of a table: what says what the row is, the rows asked for, the others near it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_by_key
from reading.rows import UNSEARCHED_KINDS, LineRow
from reading.tables import PERIOD, UNIT, Table, TableRow
from retrieval.candidates.units import Piece, units_of
from retrieval.types import LineRange
from retrieval.words.lexicon import lexicon_of

HEAD_CHARS = 90  # a longer line above a table is a sentence
HEAD_LINES = 12  # of a page: a statement's name, unit and years are above its first row
CAPTION_REACH = 6  # lines from a caption or heading to the first row of its table
PERIOD_CHARS = 40  # "Nine months ended September 30, 2023"; a longer line says more than a period
TOTAL_REACH = 15  # rows from a row to the total it is part of


class RowBlock(NamedTuple):
    """Lines that are shown together; `is_own` if they belong to the anchor's table or are needed."""

    numbers: tuple[int, ...]
    is_own: bool


@dataclass(frozen=True)
class Rows:
    """What explains a row, and the other blocks of its page: those needed first, then by distance."""

    content: DocumentContent
    explained: tuple[int, ...]
    blocks: tuple[RowBlock, ...]

    def pieces(self, limit: int, *, neighbours: bool = True) -> list[Piece]:
        """What the row cannot be understood without; then the other blocks, as far as there is room."""
        texts = self.content.lines
        chosen = set(self.explained)
        room = limit - sum(len(texts[number - 1].text) + 1 for number in chosen)
        for block in self.blocks if neighbours else [block for block in self.blocks if block.is_own]:
            room -= sum(len(texts[number - 1].text) + 1 for number in block.numbers if number not in chosen)
            if room < 0:
                break
            chosen.update(block.numbers)
        return [Piece(number, 0, len(texts[number - 1].text)) for number in sorted(chosen)]


def find_rows(anchor: LineRange, best: int, needed: Sequence[int], content: DocumentContent) -> Rows | None:
    """The lines that can show the anchor's row; None if it is in no table. `needed` are the most telling first."""
    line = content.lines[best - 1]
    is_beside_row = any(each.kind == "table_row" for each in content.lines_between(best - 1, best + 1))
    if not is_beside_row and line.kind not in ("caption", "heading"):
        return None
    tables = content.tables_on_page(line.page_number)
    reach = anchor.last + CAPTION_REACH if line.kind in ("caption", "heading") else best
    table = next((one for one in tables if one.first_line <= reach and best <= one.last_line), None)
    if table is None:
        return None
    page = searched_on_page(line.page_number, content)
    numbers = {each.number for each in page} | {*table.inherited, table.unit_line}
    worth = {number: place for place, number in enumerate(needed)}
    blocks = [
        RowBlock(block, table.first_line <= block[0] <= table.last_line or not worth.keys().isdisjoint(block))
        for block in blocks_on_page(line.page_number, content)
    ]
    return Rows(
        content,
        tuple(
            dict.fromkeys(number for number in explain_rows(anchor, table, tables, page, content) if number in numbers)
        ),
        tuple(sorted(blocks, key=lambda block: rank_block(block.numbers, best, worth))),
    )


def rank_block(block: Sequence[int], best: int, worth: Mapping[int, int]) -> tuple[int, int]:
    """The rows needed, the most telling first; then by distance."""
    return min(worth.get(number, len(worth)) for number in block), min(abs(number - best) for number in block)


def searched_on_page(page_number: int, content: DocumentContent) -> list[LineRow]:
    return [each for each in content.lines_on_page(page_number) if each.kind not in UNSEARCHED_KINDS]


@kept_by_key  # every place on the page asks for it
def blocks_on_page(page_number: int, content: DocumentContent) -> list[tuple[int, ...]]:
    """What is shown as a whole on a page: a row with the head of its table, or a unit of the text outside."""
    page, tables = searched_on_page(page_number, content), content.tables_on_page(page_number)
    row_of = {
        number: (row, table)
        for table in tables
        for row in table.rows
        for number in range(row.first_line, row.last_line + 1)
    }
    units = units_of(content)
    blocks: dict[tuple[str, int], list[int]] = {}
    for line in page:
        row, table = row_of.get(line.number, (None, None))
        key = ("row", row.first_line) if row else ("unit", units.position(line.number))
        heads = [*heads_with_periods(table, tables), *period_above(line.number, table, page)] if table else []
        blocks.setdefault(key, heads).append(line.number)
    return [*map(tuple, blocks.values())]


def explain_rows(
    anchor: LineRange, table: Table, tables: Sequence[Table], page: Sequence[LineRow], content: DocumentContent
) -> Iterator[int]:
    """The lines of the anchor's rows, and those that say what they are: title, columns, period, unit, group, total."""
    yield from range(anchor.first, anchor.last + 1)
    yield from table.inherited
    yield from [table.unit_line] if table.unit_line else []
    yield from heads_with_periods(table, tables)
    yield from heads_on_page(table.page_number, content)[next(at for at, one in enumerate(tables) if one is table)]
    rows = [row for row in table.rows if row.first_line <= anchor.last and anchor.first <= row.last_line]
    for row in rows:
        yield from range(row.first_line, row.last_line + 1)
        yield from period_above(row.first_line, table, page)
        yield from group_lines(row, table, page)
    if rows and not rows[-1].is_total:
        below = [row for row in table.rows if row.first_line > rows[-1].last_line][:TOTAL_REACH]
        yield from (row.first_line for row in [row for row in below if row.is_total][:1])


def has_periods(table: Table) -> bool:
    return any(column.period for column in table.columns)


def heads_with_periods(table: Table, tables: Sequence[Table]) -> list[int]:
    """The lines of a table's head; one without periods is headed by the nearest above that has some."""
    if has_periods(table):
        return head_of(table)
    above = [one for one in tables if one.first_line < table.first_line]
    return [*head_of(table), *next((head_of(one) for one in reversed(above) if has_periods(one)), ())]


def head_of(table: Table) -> list[int]:
    return [number for number in (table.title_line, *table.head_lines) if number and number not in table.inherited]


def period_above(number: int, table: Table, page: Sequence[LineRow]) -> list[int]:
    """The line inside a table that gives the rows below it a period of their own, such as "2019"."""
    inside = [line for line in page if table.first_line < line.number < number and line.kind != "table_row"]
    return [line.number for line in inside if len(line.text) <= PERIOD_CHARS and PERIOD.search(line.text)][-1:]


@kept_by_key
def heads_on_page(page_number: int, content: DocumentContent) -> list[list[int]]:
    """What heads each of the tables of a page."""
    page, tables = searched_on_page(page_number, content), content.tables_on_page(page_number)
    return [[*page_head(table, tables, page, content)] for table in tables]


def page_head(
    table: Table, tables: Sequence[Table], page: Sequence[LineRow], content: DocumentContent
) -> Iterator[int]:
    """The short lines at the top of the page that name the statement, its periods and its unit.

    The period of another table is not that of a table with its own.
    """
    foreign = {number for one in tables if one is not table and has_periods(table) for number in head_of(one)}
    named = set(lexicon_of(content).page_headings.get(table.page_number, ()))
    first = table.rows[0].first_line
    for line in page[:HEAD_LINES]:
        is_head = line.number in named or PERIOD.search(line.text) or UNIT.search(line.text)
        is_foreign = line.number in foreign and PERIOD.search(line.text) and not UNIT.search(line.text)
        if line.number < first and len(line.text) <= HEAD_CHARS and is_head and not is_foreign:
            yield line.number


def group_lines(row: TableRow, table: Table, page: Sequence[LineRow]) -> Iterator[int]:
    """The line with the label of the group a row is in."""
    if row.group:
        before = [line for line in page if table.first_line <= line.number < row.first_line]
        yield from [line.number for line in before if line.text.strip().startswith(row.group[:40])][-1:]
