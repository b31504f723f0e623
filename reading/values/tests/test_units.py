"""A text that is nothing but a number of a unit is a measure; no other text is."""

import pytest

from reading.values.units import is_measure


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("4 weeks", True),
        ("1 day", True),
        ("2,5 t", True),
        ("30–50 kg", True),
        ("61-120 m²", True),
        ("90 square metres", True),
        ("6 Wochen", True),
        ("10 jours", True),
        ("3 años", True),
        ("4 weeks after notice", False),
        ("up to 2 years", False),
        ("12 High Street", False),
        ("weeks", False),
        ("2024", False),
    ],
)
def test_a_measure_is_a_number_with_a_unit_and_no_more(text: str, is_one: bool) -> None:
    assert is_measure(text) == is_one
