"""Do the printed shares of a whole add up to the 100 % that a table prints as their total (R82)? A note for auditors.

Only one column is looked at with the one total below it, and only where it is sure to hold shares: each is its amount
in another column, which adds up, divided by that total; or, in a table of percentages alone, the heading says so.
Rates, growth, margins, answers of several choices and parts of parts have a "100 %" too, and are no shares of it.
"""

from collections.abc import Sequence
from decimal import Decimal

from chat.figures.totals import ROWS_MAX, Mismatch, is_whole_table
from reading.tables import AROUND_AMOUNT, Table, TableCell, TableRow, amount_of
from reading.wording import read_once

WHOLE = Decimal(100)  # per cent
ROWS_MIN, OTHERS_MIN = 2, 2  # rows, and rows beside the odd one whose share their amount confirms
HALF = Decimal("0.5")
FRAMES = {
    "whole": r"^\W*(?:{whole})\W*$",
    "part": r"^\W*(?:{part})\b",
    "share": r"\b(?:{share})\b",
    "no_share": r"\b(?:{no_share})",
}
share_words = read_once(__name__, "shares", FRAMES)


def find_shares_off(table: Table) -> list[Mismatch]:
    """The columns of shares that do not add up to their 100 %, by more than rounding explains."""
    rows = table.rows[: ROWS_MAX + 1]
    at = next((number for number, row in enumerate(rows) if share_words()["whole"].search(row.label)), 0)
    total, parts = rows[at], rows[:at]
    goes_on = table.begins_on not in (0, table.page_number) or bool(table.inherited)
    if goes_on or len(parts) < ROWS_MIN or has_nested(table, parts) or not all(map(is_whole_table, (total, *parts))):
        return []
    found = (shares_off_in(column, table, total, parts) for column in range(len(total.cells)))
    return [each for each in found if each]


def has_nested(table: Table, parts: Sequence[TableRow]) -> bool:
    """Whether rows may be parts of other rows: groups, subtotals, "of which"."""
    totals = sum(row.is_total or bool(share_words()["whole"].search(row.label)) for row in table.rows)
    is_grouped = len({row.group for row in parts}) > 1
    return totals > 1 or is_grouped or any(share_words()["part"].search(row.label) for row in parts)


def shares_off_in(at: int, table: Table, total: TableRow, parts: Sequence[TableRow]) -> Mismatch | None:
    shares = [share_in(row.cells[at], table, at) for row in parts]
    printed = total.cells[at]
    known = [share for share in shares if share is not None and 0 <= share < WHOLE]
    if printed is None or share_in(printed, table, at) != WHOLE or len(known) < len(parts):
        return None
    added = sum(known, Decimal(0))
    is_off = abs(added - WHOLE) > sum(map(half_unit, known))
    if not is_off or makes_whole(known) or not are_shares(at, known, table, total, parts):
        return None
    heading = table.columns[at].heading
    return Mismatch(total.label, heading, printed.text, added, parts[0].first_line, total.last_line)


def share_in(cell: TableCell | None, table: Table, at: int) -> Decimal | None:
    """The percentage of a cell; None for what is not printed as one, by itself or by its column."""
    column = table.columns[at]
    if cell is None or not any("%" in text for text in (cell.text, column.heading, column.unit)):
        return None
    return amount_of(cell.text.strip(AROUND_AMOUNT))


def half_unit(share: Decimal) -> Decimal:
    """Half a unit of the last printed digit: what rounding may have taken or given."""
    return HALF.scaleb(int(share.as_tuple().exponent))


def makes_whole(shares: Sequence[Decimal]) -> bool:
    """Whether some of the shares make up the whole, so that the others may be parts of them."""
    sums = {(Decimal(0), Decimal(0))}  # with what rounding may make of each
    for share in shares:
        sums |= {(added + share, slack + half_unit(share)) for added, slack in sums if added + share < 2 * WHOLE}
        if len(sums) > 20_000:
            return True  # too many ways to tell
    return any(slack and abs(added - WHOLE) <= slack for added, slack in sums)


def are_shares(at: int, shares: Sequence[Decimal], table: Table, total: TableRow, parts: Sequence[TableRow]) -> bool:
    """Whether amounts beside the percentages confirm them, or, where none are there, words above them."""
    others = [number for number in range(len(total.cells)) if number != at]
    columns = [[amount_beside(row.cells[number], table, number) for row in (*parts, total)] for number in others]
    if any(amount is not None for column in columns for amount in column):
        return any(confirms(column, shares) for column in columns)
    heading, labels = table.columns[at].heading, " ".join(row.label for row in parts)
    is_named = share_words()["share"].search(heading) is not None
    return is_named and not share_words()["no_share"].search(f"{table.title} {heading} {labels}")


def amount_beside(cell: TableCell | None, table: Table, at: int) -> Decimal | None:
    is_percent = cell is None or "%" in f"{cell.text}{table.columns[at].heading}{table.columns[at].unit}"
    return None if is_percent or cell is None else amount_of(cell.text.strip(AROUND_AMOUNT))


def confirms(column: Sequence[Decimal | None], shares: Sequence[Decimal]) -> bool:
    """Whether amounts add up to their total and all shares but one are of it."""
    *amounts, total = column
    known = [amount for amount in amounts if amount is not None and amount >= 0]
    if not total or len(known) < len(shares):
        return False
    adds_up = abs(sum(known, Decimal(0)) - total) <= sum(map(half_unit, (*known, total)))
    right = sum(
        abs(WHOLE * amount / total - share) <= 2 * half_unit(share) for amount, share in zip(known, shares, strict=True)
    )
    return adds_up and right >= max(OTHERS_MIN, len(shares) - 1)
