"""A cross-encoder orders the passages of the hybrid pool (R93). It scores relevance but assigns no roles."""

from collections.abc import Sequence

from django.conf import settings

from llm import rerank
from llm.errors import LLMError
from llm.exchange import Exchange
from retrieval.types import Briefed, Candidate, Question, Ranking, Role, Verdict

RERANKED_MAX = 20  # R93: twenty, not five; parent expansion makes 8 to 15 units of them


def judge_by_rerank(question: Question, candidates: Sequence[Briefed]) -> Ranking:
    """The twenty most relevant passages, the first primary; if the reranker fails, the pool's own order, unjudged."""
    if reason := rerank.find_rerank_obstacle():
        return keep_fused_order(candidates, f"{reason}.", None)
    texts = [candidate.passage for candidate in candidates]
    try:
        scored, exchange = rerank.rerank(
            question.corrected, texts, top=RERANKED_MAX, deadline_s=settings.RERANK_DEADLINE_S
        )
    except LLMError as error:
        return keep_fused_order(candidates, str(error), error.exchange)
    verdicts = tuple(
        verdict_of_place(candidates[each.index], place, each.score, len(candidates))
        for place, each in enumerate(scored, 1)
    )
    return Ranking("rerank", "ran", verdicts, answerable=None, exchange=exchange)


def verdict_of_place(candidate: Candidate, place: int, score: float, count: int) -> Verdict:
    role: Role = "primary" if place == 1 else "supporting"
    reason = f"Place {place} of {count} passages by the reranker {settings.RERANK_MODEL}."
    return Verdict(candidate.candidate_id, role, reason, candidate.anchor_text, f"relevance {score:.3f}")


def keep_fused_order(candidates: Sequence[Candidate], failure: str, exchange: Exchange | None) -> Ranking:
    """The fused order without roles, and the reason (L7)."""
    verdicts = tuple(
        Verdict(candidate.candidate_id, "unjudged", f"Not reranked. Place {place} by the fused searches.")
        for place, candidate in enumerate(candidates[:RERANKED_MAX], 1)
    )
    return Ranking("rerank", "not_run", verdicts, exchange=exchange, failure=failure)
