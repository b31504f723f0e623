"""A hit so clear that no model need judge it (R39): the rules do, where the base allows it and they are sure."""

from collections.abc import Sequence

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval import dispatch
from retrieval.arbiter import arbitrate
from retrieval.told.clauses import recorded_facts
from retrieval.told.planned import give_reason, join_reasons
from retrieval.types import Briefed, Flag, Hit, Plan, Question, Ranking

FLAG = "clear_hit"
ASKED_MODE = "balanced"  # fast mode has the rules judge anyway, and thorough mode is asked for a model's care


def judge_clear_hit(
    question: Question,
    candidates: Sequence[Briefed],
    contents: Sequence[DocumentContent],
    hits: Sequence[Hit],
    plan: Plan,
    settings: BaseSettings,
    mode: str,
) -> tuple[Plan, Ranking | None]:
    """The rules' ranking if it stands without a model, else None; the plan says which and why.

    Where the base does not allow it the plan is as it was: nothing was considered.
    """
    if settings.skip_model == "off" or mode != ASKED_MODE:
        return plan, None
    signal = dispatch.clean_signal(question, hits)
    doubt = doubt_of(question) or ("" if signal else give_reason("no clear lead"))
    is_read, asked = settings.cross_encoder == "on", (question, candidates, contents, hits, settings.risk_max)
    ranking = None if doubt else arbitrate("rules", *asked, is_read=is_read)
    if ranking and (named := doubt_of_ranking(ranking, candidates)):
        doubt, ranking = give_reason("but", said=recorded_facts(signal), doubt=recorded_facts(named)), None
    words = join_reasons(
        *((signal, give_reason("rules judge")) if ranking else (doubt, give_reason("model judges"))), joining=": "
    )
    return Plan((*plan.flags, Flag(FLAG, ranking is not None, words))), ranking


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
