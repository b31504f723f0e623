"""Intervals: the label "More than 12 t but not more than 37 t", and the "37 tonnes" of a question that fall in it.

Which words make a number an open or a closed end is data (`bands.*.toml`).
A label with a number whose part is not told is no interval.
"""

import re
from collections.abc import Iterator
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
from retrieval.words.printed import is_in_numerals
from retrieval.words.tokens import is_stop_word, normalise_words, stem

BEFORE = ("above", "from", "below", "up_to")  # words before an end: the first two of the lower one, open and closed
AFTER = ("or_more", "or_less")  # words after a closed end
UPPER, OPEN = frozenset({"below", "up_to", "or_less"}), frozenset({"above", "below"})
FRAMES = {
    **{name: rf"(?<!\w)(?:{{{name}}})\s*\Z" for name in BEFORE},
    **{name: rf"\A\s*(?:{{{name}}})(?!\w)" for name in AFTER},
    "between": r"\A\s*(?:{between})\s*\Z",
    "most": r"\b(?:{most})\b",  # which end of what may be is spoken of
    "least": r"\b(?:{least})\b",
}
band_words = read_once(__name__, "bands", FRAMES)
NUMBER = re.compile(r"(?:\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?(?![.,]?\d)")
NAMED = re.compile(r"\A[\s-]?([%$€£]|°?[^\W\d_]+[²³]?)")  # what a number counts, or is measured in
NAMED_IN_TWO = re.compile(r"\A[\s-]?([^\W\d_]+\s[^\W\d_]+)")  # "square metres", "per cent"
CURRENCY_SIGN = re.compile(rf"[{CURRENCY_SIGNS}]")
CURRENCY = re.compile(rf"({CURRENCY_SIGN.pattern}|(?<!\w)(?:{'|'.join(sorted(set(CURRENCIES.values())))}))\s?\Z")
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


class NumberAsked(NamedTuple):
    """A number of a question with its unit or what it counts, by one name each; "" if it has none."""

    amount: Decimal
    unit: str


class Found(NamedTuple):
    """A number in a text, with its unit; [start, end) with what of it says the unit."""

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
    ends = {side in UPPER: End(each.amount, side not in OPEN) for side, each in zip(sides, numbers, strict=True)}
    units = {number.unit for number in numbers} - {""}
    if not all(sides) or len(ends) < len(numbers) or len(units) > 1:
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


def quantities_in(text: str, language: str) -> list[NumberAsked]:
    """The numbers of a question with their units; no years, codes or dates."""
    found = [
        number
        for number in numbers_with_units(text, language)
        if number.unit or not YEAR_WORD.match(text[number.start :])
    ]
    return [NumberAsked(number.amount, number.unit) for number in found]


def measures_another(label: str, asked: str, language: str) -> bool:
    """Whether a label says another number, or interval, of a unit than a text asks for: "7 m²" is no 14 m²."""
    numbers = quantities_in(asked, language)
    if not any(each.unit for each in numbers):
        return False
    band = read_band(label, language)
    if band is not None and band.unit:
        amounts = [each.amount for each in numbers if each.unit == band.unit]
        return bool(amounts) and not any(map(band.holds, amounts))
    units = {each.unit for each in numbers}
    own = [NumberAsked(each.amount, each.unit) for each in measured_in(label, language) if each.unit in units]
    return bool(own) and set(own).isdisjoint(numbers)


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
