"""A hit so clear that no model need judge it (R39): the rules do, where the base allows it and they are sure."""

from collections.abc import Sequence
from dataclasses import replace

from retrieval import dispatch
from retrieval.arbiter.deciding import arbitrate
from retrieval.search import MODEL_ARBITERS, Search
from retrieval.told.clauses import recorded_facts
from retrieval.told.planned import give_reason, join_reasons
from retrieval.types import Briefed, Flag, Plan, Question, Ranking

FLAG = "clear_hit"
ASKED_MODE = "balanced"  # fast mode has the rules judge anyway, and thorough mode is asked for a model's care


def consider_clear_hit(search: Search) -> Search:
    """The rules judge a hit that is clear, if their ranking stands without a model; the plan says whether and why.

    Where the base does not allow it the plan is as it was: nothing was considered.
    """
    question, options = search.question, search.options
    is_allowed = options.settings.skip_model != "off" and options.mode == ASKED_MODE and options.arbiter is None
    if search.arbiter not in MODEL_ARBITERS or not is_allowed:
        return search
    signal = dispatch.clean_signal(question, search.hits)
    doubt = doubt_of(question) or ("" if signal else give_reason("no clear lead"))
    ranking = None if doubt else arbitrate(replace(search, arbiter="rules"))
    if ranking and (named := doubt_of_ranking(ranking, search.candidates)):
        doubt, ranking = give_reason("but", said=recorded_facts(signal), doubt=recorded_facts(named)), None
    words = join_reasons(
        *((signal, give_reason("rules judge")) if ranking else (doubt, give_reason("model judges"))), joining=": "
    )
    plan = Plan((*search.plan.flags, Flag(FLAG, ranking is not None, words)))
    return replace(search, plan=plan, clear=ranking, arbiter=ranking.arbiter if ranking else search.arbiter)


def doubt_of(question: Question) -> str:
    """Why one clear place is no answer to the question, or ""."""
    if question.parts:
        return give_reason("several asked")
    if question.intent in dispatch.OPEN_INTENTS or question.intent == "listing" or question.listed:
        return give_reason("one place")
    if question.condition:
        return give_reason("certain case")
    return ""


def doubt_of_ranking(ranking: Ranking, candidates: Sequence[Briefed]) -> str:
    """Why the rules' verdicts are not enough, or ""."""
    document_of = {candidate.candidate_id: candidate.document_id for candidate in candidates}
    primary = {document_of[verdict.candidate_id] for verdict in ranking.verdicts if verdict.role == "primary"}
    if not primary or ranking.is_doubtful:
        return give_reason("rules unsure")
    return "" if len(primary) == 1 else give_reason("in several documents")
