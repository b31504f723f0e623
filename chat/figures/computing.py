"""Arithmetic in code (R78): fill the formula of a question with amounts from statements, citing each input.

Nothing is guessed: if an input is missing, ambiguous or from a page that was not retrieved, nothing is computed.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from chat.figures.arithmetic import ExpressionError, Quantity, calculate, quantity_of, read_tree
from chat.figures.formulas import (
    Formula,
    LineItem,
    Unit,
    asked_text,
    asked_years,
    combine,
    formula_of,
    name_item,
    read_comparison,
)
from chat.figures.statement_rows import Cell, StatementRow
from reading.values.scales import SCALE_WORDS, scale_asked
from reading.wording import SLOT, WordingError, check_fields, compile_checked, files_of, read_entries

PLACES = {"ratio": 2, "percent": 1, "points": 1, "amount": 0}
YEAR_COLUMNS_MAX = 3  # five-year summaries repeat the statements, sometimes restated
PART_FIELDS = {"name": str, "pattern": str, "examples": list, "counter_examples": list}
LINE_REQUIRED = ("asked", "printed", "statements", "asked_examples", "printed_examples", "counter_examples")
LINE_FIELDS = {
    **{name: str for name in ("asked", "printed", "parts", "summands")},
    **{name: list for name in LINE_REQUIRED[2:]},
    "is_outflow": bool,
}
VALUE_ASKED = re.compile(r"^(?:what (?:is|was|were)|how much)\b|\b(?:what (?:is|was)|how much)\b")


@dataclass(frozen=True)
class StatementLine:
    """A line of a statement: its names in questions and in reports. An outflow counts as positive."""

    asked: re.Pattern[str]
    printed: re.Pattern[str]
    statements: tuple[str, ...]
    is_outflow: bool
    parts: re.Pattern[str] | None  # rows that are parts of it, if a statement splits it
    summands: re.Pattern[str] | None  # rows that add up to it, if no total is printed
    asked_inside: re.Pattern[str]  # like `asked`, as words of a longer text
    asked_examples: tuple[str, ...]
    printed_examples: tuple[str, ...]
    counter_examples: tuple[str, ...]


@cache
def statement_lines() -> tuple[StatementLine, ...]:
    """The known lines in every language. Raises WordingError for a malformed file."""
    found: list[StatementLine] = []
    for _, path in files_of(Path(__file__).parent, "lines", "toml"):
        entries = list(read_entries(path))
        parts = [entry for section, entry in entries if section == "part"]
        for part in parts:
            check_fields(f"{path.name}, [[part]]", part, PART_FIELDS, tuple(PART_FIELDS))
        shared = {part["name"]: part["pattern"] for part in parts}
        found += [line_of(path.name, section, entry, shared) for section, entry in entries if section != "part"]
    return tuple(found)


def line_of(file: str, section: str, entry: Mapping[str, Any], shared: Mapping[str, str]) -> StatementLine:
    place = f"{file}, [[{section}]]"
    if section != "line":
        raise WordingError(f"{file}: there is no section {section!r}")
    check_fields(place, entry, LINE_FIELDS, LINE_REQUIRED)

    def pattern(name: str, frame: str = "{}") -> re.Pattern[str]:
        if unknown := [slot for slot in SLOT.findall(entry[name]) if slot not in shared]:
            raise WordingError(f"{place}: there is no [[part]] {unknown[0]!r}")
        return compile_checked(place, frame.format(SLOT.sub(lambda slot: shared[slot[1]], entry[name])))

    return StatementLine(
        asked=pattern("asked"),
        printed=pattern("printed"),
        statements=tuple(entry["statements"]),
        is_outflow=entry.get("is_outflow", False),
        parts=pattern("parts") if "parts" in entry else None,
        summands=pattern("summands") if "summands" in entry else None,
        asked_inside=pattern("asked", r"\b(?:{})\b"),
        asked_examples=tuple(entry["asked_examples"]),
        printed_examples=tuple(entry["printed_examples"]),
        counter_examples=tuple(entry["counter_examples"]),
    )


@dataclass(frozen=True)
class Input:
    """An amount of the computation: its name, its year and its place."""

    name: str
    year: str
    amount: Decimal  # in single units of money if the page states its unit, else as printed
    printed: str
    row: StatementRow
    cell: Cell


@dataclass(frozen=True)
class Computed:
    """A value with all its inputs, in the order of the formula."""

    formula: Formula
    value: Decimal
    inputs: tuple[Input, ...]
    is_scaled: bool

    @property
    def is_plain(self) -> bool:
        """Whether it is one amount as printed in a statement, without any calculation."""
        return isinstance(self.formula.expression.tree, ast.Name)

    @property
    def shown(self) -> str:
        """The value in people's notation."""
        largest = max((each.row.scale for each in self.inputs if each.row.scale), default=None)
        scale = (self.formula.scale or largest) if self.is_scaled else None
        return write_value(self.value, self.formula.unit, self.formula.places, scale)


class MissingInput(LookupError):
    """An amount of the formula is missing from the statements, or ambiguous."""


def read_formulas(question: str) -> tuple[Formula, ...]:
    """What the question wants computed, before any document is read; () when that is nothing."""
    text = asked_text(question)
    formula = formula_of(text) or read_single_amount(text)
    return (formula,) if formula else with_change(read_comparison(text))


def compute_all(formulas: Sequence[Formula], rows: Sequence[StatementRow]) -> tuple[Computed, ...]:
    """The values of the formulas; () when any input of any of them is missing or doubtful."""
    try:
        return tuple(compute(each, rows) for each in formulas)
    except (MissingInput, ExpressionError):
        return ()


def with_change(formulas: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """Two percentages of different years, and their difference in points."""
    if len(formulas) != 2 or formulas[0].unit != "percent":
        return formulas
    before, after = formulas
    change = combine(after.expression, "-", before.expression)
    return (before, after, Formula(f"change of {after.name}", change, "points"))


def read_single_amount(text: str) -> Formula | None:
    """The one amount of one year that the `asked_text` of a question asks for as it stands in a statement."""
    years = asked_years(text)
    scale = scale_asked(text)
    if len(years) != 1 or scale is None or not VALUE_ASKED.search(text):
        return None
    named = {found[0] for each in statement_lines() if (found := each.asked_inside.search(text))}
    longest = [name for name in named if not any(name != other and name in other for other in named)]
    if len(longest) != 1:
        return None
    return Formula(longest[0], name_item(LineItem(longest[0], years)), "amount", None, scale)


def compute(formula: Formula, rows: Sequence[StatementRow]) -> Computed:
    """Evaluate one formula. Raises MissingInput if an amount is not certain, or ExpressionError."""
    inputs: list[Input] = []

    def amount(name: str, year: str) -> Decimal:
        found = find(name, year, rows)
        inputs.extend(each for each in found if each not in inputs)
        return sum((each.amount for each in found), Decimal(0))

    read, named = read_tree(formula.expression.tree), formula.expression.named
    value = quantity_of(calculate(read, {name: Quantity(value_over(named[name], amount)) for name in read.names})).value
    scales = {each.row.scale for each in inputs}
    if not inputs or (None in scales and len(scales) > 1):
        raise MissingInput("the units of the inputs cannot be compared")
    return Computed(formula, value, tuple(inputs), None not in scales)


def value_over(item: LineItem | Decimal, amount: Callable[[str, str], Decimal]) -> Decimal:
    """The value of a line in its year, or over its two; that of a number."""
    if isinstance(item, Decimal):
        return item
    values = [amount(item.name, year) for year in item.years]
    if item.over == "average":
        return (values[0] + values[1]) / 2
    return values[1] - values[0] if item.over == "change" else values[0]


# ---- finding an amount


def find(name: str, year: str, rows: Sequence[StatementRow]) -> tuple[Input, ...]:
    """The amount of a line in a year, from the statement itself, or the amounts that add up to it.

    Raises MissingInput if there is none, or more than one reading.
    """
    known = next((each for each in statement_lines() if each.asked.fullmatch(name)), None)
    statements = known.statements if known else ("income statement", "balance sheet", "cash flow statement")
    candidates = [row for statement in statements for row in main_rows(statement, rows) if row.cell(year)]
    matching = [row for row in candidates if (known.printed.fullmatch(row.label) if known else row.label == name)]
    if known and known.parts and sum(known.parts.match(row.label) is not None for row in candidates) > 1:
        matching = [row for row in matching if row.label.startswith("total ")]  # a single part is not the whole
    totals = [row for row in matching if row.label.startswith("total ")]
    attributed = [row for row in matching if " attributable to " in row.label]  # of net incomes, that of the owners
    for chosen in (matching, totals, attributed):
        amounts = {cell_of(row, year).amount for row in chosen}
        if len(amounts) == 1:
            return (input_of(name, year, chosen[0], is_outflow=known is not None and known.is_outflow),)
    if known and not matching and (added := summands_of(known, candidates)):
        return tuple(input_of(row.label, year, row, is_outflow=known.is_outflow) for row in added)
    raise MissingInput(f"{name} of {year}")


def summands_of(known: StatementLine, rows: Sequence[StatementRow]) -> list[StatementRow]:
    """The consecutive rows that a statement splits a line into without a total; () if in doubt."""
    found = [row for row in rows if known.summands and known.summands.fullmatch(row.label)]
    numbers = [row.line.number for row in found]
    is_block = len(found) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return found if is_block else []


def main_rows(statement: str, rows: Sequence[StatementRow]) -> list[StatementRow]:
    """The rows of the statement's own page, and of the next one if it continues there."""
    own = [row for row in rows if row.statement == statement]
    pages: dict[int, list[StatementRow]] = {}
    for row in own:
        pages.setdefault(row.line.page_number, []).append(row)
    if not pages:
        return []
    main = max(pages, key=lambda page: (len(pages[page][0].cells) <= YEAR_COLUMNS_MAX, len(pages[page]), -page))
    columns = [cell.year for cell in pages[main][0].cells]
    near = [page for page in (main - 1, main, main + 1) if page in pages]
    return [row for page in near for row in pages[page] if [cell.year for cell in row.cells] == columns]


def cell_of(row: StatementRow, year: str) -> Cell:
    cell = row.cell(year)
    if cell is None:
        raise MissingInput(f"{row.label} of {year}")
    return cell


def input_of(name: str, year: str, row: StatementRow, *, is_outflow: bool) -> Input:
    cell = cell_of(row, year)
    amount = cell.amount * (row.scale or 1)
    printed = row.line.text[cell.start : cell.end].strip()
    return Input(name, year, abs(amount) if is_outflow else amount, printed, row, cell)


# ---- showing


def round_half_up(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def write_value(value: Decimal, unit: Unit, places: int | None, scale: int | None) -> str:
    """A result in people's notation; an amount in units of `scale`, or as printed where no scale is known."""
    if unit == "amount" and scale:
        in_units = value / scale
        places = places if places is not None else amount_places(in_units)
        return f"{round_half_up(in_units, places):,} {SCALE_WORDS[scale]}"
    places = places if places is not None else PLACES[unit]
    if unit == "percent":
        return f"{round_half_up(100 * value, places):,}%"
    if unit == "points":
        return f"{round_half_up(100 * value, places):+,} percentage points"
    return f"{round_half_up(value, places):,}"


def amount_places(value: Decimal) -> int:
    """Amounts below ten are usually billions, and keep two decimal places; others keep one if they have any."""
    if abs(value) < 10:
        return 2
    return 0 if value == value.to_integral_value() else 1
