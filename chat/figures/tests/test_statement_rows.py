"""Rows of statements: labels, years, amounts, units; whatever cannot be told apart is left out."""

from decimal import Decimal

import pytest

from chat.figures.statement_rows import StatementRow, statement_rows
from reading.rows import LineRow
from retrieval.tests.builders import Written, content_of_lines

ROWS: list[Written] = [
    ("Total revenue 5,854,430 4,795,511", "table_row"),
    ("Cost of sales (819,908) (744,317)", "table_row"),
    ("Goodwill impairment — 233", "table_row"),
    ("Trade receivables, net (Note 4) ........ $ 1,217.5 $ 833.0", "table_row"),
    ("Operating income 9 1,493,602 903,095", "table_row"),
    ("Net income $ 1,168,782 $ 629,551", "table_row"),
]
HEAD: list[Written] = ["# CONSOLIDATED STATEMENTS OF INCOME", "(In thousands, except per share data)"]
YEARS: Written = ("Year Ended December 31, Note 2016 2015", "table_row")


def rows_of(*written: Written) -> dict[str, StatementRow]:
    return {row.label: row for row in statement_rows(content_of_lines(list(written)))}


def test_each_row_has_its_label_years_amounts_and_unit() -> None:
    rows = rows_of(*HEAD, YEARS, *ROWS)
    assert len(rows) == len(ROWS)
    revenue = rows["total revenue"]
    assert (revenue.statement, revenue.scale) == ("income statement", 1000)
    assert [(cell.year, cell.amount) for cell in revenue.cells] == [
        ("2016", Decimal(5854430)),
        ("2015", Decimal(4795511)),
    ]


@pytest.mark.parametrize(
    ("label", "amounts"),
    [
        pytest.param("cost of sales", [-819908, -744317], id="brackets are a minus"),
        pytest.param("goodwill impairment", [0, 233], id="a dash is nothing"),
        pytest.param("trade receivables, net", ["1217.5", "833.0"], id="leaders, a note and currency signs"),
        pytest.param("operating income", [1493602, 903095], id="the number of a note in its own column"),
    ],
)
def test_amounts_are_read_as_printed(label: str, amounts: list[str]) -> None:
    cells = rows_of(*HEAD, YEARS, *ROWS)[label].cells
    assert [cell.amount for cell in cells] == [Decimal(amount) for amount in amounts]


def test_a_cell_says_where_its_sign_stands() -> None:
    row = rows_of(*HEAD, YEARS, *ROWS)["net income"]
    line: LineRow = row.line
    assert [line.text[cell.start : cell.end].strip() for cell in row.cells] == ["$ 1,168,782", "$ 629,551"]


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(["# Results of our segments", "(In thousands)", YEARS, *ROWS], id="no statement"),
        pytest.param([*HEAD, *ROWS], id="no years"),
        pytest.param([*HEAD, ("Quarter 2016 2015 Year 2016 2015", "table_row"), *ROWS], id="a year twice"),
        pytest.param([*HEAD, YEARS, *ROWS[:3]], id="too few rows"),
        pytest.param(["# Income statement and balance sheet", YEARS, *ROWS], id="two statements"),
    ],
)
def test_a_page_that_is_not_clear_gives_nothing(written: list[Written]) -> None:
    assert rows_of(*written) == {}


def test_a_row_with_more_amounts_than_years_is_left_out() -> None:
    assert "margin" not in rows_of(*HEAD, YEARS, *ROWS, ("Margin 1,234 1,111 11%", "table_row"))
