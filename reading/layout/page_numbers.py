"""Read printed page numbers from running headers and footers; a series must count up to be valid (R36)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from reading.layout.furniture import SAME_HEIGHT_PT, count_needed, repetition_key
from reading.layout.lines import PageLine, WhiteSpan, cells_of
from reading.matching import match_form

GAP_MAX = 3  # pages without a number between two numbered ones of a series: a picture, a landscape table
NUMBER = re.compile(r"(?<![\w.,/$%])(?:(?P<prefix>[A-Za-z]{1,2}) ?[-–] ?)?(?P<digits>\d{1,5})(?![\w%]|[.,/]\d)")
ROMAN = re.compile(r"[\s\-–—]*(?P<roman>[ivxlc]{1,7})[\s\-–—]*", re.IGNORECASE)
ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
ROMAN_SERIES = "roman"


class Printed(NamedTuple):
    """A printed number, its series (the text before it, and the difference between it and the page's position), and
    where it stands: what else its line says, which of its numbers it is, and the line's height.
    """

    label: str
    series: tuple[str, int]
    slot: tuple[str, int] = ("", 0)
    y0: float = 0.0


Candidates = Mapping[int, Sequence[Printed]]


def printed_numbers(
    pages: Sequence[Sequence[PageLine]], concealed: Mapping[int, Sequence[WhiteSpan]] | None = None
) -> dict[int, str]:
    """Page number → printed number, for the pages whose numbers count up; short gaps are filled.

    `pages` holds the lines of each page, furniture marked; `concealed` the places of text that is not seen, by page.
    """
    hidden = concealed or {}
    found = without_constants(
        {number: list(candidates_on(number, lines, hidden.get(number, ()))) for number, lines in enumerate(pages, 1)}
    )
    counts = Counter(printed.series for candidates in found.values() for printed in set(candidates))
    count_min = count_needed(len(pages))
    chosen: dict[int, Printed] = {}
    for number, candidates in found.items():
        best = max(candidates, key=lambda printed: counts[printed.series], default=None)
        if best is not None and counts[best.series] >= count_min:
            chosen[number] = best
    chosen = with_next_ones(chosen, found)
    return {number: printed.label for number, printed in with_gaps_filled(chosen).items()}


def candidates_on(
    page_number: int, lines: Sequence[PageLine], concealed: Sequence[WhiteSpan] = ()
) -> Iterator[Printed]:
    """Every number that is seen in a page's furniture, as a candidate for a series."""
    for line in lines:
        if line.kind != "furniture" or line.is_rotated:
            continue
        key = repetition_key(line.match)
        for at, (start, label) in enumerate(roman_numbers(line)):
            if not is_within(line, start, concealed):
                rest = repetition_key(match_form(line.text[:start] + line.text[start + len(label) :]))
                yield Printed(label, (ROMAN_SERIES, value_of_roman(label) - page_number), (rest, at), line.y0)
        for at, number in enumerate(NUMBER.finditer(line.text)):
            if not is_within(line, number.start("digits"), concealed):
                prefix = (number["prefix"] or "").upper()
                printed = printed_as(prefix, int(number["digits"]), page_number)
                yield printed._replace(slot=(key, at), y0=line.y0)


def roman_numbers(line: PageLine) -> Iterator[tuple[int, str]]:
    """Where a Roman number stands in a line, and the number: alone in it, or as its first or its last cell."""
    cells = cells_of(line.text, line.spans, line.size)
    for at, cell in ((0, cells[0]), (len(line.text.rstrip()) - len(cells[-1]), cells[-1])) if cells else ():
        if roman := ROMAN.fullmatch(cell):
            yield at + roman.start("roman"), roman["roman"]
        if len(cells) == 1:
            return


def is_within(line: PageLine, at: int, places: Sequence[WhiteSpan]) -> bool:
    """Whether a character of a line stands in one of the places."""
    if not places:
        return False
    span = next((span for span in line.spans if span.start <= at < span.end), None)
    x, y = (span.x0 + span.x1) / 2 if span else (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return any(place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1 for place in places)


def without_constants(found: Candidates) -> dict[int, list[Printed]]:
    """The candidates without those that say the same on the nearest page that has their line: dates, forms, laws."""
    by_slot: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for number, candidates in found.items():
        for printed in candidates:
            by_slot[printed.slot].append((number, printed.label))
    constant = {
        (page, slot, label)
        for slot, said in by_slot.items()
        for (number, label), (other, again) in pairwise(said)
        if label == again and number != other
        for page in (number, other)
    }
    return {
        number: [each for each in candidates if (number, each.slot, each.label) not in constant]
        for number, candidates in found.items()
    }


def with_next_ones(chosen: Mapping[int, Printed], found: Candidates) -> dict[int, Printed]:
    """The chosen numbers with those that count on from the last one at its place, even on one page after a plate."""
    known = dict(chosen)
    last: tuple[int, Printed] | None = None
    for number in sorted(found):
        if number not in known and last is not None:
            page, before = last
            prefix, distance = before.series
            follows = (prefix, distance + page + 1 - number)
            next_one = (each for each in found[number] if each.series == follows and is_at_place_of(each, before))
            if printed := next(next_one, None):
                known[number] = printed
        if number in known:
            last = number, known[number]
    return known


def is_at_place_of(printed: Printed, other: Printed) -> bool:
    return printed.slot == other.slot and abs(printed.y0 - other.y0) <= SAME_HEIGHT_PT


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


def roman_of(value: int) -> str:
    """A number from 1 to 99 in Roman numerals, in lower case."""
    tens, ones = divmod(value, 10)
    ones_written = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
    return ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")[tens] + ones_written[ones]
