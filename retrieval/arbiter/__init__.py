"""Arbiters judge every candidate: `rules` by fixed rules, `model` by one call; `none` judges nothing (for comparison).

`hybrid` lets the rules narrow down what the model judges; `rerank` orders passages with a cross-encoder.
"""

from collections.abc import Sequence

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.arbiter.evidence import weigh_evidence
from retrieval.arbiter.model import judge_by_model
from retrieval.arbiter.narrowed import judge_narrowed
from retrieval.arbiter.none import leave_unjudged
from retrieval.arbiter.rerank import judge_by_rerank
from retrieval.arbiter.room import USUAL, ModelUse
from retrieval.arbiter.rules import judge_by_rules
from retrieval.types import ArbiterName, Briefed, Hit, Mode, Question, Ranking


def arbitrate(
    name: ArbiterName,
    question: Question,
    candidates: Sequence[Briefed],
    contents: Sequence[DocumentContent],
    hits: Sequence[Hit] = (),
    risk_max: int = BaseSettings.risk_max,
    mode: Mode = "balanced",
    use: ModelUse = USUAL,
) -> Ranking:
    """One verdict for each candidate, in the arbiter's order. No candidates, no call.

    The rules answer only where the evidence is strong enough for `risk_max`, see `evidence`.
    """
    if not candidates:
        return Ranking(name, "not_needed", ())
    if name == "model":
        return judge_by_model(question, candidates, contents, use)
    if name == "hybrid":
        return judge_narrowed(question, candidates, contents, use)
    if name == "rerank":
        return judge_by_rerank(question, candidates)
    if name == "rules":
        evidence = weigh_evidence(question, candidates, contents, hits, risk_max)
        return judge_by_rules(question, candidates, evidence, mode)
    return leave_unjudged(candidates)
