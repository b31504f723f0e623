"""Which of the values that a document prints is said of what was asked for, and whether one is (R54, R87).

A passage may answer a question and print, in another sentence or in another part of a long one, a value of the kind
asked for.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.arbiter.numbers_told import telling_terms
from retrieval.candidates.units import Piece, units_of
from retrieval.headlines.choosing import (
    SAID_KINDS,
    WORDS,
    WORDS_OR_SECTION,
    SentenceText,
    Spoken,
    mismatch_of,
    sentences_of_unit,
    titles_over,
)
from retrieval.headlines.fitting import alike, share_said
from retrieval.headlines.mismatches import clause_of
from retrieval.headlines.undecided import clause_left_open, left_open
from retrieval.question.called import without_called
from retrieval.question.defined import value_given
from retrieval.question.kinds import SHIPPED, type_of
from retrieval.question.phrasing import asks_for_own_date
from retrieval.types import LineRange, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.periods import is_other_side, names_whole, side_asked, side_of, thing_asked
from retrieval.words.printed import Value, values_in
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import as_typed, normalise_words

IN_BLOCKS = ("address", "postcode")  # apart from any sentence: the section says whose it is
REACH = 25  # words before and after a value that are said of it; a sentence of an agreement may have two hundred
NAME_WORDS = 3  # of a field that is asked for by its name, whose last word says what the value is of
BESIDE = 6  # words between it and the value, where a clause ends between them
CLAUSE_BREAK, WORD = re.compile(r"[,;:]\s"), re.compile(r"[\w'’-]+")
SIDE_CHARS = 120  # before a date, that say of what it is the start or the end
UNITS_MAX = 200  # with words of the question, that are searched for another value


class SaidOf(NamedTuple):
    """How much of a question is said of a value: the share of its weight that stands within REACH, and that with the
    titles of the section.
    """

    own: float
    titled: float

    @property
    def rank(self) -> float:
        """Greatest best."""
        return round(WORDS * self.own + WORDS_OR_SECTION * self.titled, 6)

    def is_as_much(self, other: "SaidOf") -> bool:
        return self.own >= other.own and self.titled >= other.titled


def mismatch_at(lines: LineRange, printed: str, content: DocumentContent, question: Question) -> str:
    """Why the running text that prints a value on these lines is about another thing, or leaves it open; else "".

    A word of the question that the document never says counts as well, and some word has to stand near the value.
    """
    if question.answer_type in IN_BLOCKS and is_of_other_section(sentence_at(lines, printed, content), question):
        return clause_left_open()
    if content.lines[lines.first - 1].kind not in SAID_KINDS:
        return ""
    if given := value_given(question, content):
        return "" if is_printed(given.value, printed, content.language) else clause_left_open()
    question = without_called(question)
    spoken = sentence_at(lines, printed, content)
    if asks_for_own_date(question.topic_form) and side_printed(printed, spoken) != "signed":
        return clause_left_open()
    if is_side_asked(printed, spoken, question):
        return left_open(spoken.text, question)
    if mismatch := mismatch_of(spoken, question, is_strict=True):
        return mismatch
    terms = telling_terms(question, content)
    telling = [term for term in terms if term.text not in SHIPPED.vague_words] or terms
    if not telling or said_of(spoken, printed, telling).own:
        return ""
    return clause_of([as_typed(term.text, question.original) for term in terms])


def apart_at(lines: LineRange, printed: str, content: DocumentContent, question: Question) -> str:
    """Why the clause that prints a period or an amount is not about what a name of few words asks for last, or ""."""
    asked = normalise_words(question.topic)
    if question.answer_type not in ("amount", "duration") or len(asked) > NAME_WORDS or value_given(question, content):
        return ""
    terms = telling_terms(without_called(question), content)
    terms = [term for term in terms if term.text not in SHIPPED.vague_words] or terms
    head = max(
        terms,
        key=lambda term: max((at for at, word in enumerate(asked) if word in term.forms), default=-1),
        default=None,
    )
    text = sentence_at(lines, printed, content).text
    return "" if head is None or is_said_beside(text, printed, head) else clause_left_open()


def is_said_beside(text: str, printed: str, head: WeighedTerm) -> bool:
    """Whether a word stands in the clause of a value, or a few words from it: of "by notice, and if not ended before,
    ends after a year" the year is not the notice.
    """
    text, value = " ".join(text.split()), " ".join(printed.split())
    places = [word for word in WORD.finditer(text) if head.is_in(normalise_words(word[0]))]
    between = [
        text[word.end() : found.start()] if word.end() <= found.start() else text[found.end() : word.start()]
        for found in re.finditer(rf"(?<![\d.,]){re.escape(value)}(?!\d)", text)
        for word in places
    ]
    return any(not CLAUSE_BREAK.search(each) or len(each.split()) <= BESIDE for each in between)


def is_of_other_section(spoken: Spoken, question: Question) -> bool:
    """Whether none of the titles over a place has a word of what is asked, and that of another section has one."""
    lexicon, over = lexicon_of(spoken.content), set(normalise_words(titles_over(spoken)))
    words = (each for each in question.keywords if each.is_own and type_of(each.text) != question.answer_type)
    forms = {form for word in words for form in (word.text, *word.forms)}
    return over.isdisjoint(forms) and any(lexicon.titles_with(form) for form in forms)


def is_printed(value: Value, printed: str, language: str) -> bool:
    return any(alike(each) == alike(value) for each in values_in(printed, value.type, language))


def is_side_asked(printed: str, spoken: Spoken, question: Question) -> bool:
    """Whether a date is said to be the start or the end of the whole document, where that is asked for: "until"."""
    side = side_asked(question.original) if question.answer_type == "date" else ""
    if not side or thing_asked(question.original) or side_printed(printed, spoken) != side:
        return False
    return names_whole(match_form(spoken.text).partition(match_form(printed))[0][-SIDE_CHARS:])


def side_printed(printed: str, spoken: Spoken) -> str:
    return side_of(match_form(spoken.text).partition(match_form(printed))[0])


def said_at(lines: LineRange, printed: str, content: DocumentContent, question: Question) -> SaidOf:
    """How much of a question is said of a value that is printed on these lines."""
    return said_of(sentence_at(lines, printed, content), printed, weigh_terms(question, lexicon_of(content)))


def said_of(spoken: Spoken, printed: str, terms: Sequence[WeighedTerm]) -> SaidOf:
    words, value = normalise_words(spoken.text), normalise_words(printed)
    starts = range(len(words) - len(value) + 1)
    first = next((at for at in starts if words[at : at + len(value)] == value), 0)
    near = words[max(first - REACH, 0) : first + len(value) + REACH]
    return SaidOf(share_said(near, terms), share_said([*near, *normalise_words(titles_over(spoken))], terms))


def sentence_at(lines: LineRange, printed: str, content: DocumentContent) -> Spoken:
    """The sentence that prints a value on these lines; the whole unit where none is short enough to be said first."""
    unit, value = units_of(content).around(lines.first), match_form(printed)
    found = (
        each
        for each in sentences_of_unit(unit, content)
        if value in match_form(each.text) and any(piece.number == lines.first for piece in each.pieces)
    )
    written = next(found, None) or whole_text(LineRange(unit.first, max(unit.last, lines.last)), content)
    return Spoken(0, "", content, written.pieces, written.text)


def whole_text(lines: LineRange, content: DocumentContent) -> SentenceText:
    """The lines as one text: of a sentence too long to be said first."""
    legible = content.legible_lines(*lines)
    pieces = tuple(Piece(line.number, 0, len(line.text)) for line in legible)
    return SentenceText(pieces, " ".join(line.text for line in legible))


def other_value_at(lines: LineRange, printed: str, content: DocumentContent, question: Question) -> str:
    """Another value of the kind asked for, as printed, of which another sentence says as much of the question; else "".

    What a value of the kind says by itself, the "period" of a notice period, need not be said.
    """
    if value_given(question, content):
        return ""
    question = without_called(question)
    terms, language = weigh_terms(question, lexicon_of(content)), content.language
    own = values_in(printed, question.answer_type, language)[:1]
    spoken = sentence_at(lines, printed, content)
    least = said_of(spoken, printed, terms)
    for other in sentences_saying(terms, content) if own else ():
        values = values_in(other.text, question.answer_type, language)
        if not values or other.pieces == spoken.pieces or left_open(other.text, question):
            continue
        said = {value: said_of(other, other.text[value.start : value.end], terms) for value in values}
        most = max(values, key=lambda value: said[value].rank)
        if said[most].is_as_much(least) and differs(most, own[0], other, question):
            return other.text[most.start : most.end]
    return ""


def differs(value: Value, own: Value, spoken: Spoken, question: Question) -> bool:
    """Whether a value of a sentence is of the kind of another and not the same, and no start for an end."""
    is_other = value.type == own.type and alike(value) != alike(own)
    return is_other and not (value.type == "date" and is_other_side(question.original, spoken.text, value))


def sentences_saying(terms: Sequence[WeighedTerm], content: DocumentContent) -> Iterator[Spoken]:
    """The sentences of units of running text with a primary term on one of their lines."""
    units = units_of(content)
    lines = (number for term in terms if term.is_primary for number in term.lines.tolist())
    for position in sorted({units.position(number) for number in lines})[:UNITS_MAX]:
        for written in sentences_of_unit(units.at(position), content):
            yield Spoken(0, "", content, written.pieces, written.text)
