"""Build the pool of candidates for the arbiter, follow what the best of them refer to, and complete a list.

Places beyond the pool are recorded with their rank.
"""

from collections.abc import Sequence
from typing import NamedTuple

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval import dispatch
from retrieval.amendments.asked import hits_of_versions
from retrieval.amendments.versions import Versions
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.completion import complete_list
from retrieval.candidates.pointed import find_pointed
from retrieval.candidates.references import NOTHING_FOLLOWED, follow, follow_deferral
from retrieval.candidates.rerank_pool import EACH_MAX, candidates_to_rerank
from retrieval.filters import Within
from retrieval.told.planned import give_reason
from retrieval.types import ArbiterName, Briefed, Hit, LeftOut, Mode, Plan, Question

THOROUGH_POOL = 60  # briefs (R98), the most a base may set
# For a list, and for a page or two: the longest of the 13 lists asked for in the shared sets has 62 places.
LIST_POOL = 100
RERANK_POOL = 2 * EACH_MAX  # all that words and meaning propose (R93)


class Proposed(NamedTuple):
    """The pool, the hits it was made of, and the plan with the outcome of following references."""

    candidates: tuple[Briefed, ...]
    left_out: tuple[LeftOut, ...]
    hits: list[Hit]
    plan: Plan


def propose(
    arbiter: ArbiterName,
    question: Question,
    contents: Sequence[DocumentContent],
    hits: list[Hit],
    plan: Plan,
    pool_max: int,
    within: Within | None = None,
    versions: Sequence[Versions] = (),
    nearness: float = 0.0,
) -> Proposed:
    """Passages for a reranker, places for all other arbiters; if enabled, with what the question points to (R21) and
    the places they refer to (R75).

    For a list that is shorter than the text says, the places that list all of it are added in one further pass, and
    for a clause that another document amends its `versions`. Passages are proposed by meaning from `nearness` on.
    """
    if arbiter == "rerank":
        passages = candidates_to_rerank(question, contents, hits, nearness)
        reason = f"the {pool_max} places judged rank higher"
        candidates, left_out = passages[:pool_max], tuple(LeftOut.of(each, reason) for each in passages[pool_max:])
    else:
        candidates, left_out = aggregate(hits, question, contents, pool_max=pool_max)
    if arbiter == "rerank":  # it orders passages, and looks at no places
        for name in ("layout_hints", "cross_references", "list_pass"):
            plan = dispatch.switch_off(plan, name, give_reason("reranker"))
        return Proposed(candidates, left_out, hits, plan)
    found: list[Hit] = []
    if plan.is_on("layout_hints"):
        pointed = find_pointed(question, contents, hits)
        plan = dispatch.note_reason(plan, "layout_hints", pointed.outcome)
        plan = plan if pointed.hits else dispatch.switch_off(plan, "layout_hints", pointed.outcome)
        found += pointed.hits
    if not candidates and not found:
        return Proposed(candidates, left_out, hits, plan)
    followed = follow_deferral(question, candidates, contents)
    if plan.is_on("cross_references"):
        followed = followed.join(follow(candidates, contents))
    if followed != NOTHING_FOLLOWED or plan.is_on("cross_references"):
        plan = dispatch.switch_on(plan, "cross_references", followed.outcome)
        found += followed.hits
    if plan.is_on("list_pass"):
        completed = complete_list(question, candidates, contents, within)
        plan = dispatch.note_reason(plan, "list_pass", completed.outcome)
        found += completed.hits
    found += hits_of_versions(question, candidates, versions)
    found = [hit for hit in found if within is None or within[hit.document_id][hit.lines.first]]
    if not found:
        return Proposed(candidates, left_out, hits, plan)
    hits = [*hits, *found]
    return Proposed(*aggregate(hits, question, contents, pool_max=pool_max), hits, plan)


def pool_size(arbiter: ArbiterName, question: Question, plan: Plan, settings: BaseSettings, mode: Mode) -> int:
    """How many places are judged: more for a list, of which no item may be lost, and where all of a page or two is."""
    if arbiter == "rerank":
        return RERANK_POOL
    if question.intent == "listing" or plan.is_on("whole_document"):
        return LIST_POOL
    return THOROUGH_POOL if mode == "thorough" else settings.pool_max
