"""Words written as one with others: "Behörde" in "Aufsichtsbehörde", "Leine" and "Pflicht" in "Leinenpflicht".

Without a list of all words of a language, a part counts as a word where the document has it as one, and what stands
beside it may be one. What only changes a word is none: "Vertrag" is no kind of "Trag".
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from retrieval.words.tokens import base_form, stem, word_lists

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


def joins_words(language: str) -> bool:
    """Whether a language writes several words as one."""
    return language in word_lists("joints")


def compounds_with(word: str, language: str, listed: str) -> Iterator[str]:
    """The words of a document that are written as one with a word, before or behind another.

    `listed` are its words, one a line, with a line end before the first and behind the last.
    """
    root = stem(word, language)
    is_verb = base_form(word, language) != word  # "gehalten" is no part of "Haushalt"
    if not joins_words(language) or is_verb or len(root) < PART_MIN or not root.isalpha():
        return
    at = listed.find(root)
    while at >= 0:
        start, end = listed.rfind("\n", 0, at) + 1, listed.find("\n", at)
        other = listed[start:end]
        if is_behind(root, stem(other, language), language) or is_before(word, other, language):
            yield other
        at = listed.find(root, end)


def is_behind(root: str, other: str, language: str) -> bool:
    """Whether a stem is another one with a word before it."""
    front = other.removesuffix(root)
    return front != other and may_be_front(front, language)


def is_before(word: str, other: str, language: str) -> bool:
    """Whether a word is another one with a word behind it."""
    back = other.removeprefix(word)
    if back == other or len(word) < FIRST_MIN:
        return False
    joints = ("", *word_lists("joints")[language])
    return any(may_be_back(back.removeprefix(joint), language) for joint in joints if back.startswith(joint))


def split_word(word: str, language: str, is_known: Callable[[str], bool]) -> Parts | None:
    """A word in two parts of which at least one is known, both if that can be; None if it cannot be taken apart."""
    if not joins_words(language) or not word.isalpha():
        return None
    tried = [
        Parts(front, word[at:], is_known(front), is_known(word[at:]))
        for at in range(FRONT_MIN, len(word) - BACK_MIN + 1)
        if may_be_front(word[:at], language) and may_be_back(word[at:], language)
        for front in words_before(word[:at], language)
        if len(front) >= FRONT_MIN
    ]
    best = max(tried, key=rank_parts, default=None)
    return best if best and best.known else None


def rank_parts(parts: Parts) -> tuple[int, bool, int]:
    """More for more known parts, and for the longest back that is known: "Zuschlag" and no "Schlag"."""
    size = len(parts.back)
    return len(parts.known), parts.has_back, size if parts.has_back else -size


def words_before(front: str, language: str) -> list[str]:
    """What may be the word before another: as it is, without what joins them, or the noun of a verb ("Mahngebühr")."""
    joints, endings = sorted(word_lists("joints")[language]), sorted(word_lists("noun_endings").get(language, ()))
    words = [front, *(front.removesuffix(joint) for joint in joints if front.endswith(joint))]
    return [*words, *(f"{word}{ending}" for word in words if len(word) >= PART_MIN for ending in endings)]


def may_be_front(front: str, language: str) -> bool:
    is_long_enough = len(front) >= FRONT_MIN and VOWEL.search(front) is not None
    return is_long_enough and front not in word_lists("word_starts")[language]


def may_be_back(back: str, language: str) -> bool:
    is_long_enough = len(back) >= BACK_MIN and VOWEL.search(back) is not None
    return is_long_enough and not any(map(back.startswith, word_lists("word_ends")[language]))
