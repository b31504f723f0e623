"""The value that a document itself gives what was asked, with the lines that do (R87): its definition, its preamble."""

from collections.abc import Sequence
from typing import NamedTuple

from chat.checks import MarkedValue
from chat.drafts import Quoted, cite_lines
from chat.figures.typed import contents_of
from retrieval.question.defined import value_given
from retrieval.types import Question


class QuotedValue(NamedTuple):
    """A value, and the quote it stands in."""

    value: MarkedValue
    quoted: Quoted


def quote_given(quoted: Sequence[Quoted], question: Question) -> QuotedValue | None:
    """The value given, in one of the quotes or as a further one from what is read around them; None without one, of
    several documents, and where it is struck through.
    """
    contents = contents_of(quoted)
    given = value_given(question, next(iter(contents.values()))) if len(contents) == 1 else None
    if given is None:
        return None
    first, last = given.lines
    around = [each for each in quoted if each.candidate.context_first_line <= first <= each.candidate.context_last_line]
    lines = contents[around[0].candidate.parse_id].legible_lines(first, last) if around else ()
    if not lines or any(line.struck for line in lines):
        return None
    text = "\n".join(line.text for line in lines)
    place = cite_lines(
        contents[around[0].candidate.parse_id], first, last, [(each.number, 0, len(each.text)) for each in lines]
    )
    quote = next((each for each in around if text in each.quote), None)
    quote = quote or Quoted(len(quoted) + 1, around[0].candidate, text, place)
    value = given.value
    typed = MarkedValue(
        type=value.type, value=value.value, printed=given.printed, lines=[first, last], marker=quote.marker
    )
    if value.currency:
        typed["currency"] = value.currency
    if value.unit:
        typed["unit"] = value.unit
    return QuotedValue(typed, quote)
