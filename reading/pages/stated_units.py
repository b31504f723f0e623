"""The unit that a sentence states for the tables below it: "All amounts are in thousands of euros unless stated".

What is stated of all amounts holds until another sentence says otherwise, anything else to the end of its page. It is
given as printed, and never to a table or column with a unit of its own, nor where each value is printed with its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from reading.rows import LineRow
from reading.tables import Table
from reading.wording import read_once

REACH = r"(?<!\w)(?:{figures})(?!\w)[^.;:!?]{0,60}?(?<!\w)"
FRAMES = {
    "figures": REACH + r"(?P<unit>{scaled})(?![\w-])",
    "scaled": REACH + r"(?P<unit>{scaled})(?![\w-])",
    "other": REACH + r"(?:{other})(?!\w)",
    "general": r"(?<!\w)(?:{general})(?![\w-])",
    "mention": r"(?<!\w)(?:{figures})(?!\w)",
}
unit_wordings = read_once(__name__, "stated_units", FRAMES)
SENTENCE_KINDS = frozenset({"body", "list_item", "heading", "caption"})
SENTENCE_CHARS = 300


class StatedUnit(NamedTuple):
    """What a sentence on a line says of the unit of the amounts below it, "" for something that is no amount."""

    unit: str
    line: int
    page_number: int
    is_general: bool


def stated_units_in(lines: Sequence[LineRow]) -> list[StatedUnit]:
    """The sentences of a document that state a unit, in reading order; one may go on over the line below."""
    words, found = unit_wordings(), []
    for line, following in zip_longest(lines, lines[1:]):
        if line.kind not in SENTENCE_KINDS or len(line.text) > SENTENCE_CHARS or not words["mention"].search(line.text):
            continue
        goes_on = following is not None and following.kind in SENTENCE_KINDS
        text = f"{line.text_in_force} {following.text_in_force}" if goes_on else line.text_in_force
        stated = words["scaled"].search(text)
        if stated or words["other"].search(text):
            unit = " ".join(stated["unit"].split()) if stated else ""
            found.append(StatedUnit(unit, line.number, line.page_number, bool(words["general"].search(text))))
    return found


def with_stated_units(tables: Iterable[Table], stated: Sequence[StatedUnit]) -> list[Table]:
    """The tables, those without a unit of their own with the one stated above them."""
    return [with_stated_unit(table, stated) for table in tables] if stated else list(tables)


def with_stated_unit(table: Table, stated: Sequence[StatedUnit]) -> Table:
    above = [
        each
        for each in stated
        if each.line < table.rows[0].first_line and (each.is_general or each.page_number == table.page_number)
    ]
    if table.unit or not above or not above[-1].unit or prints_units(table):
        return table
    columns = tuple(column if column.unit else replace(column, unit=above[-1].unit) for column in table.columns)
    return replace(table, columns=columns, unit=above[-1].unit, unit_line=above[-1].line)


def prints_units(table: Table) -> bool:
    """Whether each value of a table stands with a unit: "99.90%", "12 hours"."""
    texts = [cell.text for row in table.rows for cell in row.cells if cell and any(map(str.isdigit, cell.text))]
    return all("%" in text or any(map(str.isalpha, text)) for text in texts)
