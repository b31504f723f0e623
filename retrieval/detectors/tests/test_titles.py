"""Titles as hits: what counts as exact, how covered ones are ordered, which statement a figure is looked up in."""

import numpy as np
import pytest

from documents.storage.content import DocumentContent
from reading.rows import FRONT_INDEX
from retrieval.detectors.titles import (
    covering,
    detect_titles,
    entries_with,
    is_section_named,
    numbers_within,
    rows_on,
    statement_hit,
    wants_figure,
)
from retrieval.question.parse import parse_question
from retrieval.tests.builders import Written, content_of_lines
from retrieval.types import HEAD_LINES, Hit, LineRange
from retrieval.words.lexicon import NO_LINES, lexicon_of
from retrieval.words.statements import StatementPage
from retrieval.words.terms import WeighedTerm


def rows(*labels: str) -> list[Written]:
    """At least as many rows as a statement has, the named ones first."""
    filled = [*labels, *(f"Other line {number}" for number in range(9 - len(labels)))]
    return [(f"{label} {number},100", "table_row") for number, label in enumerate(filled, 1)]


@pytest.fixture(scope="module")
def report() -> DocumentContent:
    written: list[Written] = [
        "# Results",
        "Inventories are discussed below.",
        "---",
        "Consolidated Balance Sheets",
        *rows("Inventories", "Accounts payable"),
        "---",
        "Consolidated Statements of Income",
        *rows("Net revenue", "Gross profit"),
    ]
    return content_of_lines(written, title="Annual report")


@pytest.fixture(scope="module")
def numbered() -> DocumentContent:
    return content_of_lines(["Preface", "# Scope", "a", "# Appendix B Notices", "b", "# Définitions", "c"])


def found(text: str, content: DocumentContent) -> list[Hit]:
    return detect_titles(parse_question(text, [content]), content)


def term(text: str, lines: list[int], weight: float = 1.0) -> WeighedTerm:
    return WeighedTerm((text,), (text,), np.array(lines, dtype=np.int32), NO_LINES, True, 3, weight)


# ---- sections


@pytest.mark.parametrize(
    ("question", "titles", "exact"),
    [
        ("What is the notice period?", ["Notice period", "Notice"], [True, False]),
        ("notice", ["Notice", "Notice period"], [True, False]),
        ("NOTICE PERIOD!!!", ["Notice period", "Notice"], [True, False]),
        ("What are the notice periods?", ["Notice period", "Notice"], [True, False]),
        ("What is the notice period of a lease in winter?", ["Notice period", "Notice"], [False, False]),
        ("What about the weather?", [], []),
        ("the of and", [], []),
        ("\u200b…?", [], []),
        ("通知期限は何ですか", [], []),
    ],
)
def test_the_title_that_is_asked_for_whole_comes_first(question: str, titles: list[str], exact: list[bool]) -> None:
    """R28."""
    content = content_of_lines(["# Notice", "a", "# Notice period", "b", "# Costs", "c"])
    hits = found(question, content)
    assert [hit.detail for hit in hits] == titles
    assert [hit.exact_title for hit in hits] == exact


def test_a_question_of_ten_thousand_words_is_still_answered_in_order() -> None:
    content = content_of_lines(["# Notice period", "a", "# Costs", "b"])
    hits = found("notice period " + "filler " * 10_000, content)
    assert [hit.detail for hit in hits] == ["Notice period"] and 0 < hits[0].score <= 1


def test_equal_titles_come_in_the_order_of_the_document() -> None:
    hits = found("deposit", content_of_lines(["# Deposit", "a", "# Rent", "b", "# Deposit", "c"]))
    assert [(hit.lines.first, hit.score, hit.exact_title) for hit in hits] == [(1, 1.0, True), (5, 1.0, True)]


def test_a_title_covered_in_part_scores_by_what_it_carries_and_by_what_it_is() -> None:
    [hit] = found("deposit", content_of_lines(["# Deposit paid by tenants", "a"]))
    assert hit.score == pytest.approx(1 / 3) and not hit.exact_title
    assert (hit.method, hit.matched_keywords) == ("titles", ("deposit",))


@pytest.mark.parametrize("length", [1, HEAD_LINES - 1, HEAD_LINES, 40])
def test_a_hit_is_the_head_of_its_section_and_never_more(length: int) -> None:
    content = content_of_lines(["# Deposit", *["a"] * (length - 1), "# Rent", "b"])
    [hit] = found("deposit", content)
    assert hit.lines == LineRange(1, min(length, HEAD_LINES))


def test_the_front_matter_has_no_title_to_be_hit() -> None:
    content = content_of_lines(["Front page", "# Rent", "a"])
    assert content.toc[0].index == FRONT_INDEX
    assert found("front", content) == []


def test_a_title_of_stop_words_is_covered_by_nothing() -> None:
    content = content_of_lines(["# What is it for", "a", "# Rent", "b"])
    assert [hit.detail for hit in found("What is the rent?", content)] == ["Rent"]


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ("", []),
        ("scope", ["Scope"]),
        ("scop", []),
        ("b", ["Appendix B Notices"]),
        ("c", []),
        ("definitions", ["Définitions"]),
        ("scope notices", []),
    ],
)
def test_a_section_is_named_by_its_title_or_its_letter(
    wanted: str, named: list[str], numbered: DocumentContent
) -> None:
    assert [entry.title for entry in numbered.toc if is_section_named(wanted, entry, numbered)] == named


@pytest.mark.parametrize(
    ("number", "wanted", "is_named"),
    [("3.1.", "3.1", True), ("3.1", "3.1", True), ("3.10", "3.1", False), ("A", "a", True), ("", "", False)],
)
def test_a_section_is_named_by_its_number(number: str, wanted: str, is_named: bool, numbered: DocumentContent) -> None:
    """R28."""
    entry = numbered.toc[1]._replace(number=number)
    assert is_section_named(wanted, entry, numbered) is is_named


def test_the_entries_of_a_term_are_those_of_all_its_forms(numbered: DocumentContent) -> None:
    either = WeighedTerm(("x",), ("scope", "notices", "absent"), NO_LINES, NO_LINES, True, 3, 1.0)
    assert entries_with(either, lexicon_of(numbered)) == {1, 2}


# ---- statements


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the amount of inventories?", True),
        ("Inventories at the end of 2019", True),
        ("Why did the amount of inventories rise in 2019?", False),
        ("What drove inventories in 2019?", False),
        ("Quelles sont les raisons de la hausse en 2019 ?", False),
        ("Who signed the report?", False),
    ],
)
def test_a_figure_is_wanted_and_a_cause_is_not(question: str, wanted: bool, report: DocumentContent) -> None:
    assert wants_figure(parse_question(question, [report])) is wanted


def test_a_named_statement_is_exact_and_points_to_its_row(report: DocumentContent) -> None:
    hits = [hit for hit in found("What are inventories in the balance sheet?", report) if hit.statement]
    assert [(hit.statement, hit.exact_title, hit.detail) for hit in hits] == [
        ("balance sheet", True, "balance sheet, p. 2")
    ]
    assert report.lines[hits[0].lines.first - 1].text.startswith("Inventories")


def test_another_statement_than_the_named_one_is_not_exact(report: DocumentContent) -> None:
    hits = [hit for hit in found("What is net revenue in the balance sheet?", report) if hit.statement]
    assert [(hit.statement, hit.exact_title, hit.score) for hit in hits] == [("income statement", False, 0.0)]


def test_without_the_dictionary_an_unnamed_statement_is_not_proposed(report: DocumentContent) -> None:
    assert [hit for hit in found("What is the amount of inventories?", report) if hit.statement] == []


@pytest.mark.parametrize(
    ("lines", "span", "inside"),
    [
        ([1, 5, 9], (1, 9), [1, 5, 9]),
        ([1, 5, 9], (2, 8), [5]),
        ([1, 5, 9], (5, 5), [5]),
        ([1, 5, 9], (6, 8), []),
        ([1, 5, 9], (10, 99), []),
        ([], (1, 9), []),
    ],
)
def test_lines_within_a_span_include_both_its_ends(lines: list[int], span: tuple[int, int], inside: list[int]) -> None:
    assert numbers_within(np.array(lines, dtype=np.int32), LineRange(*span)).tolist() == inside


PAGES = [StatementPage("balance sheet", page, LineRange(10 * page, 10 * page + 9)) for page in (1, 2, 3)]


@pytest.mark.parametrize(
    ("places", "weights", "chosen"),
    [
        ({"a": [1], "b": [1]}, {}, [1]),
        ({"a": [1, 2], "b": [1, 2]}, {}, [1]),  # of equals the first page
        ({"a": [1], "b": [2]}, {}, [1, 2]),
        ({"a": [2], "b": [2, 3], "c": [3]}, {}, [2, 3]),
        ({"a": [1], "b": []}, {"b": 3.0}, []),  # most of the question is on no page
        ({"a": [1], "b": [2]}, {"b": 0.1}, [1]),  # what page 2 adds is too little
        ({"a": [], "b": []}, {}, []),
    ],
)
def test_the_fewest_pages_that_hold_most_rows(
    places: dict[str, list[int]], weights: dict[str, float], chosen: list[int]
) -> None:
    terms = [term(text, [10 * page for page in on], weights.get(text, 1.0)) for text, on in places.items()]
    on_pages = {page: rows_on(page, terms) for page in PAGES}
    assert sorted(page.page_number for page in covering(on_pages, terms)) == chosen


def test_no_rows_are_covered_by_no_page() -> None:
    assert covering({}, []) == set() and covering({PAGES[0]: []}, []) == set()


def test_a_row_outweighs_the_label_above_it() -> None:
    content = content_of_lines(["Revenue", ("Revenue 12", "table_row"), ("Revenue 13", "table_row"), "Revenue"])
    page = StatementPage("income statement", 1, LineRange(1, 4))
    hit = statement_hit(
        page, [(term("revenue", [1, 2, 3, 4]), np.array([1, 2, 3, 4], dtype=np.int32))], 0.7, True, content
    )
    assert (hit.lines, hit.score) == (LineRange(2, 2), 0.7)
    proposed = statement_hit(page, [(term("revenue", [4]), np.array([4], dtype=np.int32))], 0.7, False, content)
    assert (proposed.lines, proposed.score, proposed.exact_title) == (LineRange(4, 4), 0.0, False)
