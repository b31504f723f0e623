"""Question words on lines: what nearness is worth, which lines stand together, phrases, and the limit of hits."""

from dataclasses import replace

import numpy as np
import pytest

from documents.storage.content import DocumentContent
from retrieval.detectors.keywords import (
    AKIN_CREDIT,
    DECAY,
    HEADING_CREDIT,
    HITS_MAX,
    PAGE_CREDIT,
    PHRASE_BONUS,
    REACH,
    SECTION_CREDIT,
    detect_keywords,
    nearness,
    phrase_lines,
)
from retrieval.question.parse import parse_question
from retrieval.tests.builders import Written, content_of_lines
from retrieval.types import Hit
from retrieval.words.lexicon import NO_LINES, lexicon_of
from retrieval.words.terms import WeighedTerm, weigh_terms

FAR = ["x"] * 12  # more lines than a word reaches, and than the top of a page has


def found(text: str, content: DocumentContent) -> list[Hit]:
    return detect_keywords(parse_question(text, [content]), content)


def near(word: str, content: DocumentContent) -> list[float]:
    """How near the word is to each line, first line first."""
    lexicon = lexicon_of(content)
    lines = lexicon.lines_with(word)
    term = WeighedTerm((word,), (word,), lines, NO_LINES, True, 3, 1.0)
    return [round(float(value), 3) for value in nearness(term, lexicon, content)][1:]


def test_a_word_fades_from_line_to_line_and_then_only_its_page_counts() -> None:
    values = near("fee", content_of_lines([*FAR, "the fee", *FAR]))
    below = values[len(FAR) :]
    assert below[: REACH + 1] == [round(DECAY**distance, 3) for distance in range(REACH + 1)]
    assert set(below[REACH + 1 :]) == {PAGE_CREDIT}
    assert values[len(FAR) - REACH : len(FAR)] == below[REACH:0:-1]  # the same above as below


def test_the_next_page_gains_nothing_beyond_the_reach() -> None:
    values = near("fee", content_of_lines([*FAR, "the fee", "---", *FAR]))
    assert values[len(FAR) + 1 + REACH :] == [0.0] * (len(FAR) - REACH)


def test_a_word_at_the_top_of_a_page_helps_the_whole_page() -> None:
    values = near("fee", content_of_lines(["The fee table", *FAR, "---", *FAR]))
    assert values[0] == 1.0 and set(values[REACH + 1 : len(FAR)]) == {round(HEADING_CREDIT, 3)}
    assert values[-1] == 0.0


def test_a_word_in_the_title_helps_its_section_on_every_page_and_no_other() -> None:
    content = content_of_lines([*FAR, "# Fee", *FAR, "---", *FAR, "# Other", *FAR])
    values = near("fee", content)
    on_next_page = values[2 * len(FAR) + 1 :]
    assert set(on_next_page[: len(FAR)]) == {SECTION_CREDIT}
    assert set(on_next_page[len(FAR) :]) == {0.0}


@pytest.mark.parametrize("place", [0, 12])
def test_nearness_stays_inside_the_document(place: int) -> None:
    written = ["x"] * 13
    written[place] = "the fee"
    values = near("fee", content_of_lines(written))
    assert len(values) == 13 and values[place] == 1.0 and values.count(1.0) == 1


def test_a_word_of_the_family_counts_on_its_own_line_alone() -> None:
    content = content_of_lines([*FAR, "the deductible", *FAR, "---", *FAR, "it is deducted", *FAR])
    lexicon = lexicon_of(content)
    own, akin = lexicon.lines_with("deductible"), lexicon.lines_with("deducted")
    term = WeighedTerm(("deductible",), ("deductible", "deducted"), np.union1d(own, akin), akin, True, 3, 1.0)
    values = nearness(term, lexicon, content)
    assert values[int(own[0])] == 1.0
    assert values[int(akin[0])] == np.float32(AKIN_CREDIT)
    assert values[int(akin[0]) + 1] == np.float32(PAGE_CREDIT)


@pytest.mark.parametrize("question", ["", "   ", "the of and", "???", "zebra", "\x00\ufffd", "手数料はいくらですか"])
def test_a_question_without_a_word_of_the_document_hits_nothing(question: str, policy: DocumentContent) -> None:
    assert found(question, policy) == []


def test_no_more_than_the_best_hits_are_kept() -> None:
    content = content_of_lines(["a reminder", *["the fee"] * (HITS_MAX + 50), "the reminder fee"])
    hits = found("reminder fee", content)
    assert len(hits) == HITS_MAX
    assert hits[0].lines.first == HITS_MAX + 52
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_equal_lines_come_in_reading_order_and_each_once() -> None:
    hits = found("fee", content_of_lines(["fee fee fee", "---", *FAR, "---", "fee"]))
    assert [(hit.lines.first, hit.line_score) for hit in hits] == [(1, 3.0), (14, 3.0)]


@pytest.mark.parametrize(
    ("lines", "together"),
    [
        (["reminder fee"], [True]),
        (["the reminder", "fee is due"], [True, False]),
        (["the fee", "x", "a reminder"], [False, False]),
        (["fee", "---", "reminder"], [True, False]),
        (["x", "# Costs", "the reminder", "# Fee", "x"], [False, False]),
        (["x", "# Reminder", "fee is due", "x"], [True, False]),
        (["fee fee"], [False]),
    ],
)
def test_words_stand_together_on_a_line_or_over_its_end(lines: list[str], together: list[bool]) -> None:
    hits = sorted(found("reminder fee", content_of_lines(lines)), key=lambda hit: hit.lines)
    assert [hit.co_occurrence for hit in hits] == together


def test_a_phrase_raises_the_lines_that_hold_it_in_this_order() -> None:
    content = content_of_lines([*FAR, "the fee for a reminder", *FAR, "---", *FAR, "the reminder fee", *FAR])
    asked = parse_question('"reminder fee"', [content])
    score = {hit.lines.first: hit.score for hit in detect_keywords(replace(asked, phrases=()), content)}
    raised = {hit.lines.first: hit.score - score[hit.lines.first] for hit in detect_keywords(asked, content)}
    assert raised == {13: 0.0, 38: PHRASE_BONUS}


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (["the notice period ends"], [1]),
        (["the NOTICE-PERIOD ends"], [1]),
        (["in any notice", "period of the year"], [1]),
        (["period of notice"], []),
        (["notice of a period"], []),
        (["notice", "x", "period"], []),
        (["notice period", "x", "a notice  period"], [1, 3]),
    ],
)
def test_the_lines_of_a_phrase(written: list[Written], lines: list[int]) -> None:
    content = content_of_lines(written)
    lexicon = lexicon_of(content)
    words = [term for term in weigh_terms(parse_question('"notice period"', [content]), lexicon) if term.points]
    assert phrase_lines(words, lexicon).tolist() == lines


def test_one_word_and_an_absent_word_are_no_phrase(policy: DocumentContent) -> None:
    lexicon = lexicon_of(policy)
    notice = WeighedTerm(("notice",), ("notice",), lexicon.lines_with("notice"), NO_LINES, True, 3, 1.0)
    absent = replace(notice, texts=("zebra",), forms=("zebra",), lines=NO_LINES)
    assert phrase_lines([], lexicon).tolist() == phrase_lines([notice], lexicon).tolist() == []
    assert phrase_lines([notice, absent], lexicon).tolist() == []


def test_what_the_question_holds_is_no_pattern() -> None:
    content = content_of_lines(["a.b (c+ stands here", "ab c"])
    assert [hit.lines.first for hit in found('"stands here" (c+ [a-z]*', content)] == [1]
