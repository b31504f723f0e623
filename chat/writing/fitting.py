"""Whether a sentence may be the headline of an answer: its words, what is specific in the question, and its values."""

from collections.abc import Sequence

from chat.figures.periods import is_beyond, is_other_side
from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.values.years import YEAR_WORD
from retrieval.arbiter.specific import unsaid_words
from retrieval.question.phrasing import phrasing_rules
from retrieval.question.values import has_form, has_value
from retrieval.types import Question
from retrieval.words.counts import counted_pattern
from retrieval.words.lexicon import lexicon_of
from retrieval.words.printed import values_in
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import normalise_words, stem

SAID_MIN = 0.4  # of the question's weight in the sentence and the name of its section
HALF = 0.5
FORMLESS = frozenset({"text", "boolean", "definition", "explanation"})  # or of a form that nearly every sentence has


def is_fitting(text: str, section: str, content: DocumentContent, question: Question) -> bool:
    """Whether a sentence of a section may be said first: it is about what was asked, with all that is specific in the
    question, of no other year, and has a value of the kind asked for. What introduces a list says nothing without it.
    """
    is_of_year = not question.years or set(YEAR_WORD.findall(text)) <= set(question.years)
    said = normalise_words(f"{text} {section}")
    is_about = share_said(said, weigh_terms(question, lexicon_of(content))) >= SAID_MIN
    is_counted = not question.is_count or bool(counts_said(text, question))
    is_coded = has_codes(f" {' '.join(said)} ", question, content)
    is_of_side = question.answer_type != "date" or has_date_asked(text, question.original)
    is_whole = not text.endswith(":")
    is_specific = not unsaid_words(question, said, content) and has_terms(said, question)
    is_of_what = is_about and is_of_year and is_counted and is_coded and is_of_side and is_specific
    return is_whole and is_of_what and is_of_form(text, question)


def has_terms(said: Sequence[str], question: Question) -> bool:
    """Whether each term of several words is there: "objective" is no recovery point objective.

    Where the form of a value tells, or nobody knows the form, half of one term is enough. Words that only ask whether
    something is allowed may be said otherwise.
    """
    stems = {stem(word, question.language) for word in said}
    forms: dict[str, set[str]] = {}
    for each in question.keywords:
        alike = {stem(form, question.language) for form in (each.text, *each.forms)}
        for name in (each.text, each.group):  # what the dictionary calls it counts as well
            forms.setdefault(name, set()).update(alike)
    shares = []
    for phrase in question.phrases:
        words = [word for word in phrase.split() if not phrasing_rules()["allowing"].match(word)]
        there = sum(not stems.isdisjoint(forms.get(word) or {stem(word, question.language)}) for word in words)
        shares += [there / len(words)] if len(words) > 1 else []
    if question.answer_type in FORMLESS:
        return all(share == 1 for share in shares)
    return not shares or max(shares) >= HALF


def what_is_said(text: str, terms: Sequence[WeighedTerm], question: Question) -> set[str]:
    """The terms and numbers of a question that a text has."""
    words = normalise_words(text)
    said = f" {' '.join(words)} "
    numbers = {word for word in normalise_words(question.topic) if word.isdigit()}
    return (numbers & set(words)) | {term.text for term in terms if any(f" {form} " in said for form in term.forms)}


def share_said(words: Sequence[str], terms: Sequence[WeighedTerm]) -> float:
    """The share of the question's weight that is among the words of a text."""
    said, total = f" {' '.join(words)} ", sum(term.weight for term in terms)
    found = sum(term.weight for term in terms if any(f" {each} " in said for each in term.forms))
    return found / total if total else 0.0


def has_date_asked(text: str, asked: str) -> bool:
    """Whether a text has a date that may be meant: no start where the end was asked for, and nothing after it."""
    dates = [value for value in values_in(text, "date") if value.type == "date"]
    if not dates:
        return not is_beyond(asked, text)
    return any(not is_other_side(asked, text, date) for date in dates)


def has_codes(said: str, question: Question, content: DocumentContent) -> bool:
    """Whether a text has every code of the question that stands in the document; another code is another thing."""
    codes = (keyword.forms for keyword in question.keywords if keyword.source == "identifier")
    lines = lexicon_of(content)
    return all(any(f" {form} " in said for form in forms) for forms in codes if len(lines.lines_with_any(forms)))


def is_of_form(text: str, question: Question) -> bool:
    """Whether a text has a value of the form asked for; where none was asked for, any text has."""
    return not has_form(question) or has_value(question, match_form(text), text)


def counts_said(text: str, question: Question) -> set[str]:
    """How many there are, by a text, of what was to be counted."""
    counted = counted_pattern(question)
    return {found["count"] for found in counted.finditer(match_form(text))} if counted else set()
