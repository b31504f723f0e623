"""The card of a document by rules (R15), from the rows of its first pages, its title and its section titles."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from documents.cards import types
from documents.cards.places import ReadCard, place_of_value
from documents.cards.signs import ANY_DATE, MONTH_ALONE, card_signs, signs_of
from documents.cards.summary import first_sentences
from reading.layout.lines import PageLine
from reading.layout.traced import TracedText, TracedValue, trace
from reading.rows import UNSEARCHED_KINDS, LineRow, TocRow, name_in_force
from reading.titles import (
    DATE,
    DATE_CHARS,
    PREAMBLE_END,
    find_agreement,
    find_filing,
    find_release,
    first_lines,
    parties_in,
    plain_date,
    preamble_text,
    term_given,
)

HEAD_LINES = 30  # of the first pages, as many as stand above the text of a letter or an invoice
TEXT_CHARS = 12_000  # about three pages
WHOLE_CHARS = 400_000  # about a hundred pages; the law of an agreement stands near its end
HEADINGS = 200
SHORT_CHARS = 70  # of a line; after a longer one a date is the end of a sentence
DATED_CHARS = 3_000  # from the beginning; further on are the dates of other documents
DATE_LINE = re.compile(rf"\W*(?:{ANY_DATE}|{MONTH_ALONE.pattern})\W*", re.IGNORECASE)
WEIGHT_MIN = 4  # less is one sign that other documents have as well
AGREEMENTS = ("contract", "nda", "amendment")
FILINGS = ("annual_report", "quarterly_report", "current_report")
PERIODIC = ("annual_report", "quarterly_report", "results")


class Beginning(NamedTuple):
    """What of a document the rules read."""

    title: str
    first: Sequence[PageLine]
    text: TracedText  # running text of the first pages
    printed: TracedText  # the same, one line each
    whole: TracedText  # running text of the document
    headings: tuple[str, ...]


Named = tuple[str, TracedValue]  # a date or a field


class NamedParty(NamedTuple):
    """A party as a preamble names it, and what it is called from there on ("the Supplier"), "" if nothing."""

    name: TracedValue
    term: str


def make_card(title: str, lines: Sequence[LineRow], toc: Sequence[TocRow]) -> ReadCard:
    """The card of a document by its title ("" if it has none) and rows, with the places it was read from."""
    start = begin_with(title, lines, toc)
    kind = find_type(start)
    parties: dict[str, TracedValue] = {}
    for party in find_parties(kind, start):
        parties.setdefault(party.value[: types.NAME_CHARS], party)
    parties = dict(islice(parties.items(), types.PARTIES_MAX))
    dates, period = [*find_dates(kind, start)][: types.DATES_MAX], find_period(kind, start)
    fields = [*find_fields(kind, start)][: types.FIELDS_MAX]
    card = types.Card(
        type=kind,
        parties=tuple(parties),
        dates=tuple(types.NamedValue(name, read.value) for name, read in dates),
        period=period.value,
        summary=first_sentences(lines, toc, is_agreement=kind in AGREEMENTS),
        fields=tuple(types.NamedValue(name, read.value[: types.VALUE_CHARS].rstrip()) for name, read in fields),
    )
    read_from = [
        *(place_of_value("party", name, read) for name, read in parties.items()),
        *(place_of_value("date", name, read) for name, read in dates),
        place_of_value("period", "", period),
        *(place_of_value("value", name, read) for name, read in fields),
    ]
    return ReadCard(card, tuple(place for place in read_from if place))


def begin_with(title: str, lines: Sequence[LineRow], toc: Sequence[TocRow]) -> Beginning:
    first = first_lines(map(as_printed, lines))
    searched = (line for line in lines if line.kind not in UNSEARCHED_KINDS)
    said = [line for line in first if line.kind not in UNSEARCHED_KINDS]
    return Beginning(
        title=title,
        first=first,
        text=trace(said, joins_words=True).cut(TEXT_CHARS),
        printed=trace(said, joint="\n").cut(TEXT_CHARS),
        whole=trace(searched).cut(WHOLE_CHARS),
        headings=tuple(name_in_force(entry.title) for entry in toc if entry.origin != "front")[:HEADINGS],
    )


def as_printed(line: LineRow) -> PageLine:
    """A stored line as titles are found in: its height stands for its size."""
    return PageLine(
        page_number=line.page_number,
        text=line.text_in_force,
        match=line.match,
        x0=line.x0,
        y0=line.y0,
        x1=line.x1,
        y1=line.y1,
        size=line.y1 - line.y0,
        is_bold=False,
        column=line.column,
        spans=(),
        kind=line.kind,
        method=line.method,
        number=line.number,
    )


def find_type(start: Beginning) -> str:
    """The type with the most weight; unknown below WEIGHT_MIN. Each sign counts once."""
    weights: Counter[str] = Counter()
    lines = start.printed.text.split("\n")
    texts = {
        "title": (start.title,),
        "head": lines[:HEAD_LINES],
        "line": lines,
        "headings": start.headings,
        "text": (start.text.text,),
        "asked": (),
    }
    for sign in card_signs():
        if any(sign.pattern.search(text) for text in texts[sign.where]):
            weights[sign.type] += sign.weight
    order = list(types.TYPES)
    best = max(weights, key=lambda kind: (weights[kind], -order.index(kind)), default=types.UNKNOWN)
    return best if weights[best] >= WEIGHT_MIN else types.UNKNOWN


def find_parties(kind: str, start: Beginning) -> Iterator[TracedValue]:
    """Who made an agreement, a filing or an announcement; for other types the rules know no sure sign."""
    if kind in AGREEMENTS:
        yield from (party.name for party in parties_named(start.first))
    elif kind in FILINGS and (filing := find_filing(start.first)):
        yield filing.registrant
    elif kind == "results":
        named = [found for sign in signs_of("party") if (found := sign.pattern.search(start.title))]
        if release := find_release(start.first):
            yield release.company
        elif named:  # a title is made of lines, and stands so on none
            yield TracedValue(named[0]["value"].strip(" ,"))


def read_parties(lines: Iterable[LineRow]) -> tuple[NamedParty, ...]:
    """The parties an agreement names in its preamble; () of another document, as far as its first pages tell."""
    first = first_lines(map(as_printed, lines))
    named = parties_named(first)
    return named if find_agreement(first)[0] or all(party.term for party in named) else ()


def read_agreement_date(lines: Iterable[LineRow]) -> TracedValue:
    """The first date of an agreement's preamble, which is its own, and not of the recitals; "" of another document."""
    after = find_agreement(first_lines(map(as_printed, lines)))[1]
    recitals = PREAMBLE_END.search(after.text) if after else None
    found = DATE.search(after.text, 0, min(DATE_CHARS, recitals.start() if recitals else DATE_CHARS)) if after else None
    return after.printed(*found.span()) if after and found else TracedValue("")


def parties_named(first: Sequence[PageLine]) -> tuple[NamedParty, ...]:
    after = find_agreement(first)[1] or preamble_text(first)
    places = parties_in(after.text)[0]
    ends = [*(start for start, _ in places), len(after.text)][1:]
    return tuple(
        NamedParty(after.printed(*place), term_given(after.text[place[1] : end]))
        for place, end in zip(places, ends, strict=True)
    )


def find_dates(kind: str, start: Beginning) -> Iterator[Named]:
    """The dates the first pages name, each kind once; the day a current report is of."""
    if kind in FILINGS:
        filing = find_filing(start.first)
        if kind == "current_report" and filing and filing.period.value:
            yield "event", filing.period
        return
    found: dict[str, TracedValue] = {}
    for sign in signs_of("date"):
        if sign.name not in found and (match := sign.pattern.search(start.text.text, 0, DATED_CHARS)):
            found[sign.name] = date_in_words(start.text, match.span("value"))
    if not found and (place := date_alone(start.printed.text)):
        found["date"] = date_in_words(start.printed, place)
    if "effective" in found and "date" in found and found["date"].value == found["effective"].value:
        del found["date"]
    yield from found.items()


def date_alone(printed: str) -> tuple[int, int] | None:
    """Where a line near the top is a date and does not end a sentence."""
    begin, before = 0, ""
    for line in printed.split("\n")[:HEAD_LINES]:
        if len(before) <= SHORT_CHARS and DATE_LINE.fullmatch(line):
            return begin, begin + len(line)
        begin, before = begin + len(line) + 1, line
    return None


def date_in_words(text: TracedText, place: tuple[int, int]) -> TracedValue:
    """A date in plain words, with where it stands as it is printed."""
    read = text.printed(*place, strip=" ,.;:")
    return TracedValue(plain_date(read.value), read.stretches)


def find_period(kind: str, start: Beginning) -> TracedValue:
    if kind not in PERIODIC:
        return TracedValue("")
    filing = find_filing(start.first)
    if filing and filing.period.value:
        return filing.period
    signs = signs_of("period")
    if named := next((match for sign in signs if (match := sign.pattern.search(start.title))), None):
        return TracedValue(named[0])
    found = (sign.pattern.search(start.text.text) for sign in signs)
    return next((start.text.printed(*match.span()) for match in found if match), TracedValue(""))


def find_fields(kind: str, start: Beginning) -> Iterator[Named]:
    """The values of fields typical of the type, each once."""
    found: set[str] = set()
    for sign in signs_of("value"):
        if sign.name in types.TYPES[kind].fields and sign.name not in found:
            text = start.printed if "\\n" in sign.pattern.pattern else start.whole
            if match := sign.pattern.search(text.text):
                found.add(sign.name)
                yield sign.name, text.printed(*match.span("value"))


def headed_fields(kind: str, titles: Iterable[str]) -> list[str]:
    """The fields typical of a type that one of the section titles is about."""
    said = list(titles)
    headed = {sign.name for sign in signs_of("heading") if any(sign.pattern.search(title) for title in said)}
    return [name for name in types.TYPES[kind].fields if name in headed]
