"""The conductor of retrieval: a question and the documents it is asked of become a result. It writes nothing."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.client import is_configured
from llm.exchange import Exchange
from reading.processes.clock import Clock
from retrieval import absence, dispatch
from retrieval.accounting import account_of, coverage_of
from retrieval.arbiter import arbitrate
from retrieval.arbiter.brief import fit_snippets, toc_block
from retrieval.candidates.pool import pool_size, propose
from retrieval.candidates.settle import settle
from retrieval.detectors.run import detect
from retrieval.question.by_model import read_by_model
from retrieval.question.parse import parse_question
from retrieval.types import (
    ArbiterName,
    Briefed,
    ConceptTerms,
    Mode,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
    ScopeAccount,
    SearchedWord,
)

OnStage = Callable[[str, dict[str, Any]], None]
AccountFor = Callable[[Question], ScopeAccount]
MODEL_ARBITERS = ("model", "hybrid")  # a reasoned primary may save a question whose words stand nowhere (G2)
UNASKED_ARBITERS: dict[str, ArbiterName] = {"rules": "rules", "none": "none", "rerank": "rerank"}


def retrieve(
    question_text: str,
    contents: Sequence[DocumentContent],
    *,
    settings: BaseSettings,
    mode: Mode = "balanced",
    arbiter: ArbiterName | None = None,
    dictionary: Sequence[ConceptTerms] = (),
    on_stage: OnStage | None = None,
    account_for: AccountFor | None = None,
) -> RetrievalResult:
    """Find the passages of the documents that answer a question, or say that none does, and show every step.

    1. parse the question by rules, against the documents' own vocabulary; in thorough mode a model reads it too
    2. plan: which detectors run, each with its reason
    3. detect: titles, keywords and patterns, vectors beside them unless the words suffice
    4. aggregate hits to candidates, and in thorough mode follow what the best of them point to
    5. arbitrate: a verdict for each candidate
    6. judge absence by the gates
    7. calibrate the quotes and widen the contexts
    `account_for` accounts for every document of the scope once the question is read, where more are in it than `contents`
    (corpus does, by SQL). Raises DetectionTimeout when step 3 takes longer than it may.
    """
    tell: OnStage = on_stage or (lambda stage, figures: None)
    clock = Clock()
    question = parse_question(question_text, contents, dictionary)
    clock.stop("parse")
    tell("parsed", {"keywords": len(question.keywords)})
    name = arbiter or chosen_arbiter(settings, mode)
    reading: Exchange | None = None
    if mode == "thorough" and name in MODEL_ARBITERS:
        question, reading = read_by_model(question, contents, dictionary)
    plan = dispatch.plan(question, contents, settings, mode)
    account = account_for(question) if account_for else account_of(contents)
    if question.clarification:
        return build_clarification(question, plan, contents, account, name, settings, reading)
    tell("plan", {"detectors": len(plan.detectors)})
    clock.stop("plan")
    hits, plan = detect(question, plan, contents, dictionary)
    clock.stop("detect")
    tell("hits", {"hits": len(hits), "by": Counter(hit.method for hit in hits)})
    searched = absence.count_words(question, contents, account.counts)
    candidates: tuple[Briefed, ...] = ()
    if not is_barred(name, question, searched):
        candidates, hits, plan = propose(name, question, contents, hits, plan, pool_size(settings, mode))
    clock.stop("aggregate")
    toc = toc_block(contents) if candidates else ""
    candidates = fit_snippets(candidates, toc)
    tell("candidates", {"candidates": len(candidates)})
    tell("arbiter", {"arbiter": name, "started": True, "of": len(candidates)})
    ranking = arbitrate(name, question, candidates, contents)
    clock.stop("arbitrate")
    coverage = coverage_of(question, contents, account)
    finding = absence.judge_absence(question, contents, searched, coverage, hits, ranking)
    settled = settle(candidates, ranking, question, contents)
    # What could not be read elsewhere in a base does not make what was found here less sure.
    read_coverage = coverage_of(question, contents, account_of(contents))
    clock.stop("calibrate")
    result = RetrievalResult(
        question=question,
        plan=plan,
        scope=tuple(content.snapshot() for content in contents),
        documents=account.documents,
        hits=tuple(hits),
        candidates=settled,
        ranking=ranking,
        gates=finding.gates,
        searched=searched,
        coverage=coverage,
        status=finding.status,
        not_found_reason=finding.reason,
        confidence=absence.confidence_of(finding.status, settled, ranking, read_coverage),
        methods_used=plan.detectors,
        toc_shown=toc,
        settings=settings.to_json(),
        timings_ms=clock.timings_ms,
        reading=reading,
    )
    tell("arbiter", {"arbiter": name, "kept": len(result.kept()), "of": len(candidates)})
    return result


def chosen_arbiter(settings: BaseSettings, mode: str) -> ArbiterName:
    """Fast questions and bases without a model are judged by the rules (R98)."""
    if settings.ranking in UNASKED_ARBITERS:
        return UNASKED_ARBITERS[settings.ranking]
    if mode == "fast" or not is_configured():
        return "rules"
    return "hybrid" if settings.ranking == "hybrid" else "model"


def is_barred(arbiter: ArbiterName, question: Question, searched: Sequence[SearchedWord]) -> bool:
    """Whether nothing is proposed: no word of the question occurs, no page is named, and no model may know better."""
    is_open = arbiter in MODEL_ARBITERS or bool(question.hints.pages)
    return not is_open and bool(absence.zero_hits(question, searched))


def build_clarification(
    question: Question,
    plan: Plan,
    contents: Sequence[DocumentContent],
    account: ScopeAccount,
    arbiter: ArbiterName,
    settings: BaseSettings,
    reading: Exchange | None,
) -> RetrievalResult:
    """The result of a question that must be asked more precisely: nothing was searched (R23)."""
    return RetrievalResult(
        question=question,
        plan=plan,
        scope=tuple(content.snapshot() for content in contents),
        documents=account.documents,
        hits=(),
        candidates=(),
        ranking=Ranking(arbiter, "not_needed", ()),
        gates=(),
        searched=(),
        coverage=coverage_of(question, contents, account),
        status="clarify",
        not_found_reason="",
        confidence=0.0,
        methods_used=(),
        settings=settings.to_json(),
        reading=reading,
    )
