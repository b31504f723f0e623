"""Hit, recall and rank measures over ordered places, as in information retrieval."""

from collections.abc import Iterable, Sequence
from statistics import quantiles
from typing import TypeVar

CUTOFFS = (1, 3, 5, 10)

Place = TypeVar("Place")


def distinct(places: Iterable[Place]) -> list[Place]:
    """The places in order of their first appearance."""
    return list(dict.fromkeys(places))


def is_hit(ranked: Sequence[object], gold: Iterable[object], cutoff: int | None = None) -> bool:
    """Whether any gold place is among the first `cutoff` (all, when None)."""
    return not set(gold).isdisjoint(ranked[:cutoff])


def recall(ranked: Sequence[object], gold: Sequence[object], cutoff: int | None = None) -> float:
    """The share of gold places among the first `cutoff`; 1.0 when there are none to find."""
    return len(set(gold) & set(ranked[:cutoff])) / len(set(gold)) if gold else 1.0


def reciprocal_rank(ranked: Sequence[object], gold: Iterable[object]) -> float:
    wanted = set(gold)
    return next((1 / rank for rank, place in enumerate(ranked, start=1) if place in wanted), 0.0)


def mean(values: Sequence[float]) -> float | None:
    """The mean, rounded to four digits; None for nothing, so that an empty set never looks like zero."""
    return round(sum(values) / len(values), 4) if values else None


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The given percentile by linear interpolation; None for nothing."""
    if not values:
        return None
    if len(values) == 1:
        return round(values[0], 2)
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 2)


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """The middle of some values, and what nineteen of twenty stay below."""
    return {"p50": percentile(values, 50), "p95": percentile(values, 95)}


def area_under_curve(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """How often a value of the first kind exceeds one of the second, ties by half: 0.5 is chance; None of nothing."""
    pairs = [1.0 if one > other else 0.5 if one == other else 0.0 for one in higher for other in lower]
    return mean(pairs)
