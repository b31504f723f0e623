"""No arbiter: the order of reciprocal rank fusion, without judgement. For comparison only (R44)."""

from collections.abc import Sequence

from retrieval.types import Candidate, Ranking, Verdict


def leave_unjudged(candidates: Sequence[Candidate]) -> Ranking:
    """Every candidate unjudged, in RRF order."""
    ordered = sorted(candidates, key=lambda candidate: candidate.rrf_rank)
    verdicts = tuple(
        Verdict(candidate.candidate_id, "unjudged", f"Rank {candidate.rrf_rank} by reciprocal rank fusion.")
        for candidate in ordered
    )
    return Ranking("none", "ran", verdicts)
