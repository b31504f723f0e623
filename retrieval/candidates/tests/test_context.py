"""How far the lines handed on reach."""

from dataclasses import replace
from typing import Any

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.context import CHARS_MAX, whole_sections, widen
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Briefed, Hit, LineRange, Method

LONG = content_of_lines(
    [
        "# Terms",
        *[f"Line {number} of the terms." for number in range(2, 31)],
        "---",
        *[f"Line {number} of the terms." for number in range(31, 41)],
        "# Statement",
        "Consolidated statement",
        "(in millions) 2015 2014",
        ("Cash 10 20", "table_row"),
        "Receivables:",
        ("Trade 30 40", "table_row"),
        ("Total 40 60", "table_row"),
        "See notes.",
    ]
)


def at(number: int, content: DocumentContent = LONG, method: Method = "keywords") -> Briefed:
    toc_index = content.lines[number - 1].toc_index
    hit = Hit(method, content.document_id, LineRange(number, number), 1.0, ("terms",), toc_index)
    return aggregate([hit], parse_question("terms", [content]), [content], pool_max=1).candidates[0]


def context(number: int, text: str, **changes: Any) -> LineRange:
    question = replace(parse_question(text, [LONG]), **changes)
    return widen(at(number), question, LONG).lines


def test_a_fact_is_handed_on_with_its_paragraph() -> None:
    assert context(10, "What are terms?", intent="field_extraction") == LineRange(5, 15)


def test_a_paragraph_ends_with_its_page() -> None:
    assert context(29, "What are terms?", intent="field_extraction") == LineRange(24, 30)


@pytest.mark.parametrize("intent", ["listing", "section_retrieval", "open_scoped", "conditional_lookup"])
def test_a_wider_question_gets_the_section(intent: str) -> None:
    assert context(10, "terms", intent=intent) == LineRange(1, 40)


def test_nested_values_are_read_by_paragraph() -> None:
    assert context(10, "terms", intent="listing", shape="nested") == LineRange(5, 15)
    assert context(10, "terms", intent="listing", shape="tree") == LineRange(1, 40)


def test_a_row_is_handed_on_with_its_table_and_what_names_it() -> None:
    assert context(46, "terms", intent="field_extraction") == LineRange(38, 47) or context(46, "terms").last == 47
    text = widen(at(46), parse_question("terms", [LONG]), LONG).text
    assert "2015 2014" in text and "Total 40 60" in text


def test_a_named_page_is_handed_on_whole() -> None:
    pinned = at(35, method="pinned")
    assert widen(pinned, parse_question("page 2", [LONG]), LONG).lines == LineRange(31, len(LONG.lines))


def test_a_context_never_grows_past_its_size() -> None:
    content = content_of_lines(["# Terms", *["The terms are very long here. " * 10] * 100])
    widened = widen(at(50, content), parse_question("List all the terms", [content]), content)
    assert len(widened.text) <= CHARS_MAX
    assert widened.lines.first <= 50 <= widened.lines.last


def test_the_text_has_no_furniture(policy: DocumentContent) -> None:
    hit = Hit("pinned", policy.document_id, LineRange(8, 16), 1.0)
    candidate = aggregate([hit], parse_question("page 2", [policy]), [policy], pool_max=1).candidates[0]
    assert "Example Company  page 2" not in widen(candidate, parse_question("page 2", [policy]), policy).text


def test_the_first_of_kept_neighbours_hands_on_their_section() -> None:
    first, second = at(5), at(20)
    found = whole_sections([first, second], {LONG.document_id: LONG})
    assert {name: context.lines for name, context in found.items()} == {first.candidate_id: LineRange(1, 40)}


def test_a_candidate_alone_hands_on_no_section() -> None:
    assert whole_sections([at(5)], {LONG.document_id: LONG}) == {}


def test_a_paragraph_does_not_end_with_the_next_heading() -> None:
    content = content_of_lines(
        [("Agreement", "furniture"), "# Notice", "Notice is thirty days.", "# Fees", ("Page 1", "furniture")]
    )
    question = parse_question("What is the notice?", [content])
    assert widen(at(3, content), question, content).lines == LineRange(2, 3)
