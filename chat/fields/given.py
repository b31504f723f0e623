"""The values that a document itself gives what was asked, with the lines that do (R87): its definition, its preamble,
its block of signatures, the addresses in its section about notices.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from chat.checks import MarkedValue
from chat.drafts import Quoted, cite_lines
from chat.figures.names import addresses_of_block, signers_in
from chat.figures.typed import contents_of, context_lines
from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import LineRow, name_in_force
from retrieval.candidates.noise import SIGNATURES, name_part
from retrieval.question.defined import GivenValue, line_ends, value_given
from retrieval.question.kinds import type_of
from retrieval.question.phrasing import phrasing_rules
from retrieval.types import LineRange, Question
from retrieval.words.printed import Value
from retrieval.words.tokens import normalise_words


class GivenQuote(NamedTuple):
    """Values, and the quote they stand in."""

    values: list[MarkedValue]
    quoted: Quoted


def quote_given(quoted: Sequence[Quoted], question: Question) -> GivenQuote | None:
    """The values given, in one of the quotes or as a further one from what is read around them; None without any, of
    several documents, and where one is struck through.
    """
    contents = contents_of(quoted)
    content = next(iter(contents.values())) if len(contents) == 1 else None
    if content is None:
        return None
    given = value_given(question, content)
    found = [given] if given else values_in_block(quoted, question, content)
    if not found:
        return None
    first, last = min(each.lines.first for each in found), max(each.lines.last for each in found)
    around = [each for each in quoted if each.candidate.context_first_line <= first <= each.candidate.context_last_line]
    lines = content.legible_lines(first, last) if around else ()
    if not lines or any(line.struck for line in lines):
        return None
    text = "\n".join(line.text for line in lines)
    place = cite_lines(content, first, last, [(each.number, 0, len(each.text)) for each in lines])
    quote = next((each for each in around if text in each.quote), None)
    quote = quote or Quoted(len(quoted) + 1, around[0].candidate, text, place)
    return GivenQuote([typed_value(each, quote.marker) for each in found], quote)


def typed_value(given: GivenValue, marker: int) -> MarkedValue:
    value, lines = given.value, [*given.lines]
    typed = MarkedValue(type=value.type, value=value.value, printed=given.printed, lines=lines, marker=marker)
    if value.currency:
        typed["currency"] = value.currency
    if value.unit:
        typed["unit"] = value.unit
    return typed


def values_in_block(quoted: Sequence[Quoted], question: Question, content: DocumentContent) -> list[GivenValue]:
    """Who signs, or the addresses of a section whose title has all words of what is asked: "Notices". None where two
    passages name others.
    """
    words = [each for each in question.keywords if each.is_own and type_of(each.text) != "address"]
    is_signing = bool(phrasing_rules()["names_signer"].match(question.topic_form))
    found: list[list[GivenValue]] = []
    for each in quoted:
        titles = normalise_words(name_in_force(each.candidate.breadcrumb))
        lines = context_lines(each, content)
        if is_signing:
            signers = place_values(lines, signers_in)
            is_signed = any("/s/" in line.text for line in lines)
            found.append([one for one in signers if is_signed or name_part(one.lines.first, content) == SIGNATURES])
        elif (
            question.answer_type == "address"
            and words
            and all(not {word.text, *word.forms}.isdisjoint(titles) for word in words)
        ):
            found.append(place_values(lines, addresses_of_block))
    most = max(found, key=len, default=[])
    named = {match_form(each.printed) for each in most}
    return most if all(match_form(each.printed) in named for values in found for each in values) else []


def place_values(lines: Sequence[LineRow], read: Callable[[str], Sequence[Value]]) -> list[GivenValue]:
    """What is read of some lines as one text, each with its own lines; nothing where it goes on on another page."""
    text, ends = "\n".join(line.text for line in lines), line_ends(lines)
    numbers = [line.number for line in lines]
    placed = [
        GivenValue(
            value,
            " ".join(text[value.start : value.end].split()),
            LineRange(*(numbers[bisect_right(ends, at)] for at in (value.start, value.end - 1))),
        )
        for value in read(text)
    ]
    page_of = {line.number: line.page_number for line in lines}
    return placed if len({page_of[number] for each in placed for number in each.lines}) == 1 else []
