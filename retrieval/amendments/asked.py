"""What the versions of a clause do before anything is judged: all of them are candidates, and a date picks of them."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from reading.matching import match_form
from reading.values.months import MONTH, MONTHS
from reading.values.years import YEAR, YEAR_DIGITS
from retrieval.amendments.versions import Versions
from retrieval.types import Candidate, Hit, LineRange, Question
from retrieval.words.printed import dates_in

MONTH_OF_YEAR = re.compile(rf"\b(?P<month>{MONTH})\.?\s+(?:del?\s+)?(?P<year>{YEAR_DIGITS})\b", re.IGNORECASE)
ENOUGH_SHARE = 0.6  # of the strongest place: of what says less the versions are not wanted


def hits_of_versions(question: Question, candidates: Sequence[Candidate], versions: Sequence[Versions]) -> list[Hit]:
    """A hit in each version of the clauses that the best candidates stand in, if it names one of that one.

    None in the version that such a candidate has found by the words of the question: it is judged by these.
    """
    named = [found for found in versions if found.clause == question.hints.section]
    enough = ENOUGH_SHARE * max((each.strength for each in candidates), default=0.0)
    best = [each for each in candidates if each.strength >= enough]
    met = [found for found in named or versions if any(found.at(each.document_id, each.anchor) for each in best)]
    return [
        Hit(
            method="references",
            document_id=each.document_id,
            lines=LineRange(each.lines.first, each.lines.first),
            score=1.0,
            detail=f"clause {found.clause}, which is amended",
        )
        for found in met
        for each in found.each
        if not any(one.document_id == each.document_id and each.lines.overlaps(one.anchor) for one in best)
    ]


class AskedTime(NamedTuple):
    """A date or a month in a text: its first and last day, and its characters."""

    days: tuple[str, str]
    start: int
    end: int


def times_in(text: str) -> list[AskedTime]:
    """The dates in a text, else its months with a year."""
    dates = [AskedTime((found.value, found.value), found.start, found.end) for found in dates_in(text)]
    return dates or [
        AskedTime(days_of_month(int(found["year"]), MONTHS[found["month"].lower()]), *found.span())
        for found in MONTH_OF_YEAR.finditer(text)
    ]


def days_of_month(year: int, month: int) -> tuple[str, str]:
    last = monthrange(year, month)[1]
    return f"{year}-{month:02}-01", f"{year}-{month:02}-{last:02}"


def days_asked(question: Question) -> tuple[str, str] | None:
    """The first and the last day that a question asks about; None where it names no date and no year, or several."""
    times = {found.days for found in times_in(question.original)}
    if times:
        return times.pop() if len(times) == 1 else None
    if len(question.years) != 1 or not YEAR.fullmatch(question.years[0]):
        return None
    return f"{question.years[0]}-01-01", f"{question.years[0]}-12-31"


def without_time(question: Question, candidates: Sequence[Candidate], versions: Sequence[Versions]) -> Question:
    """The question without its date where the best place is a version of a clause, of which the date picks one.

    No page need mention the year in which a version was in force.
    """
    best = max(candidates, key=lambda each: each.strength, default=None)
    met = [found for found in versions if best and found.at(best.document_id, best.anchor)]
    is_dated = any(version.in_force.begins for found in met for version in found.each)
    if not is_dated or days_asked(question) is None:
        return question
    said = [question.topic[found.start : found.end] for found in times_in(question.topic)]
    topic, dated = question.topic, set(match_form(" ".join(said)).split())
    for each in said:
        topic = topic.replace(each, " ")
    keywords = tuple(word for word in question.keywords if word.text not in dated)
    return replace(question, topic=" ".join(topic.split()), years=(), keywords=keywords)
