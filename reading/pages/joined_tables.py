"""Tables that go on over a page: the part on the next page has the title, headings and unit of the part before it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS, LineRow
from reading.tables import GROUP_CHARS_MAX, OVERHANG, Table, cells_of_line, is_label, is_value, read_tables

PAGES_MAX = 20  # that one table goes over
LABELS_MAX = 4  # lines: the name of a group, and a label whose amounts are on its last line
NOTES_MAX = 6  # lines of notes and sources below a table
NOTE = re.compile(
    r"\s{0,9}(?:[(\[]?\d{1,2}[)\]]\s|[*†‡]"
    r"|(?:source|note|remark|quelle|anmerkung|hinweis|fuente|nota|remarque)(?:s|n|en|e)?\s?:\s)",
    re.IGNORECASE,
)
SMALL_PRINT = 0.9  # of the height of a row
NUMBERED = re.compile(r"\d")  # "Table 4"; the name of a group has no number
Edges = tuple[float, float]


def tables_of_page(number: int, lines_on: Callable[[int], Sequence[LineRow]], language: str = "") -> list[Table]:
    """The tables of a page, in reading order; the first knows the table of the page before that it goes on from."""
    first = number
    tables = read_tables(lines_on(number), language)
    while tables and begins_page(tables[0], lines_on(first)) and 1 < first > number - PAGES_MAX:
        first -= 1
        tables = read_tables(lines_on(first), language)
    over: Table | None = None
    for page in range(first, number + 1):
        lines = lines_on(page)
        tables = read_tables(lines, language)
        if over is not None and tables and begins_page(tables[0], lines) and goes_on_from(over, tables[0]):
            tables[0] = headed_by(over, tables[0])
        over = tables[-1] if tables and ends_page(tables[-1], lines) else None
    return tables


def begins_page(table: Table, lines: Sequence[LineRow]) -> bool:
    """Whether nothing but its own head, or a few labels left of its columns, is above a table."""
    own = {table.title_line, *table.head_lines}
    first, places = table.rows[0].first_line, column_places(table)
    above = [line for line in lines if line.number < first and line.kind not in UNSEARCHED_KINDS]
    labels = [line for line in above if line.number not in own]
    return len(labels) <= LABELS_MAX and all(is_label(line) and line.x1 < places[0][0] for line in labels)


def ends_page(table: Table, lines: Sequence[LineRow]) -> bool:
    """Whether nothing is below a table, which may be over, but notes to it; behind a total it is."""
    below = [line for line in lines if line.number > table.last_line and line.kind not in UNSEARCHED_KINDS]
    rows = [line for line in lines if table.rows[0].first_line <= line.number <= table.last_line]
    height = SMALL_PRINT * min(line.y1 - line.y0 for line in rows)
    is_open = not (below and table.rows[-1].is_total)
    return is_open and len(below) <= NOTES_MAX and all(is_note(line, height) for line in below)


def is_note(line: LineRow, height: float) -> bool:
    """Whether a line begins as a note does, "Source:", "(1)", "*", or is in smaller print than the rows, and announces
    nothing: behind a colon another table begins. In smaller print a line with an amount for a cell is a row.
    """
    if line.kind in ("heading", "caption") or line.text.rstrip().endswith(":"):
        return False
    is_small = line.y1 - line.y0 < height and not any(map(is_value, cells_of_line(line)))
    return is_small or NOTE.match(line.text) is not None


def goes_on_from(over: Table, table: Table) -> bool:
    """Whether a table at the top of a page is the rest of the one at the end of the page before.

    Its columns stand in the same places, and it has no headings and no unit of its own. Where both are printed again
    the title must be, too: two tables below each other often have the same years.
    """
    headings = [column.heading for column in table.columns]
    above = [column.heading for column in over.columns]
    is_repeated = headings == above and is_same_title(over.title, table.title)
    is_bare = not any(headings) and any(above) and is_named_alike(over, table)
    has_unit = table.unit in ("", over.unit)
    return (is_repeated or is_bare) and has_unit and has_same_places(column_places(over), column_places(table))


def is_named_alike(over: Table, table: Table) -> bool:
    """Whether what stands as the title of a table without headings is none, the same again or the name of a group."""
    is_group = table.title_line not in table.head_lines and len(table.title) <= GROUP_CHARS_MAX
    return not table.title or is_same_title(over.title, table.title) or (is_group and not NUMBERED.search(table.title))


def is_same_title(title: str, again: str) -> bool:
    """Whether a title is the one before it with no more than a word or two, such as "(continued)"."""
    one, other = match_form(title), match_form(again)
    return bool(one) and other.startswith(one) and len(other[len(one) :].split()) <= 2


def headed_by(over: Table, table: Table) -> Table:
    is_bare = not any(column.heading for column in table.columns)
    return replace(
        table,
        title=table.title or over.title,
        title_line=table.title_line or over.title_line,
        unit=table.unit or over.unit,
        columns=over.columns if is_bare else table.columns,
        inherited=over.inherited or tuple(number for number in (over.title_line, *over.head_lines) if number),
        begins_on=over.begins_on or over.page_number,
    )


# ---- where columns stand


def column_places(table: Table) -> list[Edges]:
    cells = [[cell for row in table.rows if (cell := row.cells[at])] for at in range(len(table.columns))]
    return [(min(cell.x0 for cell in column), max(cell.x1 for cell in column)) for column in cells if column]


def has_same_places(places: Sequence[Edges], others: Sequence[Edges]) -> bool:
    """Whether columns begin or end in the same places, one by one.

    Where a row is one piece of text its edges are only its order, left of the page: that says nothing.
    """
    if not len(places) == len(others) > 1 or min(left for left, _ in (*places, *others)) < 0:
        return False
    pairs = list(zip(places, others, strict=True))
    are_near = all(min(abs(one[0] - two[0]), abs(one[1] - two[1])) <= OVERHANG for one, two in pairs)
    return are_near and all(one[1] < after[0] for places in (places, others) for one, after in pairwise(places))
