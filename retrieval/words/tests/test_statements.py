"""Which pages are statements, when a question needs them, and that they then come first."""

import pytest

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.candidates.aggregation import aggregate
from retrieval.detectors.run import detect
from retrieval.detectors.titles import detect_titles
from retrieval.dictionary.load import pack_concepts
from retrieval.dictionary.packs import pack_rows
from retrieval.dispatch import plan
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, Written, content_of_lines
from retrieval.words.statements import KINDS, ROWS_MIN, kind_of_heading, statement_names, statement_pages

BALANCE: list[Written] = [
    "Consolidated Balance Sheets",
    "(in millions)",
    *(
        (text, "table_row")
        for text in (
            "Cash and cash equivalents 4,236 4,456",
            "Trade receivables, net 2,065 1,878",
            "Inventories 3,203 2,740",
            "Other current assets 688 1,150",
            "Total current assets 10,192 10,224",
            "Total assets 30,000 31,000",
            "Accounts payable 1,800 1,700",
            "Accrued liabilities 900 1,000",
            "Total current liabilities 5,000 5,100",
        )
    ),
]
INCOME: list[Written] = [
    "Consolidated Statements of Income (Unaudited)",
    *((f"{label} {n},100 {n},200", "table_row") for n, label in enumerate(
        ("Net revenue", "Cost of sales", "Gross profit", "Research and development", "Selling expenses",
         "Operating income", "Interest expense", "Income before taxes", "Net income"), 1)),
]  # fmt: skip


@pytest.fixture
def report() -> DocumentContent:
    return content_of_lines(
        [
            "# Discussion",
            "Working capital is total current assets less total current liabilities, and working capital matters.",
            "The current assets and the current liabilities of the balance sheet are discussed in the notes.",
            "---",
            *BALANCE,
            "---",
            *INCOME,
            "---",
            "# Notes",
            "Our balance sheet is explained here.",
        ],
        title="Annual report",
    )


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("CONSOLIDATED BALANCE SHEETS", "balance sheet"),
        ("NIKE, Inc. Consolidated Statements of Income", "income statement"),
        ("U.S. GAAP Condensed Consolidated Statements of Cash Flows (Unaudited)", "cash flow statement"),
        ("Consolidated Statements of Operations and Comprehensive Loss", "income statement"),
        ("Consolidated Balance Sheets (continued)", "balance sheet"),
        ("Bilan consolidé", "balance sheet"),
        ("Compte de résultat consolidé", "income statement"),
        ("Tableau des flux de trésorerie", "cash flow statement"),
        ("COMPREHENSIVE INCOME STATEMENTS", ""),
        ("Analysis of Consolidated Statements of Income", ""),
        ("Off-Balance Sheet Arrangements", ""),
        ("Notes to Consolidated Balance Sheets", ""),
        ("TABLE 9: USCS SELECTED INCOME STATEMENT DATA", ""),
        ("Balance Sheet for Obligor Group", ""),
        ("Parent company - condensed statements of income", ""),
        ("Liquidity", ""),
        ("Balance sheet " + "words " * 30, ""),
    ],
)
def test_a_heading_is_a_statements_name_and_little_more(heading: str, kind: str) -> None:
    assert kind_of_heading(match_form(heading)) == kind


def test_a_page_is_a_statement_when_it_is_headed_so_and_holds_a_table(report: DocumentContent) -> None:
    pages = statement_pages(report)
    assert [(page.kind, page.page_number) for page in pages] == [("balance sheet", 2), ("income statement", 3)]
    assert report.lines[pages[0].lines.first - 1].text.startswith("Cash and cash equivalents")


def test_a_heading_over_few_rows_is_no_statement() -> None:
    assert statement_pages(content_of_lines(["# Report", "---", *BALANCE[: ROWS_MIN + 1]])) == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Use the statement of financial position and the P&L statement.", ("balance sheet", "income statement")),
        ("only the statement of cash flows", ("cash flow statement",)),
        ("quel est le total du bilan ?", ("balance sheet",)),
        ("What is the balance of the account?", ()),
        (
            "the statements of profit or loss and the états de la situation financière",
            ("balance sheet", "income statement"),
        ),
        ("the P & L", ("income statement",)),
    ],
)
def test_a_question_names_statements(text: str, names: tuple[str, ...]) -> None:
    assert statement_names(text) == names


def test_every_name_of_the_finance_pack_names_its_statement() -> None:
    rows = [row for row in pack_rows("finance") if row.concept in KINDS]
    assert len(rows) > 30 and [row.term for row in rows if statement_names(row.term) != (row.concept,)] == []


def test_the_row_that_carries_most_of_the_question_stands_for_the_statement(report: DocumentContent) -> None:
    question = parse_question("What is the working capital? Use the balance sheet.", [report], pack_concepts())
    hits = [hit for hit in detect_titles(question, report) if hit.statement]
    assert [hit.statement for hit in hits] == ["balance sheet"]
    assert report.lines[hits[0].lines.first - 1].text.startswith("Total current")


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("What are the total current liabilities according to the balance sheet?", "balance sheet"),
        ("What is the working capital ratio?", "balance sheet"),
        ("Is the gross margin improving?", "income statement"),
        ("What is the amount of gross profit?", "income statement"),
    ],
)
def test_the_statement_a_figure_is_made_of_comes_first(question: str, statement: str, report: DocumentContent) -> None:
    result = retrieve(question, [report], settings=SETTINGS, arbiter="rules", dictionary=pack_concepts())
    first = result.candidates[0]
    assert (first.statement, first.verdict.rule, first.verdict.role) == (statement, "statement asked for", "primary")
    assert statement in first.verdict.reason
    assert sum(candidate.statement == statement for candidate in result.candidates) == 1  # one place, not one a row


@pytest.mark.parametrize("question", ["What drove the change in gross profit?", "Why is working capital important?"])
def test_a_question_for_causes_is_not_answered_by_a_statement(question: str, report: DocumentContent) -> None:
    parsed = parse_question(question, [report], pack_concepts())
    assert not [hit for hit in detect_titles(parsed, report) if hit.statement and hit.exact_title]
    result = retrieve(question, [report], settings=SETTINGS, arbiter="rules", dictionary=pack_concepts())
    assert all(candidate.verdict.rule != "statement asked for" for candidate in result.candidates)


def test_statements_are_looked_for_without_a_table_of_contents(report: DocumentContent) -> None:
    flag = next(flag for flag in plan(parse_question("revenue", [report]), [report], SETTINGS, "balanced").flags)
    assert (flag.name, flag.on) == ("titles", True)
    assert flag.reason == "no table of contents, but 2 pages headed as a statement"


def test_a_named_statement_without_the_rows_is_not_proposed(report: DocumentContent) -> None:
    parsed = parse_question("What is the flux capacity according to the balance sheet?", [report], pack_concepts())
    assert not [hit for hit in detect_titles(parsed, report) if hit.statement]


def test_a_ratio_of_two_statements_asks_for_both(report: DocumentContent) -> None:
    result = retrieve(
        "What is the inventory turnover ratio?",
        [report],
        settings=SETTINGS,
        arbiter="rules",
        dictionary=pack_concepts(),
    )
    # Turnover stands nowhere: it is computed, so its absence takes nothing from the rows it is made of.
    assert {candidate.statement for candidate in result.candidates[:2]} == {"balance sheet", "income statement"}
    assert all(candidate.verdict.rule == "statement asked for" for candidate in result.candidates[:2])


def test_a_year_and_a_row_are_enough_to_ask_for_its_statement(report: DocumentContent) -> None:
    parsed = parse_question("What is the accounts payable of Acme at the end of 2022?", [report], pack_concepts())
    assert parsed.answer_type == "text"
    assert [hit.statement for hit in detect_titles(parsed, report) if hit.exact_title] == ["balance sheet"]


def test_a_statement_asked_for_is_in_the_smallest_pool(report: DocumentContent) -> None:
    parsed = parse_question("What is the inventory turnover ratio?", [report], pack_concepts())
    hits, _ = detect(parsed, plan(parsed, [report], SETTINGS, "balanced"), [report], pack_concepts())
    pool = aggregate(hits, parsed, [report], pool_max=2).candidates
    assert [candidate.statement for candidate in pool if candidate.exact_title] == [
        candidate.statement for candidate in pool
    ]
