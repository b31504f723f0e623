"""Quality of retrieval on questions with gold evidence, beside the baselines, in one run."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.baselines import BASELINES
from benchmarks.library import Library
from benchmarks.metrics import (
    CUTOFFS,
    area_under_curve,
    distinct,
    is_hit,
    mean,
    percentile,
    recall,
    reciprocal_rank,
    spread,
)
from benchmarks.questions import GoldQuestion
from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.candidates.sentences import PROSE
from retrieval.candidates.units import units_of
from retrieval.pipeline import retrieve
from retrieval.record.storing import result_row
from retrieval.types import ABSENT, ConceptTerms, RetrievalResult, Settled

SENTENCE_ENDED = re.compile(r"[.!?:;][\"')\]”’]*$")


@dataclass(frozen=True)
class Judged:
    """One question, what was found for it, and the comparison with the gold evidence."""

    id: str
    type: str
    document: str
    not_found_expected: bool
    status: str
    confidence: float
    pages: list[int]
    sections: list[str]
    gold_pages: tuple[int, ...]
    alt_pages: tuple[int, ...]
    gold_sections: tuple[str, ...]
    primary_count: int
    anchors: int
    literal_anchors: int
    prose_anchors: int
    cut_anchors: int
    vectors_on: bool
    latency_ms: float
    timings_ms: dict[str, float]
    arbiter_status: str
    is_partial: bool
    second_look: str  # what the model asked for and what became of it; "" if it asked for nothing
    violations: tuple[str, ...]
    repairs: dict[str, int]


def ranked_pages(candidates: Iterable[Settled]) -> list[int]:
    """Distinct pages of the candidates' anchors, in the arbiter's order."""
    return distinct(
        page for candidate in candidates for page in range(candidate.anchor_pages[0], candidate.anchor_pages[1] + 1)
    )


def section_names(candidate: Settled, media_type: str) -> str:
    """The name gold sections use: the title for a PDF, the heading path for Markdown."""
    return plain_name(candidate.section_title if media_type == "application/pdf" else candidate.breadcrumb)


def plain_name(name: str) -> str:
    """A section's name without the blanks of a PDF's outline between number and title."""
    return " ".join(name.split())


def judge(question: GoldQuestion, content: DocumentContent, result: RetrievalResult, latency_ms: float) -> Judged:
    quoted = [candidate for candidate in result.candidates if candidate.quote.text]
    literal = [candidate for candidate in quoted if is_literal(candidate, content)]
    prose = [each for each in quoted if content.lines[each.quote.pieces[0].line_number - 1].kind in PROSE]
    return Judged(
        id=question.id,
        type=question.type,
        document=question.document,
        not_found_expected=question.not_found,
        status=result.status,
        confidence=result.confidence,
        pages=ranked_pages(result.candidates),
        sections=list(dict.fromkeys(section_names(one, content.media_type) for one in result.candidates)),
        gold_pages=question.pages,
        alt_pages=question.alt_pages,
        gold_sections=tuple(map(plain_name, question.sections)),
        primary_count=sum(1 for candidate in result.candidates if candidate.verdict.role == "primary"),
        anchors=len(quoted),
        literal_anchors=len(literal),
        prose_anchors=len(prose),
        cut_anchors=sum(is_cut(candidate, content) for candidate in prose),
        vectors_on="vectors" in result.methods_used,
        latency_ms=round(latency_ms, 2),
        timings_ms=result.timings_ms,
        arbiter_status=result.ranking.status,
        is_partial=result_row(result).is_partial,
        second_look=next((flag.reason for flag in result.plan.flags if flag.name == "second_look" and flag.on), ""),
        violations=result.ranking.violations,
        repairs=dict(Counter(candidate.quote.repair.status for candidate in result.kept())),
    )


def is_literal(candidate: Settled, content: DocumentContent) -> bool:
    """Whether the quoted anchor is literally in its lines, checked without calibration's own code."""
    first = min(piece.line_number for piece in candidate.quote.pieces)
    last = max(piece.line_number for piece in candidate.quote.pieces)
    between = content.text_between(first, last), content.text_between(first, last, searched_only=True)
    return any(candidate.quote.text in text for text in between)


def is_cut(candidate: Settled, content: DocumentContent) -> bool:
    """Whether a quote of prose begins or ends inside a sentence of its paragraph; a clause may end at a semicolon."""
    first, last = candidate.quote.pieces[0], candidate.quote.pieces[-1]
    units = units_of(content)
    above = content.text_between(units.around(first.line_number).first, first.line_number - 1, searched_only=True)
    below = content.text_between(last.line_number + 1, units.around(last.line_number).last, searched_only=True)
    before = f"{above} {content.lines[first.line_number - 1].text[: first.start]}".strip()
    after = f"{content.lines[last.line_number - 1].text[last.end :]} {below}".strip()
    begins_inside = bool(before) and not SENTENCE_ENDED.search(before)
    return begins_inside or (bool(after) and not SENTENCE_ENDED.search(candidate.quote.text.rstrip()))


def page_hits(judged: Iterable[tuple[list[int], tuple[int, ...]]]) -> dict[str, float | None]:
    """Hit rates at each cutoff and in the whole pool, over questions that have gold pages."""
    pairs = [(pages, gold) for pages, gold in judged if gold]
    rates: dict[str, float | None] = {
        str(cutoff): mean([float(is_hit(pages, gold, cutoff)) for pages, gold in pairs]) for cutoff in CUTOFFS
    }
    rates["pool"] = mean([float(is_hit(pages, gold)) for pages, gold in pairs])
    return rates


def summarise(rows: list[Judged]) -> dict[str, Any]:
    answerable = [row for row in rows if not row.not_found_expected]
    absent = [row for row in rows if row.not_found_expected]
    located = [row for row in answerable if row.gold_pages]
    sectioned = [row for row in answerable if row.gold_sections]
    anchors = sum(row.anchors for row in rows)
    prose = sum(row.prose_anchors for row in rows)
    return {
        "questions": len(rows),
        "page_hit": page_hits((row.pages, row.gold_pages) for row in answerable),
        "page_hit_with_alternatives": page_hits((row.pages, row.gold_pages + row.alt_pages) for row in located),
        "page_recall": {str(k): mean([recall(row.pages, row.gold_pages, k) for row in located]) for k in CUTOFFS},
        "page_mrr": mean([reciprocal_rank(row.pages, row.gold_pages) for row in located]),
        "section_hit": {
            str(k): mean([float(is_hit(row.sections, row.gold_sections, k)) for row in sectioned]) for k in (1, 3)
        },
        "literal_anchor_rate": round(sum(row.literal_anchors for row in rows) / anchors, 4) if anchors else None,
        "cut_anchor_rate": round(sum(row.cut_anchors for row in rows) / prose, 4) if prose else None,
        "false_not_found": mean([float(row.status in ABSENT) for row in answerable]),
        "absent_refused": mean([float(row.status != "found" or row.primary_count == 0) for row in absent]),
        "not_found": not_found_figures(rows),
        "outcomes": {"absent": outcome_shares(absent), "answerable": outcome_shares(answerable)},
        "confidence_area": area_under_curve([row.confidence for row in answerable], [row.confidence for row in absent]),
        "vectors_on": mean([float(row.vectors_on) for row in rows]),
        "latency_ms": {
            **spread([row.latency_ms for row in rows]),
            "by_stage": {
                stage: spread([row.timings_ms[stage] for row in rows if stage in row.timings_ms])
                for stage in dict.fromkeys(stage for row in rows for stage in row.timings_ms)
            },
        },
        "arbiter": {
            "ran": mean([float(row.arbiter_status == "ran") for row in rows]),
            "second_looks": mean([float(bool(row.second_look)) for row in rows]),
            "violations": sum(len(row.violations) for row in rows),
            "repairs": dict(sum((Counter(row.repairs) for row in rows), Counter[str]())),
            "own_ms_p95": percentile(
                [row.timings_ms.get("arbitrate", 0.0) + row.timings_ms.get("calibrate", 0.0) for row in rows], 95
            ),
        },
    }


def not_found_figures(rows: Sequence[Judged]) -> dict[str, float | None]:
    """The share of "not found" answers that are right, and the share of absent questions answered so."""
    refused = [row for row in rows if row.status in ABSENT]
    absent = [row for row in rows if row.not_found_expected]
    return {
        "precision": mean([float(row.not_found_expected) for row in refused]),
        "recall": mean([float(row.status in ABSENT) for row in absent]),
    }


def outcome_shares(rows: Sequence[Judged]) -> dict[str, float | None]:
    """How many questions were answered, whole or in part, answered only by what comes nearest, and refused."""
    found = [row for row in rows if row.status == "found" and row.primary_count]
    partly = sum(row.is_partial for row in found)
    weak = sum(row.status == "weak" for row in rows)
    refused = len(rows) - len(found) - weak
    counts = {"answered": len(found) - partly, "partly": partly, "weak": weak, "refused": refused}
    return {name: round(count / len(rows), 4) if rows else None for name, count in counts.items()}


def grouped(rows: list[Judged], name: str) -> dict[str, Any]:
    """The summary of every value of one column."""
    values = sorted({getattr(row, name) for row in rows})
    return {value: summarise([row for row in rows if getattr(row, name) == value]) for value in values}


def baseline_hits(name: str, questions: list[GoldQuestion], library: Library) -> dict[str, Any]:
    located = [question for question in questions if question.pages and not question.not_found]
    ranked = [BASELINES[name](library.content(question.document), question.question) for question in located]
    return {"page_hit": page_hits(zip(ranked, (question.pages for question in located), strict=True))}


def run(
    questions: list[GoldQuestion],
    library: Library,
    *,
    arbiter: str,
    baselines: bool,
    dictionary: Sequence[ConceptTerms] = (),
) -> dict[str, Any]:
    """Ask every question of its document and measure; each document is warmed once before anything is timed."""
    for path in dict.fromkeys(question.document for question in questions):
        retrieve("warm up", [library.content(path)], settings=BaseSettings(), arbiter="rules", dictionary=dictionary)
    rows = []
    for question in questions:
        content = library.content(question.document)
        started = perf_counter()
        result = retrieve(
            question.question,
            [content],
            settings=BaseSettings(),
            arbiter=arbiter,
            dictionary=dictionary,
        )
        rows.append(judge(question, content, result, 1000 * (perf_counter() - started)))
    return {
        **summarise(rows),
        "baselines": {name: baseline_hits(name, questions, library) for name in BASELINES} if baselines else {},
        "by_type": grouped(rows, "type"),
        "by_document": grouped(rows, "document"),
        "settings": {"arbiter": arbiter, "concepts": len(dictionary), **BaseSettings().to_json()},
        "commit": commit(),
        "per_question": [asdict(row) for row in rows],
    }


def commit() -> str:
    """The commit measured, with a "+" when the work tree had changes; "unknown" outside a checkout."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
