"""Who judges the candidates of a search, and what became of them.

`hybrid` lets the rules narrow down what the model judges; `rerank` orders passages, see `reranking` of a base.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from documents.storage.content import DocumentContent
from llm.exchange import Exchange
from retrieval.arbiter.evidence import weigh_evidence
from retrieval.arbiter.model import judge_by_model
from retrieval.arbiter.order import order_by_rules, rule_of
from retrieval.arbiter.rerank import judge_by_rerank
from retrieval.arbiter.rules import judge_by_rules
from retrieval.search import USUAL, ModelUse, Search
from retrieval.types import ROLE_ORDER, Briefed, Candidate, LeftOut, Question, Ranking, Verdict

NARROWED = 15  # briefs: on both shared question sets the gold page rarely ranks lower in the rules' order


class Ruling(NamedTuple):
    """The candidates of a search as they were shown, those that had no room, and the verdicts.

    `shared` is an exchange for several searches at once, and `note` says how it was shared. `waited_s` are the seconds
    before the ruling in which other searches were prepared.
    """

    candidates: tuple[Briefed, ...]
    unfit: tuple[LeftOut, ...]
    ranking: Ranking
    shared: Exchange | None = None
    note: str = ""
    waited_s: float = 0.0


def decide(search: Search) -> Ruling:
    """The ruling on a search by itself."""
    return Ruling(search.candidates, search.unfit, arbitrate(search))


def arbitrate(search: Search) -> Ranking:
    """One verdict for each candidate, in the arbiter's order. No candidates, no call.

    The rules answer only where the evidence is strong enough for the risk that the base takes, see `evidence`.
    """
    judged, options = (search.question, search.candidates, search.contents), search.options
    if not search.candidates:
        return Ranking(search.arbiter, "not_needed", ())
    if search.arbiter == "model":
        return judge_by_model(*judged, search.use)
    if search.arbiter == "hybrid":
        return judge_narrowed(*judged, search.use)
    if search.arbiter == "rerank":
        return judge_by_rerank(*judged, options.settings.reranking)
    if search.arbiter == "rules":
        evidence = weigh_evidence(*judged, search.hits, options.settings.risk_max, is_read=options.weighs_reads)
        return judge_by_rules(search.question, search.candidates, evidence, options.mode, search.contents)
    return leave_unjudged(search.candidates)


def judge_narrowed(
    question: Question, candidates: Sequence[Briefed], contents: Sequence[DocumentContent], use: ModelUse = USUAL
) -> Ranking:
    """The model's ranking of what it asked for and of the candidates the rules rank first: a shorter request (R102).

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


def leave_unjudged(candidates: Sequence[Candidate]) -> Ranking:
    """Every candidate unjudged, in the order of reciprocal rank fusion. For comparison only (R44)."""
    ordered = sorted(candidates, key=lambda candidate: candidate.rrf_rank)
    verdicts = tuple(
        Verdict(candidate.candidate_id, "unjudged", f"Rank {candidate.rrf_rank} by reciprocal rank fusion.")
        for candidate in ordered
    )
    return Ranking("none", "ran", verdicts)
