"""Where the arbiter and the detectors differ: each detector's own order of the candidates, beside the arbiter's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrieval.models import RetrievalRun, RunCandidate
from retrieval.types import METHODS

KEPT_ROLES = ("primary", "supporting")


@dataclass(frozen=True)
class Ranks:
    """By candidate, its rank in each detector that proposed it; equal scores share the better rank."""

    of: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    ran: tuple[str, ...] = ()  # the detectors that proposed anything
    against: frozenset[int] = frozenset()  # decided against every one of them


def rank_candidates(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Ranks:
    """The order each detector alone would have given, from the stored hits. Scores compare only within a detector."""
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


def best_scores(hits: Sequence[dict[str, Any]], candidates: Sequence[RunCandidate]) -> dict[int, dict[str, float]]:
    """By candidate and detector, the best score of a hit on the candidate's anchor lines."""
    best: dict[int, dict[str, float]] = {candidate.pk: {} for candidate in candidates}
    by_document: dict[str, list[RunCandidate]] = {}
    for candidate in candidates:
        by_document.setdefault(str(candidate.document_id), []).append(candidate)
    for hit in hits:
        first, last = hit["lines"]
        for candidate in by_document.get(hit["document_id"], ()):
            if first <= candidate.anchor_last_line and candidate.anchor_first_line <= last:
                found = best[candidate.pk]
                found[hit["method"]] = max(hit["score"], found.get(hit["method"], hit["score"]))
    return best


def is_against(candidate: RunCandidate, ranks: Mapping[str, int], ran: Sequence[str], kept: int) -> bool:
    """Kept although no detector has it among its best, or refused although every one of them has."""
    if not ran or candidate.role == "unjudged":
        return False
    wanted = [method for method in ran if ranks.get(method, kept + 1) <= kept]
    return not wanted if candidate.role in KEPT_ROLES else len(wanted) == len(ran)


def sentence_of(candidate: RunCandidate) -> str:
    """RRF's place for it beside the arbiter's verdict and reason."""
    verdict = {"unjudged": "nobody judged it", "discarded": "the arbiter discarded it"}.get(
        candidate.role, f"the arbiter made it {candidate.role}"
    )
    reason = candidate.reason.rstrip(". ")
    because = f" because: {reason}" if reason and candidate.role != "unjudged" else ""
    return f"RRF would have put this {ordinal(candidate.rrf_rank)}; {verdict}{because}."


def detectors_sentence(ranks: Mapping[str, int], ran: Sequence[str]) -> str:
    """Where each detector that ran would have put it, in words."""
    placed = [f"{method} {ordinal(ranks[method])}" if method in ranks else f"not by {method}" for method in ran]
    return ", ".join(placed)


def ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"
