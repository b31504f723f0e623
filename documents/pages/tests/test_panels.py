"""The page of a document as it is read: found words, quotes, printed page numbers, the strip of pages."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from documents.ingestion import conductor, page_images, tasks
from documents.models import Document, IngestJob, KnowledgeBase, Page
from documents.tests.files import make_pdf
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(queued: Callable[..., IngestJob], base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> Document:
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    base.settings = {"embeddings": "none"}
    base.save()
    job = queued(make_pdf(pages=3))
    conductor.ingest(job)
    return Document.objects.get(pk=job.document_id)


def page_of(client: Client, document: Document, **query: str | int) -> Any:
    return client.get(reverse("documents:document", args=[document.pk]), query)


def text_of(client: Client, document: Document, **query: str | int) -> str:
    response = page_of(client, document, **query)
    assert response.status_code == 200
    return on_one_line(response)


def word_on_every_page(document: Document) -> str:
    assert document.current_parse is not None
    pages = [
        set(" ".join(lines).split())
        for number in (1, 2, 3)
        if (
            lines := document.current_parse.lines.filter(page_number=number, kind="body").values_list(
                "match", flat=True
            )
        )
    ]
    return next(word for word in sorted(set.intersection(*pages)) if word.isalpha() and len(word) > 3)


def test_it_lights_every_hit_and_steps_through_them(signed_in: Client, document: Document) -> None:
    word = word_on_every_page(document)
    first = text_of(signed_in, document, find=word)
    total = int(re.search(r'id="hit-count"[^>]*>1 / (\d+)', first)[1])  # type: ignore[index]
    assert total >= 3
    assert first.count('class="hl-anchor"') >= 1
    assert f"?hit=2&amp;find={word}" in first
    last = text_of(signed_in, document, find=word, hit=total)
    assert 'id="hit-next" href="?hit=1&amp;' in last  # around the end
    assert f">{total} / {total}<" in last
    assert len(re.findall(r'<li><a href="\?hit=', first)) == total


def test_it_goes_on_from_the_page_the_search_began_on(signed_in: Client, document: Document) -> None:
    word = word_on_every_page(document)
    assert '<input type="hidden" name="page" value="3">' in text_of(signed_in, document, find=word, **{"from": 3})


def test_it_keeps_the_page_and_the_words_of_an_address(signed_in: Client, document: Document) -> None:
    shown = text_of(signed_in, document, find=word_on_every_page(document), page=2)
    assert 'class="hl-found"' in shown
    assert 'class="hl-anchor"' not in shown


@pytest.mark.parametrize("words", ["earthquake", "<script>alert(1)</script>", "%00\x00", "(" * 1000, "x" * 5000])
def test_it_says_that_words_do_not_stand_there(signed_in: Client, document: Document, words: str) -> None:
    shown = text_of(signed_in, document, find=words)
    assert "<script>alert" not in shown
    assert "does not stand in this reading" in shown


def test_it_lights_the_quote_of_an_address(signed_in: Client, document: Document) -> None:
    assert document.current_parse is not None
    lines = list(document.current_parse.lines.filter(page_number=2, kind="body").order_by("number")[:2])
    quote = " ".join(line.text for line in lines)
    shown = text_of(signed_in, document, page=2, quote=quote)
    assert shown.count('class="hl-anchor"') == len(lines)
    elsewhere = text_of(signed_in, document, page=2, quote="Nobody wrote these words")
    assert "do not stand in this reading" in elsewhere


def test_it_goes_to_a_page_by_its_number_or_its_label(signed_in: Client, document: Document) -> None:
    for number, label in ((1, "i"), (2, "ii"), (3, "1")):
        Page.objects.filter(parse=document.current_parse, number=number).update(label=label)
    for typed, by, number in (("3", "file", 3), ("1", "printed", 3), ("ii", "file", 2), ("II", "printed", 2)):
        response = page_of(signed_in, document, go=typed, by=by, page=1)
        assert (response.status_code, response.headers["Location"].split("?")[1].split("&")[0]) == (
            302,
            f"page={number}",
        )
    assert "as printed" in text_of(signed_in, document, page=1)


@pytest.mark.parametrize("typed", ["99", "0", "-1", "xii", "²", "9" * 30, "\x00", "<b>"])
def test_it_stays_where_it_is_when_there_is_no_such_page(signed_in: Client, document: Document, typed: str) -> None:
    shown = text_of(signed_in, document, go=typed, page=2)
    assert "There is no page" in shown
    assert "<b>" not in shown.split('id="fault"')[1].split("</p>")[0]
    assert '<input type="hidden" name="page" value="2">' in shown


def test_it_shows_the_pages_as_a_strip(signed_in: Client, document: Document) -> None:
    shown = text_of(signed_in, document, page=2, panel="pages")
    assert shown.count("?size=small") == 3
    assert re.search(r'href="\?page=2&amp;panel=pages" aria-current="page"', shown)


def test_it_draws_a_page_in_three_sizes(signed_in: Client, document: Document) -> None:
    address = reverse("documents:page_image", args=[document.pk, 1])
    widths = []
    for size in ("small", "page", "sharp", "nonsense"):
        assert signed_in.get(address, {"size": size}).headers["Content-Type"] == "image/webp"
        with Image.open(page_images.make_page_image(document, 1, size if size != "nonsense" else "page")) as image:
            widths.append(image.width)
    assert widths[0] < widths[1] < widths[2]
    assert widths[3] == widths[1]


def sheet_of(client: Client, document: Document, number: int, **query: str | int) -> Any:
    return client.get(reverse("documents:sheet", args=[document.pk, number]), query)


def test_the_sheets_around_a_page_have_addresses_with_the_words_found(signed_in: Client, document: Document) -> None:
    word = word_on_every_page(document)
    text = text_of(signed_in, document, page=2, find=word)
    before, after = (re.search(rf'data-{side}="([^"]*)"', text) for side in ("before", "after"))
    assert before is not None and after is not None
    assert before[1].startswith(reverse("documents:sheet", args=[document.pk, 1]))
    following = signed_in.get(after[1].replace("&amp;", "&"))
    shown = on_one_line(following)
    assert following.status_code == 200 and 'data-page="3"' in shown and "<html" not in shown
    assert 'class="hl-found"' in shown and "data-before" in shown and "data-after" not in shown


def test_a_sheet_has_the_marks_of_the_place_on_its_own_page_only(signed_in: Client, document: Document) -> None:
    assert document.current_parse is not None
    line = document.current_parse.lines.filter(page_number=2, kind="body").first()
    assert line is not None
    own, other = (on_one_line(sheet_of(signed_in, document, number, line=line.number)) for number in (2, 3))
    assert 'class="hl-anchor"' in own and 'class="hl-context"' in own
    assert 'class="hl-anchor"' not in other and 'class="hl-context"' not in other


@pytest.mark.parametrize(
    ("number", "query", "status"),
    [
        (0, {}, 404),
        (4, {}, 404),
        (10**12, {}, 404),
        (1, {"parse": "99"}, 404),
        (1, {"parse": "x", "page": "-1", "line": "9" * 50, "find": "\x00" * 3, "quote": "q" * 9000}, 200),
    ],
)
def test_a_sheet_that_is_not_there_is_refused_and_odd_addresses_are_not(
    signed_in: Client, document: Document, number: int, query: dict[str, str], status: int
) -> None:
    assert sheet_of(signed_in, document, number, **query).status_code == status
