"""The rules narrow the pool and the model decides: a shorter request, for `ranking = hybrid` (R102)."""

from collections.abc import Sequence
from dataclasses import replace

from documents.storage.content import DocumentContent
from retrieval.arbiter.model import judge_by_model
from retrieval.arbiter.order import order_by_rules, rule_of
from retrieval.arbiter.room import USUAL, ModelUse
from retrieval.types import ROLE_ORDER, Briefed, Question, Ranking, Verdict

NARROWED = 15  # briefs: on both shared question sets the gold page rarely ranks lower in the rules' order


def judge_narrowed(
    question: Question, candidates: Sequence[Briefed], contents: Sequence[DocumentContent], use: ModelUse = USUAL
) -> Ranking:
    """The model's ranking of what it asked for and of the candidates the rules rank first.

    The others stay unjudged, with the reason.
    """
    ordered = sorted(order_by_rules(candidates), key=lambda each: "requested" not in each.methods)
    ranking = judge_by_model(question, ordered[:NARROWED], contents, use)
    left_out = [
        Verdict(candidate.candidate_id, "unjudged", f"Left out by the rules, place {place}: {rule_of(candidate).name}.")
        for place, candidate in enumerate(ordered[NARROWED:], NARROWED + 1)
    ]
    verdicts = sorted([*ranking.verdicts, *left_out], key=lambda verdict: ROLE_ORDER[verdict.role])
    return replace(ranking, verdicts=tuple(verdicts))
