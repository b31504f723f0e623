"""A model is held to R49: nearness in meaning alone is not primary over words."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.arbiter.model import RULE_THREE, check_meaning_only
from retrieval.candidates.aggregation import aggregate
from retrieval.question.parse import parse_question
from retrieval.types import Candidate, Hit, LineRange, Question, Ranking, Role, Verdict


@pytest.fixture
def question(policy: DocumentContent) -> Question:
    return parse_question("What is the annual premium?", [policy])


@pytest.fixture
def near(policy: DocumentContent, question: Question) -> Candidate:
    hit = Hit("vectors", policy.document_id, LineRange(6, 7), 0.6, detail="passage")
    return replace(aggregate([hit], question, [policy], pool_max=1).candidates[0], candidate_id="near")


@pytest.fixture
def worded(policy: DocumentContent, question: Question) -> Candidate:
    words = ("annual", "premium")
    hit = Hit("keywords", policy.document_id, LineRange(3, 3), 1.0, words, co_occurrence=True)
    return replace(aggregate([hit], question, [policy], pool_max=1).candidates[0], candidate_id="worded")


def held(question: Question, *judged: tuple[Candidate, Role]) -> tuple[dict[str, str], tuple[str, ...]]:
    verdicts = tuple(Verdict(each.candidate_id, role, "It says so.") for each, role in judged)
    ranking = check_meaning_only(Ranking("model", "ran", verdicts), question, [each for each, _ in judged])
    return {each.candidate_id: each.role for each in ranking.verdicts}, ranking.violations


def test_beside_a_primary_with_the_words_it_supports(question: Question, near: Candidate, worded: Candidate) -> None:
    """(R49)"""
    roles, violations = held(question, (near, "primary"), (worded, "primary"))
    assert list(roles.items()) == [("worded", "primary"), ("near", "supporting")]
    assert violations == ("R49, primary by its meaning alone, lowered to supporting beside worded: near",)


def test_the_only_answer_found_stays_and_is_named(question: Question, near: Candidate, worded: Candidate) -> None:
    """(R49)"""
    roles, violations = held(question, (near, "primary"), (worded, "tangential"))
    assert roles == {"near": "primary", "worded": "tangential"}
    assert violations == ("R49, primary by its meaning alone, kept, although worded has the words: near",)
    assert violations[0].startswith(RULE_THREE)


def test_where_nothing_else_is_there_it_may_answer(question: Question, near: Candidate) -> None:
    assert held(question, (near, "primary")) == ({"near": "primary"}, ())


def test_a_question_for_a_concept_is_free_of_it(question: Question, near: Candidate, worded: Candidate) -> None:
    conceptual = replace(question, intent="open_scoped")
    assert held(conceptual, (near, "primary"), (worded, "primary"))[1] == ()


def test_other_evidence_is_not_nearness_alone(question: Question, near: Candidate, worded: Candidate) -> None:
    for methods in (("titles", "vectors"), ("vectors", "pinned"), ("vectors", "whole")):
        assert held(question, (replace(near, methods=methods), "primary"), (worded, "primary"))[1] == ()
