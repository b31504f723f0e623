"""Numbers that say how long a list is: "six functions", "the following four conditions" (R76)."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from reading.matching import match_form, match_map
from reading.values.numbers import COUNTING_WORDS, NAMES, PRONOUNS, RANGING, TOUCHING, is_labelled
from reading.values.sentences import COUNT_AHEAD, COUNT_CLAUSE
from reading.values.years import YEAR_DIGITS
from reading.wording import WordingError, check_fields, files_of
from retrieval.types import Question
from retrieval.words.tokens import is_stop_word

WORDS_BETWEEN = 4  # from the number to what it counts
ELSEWHERE = {"once"}  # a Spanish number that is another word in English
# As lists are counted in words, in the languages with a file of words around them.
WORDS = {
    match_form(name): number
    for language in ("en", "fr", "de", "es")
    for number, name in enumerate(NAMES[language]["units"][:12], 1)
    if number > 1 and name not in ELSEWHERE
}
SAID_BEFORE, SAID_AFTER = 80, 20  # characters around a total, that say whether it is one
EACH_NEAR = 4  # words from "each" to the number of what each has
FIGURES_MAX = 60  # "the 99 articles" is a law, not a list
BETWEEN_MAX = 3  # words between a number and what it counts: "six CSF Functions", "four of the conditions"


@dataclass(frozen=True)
class CountWords:
    """The words of all languages, in match form."""

    measures: frozenset[str]
    partial: frozenset[str]
    alone: frozenset[str]
    each: frozenset[str]
    told: frozenset[str]
    denying: frozenset[str]
    numbering: tuple[str, ...]
    joining: tuple[str, ...]
    introducing: tuple[str, ...]


@cache
def counting_words() -> CountWords:
    """The words of `counts.<language>.toml`. Raises WordingError."""
    lists: dict[str, list[str]] = {name: [] for name in CountWords.__annotations__}
    for _, path in files_of(Path(__file__).parent, "counts", "toml"):
        entry = tomllib.loads(path.read_text("utf-8"))
        check_fields(path.name, entry, dict.fromkeys(lists, list), tuple(lists))
        said = [word for name in lists for word in entry[name]]
        if strange := [word for word in said if match_form(word) != word]:
            raise WordingError(f"{path.name}: {strange[0]!r} is not in match form")
        for name, words in lists.items():
            words += entry[name]
    told: dict[str, Any] = {name: frozenset(words) for name, words in lists.items()}
    return CountWords(**told | {name: tuple(lists[name]) for name in ("numbering", "joining", "introducing")})


def read_count(word: str) -> int:
    """The number that a word or a figure says, from 2 on; 0 for other words."""
    if word.isdecimal():
        return int(word) if 2 <= int(word[:3]) <= FIGURES_MAX else 0
    return WORDS.get(word, 0)


def count_before(words: Sequence[str], at: int) -> int:
    """How many of the thing named by the word at `at` the words before it say there are, 0 if they do not.

    A figure stands directly before it: others number tables and sections.
    """
    known = counting_words()
    for place in range(at, max(-1, at - 2 - BETWEEN_MAX), -1):
        if words[place] in known.measures:
            return 0
        if words[place][:1].isdigit() and place < at - 1:
            return 0
        if place < at and (count := read_count(words[place])):
            is_partial = place > 0 and words[place - 1] in known.partial
            return 0 if is_partial else count
    return 0


def counts_stated(text: str, forms: Iterable[str]) -> list[int]:
    """How many of a thing, in any of its forms, each place of a text in match form says there are."""
    wanted, found = set(forms), []
    for sentence in COUNT_CLAUSE.split(text):
        words = re.findall(r"\w+(?:\.\w+)*", sentence)
        found += [count for at, word in enumerate(words) if word in wanted and (count := count_before(words, at))]
    return found


def counted_pattern(question: Question) -> re.Pattern[str] | None:
    """A number, and within some words after it a form of what is to be counted; None where nothing is.

    "Some 83,700 full-time employees", "h = 8 parallel attention layers, or heads"; not "heads 5 and 6", nor a year.
    """
    if not question.is_count:
        return None
    forms = {form for each in question.keywords if each.text == question.listed for form in (each.text, *each.forms)}
    named = "|".join(map(re.escape, sorted(forms)))
    number = rf"(?<![\w.,])(?!{YEAR_DIGITS}\b)(?P<count>\d++(?:[.,]\d++)*+)"
    return re.compile(rf"{number} (?:[a-z-]+,? ){{0,{WORDS_BETWEEN}}}(?:{named})\b") if forms else None


class Counted(NamedTuple):
    """How many of a thing a text says there are, and the characters that do; 0 where it leaves that open."""

    number: int
    start: int
    end: int


@lru_cache(maxsize=16)
def total_patterns(forms: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A number and within two words after it one of these forms; "the number of" them, and that it is so many."""
    known = counting_words()
    words = sorted(map(re.escape, {*COUNTING_WORDS, *WORDS, *known.alone}), key=len, reverse=True)
    number = rf"(?:\d++(?:[.,]\d++)*+|{'|'.join(words)})"
    said = rf"(?<![\w.,])(?P<count>{number}(?: ?\({number}\))?)"
    named, numbering = ("|".join(map(re.escape, sorted(each))) for each in (forms, known.numbering))
    numbered = rf"\b(?:{numbering}) (?:[\w-]+ ){{0,2}}?(?:{named})"
    return (
        re.compile(rf"{said} (?P<between>(?:[\w-]+,? ){{0,2}}?)(?:{named})\b"),
        re.compile(rf"{numbered}(?P<between> ?:|(?: \w+){{1,5}}?) {said}(?= ?(?:[.,;)]|\Z))"),
    )


def totals_in(text: str, forms: frozenset[str]) -> Iterator[Counted]:
    """How many of a thing there are in all: not "the two arbitrators" or "two of the arbitrators", which are a part,
    nor the one that each party names; of "one or three", and of numbers that are not read, nobody knows.
    """
    form, places = match_map(text)
    for is_numbered, pattern in enumerate(total_patterns(forms)):
        for found in pattern.finditer(form):
            start, end = places[found.start("count")], places[found.end("count") - 1] + 1
            is_figure = text[start].isdecimal()
            if is_figure and (text[start - 1 : start] in ("", "\n") or is_labelled(text, start)):
                continue  # the number of a heading, a clause, an item
            before = COUNT_AHEAD.split(text[max(start - SAID_BEFORE, 0) : start])[-1]
            words = [] if is_numbered else match_form(before).split()
            number = 0 if TOUCHING.search(before) else number_told(found, words, is_numbered=bool(is_numbered))
            if number is not None:
                yield Counted(number, start, end)


def number_told(found: re.Match[str], before: Sequence[str], *, is_numbered: bool) -> int | None:
    """The number that is said of all, after some words; 0 where that is left open, None where it is of others."""
    known, between = counting_words(), {word.strip(":,") for word in found["between"].split()} - {""}
    if not RANGING.isdisjoint({*between, *before[-1:]}) or not known.denying.isdisjoint({*between, *before[-2:]}):
        return 0
    said = re.sub("[()]", " ", found["count"]).split()
    numbers = {1} if said[0] in known.alone else {read_count(word) for word in said}
    number = numbers.pop() if len(numbers) == 1 else 0
    is_framed = any(is_stop_word(word, language) for word in between for language in NAMES)
    if is_numbered:
        return 0 if not known.partial.isdisjoint(between) else number if is_framed or not between else None
    after = re.findall(r"\w+", found.string[found.end() : found.end() + SAID_AFTER])[:1]
    apart = known.partial | known.measures | known.told
    if is_framed or not apart.isdisjoint({*between, *before[-1:]}) or not known.told.isdisjoint(after):
        return None
    if said[0] not in known.alone and not PRONOUNS.isdisjoint(before[-1:]):
        return None
    if not known.each.isdisjoint(before[-EACH_NEAR:] if number else before):
        return None
    return 0 if not COUNTING_WORDS.isdisjoint({*between, *before[-1:]}) else number
