"""What a sentence calls a value of each type, and the type that a question tells by such a word alone."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from reading.matching import match_form
from reading.wording import LANGUAGES
from retrieval.question.kinds import SHIPPED
from retrieval.question.phrasing import asks_for_parties, phrasing_rules
from retrieval.question.values import has_form
from retrieval.types import Expected, Question
from retrieval.words.tokens import normalise_words

# The section of the phrasing for each type; of any other it is "summing".
CALLED: Mapping[str, str] = MappingProxyType({"duration": "spanning", "date": "dating"})
KINDS_OF_NAMES = MappingProxyType({"duration": ("spanning", "lasting"), "date": ("dating",)})
HEAD_FIRST = ("fr", "es")


def with_kind(question: Question) -> Question:
    """The question with the type that its own words call a value of, where it has none: a period is a duration."""
    words = normalise_words(question.topic)
    for kind, called in () if has_form(question) else CALLED.items():
        if any(map(phrasing_rules().in_language(called, question.language).match, words)):
            return Expected(kind).of(question, SHIPPED.patterns_of)
    return question


def kind_of_name(name: str) -> str:
    """The type that a name calls its value, by the word that it ends with, or begins with where that language has it
    there: a warranty period, un délai de paiement, a notice; "" of any other.
    """
    words, rules = normalise_words(name), phrasing_rules()
    if asks_for_parties(match_form(name)):
        return "party"
    for kind, sections in KINDS_OF_NAMES.items():
        for language in LANGUAGES if words else ():
            head = words[0 if language in HEAD_FIRST else -1]
            if any(rules.in_language(section, language).match(head) for section in sections):
                return kind
    return ""


def without_called(question: Question) -> Question:
    """The question without the words that a value of its kind says by itself: a duration is a period."""
    section = CALLED.get(question.answer_type)
    if not section:
        return question
    is_called = phrasing_rules().in_language(section, question.language).match
    return replace(question, keywords=tuple(word for word in question.keywords if not is_called(word.text)))
