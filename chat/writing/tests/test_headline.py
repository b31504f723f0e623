"""The headlines of an answer among its quotes: each cited where it stands, and nothing quoted twice."""

from dataclasses import replace
from uuid import uuid4

from chat.drafts import Quoted
from chat.writing.headline import move_cited_first, prose_before_tables, quote_headline, with_headlines
from documents.storage.content import DocumentContent
from retrieval.candidates.units import units_of
from retrieval.headlines.choosing import Spoken, sentences_of_unit
from retrieval.headlines.tests.test_choosing import LEASE
from retrieval.models import RunCandidate
from retrieval.tests.builders import content_of_lines


def candidate_at(line: int, content: DocumentContent = LEASE) -> RunCandidate:
    unit = units_of(content).around(line)
    return RunCandidate(parse_id=uuid4(), anchor_first_line=unit.first, anchor_last_line=unit.last)


def spoken_at(line: int, said: str) -> Spoken:
    """The sentence of a line that has some words."""
    written = (each for each in sentences_of_unit(units_of(LEASE).around(line), LEASE) if said in each.text)
    return Spoken(0, "", LEASE, *next(written))


def test_an_item_is_cited_where_it_stands_itself() -> None:
    cited = quote_headline(spoken_at(8, "damage"), candidate_at(8), 1)
    assert cited.quote == "The tenant shall:\n[…]\n(b) report damage within three days; and"
    assert cited.place is not None and (cited.place.first_line, cited.place.last_line) == (8, 8)


def test_a_headline_is_cited_by_the_quote_that_holds_it_and_nothing_is_said_twice() -> None:
    kept = candidate_at(10)
    own = quote_headline(spoken_at(10, "began"), kept, 1)
    assert own.quote == "The lease began on 1 March 2024."
    assert own.place and (own.place.first_line, own.place.last_line) == (10, 10) and own.place.boxes
    whole = Quoted(2, kept, LEASE.lines[9].text)
    other = Quoted(1, candidate_at(2), "The tenant pays a rent")
    assert with_headlines([own], [other, whole]) == [
        Quoted(1, kept, whole.quote),
        Quoted(2, other.candidate, other.quote),
    ]
    assert [each.quote for each in with_headlines([own], [other])] == [own.quote, other.quote]
    assert [each.marker for each in move_cited_first([other, whole], 2)] == [1, 2]
    assert move_cited_first([other, whole], 2)[0].quote == whole.quote


def test_quotes_of_columns_side_by_side_come_last() -> None:
    text = content_of_lines(["# Officers", "The chief financial officer signs the report.", "Alan Graf", "Mary Hunter"])
    left, right = text.lines[2:]
    columns = replace(text, lines=(*text.lines[:3], right._replace(x0=300.0, x1=400.0, y0=left.y0, y1=left.y1)))
    beside = candidate_at(3, columns)
    beside.anchor_pieces = [{"line_number": 3}, {"line_number": 4}]
    plain = candidate_at(2, columns)
    plain.anchor_pieces = [{"line_number": 2}]
    quotes = [Quoted(1, beside, "Alan Graf\nMary Hunter"), Quoted(2, plain, columns.lines[1].text)]
    ordered = prose_before_tables(quotes, {beside.parse_id: columns, plain.parse_id: columns})
    assert [(each.marker, each.candidate) for each in ordered] == [(1, plain), (2, beside)]
