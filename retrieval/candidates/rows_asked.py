"""The row of a table that a number of the question falls in, and places in a table none of whose rows is told (R44).

The head of a table is quoted with its rows and, where no row is told and no list asked for, answers weakly; a row of
another group than the one named gives way to that group's.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import LineRow
from reading.tables import ROWS_MIN, Table, TableRow, cells_of_line, is_data
from reading.values.days import NamedDay, days_in
from reading.values.nothing import is_nothing
from retrieval.candidates.shown_rows import group_lines
from retrieval.candidates.units import units_of
from retrieval.question.bands import CURRENCY_SIGN, Band, Found, currencies, name_unit, quantities_in, read_band
from retrieval.question.values import has_form, has_value
from retrieval.types import LineRange, Question
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, stem, telling_stems

BANDS_MIN = 2  # one interval alone is a condition
ROWS_MAX, NUMBERS_MAX = 12, 48  # of a table that is quoted whole
VALUES = frozenset({"amount", "percentage", "number"})
HEADED_MIN = 3  # columns of a Markdown table: of two the first row may be one like the others
IN_BRACKETS = re.compile(r"\(([^()]+)\)")
TOPS = frozenset({"heading", "caption"})


class RowsQuoted(NamedTuple):
    """What of a table is quoted for a place in it; `is_told` if that is the one row asked for, or every row is.

    The words of the lines `head` say what its rows are; `day` is what of the question names the day of the row.
    """

    lines: LineRange
    head: frozenset[int]
    is_told: bool
    day: str = ""


def rows_for(number: int, question: Question, content: DocumentContent) -> RowsQuoted | None:
    """The row whose interval holds a number of the question, or that of the group it names; None for any other place.

    For a place in the head of a table, which is no answer by itself, its rows.
    """
    line = content.lines[number - 1]
    is_beside_row = any(each.kind == "table_row" for each in content.lines_between(number - 1, number + 1))
    table = table_at_line(number, content) if is_beside_row or line.kind in TOPS else None
    ruled = None if table or not is_row(line) else rows_under_rule(number, content)
    table = table_at_line(ruled.last, content) if ruled else table
    is_single = question.shape == "single"
    if table is None:
        if ruled and (at := find_named_line(ruled, question, content)):
            return RowsQuoted(row_around(at, content), frozenset({number}), is_told=True)
        is_whole = ruled is not None and ruled.last > row_around(number, content).last
        return RowsQuoted(ruled, frozenset({number}), not is_single) if ruled and (is_single or is_whole) else None
    head = frozenset({table.title_line, *table.head_lines, *([number] if ruled else [])})
    if row := find_banded_row(table, question, content):
        return RowsQuoted(row_around(row.first_line, content), head, is_told=True)
    if row := find_dated_row(table, question, content):
        named = " ".join(day.text for day in days_in(question.original))
        return RowsQuoted(row_around(row.first_line, content), head, is_told=True, day=named)
    if row := find_grouped_row(number, table, question, content) or find_row_in_group(number, table, question, content):
        over = group_lines(row, table, content.lines_on_page(table.page_number))
        return RowsQuoted(row_around(row.first_line, content), head.union(over), is_told=True)
    is_head = number < table.rows[0].first_line
    if is_head and (row := find_named_row(table.rows, question, content)):
        return RowsQuoted(row_around(row.first_line, content), head, is_told=True)
    lines = rows_to_quote(number, table) if is_head else None
    if lines and (is_single or lines.last > number) and (line.kind == "table_row" or question.answer_type in VALUES):
        return RowsQuoted(lines, head, is_told=not is_single)
    return None


def head_over(number: int, question: Question, content: DocumentContent) -> frozenset[int]:
    """The lines that say what the cells of a row are, for a row whose whole label the question has; none for others."""
    table = table_at_line(number, content) if is_row(content.lines[number - 1]) else None
    row = table.row_at(number) if table else None
    if table is None or row not in rows_named(table.rows, question, content):
        return frozenset()
    return frozenset({table.title_line, *table.head_lines})


def table_at_line(number: int, content: DocumentContent) -> Table | None:
    """The table that a line is in, or the title of."""
    tables = content.tables_on_page(content.lines[number - 1].page_number)
    inside = (each for each in tables if each.first_line <= number <= each.last_line or number == each.title_line)
    return next(inside, None)


def row_around(number: int, content: DocumentContent) -> LineRange:
    """All lines of the row of a table that a line is in."""
    table = table_at_line(number, content)
    row = table.row_at(number) if table else None
    lines = content.legible_lines(*units_of(content).around(number))
    first, last = (row.first_line, row.last_line) if row else (number, number)
    return LineRange(min(first, lines[0].number), max(last, lines[-1].number))


def rows_under_rule(number: int, content: DocumentContent) -> LineRange | None:
    """The head of a Markdown table that a line is in, down to its last row; of a long table only the head.

    A table of words alone has no values that `read_tables` could tell its columns by.
    """
    units, lines = units_of(content), content.lines
    at = units.position(number)
    head = row_around(number, content)
    rule = lines[head.last : units.at(at).last]
    bars = "".join(each.text for each in rule).strip("| ").count("|")
    if not rule or not all(map(is_rule, rule)) or bars < HEADED_MIN - 1 or is_data(cells_of_line(lines[number - 1])):
        return None
    rows = [head]
    for first in units.starts[at + 1 :]:
        if not is_next_row(lines[first - 2], lines[first - 1]):
            break
        rows.append(row_around(first, content))
    return head.union(rows[-1]) if len(rows) <= ROWS_MAX + 1 else head


def is_row(line: LineRow) -> bool:
    return line.kind == "table_row"


def is_next_row(above: LineRow, line: LineRow) -> bool:
    """Whether a row is right below a line: an empty line parts it from the head of another table."""
    return is_row(line) and 0 < line.y0 - above.y0 < 2 * (above.y1 - above.y0)


def is_rule(line: LineRow) -> bool:
    return line.method == "markdown" and line.kind == "furniture" and not line.text.strip("|:- ")


def language_assumed(content: DocumentContent, question: Question) -> str:
    """The language of a document; of one with too few words to tell that of the question."""
    return question.language if content.language == "und" else content.language


def find_banded_row(table: Table, question: Question, content: DocumentContent) -> TableRow | None:
    """The row whose interval holds a number of the question; None if none does, or where it may be another."""
    asked, language = quantities_in(question.topic, question.language), language_assumed(content, question)
    bands = [(row, band) for row in table.rows if asked and (band := read_band(row.label, language))]
    if len(bands) < BANDS_MIN:
        return None
    over = OverLabels(table, question, content)
    holding = [
        (row, band) for row, band in bands if any(over.is_of(each, band) and band.holds(each.amount) for each in asked)
    ]
    words = stems_asked(question)
    said = [len(words & set(own_words(row, band, language))) for row, band in holding]
    best = max(said, default=0)
    return holding[said.index(best)][0] if said.count(best) == 1 else None


@lru_cache(maxsize=16)  # asked for at every place
def day_asked(question: Question) -> NamedDay | None:
    """The day that a question names; None where it names none, or several."""
    named = list(days_in(question.original))
    return named[0] if len(named) == 1 else None


def day_of_row(row: TableRow) -> NamedDay | None:
    """The day that is all of a row's label: of an entry, not of what the row says."""
    label = row.label.strip()
    return next((day for day in days_in(label) if len(day.text) == len(label)), None)


def find_dated_row(table: Table, question: Question, content: DocumentContent) -> TableRow | None:
    """The row of the day that the question names, however that is written; of several the one it says most of.

    A year that is asked for is over the rows if it is not in them.
    """
    asked = day_asked(question)
    dated = [(row, day) for row in table.rows if asked and (day := day_of_row(row))]
    if asked is None or len(dated) < ROWS_MIN:
        return None
    same = [(row, day) for row, day in dated if day.may_be_day(asked)]
    if asked.year and any(not day.year for _, day in same):
        above = (line for line in content.lines_on_page(table.page_number) if line.number < table.last_line)
        same = same if any(asked.year in line.text for line in above) else []
    words, language = stems_asked(question), language_assumed(content, question)
    said = [len(words & telling_stems(words_of_row(row), language)) for row, _ in same]
    best = max(said, default=0)
    return same[said.index(best)][0] if said.count(best) == 1 else None


def words_of_row(row: TableRow) -> str:
    return " ".join([row.label, *(cell.text for cell in row.cells if cell)])


def is_of_another_day(number: int, question: Question, content: DocumentContent) -> bool:
    """Whether a line is a row of a day, and the question asks for one thing of another."""
    is_single = question.shape == "single" and not question.is_count
    asked = day_asked(question) if is_single and is_row(content.lines[number - 1]) else None
    table = table_at_line(number, content) if asked else None
    row = table.row_at(number) if table else None
    day = day_of_row(row) if row else None
    return asked is not None and day is not None and not day.may_be_day(asked)


def find_grouped_row(number: int, table: Table, question: Question, content: DocumentContent) -> TableRow | None:
    """The row like that of a line in the group that the question names; None where it names none, or several."""
    row = table.row_at(number)
    if row is None or not row.group:
        return None
    named = groups_named(table, question, content)
    like = [each for each in table.rows if each.group in named and each.label == row.label]
    return like[0] if len(named) == len(like) == 1 else None


def find_row_in_group(number: int, table: Table, question: Question, content: DocumentContent) -> TableRow | None:
    """The row that the question names of the one group it names; for a place in the name of a group, or in the head."""
    row, named = table.row_at(number), groups_named(table, question, content)
    if len(named) != 1 or (row and row.label != named[0]):
        return None
    return find_named_row([each for each in table.rows if each.group == named[0]], question, content)


def groups_named(table: Table, question: Question, content: DocumentContent) -> list[str]:
    """The groups of a table all of whose words the question has."""
    asked, language = stems_asked(question), language_assumed(content, question)
    groups = {group: telling_stems(group, language) for group in {each.group for each in table.rows}}
    return [group for group, words in groups.items() if words and words <= asked]


def find_named_row(rows: Sequence[TableRow], question: Question, content: DocumentContent) -> TableRow | None:
    """The one row whose whole label the question has; of several the longest label."""
    named = rows_named(rows, question, content)
    return named[0] if len(named) == 1 else None


def rows_named(rows: Sequence[TableRow], question: Question, content: DocumentContent) -> list[TableRow]:
    """The rows whose whole label the question has, those with the longest of such labels."""
    return [rows[at] for at in longest_named([row.label for row in rows], question, content)]


def longest_named(labels: Sequence[str], question: Question, content: DocumentContent) -> list[int]:
    """The places of the labels that the question has whole, the longest of them."""
    asked, language = stems_asked(question), language_assumed(content, question)
    sizes = [len(words) if (words := telling_stems(label, language)) <= asked else 0 for label in labels]
    return [at for at, size in enumerate(sizes) if 0 < size == max(sizes)]


def find_named_line(lines: LineRange, question: Question, content: DocumentContent) -> int | None:
    """The one row of a table of words alone whose whole label the question has, and the heading of a column of it, with
    no further word of another column's.
    """
    rows = [line for line in content.lines_between(*lines) if is_row(line)]
    (_, *headings), *cells = [[cell.text for cell in cells_of_line(row)] or [""] for row in rows]
    labels, language = [each[0] for each in cells], language_assumed(content, question)
    named, columns = longest_named(labels, question, content), longest_named(headings, question, content)
    if len(named) != 1 or len(columns) != 1:
        return None
    others = telling_stems(" ".join(headings), language) - telling_stems(headings[columns[0]], language)
    unsaid = stems_asked(question) - telling_stems(labels[named[0]], language)
    return rows[named[0] + 1].number if others.isdisjoint(unsaid) else None


@lru_cache(maxsize=16)
def stems_asked(question: Question) -> frozenset[str]:
    return frozenset(stem(word, question.language) for word in normalise_words(question.topic))


def has_headed_value(lines: LineRange, question: Question, content: DocumentContent) -> bool:
    """Whether the one row on some lines has a value of the type asked for, completed by its column's heading: "410"
    below "Monthly fee (EUR)", "6" below "Transit (days)". That there is none is a value in the column that is named.

    The column that the question names most of has it, or every column where it names none.
    """
    is_asked = has_form(question) and content.lines[lines.last - 1].kind == "table_row"
    table = table_at_line(lines.last, content) if is_asked else None
    row = table.row_at(lines.last) if table else None
    if table is None or row is None or not set(range(lines.first, row.first_line)) <= set(table.head_lines):
        return False
    texts = {at: list(read_out(table, row, at)) for at in range(len(row.cells))}
    valued = {at for at, own in texts.items() if any(has_value(question, match_form(each), each) for each in own)}
    asked = stems_asked(question)
    headings = [column.heading for column in table.columns]
    said = [len(asked & telling_stems(heading, language_assumed(content, question))) for heading in headings]
    if most := max(said):
        valued |= {at for at, cell in enumerate(row.cells) if cell and is_nothing(cell.text)}
        return any(said[at] == most for at in valued)
    return len(valued) == len(row.cells)


def read_out(table: Table, row: TableRow, at: int) -> Iterator[str]:
    """The amount of a cell with the unit that stands over it or beside its label, as a sentence would print it."""
    cell = row.cells[at]
    if cell is None or cell.amount is None or not any(map(str.isdigit, cell.text)):
        return
    heading = table.columns[at].heading
    own, over = ([found[1] for found in IN_BRACKETS.finditer(text)] for text in (row.label, heading))
    unit = table.unit_at(row, at)
    stated = unit.partition(" ")[2] if table.unit_line else unit  # "in thousands of euros"
    for unit in filter(None, own or (stated, *over, heading)):
        yield f"{cell.text} {unit}"
        yield f"{unit} {cell.text}"


def own_words(row: TableRow, band: Band, language: str) -> Iterator[str]:
    """What a row says beside its interval: its group, and the rest of its label."""
    return (stem(word, language) for word in (*normalise_words(row.group), *band.words))


class OverLabels:
    """What is printed over the labels of a table: "Yearly quantity (t)", "Taxable income"."""

    def __init__(self, table: Table, question: Question, content: DocumentContent) -> None:
        headed = {word for column in table.columns for word in normalise_words(column.heading)}
        text = " ".join(content.lines[number - 1].text for number in table.head_lines)
        words = [word for word in normalise_words(text) if word not in headed]
        language, asked = language_assumed(content, question), stems_asked(question)
        self.units = {name_unit(each, language) for each in (*words, *CURRENCY_SIGN.findall(text))}
        named = (word for word in words if not is_stop_word(word, language))
        self.is_asked = any(stem(word, language) in asked for word in named if not is_generic(word, "en"))

    def is_of(self, asked: Found, band: Band) -> bool:
        """Whether a number of the question and an interval measure the same thing."""
        if band.unit:
            return asked.unit == band.unit
        return asked.unit in self.units or (asked.unit in {"", *currencies()} and self.is_asked)


def rows_to_quote(number: int, table: Table) -> LineRange:
    """The lines of a table from its head or title on; of a long one only that line."""
    numbers = sum(cell is not None for row in table.rows for cell in row.cells)
    if len(table.rows) > ROWS_MAX or numbers > NUMBERS_MAX:
        return LineRange(number, number)
    return LineRange(number, table.last_line)
