"""Do the rows of a table add up to its printed totals (R82)? Only what is sure is said, and nothing is corrected.

Which rows a total is of is told by the numbers: the rows right above it that add up to it in one column. If they do not
in one other column, that is a mismatch. Where a total has one amount, only that of a plain table is judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from reading.tables import AROUND_AMOUNT, Table, TableCell, TableRow, amount_of
from reading.values.years import YEAR

ADDENDS_MIN, ADDENDS_MAX = 2, 60
ROWS_MAX = 200  # of a table; nothing is said of what comes after
UNITS_MIN = 100  # of the last printed digit: a smaller total is met by chance, and may be a percentage


@dataclass(frozen=True)
class Sum:
    """A total and the rows above it in one column: the amounts added, and those of the rows further up."""

    at: int
    printed: TableCell
    total: Decimal
    addends: tuple[Decimal, ...]
    further: tuple[Decimal, ...]  # nearest first
    first_line: int

    @property
    def added(self) -> Decimal:
        return sum(self.addends, Decimal(0))

    @property
    def rest(self) -> Decimal:
        return self.total - self.added

    @property
    def unit(self) -> Decimal:
        """That of the last printed digit."""
        return Decimal(1).scaleb(min(int(amount.as_tuple().exponent) for amount in (self.total, *self.addends)))

    @property
    def slack(self) -> Decimal:
        """What rounding may make of it: half a unit for each printed number."""
        return self.unit * (len(self.addends) + 1) / 2

    @property
    def is_large(self) -> bool:
        return abs(self.total) >= UNITS_MIN * self.unit

    @property
    def is_met(self) -> bool:
        return self.is_large and sum(map(bool, self.addends)) >= ADDENDS_MIN and abs(self.rest) <= self.slack

    @property
    def is_off(self) -> bool:
        """Whether it is a sum and wrong: no average or change, and not one of other rows than were added."""
        is_sum = self.is_large and not min(self.addends) <= self.total <= max(self.addends)
        return (
            is_sum
            and abs(self.rest) > self.slack
            and not any(abs(abs(self.rest) - abs(each)) <= self.slack for each in self.explanations())
        )

    def explanations(self) -> Iterator[Decimal]:
        """What may be counted too much or too little: a row, one with the wrong sign, or rows one after the other."""
        for amount in (*self.addends, *self.further):
            yield amount
            yield 2 * amount
        for amounts in (self.addends, self.further):
            run = Decimal(0)
            for amount in amounts:
                run += amount
                yield run


@dataclass(frozen=True)
class Mismatch:
    """A total that the rows above it do not add up to, in one column."""

    label: str
    heading: str
    printed: str
    added: Decimal
    first_line: int
    last_line: int


class Above(NamedTuple):
    """A total with the rows above it; by column the amounts of all of them, the total's first, then from below."""

    total: TableRow
    rows: Sequence[TableRow]
    amounts: Sequence[Sequence[Decimal | None]]


def find_mismatches(table: Table) -> list[Mismatch]:
    """The totals of a table that its rows do not add up to; what cannot be read or told apart is left out."""
    above: list[TableRow] = []  # rows that no total has taken in; a total stands for its rows
    found: list[Mismatch] = []
    for row in table.rows[:ROWS_MAX]:
        if row.is_total:
            place = read_above(row, above)
            count = count_addends(place)
            if off := wrong_sum(place, count or count_plain(table, place)):
                heading = table.columns[off.at].heading
                found.append(Mismatch(row.label, heading, off.printed.text, off.added, off.first_line, row.last_line))
            del above[len(above) - count :]
        above = [*above[1 - ADDENDS_MAX :], row]
    return found


def read_above(total: TableRow, rows: Sequence[TableRow]) -> Above:
    upwards = (total, *reversed(rows))
    amounts = [[read_amount(row.cells[at]) for row in upwards] for at in range(len(total.cells))]
    return Above(total, [*rows], amounts)


def count_addends(place: Above) -> int:
    """How many rows right above a total add up to it in most columns; 0 if they do in no column."""
    best = most = 0
    for count in range(ADDENDS_MIN, len(place.rows) + 1):
        met = sum(each.is_met for each in sums_of(place, count))
        if met > most:
            best, most = count, met
    return best


def count_plain(table: Table, place: Above) -> int:
    """All rows above the only total of a table under headings, with one amount; 0 if groups or signs part them."""
    count, cells = len(place.rows), place.total.cells
    is_only = sum(row.is_total for row in table.rows) == 1 and sum(cell is not None for cell in cells) == 1
    if not is_only or count < ADDENDS_MIN or not table.head_lines or any(row.group for row in place.rows):
        return 0
    sums = sums_of(place, count)
    return count if sums and min(sums[0].addends) >= 0 else 0


def wrong_sum(place: Above, count: int) -> Sum | None:
    """The one column in which the rows do not add up. Several are no slip: then the rows are others."""
    if not count or not all(map(is_whole_table, (place.total, *place.rows[-count:]))):
        return None
    off = [each for each in sums_of(place, count) if not each.is_met]
    return off[0] if len(off) == 1 and off[0].is_off else None


def sums_of(place: Above, count: int) -> list[Sum]:
    """The total with `count` rows above it, for each column in which all of them can be read."""
    first_line = place.rows[-count].first_line
    found: list[Sum] = []
    for at, (printed, (total, *amounts)) in enumerate(zip(place.total.cells, place.amounts, strict=True)):
        addends = tuple(each for each in amounts[:count] if each is not None)
        if printed and total is not None and len(addends) == count:
            further = tuple(each for each in amounts[count:] if each is not None)
            found.append(Sum(at, printed, total, addends, further, first_line))
    return found


def is_whole_table(row: TableRow) -> bool:
    """Whether a row's label has no amount at its end, which would belong to a column that was not read as one."""
    last = row.label.rpartition(" ")[2]
    return "%" not in last and (amount_of(last) is None or bool(YEAR.fullmatch(last)))


def read_amount(cell: TableCell | None) -> Decimal | None:
    """The amount of a cell; None for a percentage and what is no number."""
    return amount_of(cell.text.strip(AROUND_AMOUNT)) if cell and "%" not in cell.text else None
