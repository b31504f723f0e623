"""What a limit promises: the bound of Clopper and Pearson, on what was measured at the limits of the fit."""

import pytest

from retrieval.arbiter.evidence import limit_for, read_fit
from retrieval.arbiter.promised import Promised, greatest_share, promises_of


@pytest.mark.parametrize(
    ("count", "of", "share"),  # from tables of the bound
    [
        (0, 10, 0.2589),
        (0, 59, 0.0495),
        (1, 20, 0.2161),
        (6, 19, 0.5300),
        (19, 19, 1.0),
        (0, 0, 1.0),
        (500, 2000, 0.2664),
    ],
)
def test_the_bound_is_that_of_the_tables(count: int, of: int, share: float) -> None:
    assert greatest_share(count, of) == pytest.approx(share, abs=0.0001)


def test_the_bound_is_told_rounded_up() -> None:
    assert [Promised("", 59, 0).at_most, Promised("", 10, 0).at_most, Promised("", 3, 3).at_most] == [5, 26, 100]


@pytest.mark.parametrize("is_read", [False, True])
def test_what_is_promised_is_what_was_measured_and_grows_with_the_risk(is_read: bool) -> None:
    before: list[Promised] = []
    for risk in range(5, 101, 5):
        promised = list(promises_of(risk, is_read=is_read))
        limit = limit_for(risk, is_read=is_read)
        measured = next(absent for at, absent, _ in read_fit(is_read).curve if at == limit)
        asked, answered = (sum(getattr(each, name) for each in promised) for name in ("asked", "answered"))
        assert asked >= 40 and answered / asked == pytest.approx(measured, abs=0.001)
        assert all(100 * each.answered / each.asked <= each.at_most <= 100 for each in promised)
        assert all(old.answered <= new.answered for old, new in zip(before, promised, strict=False))
        before = promised


def test_without_reading_all_kinds_are_told_together() -> None:
    assert [(*each, each.at_most) for each in promises_of(35, is_read=False)] == [("together", 49, 16, 46)]
