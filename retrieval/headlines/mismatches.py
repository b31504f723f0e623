"""Whether a sentence that may be said first is about another thing than the one asked for (R54).

It has the words of the question, and something in it differs: block C for block D, 100 GB for 500 GB, the least for the
most, or a word of the question that the document has, elsewhere.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from string import digits
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import name_in_force
from reading.values.sentences import SENTENCE
from reading.values.units import unit_names
from reading.values.years import YEAR_WORD
from retrieval.arbiter.numbers_told import is_of_sentences, telling_terms, text_above
from retrieval.candidates.units import lead_in_of, units_of
from retrieval.headlines.fitting import JOINED, LABEL, share_said
from retrieval.headlines.polarity import (
    asks_yes_or_no,
    denial_unsaid,
    directions_in,
    opposed_word,
    other_direction,
    other_side,
    polar_words,
)
from retrieval.headlines.siblings import find_named, siblings_of, stems_named
from retrieval.question.bands import band_words, intervals_in, numbers_with_units
from retrieval.question.parse import document_words
from retrieval.question.phrasing import phrasing_rules
from retrieval.told.clauses import Clause
from retrieval.types import Candidate, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms
from retrieval.words.tokens import as_typed, is_stop_word, normalise_words, stem

NOTHING_UNSAID = frozenset(["person", "party", "role", "text", "number"])  # any sentence has a name or a number
WORDS_NAMED = 4  # in a reason
BEFORE_NOUN = ("en", "de")  # where what a thing is like is said
BOUNDS = ("most", "least")
LABELLED = re.compile(rf"\b([^\W\d_]{{3,40}}) ({LABEL}(?:{JOINED}{LABEL})*+)")
LABELS = re.compile(rf"\b{LABEL}")
OR_ANOTHER = re.compile(r"\w*(?:['’]s)?\s+(?:or|oder|ou|o)\s+\w+(?:['’]s)?", re.IGNORECASE)
RANGE = re.compile(r"\b(\d{1,3})(?: (?:to|bis|à|a) |[–-])(\d{1,3})\b")


class Labelled(NamedTuple):
    """What a text numbers or letters: the stem of its name, with its labels; of a range all of them."""

    kind: str
    labels: set[str]
    printed: str


def words_of_another(text: str, titles: str, question: Question) -> list[str]:
    """The words of a question whose place another thing takes in a text; `titles` are the names of its sections."""
    words = [other_label(text, question), other_bound(text, question), other_year(text, titles, question)]
    words += [other_number(text, question)]
    if not asks_yes_or_no(question):
        words += [other_quantity(text, question), opposed_word(text, question), other_direction(text, question)]
        words += [denial_unsaid(f"{titles} {text}", question)]
    return list(filter(None, words))


def clause_of(words: Sequence[str]) -> str:
    """The reason that names the words a sentence does not say; "" for none."""
    told = list(dict.fromkeys(words))[:WORDS_NAMED]
    named = " and ".join(f"“{word}”" for word in told)
    return Clause(f"the sentence that comes nearest does not say {named}", "not said", words=told) if told else ""


def doubt_in_denial(question: Question, primary: Sequence[Candidate], content_of: Mapping[str, DocumentContent]) -> str:
    """Why passages are doubtful that only say what is so, where it is asked what is not; "" where one of them denies
    anything, by its section or by what introduces it.
    """
    said = ((name_in_force(each.breadcrumb), text_introducing(each, content_of), each.own_text) for each in primary)
    unsaid = [denial_unsaid(" ".join(texts), question) for texts in said]
    return clause_of(unsaid[:1]) if all(unsaid) else ""


def doubt_in_kind(question: Question, primary: Sequence[Candidate], content_of: Mapping[str, DocumentContent]) -> str:
    """Why passages are doubtful of which the first speaks of another kind, party or case than the one asked for, and no
    other that has the same words of the question speaks of that; else "".
    """
    told: list[tuple[str, set[str]]] = []
    for each in primary:
        content, titles = content_of[each.document_id], name_in_force(each.breadcrumb)
        said = normalise_words(f"{titles} {each.own_text}")
        is_told = is_of_sentences(each) and "pinned" not in each.methods
        other = other_kind(each.own_text, titles, each.anchor.first, question, content) if is_told else ""
        told.append((other, {term.text for term in weigh_terms(question, lexicon_of(content)) if term.is_in(said)}))
    first, words_of_first = told[0] if told else ("", set[str]())
    return first if all(other or not words >= words_of_first for other, words in told) else ""


def other_kind(text: str, titles: str, number: int, question: Question, content: DocumentContent) -> str:
    """Why a text that begins on a line is about another kind, party or case than the one asked for, or "": it does not
    have a word of the question, and has what the document sets beside that, in the sentences with most of the question
    or in the titles over them.
    """
    language = content.language
    if language not in (question.language, "und") or asks_yes_or_no(question):
        return ""  # what is so may be said in other words
    unit = units_of(content).around(number)
    above = lead_in_of(unit, content) or unit
    around = " ".join([titles, content.text_between(*above), content.text_between(*unit), text])
    terms = weigh_terms(question, lexicon_of(content))
    shares = {each: share_said(normalise_words(each), terms) for each in SENTENCE.split(" ".join(text.split()))}
    nearest = [each for each, share in shares.items() if share == max(shares.values())]
    asked = {stem(word, language) for word in normalise_words(question.original)}
    needless = document_words([content])
    headed = " ".join(word for word in normalise_words(titles) if word not in needless)
    needless |= words_of_kind(question)
    named = stems_named(question.topic, content)
    for term in telling_terms(question, content):
        is_name = stem(term.text, language) in named and not needless.issuperset(term.text.split())
        if not is_name or not len(term.lines) or term.is_in(normalise_words(around)):
            continue
        for name in sorted(siblings_of(term, content), key=lambda name: (-len(name), name)):
            over, said = find_named(name, headed, language), [find_named(name, each, language) for each in nearest]
            if asked.isdisjoint(name) and (over or all(said)):
                wanted, other = as_typed(term.text, question.original), as_typed(over or said[0], around)
                reason = f"what was found speaks of “{other}”, not of “{wanted}”"
                return Clause(reason, "other kind", asked=wanted, other=other)
    return ""


def text_introducing(candidate: Candidate, content_of: Mapping[str, DocumentContent]) -> str:
    """The text over an item of a list; "" of any other text."""
    content, first = content_of[candidate.document_id], candidate.anchor.first
    is_item = content.lines[first - 1].kind == "list_item"
    return text_above(first, candidate.toc_index, content) if is_item else ""


def words_lacking(
    around: Sequence[str], question: Question, content: DocumentContent, *, is_strict: bool = False
) -> list[str]:
    """The words of the question that are missing though the document has them elsewhere, or that it never says where
    any sentence has what was asked for, or `is_strict`; no word of its title, nor the kind of thing of which one is
    asked for: a law says "Ontario" and no "state"; nor what is said in another word, "rose" for "increase".
    """
    directions = directions_in(" ".join(around), question.language).keys()
    lacking = [
        term
        for term in telling_terms(question, content)
        if not term.is_in(around) and directions.isdisjoint(directions_in(term.text, question.language))
    ]
    needless = document_words([content]) | words_of_kind(question)
    is_any = is_strict or question.answer_type in NOTHING_UNSAID
    return [
        as_typed(term.text, question.original)
        for term in lacking
        if (is_any or len(term.lines) or is_modifier(term.text, around, question))
        and not needless.issuperset(term.text.split())
    ]


def is_modifier(word: str, around: Sequence[str], question: Question) -> bool:
    """Whether a word of a question for a yes or no tells what a thing is like that a text has: "competing products" are
    not just products.
    """
    language = question.language
    words = [each for each in normalise_words(question.topic) if not is_stop_word(each, language)]
    if not asks_yes_or_no(question) or word not in words:
        return False
    beside = words[words.index(word) + 1 :][:1] if language in BEFORE_NOUN else words[: words.index(word)][-1:]
    said = {stem(each, language) for each in around}
    is_like = polar_words().in_language("modifying", language).fullmatch(word) is not None
    return is_like and any(stem(each, language) in said for each in beside)


def words_of_kind(question: Question) -> set[str]:
    """The words behind "which": the kinds of thing of which one is asked for."""
    found = phrasing_rules().in_language("which_one", question.language).search(question.topic)
    if found is None:
        return set()
    others = OR_ANOTHER.match(question.topic, found.end())
    return set(normalise_words(found[0] + (others[0] if others else "")))


def other_label(text: str, question: Question) -> str:
    """The label of the question where the things of that kind in a text have others: "block D"; else ""."""
    told = list(labels_in(text, question.language))
    for asked in labels_in(question.topic, question.language):
        labels = set().union(*(each.labels for each in told if each.kind == asked.kind))
        if labels and not any(is_within(one, two) or is_within(two, one) for one in asked.labels for two in labels):
            return asked.printed
    return ""


def other_number(text: str, question: Question) -> str:
    """A name of the question that ends in a number, where a text has only one without it, or with another: "BCJ" for
    "BCJ2"; else "".
    """
    told = set(normalise_words(text))
    roots = {word.rstrip(digits) for word in told}
    for asked in normalise_words(question.topic):
        if asked not in told and asked[-1].isdecimal() and asked.rstrip(digits) in roots - {""}:
            return as_typed(asked, question.original)
    return ""


def is_within(label: str, whole: str) -> bool:
    """Whether a label is another's or of a part of it: clause 5.2 of clause 5."""
    return f"{label}.".startswith(f"{whole}.")


def labels_in(text: str, language: str) -> Iterator[Labelled]:
    for found in LABELLED.finditer(text):
        word, labels = match_form(found[1]), found[2]
        if word not in unit_names() and not is_stop_word(word, language):
            within = {str(each) for first, last in RANGE.findall(labels) for each in range(int(first), int(last))}
            yield Labelled(stem(word, language), within | set(LABELS.findall(labels)), found[0])


def other_quantity(text: str, question: Question) -> str:
    """A number of the question in whose unit a text has only others: 100 GB for 500 GB; else "".

    An interval may hold it.
    """
    if band_words().first_words(text, BOUNDS):
        return ""
    told = list(intervals_in(text, question.language))
    for asked in numbers_with_units(question.topic, question.language):
        same = [each for each in told if asked.unit and each.unit == asked.unit]
        if same and all(each.lower == each.upper and not each.holds(asked.amount) for each in same):
            return question.topic[asked.start : asked.end].strip()
    return ""


def other_bound(text: str, question: Question) -> str:
    """The word for the most or the least that is asked for, where a text says only the other; else ""."""
    return other_side(text, question, band_words(), BOUNDS)


def other_year(text: str, titles: str, question: Question) -> str:
    """The year of the question where the place is of another: its sections are called by one, and the text names none
    itself; else "".
    """
    years = set(YEAR_WORD.findall(titles))
    is_other = bool(years) and years.isdisjoint(question.years) and not YEAR_WORD.search(text)
    return question.years[0] if is_other and question.years else ""
