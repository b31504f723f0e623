"""Whether "48 pounds" are money or a weight, as the words of the sentence around it tell; where they do not, neither.

"Pounds sterling" are money; pounds "of" something, and pounds beside an amount in another currency, are a weight.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

from reading.matching import match_form
from reading.values.currencies import CURRENCY_SIGNS, CURRENCY_WORDS
from reading.values.sentences import SENTENCE

POUNDS = r"pounds?\b(?:\ssterling\b)?"
OF_SOMETHING = re.compile(r"\s(?:of|per\ssquare)\b", re.IGNORECASE)
OTHER_CURRENCY = re.compile(rf"[{CURRENCY_SIGNS}]|\b(?:{CURRENCY_WORDS})\b", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+")


@cache
def pound_words() -> dict[str, frozenset[str]]:
    """The words for `money` and for `weight`."""
    stored = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {kind: frozenset(words) for kind, words in stored.items()}


def are_money(text: str, start: int, end: int) -> bool:
    """Whether the characters [start, end) of a text, a number with "pounds" behind it, are an amount of money."""
    if match_form(text[start:end]).endswith("sterling"):
        return True
    first = max((each.end() for each in SENTENCE.finditer(text, 0, start)), default=0)
    after = SENTENCE.search(text, end)
    around = text[first : after.start() if after else len(text)]
    if OF_SOMETHING.match(text, end) or OTHER_CURRENCY.search(around):
        return False
    words = set(WORD.findall(match_form(around)))
    return not words.isdisjoint(pound_words()["money"]) and words.isdisjoint(pound_words()["weight"])
