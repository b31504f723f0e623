"""The value that a document itself gives what is asked for (R54, R87): "made on 1 May 2024 (the “Effective Date”)".

A term in quotation marks is defined behind its value, in brackets, or before it: "“Fee” means 900 euros". The date of
an agreement, asked for without another name, is that of its preamble. How many arbitrators there are is the number that
is said of all of them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from documents.cards.rules import read_agreement_date
from documents.storage.content import DocumentContent, kept_with_content
from reading.blocks import MEANING, begins_block, item_of
from reading.matching import match_form
from reading.rows import LineRow
from reading.values.sentences import SENTENCE
from retrieval.question.phrasing import asks_for_own_date, name_subject, phrasing_rules
from retrieval.types import LineRange, Question
from retrieval.words.counts import totals_in
from retrieval.words.lexicon import lexicon_of
from retrieval.words.periods import period_words, side_of
from retrieval.words.printed import READERS, Value, values_in
from retrieval.words.tokens import normalise_words

LINES_AROUND = 6  # of a sentence that defines a term
PLURAL_ENDING_MAX = 2
PREAMBLE_LINES = 20  # from the date of an agreement to what it is called from there on
QUOTES = '"“”„«»'
FIRST_IN_BRACKETS = re.compile(rf"\([^(){QUOTES}]{{0,40}}\Z")
MEANS = re.compile(rf"\A[,\s]*(?:{MEANING})\b", re.IGNORECASE)
BOUND = re.compile(rf"{SENTENCE.pattern}|[;；\n]|[“„«\"][^{QUOTES}]{{1,80}}[”“»\"]")  # of what is said of a term
# The last word before a bracket, of a name: "Globex GmbH", "Globex (“Globex”)"; on the line of the date and the rest.
NAMED_LAST = re.compile(r"\A[^\n]*(?:(?<!\w)[^\W\d_a-zß-öø-ÿ][^\s()]*|[”“»\"]\))[,.\s]*\Z")
PARTIES_FOLLOW = re.compile(r"\b(?:between|entre|zwischen)\b")
APART = frozenset({"heading", "caption", "table_row"})
NEAR = 6  # words between a value and its term, and beside it


class GivenValue(NamedTuple):
    """A value as it is printed, and the lines with it and with the words that make it the one asked for."""

    value: Value
    printed: str
    lines: LineRange


def value_given(question: Question, content: DocumentContent) -> GivenValue | None:
    """The value of the kind asked for that the document defines to be the one; None where it gives none, or several."""
    kind = question.answer_type
    if question.is_count and kind == "number":
        return count_given(question, content)
    if kind not in READERS:
        return None
    if asks_for_own_date(question.topic_form):
        return own_date_given(content)
    term = normalise_words(name_subject(question.topic))
    found = [*definitions_of(term, kind, content)] or [*dates_called(term, kind, content)]
    given = {(*each.value.key, each.value.unit): each for each in found}
    return next(iter(given.values())) if len(given) == 1 else None


@kept_with_content
def own_date_given(content: DocumentContent) -> GivenValue | None:
    own = read_agreement_date(content.lines)
    dates = values_in(own.value, "date", content.language)
    numbers = [stretch.number for stretch in own.stretches]
    return GivenValue(dates[0], own.value, LineRange(numbers[0], numbers[-1])) if dates else None


def dates_called(term: list[str], kind: str, content: DocumentContent) -> Iterator[GivenValue]:
    """The date of an agreement, where its preamble calls it so behind the parties: "made on 3 May 2021 by and between
    Acme Ltd and Globex GmbH (the “Effective Date”)". Not where words between them tell of another day, or of what makes
    it one; nor the day of an end, nor what the text says in quotation marks twice, which may be defined there.
    """
    dating = phrasing_rules().in_language("dating", content.language)
    is_day = kind == "date" and any(map(dating.match, term)) and side_of(" ".join(term)) != "end"
    own = own_date_given(content) if is_day and is_quoted_once(term, content) else None
    lines = content.legible_lines(own.lines.first, own.lines.last + PREAMBLE_LINES) if own else ()
    text, ends = join_units(lines), line_ends(lines)
    begin = text.find(own.printed) + len(own.printed) if own and own.printed in text else len(text)
    for found in quoted_term(term).finditer(text, begin):
        bracket = FIRST_IN_BRACKETS.search(text, begin, found.start())
        between = text[begin : bracket.start()] if bracket else "\n"
        is_other = any(map(dating.match, normalise_words(between)[-NEAR:])) or values_in(
            between, kind, content.language
        )
        if own and NAMED_LAST.search(between) and not (is_other or tells_event(between)):
            last = bisect_right(ends, found.start())
            yield own._replace(lines=LineRange(own.lines.first, lines[last].number))


def is_quoted_once(term: list[str], content: DocumentContent) -> bool:
    lines = (content.lines[number - 1] for number in lexicon_of(content).lines_with(" ".join(term)).tolist())
    return sum(len(quoted_term(term).findall(line.text)) for line in lines) <= 1


def tells_event(text: str) -> bool:
    """Whether words tell what begins, ends or puts off something: "takes effect upon signature", "the later of"."""
    said, rules, words = PARTIES_FOLLOW.sub("", match_form(text), 1), phrasing_rules(), period_words()
    return any(each.search(said) for each in (rules["relating"], rules["occurring"], words["start"], words["end"]))


def count_given(question: Question, content: DocumentContent) -> GivenValue | None:
    """How many there are in all of the one thing that is counted; None where that is left open, or two are said."""
    named = [each for each in question.keywords if each.priority == "primary" and each.is_own]
    if [each.text for each in named] != [question.listed]:
        return None
    text = named[0].text
    forms = frozenset(each for each in (text, *named[0].forms) if is_same_thing(each, text))
    found: dict[int, GivenValue] = {}
    for number in lexicon_of(content).lines_with_any(tuple(forms)).tolist():
        lines = [line for line in content.legible_lines(number - 2, number + 1) if line.kind != "heading"]
        text, ends = join_units(lines), line_ends(lines)
        for each in totals_in(text, forms):
            first, last = (lines[bisect_right(ends, at)].number for at in (each.start, each.end))
            if first < number - 1:
                continue  # it is read with the line before
            value = Value("number", str(each.number), each.start, each.end)
            found.setdefault(each.number, GivenValue(value, text[each.start : each.end], LineRange(first, last)))
    return next(iter(found.values())) if len(found) == 1 and 0 not in found else None


def is_same_thing(form: str, text: str) -> bool:
    """Whether two words differ in no more than the ending of a plural: "arbitrators" and "arbitrator"."""
    shorter, longer = sorted((form, text), key=len)
    return longer.startswith(shorter) and len(longer) - len(shorter) <= PLURAL_ENDING_MAX


def quoted_term(term: list[str]) -> re.Pattern[str]:
    words = r"\W".join(map(re.escape, term))
    return re.compile(rf"[{QUOTES}]\s?(?:the\s)?{words}\s?[{QUOTES}]", re.IGNORECASE)


def line_ends(lines: Sequence[LineRow]) -> list[int]:
    return [*accumulate(len(line.text) + 1 for line in lines)]


def definitions_of(term: list[str], kind: str, content: DocumentContent) -> Iterator[GivenValue]:
    """The values of a kind with which a term is defined: each the only one of its stretch, and close to the term."""
    if not term:
        return
    for number in lexicon_of(content).lines_with(" ".join(term)).tolist():
        lines = content.legible_lines(number - LINES_AROUND, number + LINES_AROUND)
        text, ends = join_units(lines), line_ends(lines)
        for found in quoted_term(term).finditer(text):
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
    is_other = rules["relating"].search(said) or rules["adding"].search(joined) or rules["occurring"].search(joined)
    return None if is_other or not is_close else value
