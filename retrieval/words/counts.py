"""Numbers that say how long a list is: "six functions", "the following four conditions" (R76)."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from reading.matching import match_form
from reading.values.numbers import NAMES, PRONOUNS, RANGING
from reading.values.years import YEAR_DIGITS
from reading.wording import WordingError, check_fields, files_of
from retrieval.types import Question

WORDS_BETWEEN = 4  # from the number to what it counts
ELSEWHERE = {"once"}  # a Spanish number that is another word in English
# As lists are counted in words, in the languages with a file of words around them.
WORDS = {
    match_form(name): number
    for language in ("en", "fr", "de", "es")
    for number, name in enumerate(NAMES[language]["units"][:12], 1)
    if number > 1 and name not in ELSEWHERE
}
FIGURES_MAX = 60  # "the 99 articles" is a law, not a list
BETWEEN_MAX = 3  # words between a number and what it counts: "six CSF Functions", "four of the conditions"


@dataclass(frozen=True)
class CountWords:
    """The words of all languages, in match form."""

    measures: frozenset[str]
    partial: frozenset[str]
    alone: frozenset[str]
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
    measures, partial, alone = (frozenset(lists[name]) for name in ("measures", "partial", "alone"))
    return CountWords(measures, partial, alone, tuple(lists["joining"]), tuple(lists["introducing"]))


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
    for sentence in re.split(r"[.;:](?:\s|$)", text):
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
def total_pattern(forms: frozenset[str]) -> re.Pattern[str]:
    """A number, in words and figures, and within two words after it one of these forms."""
    words = [*WORDS, *counting_words().alone]
    number = rf"(?:\d{{1,2}}|{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})"
    said = rf"(?P<count>{number}(?:\s?\({number}\))?)"
    named = "|".join(map(re.escape, sorted(forms)))
    return re.compile(
        rf"(?:(?P<before>\w+)\W{{1,3}})?\b{said}\s(?P<between>(?:[\w-]+,?\s){{0,2}}?)(?:{named})\b", re.IGNORECASE
    )


def totals_in(text: str, forms: frozenset[str]) -> Iterator[Counted]:
    """How many of a thing there are in all: not "the two arbitrators" or "at least two", which are a part, nor the one
    that each party names; of "one or three" nobody knows.
    """
    known = counting_words()
    for found in total_pattern(forms).finditer(text):
        said, before = match_form(found["count"].split("(")[0]).strip(), match_form(found["before"] or "")
        start, end = found.span("count")
        if before in RANGING or not RANGING.isdisjoint(match_form(found["between"]).split()):
            yield Counted(0, start, end)
        elif count := read_count(said):
            yield from () if before in PRONOUNS | known.partial else [Counted(count, start, end)]
        elif said in known.alone:
            yield Counted(1, start, end)
