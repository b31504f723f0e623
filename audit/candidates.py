"""The candidates of a run as the trail shows them: table rows, filters, and the one that is open beside its page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from audit.disagreement import KEPT_ROLES, Ranks, detectors_sentence, sentence_of
from audit.reviewing import Reviews, RunReviews
from documents.matching import loose_map
from retrieval.models import RunCandidate
from retrieval.types import METHODS, ROLE_ORDER

LETTERS = {"titles": "T", "keywords": "K", "patterns": "P", "vectors": "V"}


@dataclass(frozen=True)
class Method:
    """One of the four fixed places in a row's methods."""

    letter: str
    name: str
    on: bool


@dataclass(frozen=True)
class RepairNote:
    """What calibration did to the quote: a state, its words, and which words of the raw quote were cut."""

    kind: Literal["ok", "warn", "fail", "none"]
    icon: str
    words: str
    lengths: str
    kept: str
    cut: str
    reason: str


@dataclass(frozen=True)
class Row:
    """One candidate in the table. `climb` is how far the arbiter's order lifted it above its RRF rank."""

    candidate: RunCandidate
    address: str
    selected: bool
    pages: str
    methods: tuple[Method, ...]
    method_names: str
    keywords: str
    order: str
    climb: int
    fall: int
    repair: RepairNote
    reviews: Reviews
    disagreement: str
    by_detector: str


@dataclass(frozen=True)
class Filter:
    """A link above the table."""

    role: str
    words: str
    count: int
    address: str
    current: bool


@dataclass(frozen=True)
class Choice:
    """What the address asks for: a role, decisions against RRF or every detector, a candidate, a page of it.

    `queue` is the review queue the run was opened from; `blind` hides what others have said.
    """

    role: str = ""
    against_rrf: bool = False
    against_detectors: bool = False
    queue: str = ""
    blind: bool = False
    candidate_id: str = ""
    page: int | None = None

    def address(self, candidate_id: str = "", page: int | None = None) -> str:
        against = {"against_rrf": self.against_rrf, "against_detectors": self.against_detectors}
        flags = {name: "1" if is_set else "" for name, is_set in against.items()}
        query = self.query(role=self.role, **flags, candidate=candidate_id, page=page or "")
        return f"{query}#cand" if candidate_id else query

    def query(self, **wanted: Any) -> str:
        """An address of the same run in the same queue."""
        wanted |= {"queue": self.queue, "blind": "1" if self.blind else ""}
        return f"?{urlencode({name: value for name, value in wanted.items() if value})}"


@dataclass(frozen=True)
class Table:
    """The rows that pass the filters, and where the selected one stands among them."""

    filters: tuple[Filter, ...]
    against: tuple[Filter, ...]
    rows: tuple[Row, ...]
    total: int
    selected: Row | None
    previous: Row | None
    following: Row | None
    number: int  # of the selected row among the rows, from 1; 0 without one
    several_documents: bool


def build_table(
    candidates: Sequence[RunCandidate],
    choice: Choice,
    reviews: RunReviews | None = None,
    ranks: Ranks | None = None,
) -> Table | None:
    """The table for what the address asks for; None when it names a candidate this run does not have."""
    reviews, ranks = reviews or RunReviews(), ranks or Ranks()
    against = against_rrf(candidates)
    shown = [
        candidate
        for candidate in candidates
        if (not choice.role or candidate.role == choice.role)
        and (not choice.against_rrf or candidate.pk in against)
        and (not choice.against_detectors or candidate.pk in ranks.against)
    ]
    if choice.candidate_id and all(candidate.candidate_id != choice.candidate_id for candidate in candidates):
        return None
    index = selected_index(shown, choice.candidate_id)
    rows = tuple(
        build_row(candidate, choice, number == index, reviews.of(candidate.pk), ranks)
        for number, candidate in enumerate(shown)
    )
    return Table(
        filters=role_filters(candidates, choice),
        against=(
            Filter("", "Against RRF", len(against), choice.query(against_rrf="1"), choice.against_rrf),
            Filter(
                "",
                "Against all detectors",
                len(ranks.against),
                choice.query(against_detectors="1"),
                choice.against_detectors,
            ),
        ),
        rows=rows,
        total=len(candidates),
        selected=rows[index] if rows else None,
        previous=rows[index - 1] if rows and index > 0 else None,
        following=rows[index + 1] if index + 1 < len(rows) else None,
        number=index + 1 if rows else 0,
        several_documents=len({candidate.document_id for candidate in candidates}) > 1,
    )


def selected_index(shown: Sequence[RunCandidate], candidate_id: str) -> int:
    """Where the wanted candidate stands; the first row when none is wanted or a filter hides it."""
    ids = [candidate.candidate_id for candidate in shown]
    return ids.index(candidate_id) if candidate_id in ids else 0


def against_rrf(candidates: Sequence[RunCandidate]) -> set[int]:
    """The decisions RRF alone would have taken otherwise: it would have kept as many, from the top of its own list."""
    kept = {candidate.pk for candidate in candidates if candidate.role in KEPT_ROLES}
    by_rrf = {candidate.pk for candidate in candidates if candidate.rrf_rank <= len(kept)}
    return kept ^ by_rrf


def role_filters(candidates: Sequence[RunCandidate], choice: Choice) -> tuple[Filter, ...]:
    counts = Counter(candidate.role for candidate in candidates)
    is_all = not (choice.role or choice.against_rrf or choice.against_detectors)
    everything = Filter("", "All", len(candidates), choice.query(), is_all)
    roles = sorted((role for role in counts), key=lambda role: ROLE_ORDER[role])
    return everything, *(
        Filter(role, role, counts[role], choice.query(role=role), choice.role == role) for role in roles
    )


def build_row(candidate: RunCandidate, choice: Choice, selected: bool, reviews: Reviews, ranks: Ranks) -> Row:
    change = candidate.rrf_rank - candidate.position
    is_out = candidate.role == "discarded"
    return Row(
        candidate=candidate,
        address=choice.address(candidate.candidate_id),
        selected=selected,
        pages=span(candidate.anchor_first_page, candidate.anchor_last_page),
        methods=tuple(Method(LETTERS[name], name, name in candidate.methods) for name in METHODS),
        method_names=", ".join(candidate.methods),
        keywords=", ".join(candidate.matched_keywords) or "–",
        order="out" if is_out else str(candidate.position),
        climb=0 if is_out else max(change, 0),
        fall=0 if is_out else max(-change, 0),
        repair=repair_note(candidate),
        reviews=reviews,
        disagreement=sentence_of(candidate),
        by_detector=detectors_sentence(ranks.of.get(candidate.pk, {}), ranks.ran),
    )


def span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def repair_note(candidate: RunCandidate) -> RepairNote:
    repair: dict[str, Any] = candidate.anchor_repair
    status = repair.get("status", "none")
    lengths = f"{repair.get('original_length', 0)} → {repair.get('final_length', 0)}" if status == "truncated" else ""
    kind, icon, words = REPAIRS.get(status, REPAIRS["none"])
    return RepairNote(
        kind, icon, words, lengths, candidate.content_anchor, cut_words(candidate), repair.get("reason", "")
    )


REPAIRS: dict[str, tuple[Literal["ok", "warn", "fail", "none"], str, str]] = {
    "exact": ("ok", "check", "exact"),
    "truncated": ("warn", "minus", "shortened"),
    "rejected": ("fail", "cross", "quote rejected"),
    "none": ("none", "", "not quoted"),
}


def cut_words(candidate: RunCandidate) -> str:
    """The end of the raw quote that is not on the page; all of it when nothing was kept.

    Compared the way calibration compares, so that a ligature or a hyphen at a line's end cuts no word.
    """
    _, places = loose_map(candidate.raw_content_anchor)
    kept, _ = loose_map(candidate.content_anchor)
    if len(kept) >= len(places):
        return ""
    return candidate.raw_content_anchor[places[len(kept)] :].strip()
