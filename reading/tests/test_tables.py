"""Tables: columns by where cells lie, headings over them, labels and groups beside them, amounts as numbers."""

from decimal import Decimal
from pathlib import Path

import pymupdf
import pytest

from reading.boxes import box_of
from reading.limits import Limits
from reading.matching import match_form
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.rows import LineKind, LineRow, LineSpan
from reading.tables import Table, amount_of, cells_of_line, is_wrapped, read_tables
from reading.tests.pdfs import with_struck

REPORT = Path(__file__).resolve().parents[2] / "samples" / "annual-report.pdf"
POINTS = 5.0  # a character's width in the lines below
LEADING = 12.0


def line_of(number: int, *cells: tuple[float, str], kind: LineKind = "table_row") -> LineRow:
    """A line whose cells begin at the given points."""
    spans, text = [], ""
    for x0, cell in cells:
        text += " " * bool(text)
        spans.append(LineSpan(len(text), len(text) + len(cell), x0, x0 + POINTS * len(cell)))
        text += cell
    y0 = LEADING * number
    edges = (spans[0].x0, y0, spans[-1].x1, y0 + 10)
    return LineRow(number, number, 1, 0, text, match_form(text), *edges, 0, kind, "text", tuple(spans))


def amounts_of(table: Table) -> list[tuple[str, list[str | None]]]:
    return [(row.label, [cell.text if cell else None for cell in row.cells]) for row in table.rows]


@pytest.fixture(scope="module")
def report() -> tuple[LineRow, ...]:
    return read_pdf(REPORT, Limits()).lines


def test_it_reads_a_statement_as_it_is_printed(report: tuple[LineRow, ...]) -> None:
    table, per_share = read_tables([line for line in report if line.page_number == 10])
    assert (table.title, table.unit) == ("Consolidated Income Statement", "EUR thousand")
    assert [(column.heading, column.period, column.unit) for column in table.columns] == [
        ("2024", "2024", "EUR thousand"),
        ("2023", "2023", "EUR thousand"),
    ]
    assert len(table.rows) == 13
    assert amounts_of(table)[6] == ("Restructuring", ["(3,150)", "–"])
    assert [cell.amount for row in table.rows[6:7] for cell in row.cells if cell] == [Decimal(-3150), Decimal(0)]
    assert per_share.unit == "" and per_share.rows[0].label == "Basic earnings per share (EUR)"


def test_every_cell_is_literally_on_its_line(report: tuple[LineRow, ...]) -> None:
    cells = 0
    for page in range(1, report[-1].page_number + 1):
        for table in read_tables([line for line in report if line.page_number == page]):
            for cell in (cell for row in table.rows for cell in row.cells if cell):
                text = report[cell.line - 1].text
                assert cell.text == " ".join(text[cell.start : cell.end].split())
                cells += 1
    assert cells > 100


def test_a_line_below_a_cell_of_words_goes_on_with_it() -> None:
    """Below a number, below the label or far below it does not."""
    row = line_of(2, (20, "New wiring"), (150, "Up to 79 hours of 85 ="), (320, "3,790"), (420, "10,505"))
    below = [line_of(3, (158, "up to 6,715.")), line_of(3, (420, "13,917")), line_of(3, (20, "and test"))]
    assert [is_wrapped(row, line) for line in (*below, line_of(5, (158, "up to 6,715.")))] == [True, *[False] * 3]


@pytest.mark.parametrize(
    "below",
    [
        (150, "Sundries"),
        (150, "Services:"),
        (150, "320"),
        (150, "Two years"),
        (150, "All prices exclude value added tax."),
        (150, "a) without value added tax"),
    ],
)
def test_what_may_be_a_row_or_a_name_of_its_own_is_joined_to_no_cell(below: tuple[float, str]) -> None:
    (table,) = read_tables(
        [
            line_of(1, (20, "No."), (150, "Item"), (320, "Amount")),
            line_of(2, (20, "First"), (150, "One year"), (320, "100")),
            line_of(3, below, kind="body"),
            line_of(4, (20, "Second"), (150, "None"), (320, "220")),
        ]
    )
    assert [cells[0] for _, cells in amounts_of(table) if cells[1] in ("100", "220")] == ["One year", "None"]


def test_a_heading_over_two_columns_goes_to_both_and_each_has_its_own_year() -> None:
    (table,) = read_tables(
        [
            line_of(1, (40, "Statements of Cash Flows"), kind="heading"),
            line_of(2, (205, "Six Months Ended December 31,"), kind="body"),
            line_of(3, (20, "($ in millions)"), (220, "2022"), (320, "2021")),
            line_of(4, (20, "Net income"), (210, "$"), (230, "695"), (310, "$"), (330, "432")),
            line_of(5, (20, "Depreciation"), (230, "284"), (330, "332")),
        ]
    )
    assert [column.heading for column in table.columns] == [
        "Six Months Ended December 31, 2022",
        "Six Months Ended December 31, 2021",
    ]
    assert [column.period for column in table.columns] == ["December 31, 2022", "December 31, 2021"]
    assert table.title == "Statements of Cash Flows" and table.unit == "$ in millions"
    assert table.head_lines == (2, 3) and (table.first_line, table.last_line) == (2, 5)
    assert amounts_of(table)[0] == ("Net income", ["$ 695", "$ 432"])


def test_labels_over_rows_are_their_group_until_the_indent_ends() -> None:
    (table,) = read_tables(
        [
            line_of(1, (20, "EUR"), (220, "2022"), (320, "2021")),
            line_of(2, (20, "Inventories:"), kind="body"),
            line_of(3, (30, "Raw materials"), (220, "12"), (320, "11")),
            line_of(4, (30, "Finished goods"), (220, "9"), (320, "—")),
            line_of(5, (20, "Prepaid expenses"), (220, "5"), (320, "4")),
            line_of(6, (20, "Total assets"), (220, "26"), (320, "15")),
        ]
    )
    assert [row.group for row in table.rows] == ["Inventories:", "Inventories:", "", ""]
    assert [row.is_total for row in table.rows] == [False, False, False, True]
    assert table.row_at(4) is table.rows[1] and table.row_at(2) is None


@pytest.mark.parametrize("x0", [20, 240])  # left of the columns, and in their middle
def test_lines_alone_over_rows_with_the_same_labels_are_groups(x0: float) -> None:
    (table,) = read_tables(
        [
            line_of(1, (220, "Year ended 31 December 2025"), kind="body"),
            line_of(2, (20, "SEK million"), (220, "H1"), (320, "H2")),
            line_of(3, (x0, "Grid"), kind="body"),
            line_of(4, (20, "Revenue"), (220, "412"), (320, "398")),
            line_of(5, (20, "Profit"), (220, "127"), (320, "117")),
            line_of(6, (x0, "Heat"), kind="body"),
            line_of(7, (20, "Revenue"), (220, "296"), (320, "188")),
            line_of(8, (20, "Profit"), (220, "83"), (320, "12")),
        ]
    )
    assert [row.group for row in table.rows] == ["Grid", "Grid", "Heat", "Heat"]
    assert [column.heading for column in table.columns] == [
        "Year ended 31 December 2025 H1",
        "Year ended 31 December 2025 H2",
    ]


def test_a_line_alone_over_other_rows_is_a_heading_of_its_column() -> None:
    (table,) = read_tables(
        [
            line_of(1, (220, "2025"), (320, "2024")),
            line_of(2, (320, "restated"), kind="body"),
            line_of(3, (20, "Revenue"), (220, "412"), (320, "398")),
            line_of(4, (20, "Profit"), (220, "127"), (320, "117")),
        ]
    )
    assert [column.heading for column in table.columns] == ["2025", "2024 restated"]
    assert {row.group for row in table.rows} == {""}


def test_a_heading_over_headings_that_are_words_begins_another_table() -> None:
    tables = read_tables(
        [
            line_of(1, (20, "Rates"), kind="heading"),
            line_of(2, (20, "Income"), (220, "Rate"), (320, "Marginal")),
            line_of(3, (20, "0 to 10"), (220, "0 %"), (320, "0 %")),
            line_of(4, (20, "Over 10"), (220, "20 %"), (320, "22 %")),
            line_of(5, (20, "Charges"), kind="heading"),
            line_of(6, (20, "Notice"), (220, "Share"), (320, "At least")),
            line_of(7, (20, "Under 30 days"), (220, "90 %"), (320, "70")),
            line_of(8, (20, "30 days or more"), (220, "40 %"), (320, "50")),
        ]
    )
    assert [(table.title, len(table.rows)) for table in tables] == [("Rates", 2), ("Charges", 2)]


def test_two_words_over_a_table_of_two_columns_are_its_head_and_part_it_from_the_one_above() -> None:
    lines = [
        line_of(1, (20, "Vaccination"), kind="heading"),
        line_of(2, (20, "Weight of the dog"), (200, "Price"), kind="body"),
        line_of(3, (20, "up to 10 kg"), (200, "£38")),
        line_of(4, (20, "over 10 kg"), (200, "£44")),
        line_of(5, (20, "Boarding"), kind="heading"),
        line_of(6, (20, "Length of stay"), (140, "Rate a night"), kind="body"),
        line_of(7, (20, "up to 3 nights"), (160, "£29")),
        line_of(8, (20, "every further one"), (160, "free"), kind="body"),
        line_of(9, (20, "a week"), (160, "£180")),
    ]
    first, second = read_tables(lines)
    assert [(each.title, each.head_lines, each.columns[0].heading) for each in (first, second)] == [
        ("Vaccination", (2,), "Price"),
        ("Boarding", (6,), "Rate a night"),
    ]
    assert amounts_of(second)[1] == ("every further one", ["free"])


def test_rows_set_in_below_a_row_with_amounts_are_of_it_where_their_labels_are_printed_again() -> None:
    lines = [
        line_of(1, (200, "2024"), (300, "2023")),
        line_of(2, (20, "Machines"), (200, "318"), (300, "342")),
        line_of(3, (30, "At home"), (200, "120"), (300, "131")),
        line_of(4, (30, "Spare parts"), (200, "198"), (300, "211")),
        line_of(5, (20, "Plants"), (200, "204"), (300, "187")),
        line_of(6, (30, "At home"), (200, "204"), (300, "187")),
        line_of(7, (40, "Total"), (200, "522"), (300, "529")),
        line_of(8, (20, "Total"), (200, "522"), (300, "529")),
    ]
    table = read_one(lines)
    assert [row.group for row in table.rows] == ["", "Machines", "", "", "Plants", "", ""]


def test_a_line_that_says_that_there_is_none_is_no_head() -> None:
    """Nor does prose in two pieces or a label with its value stand over a column."""
    for above in ((20, "Deposit"), (200, "nil")), ((20, "Prices hold until May,"), (200, "then")):
        rows = [line_of(2, (20, "up to 10 kg"), (200, "£38")), line_of(3, (20, "over 10 kg"), (200, "£44"))]
        table = read_one([line_of(1, *above, kind="body"), *rows])
        assert table.columns[0].heading == ""


def test_a_heading_over_a_line_of_years_begins_another_table() -> None:
    lines = [
        line_of(1, (200, "2024"), (300, "2023")),
        line_of(2, (20, "Revenue"), (200, "8,412"), (300, "7,930")),
        line_of(3, (20, "Rent"), (200, "344"), (300, "331")),
        line_of(4, (20, "Balance sheet"), kind="heading"),
        line_of(5, (200, "2024"), (300, "2023")),
        line_of(6, (20, "Inventories"), (200, "1,904"), (300, "1,876")),
        line_of(7, (20, "Cash"), (200, "402"), (300, "519")),
    ]
    first, second = read_tables(lines)
    assert [row.label for row in first.rows] == ["Revenue", "Rent"]
    assert (second.title, [row.group for row in second.rows]) == ("Balance sheet", ["", ""])
    assert [column.period for column in second.columns] == ["2024", "2023"]


def test_measures_are_the_values_of_a_table_without_amounts() -> None:
    periods = [("up to 2 years", "4 weeks"), ("2 to 5 years", "6 weeks"), ("more than 5 years", "none")]
    rows = [line_of(number, (20, label), (200, value)) for number, (label, value) in enumerate(periods, start=3)]
    table = read_one(
        [line_of(1, (20, "Notice periods"), kind="heading"), line_of(2, (20, "Service"), (200, "Notice")), *rows]
    )
    assert amounts_of(table) == [(label, [value]) for label, value in periods]
    assert (table.title, [column.heading for column in table.columns]) == ("Notice periods", ["Notice"])


def test_measures_over_amounts_are_headings_and_one_alone_is_no_table() -> None:
    due = line_of(1, (20, "Due within"), (200, "1 year"), (300, "5 years"))
    debts = [
        line_of(2, (20, "Bonds"), (200, "120"), (300, "340")),
        line_of(3, (20, "Leases"), (200, "14"), (300, "31")),
    ]
    table = read_one([due, *debts])
    assert [row.label for row in table.rows] == ["Bonds", "Leases"]
    assert [column.heading for column in table.columns] == ["1 year", "5 years"]
    assert read_tables([line_of(1, (20, "Office"), (200, "Leeds")), line_of(2, (20, "Notice"), (200, "4 weeks"))]) == []


def test_a_heading_over_a_sentence_ends_a_table() -> None:
    lines = [
        line_of(1, (20, "Tent"), (200, "35")),
        line_of(2, (20, "Grill"), (200, "15")),
        line_of(3, (20, "Parcels"), kind="heading"),
        line_of(4, (20, "They are weighed at the desk."), kind="body"),
        line_of(5, (20, "up to 2 kg"), (200, "4")),
        line_of(6, (20, "over 2 kg"), (200, "9")),
    ]
    first, second = read_tables(lines)
    assert [row.label for row in first.rows] == ["Tent", "Grill"]
    assert [row.label for row in second.rows] == ["up to 2 kg", "over 2 kg"]


BORROWINGS = (
    ((20, "Borrowings"),),
    ((20, "Lender"), (200, "2024"), (300, "2023"), (400, "Change")),
    ((20, "Oak Bank"), (200, "48,200"), (300, "51,750"), (400, "(3,550)")),
    ((20, "Elm Bank"), (200, "12,908"), (300, "9,330"), (400, "3,578")),
)


def tables_below_borrowings(*below: tuple[tuple[float, str], ...]) -> list[Table]:
    """The tables where lines of several cells, or of one, follow those of a first table."""
    lines = [*BORROWINGS, *below]
    return read_tables(
        [
            line_of(number, *cells, kind="table_row" if len(cells) > 1 else "heading" if number == 1 else "body")
            for number, cells in enumerate(lines, start=1)
        ]
    )


@pytest.mark.parametrize(
    ("head", "headings", "periods"),
    [
        (("Covenant", "Limit", "Actual 2024", "Actual 2023"), ["Limit", "Actual 2024", "Actual 2023"], 2),
        (("Kennzahl", "Grenze", "31.12.2024", "31.12.2023"), ["Grenze", "31.12.2024", "31.12.2023"], 2),
        (("Ratio", "Budget FY 2024", "FY 2024", "FY 2023 restated"), None, 3),
        (("EUR million", "Land", "Plant", "Total"), ["Land", "Plant", "Total"], 0),
    ],
)
def test_a_row_of_headings_below_the_rows_of_a_table_begins_another(
    head: tuple[str, ...], headings: list[str] | None, periods: int
) -> None:
    """With the unit over it, if there is one, and without the word for its labels."""
    rows = [
        ((20, "Liquidity"), (200, "15.0"), (300, "18.7"), (400, "14.2")),
        ((20, "Net debt"), (200, "3.5"), (300, "3.1"), (400, "3.8")),
    ]
    named = tuple(zip((20.0, 200.0, 300.0, 400.0), head, strict=True))
    for over in [], [((20.0, "(in millions of euros unless stated otherwise)"),)]:
        first, second = tables_below_borrowings(*over, named, *rows)
        assert [row.label for row in first.rows] == ["Oak Bank", "Elm Bank"]
        assert [row.label for row in second.rows] == ["Liquidity", "Net debt"]
        assert [column.heading for column in second.columns] == (headings or [*head[1:]])
        assert sum(bool(column.period) for column in second.columns) == periods
        assert {column.unit for column in second.columns} <= {"", "in millions", "EUR million"}
        assert bool(second.columns[0].unit) == bool(over or head[0] == "EUR million")


@pytest.mark.parametrize(
    "row",
    [
        ((20, "Due"), (200, "31 March 2025"), (300, "30 June 2027"), (400, "fixed")),
        ((20, "Due"), (200, "2029"), (300, "2031"), (400, "never")),
        ((20, "Signed"), (200, "2023"), (300, "2024"), (400, "none")),
        ((20, "Rating"), (200, "stable"), (300, "good"), (400, "better")),
    ],
)
def test_a_row_of_words_days_or_years_among_others_heads_no_columns(row: tuple[tuple[float, str], ...]) -> None:
    (table,) = tables_below_borrowings(row, ((20, "Ash Bank"), (200, "6,415"), (300, "6,415"), (400, "–")))
    assert [each.label for each in table.rows] == ["Oak Bank", "Elm Bank", row[0][1], "Ash Bank"]
    assert [column.heading for column in table.columns] == ["2024", "2023", "Change"]


def test_years_in_the_middle_of_a_table_without_years_are_those_of_its_columns() -> None:
    """Its columns are contracts; the same years over other columns are a heading."""
    contracts = [
        line_of(1, (20, "Contract"), (200, "Oak"), (300, "Elm")),
        line_of(2, (20, "Amount"), (200, "1,200"), (300, "1,300")),
        line_of(3, (20, "Fee"), (200, "12"), (300, "13")),
        line_of(4, (20, "Terms:"), kind="body"),
        line_of(5, (20, "Signed"), (200, "2023"), (300, "2024")),
        line_of(6, (20, "Months"), (200, "24"), (300, "36")),
    ]
    assert [column.heading for column in read_one(contracts).columns] == ["Oak", "Elm"]
    other = (
        line_of(5, (20, "Lender"), (150, "2024"), (250, "2023"), (350, "2022")),
        line_of(6, (20, "Ash Bank"), (150, "24"), (250, "36"), (350, "31")),
        line_of(7, (20, "Oak Bank"), (150, "20"), (250, "30"), (350, "30")),
    )
    _, second = read_tables([*contracts[:4], *other])
    assert [column.period for column in second.columns] == ["2024", "2023", "2022"]


def test_a_head_of_several_lines_below_the_rows_of_a_table_stays_together() -> None:
    first, second = tables_below_borrowings(
        ((190, "Three months ended June 30, 2024"), (390, "Six")),
        ((20, "(in millions)"), (200, "Glass"), (300, "Paper"), (400, "Total")),
        ((20, "North"), (200, "12"), (300, "13"), (400, "25")),
        ((20, "South"), (200, "22"), (300, "23"), (400, "45")),
    )
    assert len(first.rows) == len(second.rows) == 2
    assert second.columns[0].heading == "Three months ended June 30, 2024 Glass"


def test_an_amount_over_a_table_is_not_its_unit() -> None:
    table = read_one(
        [
            line_of(1, (20, "(2023: EUR 0.6 million)"), kind="body"),
            line_of(2, (20, "EUR thousand"), (220, "2024"), (320, "2023")),
            line_of(3, (20, "Wages"), (220, "412"), (320, "398")),
            line_of(4, (20, "Pensions"), (220, "127"), (320, "117")),
        ]
    )
    assert table.unit == "EUR thousand"


def test_what_is_struck_is_in_no_cell() -> None:
    """A row as a whole, and the amount for which another one stands beside it."""
    (table,) = read_tables(
        [
            line_of(1, (20, "EUR million"), (220, "2025"), (320, "2024")),
            line_of(2, (20, "Revenue"), (220, "412"), (320, "398")),
            with_struck(line_of(3, (20, "Interest"), (220, "77"), (320, "66")), "Interest 77 66"),
            with_struck(line_of(4, (20, "Profit"), (200, "127"), (217, "129"), (320, "117")), "127"),
        ]
    )
    assert amounts_of(table) == [("Revenue", ["412", "398"]), ("Profit", ["129", "117"])]
    assert [cell and (cell.start, cell.x0) for cell in table.rows[1].cells] == [(11, 217), (15, 320)]


def test_a_label_on_two_lines_is_one_row() -> None:
    (table,) = read_tables(
        [
            line_of(1, (20, "Sales"), (220, "12"), (320, "11")),
            line_of(2, (20, "Net settlement of forward contracts to purchase own"), kind="body"),
            line_of(3, (20, "equity, net of tax"), (220, "59"), (320, "7")),
        ]
    )
    row = table.rows[1]
    assert row.label == "Net settlement of forward contracts to purchase own equity, net of tax"
    assert (row.first_line, row.last_line) == (2, 3)


def test_an_empty_cell_is_empty_and_moves_nothing() -> None:
    (table,) = read_tables(
        [
            line_of(1, (20, "Balance"), (200, "15"), (260, "452"), (320, "57")),
            line_of(2, (20, "Net income"), (260, "427"), (325, "5")),
            line_of(3, (20, "Issued"), (200, "3"), (260, "1"), (325, "2")),
        ]
    )
    assert amounts_of(table)[1] == ("Net income", [None, "427", "5"])


def test_prose_and_footnotes_end_a_table() -> None:
    note = "includes restructuring and related expenses of the plan for the three and six months that ended in June"
    (table,) = read_tables(
        [
            line_of(1, (20, "Sales"), (220, "12"), (320, "11")),
            line_of(2, (20, "Costs"), (220, "9"), (320, "8")),
            line_of(3, (20, "(1)"), (40, note)),
        ]
    )
    assert table.last_line == 2
    assert read_tables([line_of(1, (20, "Sales"), (220, "12"))]) == []
    assert read_tables([]) == []


def test_a_markdown_row_has_the_cells_between_its_bars() -> None:
    rows = ["| Fee | 2024 | 2023 |", "| Basic | 1,200 | 1,100 |", "| Late payment | 40 | |"]
    lines = [line_of(number, (40, text)) for number, text in enumerate(rows, start=1)]
    (table,) = read_tables(lines)
    assert [column.heading for column in table.columns] == ["2024", "2023"]
    assert amounts_of(table) == [("Basic", ["1,200", "1,100"]), ("Late payment", ["40", None])]
    for cell in cells_of_line(lines[1]):
        assert lines[1].text[cell.start : cell.end] == cell.text


LONG_CELL = "what is due under which circumstances, and to whom it is to be paid in the end by the customer; " * 3


def test_a_markdown_table_keeps_the_head_above_its_rule() -> None:
    """What a heading says in brackets is its own column's; a wrapped row is one, and an empty line ends a table."""
    text = f"""# Fees

| Service | What it is | Monthly fee (EUR) | Notice (days) |
|---|---|---:|---:|
| Storage | {LONG_CELL} | 1,200 | 30 |
| Backup | short | 80 | 14 |

| EUR thousand | 2024 | 2023 |
|---|---:|---:|
| Revenue | 18,420 | 17,011 |
| Costs | 1,306 | (212) |
"""
    fees, figures = read_tables(read_markdown(text).lines)
    assert [(column.heading, column.unit) for column in fees.columns] == [
        ("What it is", ""), ("Monthly fee", "EUR"), ("Notice (days)", "")
    ]  # fmt: skip
    storage, backup = fees.rows
    assert (storage.label, storage.cells[0].text) == ("Storage", LONG_CELL.strip())  # type: ignore[union-attr]
    assert [cell and cell.amount for row in (storage, backup) for cell in row.cells[1:]] == [1200, 30, 80, 14]
    assert (storage.first_line, backup.first_line) == (4, storage.last_line + 1)
    assert [column.period for column in figures.columns] == ["2024", "2023"]
    assert {column.unit for column in figures.columns} == {"EUR thousand"}


def test_the_first_row_of_a_markdown_table_of_two_columns_is_a_head_only_if_it_names_a_measure() -> None:
    facts = "| Head office | Leeds |\n|---|---|\n| Founded | 1998 |\n| Staff | 214 |\n| Ships | 12 |\n"
    (table,) = read_tables(read_markdown(facts).lines)
    assert [row.label for row in table.rows] == ["Founded", "Staff", "Ships"]
    assert [column.heading for column in table.columns] == [""] and not table.head_lines
    notice = "| Role | Notice (days) |\n|---|---|\n| Clerk | 12 |\n| Judge | 14 |\n"
    (table,) = read_tables(read_markdown(notice).lines)
    assert [column.heading for column in table.columns] == ["Notice (days)"]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1,234", "1234"),
        ("(3,150)", "-3150"),
        ("$ (862)", "-862"),
        ("—", "0"),
        ("1.62", "1.62"),
        ("1.234.567,8", "1234567.8"),
        ("12,5", "12.5"),
        ("25%", "25"),
        ("-4.5 %", "-4.5"),
        ("Note 4", None),
        ("", None),
        ("12/31/2024", None),
        ("1.2.3", None),
        ("25.000,00-", "-25000"),
        ("1,234 -", "-1234"),
        ("\u20131,234", "-1234"),
        *((f"{sign}4,684", "-4684") for sign in "\u2010\u2011\u2012\u2014\u2015\u2212\ufe63\uff0d"),
        *((f"4,684{sign}", "-4684") for sign in "\u2010\u2011\u2012\u2212\ufe63\uff0d"),
        *((sign, "0") for sign in "\u2010\u2011\u2012\u2014\u2015\u2212\ufe63\uff0d"),
        ("\u2014 25", None),  # two columns, of which one is empty
        ("500\u2014", None),  # without cents, or a loss
        ("10\u201120", None),
        ("2019\u20142020", None),
        ("1,234.50 CR", None),  # on a side of an account
        ("\ufffd4 684", None),  # with a sign that could not be read
    ],
)
def test_an_amount_is_read_as_printed_or_not_at_all(text: str, amount: str | None) -> None:
    assert amount_of(text) == (None if amount is None else Decimal(amount))


def test_amounts_with_the_name_of_their_currency_make_a_table(tmp_path: Path) -> None:
    """As price lists print them, in words or codes, before or behind; a number of things is none of them."""
    with pymupdf.open() as document:
        page = document.new_page()
        rows = [
            *(("Paketart", "Preis", "Versichert"), ("Standardpaket bis 5 kg", "6,49 Euro", "CHF 500.00")),
            *(("Expresspaket bis 10 kg", "12,00 Euro", "CHF 1'000.00"), ("Sperrgut", "1.234,50 Euro", "auf Anfrage")),
        ]
        for number, row in enumerate(rows):
            for x0, text in zip((72, 260, 400), row, strict=True):
                page.insert_text((x0, 80 + 18 * number), text)
        document.save(tmp_path / "prices.pdf")
    (table,) = read_tables(read_pdf(tmp_path / "prices.pdf", Limits()).lines)
    assert [column.heading for column in table.columns] == ["Preis", "Versichert"]
    amounts = [[cell.amount for cell in row.cells if cell] for row in table.rows]
    assert amounts == [
        [Decimal("6.49"), Decimal("500.00")],
        [Decimal("12.00"), Decimal("1000.00")],
        [Decimal("1234.50"), None],
    ]


def test_the_signs_of_amounts_stay_with_them() -> None:
    """Brackets and the sides of an account may stand apart; a row whose sign could not be read is a row."""
    (table,) = read_tables(
        [
            line_of(1, (20, "Account"), (220, "2025"), (320, "2024"), kind="body"),
            line_of(2, (20, "Share capital"), (220, "25.000,00-"), (320, "20.000,00-")),
            line_of(3, (20, "Bank"), (220, "48,10"), (260, "H"), (320, "12,00"), (360, "S")),
            line_of(4, (20, "Result"), (210, "("), (220, "4 684"), (260, ")"), (320, "\ufffd7 884")),
        ]
    )
    assert amounts_of(table) == [
        ("Share capital", ["25.000,00-", "20.000,00-"]),
        ("Bank", ["48,10 H", "12,00 S"]),
        ("Result", ["( 4 684 )", "\ufffd7 884"]),
    ]
    assert [[cell.amount for cell in row.cells if cell] for row in table.rows] == [
        [Decimal(-25000), Decimal(-20000)],
        [None, None],
        [Decimal(-4684), None],
    ]


def test_a_blank_line_parts_groups_of_one_table_and_tables_of_two_units() -> None:
    rows = [("Sales", "10", "20"), ("Costs", "5", "6"), ("", "", ""), ("Profit", "5", "14"), ("Taxes", "1", "2")]
    rows += [("", "", ""), ("Profit per share (EUR)", "1.5", "2.5"), ("Shares", "3", "4")]
    lines = [
        line_of(number, (20, label), (300, first), (400, second))
        for number, (label, first, second) in enumerate(rows, start=1)
        if label
    ]
    spread = [line._replace(y0=line.y0 * 1.5, y1=line.y0 * 1.5 + 10) for line in lines]
    assert [[row.label for row in table.rows] for table in read_tables(spread)] == [
        ["Sales", "Costs", "Profit", "Taxes"],
        ["Profit per share (EUR)", "Shares"],
    ]


def test_names_of_groups_may_be_between_headings_and_amounts() -> None:
    table = read_one(
        [
            line_of(1, (300, "May 2020"), (400, "May 2019"), kind="body"),
            line_of(2, (20, "ASSETS"), kind="body"),
            line_of(3, (20, "Current assets:"), kind="body"),
            line_of(4, (20, "Cash"), (300, "$    1,677.8"), (400, "450.0")),
            line_of(5, (20, "Receivables"), (300, "1,615.1"), (400, "1,679.7")),
        ]
    )
    assert [column.period for column in table.columns] == ["May 2020", "May 2019"]
    assert [cell.amount for cell in table.rows[0].cells if cell] == [Decimal("1677.8"), Decimal("450.0")]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("Total revenue 5,854,430 4,795,511", ["Total revenue", "5,854,430", "4,795,511"]),
        ("Net income $ 1,168,782 $ (629,551)", ["Net income", "$ 1,168,782", "$ (629,551)"]),
        ("Impairment (see note 4) — 233", ["Impairment (see note 4)", "—", "233"]),
        ("Total revenue 5,854,430", ["Total revenue 5,854,430"]),
        ("2016 2015", ["2016 2015"]),
    ],
)
def test_a_row_in_one_piece_is_parted_by_its_amounts(text: str, cells: list[str]) -> None:
    assert [cell.text for cell in cells_of_line(line_of(1, (20, text)))] == cells


def read_one(lines: list[LineRow]) -> Table:
    (table,) = read_tables(lines)
    return table


@pytest.mark.parametrize("rotation", [0, 90, 270])
def test_a_table_that_lies_sideways_is_read_and_its_cells_have_their_boxes(rotation: int, tmp_path: Path) -> None:
    """Text that runs from bottom to top, on a page that is shown as it is or turned."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    rows = [("State", "Handgun", "Long gun"), ("Alaska", "3,062", "3,209"), ("Arizona", "12,382", "9,041")]
    for number, row in enumerate(rows):
        for y, cell in zip((700, 500, 300), row, strict=True):
            page.insert_text((100 + 20 * number, y), cell, fontsize=10, rotate=90)
    page.set_rotation(rotation)
    drawn = {word[4]: pymupdf.Rect(word[:4]) * page.rotation_matrix for word in page.get_text("words")}
    pdf.save(path := tmp_path / "sideways.pdf")
    lines = read_pdf(path, Limits()).lines
    (table,) = read_tables(lines)
    assert [column.heading for column in table.columns] == ["Handgun", "Long gun"]
    assert amounts_of(table) == [("Alaska", ["3,062", "3,209"]), ("Arizona", ["12,382", "9,041"])]
    for read in (each for row in table.rows for each in row.cells if each):
        box = box_of(lines[read.line - 1], read.start, read.end)
        assert pymupdf.Rect(box[1:]).intersect(drawn[read.text]).get_area() > 0.8 * abs(drawn[read.text].get_area())


def test_a_heading_in_the_middle_of_columns_with_names_of_their_own_is_over_each() -> None:
    (table,) = read_tables(
        [
            line_of(1, (285, "Pawn"), (450, "Sale")),
            line_of(2, (20, "State"), (150, "Permit"), (220, "Gun"), (280, "Rifle"), (340, "Other"), (400, "Gun"),
                    (460, "Rifle"), (520, "Other")),
            line_of(3, (20, "Alaska"), (150, "209"), (220, "100"), (280, "191"), (340, "184"), (400, "18"), (460, "9"),
                    (520, "3")),
            line_of(4, (20, "Arizona"), (150, "230"), (220, "123"), (280, "904"), (340, "707"), (400, "61"), (460, "5"),
                    (520, "1")),
        ]
    )  # fmt: skip
    assert [column.heading for column in table.columns] == [
        "Permit", "Pawn Gun", "Pawn Rifle", "Pawn Other", "Sale Gun", "Sale Rifle", "Sale Other",
    ]  # fmt: skip


def test_a_row_has_the_unit_of_its_label_before_that_of_its_table() -> None:
    (table,) = read_tables(
        [
            line_of(1, (20, "($ in millions)"), (220, "2022"), (320, "2021")),
            line_of(2, (20, "Net income"), (220, "695"), (320, "432")),
            line_of(3, (20, "Loans (billions)"), (220, "1.2"), (320, "1.1")),
            line_of(4, (20, "Income per share"), (220, "2.10"), (320, "1.30")),
            line_of(5, (20, "Growth"), (220, "12.0%"), (320, "11.0%")),
        ]
    )
    assert [table.unit_at(row, 0) for row in table.rows] == ["$ in millions", "billions", "$", ""]


def test_the_language_of_a_document_tells_what_a_column_is() -> None:
    """ "Quote" is a ratio in German, and a class "C" no side of an account in English."""
    lines = [
        line_of(1, (20, "(in millions)"), (220, "Last quote"), (320, "Class")),
        line_of(2, (20, "Alder Works"), (220, "284.50"), (320, "C")),
        line_of(3, (20, "Birch Foods"), (220, "332.50"), (320, "D")),
    ]
    read = {language: read_tables(lines, language)[0] for language in ("en", "fr", "de")}
    amounts = {
        language: [row.cells[0].amount for row in table.rows if row.cells[0]] for language, table in read.items()
    }
    assert amounts == {"en": [Decimal("284.50"), Decimal("332.50")], "fr": [None, None], "de": amounts["en"]}
    units = {language: table.unit_at(table.rows[0], 0) for language, table in read.items()}
    assert units == {"en": "in millions", "fr": "in millions", "de": ""}
