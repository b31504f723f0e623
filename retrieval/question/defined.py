"""The value that a document itself gives what is asked for (R54, R87): "made on 1 May 2024 (the “Effective Date”)".

A term in quotation marks is defined behind its value, in brackets, or before it: "“Fee” means 900 euros". The date of
an agreement, asked for without another name, is that of its preamble.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from documents.cards.rules import read_agreement_date
from documents.storage.content import DocumentContent
from reading.blocks import VERB
from reading.values.sentences import SENTENCE
from retrieval.question.phrasing import asks_for_own_date, name_subject
from retrieval.types import LineRange, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.printed import READERS, Value, values_in
from retrieval.words.tokens import normalise_words

LINES_AROUND = 6  # of a sentence that defines a term
QUOTES = '"“”„«»'
FIRST_IN_BRACKETS = re.compile(rf"\([^(){QUOTES}]{{0,40}}\Z")
MEANS = re.compile(rf"\A[,\s]*(?:{VERB})\b", re.IGNORECASE)


class GivenValue(NamedTuple):
    """A value as it is printed, and the lines with it and with the words that make it the one asked for."""

    value: Value
    printed: str
    lines: LineRange


def value_given(question: Question, content: DocumentContent) -> GivenValue | None:
    """The value of the kind asked for that the document defines to be the one; None where it gives none, or several."""
    kind, language = question.answer_type, content.language
    if kind not in READERS:
        return None
    if asks_for_own_date(question.topic_form):
        own = read_agreement_date(content.lines)
        dates = values_in(own.value, kind, language)
        numbers = [stretch.number for stretch in own.stretches]
        return GivenValue(dates[0], own.value, LineRange(numbers[0], numbers[-1])) if dates else None
    term = normalise_words(name_subject(question.topic))
    given = {(*each.value.key, each.value.unit): each for each in definitions_of(term, kind, content)}
    return next(iter(given.values())) if len(given) == 1 else None


def definitions_of(term: list[str], kind: str, content: DocumentContent) -> Iterator[GivenValue]:
    """The values of a kind with which a term is defined."""
    if not term:
        return
    words = r"\W".join(map(re.escape, term))
    quoted = re.compile(rf"[{QUOTES}]\s?(?:the\s)?{words}\s?[{QUOTES}]", re.IGNORECASE)
    for number in lexicon_of(content).lines_with(" ".join(term)).tolist():
        lines = content.legible_lines(number - LINES_AROUND, number + LINES_AROUND)
        text, ends = " ".join(line.text for line in lines), [*accumulate(len(line.text) + 1 for line in lines)]
        for found in quoted.finditer(text):
            begin = max((end.end() for end in SENTENCE.finditer(text, 0, found.start())), default=0)
            bracket, means = FIRST_IN_BRACKETS.search(text, begin, found.start()), MEANS.match(text[found.end() :])
            stop = SENTENCE.search(text, found.end())
            first, last = (begin, bracket.start()) if bracket else (found.end(), stop.start() if stop else len(text))
            values = [each for each in values_in(text[first:last], kind, content.language) if each.type == kind]
            if values and (bracket or means):
                value = values[-1 if bracket else 0]
                places = sorted(bisect_right(ends, at) for at in (first + value.start, found.start()))
                printed = text[first + value.start : first + value.end]
                yield GivenValue(value, printed, LineRange(lines[places[0]].number, lines[places[1]].number))
