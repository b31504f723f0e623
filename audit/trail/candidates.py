"""The candidates of a run as the trail shows them: table rows, filters, and the one open beside its page."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Literal
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy

from audit.review.reviewing import Reviews, RunReviews
from audit.runs.disagreement import (
    REFUSED_ROLES,
    Ranks,
    against_rrf,
    describe_disagreement,
    detectors_sentence,
    ordinal,
    span,
)
from audit.runs.outcomes import METHOD_NAMES, REPAIR_NAMES
from documents.pages.phrasing import within_sentence
from retrieval.candidates.calibration import letters_of, longest_prefix
from retrieval.candidates.widening import Scope
from retrieval.injection import instructing_words
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.reasons import passage_reason, say_share
from retrieval.types import KEPT_ROLES, POINTED, ROLE_ORDER

MARKS = {
    "titles": pgettext_lazy("mark of a detector", "T"),
    "keywords": pgettext_lazy("mark of a detector", "K"),
    "patterns": pgettext_lazy("mark of a detector", "P"),
    "vectors": pgettext_lazy("mark of a detector", "V"),
}
SILENT, POINTED_MARK = "·", "+"


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
    """One candidate in the table. `climb` is how far the arbiter ranked a kept one above its RRF rank."""

    candidate: RunCandidate
    address: str
    selected: bool
    reason: str  # in the reader's language
    share: str  # how strong its evidence was beside the strongest
    pages: str
    lines: str
    method_names: str
    marks: tuple[str, ...]  # a letter for each detector that found it, a dot for each that did not
    keywords: str
    order: str
    climb: int
    fall: int
    repair: RepairNote
    reviews: Reviews
    disagreement: str
    place: str  # what RRF alone would have done
    by_detector: str
    instructing: str  # words of its text that instruct a model, or ""


@dataclass(frozen=True)
class Filter:
    """A link above the table. `explanation` is its tooltip."""

    role: str
    words: str
    count: int
    address: str
    current: bool
    explanation: str = ""

    @property
    def side(self) -> str:
        """Whether a role counts as kept or refused, in a word."""
        return _("kept:") if self.role in KEPT_ROLES else _("refused:") if self.role in REFUSED_ROLES else ""


@dataclass(frozen=True)
class FilterGroup:
    """Mutually exclusive links; the current one, clicked again, removes the filter."""

    name: str
    words: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True)
class Choice:
    """The selection made by an address: filters that must all match, a candidate, a page of it.

    `queue` is the review queue the run was opened from; `blind` hides others' reviews; `heat` shades the lines; `wide`
    is how much text is shown around the anchor.
    """

    role: str = ""
    method: str = ""
    repair: str = ""
    against_rrf: bool = False
    against_detectors: bool = False
    instructing: bool = False
    heat: bool = False
    candidate_id: str = ""
    page: int | None = None
    wide: Scope | None = None
    queue: str = ""
    blind: bool = False

    FILTERS = ("role", "method", "repair", "against_rrf", "against_detectors", "instructing")

    def address(self, candidate_id: str = "", page: int | None = None, wide: Scope | None = None) -> str:
        """The address of a candidate under the same filters."""
        query = self.query(candidate_id=candidate_id, page=page, wide=wide)
        return f"{query}#cand" if candidate_id else query

    def query(self, **changes: Any) -> str:
        """The query string with changes; without any, with neither candidate nor page."""
        fields = asdict(self) | {"candidate_id": "", "page": None, "wide": None} | changes
        fields["candidate"] = fields.pop("candidate_id")
        order = (*self.FILTERS, "heat", "candidate", "page", "wide", "queue", "blind")
        given = [(name, "1" if fields[name] is True else fields[name]) for name in order if fields[name]]
        return f"?{urlencode(given)}"

    def everything(self) -> str:
        """The same run and queue without a filter."""
        return self.query(**dict.fromkeys(self.FILTERS, ""))

    @property
    def is_filtered(self) -> bool:
        return any(getattr(self, name) for name in self.FILTERS)


@dataclass(frozen=True)
class CandidateTable:
    """The rows that pass the filters, and the position of the selected one."""

    filters: tuple[Filter, ...]
    against: tuple[Filter, ...]
    groups: tuple[FilterGroup, ...]
    rows: tuple[Row, ...]
    total: int
    legend: tuple[tuple[str, str], ...]  # each mark of a detector and its name
    selected: Row | None
    previous: Row | None
    following: Row | None
    number: int  # of the selected row among the rows, from 1; 0 without one
    several_documents: bool

    @property
    def role_groups(self) -> list[tuple[str, list[Row]]]:
        """The rows by role, in their order; a phone folds all but the first."""
        return [(role, list(rows)) for role, rows in groupby(self.rows, key=lambda row: row.candidate.role)]

    @property
    def is_narrowed(self) -> bool:
        """Whether one of the filters behind "More filters" is set."""
        return any(each.current for each in (*self.against, *(one for group in self.groups for one in group.filters)))


def build_table(
    candidates: Sequence[RunCandidate],
    choice: Choice,
    reviews: RunReviews | None = None,
    ranks: Ranks | None = None,
    learned: Collection[str] = (),
) -> CandidateTable | None:
    """The table for an address; None if it names a candidate this run does not have. `learned` keywords are marked."""
    reviews, ranks = reviews or RunReviews(), ranks or Ranks()
    against = against_rrf(candidates) if ranks.is_fused else set()
    orders = {row.pk: instructing_words(row.context_text) or instructing_words(row.section_title) for row in candidates}
    instructing = {pk: words for pk, words in orders.items() if words}
    shown = [row for row in candidates if fits(row, choice, against, ranks.against, instructing)]
    if choice.candidate_id and all(candidate.candidate_id != choice.candidate_id for candidate in candidates):
        return None
    index = next((place for place, row in enumerate(shown) if row.candidate_id == choice.candidate_id), 0)
    rows = tuple(
        build_row(row, choice, number == index, reviews.of(row.pk), ranks, orders[row.pk], learned)
        for number, row in enumerate(shown)
    )
    return CandidateTable(
        filters=role_filters(candidates, choice),
        against=against_filters(choice, len(against), len(ranks.against), len(instructing)),
        groups=(
            group(candidates, choice, "method", _("Found by"), METHOD_NAMES),
            group(candidates, choice, "repair", _("Quote"), REPAIR_NAMES),
        ),
        rows=rows,
        total=len(candidates),
        legend=tuple((str(mark), within_sentence(METHOD_NAMES[name])) for name, mark in MARKS.items()),
        selected=rows[index] if rows else None,
        previous=rows[index - 1] if rows and index > 0 else None,
        following=rows[index + 1] if index + 1 < len(rows) else None,
        number=index + 1 if rows else 0,
        several_documents=len({candidate.document_id for candidate in candidates}) > 1,
    )


def repair_of(candidate: RunCandidate) -> str:
    return str(candidate.anchor_repair.get("status", "none"))


def fits(
    row: RunCandidate, choice: Choice, against: set[int], against_all: frozenset[int], instructing: Mapping[int, str]
) -> bool:
    return (
        (not choice.role or row.role == choice.role)
        and (not choice.method or choice.method in row.methods)
        and (not choice.repair or repair_of(row) == choice.repair)
        and (not choice.against_rrf or row.pk in against)
        and (not choice.against_detectors or row.pk in against_all)
        and (not choice.instructing or row.pk in instructing)
    )


def role_filters(candidates: Sequence[RunCandidate], choice: Choice) -> tuple[Filter, ...]:
    counts = Counter(candidate.role for candidate in candidates)
    everything = Filter("", _("All"), len(candidates), choice.everything(), not choice.is_filtered)
    roles = sorted((role for role in counts), key=lambda role: ROLE_ORDER[role])
    return everything, *(
        Filter(role, role, counts[role], toggle_filter(choice, "role", role), choice.role == role) for role in roles
    )


def against_filters(choice: Choice, rrf: int, detectors: int, instructing: int) -> tuple[Filter, ...]:
    given = (
        ("against_rrf", _("Decided against RRF"), rrf, _("Decisions RRF alone would have taken otherwise")),
        (
            "against_detectors",
            _("Decided against all detectors"),
            detectors,
            _("Kept though no detector alone would have kept it, or refused though every one would have"),
        ),
        ("instructing", _("Gives orders to an AI"), instructing, _("The text speaks to a model instead of a reader")),
    )
    return tuple(
        Filter("", words, count, toggle_filter(choice, name, True), getattr(choice, name), why)
        for name, words, count, why in given
        if count or name != "instructing"
    )


def group(
    candidates: Sequence[RunCandidate], choice: Choice, name: str, words: str, names: Mapping[str, Promise]
) -> FilterGroup:
    values = [value for row in candidates for value in (row.methods if name == "method" else [repair_of(row)])]
    counts = Counter(values)
    filters = tuple(
        Filter("", str(shown), counts[value], toggle_filter(choice, name, value), getattr(choice, name) == value)
        for value, shown in names.items()
        if counts[value]
    )
    return FilterGroup(name, words, filters)


def toggle_filter(choice: Choice, name: str, value: Any) -> str:
    """The address with a filter set, or removed if it is set already."""
    return choice.query(**{name: "" if getattr(choice, name) == value else value})


def build_row(
    candidate: RunCandidate,
    choice: Choice,
    selected: bool,
    reviews: Reviews,
    ranks: Ranks,
    instructing: str,
    learned: Collection[str],
) -> Row:
    change = candidate.rrf_rank - candidate.position if ranks.is_fused else 0
    is_refused = candidate.role in REFUSED_ROLES
    return Row(
        candidate=candidate,
        address=choice.address(candidate.candidate_id),
        selected=selected,
        reason=passage_reason(candidate),
        share=say_share(candidate.reason_facts.get("weight", {})),
        pages=span(candidate.anchor_first_page, candidate.anchor_last_page),
        lines=span(candidate.anchor_first_line, candidate.anchor_last_line),
        method_names=", ".join(within_sentence(METHOD_NAMES[name]) for name in candidate.methods),
        marks=marks_of(candidate.methods),
        keywords=keyword_words(candidate.matched_keywords, learned) or "–",
        order=pgettext("place", "refused") if is_refused else str(candidate.position),
        climb=0 if is_refused else max(change, 0),
        fall=0 if is_refused else max(-change, 0),
        repair=repair_note(candidate),
        reviews=reviews,
        disagreement=describe_disagreement(candidate),
        place=_("RRF would have put this %(place)s.") % {"place": ordinal(candidate.rrf_rank)}
        if ranks.is_fused
        else "",
        by_detector=detectors_sentence(ranks.of.get(candidate.pk, {}), ranks.ran, candidate.methods),
        instructing=instructing,
    )


def learned_in(run: RetrievalRun) -> frozenset[str]:
    keywords = run.parsed.get("keywords", ()) if run.parsed else ()
    return frozenset(each["text"] for each in keywords if each["source"] == "learned")


def keyword_words(matched: Sequence[str], learned: Collection[str]) -> str:
    """Matched keywords in a line, those marked that were learned."""
    return ", ".join(_("%(word)s (learned)") % {"word": word} if word in learned else word for word in matched)


def marks_of(methods: Sequence[str]) -> tuple[str, ...]:
    """The mark of each detector, or a dot, and one for all that is no detector."""
    marks = [str(mark) if name in methods else SILENT for name, mark in MARKS.items()]
    return (*marks, POINTED_MARK) if set(methods) & {*POINTED} else tuple(marks)


def repair_note(candidate: RunCandidate) -> RepairNote:
    repair: dict[str, Any] = candidate.anchor_repair
    status = repair.get("status", "none")
    lengths = f"{repair.get('original_length', 0)} → {repair.get('final_length', 0)}" if status == "truncated" else ""
    kind, icon = REPAIRS.get(status, REPAIRS["none"])
    words = str(REPAIR_NAMES.get(status, status))
    return RepairNote(
        kind, icon, words, lengths, candidate.content_anchor, cut_words(candidate), repair.get("reason", "")
    )


REPAIRS: dict[str, tuple[Literal["ok", "warn", "fail", "none"], str]] = {
    "exact": ("ok", "check"),
    "truncated": ("warn", "minus"),
    "rejected": ("fail", "cross"),
    "none": ("none", ""),
}


def cut_words(candidate: RunCandidate) -> str:
    """The end of the raw quote that is not on the page; all of it if nothing was kept. Compared as in calibration."""
    wanted = letters_of([candidate.raw_content_anchor])
    length = longest_prefix(wanted.text, letters_of(candidate.content_anchor.split("\n")).text)
    if length == len(wanted.text):
        return ""
    return candidate.raw_content_anchor[wanted.places[length][1] :].strip()
