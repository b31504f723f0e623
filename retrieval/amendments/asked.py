"""What the versions of a clause do before anything is judged: all of them are candidates, and a date picks of them."""

from collections.abc import Sequence
from dataclasses import replace

from reading.matching import match_form
from reading.values.years import YEAR
from retrieval.amendments.versions import Versions
from retrieval.types import Candidate, Hit, LineRange, Question
from retrieval.words.printed import dates_in

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


def days_asked(question: Question) -> tuple[str, str] | None:
    """The first and the last day that a question asks about; None where it names no date and no year, or several."""
    days = {date.value for date in dates_in(question.original)}
    if days:
        return (min(days), max(days)) if len(days) == 1 else None
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
    said = [question.topic[date.start : date.end] for date in dates_in(question.topic)]
    topic, dated = question.topic, set(match_form(" ".join(said)).split())
    for each in said:
        topic = topic.replace(each, " ")
    keywords = tuple(word for word in question.keywords if word.text not in dated)
    return replace(question, topic=" ".join(topic.split()), years=(), keywords=keywords)
