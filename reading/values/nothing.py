"""What a cell says where there is no amount, a value as it is worded: "nil", "n/a", "entfällt", "néant", a dash."""

import tomllib
from functools import cache
from pathlib import Path

from reading.values.minus import LONG_DASH, MINUS

DASHES = frozenset(MINUS + LONG_DASH)


@cache
def nothing_words() -> frozenset[str]:
    """The words of every language, in lower case."""
    stored = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return frozenset(word for words in stored.values() for word in words)


def is_nothing(text: str) -> bool:
    """Whether a text says that there is none, or that it does not apply, and no more."""
    said = " ".join(text.casefold().split())
    return bool(said) and (set(said) <= DASHES or said in nothing_words())


def says_nothing(text: str) -> bool:
    """Whether a text ends by saying behind a colon that there is none: "Excess for each claim: nil."."""
    return ":" in text and is_nothing(text.rpartition(":")[2].strip(" .;"))
