"""The cited page beside an answer: which boxes are lit, its neighbours and addresses, and what a deleted page says."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone, translation

from audit.conftest import PASSAGE, House, MakeAnswer, MakeRun, make_document, make_parse
from chat.models import Answer, Citation, Turn
from chat.page.viewer import (
    DELETED,
    NOT_KEPT,
    QUOTE_IN_ADDRESS,
    TRASHED,
    CitedPage,
    PaneLink,
    cited_page,
    refused_page,
    sheet_of_citation,
)
from documents.models import Document, Line, Page, Parse
from retrieval.models import RunCandidate

pytestmark = pytest.mark.django_db
BOX = {"page": 1, "x0": 72.0, "y0": 112.0, "x1": 540.0, "y1": 122.0}


@pytest.fixture
def turn(make_run: MakeRun, make_answer: MakeAnswer) -> Turn:
    return make_answer(make_run()).turn


def cite_more(turn: Turn, *markers: int) -> None:
    answer = Answer.objects.get(turn=turn)
    for marker in markers:
        candidate = answer.run.candidates.order_by("position")[marker - 1]
        place = {"page": 1, "page_label": "p1", "first_line": marker, "last_line": marker}
        Citation.objects.create(
            answer=answer, marker=marker, candidate=candidate, quote=PASSAGE, boxes=candidate.boxes, **place
        )


def opened(turn: Turn, marker: int, house: House) -> CitedPage:
    page = cited_page(turn, marker, house.asker)
    assert page is not None
    return page


# ---- citations


def test_it_turns_to_the_other_pages_of_its_document_and_marks_what_stands_there(turn: Turn, house: House) -> None:
    own = opened(turn, 1, house)
    assert own.page_before is None and own.page_after is not None and own.around.before == ""
    assert parse_qs(urlsplit(own.around.after).query) == {"page": ["2"]}
    other = cited_page(turn, 1, house.asker, page=2)
    assert other is not None and other.sheet is not None and other.sheet.page_number == 2
    assert not [box for box in other.sheet.boxes if box.css == "hl-anchor"]
    assert other.page_after is None and other.page_before is not None and other.page_before.page == 1
    for page in (0, 3, 999_999_999):
        shown = cited_page(turn, 1, house.asker, page=page)
        assert shown is not None and shown.sheet is not None and shown.sheet.page_number == 1, page


def test_the_open_citation_is_lit_and_the_others_are_outlined(turn: Turn, house: House) -> None:
    cite_more(turn, 2, 3)
    page = opened(turn, 2, house)
    assert page.sheet is not None and page.absence == ""
    kinds = [box.css for box in page.sheet.boxes if box.css in ("hl-anchor", "hl-other")]
    assert sorted(kinds) == ["hl-anchor", "hl-other", "hl-other"]
    assert {tag.text for tag in page.sheet.tags} == {"1", "2", "3"}
    assert (page.sheet.page_number, page.sheet.page_count, page.sheet.page_label) == (1, 2, "p1")


def test_a_page_without_a_label_is_called_by_its_number(turn: Turn, house: House) -> None:
    Page.objects.filter(number=1).update(label="")
    page = opened(turn, 1, house)
    assert page.sheet is not None and page.sheet.page_label == "1"


@pytest.mark.parametrize(("marker", "previous", "following"), [(1, None, 2), (2, 1, 4), (4, 2, None)])
def test_it_turns_to_the_neighbours_that_exist(
    turn: Turn, house: House, marker: int, previous: int | None, following: int | None
) -> None:
    cite_more(turn, 2, 4)
    page = opened(turn, marker, house)
    neighbours = [link and link.number for link in (page.previous, page.following)]
    assert neighbours == [previous, following] and page.marker == marker and page.tag == str(marker)


@pytest.mark.parametrize("marker", [0, -1, 2, 99, 2**31])
def test_a_marker_the_answer_does_not_have_has_no_page(turn: Turn, house: House, marker: int) -> None:
    assert cited_page(turn, marker, house.asker) is None


def test_a_turn_without_an_answer_has_no_page(turn: Turn, house: House) -> None:
    waiting = Turn.objects.create(conversation=turn.conversation, number=2, question="?", scope_name="all")
    assert cited_page(waiting, 1, house.asker) is None
    assert refused_page(waiting, 1, house.asker) is None


def test_boxes_of_another_document_are_not_drawn_on_this_one(turn: Turn, house: House) -> None:
    cite_more(turn, 2)
    other = make_document(house.base, "Other paper")
    citations = list(Citation.objects.select_related("candidate").order_by("marker"))
    citations[1].candidate.document_id = other.pk
    sheet, _ = sheet_of_citation(citations[0], citations, house.asker)
    assert sheet is not None and [tag.text for tag in sheet.tags] == ["1"]


# ---- passages that were refused


@pytest.mark.parametrize("position", [1, 4])
def test_a_refused_passage_is_shown_by_its_position(turn: Turn, house: House, position: int) -> None:
    page = refused_page(turn, position, house.asker)
    assert page is not None and page.sheet is not None
    assert (page.tag, page.is_refused, page.marker) == ("?", True, 0)
    assert page.document_title == house.document.title and [tag.text for tag in page.sheet.tags] == ["?"]
    assert (page.previous, page.following) == (None, None)


@pytest.mark.parametrize("position", [0, 5, -1])
def test_a_position_nothing_has_is_not_there(turn: Turn, house: House, position: int) -> None:
    assert refused_page(turn, position, house.asker) is None


# ---- what is gone


@pytest.mark.parametrize("what", ["trashed", "closed", "page", "parse"])
def test_the_quote_stays_when_its_page_is_gone(turn: Turn, house: House, what: str) -> None:
    reader = house.asker
    if what == "trashed":
        Document.objects.update(trashed_at=timezone.now())
    elif what == "closed":
        reader = house.stranger
    elif what == "page":
        Page.objects.filter(number=1).delete()
    else:
        Line.objects.all().delete()
        Page.objects.all().delete()
        Parse.objects.all().delete()
    page = cited_page(turn, 1, reader)
    assert page is not None and page.sheet is None
    assert page.absence == str({"trashed": TRASHED, "closed": DELETED}.get(what, NOT_KEPT))
    assert page.citation.quote == PASSAGE and page.document_title == house.document.title


# ---- addresses


def test_the_pane_has_an_address_of_its_own_and_one_in_its_conversation(turn: Turn) -> None:
    cited, refused = PaneLink(turn, 3), PaneLink(turn, 3, is_refused=True)
    for link, name in ((cited, "cite"), (refused, "near")):
        address = urlsplit(link.url)
        assert parse_qs(address.query) == {"turn": [str(turn.pk)], name: ["3"]} and address.fragment == "page"
        assert str(turn.conversation_id) in address.path
    assert cited.pane_url != refused.pane_url and cited.pane_url.endswith("/3")


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("a quote", "a quote"),
        ("over\n two  lines", "over two lines"),
        ("R&D = 5 % #1 ?x=1", "R&D = 5 % #1 ?x=1"),
        ("保証金 été", "保証金 été"),
        ("", None),
        ("x" * QUOTE_IN_ADDRESS, "x" * QUOTE_IN_ADDRESS),
        ("x" * (QUOTE_IN_ADDRESS + 1), None),
    ],
)
def test_the_quote_is_lit_in_the_document_too(turn: Turn, house: House, quote: str, shown: str | None) -> None:
    page = opened(turn, 1, house)
    page.citation.quote = quote
    query = parse_qs(urlsplit(page.document_url).query)
    assert query["page"] == ["1"] and query.get("quote") == (None if shown is None else [shown])


def test_a_reading_that_was_replaced_is_named_in_the_address(turn: Turn, house: House) -> None:
    newer = Parse.objects.create(document=house.document, number=9, parser_version="2", page_count=1, line_count=0)
    Document.objects.update(current_parse=newer)
    assert parse_qs(urlsplit(opened(turn, 1, house).document_url).query)["parse"] == ["3"]
    Document.objects.update(current_parse=house.parse)
    assert "parse" not in parse_qs(urlsplit(opened(turn, 1, house).document_url).query)


@pytest.mark.parametrize(
    ("first", "last", "language", "words"),
    [(4, 4, "en", "line 4"), (4, 9, "en", "lines 4–9"), (4, 4, "fr", "ligne 4"), (1, 2000, "en", "lines 1–2000")],
)
def test_the_lines_are_named(turn: Turn, house: House, first: int, last: int, language: str, words: str) -> None:
    page = opened(turn, 1, house)
    page.citation.first_line, page.citation.last_line = first, last
    with translation.override(language):
        assert page.lines == words


def test_a_parse_of_another_document_lends_no_page(turn: Turn, house: House) -> None:
    """The candidate names document and parse; a parse that is gone is not replaced by the newest one."""
    other = make_document(house.base, "Other paper")
    make_parse(other)
    fields: dict[str, Any] = {"document_id": house.document.pk, "parse_id": house.base.pk, "boxes": [BOX]}
    citation = Citation(marker=1, page=1, quote="x", boxes=[BOX], candidate=RunCandidate(**fields))
    assert sheet_of_citation(citation, [citation], house.asker) == (None, str(NOT_KEPT))
