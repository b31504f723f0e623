"""Build the pool of candidates for the arbiter, and follow what the best of them refer to."""

from collections.abc import Sequence
from typing import NamedTuple

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval import dispatch
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.references import follow
from retrieval.candidates.rerank_pool import hybrid_candidates
from retrieval.types import ArbiterName, Briefed, Hit, Mode, Plan, Question

THOROUGH_POOL = 60  # briefs (R98), the most a base may configure


class Proposed(NamedTuple):
    """The pool, the hits it was made of, and the plan with the outcome of following references."""

    candidates: tuple[Briefed, ...]
    hits: list[Hit]
    plan: Plan


def propose(
    arbiter: ArbiterName,
    question: Question,
    contents: Sequence[DocumentContent],
    hits: list[Hit],
    plan: Plan,
    pool_max: int,
) -> Proposed:
    """Passages for a reranker, places for all other arbiters; if enabled, with the places they refer to."""
    if arbiter == "rerank":
        candidates = hybrid_candidates(question, contents, hits)
    else:
        candidates = aggregate(hits, question, contents, pool_max=pool_max)
    if not candidates or not plan.is_on("cross_references"):
        return Proposed(candidates, hits, plan)
    followed = follow(candidates, contents)
    plan = dispatch.note_reason(plan, "cross_references", followed.outcome)
    if not followed.hits:
        return Proposed(candidates, hits, plan)
    hits = [*hits, *followed.hits]
    return Proposed(aggregate(hits, question, contents, pool_max=pool_max), hits, plan)


def pool_size(settings: BaseSettings, mode: Mode) -> int:
    return THOROUGH_POOL if mode == "thorough" else settings.pool_max
