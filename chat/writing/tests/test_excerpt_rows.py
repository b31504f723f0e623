"""The rows a writer reads: lines of the document with their numbers, tables with their columns (R80)."""

from pathlib import Path

import pytest

from benchmarks.figures import candidate_of_page
from benchmarks.library import read_content_of
from chat.drafts import Quoted
from chat.writing.excerpt_rows import excerpts_of
from chat.writing.excerpts import (
    LONG_ROW,
    Excerpt,
    ExcerptRow,
    excerpt_block,
    excerpt_blocks,
    find_copied,
    sentences_with,
)
from documents.storage.content import DocumentContent
from retrieval.models import RunCandidate

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
STATEMENT = 10


@pytest.fixture(scope="module")
def report() -> DocumentContent:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.library.bundled.is_available", lambda: False)
        return read_content_of(SAMPLES / "annual-report.pdf", "0" * 64)


def passage(content: DocumentContent, first: int, last: int) -> RunCandidate:
    """A passage of lines, kept for the first of them."""
    candidate = candidate_of_page(content.lines[first - 1].page_number, content)
    candidate.context_first_line, candidate.context_last_line = first, last
    candidate.context_text = content.text_between(first, last, searched_only=True)
    candidate.anchor_first_line = candidate.anchor_last_line = first
    candidate.content_anchor = content.lines[first - 1].text
    return candidate


def quoted(*candidates: RunCandidate) -> list[Quoted]:
    return [Quoted(marker, each, each.content_anchor) for marker, each in enumerate(candidates, 1)]


def read(content: DocumentContent, *candidates: RunCandidate) -> list[Excerpt]:
    return excerpts_of(quoted(*candidates), {content.parse_id: content})


def test_a_row_of_a_table_has_its_cells_under_their_columns(report: DocumentContent) -> None:
    """(R80)"""
    (excerpt,) = read(report, candidate_of_page(STATEMENT, report))
    block = excerpt_block(excerpt)
    lines = block.splitlines()
    row = next(line for line in lines if "Operating income |" in line)
    number = int(row.partition(":")[0])
    assert row == f"{number}: Operating income | 49,910 | 45,130"
    assert report.lines[number - 1].text == "Operating income 49,910 45,130", "the number is that of the document"
    head = next(line for line in lines[: lines.index(row)] if line.startswith("columns"))
    assert head.split(" | ")[1:] == ["2024", "2023"] and "EUR thousand" in head
    assert f"page {STATEMENT}" in lines and "pages=" not in lines[0]
    assert "Operating income 49,910 45,130" in excerpt.text, "sentences are held against the literal text"


def test_a_line_is_not_sent_twice_and_every_passage_keeps_its_quote(report: DocumentContent) -> None:
    numbers = [row.first_line for table in report.tables_on_page(STATEMENT) for row in table.rows]
    first, middle, last = numbers[0], numbers[2], numbers[-1]
    one, two = read(report, passage(report, first, numbers[4]), passage(report, middle, last))
    sent = {row.number for row in one.rows}
    assert [row.number for row in two.rows if row.number in sent] == [middle]
    assert {*sent, *(row.number for row in two.rows)} >= set(numbers)
    assert report.lines[numbers[3] - 1].text in two.text, "what it cites is still the whole passage"
    assert "[…]" in excerpt_block(two)


def test_a_passage_that_is_no_longer_what_was_recorded_is_sent_as_recorded(report: DocumentContent) -> None:
    candidate = candidate_of_page(STATEMENT, report)
    candidate.context_text = "What the record says.\nIn two lines."
    (excerpt,) = read(report, candidate)
    assert excerpt.rows == () and excerpt_block(excerpt).splitlines()[1:3] == candidate.context_text.splitlines()
    assert 'pages="10"' in excerpt_block(excerpt)


def test_the_lines_of_a_paragraph_are_one_row(report: DocumentContent) -> None:
    """(R80)"""
    body = next(
        each
        for each in report.lines
        if each.kind == "body" and each.text[:1].isupper() and report.lines[each.number].text[:1].islower()
    )
    (excerpt,) = read(report, passage(report, body.number, body.number + 1))
    (row,) = excerpt.rows
    assert (row.number, row.last, row.is_quote) == (body.number, body.number + 1, True)
    assert "\n" in row.text and "\n" not in row.shown


def test_who_checks_an_answer_reads_no_line_numbers(report: DocumentContent) -> None:
    (excerpt,) = read(report, candidate_of_page(STATEMENT, report))
    block = excerpt_block(excerpt, is_numbered=False)
    assert "\nOperating income | 49,910 | 45,130\n" in block and "\npage 10\n" not in block and 'pages="10"' in block


def test_a_document_is_named_where_it_changes() -> None:
    def block(number: int, document: str, section: str) -> Excerpt:
        return Excerpt(number, document, section, "1", "Text.", "Text.")

    shown = excerpt_blocks([block(1, "A", "One"), block(2, "A", "One"), block(3, "A", "Two"), block(4, "B", "Two")])
    named = [each.partition(">")[0] for each in shown]
    assert ['document="' in each for each in named] == [True, False, False, True]
    assert ['section="' in each for each in named] == [True, False, True, True]


ROWS = tuple(
    ExcerptRow(text, text, number, number, 1, at=at)
    for at, (number, text) in enumerate([(7, "The agree-"), (8, "ment ends."), (9, "Revenue 5 (6)"), (10, "Notes")])
)


@pytest.mark.parametrize(
    ("copied", "numbers"),
    [
        ("The agreement ends.", [7, 8]),
        ("7: The agreement", [7, 8]),
        ("Revenue | 5 | (6)", [9]),
        ("9: revenue | 5", [9]),
        ("Revenue 5 7", []),
        ("The lease ends.", []),
        ("5", []),
        ("", []),
    ],
)
def test_a_copy_is_looked_up_letter_by_letter(copied: str, numbers: list[int]) -> None:
    assert [row.number for row in find_copied(copied, ROWS)] == numbers


def test_of_a_long_paragraph_only_the_sentences_that_were_copied_are_passed_on() -> None:
    sentences = [f"Sentence {number} says what the {number}th of many clauses says." for number in range(40)]
    row = ExcerptRow("\n".join(sentences), " ".join(sentences), 5, 44, 2, at=3)
    cut = sentences_with("5-44: sentence 20 says what the 20th", row)
    assert sentences[20] in cut.shown and sentences[0] not in cut.shown and cut.text == cut.shown
    assert cut.shown[-1] == "." and cut.shown.startswith("Sentence") and len(cut.shown) <= LONG_ROW
    assert (cut.number, cut.last, cut.page, cut.at) == (5, 44, 2, 3)
    assert sentences_with("Sentence 99 says", row) == row and sentences_with("Sentence 1", ROWS[0]) == ROWS[0]
