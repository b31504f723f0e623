"""The forms of a word that no stemmer brings together.

Arabic and Hebrew write articles, prepositions and conjunctions as one word with the noun; a German verb stands in
"gekündigt", "anzukündigen" and "Kündigung".
"""

from collections.abc import Iterator, Sequence

from retrieval.words.tokens import PARTICIPLE, word_lists

BASE_MIN = 3  # letters: what is shorter is no word without its prefix
ROOT_MIN = 4  # letters: shorter ones begin too many other words
INFINITIVE = "zu"  # between what is parted from a verb and its root, as PARTICIPLE; only German has a list of these


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


def verb_forms(word: str, language: str) -> Iterator[str]:
    """The forms a word may stand in if it is a verb, or the noun of one."""
    if language not in word_lists("verb_endings") or not word.isalpha():
        return
    endings = sorted(word_lists("verb_endings")[language])
    prefixes = ("", *sorted(word_lists("verb_prefixes")[language]))
    roots = {
        root for ending in endings if word.endswith(ending) for root in roots_of(word.removesuffix(ending), prefixes)
    }
    whole = word_lists("whole_roots")[language]
    for prefix, root in sorted(each for each in roots if PARTICIPLE + each[1] not in whole):
        for ending in endings:
            yield f"{prefix}{root}{ending}"
            yield f"{prefix}{PARTICIPLE}{root}{ending}"
            if prefix:
                yield f"{prefix}{INFINITIVE}{root}{ending}"


def roots_of(word: str, prefixes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What a form may be without its ending: what is parted from the verb, and its root without the signs between."""
    for prefix in prefixes:
        for sign in ("", PARTICIPLE, INFINITIVE) if prefix else ("", PARTICIPLE):
            root = word.removeprefix(prefix + sign)
            if (root != word or not prefix + sign) and len(root) >= ROOT_MIN:
                yield prefix, root
