"""Tables on a page: columns with their headings, period and unit; rows with their label and typed cells.

The lines of a page know where their pieces are. Cells of a column overlap horizontally, so columns need no rules.
Whatever is ambiguous is left out: without two rows of values there is no table.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from reading.boxes import own_edges, turn_of_line
from reading.characters import UNKNOWN
from reading.layout.amounts import is_counted, is_per_share, is_proportion, is_side, without_side
from reading.rows import UNSEARCHED_KINDS, LineRow, LineSpan, cut_spans
from reading.values.currencies import CURRENCY_SIGNS, CURRENCY_WORDS
from reading.values.minus import LONG_DASH, MINUS
from reading.values.months import MONTH_STEM
from reading.values.nothing import DASHES, is_nothing
from reading.values.runs import split_runs
from reading.values.scales import SCALE_WORD
from reading.values.units import is_measure
from reading.values.years import YEAR, YEAR_DIGITS

CELL_GAP = 0.7  # of a line's height: a gap this wide separates two cells (0.9 of the font size, see layout.lines)
BLOCK_GAP = 2.6  # of a line's height: rows further apart are two tables
ROW_GAP = 4.0  # … unless both have values in the same columns
HEAD_ROWS_MAX = 6  # lines above the first amounts that may be column headings
TITLE_LINES_MAX = 6  # above the head, in which a caption or heading is the table's title
GROUP_CHARS_MAX = 40  # the name of a group of rows
LABEL_CHARS_MAX = 160  # a longer line between two rows is prose and ends the table
CELL_CHARS_MAX = 80  # a longer cell beside a label is prose, such as a footnote beside its number
ROWS_MIN = 2
INDENT = 3.0  # points
WRAPPED_PITCH = 1.6  # of a line's height
WRAPPED_INDENT = 12.0  # points: by how much the second printed line of a cell may be set in
WRAPPED_OVERHANG = 72.0  # points, about one word: by how much it may be longer in the last column
GOES_ON = re.compile(r"[=(,;/&×*+\u2013-]$")
ITEM_SIGN = re.compile(r"\w{1,2}[.)]\s")
OVERHANG = 4.0  # points: brackets and footnote marks stick out of a column of amounts on either side

AROUND_AMOUNT = f"{CURRENCY_SIGNS} "
BETWEEN_SIGNS = " .$€£"
SIGN = re.compile(
    rf"(?<![\w.,])(?:\(?\s{{0,8}}(?:[$€£]\s{{0,8}})?\(?[{MINUS}{LONG_DASH}{UNKNOWN}]?"
    rf"\d(?:[\d,.]*\d)?[{MINUS}{UNKNOWN}]?(?!\w)\)?\s?%?\)?|[{MINUS}{LONG_DASH}](?=\s|$))"
)
AMOUNT = re.compile(
    rf"(?:(?:{CURRENCY_WORDS}) )?\(?[{CURRENCY_SIGNS}]? ?\(?(?:[{MINUS}+]|[{LONG_DASH}](?! ))?[{CURRENCY_SIGNS}]? ?"
    rf"\d{{1,3}}(?:[,.'’ ]?\d{{3}}){{0,6}}(?:[.,]\d{{1,6}})? ?\)? ?[%x]? ?\)?(?: ?[{MINUS}])?"
    rf"(?: ?(?:{CURRENCY_WORDS}))?",
    re.IGNORECASE,
)
PERIOD = re.compile(
    rf"\b(?:(?:fy|q[1-4]|h[12]|{MONTH_STEM}\w{{0,7}}\.?(?: \d{{1,2}},?)?|\d{{1,2}}\.? {MONTH_STEM}\w{{0,7}}\.?) ?'?)?"
    rf"{YEAR_DIGITS}\b",
    re.IGNORECASE,
)
DAY_OF_PERIODS = re.compile(rf"\b{MONTH_STEM}\w{{0,7}} \d{{1,2}},?$", re.IGNORECASE)  # its years are on the next line
UNIT = re.compile(
    rf"(?:\bin |\((?=[a-z]+s\b)|(?:\b(?:eur|usd|gbp|chf)|[$€£]) ?(?:in )?)(?:{SCALE_WORD})s?\b"
    rf"|\b(?:eur|usd|gbp|chf)\b(?! ?\d{{1,3}}[.,]?\d{{0,3}} ?(?:{SCALE_WORD}))|%",  # "EUR 0.6 million" is an amount
    re.IGNORECASE,
)
IN_BRACKETS = re.compile(r"\([^()]*\)?")

SENTENCE = re.compile(r"(?<!\S)(?:\S++\s++){3}\S*[^\W\d]{3}\.(?:\s|$)")  # of four words or more: it heads no column

SCALE = re.compile(SCALE_WORD, re.IGNORECASE)
CURRENCY = re.compile(rf"[{CURRENCY_SIGNS}]|\b(?:{CURRENCY_WORDS})\b", re.IGNORECASE)


@dataclass(frozen=True)
class TableCell:
    """One cell: characters [start, end) of line `line`. `amount` is None if the text is no number."""

    text: str
    line: int
    start: int
    end: int
    x0: float
    x1: float
    amount: Decimal | None


@dataclass(frozen=True)
class TableColumn:
    """A column of values. `period` is the year or date its heading names, `unit` its own or the table's; "" if none."""

    heading: str
    period: str
    unit: str


@dataclass(frozen=True)
class TableRow:
    """One row: a cell per column, None if empty. `group` is the label above that covers it."""

    label: str
    group: str
    cells: tuple[TableCell | None, ...]
    first_line: int
    last_line: int

    @property
    def is_total(self) -> bool:
        return names_total(self.label)


@dataclass(frozen=True)
class Table:
    """A table of one page; `head_lines` hold its headings and unit, `title_line` is 0 without a title.

    One that goes on from the page before has the title, headings and unit of page `begins_on`, from lines `inherited`.
    A unit that a sentence above states for all amounts is that of line `unit_line`.
    """

    title: str
    title_line: int
    unit: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    head_lines: tuple[int, ...]
    page_number: int
    inherited: tuple[int, ...] = ()
    begins_on: int = 0
    language: str = ""
    unit_line: int = 0

    @property
    def first_line(self) -> int:
        return min((*self.head_lines, self.rows[0].first_line))

    @property
    def last_line(self) -> int:
        return self.rows[-1].last_line

    def row_at(self, line: int) -> TableRow | None:
        """The row a line belongs to; None for the head and lines outside."""
        return next((row for row in self.rows if row.first_line <= line <= row.last_line), None)

    def unit_at(self, row: TableRow, at: int) -> str:
        """The unit of a row's amount in a column: its label's own, else the column's; no scale of what has none."""
        column = self.columns[at]
        named = f"{row.label} {row.group} {column.heading}"
        cell = row.cells[at]
        if is_proportion(named, self.language) or cell is not None and "%" in cell.text:
            return ""
        if cell is None or (cell.amount is None and not is_value(cell)):
            return ""
        if self.unit_line and (not is_value(cell) or is_counted(f"{self.title} {named}", self.language)):
            return ""
        own = unit_of(row.label)
        unit = own if own and (SCALE.search(own) or not SCALE.search(column.unit)) else column.unit
        if not is_per_share(named, self.language):
            return unit
        money = CURRENCY.search(unit)
        return money[0] if money else ""


def names_total(label: str) -> bool:
    return label.casefold().startswith(("total", "summe", "gesamt"))


def read_tables(lines: Sequence[LineRow], language: str = "") -> list[Table]:
    """The tables of a page's lines, in reading order, in the language of the document if that is known."""
    shown = [in_own_frame(line) for line in lines if line.kind not in UNSEARCHED_KINDS and line.text_in_force.strip()]
    tables = (table_of_block(block, shown, language) for block in split_into_blocks(shown))
    return [table for table in tables if table is not None]


def in_own_frame(line: LineRow) -> LineRow:
    """A line as it reads from left to right: text that lies sideways has columns, too."""
    turn = turn_of_line(line) if line.spans else 0
    x0, y0, x1, y1 = own_edges(line, turn)
    return line._replace(x0=x0, y0=y0, x1=x1, y1=y1) if turn else line


# ---- cells


def cells_of_line(line: LineRow, language: str = "") -> list[TableCell]:
    """The cells of a line from left to right; a currency sign in its own cell joins the amount after it."""
    return [*read_cells(line, language)]


@lru_cache(maxsize=1_024)  # of the lines of some pages: each is looked at with those above it and those below
def read_cells(line: LineRow, language: str) -> Sequence[TableCell]:
    written = line.text_in_force
    if "|" in written and line.kind == "table_row":
        return list(piped_cells(line))
    if line.kind == "table_row" and len(line.spans) < 2 and (parted := list(cells_of_text(line))):
        return parted
    cells: list[TableCell] = []
    for start, end, x0, x1 in stretches_of(line):
        text = written[start:end].strip()
        if not text:
            continue
        if amount_of(alone := text.rstrip(AROUND_AMOUNT)) is not None:  # the sign of the next amount
            text, end = alone, start + len(alone)
        if cells and (not cells[-1].text.strip(f"({AROUND_AMOUNT}") or is_end_of(cells, text, language)):
            start, x0 = cells[-1].start, x0 if cells[-1].amount is None else cells[-1].x0
            cells.pop()
            text = " ".join(written[start:end].split())
        cells.append(TableCell(text, line.number, start, end, x0, x1, amount_of(" ".join(text.split()))))
    return cells


def stretches_of(line: LineRow) -> Iterator[tuple[int, int, float, float]]:
    """Characters and edges of each cell: the line's pieces, joined where there is no gap; struck ends are cut off."""
    if not line.spans:
        yield 0, len(line.text), line.x0, line.x1
        return
    for spans in spans_by_cell(line):
        if kept := [span for span in spans if not span.struck]:
            yield kept[0].start, kept[-1].end, kept[0].x0, kept[-1].x1


def spans_by_cell(line: LineRow) -> list[Sequence[LineSpan]]:
    """The spans of a line that has some, cut where a gap stands between two cells."""
    return [line.spans[first:last] for first, last in cut_spans(line.spans, CELL_GAP * (line.y1 - line.y0))]


def is_end_of(cells: Sequence[TableCell], text: str, language: str) -> bool:
    """Whether a text is no cell of its own but the end of the amount before it: a bracket, the side of an account."""
    if len(cells) < 2 or not is_value(cells[-1]):
        return False
    return text in (")", ")%", ") %") or is_side(text, cells[-1].text, language)


def cells_of_text(line: LineRow) -> Iterator[TableCell]:
    """The label and the amounts at the end of a row that is one piece of text; none without two amounts.

    The edges of the amounts are only their order, counted from the right, where the columns of a table end.
    """
    written = line.text_in_force
    amounts: list[re.Match[str]] = []
    end = len(written.rstrip())
    for found in reversed(list(SIGN.finditer(written))):
        is_open = found[0].count(")") > found[0].count("(")  # "4)" is the end of a bracket in the label
        if is_open or written[found.end() : end].strip(BETWEEN_SIGNS):
            break
        amounts.insert(0, found)
        end = found.start()
    label = written[:end].strip()
    if len(amounts) < 2 or not any(map(str.isalpha, label)):
        return
    edge = -100.0 * (len(amounts) + 1)
    yield TableCell(label, line.number, written.index(label), end, edge, edge + 50, None)
    for number, found in enumerate(amounts, start=-len(amounts)):
        text = " ".join(found[0].split())
        yield TableCell(
            text, line.number, found.start(), found.end(), 100.0 * number, 100.0 * number + 50, amount_of(text)
        )


def piped_cells(line: LineRow, begun: int = 0) -> Iterator[TableCell]:
    """The cells of a Markdown row, or of the rest of one from cell `begun`; their edges are only their order."""
    written = line.text_in_force
    inner = written.strip()
    start = written.index(inner) + (inner[0] == "|")
    for number, text in enumerate(inner.strip("|").split("|"), start=begun):
        end = start + len(text)
        if kept := text.strip():
            left = start + text.index(kept)
            edge = number * 100.0
            yield TableCell(kept, line.number, left, left + len(kept), edge, edge + 50, amount_of(kept))
        start = end + 1


def amount_of(text: str) -> Decimal | None:
    """The amount a cell prints, without unit: brackets and a minus at either end mean minus, a dash zero.

    None for anything else, and where its sign is not known: it could not be read, or is the side of an account.
    """
    if text and set(text) <= DASHES:
        return Decimal(0)
    if not AMOUNT.fullmatch(text):
        return None
    digits = re.sub(r"[^\d.,]", "", text)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d{1,2}", digits):  # 1.234,5, the continental notation
        digits = digits.replace(".", "").replace(",", ".")
    amount = Decimal(digits.replace(",", "")) if digits.count(".") < 2 else None
    return -amount if amount is not None and re.search(rf"[{MINUS}{LONG_DASH}(]", text) else amount


def is_value(cell: TableCell) -> bool:
    """Whether it is an amount that is not a year; its sign may be unknown."""
    is_amount = cell.amount is not None or AMOUNT.fullmatch(without_side(cell.text.replace(UNKNOWN, "")))
    return bool(is_amount) and not YEAR.fullmatch(cell.text)


# ---- blocks: the lines of one table


def split_into_blocks(lines: Sequence[LineRow]) -> Iterator[list[LineRow]]:
    """Runs of rows with the lines between them: group labels, wrapped labels, column headings."""
    block: list[LineRow] = []
    for at, line in enumerate(lines):
        if block and heads_other_rows(lines[at : at + 2], block):
            ended = end_of_rows(block)
            yield block[:ended]
            block = block[ended:]
        elif block and (begins_table(lines[at : at + 3]) or not goes_on(block[-1], line)):
            yield block
            block = []
        if line.kind == "table_row" or (block and is_label(line)):
            block.append(line)
    if block:
        yield block


def goes_on(above: LineRow, line: LineRow) -> bool:
    """Whether a line belongs to the table of the line above it; prose in two columns, such as footnotes, does not."""
    is_marked = is_markdown_row(above) and is_markdown_row(line)  # so it is no prose, however long its cells are
    if not is_marked and any(len(cell.text) > CELL_CHARS_MAX for cell in cells_of_line(line)[1:]):
        return False
    gap = ROW_GAP if has_same_columns(above, line) and not is_marked else BLOCK_GAP
    if is_marked:
        gap *= line.number - above.number  # the rule below the head is a line, though it is not shown
    is_near = 0 <= line.y0 - above.y0 <= gap * max(above.y1 - above.y0, line.y1 - line.y0)
    return line.column == above.column and is_near and (line.kind == "table_row" or is_label(line))


def is_markdown_row(line: LineRow) -> bool:
    return line.kind == "table_row" and line.method == "markdown"


def begins_table(lines: Sequence[LineRow]) -> bool:
    """Whether a heading stands over a line of column headings, words or nothing but periods: the name of a group is
    over values. The unit of the table may be on a line between them. What stands over a sentence names no group either.
    """
    if len(lines) > 1 and lines[0].kind == "heading" and lines[1].kind == "body" and SENTENCE.search(lines[1].text):
        return True
    below = lines[2:] if len(lines) > 2 and states_unit(lines[1]) else lines[1:2]
    cells = cells_of_line(below[0]) if below and lines[0].kind in ("heading", "caption") else []
    if len(cells) < 2:
        return False
    if len(cells) > 2 and not any(char.isdigit() for cell in cells[1:] for char in cell.text):
        return True
    return names_two_columns(cells) or all(PERIOD.fullmatch(cell.text) for cell in cells)


def states_unit(line: LineRow) -> bool:
    """Whether a line says nothing but a unit: "(in millions of euros)"."""
    text = line.text_in_force.strip()
    return line.kind != "table_row" and text.startswith("(") and text.endswith(")") and bool(UNIT.search(text))


def heads_other_rows(lines: Sequence[LineRow], block: Sequence[LineRow]) -> bool:
    """Whether a row is the heading of columns below the rows of another table: words behind a unit ("EUR thousand |
    Land | Plant"), or years ("Covenant | Limit | Actual 2024 | Actual 2023") over other columns than those above, or
    where years stand over those as well.

    One year, or years without a word, may as well be the values of a row, unless something stands between.
    """
    cells = cells_of_line(lines[0]) if lines[0].kind == "table_row" else []
    data = rows_with_numbers(block) if len(cells) > 2 else []
    if len(data) < ROWS_MIN:
        return False
    if is_nothing_but_unit(cells[0].text) and not any(char.isdigit() for cell in cells[1:] for char in cell.text):
        return True
    if len(lines) < 2 or not names_years(cells[1:]) or not is_data(cells_of_line(lines[1])):
        return False
    is_clear = sum(len(cell.text) > len("2024") for cell in cells[1:] if YEAR.search(cell.text)) > 1
    if block[-1].kind == "table_row" and not is_clear:
        return False
    over = takewhile(lambda line: line is not data[0], block)
    widest = max(len(cells_of_line(line)) for line in data)
    return len(cells) != widest or any(YEAR.search(line.text_in_force) for line in over)


def rows_with_numbers(block: Iterable[LineRow]) -> list[LineRow]:
    """The rows with a number behind their label that is no period: an amount, or a range of them."""
    return [
        line
        for line in block
        if line.kind == "table_row"
        and any(char.isdigit() for cell in cells_of_line(line)[1:] for char in PERIOD.sub("", cell.text))
    ]


def is_nothing_but_unit(text: str) -> bool:
    """Whether a text is a unit, with words as small as "in" and "of", and no more: "(in millions of euros)"."""
    rest = CURRENCY.sub("", SCALE.sub("", UNIT.sub("", text))).strip("() ")
    return bool(UNIT.search(text)) and all(len(word) < 3 for word in rest.split())


def end_of_rows(block: Sequence[LineRow]) -> int:
    """The place in a block below its rows and the words under them: of the first line of another head, or its end."""
    last = block.index(rows_with_numbers(block)[-1])
    return next((at for at in range(last + 1, len(block)) if block[at].kind == "table_row"), len(block))


def names_years(cells: Sequence[TableCell]) -> bool:
    """Whether cells name years, in a run, and have no other number: bonds are due in any years.

    Days, of which values have any ("31 March 2025"), are those of headings if they are all the same.
    """
    texts = [cell.text for cell in cells if any(map(str.isdigit, cell.text))]
    years = {int(found[0]) for text in texts if (found := YEAR.search(text))}
    rests = {rest for text in texts if any(map(str.isdigit, rest := YEAR.sub("", text)))}
    return (
        bool(years)
        and all(map(YEAR.search, texts))
        and len(years) == max(years) - min(years) + 1
        and len(rests) < min(len(texts), 2)
        and not any(map(is_value, cells))
    )


def names_two_columns(cells: Sequence[TableCell]) -> bool:
    """Whether cells are the heading of a table of two columns: a few words over the labels, a few over the values."""
    return (
        len(cells) == 2
        and all(
            any(map(str.isalpha, cell.text))
            and len(cell.text) <= GROUP_CHARS_MAX
            and not any(map(str.isdigit, cell.text))
            and not cell.text.rstrip().endswith((".", ":", ","))
            for cell in cells
        )
        and not is_nothing(cells[1].text)
    )


def has_same_columns(above: LineRow, line: LineRow) -> bool:
    """Whether two rows have values in the same places: a blank line between them parts groups, not tables.

    A row whose label has a unit of its own ("per share (EUR)") is in another table than those above a blank line.
    """
    if any(UNIT.search(cell.text) for cell in cells_of_line(line)[:1]):
        return False
    edges, others = value_edges(above), value_edges(line)
    pairs = zip(edges, others, strict=False)
    return len(edges) == len(others) > 1 and all(one[0] < two[1] and two[0] < one[1] for one, two in pairs)


def value_edges(line: LineRow) -> list[tuple[float, float]]:
    return [(cell.x0, cell.x1) for cell in cells_of_line(line)[1:] if is_value(cell)]


def is_label(line: LineRow) -> bool:
    """Whether a line that is no row may be between rows: short, and no caption of another table."""
    return line.kind in ("body", "heading", "list_item") and len(line.text) <= LABEL_CHARS_MAX


def table_of_block(block: Sequence[LineRow], page: Sequence[LineRow], language: str) -> Table | None:
    """The table of a block's lines; None unless two rows share a column."""
    # A Markdown row that was wrapped is one line with the cells of all.
    parted = [(row[0], cells_of_row(row, language)) for row in split_runs(block, is_rest_of)]
    data = places_of_data(parted)
    if not data:
        return None
    ruled = first_below_rule(block, parted)
    first = data[0] if ruled is None else ruled
    columns = columns_of([cells for line, cells in parted[first:] if line.kind == "table_row" and len(cells) > 1])
    if not columns:
        return None
    while first and ruled is None and (is_left(parted[first - 1], columns) or is_first_group(first - 1, parted)):
        first -= 1
    rows = tuple(rows_below_rows(list(rows_of(parted[first:], columns)), {line.number: line.x0 for line in block}))
    if len(rows) < ROWS_MIN:
        return None
    head = head_of([line for line, _ in parted[:first]], block[0], page, columns)
    if ruled is not None and len(columns) == 1 and not any(map(names_measure, head)):
        head = []  # its first row may be one like the others: "| Head office | Leeds |"
    title = find_title_line(head[0] if head else block[first], page)
    unit = unit_of(" ".join(map(said_of_all, head)))
    return Table(
        title=title.text_in_force if title else "",
        title_line=title.number if title else 0,
        unit=unit,
        columns=tuple(column_of(at, columns, head, unit) for at in range(len(columns))),
        rows=rows,
        head_lines=tuple(line.number for line in head),
        page_number=block[0].page_number,
        language=language,
    )


def first_below_rule(block: Sequence[LineRow], parted: Sequence[tuple[LineRow, Sequence[TableCell]]]) -> int | None:
    """The place of the first row below the rule of a Markdown table; None where the block has no head of its own."""
    ruled = (line.number for above, line in pairwise(block) if is_markdown_row(line) and line.number > above.number + 1)
    number = next(ruled, None)
    return next((at for at, (line, _) in enumerate(parted) if line.number == number), None)


def is_rest_of(row: Sequence[LineRow], line: LineRow) -> bool:
    """Whether a line is what was wrapped of a Markdown row: that began with a bar and has not ended with one."""
    begun, last = row[0].text_in_force.strip(), row[-1].text_in_force.rstrip()
    return (
        is_markdown_row(row[-1])
        and is_markdown_row(line)
        and line.number == row[-1].number + 1
        and begun.startswith("|")
        and (len(begun) == 1 or not last.endswith("|"))
        and not line.text_in_force.startswith("|")
    )


def cells_of_row(row: Sequence[LineRow], language: str) -> list[TableCell]:
    """The cells of a row's lines; one that is wrapped is words, told by the line it ends on."""
    cells = cells_of_line(row[0], language)
    bars = row[0].text_in_force.count("|")
    for line in row[1:]:
        rest = piped_cells(line, begun=bars - 1)
        bars += line.text_in_force.count("|")
        for cell in rest:
            if cells and cells[-1].x0 == cell.x0:
                cell = replace(cell, text=f"{cells.pop().text} {cell.text}", amount=None)
            cells.append(cell)
    return cells


def places_of_data(parted: Sequence[tuple[LineRow, Sequence[TableCell]]]) -> list[int]:
    """The places of the rows of values; of a block without amounts those of the rows of measures, such as "4 weeks".

    Over amounts a row of measures is a heading: "Less than 1 year | 1-3 years".
    """
    rows = [(at, cells) for at, (_, cells) in enumerate(parted) if len(cells) > 1]
    measured = [at for at, cells in rows if any(is_measure(cell.text) for cell in cells[1:])]
    amounts = [at for at, cells in rows if is_data(cells)]
    return amounts or (measured if len(measured) >= ROWS_MIN else [])


def is_data(cells: Sequence[TableCell]) -> bool:
    """Whether cells are a row of values: an amount after a label; headings have years, dates or words."""
    return any(map(is_value, cells[1:])) and not all(PERIOD.search(cell.text) for cell in cells[1:])


def is_left(line: tuple[LineRow, Sequence[TableCell]], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line above the first amounts is a group label: alone, left of all columns, and no heading."""
    return len(line[1]) == 1 and line[1][0].x1 < columns[0][0] and not is_heading_of_columns(line[0])


def is_first_group(at: int, parted: Sequence[tuple[LineRow, Sequence[TableCell]]]) -> bool:
    """Whether a line above the first amounts names a group, wherever it stands: further down another line alone in the
    same place, left or in the middle, stands over rows with the same labels.
    """
    line, cells = parted[at]
    if len(cells) != 1 or line.kind == "table_row" or is_heading_of_columns(line):
        return False
    alone = [number for number in range(at + 1, len(parted)) if len(parted[number][1]) == 1]
    later = next((number for number in alone if is_below(line, parted[number][0])), None)
    if later is None:
        return False
    end = next((number for number in alone if number > later), len(parted))
    own, others = (
        {cells[0].text for _, cells in parted[first + 1 : last]} for first, last in ((at, later), (later, end))
    )
    return bool(own) and own == others


def is_below(line: LineRow, other: LineRow) -> bool:
    """Whether a line begins where another does, or is centred as it is."""
    return abs(line.x0 - other.x0) <= INDENT or abs(line.x0 + line.x1 - other.x0 - other.x1) <= 2 * INDENT


# ---- columns


def columns_of(rows: Sequence[Sequence[TableCell]]) -> list[tuple[float, float]]:
    """The edges of the value columns: overlapping cells of the fullest common kind of row."""
    counts = Counter(len(cells) for cells in rows)
    usual = max(counts, key=lambda count: (counts[count] * count, count), default=0)
    values = [cell for cells in rows if len(cells) == usual for cell in cells[1:]]
    edges: list[tuple[float, float]] = []
    for cell in sorted(values, key=lambda cell: cell.x0):
        if edges and cell.x0 < edges[-1][1]:
            edges[-1] = (edges[-1][0], max(edges[-1][1], cell.x1))
        else:
            edges.append((cell.x0, cell.x1))
    return edges if len(edges) < usual else []


def column_at(cell: TableCell, columns: Sequence[tuple[float, float]]) -> int | None:
    """The column a cell overlaps most; None if it overlaps none."""
    overlaps = [min(cell.x1, right + OVERHANG) - max(cell.x0, left - OVERHANG) for left, right in columns]
    best = max(range(len(columns)), key=overlaps.__getitem__)
    return best if overlaps[best] > 0 else None


def head_of(
    inside: Sequence[LineRow], top: LineRow, page: Sequence[LineRow], columns: Sequence[tuple[float, float]]
) -> list[LineRow]:
    """The lines with column headings: those of the block above its amounts, and short ones right above it."""
    if len(inside) > HEAD_ROWS_MAX:
        return list(inside[-HEAD_ROWS_MAX:])
    outside: list[LineRow] = []
    below = top
    for line in reversed([line for line in page if line.number < top.number]):
        is_near = 0 <= below.y0 - line.y0 <= BLOCK_GAP * (line.y1 - line.y0)
        if not is_near or len(outside) + len(inside) == HEAD_ROWS_MAX:
            break
        if is_heading_of_columns(line) or (not outside and stands_over(line, columns)):
            outside.insert(0, line)
        elif outside or len(cells_of_line(line)) > 1 or len(line.text) > GROUP_CHARS_MAX:
            break  # the name of a group ("Current assets:") may be between the headings and the first amounts
        below = line
    return [*outside, *inside]


def stands_over(line: LineRow, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line is the heading of a table of two columns, its second part over the values."""
    cells = cells_of_line(line) if line.kind == "body" and len(columns) == 1 else []
    return names_two_columns(cells) and column_at(cells[1], columns) == 0


def names_measure(line: LineRow) -> bool:
    """Whether a line names a period, or a unit, of whatever kind if it is in brackets."""
    return any(pattern.search(line.text_in_force) for pattern in (PERIOD, UNIT, IN_BRACKETS))


def is_heading_of_columns(line: LineRow) -> bool:
    """Whether a line names periods or a unit, such as "Six months ended December 31," or "(in millions)"."""
    is_short = is_label(line) and len(line.text) <= LABEL_CHARS_MAX // 2
    return is_short and any(pattern.search(line.text_in_force) for pattern in (PERIOD, UNIT, DAY_OF_PERIODS))


def column_of(at: int, columns: Sequence[tuple[float, float]], head: Sequence[LineRow], unit: str) -> TableColumn:
    """A column with the words above it, top to bottom; a heading spanning several columns applies to each."""
    lines = [cells_of_line(line) for line in head]
    below = [heading_of(each, columns, lines[-1]) for each in range(len(columns))] if lines else []
    found = [heading_of(at, columns, cells) or spanning(at, columns, cells, below) for cells in lines]
    over = [cell.text for cell in found if cell]
    is_own = any(map(is_markdown_row, head))
    heading = " ".join(text for each in over if not SENTENCE.search(each) and (text := without_unit(each, is_own)))
    periods = [found[0].strip() for found in PERIOD.finditer(heading)]
    return TableColumn(heading, periods[-1] if periods else "", unit_of(" ".join(over)) or unit)


def heading_of(at: int, columns: Sequence[tuple[float, float]], cells: Sequence[TableCell]) -> TableCell | None:
    left, right = columns[at]
    reach = reach_of(columns)
    cells = [cell for cell in cells if cell.x1 > columns[0][0] - reach]
    if not cells:
        return None
    middle = columns[0][0] + columns[-1][1]
    if len(cells) == 1 and len(columns) > 2 and abs(cells[0].x0 + cells[0].x1 - middle) <= 2 * reach:
        return cells[0]  # in the middle over all of them
    nearest = min(cells, key=lambda cell: abs(cell.x0 + cell.x1 - left - right))
    if len(cells) >= len(columns) > 1 or (len(cells) > 1 and all(PERIOD.search(cell.text) for cell in cells)):
        return nearest
    slack = reach if len(cells) == 1 else OVERHANG
    return nearest if nearest.x0 < right + slack and nearest.x1 > left - slack else None


def spanning(
    at: int,
    columns: Sequence[tuple[float, float]],
    cells: Sequence[TableCell],
    below: Sequence[TableCell | None],
) -> TableCell | None:
    """The cell of a heading line that stands in the middle over several columns, of which this is an outer one.

    It reaches as far on either side, over columns that are named apart on the line below.
    """
    if not 1 < len(cells) < len(columns):
        return None
    taken = {number: cell for number in range(len(columns)) if (cell := heading_of(number, columns, cells))}
    for cell in cells:
        own = [number for number, over in taken.items() if over is cell]
        runs = [
            range(first, last + 1)
            for first in range(own[0] + 1)
            for last in range(own[-1], len(columns))
            if is_headed_by(cell, range(first, last + 1), taken, below)
        ] if own else []  # fmt: skip
        off = {run: abs(columns[run[0]][0] + columns[run[-1]][1] - cell.x0 - cell.x1) / 2 for run in runs}
        best = min(runs, key=lambda run: (off[run] // OVERHANG, -len(run)), default=range(0))
        if at in best:
            return cell
    return None


def is_headed_by(
    cell: TableCell, run: range, taken: Mapping[int, TableCell], below: Sequence[TableCell | None]
) -> bool:
    """Whether no other heading stands over any of these columns, and each has a name of its own on the line below."""
    named = [over.text for number in run if (over := below[number])]
    return all(taken.get(number, cell) is cell for number in run) and len(set(named)) == len(run)


def reach_of(columns: Sequence[tuple[float, float]]) -> float:
    """How far beside the outer columns their headings may be: half the distance of two columns, or a wide word."""
    gaps = [after[0] - before[1] for before, after in pairwise(columns)]
    return max(min(gaps) / 2, 20.0) if gaps else 60.0


def said_of_all(line: LineRow) -> str:
    """What a line of a head says of every column: of a Markdown row its first cell, which stands over the labels."""
    return (
        next((cell.text for cell in piped_cells(line) if not cell.x0), "")
        if is_markdown_row(line)
        else line.text_in_force
    )


def unit_of(text: str) -> str:
    found = UNIT.search(text)
    return found[0].strip(" (") if found else ""


def without_unit(text: str, is_own: bool) -> str:
    """A heading without a unit in brackets: without all of it, unless it is known to be one column's own."""
    if not is_own and UNIT.search(text) and "(" in text:
        return ""
    return IN_BRACKETS.sub(lambda found: "" if UNIT.search(found[0]) else found[0], text).strip()


def find_title_line(top: LineRow, page: Sequence[LineRow]) -> LineRow | None:
    """The caption or heading above a table, a few lines up at most."""
    above = [line for line in page if line.number < top.number][-TITLE_LINES_MAX:]
    return next((line for line in (top, *reversed(above)) if line.kind in ("caption", "heading")), None)


# ---- rows


class Group(NamedTuple):
    """A label over several rows, and where it begins; if `is_indented`, its rows begin further right."""

    label: str
    x0: float
    is_indented: bool

    def is_left(self, line: LineRow) -> bool:
        return self.is_indented and line.x0 <= self.x0 + INDENT


def wrapped_cell(above: Sequence[TableCell], line: LineRow, pitch: float) -> int:
    """The number of the cell of words that a line goes on with, right below it; 0, the label's, if there is none."""
    cells = cells_of_line(line)
    is_near = 0 < pitch <= WRAPPED_PITCH * (line.y1 - line.y0)
    if len(cells) != 1 or not is_near or line.kind in ("heading", "caption") or cells[0].text.endswith(":"):
        return 0
    edges = (*(cell.x0 for cell in above[1:]), above[-1].x1 + WRAPPED_OVERHANG)
    return next(
        (
            number
            for number, (cell, right) in enumerate(zip(above, edges, strict=True))
            if number and not is_value(cell) and any(map(str.isalpha, cell.text))
            and continues_cell(cell.text, cells[0].text)
            and -INDENT <= line.x0 - cell.x0 <= WRAPPED_INDENT and line.x1 <= max(right, cell.x1)
        ),
        0,
    )  # fmt: skip


def continues_cell(text: str, below: str) -> bool:
    """Whether the line below belongs to a cell: the cell is not at its end, or the line begins within a sentence.

    Anything else may as well be a row of its own, its total, the name of a group or a note on the table.
    """
    return bool(GOES_ON.search(text)) or (below[:1].islower() and not ITEM_SIGN.match(below))


def is_wrapped(line: LineRow, following: LineRow) -> bool:
    """Whether a cell of a row goes on in the line below."""
    if line.kind != "table_row" or following.page_number != line.page_number:
        return False
    above, below = in_own_frame(line), in_own_frame(following)
    return wrapped_cell(cells_of_line(above), below, below.y0 - above.y0) > 0


def rows_of(
    parted: Iterable[tuple[LineRow, Sequence[TableCell]]], columns: Sequence[tuple[float, float]]
) -> Iterator[TableRow]:
    """The rows under the head: group labels apply to the rows below them, wrapped labels join their amounts."""
    group: Group | None = None
    waiting: tuple[TableRow, float] | None = None  # a label whose amounts are on the next line, or of a group
    for line, cells in parted:
        row = row_of_line(line, cells, columns)
        if waiting is not None and row.label[:1].islower() and not waiting[0].label.endswith((":", ".")):
            row = replace(row, label=f"{waiting[0].label} {row.label}", first_line=waiting[0].first_line)
        elif waiting is not None:
            group = Group(waiting[0].label, waiting[1], line.x0 > waiting[1] + INDENT)
        waiting = (row, line.x0) if not any(row.cells) else None
        if waiting is None:
            group = None if group is not None and group.is_left(line) else group
            yield replace(row, group=group.label if group else "")
            group = None if row.is_total else group


def rows_below_rows(rows: Sequence[TableRow], begins: Mapping[int, float]) -> Iterator[TableRow]:
    """The rows, those of a label printed several times with the row below which they are set in as their group.

    A total is set in as well; `begins` is where each line does.
    """
    labels = Counter((row.label, row.group) for row in rows)
    over: list[tuple[float, str]] = []  # what the next row may be set in below, the innermost last
    for row in rows:
        x0 = begins.get(row.first_line, 0.0)
        while over and x0 <= over[-1][0] + INDENT:
            over.pop()
        is_part = over and row.label and not row.group and not row.is_total and labels[row.label, ""] > 1
        yield replace(row, group=over[-1][1]) if is_part else row
        over.append((x0, row.label))


def row_of_line(line: LineRow, cells: Sequence[TableCell], columns: Sequence[tuple[float, float]]) -> TableRow:
    placed: list[TableCell | None] = [None] * len(columns)
    label: list[str] = []
    for number, cell in enumerate(cells):
        at = column_at(cell, columns) if number or is_value(cell) else None
        if at is None or placed[at] is not None:
            label.append(cell.text)
        else:
            placed[at] = cell
    text = " ".join(label)
    shown = text.rstrip(" .…") if text.endswith(("..", "…", ". .")) else text
    return TableRow(shown, "", tuple(placed), line.number, max((line.number, *(cell.line for cell in cells))))
