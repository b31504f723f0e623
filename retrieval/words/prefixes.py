"""Words of languages that write articles, prepositions and conjunctions as one word with the noun: Arabic, Hebrew."""

from collections.abc import Iterator

from retrieval.words.tokens import word_lists

BASE_MIN = 3  # letters: what is shorter is no word without its prefix


def prefixes() -> dict[str, frozenset[str]]:
    """By language, what may stand before a word as part of it."""
    return word_lists("prefixes")


def endings() -> dict[str, frozenset[str]]:
    """By language, what may end a word and leaves it the same word."""
    return word_lists("endings")


def prefixed_forms(word: str, language: str) -> Iterator[str]:
    """The forms a word may stand in, itself first: with other prefixes and endings than it has, or none."""
    befores, afters = ("", *sorted(prefixes()[language])), ("", *sorted(endings().get(language, ())))
    bases = dict.fromkeys(
        base
        for before in befores
        if word.startswith(before)
        for after in afters
        if word.endswith(after) and len(base := word[len(before) : len(word) - len(after)]) >= BASE_MIN
    )
    yield from dict.fromkeys(
        (word, *(before + base + after for base in bases for before in befores for after in afters))
    )
