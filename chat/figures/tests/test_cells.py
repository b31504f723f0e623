"""The one cell of a table that a question asks for, or none."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pymupdf
import pytest

from chat.figures.cells import find_cells, quote_cell, typed_cell
from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pages.joined_tables import tables_of_page
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.tables import Table
from retrieval.models import RunCandidate
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines, content_of_reading

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
STATEMENT = content_of_lines(
    [
        "# Consolidated balance sheets",
        *(
            (f"| {row} |", "table_row")
            for row in (
                "(in millions) | 2015 | 2014",
                "Cash and equivalents | 1,200 | 1,150",
                "Other current assets | 300 | 290",
                "Total current assets | 7,800 | 8,400",
                "Trade payables | 1,100 | 1,250",
                "Other liabilities | 950 | 870",
                "Total liabilities | 2,213 | 2,494",
            )
        ),
    ],
    title="Acme Corporation, Form 10-K",
)


def cells_for(question: str, content: DocumentContent = STATEMENT) -> list[str]:
    return [cell.text for cell in find_cells(*asked(question, content))]


def asked(question: str, content: DocumentContent) -> tuple:  # type: ignore[type-arg]
    candidate = RunCandidate(
        parse_id=uuid4(), anchor_first_line=3, anchor_last_line=3, anchor_first_page=1, anchor_last_page=1
    )
    return parse_question(question, [content]), [candidate], {candidate.parse_id: content}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What were total current assets in 2014?", ["Total current assets, 2014: 8,400 (in millions)"]),
        ("How much were Acme's trade payables in 2015?", ["Trade payables, 2015: 1,100 (in millions)"]),
        ("How much were the trade payables?", ["Trade payables, 2015: 1,100 (in millions)"]),  # the latest
        (
            "How much were trade payables in 2014 and 2015?",
            ["Trade payables, 2014: 1,250 (in millions)", "Trade payables, 2015: 1,100 (in millions)"],
        ),
        ("How much were trade payables in 2009?", []),  # a year without a column
        ("What was the largest liability in 2015?", []),  # it compares rows
        ("How much of trade payables was reported in 2014?", ["Trade payables, 2014: 1,250 (in millions)"]),
        ("How much were the liabilities for pensions in 2015?", []),  # no row says that
        ("Who is the auditor of the trade payables?", []),
    ],
)
def test_row_by_words_and_column_by_year(question: str, said: list[str]) -> None:
    assert cells_for(question) == said


def table_content(*rows: str, language: str = "en") -> DocumentContent:
    return content_of_lines(
        ["# Schedule", *((f"| {row} |", "table_row") for row in rows)], title="Accounts", language=language
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was the change in borrowings from Oak Bank?", ["Oak Bank, Change: (3,550)"]),
        ("What was the change in borrowings from Oak Bank in 2024?", ["Oak Bank, Change: (3,550)"]),
        ("What was the change in borrowings from Oak Bank in 2023?", []),  # what changed in 2023 is not printed
        ("How much was borrowed from Oak Bank in 2023?", ["Oak Bank, 2023: 51,750"]),
        ("What was the limit of the borrowings from Elm Bank?", ["Elm Bank, Limit: 20,000"]),
        ("How much are the borrowings from Elm Bank?", ["Elm Bank, 2024: 12,908"]),
        ("What was the total change in cash in 2024?", ["Total change in cash, 2024: 88"]),  # its label says change
    ],
)
def test_the_column_that_the_question_names_goes_before_that_of_a_year(question: str, said: list[str]) -> None:
    content = table_content(
        "Borrowings | Limit | 2024 | 2023 | Change",
        "Oak Bank | 60,000 | 48,200 | 51,750 | (3,550)",
        "Elm Bank | 20,000 | 12,908 | 9,330 | 3,578",
    )
    if said and said[0].startswith("Total change"):
        content = table_content(
            "Borrowings | 2024 | 2023 | Change", "Total change in cash | 88 | 70 | 18", "Cash | 9 | 8 | 1"
        )
    assert cells_for(question, content) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was the limit for liquidity?", ["Liquidity, Limit: 15.0"]),
        ("What was the actual liquidity?", ["Liquidity, 2024: 18.7"]),
        ("What was the actual liquidity in 2023?", ["Liquidity, 2023: 14.2"]),
        ("What was the limit for liquidity in 2023?", []),
    ],
)
def test_a_word_over_some_of_the_years_names_the_latest_of_them(question: str, said: list[str]) -> None:
    rows = ("Covenant | Limit | Actual 2024 | Actual 2023", "Liquidity | 15.0 | 18.7 | 14.2", "Debt | 3.5 | 3.1 | 3.8")
    assert cells_for(question, table_content(*rows)) == said


@pytest.mark.parametrize(
    ("head", "question", "said"),
    [
        ("Posten | 2024 | 2023 | Veränderung", "Wie hoch war die Veränderung der Miete?", ["Miete, Veränderung: 3"]),
        ("Posten | Ist 2024 | Vorjahr | Budget", "Wie hoch war die Miete laut Budget?", ["Miete, Budget: 3"]),
        ("Posten | Ist 2024 | Vorjahr | Budget", "Wie hoch war die Miete im Vorjahr?", ["Miete, Vorjahr: 9"]),
    ],
)
def test_a_column_is_named_in_german(head: str, question: str, said: list[str]) -> None:
    assert cells_for(question, table_content(head, "Miete | 12 | 9 | 3", "Strom | 8 | 7 | 1", language="de")) == said


@pytest.mark.parametrize(
    ("days", "question", "said"),
    [
        (("4.3.", "9.3.", "23.3."), "What was the amount of the payment on 23 March?", "23.3, Paid, Amount: 800.00-"),
        (("4 Mar", "9 Mar", "23 Mar"), "What was the amount paid on 9 March 2025?", "9 Mar, Paid, Amount: 200.00-"),
        (("04/03", "15/03", "23/03"), "What was the balance on March 23rd?", "23/03, Paid, Balance: 10.00"),
        (("4.3.", "9.3.", "23.3."), "What was the balance on 24 March?", ""),
        (("4.3.", "9.3.", "23.3."), "What was the balance on 23 March 2019?", ""),  # the rows are of 2025
        (("4.3.", "4.3.", "23.3."), "What was the balance on 4 March?", ""),  # two of that day
    ],
)
def test_the_entry_of_the_day_that_is_asked_for(days: tuple[str, ...], question: str, said: str) -> None:
    entries = ("Invoice | 1,000.00 | 1,010.00", "Paid | 200.00- | 810.00", "Paid | 800.00- | 10.00")
    rows = ("Date | Entry | Amount | Balance", *map(" | ".join, zip(days, entries, strict=True)))
    content = content_of_lines(
        ["# Account", "From March 2025.", *((f"| {row} |", "table_row") for row in rows)], title="Acme"
    )
    assert cells_for(question, content) == ([f"Account, {said}"] if said else [])


def test_a_number_whose_sign_could_not_be_read_is_no_value() -> None:
    """Nor is another row or column given in its place; the side of an account is shown with its amount."""
    rows = ("(in SEK) | 2025 | 2024", "Net result for the year | \ufffd4 684 | \ufffd7 884", "Tax result | 12 CR | 2-")
    content = content_of_lines(["# Income", *((f"| {row} |", "table_row") for row in rows)], title="Accounts")
    assert cells_for("What was the net result for the year 2025?", content) == []
    assert cells_for("What was the tax result in 2025?", content) == ["Tax result, 2025: 12 CR"]
    assert cells_for("What was the tax result in 2024?", content) == ["Tax result, 2024: 2-"]


@pytest.mark.parametrize(
    ("unit", "question", "said"),
    [
        ("$ in millions", "What was net income in 2023?", "Net income, 2023: 72,361 ($ in millions)"),
        ("in millions", "What dividends were declared per share in 2023?", "Dividends declared per share, 2023: 2.72"),
        (
            "$ in millions",
            "What dividends were declared per share in 2023?",
            "Dividends declared per share, 2023: 2.72 ($)",
        ),
        ("EUR million", "What were diluted earnings in 2023?", "Diluted, Earnings per common share, 2023: 9.68 (EUR)"),
        (
            "in millions",
            "What were the shares used for diluted earnings per share in 2023?",
            "Shares for earnings per share, diluted, 2023: 7,472 (in millions)",
        ),
        ("in millions", "What was the current ratio in 2023?", "Current ratio, 2023: 1.77"),
        ("in millions", "What was the effective tax rate (%) in 2023?", "Effective tax rate (%), 2023: 19.0"),
    ],
)
def test_a_row_has_the_scale_of_its_table_only_where_it_is_of_money(unit: str, question: str, said: str) -> None:
    rows = [
        ("Net income | 72,361 | 72,738", "table_row"),
        ("Dividends declared per share | 2.72 | 2.48", "table_row"),
        ("Shares for earnings per share, diluted | 7,472 | 7,540", "table_row"),
        ("Current ratio | 1.77 | 1.78", "table_row"),
        ("Effective tax rate (%) | 19.0 | 13.1", "table_row"),
        ("Earnings per common share:", "body"),
        ("Diluted | 9.68 | 9.65", "table_row"),
        ("Basic | 9.72 | 9.70", "table_row"),
    ]
    lines = [(f"({unit}) | 2023 | 2022", "table_row"), *rows]
    shown: list[Any] = [(f"| {text} |" if kind == "table_row" else text, kind) for text, kind in lines]
    assert cells_for(question, content_of_lines(["# Income", *shown], title="Accounts")) == [said]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the balance of account 2098?", ["2098 Result brought forward, Balance: 12.480,50-"]),
        ("What is the balance of account 2099?", []),
        ("What is the balance of the result brought forward?", ["2098 Result brought forward, Balance: 12.480,50-"]),
    ],
)
def test_a_row_is_named_by_its_number(question: str, said: list[str]) -> None:
    rows = ("Account | Balance", "2081 Share capital | 25.000,00-", "2098 Result brought forward | 12.480,50-")
    content = content_of_lines(["# List of balances", *((f"| {row} |", "table_row") for row in rows)], title="Ledger")
    assert cells_for(question, content) == said


def test_a_cell_is_cited_by_its_row_and_shown_among_its_neighbours() -> None:
    (cell,) = find_cells(*asked("What were total current assets in 2014?", STATEMENT))
    quoted = quote_cell(cell, 1)
    assert quoted.quote == "| Total current assets | 7,800 | 8,400 |"
    assert quoted.place and quoted.place.first_line == quoted.place.last_line == 5 and quoted.place.boxes
    typed = typed_cell(cell)
    row, column = typed["at"]
    assert typed["rows"][row]["cells"][column] == typed["value"] == "8,400"
    assert [each["label"] for each in typed["rows"]] == [
        "Cash and equivalents", "Other current assets", "Total current assets", "Trade payables", "Other liabilities",
    ]  # fmt: skip
    assert (typed["period"], typed["unit"], typed["lines"]) == ("2014", "in millions", [5, 5])


CHARGES = content_of_lines(
    [
        "# Table B. Garden waste",
        *(
            (f"| {row} |", "table_row")
            for row in (
                "Yearly quantity | Charge per tonne | Container hire, month",
                "Not more than 5 t | £98.00 | £9.00",
                "More than 5 t but not more than 12 t | £91.00 | £14.00",
                "More than 12 t | £83.50 | £21.00",
            )
        ),
    ],
    title="Larkmead",
)
MIDDLE = "Table B. Garden waste, More than 5 t but not more than 12 t"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the charge per tonne for 12 tonnes of garden waste?", [f"{MIDDLE}, Charge per tonne: £91.00"]),
        ("How much is the container hire for 5.5 t of garden waste?", [f"{MIDDLE}, Container hire, month: £14.00"]),
        ("How much is it for 7 tonnes of garden waste?", []),  # which column is not told
        ("What is the charge per tonne for 12 kg of garden waste?", []),  # intervals of tonnes
        ("What is the charge per tonne of garden waste?", []),
    ],
)
def test_row_by_the_interval_a_number_falls_in(question: str, said: list[str]) -> None:
    assert cells_for(question, CHARGES) == said


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> DocumentContent:
    """Two groups of the same rows under years over halves, the name of a group in the middle."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 60), "Note 4. Segments", fontsize=13, fontname="hebo")
    page.insert_text((230, 80), "Year ended 31 December 2025", fontsize=8)
    page.insert_text((400, 80), "Year ended 31 December 2024", fontsize=8)
    rows = [
        ("SEK million", "H1", "H2", "Full year", "H1", "H2", "Full year"),
        ("Revenue", "412", "398", "810", "389", "377", "766"),
        ("Profit", "127", "117", "244", "122", "106", "228"),
        ("Revenue", "1,034", "1,219", "2,253", "1,188", "1,306", "2,494"),
        ("Profit", "(38)", "30", "(8)", "35", "43", "78"),
    ]
    heights = (95, 125, 140, 170, 185)
    for group, y in (("Grid", 110), ("Trading", 155)):
        page.insert_text((290 - 2 * len(group), y), group, fontsize=8)
    for row, y in zip(rows, heights, strict=True):
        for x, cell in zip((72, 240, 290, 335, 410, 455, 500), row, strict=True):
            page.insert_text((x, y), cell, fontsize=8)
    page.insert_text((72, 230), "Segments are reported as the board of the company follows them.", fontsize=10)
    path = tmp_path_factory.mktemp("segments") / "segments.pdf"
    pdf.save(path)
    return content_of_reading(read_pdf(path, Limits()), path)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was the profit of Trading in H1 2025?", ["Profit, Trading, Year ended 31 December 2025, H1: (38)"]),
        ("What was Grid's profit in the second half of 2024?", ["Profit, Grid, Year ended 31 December 2024, H2: 106"]),
        (
            "How much revenue did Trading have in 2025?",
            ["Revenue, Trading, Year ended 31 December 2025, Full year: 2,253"],
        ),
        ("What was the profit of Trading in Q3 2025?", []),  # no column is of a quarter
    ],
)
def test_a_cell_is_named_by_group_row_and_what_tells_its_column(
    segments: DocumentContent, question: str, said: list[str]
) -> None:
    assert cells_for(question, segments) == said


def test_the_quote_of_a_row_has_its_group(segments: DocumentContent) -> None:
    (cell,) = find_cells(*asked("What was the profit of Trading in H1 2025?", segments))
    assert quote_cell(cell, 1).quote == "Trading\n[…]\nProfit (38) 30 (8) 35 43 78"
    (cell,) = find_cells(*asked("What was the revenue of Trading in H1 2025?", segments))
    assert quote_cell(cell, 1).quote == "Trading\nRevenue 1,034 1,219 2,253 1,188 1,306 2,494"


def test_the_tables_of_a_page_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each row of a long filing they took seconds of every question for a value."""
    content = content_of_lines([(f"| {row} |", "table_row") for row in ("EUR | 2024", "Profit | 1,306", "Tax | 8")])
    read: list[int] = []

    def counted(number: int, *others: Any) -> list[Table]:
        read.append(number)
        return tables_of_page(number, *others)

    monkeypatch.setattr("documents.storage.content.tables_of_page", counted)
    assert cells_for("What was the profit in 2024?", content) == ["Profit, 2024: 1,306 (EUR)"]
    assert read == [1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much is a berth of 14 m² in 2025?", ["Berth 14 m², 2025: 145"]),
        ("How much is a berth of 7 m² in 2025?", ["Berth 7 m², 2025: 88"]),
        ("How much is a berth of 20 m² in 2025?", []),
    ],
)
def test_a_row_of_another_measure_is_not_the_one_asked_for(question: str, said: list[str]) -> None:
    rows = ("Price | 2022 | 2025", "Berth 7 m² | 79 | 88", "Berth 14 m² | 129 | 145")
    assert cells_for(question, table_content(*rows)) == said


def test_a_row_says_nothing_of_what_another_row_is_called_by() -> None:
    """The profit in Norway is not that of the group, though "Norway" is only one word of the question."""
    figures = ("EUR | 2024 | 2023", "Operating profit | 1,306 | 212", "Tax | 8 | 9")
    countries = ("Country | Ships | Staff", "Norway | 5 | 120", "Greece | 6 | 90")
    content = content_of_lines(
        [(f"| {row} |", "table_row") for row in figures]
        + ["# Countries"]
        + [(f"| {row} |", "table_row") for row in countries]
    )
    assert cells_for("What was the operating profit in 2024?", content) == ["Operating profit, 2024: 1,306 (EUR)"]
    assert cells_for("What was the operating profit in Norway in 2024?", content) == []


def test_a_markdown_cell_is_named_without_marks_and_a_dash_is_no_answer(tmp_path: Path) -> None:
    rows = ("Risk | Limit (EUR) | Deductible (EUR)", "---|---|---", "**Hull** | 2,500,000 | 25,000", "War | – | –")
    written = "\n".join(f"| {row} |" for row in rows)
    path = tmp_path / "limits.md"
    path.write_text(f"# Limits\n\n{written}\n")
    content = content_of_reading(read_markdown(path.read_text()), path)
    assert cells_for("What is the limit for hull?", content) == ["Hull, Limit: 2,500,000 (EUR)"]
    assert cells_for("What is the limit for war?", content) == []


@pytest.fixture(scope="module")
def fees(tmp_path_factory: pytest.TempPathFactory) -> DocumentContent:
    """The sample's schedule of fees: monthly charges at the top of the page, one-off fees below."""
    path = tmp_path_factory.mktemp("fees") / "fees.pdf"
    with pymupdf.open(SAMPLES / "outsourcing-agreement.pdf") as agreement, pymupdf.open() as pdf:
        pdf.insert_pdf(agreement, from_page=15, to_page=15)
        pdf.set_metadata({"title": "Outsourcing agreement"})
        pdf.save(path)
    return content_of_reading(read_pdf(path, Limits()), path)


def test_what_is_over_another_table_of_the_page_says_nothing_of_a_row(fees: DocumentContent) -> None:
    assert cells_for("What is the monthly fee?", fees) == []
    assert cells_for("How much are the one-off fees in total?", fees) == ["Total one-off fees: 283,500 (EUR)"]
