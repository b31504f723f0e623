"""Words written as one with others: "Behörde" in "Aufsichtsbehörde", "Leine" and "Pflicht" in "Leinenpflicht".

Without a list of all words of a language, a part counts as a word where the document has it as one, and what stands
beside it may be one. What only changes a word is none: "Vertrag" is no kind of "Trag".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reading.wording import read_word_lists
from retrieval.words.tokens import stem

PART_MIN = 4  # letters of a part that is searched for
FIRST_MIN = 5  # of one that others begin with: "Haus" is no part of "Haushalt"
FRONT_MIN, BACK_MIN = 3, 4  # letters of what stands before it and behind it
VOWEL = re.compile(r"[aeiouy]")


class Parts(NamedTuple):
    """A word taken apart, and which of the two parts a document has."""

    front: str
    back: str
    has_front: bool
    has_back: bool

    @property
    def is_known(self) -> bool:
        return self.has_front and self.has_back

    @property
    def known(self) -> list[str]:
        return [part for part, has in ((self.front, self.has_front), (self.back, self.has_back)) if has]


@cache
def joined_by() -> dict[str, frozenset[str]]:
    """By language, what joins the parts of a word; only languages that write words as one have it."""
    return read_word_lists(Path(__file__).parent, "joints")


@cache
def word_starts() -> dict[str, frozenset[str]]:
    """By language, what stands before a word and makes another of it."""
    return read_word_lists(Path(__file__).parent, "word_starts")


@cache
def word_ends() -> dict[str, frozenset[str]]:
    """By language, what stands behind a word and is none."""
    return read_word_lists(Path(__file__).parent, "word_ends")


def compounds_with(word: str, language: str, listed: str) -> Iterator[str]:
    """The words of a document that are written as one with a word, before or behind another.

    `listed` are its words, one a line, with a line end before the first and behind the last.
    """
    root = stem(word, language)
    if language not in joined_by() or len(root) < PART_MIN or not root.isalpha():
        return
    at = listed.find(root)
    while at >= 0:
        start, end = listed.rfind("\n", 0, at) + 1, listed.find("\n", at)
        other = listed[start:end]
        if is_behind(root, stem(other, language), language) or is_before(word, other, language):
            yield other
        at = listed.find(root, end)


def is_behind(root: str, other: str, language: str) -> bool:
    front = other.removesuffix(root)
    return front != other and may_be_front(front, language)


def is_before(word: str, other: str, language: str) -> bool:
    back = other.removeprefix(word)
    if back == other or len(word) < FIRST_MIN:
        return False
    joints = ("", *joined_by()[language])
    return any(may_be_back(back.removeprefix(joint), language) for joint in joints if back.startswith(joint))


def split_word(word: str, language: str, is_known: Callable[[str], bool]) -> Parts | None:
    """A word in two parts of which at least one is known, both if that can be; None if it cannot be taken apart."""
    if language not in joined_by() or not word.isalpha():
        return None
    tried = [
        Parts(front, word[at:], is_known(front), is_known(word[at:]))
        for at in range(FRONT_MIN, len(word) - BACK_MIN + 1)
        if may_be_front(word[:at], language) and may_be_back(word[at:], language)
        for front in unjoined(word[:at], language)
        if len(front) >= FRONT_MIN
    ]
    best = max(tried, key=lambda each: (len(each.known), each.has_back, -len(each.back)), default=None)
    return best if best and best.known else None


def unjoined(front: str, language: str) -> Sequence[str]:
    """What may be the word before another: as it is, or without what joins them."""
    joints = [joint for joint in sorted(joined_by()[language]) if front.endswith(joint)]
    return (front, *(front.removesuffix(joint) for joint in joints))


def may_be_front(front: str, language: str) -> bool:
    return len(front) >= FRONT_MIN and VOWEL.search(front) is not None and front not in word_starts()[language]


def may_be_back(back: str, language: str) -> bool:
    ends = word_ends()[language]
    return len(back) >= BACK_MIN and VOWEL.search(back) is not None and not any(map(back.startswith, ends))
