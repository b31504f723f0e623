"""What a sentence calls a value of each type, and the type that a question tells by such a word alone."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from reading.matching import match_form
from retrieval.question.kinds import SHIPPED, type_of
from retrieval.question.phrasing import asks_for_parties, phrasing_rules
from retrieval.question.values import has_form
from retrieval.types import Expected, Question
from retrieval.words.tokens import normalise_words

# The section of the phrasing for each type; of any other it is "summing".
CALLED: Mapping[str, str] = MappingProxyType({"duration": "spanning", "date": "dating"})


def with_kind(question: Question) -> Question:
    """The question with the type that its own words call a value of, where it has none: a period is a duration."""
    words = normalise_words(question.topic)
    for kind, called in () if has_form(question) else CALLED.items():
        if any(map(phrasing_rules().in_language(called, question.language).match, words)):
            return Expected(kind).of(question, SHIPPED.patterns_of)
    return question


def kind_of_name(name: str) -> str:
    """The type that a field's name calls its value, where it asks for none: of a closed list of whole names, as a word
    inside a longer one may mean another thing ("Payment terms", "Copyright notice"); "" of any other.
    """
    asked = match_form(name)
    if asks_for_parties(asked):
        return "party"
    if phrasing_rules()["names_signer"].match(asked):
        return "person"
    if phrasing_rules()["names_term"].match(asked):  # from one day until another, an event or an end by notice
        return "text"
    is_period = type_of(name) == "text" and phrasing_rules()["names_period"].match(asked)
    return "duration" if is_period else ""


def without_called(question: Question) -> Question:
    """The question without the words that a value of its kind says by itself: a duration is a period."""
    section = CALLED.get(question.answer_type)
    if not section:
        return question
    is_called = phrasing_rules().in_language(section, question.language).match
    return replace(question, keywords=tuple(word for word in question.keywords if not is_called(word.text)))
