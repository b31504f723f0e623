"""The samples say what their questions quote, add up and point where they should."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pymupdf
import pytest

SAMPLES = Path(__file__).resolve().parent.parent
QUESTION_LINES = (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()
QUESTIONS: list[dict[str, Any]] = [json.loads(line) for line in QUESTION_LINES]
FIELDS = {"id", "document", "question", "answer", "type"}
FIELDS |= {"not_found", "pages", "alt_pages", "sections", "quotes", "notes"}
ANSWERED = [question for question in QUESTIONS if not question["not_found"]]
PDF_NAMES = ["annual-report.pdf", "outsourcing-agreement.pdf"]
REPORT = PDF_NAMES[0]

AMOUNT = r"(\(?\d[\d,]*\)?|–)"
TABLE_ROW = re.compile(rf"([A-Z].*?) {AMOUNT} {AMOUNT}(?= [A-Z]|$)")
# What stands before the amounts of each table of the report, and how its text goes on below them.
TABLES = {
    "income": ("2024 and 2023 EUR thousand 2024 2023 Revenue", "Per share"),
    "assets": ("2023: assets EUR thousand 2024 2023", "At 31 December"),
    "liabilities": ("shareholders’ equity EUR thousand 2024 2023", "Corvane"),
    "cash flow": ("2024 and 2023 EUR thousand 2024 2023 Net income", "Corvane"),
    "segment revenue": ("Revenue by segment EUR thousand 2024 2023", "Process Instruments grew"),
    "segment results": ("Segment results EUR thousand 2024 2023", "Revenue by"),
    "regions": ("location of the customer EUR thousand 2024 2023", "Of the"),
    "employees": ("operating expenses EUR thousand 2024 2023", "The members"),
    "tax": ("tax expense EUR thousand 2024 2023", "Tax losses"),
    "maturity": ("long-term debt EUR thousand 2024 2023", "Lease liabilities"),
}
# The totals of the statements, each with its table and what it is the sum of.
SUMS = {
    "Gross profit": ("income", "Revenue", "Cost of products sold", "Cost of services"),
    "Operating income": (
        "income",
        "Gross profit",
        "Research and development",
        "Selling, general and administrative",
        "Restructuring",
    ),
    "Income before income tax": ("income", "Operating income", "Finance income", "Finance costs"),
    "Net income": ("income", "Income before income tax", "Income tax expense"),
    "Total current assets": (
        "assets",
        "Cash and cash equivalents",
        "Trade receivables",
        "Inventories",
        "Prepaid expenses and other current assets",
    ),
    "Total non-current assets": (
        "assets",
        "Property, plant and equipment",
        "Right-of-use assets",
        "Goodwill",
        "Other intangible assets",
        "Deferred tax assets",
    ),
    "Total assets": ("assets", "Total current assets", "Total non-current assets"),
    "Total current liabilities": (
        "liabilities",
        "Trade payables",
        "Accrued liabilities",
        "Contract liabilities",
        "Current portion of long-term debt",
        "Current lease liabilities",
        "Income tax payable",
    ),
    "Total non-current liabilities": (
        "liabilities",
        "Long-term debt",
        "Lease liabilities",
        "Pension obligations",
        "Deferred tax liabilities",
    ),
    "Total liabilities": ("liabilities", "Total current liabilities", "Total non-current liabilities"),
    "Total shareholders’ equity": (
        "liabilities",
        "Share capital",
        "Share premium",
        "Share-based payment reserve",
        "Translation reserve",
        "Retained earnings",
    ),
    "Total liabilities and shareholders’ equity": ("liabilities", "Total liabilities", "Total shareholders’ equity"),
    "Net cash from operating activities": (
        "cash flow",
        "Net income",
        "Depreciation of property, plant and equipment",
        "Depreciation of right-of-use assets",
        "Amortisation of intangible assets",
        "Share-based payment expense",
        "Deferred income tax",
        "Change in pension obligations",
        "Change in trade receivables",
        "Change in inventories",
        "Change in prepaid expenses and other assets",
        "Change in trade payables",
        "Change in accrued liabilities",
        "Change in contract liabilities",
        "Change in income tax payable",
    ),
    "Net cash used in investing activities": (
        "cash flow",
        "Purchase of property, plant and equipment",
        "Proceeds from disposals",
        "Capitalised development costs",
    ),
    "Net cash used in financing activities": (
        "cash flow",
        "Repayment of long-term debt",
        "Repayment of lease liabilities",
        "Dividends paid",
    ),
    "Net change in cash and cash equivalents": (
        "cash flow",
        "Net cash from operating activities",
        "Net cash used in investing activities",
        "Net cash used in financing activities",
        "Effect of exchange rates on cash",
    ),
    "Cash and cash equivalents at 31 December": (
        "cash flow",
        "Cash and cash equivalents at 1 January",
        "Net change in cash and cash equivalents",
    ),
}
# What a line of the balance sheet changed by, in the cash flow.
MOVEMENTS = {
    "assets": {
        "Trade receivables": "Change in trade receivables",
        "Inventories": "Change in inventories",
        "Prepaid expenses and other current assets": "Change in prepaid expenses and other assets",
    },
    "liabilities": {
        "Trade payables": "Change in trade payables",
        "Accrued liabilities": "Change in accrued liabilities",
        "Contract liabilities": "Change in contract liabilities",
        "Income tax payable": "Change in income tax payable",
    },
}


def collapsed(text: str) -> str:
    return " ".join(text.split())


@cache
def page_texts(name: str) -> list[str]:
    with pymupdf.open(SAMPLES / name) as document:
        return [collapsed(page.get_text()) for page in document]


def outline(name: str) -> list[list[Any]]:
    with pymupdf.open(SAMPLES / name) as document:
        return list(document.get_toc(simple=False))


def headings_of_policy() -> set[str]:
    """Heading paths of the Markdown policy, joined as the questions join them."""
    paths, path = set(), [""] * 3
    for line in (SAMPLES / "information-security-policy.md").read_text("utf-8").splitlines():
        if heading := re.match(r"^(#{1,3}) (.+)$", line):
            level = len(heading[1])
            path[level - 1 :] = [heading[2]] + [""] * (3 - level)
            paths.add(" > ".join(title for title in path if title))
    return paths


@cache
def contents_entries(name: str) -> dict[str, tuple[str, int]]:
    """Printed contents: title to page label and the index of the page that its link leads to."""
    entries = {}
    with pymupdf.open(SAMPLES / name) as document:
        words = document[1].get_text("words")
        for link in document[1].get_links():
            box = link["from"]
            line = " ".join(word[4] for word in words if box.y0 < (word[1] + word[3]) / 2 < box.y1)
            title, _, leaders = line.partition(" . ")
            entries[title] = leaders.split()[-1], link["page"]
    return entries


def named_sections(name: str) -> set[str]:
    if name.endswith(".md"):
        return headings_of_policy()
    if rows := outline(name):
        return {row[1] for row in rows}
    return set(contents_entries(name))


@pytest.mark.parametrize("question", ANSWERED, ids=lambda question: question["id"])
def test_it_quotes_literally_from_the_named_pages(question: dict[str, Any]) -> None:
    assert question["quotes"]
    if question["document"].endswith(".md"):
        texts, pages = [collapsed((SAMPLES / question["document"]).read_text("utf-8"))], [1]
        assert question["pages"] == []
    else:
        texts, pages = page_texts(question["document"]), question["pages"]
    homes = {page for quote in question["quotes"] for page, text in enumerate(texts, start=1) if quote in text}
    assert all(any(quote in texts[page - 1] for page in pages) for quote in question["quotes"])
    assert homes == set(pages)


@pytest.mark.parametrize("question", ANSWERED, ids=lambda question: question["id"])
def test_it_names_sections_that_the_document_has(question: dict[str, Any]) -> None:
    assert question["sections"]
    assert set(question["sections"]) <= named_sections(question["document"])


def test_every_question_has_the_same_fields_and_its_own_id() -> None:
    assert all(set(question) == FIELDS for question in QUESTIONS)
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert all((question["type"] == "absent") == question["not_found"] for question in QUESTIONS)


def test_unanswered_questions_use_words_of_their_document() -> None:
    absent = [question for question in QUESTIONS if question["not_found"]]
    assert len(absent) >= 6
    for question in absent:
        name = question["document"]
        text = (SAMPLES / name).read_text("utf-8") if name.endswith(".md") else " ".join(page_texts(name))
        words = re.findall(r"[a-z]{5,}", question["question"].lower())
        assert sum(word in text.lower() for word in words) >= 2, question["id"]
        assert question["pages"] == question["quotes"] == question["sections"] == []


def test_words_that_must_not_occur_do_not() -> None:
    agreement = " ".join(page_texts("outsourcing-agreement.pdf")).lower()
    assert not re.search(r"\bexit|earthquake|day rate", agreement)
    assert not re.search(r"laboratory systems (?:employs|employed)", " ".join(page_texts("annual-report.pdf")).lower())


def value_of(printed: str) -> int:
    digits = int(printed.strip("()–").replace(",", "") or 0)
    return -digits if printed.startswith("(") else digits


@cache
def rows_of(table: str) -> dict[str, tuple[int, int]]:
    """The amounts of 2024 and 2023 by the name of their line, in the order of a table of the report."""
    before, after = TABLES[table]
    [text] = [text for text in page_texts(REPORT) if before in text]
    first = before.partition(" EUR thousand 2024 2023")[2]
    told = (first + text.partition(before)[2]).partition(f" {after}")[0]
    return {name: (value_of(this), value_of(last)) for name, this, last in TABLE_ROW.findall(told)}


def amounts(table: str, *names: str) -> tuple[int, int]:
    """The sum of these lines of a table."""
    rows = [rows_of(table)[name] for name in names]
    return sum(row[0] for row in rows), sum(row[1] for row in rows)


@pytest.mark.parametrize("table", ["segment revenue", "segment results", "regions", "employees", "tax", "maturity"])
def test_the_last_line_of_a_table_is_the_sum_of_the_others(table: str) -> None:
    *parts, total = rows_of(table)
    assert len(parts) >= 3 and amounts(table, *parts) == amounts(table, total)


@pytest.mark.parametrize("total", SUMS)
def test_the_totals_of_the_statements_are_the_sums_of_their_lines(total: str) -> None:
    table, *parts = SUMS[total]
    assert amounts(table, *parts) == amounts(table, total)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("assets", "Total assets"), ("liabilities", "Total liabilities and shareholders’ equity")),
        (("assets", "Cash and cash equivalents"), ("cash flow", "Cash and cash equivalents at 31 December")),
        (("income", "Revenue"), ("regions", "Total revenue")),
        (("income", "Revenue"), ("segment revenue", "Total revenue")),
        (("income", "Operating income"), ("segment results", "Operating income")),
        (("income", "Net income"), ("cash flow", "Net income")),
    ],
)
def test_the_statements_agree(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert amounts(*one) == amounts(*other)


def test_the_notes_agree_with_the_statements() -> None:
    assert amounts("tax", "Income tax expense") == tuple(-tax for tax in amounts("income", "Income tax expense"))
    of_debt = amounts("liabilities", "Long-term debt", "Current portion of long-term debt")
    assert amounts("maturity", "Total long-term debt, including the current portion") == of_debt
    opening, cash = "Cash and cash equivalents at 1 January", "Cash and cash equivalents"
    assert amounts("cash flow", opening)[0] == amounts("assets", cash)[1]


def test_the_movements_of_property_add_up() -> None:
    [text] = [text for text in page_texts(REPORT) if "Carrying amount at 1 January 2024" in text]
    told = text.partition("Carrying amount at 1 January 2024")[2].partition("Contracts for")[0].replace(" 2024 ", " ")
    values = [value_of(printed) for printed in re.findall(AMOUNT, told.replace("31 December", ""))]
    *movements, closing = (values[start : start + 4] for start in range(0, len(values), 4))
    assert len(movements) == 4 and closing == [sum(column) for column in zip(*movements, strict=True)]
    assert closing[3] == sum(closing[:3]) == amounts("assets", "Property, plant and equipment")[0]


def change(table: str, name: str) -> int:
    this_year, last_year = amounts(table, name)
    return this_year - last_year


def test_retained_earnings_and_working_capital_roll_forward() -> None:
    earned = amounts("cash flow", "Net income", "Dividends paid")[0]
    assert change("liabilities", "Retained earnings") == earned
    for asset, movement in MOVEMENTS["assets"].items():
        assert amounts("cash flow", movement)[0] == -change("assets", asset)
    for liability, movement in MOVEMENTS["liabilities"].items():
        assert amounts("cash flow", movement)[0] == change("liabilities", liability)


def test_the_fees_of_the_agreement_add_up() -> None:
    text = next(text for text in page_texts("outsourcing-agreement.pdf") if "Total Monthly Charge 113,000" in text)
    table = text[text.index("Policy administration hosting") : text.index("B.2 ")]
    amounts = [int(amount.replace(",", "")) for amount in re.findall(r"\d{1,3},\d{3}|\b\d,\d{3}", table)]
    *rows, first_total, second_total = amounts
    assert (sum(rows[::2]), sum(rows[1::2])) == (first_total, second_total)


def test_the_outline_points_at_its_headings() -> None:
    rows = outline("outsourcing-agreement.pdf")
    assert {row[0] for row in rows} == {1, 2, 3}
    with pymupdf.open(SAMPLES / "outsourcing-agreement.pdf") as document:
        for _, title, page_number, target in rows:
            y = target["to"].y
            below = document[page_number - 1].get_text(clip=(0, y - 2, 595, y + 24))
            assert title in collapsed(below), title


def test_the_outline_drops_some_numbers_that_the_pages_print() -> None:
    titles = [row[1] for row in outline("outsourcing-agreement.pdf")]
    assert "12. Termination" in titles
    assert "Termination for convenience" in titles
    assert "12.2 Termination for convenience" in " ".join(page_texts("outsourcing-agreement.pdf"))


def test_the_report_has_linked_contents_and_labels_but_no_outline() -> None:
    with pymupdf.open(SAMPLES / "annual-report.pdf") as document:
        assert document.get_toc() == []
        assert [document[index].get_label() for index in range(4)] == ["i", "ii", "1", "2"]
        entries = contents_entries("annual-report.pdf")
        assert len(entries) > 30
        for title, (label, page_index) in entries.items():
            assert document[page_index].get_label() == label
            assert title in page_texts("annual-report.pdf")[page_index]


def test_the_exclusions_break_over_a_page_and_the_order_of_precedence_does_not() -> None:
    texts = page_texts("outsourcing-agreement.pdf")
    first = next(index for index, text in enumerate(texts) if "3.8 Exclusions" in text)
    assert "(e) training" in texts[first]
    assert texts[first + 1].startswith("(f) the correction")
    bounded = next(index for index, text in enumerate(texts) if "1.3 Order of precedence" in text)
    assert texts[bounded + 1].startswith("2. Term")


@pytest.mark.parametrize("name", PDF_NAMES)
def test_nothing_leaves_the_page_and_files_are_small(name: str) -> None:
    assert (SAMPLES / name).stat().st_size < 300_000
    with pymupdf.open(SAMPLES / name) as document:
        assert 14 <= document.page_count <= 24
        for page in document.pages():
            for x0, y0, x1, y1, *_ in page.get_text("words"):
                assert 60 < x0 < x1 < 535, page.number
                assert 40 < y0 < y1 < 815, page.number


def test_broken_samples_are_recognised_as_broken(tmp_path: Path) -> None:
    """A truncated file and a mislabelled one, made here so that samples/ holds only good files."""
    whole = (SAMPLES / PDF_NAMES[0]).read_bytes()
    (tmp_path / "truncated.pdf").write_bytes(whole[:700])
    (tmp_path / "web-page.pdf").write_text("<!doctype html><p>Not a PDF</p>", encoding="utf-8")
    with pymupdf.open(tmp_path / "truncated.pdf", filetype="pdf") as truncated:
        assert truncated.page_count == 0
    with pymupdf.open(tmp_path / "web-page.pdf") as web_page:
        assert not web_page.is_pdf
