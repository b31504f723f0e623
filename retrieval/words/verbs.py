"""The forms of a verb that no stemmer brings together: "gekündigt", "anzukündigen" and "Kündigung" of "kündigen"."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from reading.wording import read_word_lists

ROOT_MIN = 4  # letters: shorter ones begin too many other words
PARTICIPLE, INFINITIVE = "ge", "zu"


@cache
def verb_endings() -> dict[str, frozenset[str]]:
    """By language, what the forms of a verb end with."""
    return read_word_lists(Path(__file__).parent, "verb_endings")


@cache
def verb_prefixes() -> dict[str, frozenset[str]]:
    """By language, what verbs begin with that is parted from them by the signs of participle and infinitive."""
    return read_word_lists(Path(__file__).parent, "verb_prefixes")


def verb_forms(word: str, language: str) -> Iterator[str]:
    """The forms a word may stand in if it is a verb, or the noun of one."""
    if language not in verb_endings() or not word.isalpha():
        return
    endings, prefixes = sorted(verb_endings()[language]), ("", *sorted(verb_prefixes()[language]))
    for ending in endings:
        if not word.endswith(ending):
            continue
        for prefix, root in roots_of(word.removesuffix(ending), prefixes):
            for other in endings:
                yield prefix + root + other
                yield f"{prefix}{PARTICIPLE}{root}{other}"
                if prefix:
                    yield f"{prefix}{INFINITIVE}{root}{other}"


def roots_of(word: str, prefixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What a form may be without its ending, participle or infinitive: the parted prefix and the root."""
    yield "", word
    for prefix in prefixes:
        for sign in ("", PARTICIPLE, INFINITIVE):
            rest = word.removeprefix(prefix + sign)
            if (prefix or sign == PARTICIPLE) and rest != word and len(rest) >= ROOT_MIN:
                yield prefix, rest
