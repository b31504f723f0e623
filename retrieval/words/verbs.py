"""The forms of a verb that no stemmer brings together: "gekündigt", "anzukündigen" and "Kündigung" of "kündigen"."""

from collections.abc import Iterator, Sequence

from retrieval.words.tokens import PARTICIPLE, word_lists

ROOT_MIN = 4  # letters: shorter ones begin too many other words
INFINITIVE = "zu"  # between what is parted from a verb and its root, as PARTICIPLE; only German has a list of these


def verb_forms(word: str, language: str) -> Iterator[str]:
    """The forms a word may stand in if it is a verb, or the noun of one."""
    if language not in word_lists("verb_endings") or not word.isalpha():
        return
    endings = sorted(word_lists("verb_endings")[language])
    prefixes = ("", *sorted(word_lists("verb_prefixes")[language]))
    roots = {
        root for ending in endings if word.endswith(ending) for root in roots_of(word.removesuffix(ending), prefixes)
    }
    for prefix, root in sorted(roots):
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
