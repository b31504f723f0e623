"""Whether a sentence that may be said first is about another thing than the one asked for (R54).

It has the words of the question, and something in it differs: block C for block D, 100 GB for 500 GB, the least for the
most, or a word of the question that the document has, elsewhere.
"""

import re
from collections.abc import Iterator, Sequence

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.arbiter.numbers_told import telling_terms
from retrieval.question.bands import AFTER, Found, band_words, numbers_with_units, unit_names
from retrieval.question.kinds import SHIPPED
from retrieval.question.parse import document_words
from retrieval.question.phrasing import phrasing_rules
from retrieval.types import Question
from retrieval.words.tokens import is_stop_word, normalise_words, stem

NOTHING_UNSAID = frozenset(["person", "party", "role", "text", "number"])  # any sentence has a name or a number
ENDING = ("above", "below", "up_to")  # before a number; "from" may be an "of" ("ein Paket von 20 kg")
LABEL = r"(?:\d{1,3}(?:\.\d{1,2})*|[A-Z])\b(?![.,]?\d|['’]|-[^\W\d])"
JOINED = r"(?:, | (?:and|or|to|und|oder|bis|et|ou|à|y|o|a) |[–/-])"
LABELLED = re.compile(rf"\b([^\W\d_]{{3,40}}) ({LABEL}(?:{JOINED}{LABEL})*+)")
LABELS = re.compile(rf"\b{LABEL}")
OR_ANOTHER = re.compile(r"\w*(?:['’]s)?\s+(?:or|oder|ou|o)\s+\w+(?:['’]s)?", re.IGNORECASE)
RANGE = re.compile(r"\b(\d{1,3})(?: (?:to|bis|à|a) |[–-])(\d{1,3})\b")


def is_of_another_thing(text: str, around: Sequence[str], question: Question, content: DocumentContent) -> bool:
    """`around` are the words of its section's name and of what it goes on from, with its own."""
    return (
        has_other_label(text, question)
        or is_other_bound(text, question)
        or (not asks_yes_or_no(question) and has_other_quantity(text, question))
        or lacks_word_of(around, question, content)
    )


def asks_yes_or_no(question: Question) -> bool:
    return question.answer_type == "boolean" or SHIPPED.asks_yes_or_no(question.topic, question.language)


def lacks_word_of(around: Sequence[str], question: Question, content: DocumentContent) -> bool:
    """Whether a word of the question is missing that the document has elsewhere, or that it never says where any
    sentence has what was asked for; no word of its title, nor the kind of thing of which one is asked for: a law says
    "Ontario" and no "state".
    """
    lacking = [term for term in telling_terms(question, content) if not term.is_in(around)]
    needless = document_words([content]) | words_of_kind(question)
    is_any = question.answer_type in NOTHING_UNSAID
    return any((is_any or len(term.lines)) and not needless.issuperset(term.text.split()) for term in lacking)


def words_of_kind(question: Question) -> set[str]:
    """The words behind "which": the kinds of thing of which one is asked for."""
    found = phrasing_rules().in_language("which_one", question.language).search(question.topic)
    if found is None:
        return set()
    others = OR_ANOTHER.match(question.topic, found.end())
    return set(normalise_words(found[0] + (others[0] if others else "")))


def has_other_label(text: str, question: Question) -> bool:
    """Whether the things of a kind that a text numbers or letters are others than the question's: "block D"."""
    told = list(labels_in(text, question.language))
    for kind, asked in labels_in(question.topic, question.language):
        labels = set().union(*(each for name, each in told if name == kind))
        if labels and not any(is_within(one, other) or is_within(other, one) for one in asked for other in labels):
            return True
    return False


def is_within(label: str, whole: str) -> bool:
    """Whether a label is another's or of a part of it: clause 5.2 of clause 5."""
    return f"{label}.".startswith(f"{whole}.")


def labels_in(text: str, language: str) -> Iterator[tuple[str, set[str]]]:
    """What a text numbers or letters: the stem of its name, with its labels; of a range all of them."""
    for name, labels in LABELLED.findall(text):
        word = match_form(name)
        if word not in unit_names() and not is_stop_word(word, language):
            within = {str(each) for first, last in RANGE.findall(labels) for each in range(int(first), int(last))}
            yield stem(word, language), within | set(LABELS.findall(labels))


def has_other_quantity(text: str, question: Question) -> bool:
    """Whether a text has, in a unit of the question, only other numbers than its own: 100 GB for 500 GB.

    An interval may hold it.
    """
    if bounds_in(text):
        return False
    told = list(numbers_with_units(text, question.language))
    for asked in numbers_with_units(question.topic, question.language):
        same = [each for each in told if asked.unit and each.unit == asked.unit]
        if same and all(each.amount != asked.amount and not is_end(each, text) for each in same):
            return True
    return False


def is_end(number: Found, text: str) -> bool:
    """Whether a number is the end of an interval: "up to 14 days"."""
    words, before, after = band_words(), text[: number.start], text[number.end :]
    return any(words[name].search(before) for name in ENDING) or any(words[name].match(after) for name in AFTER)


def is_other_bound(text: str, question: Question) -> bool:
    """Whether the most is asked for and a text says only the least, or the other way round."""
    asked, told = bounds_in(question.topic), bounds_in(text)
    return len(asked) == 1 and len(told) == 1 and asked != told


def bounds_in(text: str) -> set[str]:
    return {name for name in ("most", "least") if band_words()[name].search(text)}
