"""The open candidate beside its page: the pages it touches, the one opened, its boxes, and deleted documents."""

from typing import Any, cast

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audit.conftest import PASSAGE, House, MakeRun, run_fields
from audit.trail.candidates import Choice, build_table
from audit.trail.selected import (
    Selected,
    anchored_pages,
    fate_of,
    page_links,
    pages_of_boxes,
    printed_label,
    read_selected,
)
from documents.models import Document, Line, Page
from reading.boxes import StoredBox
from retrieval.models import RetrievalRun, RunCandidate


def boxes(*pages: float) -> list[StoredBox]:
    return cast("list[StoredBox]", [{"page": page, "x0": 1, "y0": 1, "x1": 2, "y1": 2} for page in pages])


def candidate(anchor: tuple[int, ...] = (), context: tuple[int, ...] = (), **changes: Any) -> RunCandidate:
    fields = {"candidate_id": "c1", "anchor_first_page": 4, "anchor_page_label": "4"}
    return RunCandidate(**(fields | {"boxes": boxes(*anchor), "context_boxes": boxes(*context)} | changes))


@pytest.mark.parametrize(("found", "pages"), [([], []), ([3], [3]), ([3, 1, 3], [1, 3]), ([2.0, 10, 9], [2, 9, 10])])
def test_the_pages_of_boxes_come_in_order_and_once(found: list[float], pages: list[int]) -> None:
    assert pages_of_boxes(boxes(*found)) == pages


@pytest.mark.parametrize(
    ("anchor", "context", "touched"),
    [
        ((4,), (4,), {4: "anchor and context"}),
        ((4,), (), {4: "anchor"}),
        ((4,), (4, 5), {4: "anchor and context", 5: "context"}),
        ((4, 5), (3, 4), {3: "context", 4: "anchor and context", 5: "anchor"}),
        ((), (5,), {4: "anchor", 5: "context"}),  # without a box it stands on the page where it matched
        ((), (), {4: "anchor"}),
    ],
)
def test_each_page_says_what_lies_there(
    anchor: tuple[int, ...], context: tuple[int, ...], touched: dict[int, str]
) -> None:
    links = page_links(candidate(anchor, context), Choice(role="primary"))
    assert {link.number: link.holds for link in links} == touched
    assert [link.number for link in links] == sorted(touched)
    assert all(f"page={link.number}" in link.address and "role=primary" in link.address for link in links)
    assert anchored_pages(candidate(anchor, context))[0] in touched


@pytest.mark.parametrize(
    ("label", "number", "shown"), [("iv", 4, "iv"), ("4", 4, ""), ("iv", 5, ""), ("", 4, ""), ("104", 4, "104")]
)
def test_what_is_printed_is_told_where_it_differs(label: str, number: int, shown: str) -> None:
    assert printed_label(candidate(anchor_page_label=label), number) == shown


def test_what_became_of_the_document() -> None:
    assert fate_of(None) == "document deleted"
    assert fate_of(Document(trashed_at=timezone.now())) == "in the trash"
    assert fate_of(Document()) == ""


# ---- with the record


def opened(run: RetrievalRun, **choice: Any) -> Selected | None:
    table = build_table(list(run.candidates.order_by("position")), Choice(**choice))
    assert table is not None
    return read_selected(run, table, Choice(**choice), {str(run.scope[0]["document_id"]): 2})


@pytest.mark.django_db
@pytest.mark.parametrize(("page", "number"), [(None, 1), (1, 1), (2, 2), (99, 1), (0, 1), (-1, 1)])
def test_a_page_it_does_not_touch_opens_the_first(make_run: MakeRun, page: int | None, number: int) -> None:
    found = opened(make_run(), candidate_id="p1-l1-2", page=page)
    assert found is not None and found.page.number == number and [link.number for link in found.pages] == [1, 2]
    assert found.sheet.page_number == number and found.page_count == 2


@pytest.mark.django_db
def test_the_neighbours_and_the_lines_are_told(make_run: MakeRun) -> None:
    found = opened(make_run(), candidate_id="p1-l2-3")
    assert found is not None and (found.number, found.of) == (2, 4)
    assert found.previous is not None and found.previous.candidate.candidate_id == "p1-l1-2"
    assert found.following is not None and found.following.candidate.candidate_id == "p1-l3-4"
    assert (found.anchor_lines, found.context_lines, found.fate) == ("2–3", "1–4", "")
    assert found.heat is None and "heat=1" in found.heat_switch


@pytest.mark.django_db
def test_a_filter_nothing_fits_opens_nothing(make_run: MakeRun) -> None:
    assert opened(make_run("primary"), role="discarded") is None


@pytest.mark.django_db
def test_paper_and_boxes_stay_when_the_document_is_gone(house: House, make_run: MakeRun) -> None:
    run = make_run("primary")
    Page.objects.all().delete()
    Document.objects.update(trashed_at=timezone.now())
    found = opened(run)
    assert found is not None and found.fate == "in the trash"
    assert (found.sheet.width, found.sheet.height) == (612, 792)
    assert {"hl-anchor", "hl-context"} <= {box.css for box in found.sheet.boxes}


@pytest.mark.django_db
def test_words_that_were_searched_are_lit_on_the_page_where_their_place_is_known(
    house: House, make_run: MakeRun, client: Client
) -> None:
    parsed = run_fields(house)["parsed"]
    parsed["keywords"][0]["forms"] = ["softmax function"]
    run = make_run("primary", parsed=parsed)
    found = opened(run)
    assert found is not None and not found.sheet.has_words
    Line.objects.filter(number__in=(2, 3)).update(spans=[[0, len(PASSAGE), 72, 540]])
    found = opened(run)
    assert found is not None
    words = [box for box in found.sheet.boxes if box.css == "hl-word"]
    assert [box.y for box in words] == [124.0, 136.0]
    assert all(box.x > 400 and 60 < box.width < 120 for box in words)
    client.force_login(house.owner)
    page = client.get(reverse("audit:trail", args=[run.pk])).content.decode()
    assert page.count('class="hl-word"') == 2 and "word searched" in page


@pytest.mark.django_db
def test_an_auditor_widens_the_text_and_the_record_stays(house: House, make_run: MakeRun) -> None:
    run = make_run()
    before = list(run.candidates.values())
    plain, wide = (opened(run, candidate_id="p1-l2-3", wide=scope) for scope in (None, "page"))
    assert plain is not None and plain.widened is None and wide is not None and wide.widened is not None
    marked = [(line.number, line.is_anchor) for line in wide.widened.lines]
    assert marked == [(1, False), (2, True), (3, True), (4, False)]
    assert [width.is_current for width in plain.widths] == [True, False, False, False, False]
    assert [width.is_current for width in wide.widths] == [False, False, False, False, True]
    assert "wide=section" in wide.widths[3].address and "candidate=p1-l2-3" in wide.widths[3].address
    assert "wide" not in wide.widths[0].address and "wide=page" in wide.heat_switch
    assert before == list(run.candidates.values())


@pytest.mark.django_db
def test_a_reading_that_is_gone_has_no_text_around(house: House, make_run: MakeRun) -> None:
    run = make_run()
    house.document.delete()
    found = opened(run, wide="page")
    assert found is not None and found.widened is not None and found.widened.absence == "gone"


@pytest.mark.django_db
def test_a_picture_at_the_lines_is_a_region_that_says_it_was_not_read(
    client: Client, house: House, make_run: MakeRun
) -> None:
    """(R85)"""
    picture = {"page": 1, "x0": 100.0, "y0": 200.0, "x1": 400.0, "y1": 500.0}
    run = make_run("primary", pictures=[picture | {"picture": "not_read"}, picture | {"picture": "read", "y0": 510.0}])
    client.force_login(house.owner)
    page = client.get(reverse("audit:trail", args=[run.pk])).content.decode()
    assert page.count('class="hl-picture"') == 2 and page.count('class="hl-anchor"') == 1
    assert ">picture, not read</text>" in page and ">picture, read by text recognition</text>" in page
    assert "(picture, not read)" in page and "picture at the lines" in page
