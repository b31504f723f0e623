"""Where arbiter and detectors differ: each detector's own ranking of the candidates beside the arbiter's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from audit.runs.outcomes import METHOD_NAMES, ROLE_NAMES
from documents.pages.phrasing import within_sentence
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.columns import StoredHit
from retrieval.told.reasons import passage_reason
from retrieval.types import KEPT_ROLES, METHODS

REFUSED_ROLES = ("tangential", "discarded")


@dataclass(frozen=True)
class Ranks:
    """For each candidate, its rank in each detector that proposed it; equal scores share the better rank."""

    of: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    ran: tuple[str, ...] = ()  # the detectors that proposed anything
    against: frozenset[int] = frozenset()  # kept or refused against all of them
    is_fused: bool = True  # False where RRF ordered nothing: an outline, and a comparison, which takes sides in turns


def rank_candidates(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Ranks:
    """The ranking each detector alone would give, from the stored hits. Scores compare only within a detector."""
    if run.parsed and run.parsed.get("form"):
        return Ranks(is_fused=False)
    best = best_scores(run.hits, candidates)
    ranks: dict[int, dict[str, int]] = {candidate.pk: {} for candidate in candidates}
    for method in METHODS:
        scores = {pk: by_method[method] for pk, by_method in best.items() if method in by_method}
        for pk, score in scores.items():
            ranks[pk][method] = 1 + sum(other > score for other in scores.values())
    ran = tuple(method for method in METHODS if any(method in given for given in ranks.values()))
    kept = sum(candidate.role in KEPT_ROLES for candidate in candidates)
    against = frozenset(
        candidate.pk for candidate in candidates if is_against(candidate, ranks[candidate.pk], ran, kept)
    )
    return Ranks(ranks, ran, against)


def best_scores(hits: Sequence[StoredHit], candidates: Sequence[RunCandidate]) -> dict[int, dict[str, float]]:
    """For each candidate and detector, the best score of a hit on the candidate's anchor lines.

    If a detector hit only other lines of its section, such as the title, its best hit there counts.
    """
    best: dict[int, dict[str, float]] = {candidate.pk: {} for candidate in candidates}
    by_document: dict[str, list[StoredHit]] = {}
    for hit in hits:
        by_document.setdefault(hit["document_id"], []).append(hit)
    for candidate in candidates:
        here = by_document.get(str(candidate.document_id), [])
        first, last = candidate.anchor_first_line, candidate.anchor_last_line
        on_anchor = [hit for hit in here if hit["lines"][0] <= last and first <= hit["lines"][1]]
        in_section = [
            hit for hit in here if hit.get("toc_index") == candidate.toc_index and hit["method"] in candidate.methods
        ]
        met = {hit["method"] for hit in on_anchor}
        for hit in (*on_anchor, *(hit for hit in in_section if hit["method"] not in met)):
            found = best[candidate.pk]
            found[hit["method"]] = max(hit["score"], found.get(hit["method"], hit["score"]))
    return best


def is_against(candidate: RunCandidate, ranks: Mapping[str, int], ran: Sequence[str], kept: int) -> bool:
    """Whether it is kept though no detector ranks it among its best, or refused though all of them do."""
    if not ran or candidate.role == "unjudged":
        return False
    wanted = [method for method in ran if ranks.get(method, kept + 1) <= kept]
    return not wanted if candidate.role in KEPT_ROLES else len(wanted) == len(ran)


@dataclass(frozen=True)
class GridRow:
    """One candidate in the grid: its rank in each detector that proposed anything, in RRF, and by the arbiter."""

    candidate: RunCandidate
    places: tuple[int | None, ...]
    sentence: str
    pages: str
    against_all: bool


def grid_of(candidates: Sequence[RunCandidate], ranks: Ranks) -> tuple[GridRow, ...]:
    """The grid's rows: first decisions against every detector, then those against RRF, then in RRF order."""
    against = against_rrf(candidates)
    rows = [
        GridRow(
            candidate=candidate,
            places=tuple(ranks.of.get(candidate.pk, {}).get(method) for method in ranks.ran),
            sentence=describe_disagreement(candidate),
            pages=span(candidate.anchor_first_page, candidate.anchor_last_page),
            against_all=candidate.pk in ranks.against,
        )
        for candidate in candidates
    ]
    return tuple(
        sorted(rows, key=lambda row: (not row.against_all, row.candidate.pk not in against, row.candidate.rrf_rank))
    )


def against_rrf(candidates: Sequence[RunCandidate]) -> set[int]:
    """The decisions RRF alone would have made differently, keeping as many from the top of its own list."""
    kept = {candidate.pk for candidate in candidates if candidate.role in KEPT_ROLES}
    by_rrf = {candidate.pk for candidate in candidates if candidate.rrf_rank <= len(kept)}
    return kept ^ by_rrf


def span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def describe_disagreement(candidate: RunCandidate) -> str:
    """RRF's rank of it beside the arbiter's verdict and reason."""
    role = within_sentence(ROLE_NAMES.get(candidate.role, candidate.role))
    told = {"place": ordinal(candidate.rrf_rank), "role": role, "reason": passage_reason(candidate).rstrip(". ")}
    if candidate.role == "unjudged":
        return _("RRF would have put this %(place)s; nobody judged it.") % told
    if candidate.role == "discarded":
        verdict = _("RRF would have put this %(place)s; the arbiter discarded it") % told
    else:
        verdict = _("RRF would have put this %(place)s; the arbiter made it %(role)s") % told
    because = _(" because: %(reason)s") % told if told["reason"] else ""
    return f"{verdict}{because}."


def detectors_sentence(ranks: Mapping[str, int], ran: Sequence[str], methods: Sequence[str] = ()) -> str:
    """How each detector that ran would have ranked it, in words; `methods` are those that found the candidate."""
    return ", ".join(rank_words(method, ranks.get(method), is_found=method in methods) for method in ran)


def rank_words(method: str, rank: int | None, *, is_found: bool) -> str:
    told = {"detector": within_sentence(METHOD_NAMES[method])}
    if rank is not None:
        return f"{told['detector']} {ordinal(rank)}"
    return (_("%(detector)s matched, without a rank of its own") if is_found else _("not by %(detector)s")) % told


def ordinal(number: int) -> str:
    """An ordinal in the reader's language: 1st, 2nd; 1er, 2e; 1., 2."""
    language = (get_language() or "en")[:2]
    if language == "fr":
        return f"{number}{'er' if number == 1 else 'e'}"
    if language == "de":
        return f"{number}."
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"
