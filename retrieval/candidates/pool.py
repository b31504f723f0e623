"""Build the pool of candidates for the arbiter, follow what the best of them refer to, and complete a list.

Places beyond the pool are recorded with their rank.
"""

from dataclasses import replace

from retrieval import dispatch
from retrieval.amendments.asked import hits_of_versions
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.completion import complete_list
from retrieval.candidates.pointed import find_pointed
from retrieval.candidates.references import NOTHING_FOLLOWED, follow, follow_deferral
from retrieval.candidates.rerank_pool import EACH_MAX, candidates_to_rerank
from retrieval.filters import with_nearness
from retrieval.search import Search
from retrieval.told.planned import give_reason
from retrieval.types import Hit, LeftOut

THOROUGH_POOL = 60  # briefs (R98), the most a base may set
# For a list, and for a page or two: the longest of the 13 lists asked for in the shared sets has 62 places.
LIST_POOL = 100
RERANK_POOL = 2 * EACH_MAX  # all that words and meaning propose (R93)


def propose_passages(search: Search) -> Search:
    """Passages by words and by meaning, from some nearness on; a reranker orders them, and looks at no places."""
    nearness = with_nearness(search.options.filters, search.options.settings.nearness_min).threshold or 0.0
    passages, most = candidates_to_rerank(search.question, search.contents, search.hits, nearness), pool_size(search)
    left_out = tuple(LeftOut.of(each, f"the {most} places judged rank higher") for each in passages[most:])
    plan = search.plan
    for name in ("layout_hints", "cross_references", "list_pass"):
        plan = dispatch.switch_off(plan, name, give_reason("reranker"))
    return replace(search, candidates=passages[:most], left_out=left_out, plan=plan)


def propose_places(search: Search) -> Search:
    """Places with what the question points to (R21) and the places they refer to (R75), where the plan says so.

    For a list that is shorter than the text says, the places that list all of it are added in one further pass, and
    for a clause that another document amends its versions.
    """
    question, contents, plan, within = search.question, search.contents, search.plan, search.within
    hits, most = list(search.hits), pool_size(search)
    pool = aggregate(hits, question, contents, pool_max=most)
    found: list[Hit] = []
    if plan.is_on("layout_hints"):
        pointed = find_pointed(question, contents, hits)
        plan = dispatch.note_reason(plan, "layout_hints", pointed.outcome)
        plan = plan if pointed.hits else dispatch.switch_off(plan, "layout_hints", pointed.outcome)
        found += pointed.hits
    if pool.candidates or found:
        followed = follow_deferral(question, pool.candidates, contents)
        if plan.is_on("cross_references"):
            followed = followed.join(follow(pool.candidates, contents))
        if followed != NOTHING_FOLLOWED or plan.is_on("cross_references"):
            plan = dispatch.switch_on(plan, "cross_references", followed.outcome)
            found += followed.hits
        if plan.is_on("list_pass"):
            completed = complete_list(question, pool.candidates, contents, within)
            plan = dispatch.note_reason(plan, "list_pass", completed.outcome)
            found += completed.hits
        found += hits_of_versions(question, pool.candidates, search.versions)
        found = [hit for hit in found if within is None or within[hit.document_id][hit.lines.first]]
    if found:
        hits += found
        pool = aggregate(hits, question, contents, pool_max=most)
    return replace(search, candidates=pool.candidates, left_out=pool.left_out, hits=hits, plan=plan)


def pool_size(search: Search) -> int:
    """How many places are judged: as the asker says, else more for a list, of which no item may be lost, and where all
    of a page or two is.
    """
    options = search.options
    if options.filters.top_k:
        return options.filters.top_k
    if search.arbiter == "rerank":
        return RERANK_POOL
    if search.question.intent == "listing" or search.plan.is_on("whole_document"):
        return LIST_POOL
    return THOROUGH_POOL if options.mode == "thorough" else options.settings.pool_max
