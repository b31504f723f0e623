"""The samples say what their questions quote, add up, point where they should, and can be made again."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from samples import figures, make
from samples.typesetting import Style, Typesetter

SAMPLES = Path(make.HERE)
QUESTION_LINES = (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()
QUESTIONS: list[dict[str, Any]] = [json.loads(line) for line in QUESTION_LINES]
FIELDS = {"id", "document", "question", "answer", "type"}
FIELDS |= {"not_found", "pages", "alt_pages", "sections", "quotes", "notes"}
ANSWERED = [question for question in QUESTIONS if not question["not_found"]]
PDF_NAMES = sorted(make.DOCUMENTS)


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("total_assets", "liabilities_and_equity"),
        ("cash", "closing_cash"),
        ("revenue", "regions_revenue"),
        ("operating_income", "segment_profit"),
    ],
)
def test_the_statements_agree(one: str, other: str) -> None:
    assert figures.amount(one) == figures.amount(other)


def test_the_notes_agree_with_the_statements() -> None:
    assert figures.amount("reconciled_tax") == tuple(-tax for tax in figures.amount("income_tax"))
    assert figures.amount("debt")[0] == figures.amount("long_term_debt")[0] + figures.amount("current_debt")[0]
    assert figures.amount("opening_cash")[0] == figures.amount("cash")[1]
    closing = sum(sum(values) for values in figures.PROPERTY_MOVEMENTS.values())
    assert closing == figures.amount("property")[0]


def test_retained_earnings_and_working_capital_roll_forward() -> None:
    def change(key: str) -> int:
        this_year, last_year = figures.amount(key)
        return this_year - last_year

    assert change("retained") == figures.amount("net_income")[0] + figures.amount("dividends")[0]
    for asset in ("receivables", "inventories", "prepaid"):
        assert figures.amount(f"{asset}_change")[0] == -change(asset)
    movements = {"payables": "payables", "accrued": "accrued", "contract_liabilities": "contract", "tax_payable": "tax"}
    for liability, movement in movements.items():
        assert figures.amount(f"{movement}_change")[0] == change(liability)


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


@pytest.mark.parametrize("name", PDF_NAMES)
def test_make_gives_the_same_text_again(name: str, tmp_path: Path) -> None:
    make.main(tmp_path)
    with pymupdf.open(tmp_path / name) as made:
        assert [collapsed(page.get_text()) for page in made] == page_texts(name)
        assert made.get_toc() == [row[:3] for row in outline(name)]


def test_broken_samples_are_recognised_as_broken(tmp_path: Path) -> None:
    """A truncated file and a mislabelled one, made here so that samples/ holds only good files."""
    whole = (SAMPLES / PDF_NAMES[0]).read_bytes()
    (tmp_path / "truncated.pdf").write_bytes(whole[:700])
    (tmp_path / "web-page.pdf").write_text("<!doctype html><p>Not a PDF</p>", encoding="utf-8")
    with pymupdf.open(tmp_path / "truncated.pdf", filetype="pdf") as truncated:
        assert truncated.page_count == 0
    with pymupdf.open(tmp_path / "web-page.pdf") as web_page:
        assert not web_page.is_pdf


def test_a_table_repeats_its_header_on_the_next_page() -> None:
    typesetter = Typesetter(Style(title="Long table"))
    rows = "\n".join(f"| Row {number} | {number} |" for number in range(1, 90))
    typesetter.set(f"| Name | Number |\n|------|----:|\n{rows}")
    texts = [collapsed(page.get_text()) for page in typesetter.document().pages()]
    assert len(texts) > 1
    assert all(text.startswith("Name Number Row") for text in texts)


def test_a_heading_never_stands_alone_at_the_foot() -> None:
    typesetter = Typesetter(Style(title="Headings", bottom=300.0))
    typesetter.set("# Title\n\n" + "\n\n".join(f"## Heading {number}\n\nOne line of prose." for number in range(1, 12)))
    for page in typesetter.document().pages():
        assert collapsed(page.get_text()).endswith("One line of prose.")


def test_an_unknown_directive_is_refused() -> None:
    with pytest.raises(AttributeError, match="_set_nonsense"):
        Typesetter(Style(title="Wrong")).set("@nonsense")
