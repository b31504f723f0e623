"""What orders the passages that words and meaning found (R93, R95): a cross-encoder, a rule over words, or nothing.

It scores relevance but assigns no roles.
"""

from collections.abc import Sequence

from django.conf import settings
from django.utils.translation import gettext_noop

from documents.storage.content import DocumentContent
from llm import rerank
from llm.errors import LLMError
from llm.exchange import Exchange
from llm.prompts import Prompt
from retrieval.arbiter.heuristic import heuristic_scores
from retrieval.types import Briefed, Candidate, Question, Ranking, Role, Verdict

RERANKED_MAX = 20  # R93: twenty, not five; parent expansion makes 8 to 15 units of them
INSTRUCTIONS = """\
A passage is relevant if it states the answer itself: the figure, date, name, condition, duty or definition that is \
asked for, of the party, period and document asked about. A passage that only mentions the topic, refers to another \
place for it, or states it of something else is less relevant. In tables the row and column asked for decide."""
PROMPT = Prompt(
    "rerank",
    "1",
    gettext_noop("Says to a reranker that takes instructions which passages are relevant."),
    INSTRUCTIONS,
    why_fixed=gettext_noop("It is read again with every passage, so each of its words is paid up to 300 times."),
)


def judge_by_rerank(
    question: Question, candidates: Sequence[Briefed], contents: Sequence[DocumentContent], reranking: str = "model"
) -> Ranking:
    """The twenty most relevant passages, the first primary; if the reranker fails, the pool's own order, unjudged."""
    if reranking == "none":
        return Ranking("none", "ran", in_fused_order(candidates))
    if reranking == "heuristic":
        scores = heuristic_scores(question, candidates, contents)
        ordered = sorted(range(len(candidates)), key=lambda index: (-scores[index], index))[:RERANKED_MAX]
        scored = [rerank.Relevance(index, scores[index]) for index in ordered]
        return Ranking("rerank", "ran", verdicts_of(scored, candidates, "words, exact phrases and names of files"))
    if reason := rerank.find_rerank_obstacle():
        return keep_fused_order(candidates, f"{reason}.", None)
    texts = [candidate.passage for candidate in candidates]
    try:
        scored, exchange = rerank.rerank(
            question.topic if question.exclusions else question.corrected,
            texts,
            top=RERANKED_MAX,
            deadline_s=settings.RERANK_DEADLINE_S,
            instructions=PROMPT.text,
            version=PROMPT.version,
        )
    except LLMError as error:
        return keep_fused_order(candidates, str(error), error.exchange)
    by = f"the reranker {exchange.model_returned}"  # a server of a single model ranks with it whatever is asked for
    return Ranking("rerank", "ran", verdicts_of(scored, candidates, by), answerable=None, exchange=exchange)


def verdicts_of(scored: Sequence[rerank.Relevance], candidates: Sequence[Candidate], by: str) -> tuple[Verdict, ...]:
    """A verdict for each scored passage, in their order."""
    return tuple(
        verdict_of_place(candidates[each.index], place, each.score, len(candidates), by)
        for place, each in enumerate(scored, 1)
    )


def verdict_of_place(candidate: Candidate, place: int, score: float, count: int, by: str) -> Verdict:
    role: Role = "primary" if place == 1 else "supporting"
    reason = f"Place {place} of {count} passages by {by}."
    return Verdict(candidate.candidate_id, role, reason, candidate.anchor_text, f"relevance {score:.3f}")


def keep_fused_order(candidates: Sequence[Candidate], failure: str, exchange: Exchange | None) -> Ranking:
    """The fused order without roles, and the reason (L7)."""
    return Ranking("rerank", "not_run", in_fused_order(candidates), exchange=exchange, failure=failure)


def in_fused_order(candidates: Sequence[Candidate]) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(candidate.candidate_id, "unjudged", f"Not reranked. Place {place} by the fused searches.")
        for place, candidate in enumerate(candidates[:RERANKED_MAX], 1)
    )
