"""Rows are held against their printed totals only where it is sure which rows a total is of (R82)."""

import time
from collections.abc import Sequence
from decimal import Decimal

import pytest

from chat.figures.totals import find_mismatches
from reading.rows import LineRow
from reading.tables import read_tables
from retrieval.tests.builders import DATA, Written, content_of_lines, shared_content

HEAD: Written = ("| In thousands | 2024 | 2023 |", "table_row")
FILINGS = ("financebench/NIKE_2023_10K.pdf", "financebench/COSTCO_2021_10K.pdf")


def off_of(*rows: str, head: Written = HEAD) -> list[tuple[str, str, str, Decimal]]:
    written: Sequence[Written] = ["# Assets", head, *((f"| {row} |", "table_row") for row in rows)]
    lines: Sequence[LineRow] = content_of_lines(written).lines
    return [
        (found.label, found.heading, found.printed, found.added)
        for table in read_tables(lines)
        for found in find_mismatches(table)
    ]


def test_a_total_that_its_rows_do_not_add_up_to_is_found() -> None:
    rows = ("Cash | 1,200 | 1,100", "Stocks | 3,000 | 2,500", "Total assets | 4,200 | 3,900")
    assert off_of(*rows) == [("Total assets", "2023", "3,900", Decimal(3600))]


@pytest.mark.parametrize(
    "rows",
    [
        ("Cash | 1,200 | 1,100", "Stocks | 3,000 | 2,500", "Total assets | 4,200 | 3,600"),
        ("Cash | 1,200 | 1,100", "Stocks | 3,000 | 2,501", "Total assets | 4,200 | 3,600"),  # rounding
        ("Sales | 9,200 | 8,100", "Cost | (3,000) | (2,500)", "Total | 6,200 | 5,600"),  # brackets are minus
        ("Cash | 1,200 | 1,100", "Stocks | n/a | 2,500", "Total assets | 4,200 | 3,900"),  # not readable
        ("Cash | 1,200 | 1,100", "Stocks | 3,000 | 2,500", "Total assets | 9,999 | 8,888"),  # of other rows
        ("Shares | 1,200 | 71.50", "Shares | 3,000 | 77.10", "Total | 4,200 | 75.50"),  # an average
        ("Cash | 1,200 | 12 %", "Stocks | 3,000 | 10 %", "Total | 4,200 | 11 %"),
        ("Loan | 500 | 420", "Cash | 0 | 300", "Stocks | 3,000 | 2,500", "Total | 3,500 | 2,800"),  # without the loan
        ("Cash 4 | 1,200 | 1,100", "Stocks | 3,000 | 2,500", "Total assets | 4,200 | 3,900"),  # a column was not read
    ],
)
def test_nothing_is_said_where_it_adds_up_or_is_not_sure(rows: tuple[str, ...]) -> None:
    assert off_of(*rows) == []


def test_a_total_of_totals_takes_in_what_they_are_of() -> None:
    rows = ("Cash | 1,200 | 1,100", "Stocks | 3,000 | 2,500", "Total current | 4,200 | 3,600", "Land | 800 | 900")
    assert off_of(*rows, "Total assets | 5,000 | 4,500") == []
    assert [found[0] for found in off_of(*rows, "Total assets | 5,000 | 4,750")] == ["Total assets"]


@pytest.mark.parametrize(("total", "count"), [("4,200", 0), ("4,900", 1)])
def test_of_one_amount_only_that_of_a_plain_table_is_judged(total: str, count: int) -> None:
    head: Written = ("| Position | Quantity | Amount in EUR |", "table_row")
    rows = ("Pumps | 2 | 1,200", "Valves | 6 | 2,500", "Pipes | 9 | 500", f"Total | | {total}")
    assert len(off_of(*rows, head=head)) == count
    taxed = ("Pumps | 2 | 1,200", "Valves | 6 | 2,500", "Subtotal | | 3,700", "Tax | | 740", "Total | | 4,440")
    assert off_of(*taxed, head=head) == []


def test_a_hostile_table_takes_no_long_time() -> None:
    began = time.process_time()
    assert off_of(*(f"Total {number}x | {number * 7919 % 9973} | {number * 31 % 977}" for number in range(500))) == []
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", FILINGS)
def test_no_table_of_a_published_filing_is_flagged(name: str) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not here")
    content = shared_content(name)
    tables = [table for page in content.pages for table in content.tables_on_page(page.number)]
    assert sum(row.is_total for table in tables for row in table.rows) > 20
    assert [found for table in tables for found in find_mismatches(table)] == []
