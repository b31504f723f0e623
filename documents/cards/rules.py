"""The card of a document by rules (R15), from the rows of its first pages, its title and its section titles."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from documents.cards.signs import ANY_DATE, MONTH_ALONE, card_signs, signs_of
from documents.cards.summary import first_sentences
from documents.cards.types import (
    DATES_MAX,
    FIELDS_MAX,
    NAME_CHARS,
    PARTIES_MAX,
    TYPES,
    UNKNOWN,
    VALUE_CHARS,
    Card,
    NamedValue,
)
from reading.layout.lines import PageLine
from reading.rows import UNSEARCHED_KINDS, LineRow, TocRow, name_in_force
from reading.titles import (
    PARTIES_CHARS,
    PREAMBLE_CHARS,
    find_agreement,
    find_filing,
    find_release,
    first_lines,
    parties_in,
    plain_date,
    preamble_text,
    running_text,
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
    text: str  # running text of the first pages
    printed: str  # the same, one line each
    whole: str  # running text of the document
    headings: tuple[str, ...]


def make_card(title: str, lines: Sequence[LineRow], toc: Sequence[TocRow]) -> Card:
    """The card of a document by its title ("" if it has none) and rows."""
    start = begin_with(title, lines, toc)
    kind = find_type(start)
    return Card(
        type=kind,
        parties=tuple(dict.fromkeys(find_parties(kind, start)))[:PARTIES_MAX],
        dates=tuple(find_dates(kind, start))[:DATES_MAX],
        period=find_period(kind, start),
        summary=first_sentences(lines, toc, is_agreement=kind in AGREEMENTS),
        fields=tuple(find_fields(kind, start))[:FIELDS_MAX],
    )


def begin_with(title: str, lines: Sequence[LineRow], toc: Sequence[TocRow]) -> Beginning:
    first = first_lines(map(as_printed, lines))
    searched = (line for line in lines if line.kind not in UNSEARCHED_KINDS)
    said = [line for line in first if line.kind not in UNSEARCHED_KINDS]
    return Beginning(
        title=title,
        first=first,
        text=running_text(said)[:TEXT_CHARS],
        printed="\n".join(" ".join(line.text.split()) for line in said)[:TEXT_CHARS],
        whole=" ".join(" ".join(line.text_in_force.split()) for line in searched)[:WHOLE_CHARS],
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
    )


def find_type(start: Beginning) -> str:
    """The type with the most weight; unknown below WEIGHT_MIN. Each sign counts once."""
    weights: Counter[str] = Counter()
    lines = start.printed.split("\n")
    texts = {
        "title": (start.title,),
        "head": lines[:HEAD_LINES],
        "line": lines,
        "headings": start.headings,
        "text": (start.text,),
        "asked": (),
    }
    for sign in card_signs():
        if any(sign.pattern.search(text) for text in texts[sign.where]):
            weights[sign.type] += sign.weight
    order = list(TYPES)
    best = max(weights, key=lambda kind: (weights[kind], -order.index(kind)), default=UNKNOWN)
    return best if weights[best] >= WEIGHT_MIN else UNKNOWN


def find_parties(kind: str, start: Beginning) -> Iterator[str]:
    """Who made an agreement, a filing or an announcement; for other types the rules know no sure sign."""
    if kind in AGREEMENTS:
        _, after = find_agreement(start.first)
        after = after or preamble_text(start.first)[: PREAMBLE_CHARS + PARTIES_CHARS]
        yield from (name[:NAME_CHARS] for name in parties_in(after)[0])
    elif kind in FILINGS and (filing := find_filing(start.first)):
        yield filing.registrant[:NAME_CHARS]
    elif kind == "results":
        named = [found for sign in signs_of("party") if (found := sign.pattern.search(start.title))]
        if release := find_release(start.first):
            yield release["company"].strip(" ,")[:NAME_CHARS]
        elif named:
            yield named[0]["value"].strip(" ,")[:NAME_CHARS]


def find_dates(kind: str, start: Beginning) -> Iterator[NamedValue]:
    """The dates the first pages name, each kind once; the day a current report is of."""
    if kind in FILINGS:
        filing = find_filing(start.first)
        if kind == "current_report" and filing and filing.period:
            yield NamedValue("event", filing.period)
        return
    found: dict[str, str] = {}
    for sign in signs_of("date"):
        if sign.name not in found and (match := sign.pattern.search(start.text[:DATED_CHARS])):
            found[sign.name] = plain_date(match["value"])
    head = ["", *start.printed.split("\n")[:HEAD_LINES]]
    alone = (line for before, line in pairwise(head) if len(before) <= SHORT_CHARS and DATE_LINE.fullmatch(line))
    if not found and (line := next(alone, "")):
        found["date"] = plain_date(line.strip(" ,.;:"))
    if "effective" in found and found.get("date") == found["effective"]:
        del found["date"]
    yield from (NamedValue(name, value) for name, value in found.items())


def find_period(kind: str, start: Beginning) -> str:
    if kind not in PERIODIC:
        return ""
    filing = find_filing(start.first)
    if filing and filing.period:
        return filing.period
    found = (sign.pattern.search(text) for text in (start.title, start.text) for sign in signs_of("period"))
    return next((match[0] for match in found if match), "")


def find_fields(kind: str, start: Beginning) -> Iterator[NamedValue]:
    """The values of fields typical of the type, each once."""
    found: set[str] = set()
    for sign in signs_of("value"):
        if sign.name in TYPES[kind].fields and sign.name not in found:
            is_by_lines = "\\n" in sign.pattern.pattern
            if match := sign.pattern.search(start.printed if is_by_lines else start.whole):
                found.add(sign.name)
                yield NamedValue(sign.name, " ".join(match["value"].split())[:VALUE_CHARS])


def headed_fields(kind: str, titles: Iterable[str]) -> list[str]:
    """The fields typical of a type that one of the section titles is about."""
    said = list(titles)
    headed = {sign.name for sign in signs_of("heading") if any(sign.pattern.search(title) for title in said)}
    return [name for name in TYPES[kind].fields if name in headed]
