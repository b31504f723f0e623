"""Reciprocal rank fusion: several rankings become one score per key, by ranks alone, so scales need not match."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

# The constant of the paper (Cormack, Clarke, Büttcher 2009), as R44 and R93 require. It is large, so that first place
# in one list does not outweigh good places in several.
RRF_K = 60


def fuse(lists: Iterable[tuple[float, Mapping[Key, int]]]) -> dict[Key, float]:
    """The sum of weight / (60 + rank) over lists of (weight, rank by key), ranks from 1."""
    scores: dict[Key, float] = {}
    for weight, ranks in lists:
        for key, rank in ranks.items():
            scores[key] = scores.get(key, 0.0) + weight / (RRF_K + rank)
    return scores


def rank_in_order(keys: Iterable[Key]) -> dict[Key, int]:
    """Rank keys given from best to worst; a repeated key keeps its best rank."""
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys), 1)}


def rank_by_score(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Rank by score, highest first; equal scores share a rank."""
    levels = sorted(set(scores.values()), reverse=True)
    rank_of = {score: rank for rank, score in enumerate(levels, 1)}
    return {key: rank_of[score] for key, score in scores.items()}
