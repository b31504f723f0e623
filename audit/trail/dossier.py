"""Why nothing was found: what was searched, what could not be searched, and what came nearest."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.runs.disagreement import span
from audit.runs.outcomes import METHOD_WORDS
from audit.trail.candidates import Choice, Row, build_table
from documents.models import Document, Line, TocEntry
from documents.storage.content import DocumentSnapshot
from retrieval.arbiter.order import NO_SIGNAL
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.columns import StoredCoverage, StoredHit, StoredWord
from retrieval.told.reasons import absence_of, planned_of
from retrieval.told.searched import OF_THE_QUESTION, words_searched
from retrieval.types import KEPT_ROLES, METHODS

NEAR_MISSES_MAX = 5
NEAR_HITS_MAX = 3
SECTIONS_MAX = 1_000

# What the tab and its heading call the outcome: a weak answer has passages, and what cannot be told may be there.
TITLES = {
    "weak": (_("Why no clear answer"), _("Why no passage clearly answers this")),
    "cannot_tell": (_("Why it cannot be told"), _("Why it cannot be told whether it is there")),
}
NOTHING_FOUND = (_("Why not found"), _("Why nothing was found"))


@dataclass(frozen=True)
class NearHit:
    """A hit that became no candidate. Without its parse `text` and `pages` are ""."""

    document: str
    address: str  # of the place in its viewer; "" if the document cannot be opened any more
    pages: str
    lines: str
    method: str
    score: float
    text: str


@dataclass(frozen=True)
class DetectorSearch:
    """One detector: what it looks for, whether the plan ran it and why, and what it found."""

    name: str
    looks_for: str
    on: bool
    reason: str
    hits: int
    is_near: bool  # its hits are only near in meaning, and prove nothing


@dataclass(frozen=True)
class SectionsOf:
    title: str
    sections: tuple[str, ...]


@dataclass(frozen=True)
class Dossier:
    """What is shown of an outcome without an answer; `tab` and `heading` call it by its name."""

    tab: Promise
    heading: Promise
    reason: str
    searched: Sequence[StoredWord]
    has_added: bool  # synonyms from the dictionary or a model
    detectors: tuple[DetectorSearch, ...]
    coverage: StoredCoverage
    readable: int  # documents of the scope
    sections: tuple[SectionsOf, ...]
    near: tuple[Row, ...]
    near_hits: tuple[NearHit, ...]
    hits: int


def dossier_of(run: RetrievalRun, candidates: Sequence[RunCandidate], choice: Choice) -> Dossier:
    refused = [each for each in candidates if each.role not in KEPT_ROLES and each.rule != NO_SIGNAL.name]
    near = build_table(refused, Choice(queue=choice.queue, blind=choice.blind))
    tab, heading = TITLES.get(run.status, NOTHING_FOUND)
    return Dossier(
        tab=tab,
        heading=heading,
        reason=absence_of(run),
        searched=words_searched(run),
        has_added=any(keyword["source"] not in OF_THE_QUESTION for keyword in run.parsed.get("keywords", [])),
        detectors=tuple(detectors_of(run)),
        coverage=run.coverage,
        readable=run.coverage.get("documents", 0) - run.coverage.get("unreadable_documents", 0),
        sections=sections_of(run),
        near=near.rows[:NEAR_MISSES_MAX] if near else (),
        near_hits=() if candidates else near_hits_of(run),
        hits=len(run.hits),
    )


def detectors_of(run: RetrievalRun) -> list[DetectorSearch]:
    flags = {flag["name"]: flag for flag in run.plan.get("flags", [])}
    return [
        DetectorSearch(
            name=str(METHOD_WORDS[name].name),
            looks_for=str(METHOD_WORDS[name].looks_for),
            on=flags[name]["on"],
            reason=planned_of(run, flags[name]),
            hits=run.hit_counts.get(name, 0),
            is_near=name == "vectors",
        )
        for name in METHODS
        if name in flags
    ]


def sections_of(run: RetrievalRun) -> tuple[SectionsOf, ...]:
    """Every section that was searched, from the parses the run saw, if they still exist."""
    entries: dict[str, list[str]] = {seen["parse_id"]: [] for seen in run.scope}
    rows = (
        TocEntry.objects.filter(parse__in=list(map(UUID, entries))).exclude(origin="front").order_by("parse", "index")
    )
    for parse_id, title in rows.values_list("parse_id", "title")[:SECTIONS_MAX]:
        entries[str(parse_id)].append(title)
    return tuple(
        SectionsOf(seen["title"], tuple(entries[seen["parse_id"]])) for seen in run.scope if entries[seen["parse_id"]]
    )


def near_hits_of(run: RetrievalRun) -> tuple[NearHit, ...]:
    """The best hits, if nothing was proposed."""
    seen = {document["document_id"]: document for document in run.scope}
    best = sorted(run.hits, key=lambda hit: -hit["score"])[:NEAR_HITS_MAX]
    return tuple(near_hit(hit, seen.get(hit["document_id"])) for hit in best)


def near_hit(hit: StoredHit, document: DocumentSnapshot | None) -> NearHit:
    first, last = hit["lines"]
    parse_id = UUID(document["parse_id"]) if document else None
    lines = Line.objects.filter(parse=parse_id, number__gte=first, number__lte=last).order_by("number")
    stored = list(lines.values_list("page_number", "text"))
    is_open = bool(stored) and Document.objects.filter(pk=hit["document_id"], trashed_at=None).exists()
    address = reverse("documents:document", args=[hit["document_id"]])
    return NearHit(
        document=document["title"] if document else "",
        address=f"{address}?parse={document['parse_number']}&line={first}" if document and is_open else "",
        pages=span(stored[0][0], stored[-1][0]) if stored else "",
        lines=span(first, last),
        method=hit["method"],
        score=hit["score"],
        text=" ".join(text for _, text in stored),
    )
