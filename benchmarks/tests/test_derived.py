"""When a computed figure counts as the gold answer."""

from decimal import Decimal

import pytest

from benchmarks.derived import numbers_of, rounded


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("$1,832.00", ["1832.00"]),
        ("65.4%", ["65.4"]),
        ("from 0.67 in 2022 to -3.7", ["0.67", "-3.7"]),
        ("-$1561M, 2-3", ["-1561", "2", "3"]),
        ("No.", []),
    ],
)
def test_it_reads_the_numbers_of_a_gold_answer(text: str, numbers: list[str]) -> None:
    assert numbers_of(text) == [Decimal(number) for number in numbers]


@pytest.mark.parametrize(
    ("value", "like", "is_equal"),
    [("381.6", "382.00", True), ("2.72", "2.7", True), ("0.33", "0.40", False), ("-3.70", "-3.7", True)],
)
def test_it_compares_at_the_golds_own_decimals(value: str, like: str, is_equal: bool) -> None:
    assert (rounded(Decimal(value), Decimal(like)) == Decimal(like)) is is_equal
