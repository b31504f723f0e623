"""Arbiters judge every candidate: `rules` by fixed rules, `model` by one call; `none` judges nothing (for comparison).

`hybrid` lets the rules narrow down what the model judges; `rerank` orders passages, see `reranking` of a base.
"""

from collections.abc import Sequence
from typing import NamedTuple

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.exchange import Exchange
from retrieval.arbiter.evidence import weigh_evidence
from retrieval.arbiter.model import judge_by_model
from retrieval.arbiter.narrowed import judge_narrowed
from retrieval.arbiter.none import leave_unjudged
from retrieval.arbiter.rerank import judge_by_rerank
from retrieval.arbiter.room import USUAL, ModelUse
from retrieval.arbiter.rules import judge_by_rules
from retrieval.types import ArbiterName, Briefed, Hit, LeftOut, Mode, Question, Ranking


class Case(NamedTuple):
    """What one question puts before its arbiter: the candidates with the briefs a request of its own has room for.

    `proposed` are all of them, as they were before briefs were fitted to a request.
    """

    name: ArbiterName
    question: Question
    candidates: tuple[Briefed, ...]
    contents: Sequence[DocumentContent]
    hits: Sequence[Hit]
    risk_max: int
    mode: Mode
    use: ModelUse
    proposed: tuple[Briefed, ...]
    unfit: tuple[LeftOut, ...]
    toc: str
    reranking: str = BaseSettings.reranking
    is_read: bool = True


class Ruling(NamedTuple):
    """What became of a case: the candidates as they were shown, those that had no room, and the verdicts.

    `shared` is an exchange for several cases at once, and `note` says how it was shared. `waited_s` are the seconds
    between case and ruling in which other cases were prepared.
    """

    candidates: tuple[Briefed, ...]
    unfit: tuple[LeftOut, ...]
    ranking: Ranking
    shared: Exchange | None = None
    note: str = ""
    waited_s: float = 0.0


def decide(case: Case) -> Ruling:
    """The ruling on a case by itself."""
    name, question, candidates, contents, hits, risk_max, mode, use, *_, reranking, is_read = case
    ranking = arbitrate(name, question, candidates, contents, hits, risk_max, mode, use, reranking, is_read=is_read)
    return Ruling(candidates, case.unfit, ranking)


def arbitrate(
    name: ArbiterName,
    question: Question,
    candidates: Sequence[Briefed],
    contents: Sequence[DocumentContent],
    hits: Sequence[Hit] = (),
    risk_max: int = BaseSettings.risk_max,
    mode: Mode = "balanced",
    use: ModelUse = USUAL,
    reranking: str = BaseSettings.reranking,
    *,
    is_read: bool = True,
) -> Ranking:
    """One verdict for each candidate, in the arbiter's order. No candidates, no call.

    The rules answer only where the evidence is strong enough for `risk_max`, see `evidence`; `is_read` is of them.
    """
    if not candidates:
        return Ranking(name, "not_needed", ())
    if name == "model":
        return judge_by_model(question, candidates, contents, use)
    if name == "hybrid":
        return judge_narrowed(question, candidates, contents, use)
    if name == "rerank":
        return judge_by_rerank(question, candidates, contents, reranking)
    if name == "rules":
        evidence = weigh_evidence(question, candidates, contents, hits, risk_max, is_read=is_read)
        return judge_by_rules(question, candidates, evidence, mode, contents)
    return leave_unjudged(candidates)
