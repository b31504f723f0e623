"""Words of languages that write articles, prepositions and conjunctions as one word with the noun: Arabic, Hebrew."""

from collections.abc import Iterator

from retrieval.words.tokens import word_lists

BASE_MIN = 3  # letters: what is shorter is no word without its prefix


def prefixed_forms(word: str, language: str) -> Iterator[str]:
    """The forms a word may stand in, itself first: with other prefixes and endings than it has, or none."""
    befores, afters = (
        ("", *sorted(word_lists("prefixes")[language])),
        ("", *sorted(word_lists("endings").get(language, ()))),
    )
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
