"""Which documents of a base a question names: by company, title or file name, and by year (R104)."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from reading.values.years import FISCAL_YEAR, YEAR_DIGITS, years_in
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words

COMMON_SHARE = 0.5  # a word in the names of more of the scope's documents than this distinguishes none
NAMES_MAX = 10_000  # kept as words: about 5 KB each
PART_MIN = 5  # letters of a name found inside a name written without spaces ("express" in AMERICANEXPRESS)
ABBREVIATION = re.compile(r"^(?=(?:.*[A-Z]){2})[A-Za-z&]{2,6}$")
QUARTER = re.compile(r"(?<![a-z])q([1-4])(?!\d)|(?<=\d)q([1-4])(?!\d)|\b([1-4])q(?=\s?\d{2})", re.IGNORECASE)
FORM = re.compile(r"(?<![\w-])(10|8|6|20|40) ?-? ?([kqf])(?![a-z\d])", re.IGNORECASE)  # of a filing: "10-K", "8k"
ENDED = re.compile(rf"\bended\s+\w+\s+\d{{1,2}},?\s+({YEAR_DIGITS})", re.IGNORECASE)
TYPED = re.compile(r"[\w&]+(?:[.-][A-Za-z]\w*)*")
EXACT_YEAR, OTHER_YEAR, NEXT_YEAR = 3, 2, 1  # a report covers the years before, so the next year's may answer


class Name(NamedTuple):
    """The names of a document: title and file name, and the words of its first lines."""

    label: str
    cover: str


class Called(NamedTuple):
    """A name prepared for searching: words in match form, and all of them joined."""

    label: tuple[str, ...]
    joined: str
    cover: tuple[str, ...]


def documents_named(topic: str, names: Sequence[Name], known: Collection[str] = ()) -> tuple[list[int], bool]:
    """Indexes of the documents a question names, and whether a year matched too; ([], False) if it names none.

    `known` are words of the question that name a concept of the dictionary, and so no company. Each name in it selects
    its documents, narrowed to those of the asked form and year if there are any.
    """
    called = [called_of(name) for name in names]
    chosen: dict[int, None] = {}
    has_year = False
    for run in runs_of(topic, known):
        places = named_by(run, called)
        if places:
            places, is_dated = of_the_time(topic, of_the_form(topic, places, names), names)
            chosen.update(dict.fromkeys(places))
            has_year = has_year or is_dated
    return sorted(chosen), has_year


@lru_cache(maxsize=NAMES_MAX)
def called_of(name: Name) -> Called:
    label = tuple(normalise_words(re.sub(r"[_-]", " ", name.label)))
    return Called(label, "".join(label), tuple(map(intern, normalise_words(name.cover))))


def runs_of(topic: str, known: Collection[str]) -> list[tuple[str, ...]]:
    """Runs of capitalised words, "American Express" or "JnJ": as typed, without stop words and trade terms."""
    runs: list[tuple[str, ...]] = []
    run: list[str] = []
    end = 0
    for found in TYPED.finditer(topic):
        typed = found.group()
        is_joined = bool(run) and not topic[end : found.start()].strip()
        if is_name_word(typed, known):
            if not is_joined:
                runs.append(tuple(run))
                run = []
            run.append(typed)
        elif not (typed == "&" and is_joined):
            runs.append(tuple(run))
            run = []
        end = found.end()
    return [run for run in dict.fromkeys([*runs, tuple(run)]) if run]


def is_name_word(typed: str, known: Collection[str]) -> bool:
    words = normalise_words(typed)
    if not typed[:1].isupper() or not words or FISCAL_YEAR.fullmatch(typed) or QUARTER.fullmatch(typed):
        return False
    if "&" in typed:
        return True
    return not any(is_stop_word(word, "en") or is_generic(word, "en") or word in known for word in words)


def named_by(run: tuple[str, ...], called: Sequence[Called]) -> list[int]:
    """The documents named by the longest part of the run; [] if that part names most of them."""
    for length in range(len(run), 0, -1):
        for start in range(len(run) - length + 1):
            part = run[start : start + length]
            words = tuple(word for typed in part for word in normalise_words(typed))
            for test in (in_label, in_cover, is_abbreviated):
                places = [place for place, name in enumerate(called) if test(words, part, name)]
                if 0 < len(places) <= COMMON_SHARE * len(called):
                    return places
    return []


def in_label(words: tuple[str, ...], typed: tuple[str, ...], name: Called) -> bool:
    joined = "".join(words)
    return stands_in(words, name.label) or joined in name.label or (len(joined) >= PART_MIN and joined in name.joined)


def in_cover(words: tuple[str, ...], typed: tuple[str, ...], name: Called) -> bool:
    return stands_in(words, name.cover)


def is_abbreviated(words: tuple[str, ...], typed: tuple[str, ...], name: Called) -> bool:
    """Is it made of the beginnings of consecutive words, "AMEX" of "American Express", "JnJ" of "Johnson & Johnson"?"""
    if len(typed) != 1 or not ABBREVIATION.match(typed[0]):
        return False
    letters = typed[0].lower().replace("&", "")
    return any(
        made_of(spelt, said[place:])
        for said in (name.label, name.cover)
        for place in range(len(said) - 1)
        for spelt in {letters, letters.replace("n", "", 1) if letters[1:2] == "n" else letters}
        if len(said[place]) > len(letters) / 2
    )


def made_of(letters: str, words: Sequence[str], depth: int = 0) -> bool:
    """Whether the letters split into beginnings of the first words, of at least two of them."""
    if not letters:
        return depth > 1
    if not words or is_stop_word(words[0], "en"):
        return False
    word = words[0]
    longest = next((n for n in range(min(len(word), len(letters)), 0, -1) if letters[:n] == word[:n]), 0)
    return any(made_of(letters[size:], words[1:], depth + 1) for size in range(longest, 0, -1) if size < len(word))


def stands_in(words: tuple[str, ...], text: tuple[str, ...]) -> bool:
    size = len(words)
    if words and words[0] not in text:  # as of most documents
        return False
    return any(text[start : start + size] == words for start in range(len(text) - size + 1))


def of_the_form(topic: str, places: Sequence[int], names: Sequence[Name]) -> list[int]:
    """The documents that are the form of filing the question names, all of them if none is."""
    forms = forms_in(topic)
    return [place for place in places if forms & forms_in(names[place].label.replace("_", " "))] or list(places)


def of_the_time(topic: str, places: Sequence[int], names: Sequence[Name]) -> tuple[list[int], bool]:
    """The documents of the asked year (the latest of several) and quarter, and whether there are any."""
    years = [int(year) for year in years_in(topic)]
    if not years:
        return list(places), False
    fits = {place: fit_of(years, names[place]) for place in places}
    best = max(fits.values())
    if not best:
        return list(places), False
    dated = [place for place in places if fits[place] == best]
    quarters = quarters_in(topic)
    of_quarter = [place for place in dated if quarters & quarters_in(names[place].label)]
    return of_quarter or dated, True


def fit_of(years: Sequence[int], name: Name) -> int:
    """How well a document's period fits the asked years; for several years the latest report covers all."""
    own = years_of_document(name)
    if max(years) in own:
        return EXACT_YEAR
    return OTHER_YEAR if own & set(years) else NEXT_YEAR if max(years) + 1 in own else 0


def years_of_document(name: Name) -> set[int]:
    """The years in the label, else the one the first lines give as the reporting year, else the latest they mention."""
    named = set(years_in(name.label.replace("_", " ")))
    if not named:
        ended = ENDED.search(name.cover)
        named = {ended.group(1)} if ended else set(sorted(years_in(name.cover))[-1:])
    return {int(year) for year in named}


def forms_in(text: str) -> set[str]:
    return {f"{number}{letter.lower()}" for number, letter in FORM.findall(text)}


def quarters_in(text: str) -> set[str]:
    return {one or two or three for one, two, three in QUARTER.findall(text)}
