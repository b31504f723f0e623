"""The printed numbers of headings (R13): which one follows which, which count up, and what they say of the levels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reading.layout.kinds import is_heading, numbering_of
from reading.layout.lines import PageLine

NUMBER_SKIP = 2  # one heading of a series may have been missed
SERIES_MIN = 4  # headings that count up
LONE_ROMAN = frozenset("ivx")  # nobody counts headings up to a hundred to print a lone "C"
ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Numeral(NamedTuple):
    """A printed number as what it counts: the word before it, the kind of its signs, and its parts as integers."""

    word: str
    signs: str
    parts: tuple[int, ...]

    @property
    def scheme(self) -> tuple[str, str, int]:
        """Headings of one scheme may count on from each other."""
        return self.word, self.signs, len(self.parts)


@dataclass(frozen=True, eq=False)
class Run:
    """A series: the indexes of numbers that count on, and the index of the heading it is inside of, if any."""

    scheme: tuple[str, str, int]
    members: list[int]
    around: int | None


def series_of(lines: Sequence[PageLine]) -> set[int]:
    """Headings that count up one by one with the same word before the number ("Note 1", "Note 2", …).

    The first may have been missed, as any other.
    """
    runs: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    series: set[int] = set()
    for index, line in enumerate(lines):
        if not is_heading(line):
            continue
        word, _, number = numbering_of(line.text)[0].lower().rpartition(" ")
        if not number.isdigit():
            continue
        step = int(number) - last.get(word, 0)
        if step == 1 and word in runs or 1 < step <= NUMBER_SKIP and len(runs.get(word, ())) > 1:
            runs[word].append(index)
        elif number == "1" or int(number) == NUMBER_SKIP and word not in runs:
            runs[word] = [index]
        else:
            continue
        last[word] = int(number)
        if len(runs[word]) >= SERIES_MIN:
            series.update(runs[word])
    return series


def number_key(number: str) -> tuple[str, ...]:
    """The parts of a printed number without the word before it; () if there is none."""
    words = number.lower().split()
    return tuple(part for part in words[-1].split(".") if part) if words else ()


def is_next(key: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether a number may follow another: deeper with a first part, or the next one (or one further) of a level."""
    steps = [int(part) if part.isdigit() else -1 for part in key]
    before = [int(part) if part.isdigit() else -1 for part in last]
    for depth, (step, was) in enumerate(zip(steps, before, strict=False)):
        if step != was:
            return depth > 0 and 0 < step - was <= NUMBER_SKIP and len(steps) == depth + 1
    return len(steps) == len(before) + 1 and steps[-1] in (0, 1)


def levels_by_number(levels: Sequence[int], numbers: Sequence[str]) -> list[int]:
    """The levels as printed numbers correct them.

    Headings that count on share a level, a series that begins inside another is below it, and "3.1" is below "3".
    """
    corrected = list(levels)
    numerals = numerals_of(numbers)
    for run in series_in(numerals, levels):
        usual = Counter(levels[index] for index in run.members)
        level = min(level for level, count in usual.items() if count == max(usual.values()))
        if run.around is not None:
            level = max(level, corrected[run.around] + 1)
        for index in run.members:
            corrected[index] = level
    latest: dict[tuple[str, tuple[int, ...]], int] = {}
    for index, numeral in enumerate(numerals):
        if numeral is None:
            continue
        above = latest.get((numeral.word, numeral.parts[:-1])) if len(numeral.parts) > 1 else None
        if above is not None:
            corrected[index] = corrected[above] + 1
        if numeral.signs == "digits":
            latest[numeral.word, numeral.parts] = index
    return corrected


def without_gaps(levels: Sequence[int]) -> list[int]:
    """The levels with each at most one below the heading it is inside of."""
    dense: list[int] = []
    path: list[int] = []
    for level in levels:
        while path and path[-1] >= level:
            path.pop()
        path.append(level)
        dense.append(len(path))
    return dense


def numerals_of(numbers: Sequence[str]) -> list[Numeral | None]:
    """Each printed number as a numeral; a single letter is Roman unless the letter before it came before."""
    found: list[Numeral | None] = []
    letters = 0
    for number in numbers:
        word, _, sign = number.lower().rpartition(" ")
        parts = [part for part in sign.split(".") if part]
        if all(part.rstrip("abcdefghijklmnopqrstuvwxyz").isdigit() for part in parts) and parts:
            digits = tuple(int("".join(filter(str.isdigit, part))) for part in parts)
            found.append(Numeral(word, "digits", digits))
        elif len(sign) == 1 and (sign not in LONE_ROMAN or letters and ord(sign) - letters in (1, NUMBER_SKIP)):
            letters = ord(sign)
            found.append(Numeral(word, "letter", (letters,)))
        elif sign and set(sign) <= set(ROMAN_DIGITS):
            found.append(Numeral(word, "roman", (roman_value(sign),)))
        else:
            found.append(None)
    return found


def roman_value(sign: str) -> int:
    values = [ROMAN_DIGITS[letter] for letter in sign]
    return sum(-one if one < max(values[place:]) else one for place, one in enumerate(values))


def series_in(numerals: Sequence[Numeral | None], levels: Sequence[int]) -> list[Run]:
    """The series of numerals, outer ones first; a less deep heading without a number ends those that are open."""
    runs: list[Run] = []
    is_open: list[Run] = []
    left: dict[tuple[str, str, int], Run] = {}
    for index, numeral in enumerate(numerals):
        if numeral is None:
            while is_open and levels[is_open[-1].members[0]] > levels[index]:
                is_open.pop()
            continue
        going_on = next((run for run in reversed(is_open) if continues_run(run, numeral, numerals)), None)
        if going_on is None and numeral.scheme in left and continues_run(left[numeral.scheme], numeral, numerals):
            going_on = left[numeral.scheme]
        if going_on is not None:
            going_on.members.append(index)
            while going_on in is_open and is_open[-1] is not going_on:
                is_open.pop()
            continue
        if is_open and is_open[-1].scheme == numeral.scheme:
            is_open.pop()
        is_begun = numeral.parts[-1] <= NUMBER_SKIP or numeral.signs == "letter"
        is_nested = is_open and is_begun and len(numeral.parts) == 1
        run = Run(numeral.scheme, [index], is_open[-1].members[-1] if is_nested else None)
        runs.append(run)
        left[numeral.scheme] = run
        if len(numeral.parts) == 1:
            is_open.append(run)
    return runs


def continues_run(run: Run, numeral: Numeral, numerals: Sequence[Numeral | None]) -> bool:
    last = numerals[run.members[-1]]
    if last is None or last.scheme != numeral.scheme or last.parts[:-1] != numeral.parts[:-1]:
        return False
    return 0 <= numeral.parts[-1] - last.parts[-1] <= NUMBER_SKIP
