"""Read printed page numbers from running headers and footers; a series must count up to be valid (R36)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from reading.layout.lines import PageLine

RUN_MIN, RUN_MIN_SHORT = 3, 2  # pages that must count up together; in documents of up to SHORT_PAGES pages
SHORT_PAGES = 5
GAP_MAX = 3  # pages without a number between two numbered ones of a series: a picture, a landscape table
NUMBER = re.compile(r"(?<![\w.,/$%])(?:(?P<prefix>[A-Za-z]{1,2}) ?[-–] ?)?(?P<digits>\d{1,4})(?![\w%]|[.,/]\d)")
ROMAN = re.compile(r"[\s\-–—]*(?P<roman>[ivxlc]{1,7})[\s\-–—]*", re.IGNORECASE)
ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
ROMAN_SERIES = "roman"


class Printed(NamedTuple):
    """A printed number, and its series: the text before it, and the difference between it and the page's position."""

    label: str
    series: tuple[str, int]


def printed_numbers(pages: Sequence[Sequence[PageLine]]) -> dict[int, str]:
    """Page number → printed number, for the pages whose numbers count up; short gaps are filled.

    `pages` holds the lines of each page, furniture marked.
    """
    found = {number: list(candidates_on(number, lines)) for number, lines in enumerate(pages, start=1)}
    counts = Counter(printed.series for candidates in found.values() for printed in set(candidates))
    count_min = RUN_MIN_SHORT if len(pages) <= SHORT_PAGES else RUN_MIN
    chosen: dict[int, Printed] = {}
    for number, candidates in found.items():
        best = max(candidates, key=lambda printed: counts[printed.series], default=None)
        if best is not None and counts[best.series] >= count_min:
            chosen[number] = best
    return {number: printed.label for number, printed in with_gaps_filled(chosen).items()}


def candidates_on(page_number: int, lines: Sequence[PageLine]) -> Iterator[Printed]:
    """Every number in a page's furniture, as a candidate for a series."""
    for line in lines:
        if line.kind != "furniture" or line.is_rotated:
            continue
        if roman := ROMAN.fullmatch(line.text):
            label = roman["roman"]
            yield Printed(label, (ROMAN_SERIES, value_of_roman(label) - page_number))
        for number in NUMBER.finditer(line.text):
            prefix = (number["prefix"] or "").upper()
            yield printed_as(prefix, int(number["digits"]), page_number)


def with_gaps_filled(chosen: Mapping[int, Printed]) -> dict[int, Printed]:
    """The chosen numbers, with gaps inside a series filled except for Roman numerals."""
    filled = dict(chosen)
    for before, after in zip(sorted(chosen), sorted(chosen)[1:], strict=False):
        series = chosen[before].series
        if series == chosen[after].series and after - before <= GAP_MAX + 1 and series[0] != ROMAN_SERIES:
            prefix, distance = series
            for number in range(before + 1, after):
                filled[number] = printed_as(prefix, number + distance, number)
    return filled


def printed_as(prefix: str, value: int, page_number: int) -> Printed:
    return Printed(f"{prefix}-{value}" if prefix else str(value), (prefix, value - page_number))


def value_of_roman(text: str) -> int:
    values = [ROMAN_VALUES[letter] for letter in text.lower()]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
