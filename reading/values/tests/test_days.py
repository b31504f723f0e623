"""Days of a month, with or without a year."""

import pytest

from reading.values.days import days_in


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("paid on 23 June?", (23, 6, "")),
        ("on June 23rd, 2025.", (23, 6, "2025")),
        ("the 23rd of June", (23, 6, "")),
        ("am 23. Juni 2025", (23, 6, "2025")),
        ("le 1er juillet", (1, 7, "")),
        ("el 3 de mayo", (3, 5, "")),
        ("am 3.6. gezahlt", (3, 6, "")),
        ("23.06.2025", (23, 6, "2025")),
        ("23/06", (23, 6, "")),
        ("06/23/2025", (23, 6, "2025")),
        ("2025-06-23", (23, 6, "2025")),
    ],
)
def test_a_day_is_read_as_it_is_printed(text: str, day: tuple[int, int, str]) -> None:
    assert [each[:3] for each in days_in(text)] == [day]


@pytest.mark.parametrize("text", ["05/06", "June 2025", "version 2.3.1", "45 June", "31.13.", "1.250,00", "in 2025"])
def test_what_may_be_two_days_or_is_none_is_left_out(text: str) -> None:
    assert list(days_in(text)) == []


def test_a_year_that_is_not_named_may_be_any() -> None:
    june, this, last = (next(days_in(text)) for text in ("23.06.", "23 June 2025", "23 June 2024"))
    assert june.may_be_day(this) and june.may_be_day(last) and not this.may_be_day(last)
