"""Passages in an order by words (R95): those of the question, its exact phrases, and the name of the file."""

from collections.abc import Sequence

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.types import Briefed, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import share_within, weigh_terms

# What each signal, 0 to 1, is worth: fitted on one half of the shared sets, see docs/benchmarks.md.
RANK_WEIGHT, OVERLAP_WEIGHT, PHRASE_WEIGHT = 1.0, 1.5, 0.1
NAME_WEIGHT = 0.1  # as little as a phrase: inside one document it is the same for all
HALF_PLACE = 60  # of the fused order: worth half of the first, with the constant of the fusion (R93)


def heuristic_scores(
    question: Question, candidates: Sequence[Briefed], contents: Sequence[DocumentContent]
) -> list[float]:
    """The score of each candidate, highest best: its place in the fused order and what its words add."""
    names = {content.document_id: f"{content.file_name} {content.title}" for content in contents}
    terms = {content.document_id: weigh_terms(question, lexicon_of(content)) for content in contents}
    phrases = [match_form(phrase) for phrase in question.phrases]
    return [
        RANK_WEIGHT * HALF_PLACE / (HALF_PLACE + candidate.rrf_rank)
        + OVERLAP_WEIGHT * share_within(candidate.passage, terms[candidate.document_id])
        + PHRASE_WEIGHT * phrases_within(candidate.passage, phrases)
        + NAME_WEIGHT * share_within(names[candidate.document_id], terms[candidate.document_id])
        for candidate in candidates
    ]


def phrases_within(text: str, phrases: Sequence[str]) -> float:
    """The share of the question's phrases that a text has word for word."""
    said = f" {match_form(text)} "
    return sum(f" {phrase} " in said for phrase in phrases) / len(phrases) if phrases else 0.0
