"""The value that a document itself gives what is asked for (R54, R87): "made on 1 May 2024 (the “Effective Date”)".

A term in quotation marks is defined behind its value, in brackets, or before it: "“Fee” means 900 euros". The date of
an agreement, asked for without another name, is that of its preamble.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from documents.cards.rules import read_agreement_date
from documents.storage.content import DocumentContent
from reading.blocks import MEANING, begins_block, item_of
from reading.matching import match_form
from reading.rows import LineRow
from reading.values.sentences import SENTENCE
from retrieval.question.phrasing import asks_for_own_date, name_subject, phrasing_rules
from retrieval.types import LineRange, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.printed import READERS, Value, values_in
from retrieval.words.tokens import normalise_words

LINES_AROUND = 6  # of a sentence that defines a term
QUOTES = '"“”„«»'
FIRST_IN_BRACKETS = re.compile(rf"\([^(){QUOTES}]{{0,40}}\Z")
MEANS = re.compile(rf"\A[,\s]*(?:{MEANING})\b", re.IGNORECASE)
BOUND = re.compile(rf"{SENTENCE.pattern}|[;；\n]|[“„«\"][^{QUOTES}]{{1,80}}[”“»\"]")  # of what is said of a term
APART = frozenset({"heading", "caption", "table_row"})
NEAR = 6  # words between a value and its term, and beside it


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
    """The values of a kind with which a term is defined: each the only one of its stretch, and close to the term."""
    if not term:
        return
    words = r"\W".join(map(re.escape, term))
    quoted = re.compile(rf"[{QUOTES}]\s?(?:the\s)?{words}\s?[{QUOTES}]", re.IGNORECASE)
    for number in lexicon_of(content).lines_with(" ".join(term)).tolist():
        lines = content.legible_lines(number - LINES_AROUND, number + LINES_AROUND)
        text, ends = join_units(lines), [*accumulate(len(line.text) + 1 for line in lines)]
        for found in quoted.finditer(text):
            place = place_given(text, found, kind, content.language)
            if place:
                first, last = sorted(bisect_right(ends, at) for at in (place.start, found.start()))
                printed = text[place.start : place.end]
                yield GivenValue(place, printed, LineRange(lines[first].number, lines[last].number))


def join_units(lines: Sequence[LineRow]) -> str:
    """Lines as one text, with a line feed before each that begins an item, a row or a block."""
    parts = [line.text for line in lines[:1]]
    for last, line in pairwise(lines):
        is_apart = bool({last.kind, line.kind} & APART) or (line.kind == "list_item" and bool(item_of(line.text)))
        parts += ["\n" if is_apart or begins_block(line, [last], None) else " ", line.text]
    return "".join(parts)


def place_given(text: str, found: re.Match[str], kind: str, language: str) -> Value | None:
    """The value, with its place in the text, that a quoted term is defined with; None of several, and where words
    between them, or beside the value, make it a part of what is meant: "the later of", "up to", "12 months after".
    """
    begin = max((end.end() for end in BOUND.finditer(text, 0, found.start())), default=0)
    bracket, means = FIRST_IN_BRACKETS.search(text, begin, found.start()), MEANS.match(text[found.end() :])
    if bracket:
        first, last = begin, bracket.start()
    elif means:
        stop = BOUND.search(text, found.end())
        first, last = found.end() + means.end(), stop.start() if stop else len(text)
    else:
        return None
    values = values_in(text[first:last], kind, language)
    if len(values) != 1 or values[0].type != kind:
        return None
    value = replace(values[0], start=first + values[0].start, end=first + values[0].end)
    before, after = text[first : value.start], text[value.end : last]
    between, beside = (after, before.split()[-NEAR:]) if bracket else (before, after.split()[:NEAR])
    said = match_form(" ".join([between, *beside, bracket.group() if bracket else ""]))
    joined = match_form(" ".join([*before.split()[-1:], between]))
    rules = phrasing_rules()
    is_close = len(between.split()) <= NEAR and not set(",:") & set(between.strip(" ,:"))
    return None if not is_close or rules["relating"].search(said) or rules["adding"].search(joined) else value
