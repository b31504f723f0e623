"""Intervals: the label "More than 12 t but not more than 37 t", and the "37 tonnes" of a question that fall in it.

Which words make a number an open or a closed end is data (`bands.*.toml`).
A label with a number whose part is not told is no interval; of a sentence every number and every two side by side are
read as a label is, so that intervals are told by their unit.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from reading.matching import match_form
from reading.tables import amount_of
from reading.values.currencies import CURRENCIES, CURRENCY_SIGNS
from reading.values.scales import SCALE_NAMES
from reading.values.units import unit_names
from reading.values.years import YEAR_WORD
from reading.wording import read_once
from retrieval.types import Question
from retrieval.words.printed import is_in_numerals
from retrieval.words.tokens import is_stop_word, normalise_words, stem, telling_stems

BEFORE = ("above", "from", "below", "up_to")  # words before an end: the first two of the lower one, open and closed
AFTER = ("or_more", "or_less")  # words after a closed end
UPPER, OPEN = frozenset({"below", "up_to", "or_less"}), frozenset({"above", "below"})
FRAMES = {
    **{name: rf"(?<!\w)(?:{{{name}}})\s*\Z" for name in BEFORE},
    **{name: rf"\A\s*(?:{{{name}}})(?!\w)" for name in AFTER},
    "between": r"\A\s*(?:{between})\s*\Z",
    "most": r"\b(?:{most})\b",  # which end of what may be is spoken of
    "least": r"\b(?:{least})\b",
    "rest": r"\b(?:{rest})\b",  # what lies beyond all ends
}
band_words = read_once(__name__, "bands", FRAMES)
NUMBER = re.compile(r"(?:\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?(?![.,]?\d)")
NAMED = re.compile(r"\A[\s-]?([%$€£]|°?[^\W\d_]+[²³]?)")  # what a number counts, or is measured in
NAMED_IN_TWO = re.compile(r"\A[\s-]?([^\W\d_]+\s[^\W\d_]+)")  # "square metres", "per cent"
CURRENCY_SIGN = re.compile(rf"[{CURRENCY_SIGNS}]")
CURRENCY = re.compile(rf"({CURRENCY_SIGN.pattern}|(?<!\w)(?:{'|'.join(sorted(set(CURRENCIES.values())))}))\s?\Z")
STOP = re.compile(r"[.;:]")
PART_OF_WORD = re.compile(r"[^\W_]\Z|\d[.,:/]\Z")  # before a number that is the end of a code, a date or a time


class End(NamedTuple):
    """An end of an interval; a closed one belongs to it."""

    at: Decimal
    is_closed: bool


@dataclass(frozen=True)
class Band:
    """An interval, open to a side without an end. `unit` is "" where none is said, `words` what else the label says."""

    lower: End | None
    upper: End | None
    unit: str
    words: tuple[str, ...] = ()

    def holds(self, amount: Decimal) -> bool:
        above = self.lower is None or amount > self.lower.at or (self.lower.is_closed and amount == self.lower.at)
        below = self.upper is None or amount < self.upper.at or (self.upper.is_closed and amount == self.upper.at)
        return above and below


class Found(NamedTuple):
    """A number in a text with its unit, or what it counts, by one name, or ""; [start, end) with what says that."""

    amount: Decimal
    unit: str
    start: int
    end: int


def currencies() -> frozenset[str]:
    """Units that a table of amounts of money often leaves out."""
    return frozenset(unit for name, unit in unit_names().items() if CURRENCY_SIGN.fullmatch(name))


def name_unit(word: str, language: str) -> str:
    """The one name of a unit: the stem of a word that has no other."""
    name = match_form(word)
    return unit_names().get(name) or stem(name, language)


def is_unit(word: str, language: str) -> bool:
    """Whether a word after a number may be its unit, or what it counts: not "and", but "t" and "h"."""
    return match_form(word) in unit_names() or not is_stop_word(match_form(word), language)


def unit_after(text: str, language: str) -> re.Match[str] | None:
    """What a number before a text counts, or is measured in."""
    named = NAMED_IN_TWO.match(text)
    if named is not None and match_form(named[1]) in unit_names():
        return named
    named = NAMED.match(text)
    return named if named is not None and is_unit(named[1], language) else None


def read_band(label: str, language: str) -> Band | None:
    """The interval that a label says; None if it says none, or a number in it is no end."""
    numbers = list(numbers_with_units(label, language))
    if not 0 < len(numbers) <= 2:
        return None
    edges = [0, *(edge for number in numbers for edge in (number.start, number.end)), len(label)]
    gaps = [label[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    sides = [take_side(gaps, at) for at in range(len(numbers))]
    if len(numbers) == 2 and not sides[0] and (sides[1] in UPPER or band_words()["between"].match(gaps[1])):
        sides[0] = "from"
    if sides[0] == "from" and not sides[-1] and band_words()["between"].match(gaps[1]):
        sides[1], gaps[1] = "up_to", ""
    if len(numbers) == 2 and (STOP.search(gaps[1]) or telling_stems(gaps[1], language)):
        return None
    ends = {side in UPPER: End(each.amount, side not in OPEN) for side, each in zip(sides, numbers, strict=True)}
    units = {number.unit for number in numbers} - {""}
    is_empty = len(ends) == 2 and ends[False].at > ends[True].at  # "over 50 kg or under 10 kg"
    if not all(sides) or len(ends) < len(numbers) or len(units) > 1 or is_empty:
        return None
    words = [word for word in normalise_words(" ".join(gaps)) if not is_stop_word(word, language)]
    return Band(ends.get(False), ends.get(True), units.pop() if units else "", tuple(words))


def take_side(gaps: list[str], at: int) -> str:
    """What the words before or after the number at `at` make of it, "" if nothing; they are taken out of the gaps."""
    words = band_words()
    leading = [(found.start(), name) for name in BEFORE if (found := words[name].search(gaps[at]))]
    if leading:
        start, name = min(leading)  # "not more than" is longer than "more than"
        gaps[at] = gaps[at][:start]
        return name
    for name in AFTER:
        if found := words[name].match(gaps[at + 1]):
            gaps[at + 1] = gaps[at + 1][found.end() :]
            return name
    return ""


def measured_in(text: str, language: str) -> Iterator[Found]:
    """The numbers of a text with a unit of measure, a currency or a scale such as "million", not with other words."""
    for number in numbers_with_units(text, language):
        is_after_currency = not text[number.start].isdigit()
        if is_after_currency or number.unit in unit_names().values() or number.unit in SCALE_NAMES:
            yield number


def quantities_in(text: str, language: str) -> list[Found]:
    """The numbers of a question with their units; no years, codes or dates."""
    found = numbers_with_units(text, language)
    return [number for number in found if number.unit or not YEAR_WORD.match(text[number.start :])]


def measures_another(text: str, asked: str, language: str) -> bool:
    """Whether a text says only other numbers, or intervals, of a unit than a question: "7 m²" is no 14 m²."""
    numbers = [each for each in quantities_in(asked, language) if each.unit]
    units = {each.unit for each in numbers}
    told = [band for band in intervals_in(text, language) if band.unit in units] if numbers else []
    held = {each.unit for each in numbers for band in told if band.unit == each.unit and band.holds(each.amount)}
    return not held.issuperset(band.unit for band in told)


def intervals_in(text: str, language: str) -> Iterator[Band]:
    """The intervals that a text says in a unit, and of a number that is no end of one that number alone."""
    numbers, at = list(numbers_with_units(text, language)), 0
    starts, ends = [*(each.start for each in numbers), len(text)], [0, *(each.end for each in numbers)]
    while at < len(numbers):
        point = End(numbers[at].amount, is_closed=True)
        pair = read_band(text[ends[at] : starts[at + 2]], language) if at + 2 < len(starts) else None
        band = pair or read_band(text[ends[at] : starts[at + 1]], language) or Band(point, point, numbers[at].unit)
        at += 2 if pair else 1
        if band.unit:
            yield band


def of_other_quantity(texts: Iterable[str], question: Question) -> dict[str, str]:
    """Those of some texts whose intervals do not hold a quantity of the question, each with that quantity.

    Only where another text with as many words of the question says an interval that holds it, or where these say
    several, one above another: what is paid "up to £100" for a hotel is told of one of £150 as well. Not of a yes or
    no, nor a text that speaks of the rest ("heavier boats").
    """
    asked, language = question.topic, question.language
    numbers = [each for each in quantities_in(asked, language) if each.unit]
    if not numbers or question.answer_type == "boolean":
        return {}
    start, end = numbers[0].start, numbers[0].end
    stems, units = telling_stems(f"{asked[:start]} {asked[end:]}", language), {each.unit for each in numbers}
    banded = dict[str, set[Band]]()
    for text in texts:
        bands = {each for each in intervals_in(text, language) if each.unit in units and each.lower != each.upper}
        if bands and not band_words().in_language("rest", language).search(text):
            banded[text] = bands
    others = {text for text in banded if measures_another(text, asked, language)}
    scale = set[Band]().union(*(banded[text] for text in others))
    is_scale = len(scale) > 1 and any(band.lower for band in scale)
    said = {text: stems & telling_stems(text, language) for text in banded}
    is_told = {text: is_scale or any(said[each] >= said[text] for each in banded.keys() - others) for text in others}
    return {text: asked[start:end].strip() for text in others if is_told[text]}


def numbers_with_units(text: str, language: str) -> Iterator[Found]:
    """The numbers of a text with what follows each, or the sign of a currency before it, as its unit."""
    for found in NUMBER.finditer(text):
        amount = amount_of(found[0])
        if amount is None or PART_OF_WORD.search(text[: found.start()]) or is_in_numerals(text, found):
            continue
        if sign := CURRENCY.search(text[: found.start()]):
            yield Found(amount, name_unit(sign[1], language), sign.start(), found.end())
            continue
        if (named := unit_after(text[found.end() :], language)) is not None:
            yield Found(amount, name_unit(named[1], language), found.start(), found.end() + named.end())
        else:
            yield Found(amount, "", found.start(), found.end())
