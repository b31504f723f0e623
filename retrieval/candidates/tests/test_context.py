"""How far the lines handed on reach."""

from dataclasses import replace
from typing import Any

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.context import ANSWERING_CHARS_MAX, CHARS_MAX, whole_sections, widen
from retrieval.candidates.settle import settle
from retrieval.filters import Filters
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Briefed, Hit, LineRange, Method, Ranking, Role, Verdict

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
    """R43."""
    assert context(10, "What are terms?", intent="field_extraction") == LineRange(5, 15)


def test_a_paragraph_ends_with_its_page() -> None:
    assert context(29, "What are terms?", intent="field_extraction") == LineRange(24, 30)


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("", LineRange(5, 15)),
        ("Just the sentence.", LineRange(10, 10)),
        ("Give the whole paragraph.", LineRange(5, 15)),
        ("Give the whole section.", LineRange(1, 40)),
        ("Donnez la page entière.", LineRange(1, 30)),
        ("Give the whole chapter.", LineRange(1, 40)),
        ("Read the whole document.", LineRange(1, 48)),
        ("Give 2 lines before and 12 after.", LineRange(8, 22)),
        ("Give 99 lines before it.", LineRange(1, 10)),
    ],
)
def test_how_much_is_read_around_a_place_can_be_asked_for(said: str, lines: LineRange) -> None:
    """(R19, R21, R71): in the words of a question, whatever its kind is."""
    assert context(10, f"What are terms? {said}", intent="field_extraction") == lines


@pytest.mark.parametrize("is_alone", [False, True])
def test_a_chapter_is_the_widest_section_that_is_not_the_document(is_alone: bool) -> None:
    """(R21)"""
    lines = ["# Lease", "# Rent", "# Due", "The rent is due.", "# Late", "It grows.", "# Term", "Ten."]
    flat = content_of_lines(lines)
    parents = {"Due": "Rent", "Late": "Rent"} | ({"Rent": "Lease", "Term": "Lease"} if is_alone else {})
    index = {entry.title: entry.index for entry in flat.toc}
    last = {"Lease": 8 if is_alone else 1, "Rent": 6}
    toc = tuple(
        entry._replace(
            parent_index=index[parents[entry.title]] if entry.title in parents else None,
            level=2 if entry.title in parents else 1,
            last_line=last.get(entry.title, entry.last_line),
        )
        for entry in flat.toc
    )
    content = replace(flat, toc=toc)
    question = parse_question("When is the rent due? Give the whole chapter.", [content])
    assert widen(at(4, content), question, content).lines == LineRange(2, 6)


def test_lines_that_are_counted_are_lines_of_text_over_pages() -> None:
    """(R21)"""
    content = content_of_lines(["One.", "Two.", ("Page 1", "furniture"), "---", "Three.", "Four."])
    question = parse_question("What is two? Give 1 line after it.", [content])
    assert widen(at(2, content), question, content).lines == LineRange(2, 4)


def test_a_list_is_read_by_the_line_where_that_is_asked_for() -> None:
    """(R71)"""
    assert context(10, "List all terms") == LineRange(1, 40)
    assert context(10, "List all terms. Just the line.") == LineRange(10, 10)


def test_without_a_section_the_page_is_read() -> None:
    """(R71)"""
    flat = content_of_lines(["The terms begin.", "They go on.", "---", "They end."])
    question = parse_question("What are terms? Give the whole section.", [flat])
    assert widen(at(1, flat), question, flat).lines == LineRange(1, 2)


@pytest.mark.parametrize(
    ("context", "on", "lines"),
    [("page", True, (1, 30)), ("auto", False, (1, 40)), ("", True, (2, 2))],
)
def test_a_request_says_more_than_the_words(context: Any, on: bool, lines: tuple[int, int]) -> None:
    """(R71)"""
    asked = "What are terms? Just the sentence."
    filters = Filters(pages=(1,), context=context)
    result = retrieve(asked, [LONG], settings=SETTINGS, arbiter="rules", filters=filters)
    flag = next(flag for flag in result.plan.flags if flag.name == "read_around")
    assert (flag.on, bool(context) == flag.reason.startswith("the request says so")) == (on, True)
    assert result.candidates[0].context.lines == LineRange(*lines)
    assert result.settings["filters"].get("context", "") == context


ACROSS = content_of_lines(
    [
        "# Rent",
        "The rent is due in advance. It rises each year by",
        "the share by which prices rose, but never by",
        ("Page 1", "furniture"),
        "---",
        ("Lease", "furniture"),
        "more than three",
        "per cent. The deposit is two rents.",
        "Keys are returned.",
        *[f"Sentence {number} of the lease." for number in range(10, 20)],
    ]
)


def test_a_sentence_is_handed_on_whole_over_the_page() -> None:
    """(R73): before and after, with nothing of the furniture between."""
    question = replace(parse_question("What is the rent?", [ACROSS]), intent="field_extraction")
    below = widen(at(2, ACROSS), question, ACROSS)
    assert below.text.endswith("never by\nmore than three\nper cent. The deposit is two rents.")
    assert "Page 1" not in below.text
    above = widen(at(8, ACROSS), question, ACROSS)
    assert above.text.startswith("The rent is due in advance. It rises")


def test_a_sentence_is_handed_on_whole_over_the_column() -> None:
    """(R73) Further than a paragraph is read, at the head of the next column."""
    first = ["The rent is due in advance. It rises each year by", *["the share by which prices rose, and"] * 6]
    second = ["never by more than three", "per cent. The deposit is two rents.", "Keys are returned."]
    content = content_of_lines(["# Rent", *first, *second, *[f"Sentence {number} of it." for number in range(9)]])
    lines = [
        line._replace(column=1, x0=320.0, x1=560.0, y0=line.y0 - 100, y1=line.y1 - 100) if line.number > 8 else line
        for line in content.lines
    ]
    beside = replace(content, lines=tuple(lines))
    question = replace(parse_question("What is the rent?", [beside]), intent="field_extraction")
    assert widen(at(2, beside), question, beside).text.endswith(
        "never by more than three\nper cent. The deposit is two rents."
    )


def test_a_list_is_peeked_for_behind_the_foot_of_the_page() -> None:
    """(R73)"""
    content = content_of_lines(
        [
            "# Duties",
            "(a) keep it clean;",
            "(b) report damage;",
            ("Page 1", "furniture"),
            "---",
            "(c) pay; and",
            "Keys.",
        ]
    )
    question = replace(parse_question("What is to be reported?", [content]), intent="field_extraction")
    assert widen(at(3, content), question, content).text.endswith("(c) pay; and")


@pytest.mark.parametrize(("role", "most"), [("primary", ANSWERING_CHARS_MAX), ("supporting", CHARS_MAX)])
def test_what_answers_is_read_as_far_as_its_kind_asks(role: Role, most: int) -> None:
    """(R72): a whole section of a list, of which a place beside it gives a part."""
    lines = ["# Terms", *[f"({number}) the tenant keeps term number {number} of this lease" for number in range(900)]]
    content = content_of_lines(lines)
    candidate = at(450, content)
    ranking = Ranking("rules", "not_needed", (Verdict(candidate.candidate_id, role, "", ""),))
    [settled] = settle([candidate], ranking, parse_question("List all the terms", [content]), [content])
    assert most - 100 < len(settled.context.text) <= most


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
    """R74."""
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
