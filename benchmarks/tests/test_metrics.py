"""The measures, on lists small enough to check by eye."""

import pytest

from benchmarks import metrics


@pytest.mark.parametrize(
    ("ranked", "gold", "cutoff", "expected"),
    [
        ([3, 1, 2], [1], 1, False),
        ([3, 1, 2], [1], 3, True),
        ([3, 1, 2], [9], None, False),
        ([3, 1, 2], [2, 9], None, True),
        ([], [1], None, False),
    ],
)
def test_a_hit_is_any_gold_place_before_the_cutoff(
    ranked: list[int], gold: list[int], cutoff: int | None, expected: bool
) -> None:
    assert metrics.is_hit(ranked, gold, cutoff) is expected


def test_recall_is_the_share_of_gold_places() -> None:
    assert metrics.recall([3, 1, 2], [1, 9], 3) == 0.5
    assert metrics.recall([3], [], 3) == 1.0


def test_the_reciprocal_rank_counts_from_one() -> None:
    assert metrics.reciprocal_rank([3, 1, 2], [2]) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank([3, 1, 2], [9]) == 0.0


def test_places_count_once_in_order_of_appearance() -> None:
    assert metrics.distinct([4, 4, 2, 4, 1]) == [4, 2, 1]


def test_nothing_measured_is_not_zero() -> None:
    assert metrics.mean([]) is None
    assert metrics.percentile([], 95) is None


def test_percentiles_interpolate() -> None:
    assert metrics.percentile([1.0, 2.0, 3.0], 50) == 2.0
    assert metrics.percentile([7.0], 95) == 7.0
