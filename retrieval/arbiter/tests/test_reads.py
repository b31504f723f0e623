"""How far the first passage reads as an answer: what is read, what is not, and what becomes of it."""

from dataclasses import replace

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.arbiter.evidence import Signals, probability_of, weigh_evidence
from retrieval.arbiter.reads import join_short, read_for_answer, sentences_to_read
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Candidate, RetrievalResult

OPEN = BaseSettings(risk_max=100, embeddings="none")
NOTICE = "How much notice must a party give to end the lease?"


@pytest.fixture
def lease() -> DocumentContent:
    return content_of_lines(
        [
            "# Term",
            "The lease runs until 31 May 2030, unless it is ended be-",
            "fore. Either party may end it by giving three months' notice to the other.",
            "# Rules",
            "Notice of new rules is given in writing.",
        ],
        title="Lease",
    )


def ask(text: str, content: DocumentContent, settings: BaseSettings = OPEN) -> RetrievalResult:
    return retrieve(text, [content], settings=settings, arbiter="rules")


def facts_of(result: RetrievalResult) -> list[object]:
    return [getattr(each.verdict.reason, "facts", {}).get("reads") for each in result.candidates]


def test_the_first_passage_is_read_and_its_reason_tells_it(lease: DocumentContent) -> None:
    result = ask(NOTICE, lease)
    first, *others = facts_of(result)
    assert isinstance(first, float) and first > 0.5 and others and set(others) == {None}
    evidence = weigh_evidence(result.question, result.candidates, [lease], result.hits, 100)
    assert evidence.reads == first and (evidence.signals.reads or 0) > 0


def test_a_base_may_do_without(lease: DocumentContent) -> None:
    read, unread = ask(NOTICE, lease), ask(NOTICE, lease, replace(OPEN, cross_encoder="off"))
    assert set(facts_of(unread)) == {None}
    assert [each.candidate_id for each in read.candidates] == [each.candidate_id for each in unread.candidates]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Welche Frist gilt für die Kündigung des Mietvertrags?", "en"),
        (NOTICE, "de"),
        ("How much notice must a party give, and until when does the lease run?", "en"),
    ],
)
def test_other_languages_and_questions_in_parts_are_not_read(
    question: str, language: str, lease: DocumentContent
) -> None:
    assert read_for_answer(parse_question(question, [lease]), term_of(lease), language) is None


def test_a_sentence_that_answers_reads_better_than_one_of_the_same_words(lease: DocumentContent) -> None:
    question, term = parse_question(NOTICE, [lease]), term_of(lease)
    other = replace(term, sentences=None, anchor_text="Notices to a party are sent to its address.")
    answering, speaking = (read_for_answer(question, each, "en") for each in (term, other))
    assert answering and speaking and answering > speaking + 0.1


def test_sentences_are_whole_and_stand_behind_their_title(lease: DocumentContent) -> None:
    term = term_of(lease)
    assert list(sentences_to_read(term)) == [
        "Term: The lease runs until 31 May 2030, unless it is ended before.",
        "Term: Either party may end it by giving three months' notice to the other.",
    ]
    rows = replace(term, sentences=None, anchor_text="Rent\nDeposit\nRent of the garage 40\nRest")
    assert list(sentences_to_read(rows)) == ["Term: Rent Deposit", "Term: Rent of the garage 40", "Term: Rest"]
    assert join_short([" ", ""], 12) == []


def term_of(lease: DocumentContent) -> Candidate:
    result = ask("Until when does the lease run unless ended before by three months' notice?", lease)
    return next(each for each in result.candidates if each.section_title == "Term")


def test_how_a_passage_reads_does_not_make_up_for_the_year_asked_for(lease: DocumentContent) -> None:
    asked, other = (f"How much notice must a party give to end the lease of {year}?" for year in (2030, 2021))
    found, missing = (
        weigh_evidence(result.question, result.candidates, [lease], result.hits, 100)
        for result in (ask(asked, lease), ask(other, lease))
    )
    assert found.signals.specific == 1 > missing.signals.specific
    assert (missing.reads or 0) > 0.5 and (missing.signals.reads or 0) < 0 < (found.signals.reads or 0)


def test_what_reads_as_an_answer_is_more_probable_and_what_was_not_read_no_worse() -> None:
    signals = Signals(coverage=0.6, lead=0.1, formed=1.0, specific=1.0)
    low, unread, high = (probability_of(replace(signals, reads=odds)) for odds in (-3.0, None, 3.0))
    assert low < unread < high
