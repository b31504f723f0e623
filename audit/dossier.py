"""Why nothing was found: what was searched, what could not be, and what came nearest. A refusal that can be defended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from audit.candidates import Choice, Row, build_table, span
from audit.disagreement import KEPT_ROLES
from audit.outcomes import METHOD_NAMES
from documents.models import Line, TocEntry
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.types import METHODS

NEAR_MISSES_MAX = 5
NEAR_HITS_MAX = 3
SECTIONS_MAX = 1_000


@dataclass(frozen=True)
class NearHit:
    """A place a detector found that was not worth judging. `text` is "" when its parse is gone."""

    document: str
    lines: str
    method: str
    score: float
    text: str


@dataclass(frozen=True)
class Searched:
    """One detector: whether the plan ran it, why, and what it found."""

    name: str
    on: bool
    reason: str
    hits: int


@dataclass(frozen=True)
class SectionsOf:
    title: str
    sections: tuple[str, ...]


@dataclass(frozen=True)
class Dossier:
    reason: str
    searched: Sequence[dict[str, Any]]
    detectors: tuple[Searched, ...]
    coverage: dict[str, Any]
    sections: tuple[SectionsOf, ...]
    near: tuple[Row, ...]
    near_hits: tuple[NearHit, ...]


def dossier_of(run: RetrievalRun, candidates: Sequence[RunCandidate], choice: Choice) -> Dossier:
    refused = [candidate for candidate in candidates if candidate.role not in KEPT_ROLES]
    near = build_table(refused, Choice(queue=choice.queue, blind=choice.blind))
    return Dossier(
        reason=run.not_found_reason,
        searched=run.searched,
        detectors=tuple(detectors_of(run)),
        coverage=run.coverage,
        sections=sections_of(run),
        near=near.rows[:NEAR_MISSES_MAX] if near else (),
        near_hits=() if refused else near_hits_of(run),
    )


def detectors_of(run: RetrievalRun) -> list[Searched]:
    flags = {flag["name"]: flag for flag in run.plan.get("flags", [])}
    return [
        Searched(str(METHOD_NAMES[name]), flags[name]["on"], flags[name]["reason"], run.hit_counts.get(name, 0))
        for name in METHODS
        if name in flags
    ]


def sections_of(run: RetrievalRun) -> tuple[SectionsOf, ...]:
    """Every section of what was searched, from the parses the run saw as long as they live."""
    entries: dict[str, list[str]] = {seen["parse_id"]: [] for seen in run.scope}
    rows = TocEntry.objects.filter(parse__in=list(map(UUID, entries))).exclude(origin="front").order_by("parse", "index")
    for parse_id, title in rows.values_list("parse_id", "title")[:SECTIONS_MAX]:
        entries[str(parse_id)].append(title)
    return tuple(
        SectionsOf(seen["title"], tuple(entries[seen["parse_id"]])) for seen in run.scope if entries[seen["parse_id"]]
    )


def near_hits_of(run: RetrievalRun) -> tuple[NearHit, ...]:
    """When nothing was proposed, the best hits all the same."""
    seen = {document["document_id"]: document for document in run.scope}
    best = sorted(run.hits, key=lambda hit: -hit["score"])[:NEAR_HITS_MAX]
    return tuple(
        NearHit(
            document=seen.get(hit["document_id"], {}).get("title", ""),
            lines=span(*hit["lines"]),
            method=str(METHOD_NAMES[hit["method"]]).lower(),
            score=hit["score"],
            text=text_of(seen.get(hit["document_id"], {}).get("parse_id"), *hit["lines"]),
        )
        for hit in best
    )


def text_of(parse_id: str | None, first: int, last: int) -> str:
    if not parse_id:
        return ""
    lines = Line.objects.filter(parse=UUID(parse_id), number__gte=first, number__lte=last).order_by("number")
    return " ".join(lines.values_list("text", flat=True))
