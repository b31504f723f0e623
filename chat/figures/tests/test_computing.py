"""Arithmetic on statement rows: right where the rows are clear, and nothing at all where they are not."""

from decimal import Decimal
from pathlib import Path

import pytest

from chat.figures.computing import StatementLine, compute_all, read_formulas, statement_lines
from chat.figures.formulas import Expression, write_formula
from chat.figures.statement_rows import StatementRow, statement_rows
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.tests.builders import Written, content_of_lines, content_of_reading

REPORT = Path(__file__).resolve().parents[3] / "samples" / "annual-report.pdf"
YEARS: Written = ("December 31, 2021 2020", "table_row")


@pytest.fixture(scope="module")
def report() -> list[StatementRow]:
    return statement_rows(content_of_reading(read_pdf(REPORT, Limits()), REPORT))


def balance(*rows: str, unit: str = "(In millions)") -> list[StatementRow]:
    filling = ["Goodwill 5 5", "Cash 7 6", "Land 8 8", "Other assets 1 2", "Equity 3 3"]
    written: list[Written] = ["# CONSOLIDATED BALANCE SHEETS", unit, YEARS]
    return statement_rows(content_of_lines([*written, *((row, "table_row") for row in (*filling, *rows))]))


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("What is the current ratio of 2024?", ["1.71"]),
        ("What is the working capital of 2024 in EUR millions?", ["89.1 million"]),
        ("What was the free cash flow of 2024 in thousands?", ["42,570 thousand"]),
        ("What is the year-over-year change in revenue from 2023 to 2024?", ["7.1%"]),
        ("Has the operating margin improved in 2024?", ["11.6%", "12.0%", "+0.4 percentage points"]),
        ("Has the current ratio improved in 2024?", ["1.66", "1.71"]),
        ("What is the gross margin of 2024? Round to two decimal places.", ["42.30%"]),
        ("What is the dividend payout ratio of 2024?", ["0.28"]),
    ],
)
def test_it_computes_from_the_sample_report(report: list[StatementRow], question: str, shown: list[str]) -> None:
    assert [computed.shown for computed in compute_all(read_formulas(question), report)] == shown


def test_it_takes_no_part_for_the_whole(report: list[StatementRow]) -> None:
    """The report splits its costs into products and services and prints no total."""
    assert compute_all(read_formulas("What is the inventory turnover of 2024?"), report) == ()


INVENTORY = ["Raw materials and supplies 3 2", "Work in process and finished goods 2 1"]
ASSETS = ["Total current assets 20 10", "Total current liabilities 10 5"]


def test_it_adds_the_rows_a_line_is_split_into_where_no_total_is_printed() -> None:
    (computed,) = compute_all(read_formulas("What is the quick ratio of 2021?"), balance(*INVENTORY, *ASSETS))
    assert computed.shown == "1.50"
    assert [each.name for each in computed.inputs][1:3] == [
        "raw materials and supplies",
        "work in process and finished goods",
    ]


@pytest.mark.parametrize(
    "rows", [[INVENTORY[0]], [INVENTORY[0], "Prepaid 1 1", INVENTORY[1]]], ids=["one part", "rows apart"]
)
def test_it_adds_nothing_that_may_be_only_a_part(rows: list[str]) -> None:
    assert compute_all(read_formulas("What is the quick ratio of 2021?"), balance(*rows, *ASSETS)) == ()


def test_a_change_of_percentages_is_computed_from_the_unrounded_values(report: list[StatementRow]) -> None:
    before, after, change = compute_all(read_formulas("Has the operating margin improved in 2024?"), report)
    assert change.value == after.value - before.value and change.formula.unit == "points"
    assert {each.row.line.number for each in change.inputs} == {
        each.row.line.number for one in (before, after) for each in one.inputs
    }


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (["Total current assets 20 10"], "the other line is missing"),
        (
            ["Total current assets 20 10", "Total current liabilities 10 5", "Total current liabilities 11 5"],
            "two values",
        ),
        (["Total current assets 20 10", "Total current liabilities — —"], "division by zero"),
        (["Total current assets 20 10", "Total current liabilities 10 5 2"], "columns that do not fit"),
    ],
)
def test_it_does_not_guess(rows: list[str], why: str) -> None:
    assert compute_all(read_formulas("What is the current ratio of 2021?"), balance(*rows)) == (), why


def test_it_does_not_compute_a_year_that_is_not_there() -> None:
    rows = balance("Total current assets 20 10", "Total current liabilities 10 5")
    assert compute_all(read_formulas("What is the current ratio of 2019?"), rows) == ()
    assert [each.shown for each in compute_all(read_formulas("What is the current ratio of 2020?"), rows)] == ["2.00"]


def test_inputs_are_in_units_of_money_and_remember_their_row() -> None:
    rows = balance("Total current assets 20 10", "Total current liabilities 10 5")
    (computed,) = compute_all(read_formulas("What is the working capital of 2021?"), rows)
    assert computed.value == Decimal(10_000_000) and computed.shown == "10 million"
    assert [(each.year, each.printed, each.amount) for each in computed.inputs] == [
        ("2021", "20", Decimal(20_000_000)),
        ("2021", "10", Decimal(10_000_000)),
    ]


@pytest.mark.parametrize("question", ["", "What is attention?", "Is 2021 a good year?", "Ratio ratio ratio 2021?"])
def test_other_questions_compute_nothing(question: str) -> None:
    assert compute_all(read_formulas(question), balance("Total current assets 20 10")) == ()


def test_the_formula_is_shown_with_brackets_where_they_matter(report: list[StatementRow]) -> None:
    (computed,) = compute_all(read_formulas("What is the quick ratio of 2024?"), report)
    expression: Expression = computed.formula.expression
    assert write_formula(expression) == "(total current assets 2024 − inventory 2024) ÷ total current liabilities 2024"
    assert computed.shown == "1.18"


@pytest.mark.parametrize("line", statement_lines(), ids=lambda line: line.asked_examples[0])
def test_every_line_is_called_and_printed_as_its_examples_say(line: StatementLine) -> None:
    first = [next(each for each in statement_lines() if each.asked.fullmatch(name)) for name in line.asked_examples]
    assert first == [line] * len(line.asked_examples)
    assert [label for label in line.printed_examples if not line.printed.fullmatch(label)] == []
    others = [text for text in line.counter_examples if line.asked.fullmatch(text) or line.printed.fullmatch(text)]
    assert others == []
