"""The conductor of retrieval: a question and the documents it is asked of become a result. It writes nothing."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import Any, cast

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.client import is_configured
from llm.embeddings.providers import EMBEDDING_ERRORS
from llm.exchange import Exchange
from retrieval import absence, dispatch
from retrieval.arbiter import arbitrate
from retrieval.arbiter.brief import fitted, toc_block
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.references import follow
from retrieval.candidates.rerank_pool import hybrid_candidates
from retrieval.candidates.settle import settle
from retrieval.deadline import detection_limited, wait_for
from retrieval.detectors import DETECTORS
from retrieval.question.by_model import read_by_model
from retrieval.question.parse import parse_question
from retrieval.types import (
    ArbiterName,
    Briefed,
    ConceptTerms,
    Hit,
    LineRange,
    Method,
    Mode,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
)

OnStage = Callable[[str, dict[str, Any]], None]
THREADS = 4
EARLY_METHODS: tuple[Method, ...] = ("titles", "keywords", "patterns")
MODEL_ARBITERS = ("model", "hybrid")  # a reasoned primary may save a question whose words stand nowhere (G2)
THOROUGH_POOL = 60  # briefs (DESIGN section 8)

_threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="detector")
_encoders = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="encoder")  # no word waits behind a slow server


def retrieve(
    question_text: str,
    contents: Sequence[DocumentContent],
    *,
    settings: BaseSettings,
    mode: Mode = "balanced",
    arbiter: ArbiterName | None = None,
    dictionary: Sequence[ConceptTerms] = (),
    on_stage: OnStage | None = None,
    elsewhere: Mapping[str, int] | None = None,
) -> RetrievalResult:
    """Find the passages of the documents that answer a question, or say that none does, and show every step.

    1. parse the question by rules, against the documents' own vocabulary; in thorough mode a model reads it too
    2. plan: which detectors run, each with its reason
    3. detect: titles, keywords and patterns, vectors beside them unless the words suffice
    4. aggregate hits to candidates, and in thorough mode follow what the best of them point to
    5. arbitrate: a verdict for each candidate
    6. judge absence by the gates
    7. calibrate the quotes and widen the contexts
    `elsewhere` counts words in documents of the scope that are not among `contents` (SQL, see corpus). Raises
    DetectionTimeout when step 3 takes longer than it may.
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
    if question.clarification:
        return replace(clarified(question, plan, contents, name, settings), reading=reading)
    tell("plan", {"detectors": len(plan.detectors)})
    clock.stop("plan")
    hits, plan = detect(question, plan, contents, dictionary)
    clock.stop("detect")
    tell("hits", {"hits": len(hits), "by": count_by_method(hits)})
    searched = absence.count_words(question, contents, elsewhere or {})
    is_barred = bool(absence.zero_hits(question, searched)) and name not in MODEL_ARBITERS and not question.hints.pages
    pool_max = max(settings.pool_max, THOROUGH_POOL) if mode == "thorough" else settings.pool_max
    candidates: tuple[Briefed, ...] = ()
    if not is_barred and name == "rerank":
        candidates = hybrid_candidates(question, contents, hits)
    elif not is_barred:
        candidates = aggregate(hits, question, contents, pool_max=pool_max)
    if candidates and plan.is_on("cross_references"):
        followed = follow(candidates, contents)
        plan = dispatch.noted(plan, "cross_references", followed.outcome)
        hits += followed.hits
        candidates = aggregate(hits, question, contents, pool_max=pool_max) if followed.hits else candidates
    clock.stop("aggregate")
    toc = toc_block(contents) if candidates else ""
    candidates = fitted(candidates, toc)
    tell("candidates", {"candidates": len(candidates)})
    tell("arbiter", {"arbiter": name, "started": True, "of": len(candidates)})
    ranking = arbitrate(name, question, candidates, contents)
    clock.stop("arbitrate")
    coverage = absence.coverage_of(contents)
    finding = absence.judge_absence(question, contents, searched, coverage, hits, ranking)
    settled = settle(candidates, ranking, question, contents)
    clock.stop("calibrate")
    result = RetrievalResult(
        question=question,
        plan=plan,
        scope=tuple(content.snapshot() for content in contents),
        hits=tuple(hits),
        candidates=settled,
        ranking=ranking,
        gates=finding.gates,
        searched=searched,
        coverage=coverage,
        status=cast(Any, finding.status),
        not_found_reason=finding.reason,
        confidence=0.0,
        methods_used=plan.detectors,
        toc_shown=toc,
        settings=settings.to_json(),
        timings_ms=clock.timings_ms,
        reading=reading,
    )
    result = replace(result, confidence=absence.confidence_of(result))
    tell("arbiter", {"arbiter": name, "kept": len(result.kept()), "of": len(candidates)})
    return result


def chosen_arbiter(settings: BaseSettings, mode: str) -> ArbiterName:
    """Fast questions and bases without a model are judged by the rules (DESIGN section 8)."""
    if settings.ranking in ("rules", "none", "rerank"):
        return cast(ArbiterName, settings.ranking)
    if mode == "fast" or not is_configured():
        return "rules"
    return "hybrid" if settings.ranking == "hybrid" else "model"


def detect(
    question: Question, plan: Plan, contents: Sequence[DocumentContent], dictionary: Sequence[ConceptTerms] = ()
) -> tuple[list[Hit], Plan]:
    """The hits of every detector of the plan, of the whole question and of each of its parts, and the plan as it ran.

    Vectors are begun at once beside the words and waited for only when the words do not suffice. Raises
    DetectionTimeout when the detectors that look at words do not come to an end.
    """
    asked = [(0, question)]
    asked += [(number, parse_question(part, contents, dictionary)) for number, part in enumerate(question.parts, 1)]
    nearest = begin_vectors(asked, contents) if plan.is_on("vectors") else []
    hits = pinned(question, contents) if plan.is_on("page_hints") else []
    with detection_limited():
        hits += run_detectors(asked, [method for method in plan.detectors if method in EARLY_METHODS], contents)
    plan = dispatch.reconsider(plan, question, hits)
    for part, found in nearest:
        if not plan.is_on("vectors"):
            found.cancel()
            continue
        try:
            hits += tag(found.result(), part)
        except EMBEDDING_ERRORS as error:  # words find something too, and the plan says why they had to
            plan = dispatch.without_vectors(plan, f"the question could not be embedded: {error}")
    if plan.is_on("page_hints"):
        pages = set(question.hints.pages)
        hits = [hit for hit in hits if hit.method == "pinned" or is_on_pages(hit, pages, contents)]
    return hits, plan


def begin_vectors(
    asked: Sequence[tuple[int, Question]], contents: Sequence[DocumentContent]
) -> list[tuple[int, Future[list[Hit]]]]:
    """The search by meaning in threads of its own: the encoder works outside the interpreter's lock."""
    return [
        (part, _encoders.submit(copy_context().run, DETECTORS["vectors"], question, content))
        for part, question in asked
        for content in contents
    ]


def run_detectors(
    asked: Sequence[tuple[int, Question]], methods: Sequence[Method], contents: Sequence[DocumentContent]
) -> list[Hit]:
    """The hits of the detectors that look at words, side by side, always in the same order."""
    jobs = [
        (part, _threads.submit(copy_context().run, DETECTORS[method], question, content))
        for part, question in asked
        for method in methods
        for content in contents
    ]
    return [hit for part, found in jobs for hit in tag(wait_for(found), part)]


def tag(hits: list[Hit], part: int) -> list[Hit]:
    return [replace(hit, part=part) for hit in hits] if part else hits


def pinned(question: Question, contents: Sequence[DocumentContent]) -> list[Hit]:
    """A hit for each page the question names, by its number in the file or as printed (R36)."""
    hits = []
    for content in contents:
        wanted = {str(page) for page in question.hints.pages}
        numbers = {page.number for page in content.pages if str(page.number) in wanted}
        numbers |= {page.number for page in content.pages if page.label in wanted and not str(page.number) in wanted}
        spans: dict[int, list[int]] = {}
        for line in content.searched_lines:
            if line.page_number in numbers:
                spans.setdefault(line.page_number, []).append(line.number)
        hits += [
            Hit("pinned", content.document_id, LineRange(lines[0], lines[-1]), 1.0, detail=f"page {page}")
            for page, lines in spans.items()
        ]
    return hits


def is_on_pages(hit: Hit, pages: set[int], contents: Sequence[DocumentContent]) -> bool:
    content = next(content for content in contents if content.document_id == hit.document_id)
    return content.lines[hit.lines.first - 1].page_number in pages


def clarified(
    question: Question,
    plan: Plan,
    contents: Sequence[DocumentContent],
    arbiter: ArbiterName,
    settings: BaseSettings,
) -> RetrievalResult:
    """The result of a question that must be asked more precisely: nothing was searched (R23)."""
    return RetrievalResult(
        question=question,
        plan=plan,
        scope=tuple(content.snapshot() for content in contents),
        hits=(),
        candidates=(),
        ranking=Ranking(arbiter, "not_needed", ()),
        gates=(),
        searched=(),
        coverage=absence.coverage_of(contents),
        status="clarify",
        not_found_reason="",
        confidence=0.0,
        methods_used=(),
        settings=settings.to_json(),
    )


def count_by_method(hits: Sequence[Hit]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for hit in hits:
        counts[hit.method] = counts.get(hit.method, 0) + 1
    return counts


class Clock:
    """Milliseconds of each step."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}
        self._since = time.perf_counter()

    def stop(self, step: str) -> None:
        """Book the time since the last step on this one."""
        now = time.perf_counter()
        self.timings_ms[step] = round(1000 * (now - self._since), 3)
        self._since = now
