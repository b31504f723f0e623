"""The one cell of a table that a question asks for, or none."""

from uuid import uuid4

import pytest

from chat.figures.cells import find_cells, quote_cell, typed_cell
from documents.storage.content import DocumentContent
from retrieval.models import RunCandidate
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines

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
        ("How much were the liabilities for pensions in 2015?", []),  # no row says that
        ("Who is the auditor of the trade payables?", []),
    ],
)
def test_row_by_words_and_column_by_year(question: str, said: list[str]) -> None:
    assert cells_for(question) == said


def test_a_number_whose_sign_could_not_be_read_is_no_value() -> None:
    """Nor is another row or column given in its place; the side of an account is shown with its amount."""
    rows = ("(in SEK) | 2025 | 2024", "Net result for the year | \ufffd4 684 | \ufffd7 884", "Tax result | 12 CR | 2-")
    content = content_of_lines(["# Income", *((f"| {row} |", "table_row") for row in rows)], title="Accounts")
    assert cells_for("What was the net result for the year 2025?", content) == []
    assert cells_for("What was the tax result in 2025?", content) == ["Tax result, 2025: 12 CR"]
    assert cells_for("What was the tax result in 2024?", content) == ["Tax result, 2024: 2-"]


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
