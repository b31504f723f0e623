"""Search in a base: the passages with some words, best first, each with its page and the words marked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db import connection
from django.db.models import Case, F, FloatField, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Cast

from documents.models import DocumentQuerySet, Line, Parse, Passage, TocEntry
from documents.pages.section_names import name_section
from reading.matching import full_text_form, match_form, match_map
from reading.rows import ASIDE_KINDS

ORDER = ("-rank", "id")  # equal ranks stay together by document and page: passages are stored in that order
RANK_STEPS = 1_000_000  # ranks are whole numbers, since a cursor must meet them exactly
BEFORE, SHOWN = 100, 320  # characters of a snippet before its first marked word, and of all of it
BEGIN, END = "\ue000", "\ue001"
HEADLINES = f"""
    SELECT ts_headline(config::regconfig, folded, websearch_to_tsquery(config::regconfig, %s),
                       'HighlightAll=true, StartSel={BEGIN}, StopSel={END}')
      FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS shown (config, folded, place) ORDER BY place
"""

Span = tuple[int, int]


@dataclass(frozen=True)
class PassagePlace:
    """A passage with the words: where it stands, and a literal snippet with its marked spans."""

    document_id: UUID
    title: str
    section: str
    page: int
    line: int
    first_line: int
    last_line: int
    text: str
    marks: tuple[Span, ...]
    quote: str  # the line with most of the marked words, which the document's page lights

    @property
    def query(self) -> str:
        """The part of the document's address that opens it here."""
        return urlencode({"page": self.page, **({"quote": self.quote} if self.quote else {})})

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The snippet in pieces, each with whether it is marked."""
        pieces, at = [], 0
        for start, end in self.marks:
            pieces += [(self.text[at:start], False), (self.text[start:end], True)]
            at = end
        return [piece for piece in [*pieces, (self.text[at:], False)] if piece[0]]


def passages_in(documents: DocumentQuerySet, q: str) -> "QuerySet[Passage]":
    """The passages of the documents' current parses that fit a web search, in ORDER, each with its `rank`."""
    parses = Parse.objects.filter(pk__in=documents.order_by().values("current_parse"))
    configs = list(parses.order_by().values_list("search_config", flat=True).distinct())
    if not configs:
        return Passage.objects.none()
    queries = {name: SearchQuery(full_text_form(q), config=name, search_type="websearch") for name in configs}
    fits = reduce(or_, (Q(parse__search_config=name, search=query) for name, query in queries.items()))
    ranks = [When(parse__search_config=name, then=SearchRank(F("search"), query)) for name, query in queries.items()]
    rank = Cast(Case(*ranks, output_field=FloatField()) * Value(RANK_STEPS), IntegerField())
    return Passage.objects.filter(fits, parse__in=parses).annotate(rank=rank).order_by(*ORDER)


def show_places(passages: Iterable[Passage], q: str) -> list[PassagePlace]:
    """Passages as places, in four queries however many there are."""
    found = list(passages)
    parses = Parse.objects.select_related("document").in_bulk([passage.parse_id for passage in found])
    folds = [match_map(passage.text) for passage in found]
    configs = [parses[passage.parse_id].search_config for passage in found]
    marked = mark_words(q, configs, [folded for folded, _ in folds])
    sections, lines = sections_of_passages(found), lines_of_passages(found)
    places = []
    for passage, (folded, offsets), spans in zip(found, folds, marked, strict=True):
        said = {folded[start:end] for start, end in spans}
        inside = [
            line for line in lines.get(passage.parse_id, ()) if passage.first_line <= line.number <= passage.last_line
        ]
        # The line with most of the words; of equal lines one that is no heading says more.
        weights = [(sum(word in line.match for word in said), line.kind != "heading") for line in inside]
        line = inside[weights.index(max(weights))] if inside else None
        document = parses[passage.parse_id].document
        text, marks = cut_snippet(passage.text, [(offsets[start], offsets[end - 1] + 1) for start, end in spans])
        place = PassagePlace(
            document_id=document.pk,
            title=document.title,
            section=sections.get((passage.parse_id, passage.toc_index), ""),
            page=line.page_number if line else passage.first_page,
            line=line.number if line else passage.first_line,
            first_line=passage.first_line,
            last_line=passage.last_line,
            text=text,
            marks=marks,
            quote=line.text if line else "",
        )
        places.append(place)
    return places


def mark_words(q: str, configs: Sequence[str], texts: Sequence[str]) -> list[list[Span]]:
    """For each folded text the spans that the database's search counts as words of the question.

    There are none where they stand in its section or description only.
    """
    plain = [text.replace("<", " ") for text in texts]  # what looks like a tag is left out of headlines
    with connection.cursor() as cursor:
        cursor.execute(HEADLINES, [match_form(q), list(configs), plain])
        headlines = [row[0] for row in cursor.fetchall()]
    return [read_spans(headline, text) for headline, text in zip(headlines, plain, strict=True)]


def read_spans(headline: str, text: str) -> list[Span]:
    """The spans between the signs of a headline; none if it is not the text with these signs."""
    spans, at = [], 0
    pieces = headline.split(BEGIN)
    at = len(pieces[0])
    for piece in pieces[1:]:
        word, _, after = piece.partition(END)
        if word:
            spans.append((at, at + len(word)))
        at += len(word) + len(after)
    return spans if headline.replace(BEGIN, "").replace(END, "") == text else []


def cut_snippet(text: str, marks: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """The text around its first mark on one line, at whole words, with the marks as spans of it."""
    begin = max((marks[0][0] if marks else 0) - BEFORE, 0)
    if begin:
        begin = text.find(" ", begin, marks[0][0]) + 1 or begin
    end = min(begin + SHOWN, len(text))
    if end < len(text):
        end = max(text.rfind(" ", begin, end), begin) if " " in text[begin:end] else end
    lead = "… " if begin else ""
    snippet = lead + " ".join(text[begin:end].splitlines()) + (" …" if end < len(text) else "")
    moved = [(start - begin + len(lead), stop - begin + len(lead)) for start, stop in marks if stop <= end]
    return snippet, tuple(moved)


def sections_of_passages(passages: Iterable[Passage]) -> dict[tuple[Any, int], str]:
    """The titles of the sections that passages stand in, by parse and index."""
    wanted = reduce(or_, (Q(parse=each.parse_id, index=each.toc_index) for each in passages), Q(pk__in=[]))
    rows = TocEntry.objects.filter(wanted).values_list("parse_id", "index", "number", "title", "breadcrumb")
    return {
        (parse, index): name_section(title if title.startswith(number) else f"{number} {title}", path, parse, index)
        for parse, index, number, title, path in rows
    }


def lines_of_passages(passages: Iterable[Passage]) -> dict[Any, list[Line]]:
    """The lines that passages are made of, in order, by parse."""
    wanted = reduce(
        or_,
        (Q(parse=each.parse_id, number__range=(each.first_line, each.last_line)) for each in passages),
        Q(pk__in=[]),
    )
    lines: dict[Any, list[Line]] = {}
    for line in Line.objects.filter(wanted).exclude(kind__in=ASIDE_KINDS).order_by("parse", "number"):
        lines.setdefault(line.parse_id, []).append(line)
    return lines
