"""Whether a sentence says the opposite of what is asked by a little word: who voted for it, where "against" is asked;
or that something fell, where it is asked when it rose.

The words are data (`polarity.*.toml`). The little ones are stop words, so that no search looks for them.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from reading.matching import match_form
from reading.wording import Wordings, read_wordings
from retrieval.types import Question
from retrieval.words.tokens import is_stop_word, stem

OPPOSITES = (("against", "in_favour"), ("without", "together"))
DIRECTIONS = ("rising", "falling")
FRAMES = {name: rf"\b(?:{{{name}}})(?!\w)" for pair in (*OPPOSITES, DIRECTIONS) for name in pair}
CHARS_AFTER = 80  # of a little word, among which stands what it is about
WORD = re.compile(r"[^\W_]+")
WORDS_AFTER = 2  # of those, the first that tell something


@cache
def polar_words() -> Wordings:
    return read_wordings(Path(__file__).parent, "polarity", FRAMES)


def opposed_word(text: str, question: Question) -> str:
    """The little word of a question whose opposite a text says of the same thing, and not the word itself; else ""."""
    words, language = polar_words().of_language(question.language), question.language
    for pair in OPPOSITES:
        for own, other in (pair, pair[::-1]):
            said = set().union(*(things for _, things in things_after(words[own], text, language)))
            opposed = set().union(*(things for _, things in things_after(words[other], text, language)))
            for asked, things in things_after(words[own], question.topic, language):
                if said.isdisjoint(things) and not opposed.isdisjoint(things):
                    return asked
    return ""


def directions_in(text: str, language: str) -> dict[str, str]:
    """In which directions a text says that something goes, each with its word: it "rose" in one that "increase" has."""
    words = polar_words().of_language(language)
    found = {name: words[name].search(text) for name in DIRECTIONS}
    return {name: word[0] for name, word in found.items() if word}


def other_direction(text: str, question: Question) -> str:
    """The word of a question for a direction, where a text only says that something goes the other way; else ""."""
    asked, said = (directions_in(each, question.language) for each in (question.topic, text))
    is_other = len(asked) == 1 and len(said) == 1 and asked.keys() != said.keys()
    return next(iter(asked.values())) if is_other else ""


def things_after(word: re.Pattern[str], text: str, language: str) -> Iterator[tuple[str, set[str]]]:
    """Each place of a little word in a text, up to the first word after it that tells something, with the stems of the
    first few of those.
    """
    for found in word.finditer(text):
        after = WORD.finditer(text, found.end(), found.end() + CHARS_AFTER)
        telling = [each for each in after if not is_stop_word(match_form(each[0]), language)][:WORDS_AFTER]
        if telling:
            yield text[found.start() : telling[0].end()], {stem(match_form(each[0]), language) for each in telling}
