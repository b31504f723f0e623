"""Whether what is quoted gives a number of the thing asked for, and not one of something else beside it (R54).

"How many employees" is not answered by "employees and interns while working for the firm", nor is the price of a lost
card by that of a card. A word that the document has, and that no quoted number is said of, is another thing; for one
that it never says it may have another word.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import name_in_force
from reading.values.nothing import nothing_words, says_nothing
from reading.values.numbers import COUNTING_WORDS
from reading.values.sentences import SENTENCE
from retrieval.arbiter.evidence import is_formed_type
from retrieval.question.defined import value_given
from retrieval.question.kinds import SHIPPED, TYPE_OF_SECTION, answer_rules
from retrieval.question.phrasing import phrasing_rules
from retrieval.question.values import has_value
from retrieval.told.reasons import give_clause
from retrieval.types import Candidate, LineRange, Question
from retrieval.words.counts import WORDS_BETWEEN
from retrieval.words.lexicon import lexicon_of
from retrieval.words.printed import values_in
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import as_typed, is_generic, normalise_words

NUMERIC = frozenset(["amount", "number", "percentage", "rate"])
UNKNOWN_MAX = 1  # words of the question that the document never says
WORDS_EACH = 5  # of a longer question one word in so many may be missing
LINES_BEFORE = 6
WORDS_NAMED = 4  # in a reason
TIME_WORDS_MAX = 2  # "working days"


def number_untold(
    question: Question, quoted: Sequence[tuple[Candidate, str]], contents: Sequence[DocumentContent]
) -> str:
    """Why the quotes of the kept candidates do not give the number asked for, or "": what no number is said of.

    Only where question and document are in one language, and not where the question itself led to the place. A row
    says what it is of by its table, so that any row with a number may be the one.
    """
    content_of = {content.document_id: content for content in contents}
    if not quoted or not asks_for_number(question) or any(is_led_to(each) for each, _ in quoted):
        return ""
    if {content_of[each.document_id].language for each, _ in quoted} - {question.language, "und"}:
        return ""
    if any(is_given_at(each.anchor, question, content_of[each.document_id]) for each, _ in quoted):
        return ""
    unsaid: list[list[WeighedTerm]] = []
    for candidate, text in quoted:
        content = content_of[candidate.document_id]
        terms = things_told_of(question, content)
        spared = len(terms) // WORDS_EACH
        for said, words in numbers_told(candidate, text, question, content):
            lacking = [term for term in terms if not term.is_in(words)]
            known = [term for term in lacking if len(term.lines)]
            is_said = len(known) <= spared and len(lacking) - len(known) <= UNKNOWN_MAX + spared
            if not is_of_sentences(candidate) or (is_said and counts_thing(said, question)):
                return ""
            unsaid.append(known or lacking)
    return name_untold(question, unsaid)


def asks_for_number(question: Question) -> bool:
    """Whether a number is wanted, not only named: "how high are the costs", not "who bears the costs"."""
    if question.parts or SHIPPED.asks_yes_or_no(question.topic, question.language):
        return False
    return question.answer_type == "number" or (question.answer_type in NUMERIC and is_formed_type(question))


def name_untold(question: Question, unsaid: Sequence[Sequence[WeighedTerm]]) -> str:
    """The reason: what the number that comes nearest is not said of, else what was to be counted."""
    nearest = [term.text for term in min(unsaid, key=len)] or [question.listed] if unsaid else []
    words = [as_typed(word, question.original) for word in nearest[:WORDS_NAMED] if word]
    return give_clause("no number", words=words) if words else give_clause("no value", type=question.answer_type)


def is_given_at(lines: LineRange, question: Question, content: DocumentContent) -> bool:
    """Whether these lines have the number that the document says of all that is to be counted."""
    given = value_given(question, content) if question.is_count else None
    return given is not None and lines.first <= given.lines.first <= lines.last


def is_led_to(candidate: Candidate) -> bool:
    """Whether more than words led to a place: a page named, a statement, a list looked for, a row or column told,
    a sentence that leaves its value to it.
    """
    is_told = candidate.is_headed or candidate.is_told or candidate.fetched or candidate.is_left_value
    return is_told or bool(candidate.statement) or "pinned" in candidate.methods


def is_of_sentences(candidate: Candidate) -> bool:
    return bool(candidate.sentences and candidate.sentences.text)


def telling_terms(question: Question, content: DocumentContent) -> list[WeighedTerm]:
    """The terms of the asker's own words, without those that only ask for the kind: "how high", "price", "pay"."""
    language = question.language
    own = {each.text for each in question.keywords if each.is_own}
    sections = (section for section, kind in TYPE_OF_SECTION.items() if kind == question.answer_type)
    asking = [
        *(answer_rules().in_language(section, language) for section in sections),
        phrasing_rules().in_language("settling", language),
    ]
    asked = {word for each in asking for found in each.finditer(question.topic) for word in normalise_words(found[0])}
    return [
        term
        for term in weigh_terms(question, lexicon_of(content))
        if term.is_primary
        and not own.isdisjoint(term.texts)
        and not is_generic(term.text, language)
        and asked.isdisjoint(term.text.split())
    ]


def things_told_of(question: Question, content: DocumentContent) -> list[WeighedTerm]:
    """The telling terms without what is done to them, for which each text has a verb of its own: what must be "carried"
    is maintained there.
    """
    terms = telling_terms(question, content)
    found = phrasing_rules().in_language("undergone", question.language).finditer(question.topic)
    done = {word for each in found for word in normalise_words(each[0])}
    return [term for term in terms if done.isdisjoint(term.text.split())] or terms


def numbers_told(
    candidate: Candidate, text: str, question: Question, content: DocumentContent
) -> Iterator[tuple[str, list[str]]]:
    """The sentences or lines of a quote that give a number, each with the words that are said of it.

    These are its own, those of the sentence before, of the lines before the quote and of the titles of its section.
    """
    first = candidate.sentences.lines.first if candidate.sentences else candidate.anchor.first
    around = normalise_words(f"{name_in_force(candidate.breadcrumb)} {text_above(first, candidate.toc_index, content)}")
    parts = SENTENCE.split(" ".join(text.split())) if is_of_sentences(candidate) else text.splitlines()
    for before, said in pairwise(["", *parts]):
        if gives_number(said, question):
            yield said, normalise_words(f"{before} {said}") + around


def text_above(first: int, toc_index: int, content: DocumentContent) -> str:
    """The LINES_BEFORE lines of a section before a line, about the two sentences that it goes on from."""
    above = content.lines_between(max(first - LINES_BEFORE, 1), first)[:-1]
    return " ".join(line.text for line in above if line.toc_index == toc_index)


def gives_number(text: str, question: Question) -> bool:
    """Whether a text has a number that the question has not, or says that there is none."""
    asked = set(normalise_words(question.original))
    words = [word for word in normalise_words(text) if word not in asked]
    return has_value(question, match_form(text), text) or any(is_number(word, question.language) for word in words)


def is_number(word: str, language: str) -> bool:
    """Whether a word, in match form, says a number, in figures or words, or that there is none; an article does not."""
    expressions = phrasing_rules().of_language(language)
    if word in COUNTING_WORDS:
        return expressions["determiner"].match(f"{word} ") is None
    return word[0].isdigit() or word in nothing_words() or expressions["denial"].fullmatch(word) is not None


def asks_for_time(question: Question) -> bool:
    """Whether days, hours or the like are to be counted: "how many working days"."""
    counted = answer_rules().in_language("counted", question.language).search(question.topic)
    words = normalise_words(question.topic[counted.end() :])[:TIME_WORDS_MAX] if counted else ()
    return bool(values_in(f"2 {' '.join(words)}", "duration", question.language))


def counts_thing(text: str, question: Question) -> bool:
    """Whether a number stands shortly before what is to be counted, and days or the like are given where these are
    asked for; where nothing is, any text does.
    """
    language, thing = question.language, question.listed
    if asks_for_time(question):
        return says_nothing(text) or bool(values_in(text, "duration", language))
    if not question.is_count or not thing or is_generic(thing, language):
        return True
    forms = {form for each in question.keywords if each.text == thing for form in (each.text, *each.forms)}
    words = normalise_words(text)
    return any(
        word in forms and any(is_number(before, language) for before in words[max(at - WORDS_BETWEEN - 1, 0) : at])
        for at, word in enumerate(words)
    )
