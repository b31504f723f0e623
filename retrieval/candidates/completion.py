"""One further pass for a list (R76, R83, R84): is it as long as the text says, and if not, where is the whole of it?

It looks once, adds a few places, and tells what it did; the arbiter then judges them with the others.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.candidates.lists import PrintedList, lists_around, read_lists, series_at
from retrieval.candidates.pointed import Pointed
from retrieval.filters import Within
from retrieval.told.planned import give_reason, join_reasons
from retrieval.types import Candidate, Hit, LineRange, Question
from retrieval.words.counts import counted_pattern, counts_stated
from retrieval.words.lexicon import lexicon_of

BEST_MAX = 8  # places whose lists are counted before anything is fetched
FETCHED_MAX = 2  # places added at most: each says or lists it all
NEAR_LINES = 10  # below an anchor, where a list that it introduces begins


def complete_list(
    question: Question,
    candidates: Sequence[Candidate],
    contents: Sequence[DocumentContent],
    within: Within | None = None,
) -> Pointed:
    """Compare the stated count with what the best places list, and look for the whole list once if they list less.

    Where they do not say how many there are, it looks for the place that does. Nothing is added outside `within`.
    """
    documents = {content.document_id: content for content in contents}
    best = sorted(candidates, key=lambda each: each.rrf_rank)[:BEST_MAX]
    forms = {form for each in question.keywords if each.text == question.listed for form in (each.text, *each.forms)}
    count = question.listed_count or next(
        (count for each in best for count in counts_near(each.anchor, documents[each.document_id], forms)), 0
    )
    found = [each for place in best for each in lists_at(place.anchor, documents[place.document_id], forms)]
    if count and any(len(each.items) == count for each in found):
        return Pointed((), give_reason("listed", count=count, found=count, listed=question.listed))
    longest = max((len(each.items) for each in found if len(each.items) < count), default=0)
    lacking = give_reason("listed", count=count, found=longest, listed=question.listed)
    known = {(each.document_id, number) for each in best for number in range(each.anchor.first, each.anchor.last + 1)}
    places = [
        (content, number)
        for content in contents
        for number in find_whole(count, forms, content, counted_pattern(question))
        if (content.document_id, number) not in known and (within is None or within[content.document_id][number])
    ][:FETCHED_MAX]
    if not places:
        return Pointed((), join_reasons(lacking, give_reason("no other place")))
    pages = ", ".join(dict.fromkeys(str(content.lines[number - 1].page_number) for content, number in places))
    outcome = join_reasons(lacking, give_reason("looked again", pages=pages))
    return Pointed(tuple(fetch(question.listed, content, number) for content, number in places), outcome)


def fetch(name: str, content: DocumentContent, number: int) -> Hit:
    detail = f"further pass: how many {name} there are, or all of them"
    return Hit.on_line(
        "keywords", number, content, matched_keywords=(name,), co_occurrence=True, detail=detail, fetched=True
    )


def counts_near(anchor: LineRange, content: DocumentContent, forms: Collection[str]) -> list[int]:
    """How many of the things the lines of an anchor say there are."""
    return counts_stated(" ".join(line.match for line in content.lines_between(*anchor)), forms)


def lists_at(anchor: LineRange, content: DocumentContent, forms: Collection[str]) -> list[PrintedList]:
    """The list that an anchor is in or introduces, and the one in its own sentence."""
    found = [each for each in lists_around(anchor, content)[:1] if each.lines.first <= anchor.last + NEAR_LINES]
    series = (series_at(line.number, content, forms) for line in content.lines_between(*anchor))
    return [*found, *(each for each in series if each)]


def find_whole(
    count: int, forms: Collection[str], content: DocumentContent, counted: re.Pattern[str] | None
) -> Iterator[int]:
    """The first lines of the places that list `count` of the things, or as many as they say there are if it is 0.

    Those that only say how many there are, in words or as `counted`, come last, and not at all without `counted`.
    """
    stating: list[int] = []
    for number in lexicon_of(content).lines_with_any(forms).tolist():
        stated = [count] if count else counts_stated(content.lines[number - 1].match, forms)
        series = series_at(number, content, forms) if stated else None
        if series and len(series.items) in stated:
            yield number
        elif not count and (stated or (counted and counted.search(content.lines[number - 1].match))):
            stating.append(number)
    for printed in read_lists(content.lines):
        stated = [count] if count else counts_stated(match_form(printed.introduction), forms)
        if printed.names(forms) and len(printed.items) in stated:
            yield printed.lines.first
    yield from stating if counted else ()
