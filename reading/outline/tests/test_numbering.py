"""What printed numbers say of the levels of headings."""

import pytest

from reading.outline.numbering import levels_by_number, without_gaps


@pytest.mark.parametrize(
    ("numbers", "levels", "expected"),
    [
        (["1", "2", "3", "4"], [1, 2, 2, 2], [2, 2, 2, 2]),  # one heading set in another style
        (["1", "1.1", "1.2", "2", "2.1"], [1, 1, 4, 1, 1], [1, 2, 2, 1, 2]),
        (["I", "A", "B", "II", "A", "B"], [1, 3, 3, 1, 3, 3], [1, 3, 3, 1, 3, 3]),
        (["I", "A", "B", "II", "A"], [1, 1, 1, 1, 1], [1, 2, 2, 1, 2]),
        (
            ["3", "E", "1", "2", "3", "4", "5", "4"],
            [1, 1, 1, 1, 1, 1, 1, 1],
            [1, 2, 3, 3, 3, 3, 3, 1],
        ),  # a series inside a part of a series
        (["Part I", "Item 1", "Item 2", "Part II", "Item 3"], [1, 2, 2, 1, 2], [1, 2, 2, 1, 2]),
        (["", "1", "2", "", "1", "2"], [1, 2, 2, 1, 2, 2], [1, 2, 2, 1, 2, 2]),  # a series in each chapter
        (["4", "C", "5"], [1, 1, 1], [1, 2, 1]),  # "A" and "B" have no heading, and C is not a hundred
        (["G", "H", "I"], [1, 1, 2], [1, 1, 1]),  # a letter here, no Roman one
    ],
)
def test_numbers_correct_the_levels(numbers: list[str], levels: list[int], expected: list[int]) -> None:
    assert levels_by_number(levels, numbers) == expected


def test_no_level_is_skipped() -> None:
    assert without_gaps([1, 3, 3, 2, 1, 4]) == [1, 2, 2, 2, 1, 2]
    assert without_gaps([3, 1]) == [1, 1]
