"""Reciprocal rank fusion, by hand."""

import pytest

from retrieval.candidates.fusion import fuse, rank_by_score, rank_in_order


def test_a_key_good_in_two_lists_beats_the_first_of_one() -> None:
    scores = fuse([(1.0, rank_in_order("ab")), (1.0, rank_in_order("cb"))])
    assert scores == {"a": 1 / 61, "b": 2 / 62, "c": 1 / 61}


def test_a_list_counts_by_its_weight() -> None:
    scores = fuse([(0.2, rank_in_order("ab")), (0.8, rank_in_order("ba"))])
    assert scores["b"] == pytest.approx(0.2 / 62 + 0.8 / 61) and scores["b"] > scores["a"]


def test_a_repeated_key_keeps_its_best_rank() -> None:
    assert rank_in_order("aba") == {"a": 1, "b": 2}


def test_equal_scores_share_a_rank() -> None:
    assert rank_by_score({"a": 0.5, "b": 0.9, "c": 0.5, "d": 0.1}) == {"b": 1, "a": 2, "c": 2, "d": 3}
