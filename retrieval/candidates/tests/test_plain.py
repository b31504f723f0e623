"""Shown text has plain signs, and calibration finds the literal ones again."""

import pytest

from retrieval.candidates.calibration import calibrate
from retrieval.candidates.plain import plain_text
from retrieval.tests.builders import content_of_lines
from retrieval.types import LineRange

LITERAL = [
    "The Con\u00addition\u00a0of the o\ufb03ce is \ufb01xed\u037e",
    "\u2022 first \ufb02oor",
    "\uf0b7  second\u2009floor, 12\u00a0500\u00a0EUR a year",
    "\u00b7 non\u2011residents",
]
PLAIN = "The Condition of the office is fixed;\n- first floor\n- second floor, 12\u00a0500 EUR a year\n- non-residents"


def test_signs_are_plain_and_numbers_stay_whole() -> None:
    assert plain_text("\n".join(LITERAL)) == PLAIN
    assert plain_text(PLAIN) == PLAIN


@pytest.mark.parametrize(("first", "last"), [(1, 4), (2, 3), (1, 1), (4, 4)])
def test_a_plain_quote_is_found_as_it_is_printed(first: int, last: int) -> None:
    content = content_of_lines(["Before.", *LITERAL, "After."])
    quote = "\n".join(PLAIN.splitlines()[first - 1 : last])
    everywhere = LineRange(1, 6)
    found = calibrate(quote, content, everywhere, everywhere)
    assert found.repair.status == "exact"
    numbers = [piece.line_number for piece in found.pieces]
    assert (numbers[0], numbers[-1]) == (first + 1, last + 1)
    assert found.text in content.text_between(1, 6)


def test_a_quote_in_one_line_crosses_bullets() -> None:
    content = content_of_lines(LITERAL)
    everywhere = LineRange(1, 4)
    found = calibrate("is fixed; - first floor - second floor", content, everywhere, everywhere)
    assert found.repair.status == "exact" and "\u2022 first" in found.text
