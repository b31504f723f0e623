"""A sentence is said first because it reads as an answer, where none is clearly the best by its words."""

from dataclasses import replace

import pytest

from documents.base_settings import BaseSettings
from retrieval.pipeline import retrieve
from retrieval.tests.builders import content_of_lines
from retrieval.told.reasons import say_reads
from retrieval.types import RetrievalResult

OPEN = BaseSettings(risk_max=100, embeddings="none")
REFUND = "There are no refunds for partial months of service, whoever ends it."
REVIEWERS = "Two reviewers must approve a change before it is merged."
LINES = (
    "# Refunds",
    "Fees are charged in advance on the first day of each month.",
    REFUND,
    "# Approval",
    REVIEWERS,
    "A change of the text alone is merged by its author.",
)
QUIT = "Can I get a refund if I quit halfway through the month?"
MERGED = "How many reviewers must approve a change before it can be merged?"


def ask(question: str, settings: BaseSettings = OPEN, lines: tuple[str, ...] = LINES) -> RetrievalResult:
    return retrieve(question, [content_of_lines(list(lines), title="Terms")], settings=settings, arbiter="rules")


def reads_told(result: RetrievalResult) -> list[float]:
    facts = [getattr(each.verdict.reason, "facts", {}) for each in result.candidates]
    return [each["first_reads"] for each in facts if "first_reads" in each]


@pytest.mark.parametrize(("question", "sentence"), [(QUIT, REFUND), (MERGED, REVIEWERS)])
def test_what_reads_as_an_answer_is_said_first_and_its_passage_tells_it(question: str, sentence: str) -> None:
    """(R54)"""
    result = ask(question)
    assert [each.text for each in result.headlines] == [sentence]
    [reads] = reads_told(result)
    assert 0.97 <= reads < 1 and "may be said first" in say_reads({"first_reads": reads})
    [told] = [each for each in result.candidates if each.candidate_id == result.headlines[0].candidate_id]
    unread = ask(question, replace(OPEN, cross_encoder="off"))
    assert not unread.headlines and not reads_told(unread)
    assert told.verdict.reason in [each.verdict.reason for each in unread.candidates]  # facts are told beside it


def test_what_is_clearly_the_best_by_its_words_is_not_read_for_it() -> None:
    result = ask("When are fees charged in advance?", lines=("# Fees", "Fees are charged in advance on 1 March 2024."))
    assert len(result.headlines) == 1 and not reads_told(result)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (MERGED, (*LINES, "Three reviewers must approve a change before it is merged to the main line.")),
        (MERGED, ("# Approval", "For example two reviewers must approve a change before it is merged.")),
        (MERGED, ("# Approval", "Usage: two reviewers must approve a change before it is merged.")),
        ("What options does merge have?", ("# Options", "Usage: merge has the options [--force] and [--quiet].")),
        ("How many reviewers approve it, and can I get a refund if I quit halfway through the month?", LINES),
        ("Do I get a refund for the month of block C?", (*LINES, "There is a refund for the month of block D.")),
        (
            "May I park my car in the yard?",
            ("# Yard", "Bicycles may be parked in the yard.", "A car may be washed there."),
        ),
        ("Can I bring my own food to the event?", ("# Event", "Food is sold at the gate.", "Guests bring a ticket.")),
        (
            "Can minors open an account?",
            ("# Words", "Minors are persons below 18 years.", "An account is opened online."),
        ),
    ],
)
def test_none_is_where_another_gives_another_value_nor_an_example_a_synopsis_a_part_or_another_thing(
    question: str, lines: tuple[str, ...]
) -> None:
    result = ask(question, lines=lines)
    assert not result.headlines and not reads_told(result)
