"""Whether a sentence says the opposite of what is asked by a word: who voted for it, where "against" is asked; what is
covered, where it is asked what is not; or that something fell, where it is asked when it rose.

The words are data (`polarity.*.toml`). The little ones are stop words, so that no search looks for them.
"""

import re
from collections.abc import Iterator

from reading.matching import match_form
from reading.wording import Wordings, read_once
from retrieval.question.kinds import SHIPPED
from retrieval.question.phrasing import phrasing_rules
from retrieval.types import Question
from retrieval.words.tokens import is_stop_word, normalise_words, stem

OPPOSITES = (("against", "in_favour"), ("without", "together"))
DIRECTIONS = ("rising", "falling")
DENIALS = ("denial_asked", "denying", "none_of", "saying_no")
NEEDS = ("needing", "need_told", "modifying")
DUTIES = ("obliging", "forbidding")
SECTIONS = (*OPPOSITES, DIRECTIONS, DENIALS, NEEDS, DUTIES)
FRAMES = {name: rf"\b(?:{{{name}}})(?!\w)" for names in SECTIONS for name in names}
DENIED_TYPES = frozenset({"", "text", "person", "party", "role", "date"})  # a value may be of a thing that is not so
CHARS_AFTER = 80  # of a little word, among which stands what it is about
WORD = re.compile(r"[^\W_]+")
WORDS_AFTER = 2  # of those, the first that tell something
polar_words = read_once(__name__, "polarity", FRAMES)


def asks_yes_or_no(question: Question) -> bool:
    return question.answer_type == "boolean" or SHIPPED.asks_yes_or_no(question.topic, question.language)


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
    return polar_words().of_language(language).first_words(text, DIRECTIONS)


def other_direction(text: str, question: Question) -> str:
    """The word of a question for a direction, where a text only says that something goes the other way; else ""."""
    return other_side(text, question, polar_words().of_language(question.language), DIRECTIONS)


def other_side(text: str, question: Question, words: Wordings, sides: tuple[str, str]) -> str:
    """The word by which a question is on one side alone, where a text is on the other alone; else ""."""
    asked, said = (words.first_words(each, sides) for each in (question.topic, text))
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


def leaves_need_open(text: str, question: Question) -> bool:
    """Whether it is asked if something may be done without another thing, and a text neither forbids anything nor tells
    whether that thing is needed: what happens "with cause" does not tell what does without. Or if something has to be
    done, and a text only tells what must not be.
    """
    words, language = polar_words().of_language(question.language), question.language
    asked = [things for _, things in things_after(words["without"], question.topic, language)]
    is_told = any(each.search(text) for each in (words["need_told"], phrasing_rules().in_language("ruling", language)))
    near = (text[found.end() : found.end() + CHARS_AFTER] for found in words["needing"].finditer(text))
    told = {stem(word, language) for each in near for word in normalise_words(each)}
    is_other = bool(other_side(text, question, words, DUTIES))
    return is_other or (not is_told and any(things.isdisjoint(told) for things in asked))


def denial_asked(question: Question) -> str:
    """The word by which a question asks what is not so: "which damage is not covered?"; else "".

    None in a condition ("if it is not paid"), and none of a question for a yes or no, a reason or a value.
    """
    if question.answer_type not in DENIED_TYPES:
        return ""
    asked = question.topic
    for name in ("condition_before", "condition_after"):
        asked = phrasing_rules().in_language(name, question.language).sub(" ", asked)
    found = polar_words().in_language("denial_asked", question.language).search(asked)
    return found[0] if found else ""


def denies_thing(text: str, question: Question) -> bool:
    """Whether a text says no, or that there is none of what a question for a yes or no asks about first."""
    language = question.language
    asked = [stem(word, language) for word in normalise_words(question.topic) if not is_stop_word(word, language)]
    none_of = polar_words().in_language("none_of", language)
    is_none = any(not things.isdisjoint(asked[:1]) for _, things in things_after(none_of, text, language))
    return is_none or polar_words().in_language("saying_no", language).search(text) is not None


def denial_unsaid(text: str, question: Question) -> str:
    """The word by which a question asks what is not so, where a text denies nothing; else ""."""
    asked = denial_asked(question)
    return "" if asked and polar_words().in_language("denying", question.language).search(text) else asked
