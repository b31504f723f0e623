"""What each technique of contextual retrieval adds to the one before: how often the gold page is missed (R92, R93).

A question is missed where no passage on a gold page is among the first five, or twenty, of its document. The context
of a passage is its section path. A cross-encoder has a row where one is configured.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.library import Library
from benchmarks.metrics import mean
from benchmarks.questions import GoldQuestion
from benchmarks.vectors import embed_kept
from documents.storage.content import DocumentContent, Vectors
from llm.rerank import find_rerank_obstacle
from reading.rows import PassageRow
from retrieval.arbiter.rerank import RERANKED_MAX, judge_by_rerank
from retrieval.candidates.rerank_pool import by_meaning, candidates_to_rerank, fused_passages, passage_text
from retrieval.question.parse import parse_question
from retrieval.types import Question

FIRST = (5, RERANKED_MAX)
Ranked = Sequence[tuple[int, int]]  # the first and last page of each passage, best first
Technique = Callable[[Question, DocumentContent], Ranked]


def run(sets: Mapping[str, Sequence[GoldQuestion]], library: Library) -> dict[str, Any]:
    """A row for each set and technique: the share of questions whose gold page is missed."""
    return {"strategies": [row for name, asked in sets.items() for row in rows_of(name, asked, library)]}


def rows_of(name: str, questions: Sequence[GoldQuestion], library: Library) -> Iterator[dict[str, Any]]:
    asked = [question for question in questions if question.pages and not question.not_found]
    for technique, rank in TECHNIQUES.items():
        row = {"set": name, "strategy": technique}
        if rank is rank_by_reranker and (why := find_rerank_obstacle()):
            yield row | {"not_run": why}
            continue
        missed = [misses(each, rank, library.content(each.document)) for each in asked]
        shares = {
            f"missed_in_{first}": mean(told) for first, told in zip(FIRST, zip(*missed, strict=True), strict=True)
        }
        yield row | {"questions": len(asked)} | shares


def misses(asked: GoldQuestion, rank: Technique, content: DocumentContent) -> tuple[float, ...]:
    """1 or 0 for each number of first passages: whether none of them is on a gold page."""
    places = rank(parse_question(asked.question, [content]), content)
    hits = [any(first <= page <= last for page in asked.pages) for first, last in places]
    return tuple(float(not any(hits[:first])) for first in FIRST)


def pages_of(passages: Sequence[PassageRow]) -> Ranked:
    return [(passage.first_page, passage.last_page) for passage in passages]


# ---- the techniques


def rank_bare(question: Question, content: DocumentContent) -> Ranked:
    """By meaning, each passage embedded as it is."""
    if content.vectors is None:
        return []
    bare = embed_kept([passage.text for passage in content.passages], f"{content.sha256[:24]}-bare")
    vectors = Vectors(content.vectors.model_key, bare, content.vectors.toc)
    return rank_in_context(question, replace(content, vectors=vectors))


def rank_in_context(question: Question, content: DocumentContent) -> Ranked:
    """By meaning, each passage embedded under its section path."""
    found = by_meaning(question.topic or question.corrected, [content])
    return pages_of([content.passages[row] for _, row in found])


def rank_fused(question: Question, content: DocumentContent) -> Ranked:
    """With BM25 over the same texts."""
    return pages_of([fused.passage for fused in fused_passages(question, [content])])


def rank_by_words(question: Question, content: DocumentContent) -> Ranked:
    return rank_again(question, content, "heuristic")


def rank_by_reranker(question: Question, content: DocumentContent) -> Ranked:
    return rank_again(question, content, "model")


def rank_again(question: Question, content: DocumentContent, reranking: str) -> Ranked:
    passages = {passage_text(passage): passage for passage in content.passages}
    candidates = candidates_to_rerank(question, [content], ())
    found = {each.candidate_id: passages[each.passage] for each in candidates}
    verdicts = judge_by_rerank(question, candidates, [content], reranking).verdicts
    return pages_of([found[each.candidate_id] for each in verdicts])


TECHNIQUES: dict[str, Technique] = {
    "embeddings": rank_bare,
    "embeddings in context": rank_in_context,
    "… and BM25 in context": rank_fused,
    "… reordered by words": rank_by_words,
    "… reordered by a reranker": rank_by_reranker,
}
