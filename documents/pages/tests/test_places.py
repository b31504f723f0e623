"""Search in a base: places with pages, literal words marked, in pages and by API, and only of living documents."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from documents.access import create_base
from documents.models import Document, KnowledgeBase, Passage, TocEntry
from documents.pages.places import BEGIN, END, cut_snippet, passages_in, read_spans, sections_of_passages, show_places
from documents.tests.readings import make_document, store_text

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]

LEASE = """# Lease

## Rent

The société pays the rent of 12,500 euros a month; <b>rents</b> are due on the first working day.

## Deposit

The tenant pays a deposit before it moves in.
"""


@pytest.fixture
def document(base: KnowledgeBase) -> Document:
    document = make_document(base, "lease.md")
    store_text(document, LEASE)
    return Document.objects.get(pk=document.pk)


@pytest.mark.parametrize(
    ("q", "marked"),
    [
        ("rent", ["Rent", "rent", "rents"]),
        ("societe", ["société"]),
        ("SOCIÉTÉ", ["société"]),
        ("12,500", ["12", "500"]),
        ('"working day"', ["working", "day"]),
        ("deposits", ["Deposit", "deposit"]),
    ],
)
def test_words_are_marked_where_they_stand_literally(
    base: KnowledgeBase, document: Document, q: str, marked: list[str]
) -> None:
    [place] = show_places(passages_in(base.documents.living(), q), q)
    assert [text for text, is_marked in place.pieces if is_marked] == marked
    assert "".join(text for text, _ in place.pieces) == place.text
    assert place.document_id == document.pk and place.section in ("Rent", "Deposit")
    assert document.current_parse
    line = document.current_parse.lines.get(number=place.line)
    assert line.page_number == place.page and marked[-1] in line.text and place.quote == line.text


@pytest.mark.parametrize("q", ["", "the", "zeppelin", "(", '"', "-", "x" * 200, "\\ : & | !", "'; drop table", "%"])
def test_what_stands_nowhere_or_says_nothing_finds_nothing(base: KnowledgeBase, document: Document, q: str) -> None:
    assert show_places(passages_in(base.documents.living(), q), q) == []


def test_only_what_a_question_would_find_is_searched(
    base: KnowledgeBase, document: Document, owner: User, member: Member
) -> None:
    other = make_document(create_base(member("stranger"), "Not yours"), "other.md")
    store_text(other, LEASE)
    for field in ("trashed_at", "replaced_at"):
        gone = make_document(base, f"{field}.md")
        store_text(gone, LEASE)
        Document.objects.filter(pk=gone.pk).update(**{field: timezone.now()})
    store_text(document, LEASE.replace("deposit", "guarantee"))
    assert {place.document_id for place in show_places(passages_in(base.documents.living(), "rent"), "rent")} == {
        document.pk
    }
    assert not passages_in(base.documents.living(), "deposit").filter(text__contains="a deposit").exists()


def test_the_list_and_the_search_lead_to_the_words(signed_in: Client, base: KnowledgeBase, document: Document) -> None:
    page = signed_in.get(reverse("documents:base", args=[base.pk]), {"q": "rent"})
    [place] = page.context["places"]
    address = reverse("documents:document", args=[document.pk])
    assert f'href="{address}?page=1&amp;quote=' in page.content.decode()
    assert "<mark>rent</mark>" in page.content.decode() and "&lt;b&gt;" in page.content.decode()
    found = signed_in.get(reverse("documents:search", args=[base.pk]), {"q": "rent"})
    assert found.context["places"] == [place]
    opened = signed_in.get(address, {"page": place.page, "quote": place.quote})
    assert b'id="fault"' not in opened.content and b"hl-anchor" in opened.content
    assert signed_in.get(reverse("documents:search", args=[base.pk]), {"q": " "}).status_code == 302
    assert (
        b"No passage has these words"
        in signed_in.get(reverse("documents:search", args=[base.pk]), {"q": "zeppelin"}).content
    )


def test_a_number_that_the_title_has_is_said_once(base: KnowledgeBase, document: Document) -> None:
    parse = document.current_parse
    for index, (number, title) in enumerate([("8", "8. Sub-Contractors"), ("9", "Notices")], 1):
        TocEntry.objects.filter(parse=parse, index=index).update(number=number, title=title)
    passages = [Passage(parse=parse, toc_index=index) for index in (1, 2)]
    assert list(sections_of_passages(passages).values()) == ["8. Sub-Contractors", "9 Notices"]


def test_words_that_stand_nowhere_are_said_to(signed_in: Client, base: KnowledgeBase, document: Document) -> None:
    address = reverse("documents:base", args=[base.pk])
    page = signed_in.get(address, {"q": "zebra"}).content.decode()
    assert "“zebra” stands in no document here" in page and "Keep this filter" not in page
    narrowed = signed_in.get(address, {"q": "zebra", "state": "ready"}).content.decode()
    assert "No document fits." in narrowed and "Keep this filter" in narrowed


def test_every_place_is_on_one_page_of_the_search(signed_in: Client, base: KnowledgeBase, document: Document) -> None:
    sections = "".join(f"## Part {number}\n\nThe rent of part {number} is due.\n\n" for number in range(45))
    store_text(document, f"# Lease\n\n{sections}")
    Document.objects.filter(pk=document.pk).update(tags=["a b"])
    seen, after = [], ""
    while True:
        page = signed_in.get(reverse("documents:search", args=[base.pk]), {"q": "rent", "after": after, "tag": "a b"})
        seen += [place.line for place in page.context["places"]]
        after = page.context["more"]
        if not after:
            break
    assert len(seen) == len(set(seen)) == passages_in(base.documents.living(), "rent").count() > 20
    seen, url = [], f"/api/v1/bases/{base.pk}/search?q=rent&limit=7"
    while url:
        reply = signed_in.get(url).json()
        seen += [place["line"] for place in reply["results"]]
        url = reply["next"]
    assert len(seen) == len(set(seen)) > 20
    assert not signed_in.get(reverse("documents:search", args=[base.pk]), {"q": "rent", "tag": "b"}).context["places"]


@pytest.mark.parametrize("after", ["x", "1-", "-1", "9999999999-1", "1-2-3", "\x00", "٣-٣"])
def test_a_foreign_cursor_begins_anew(signed_in: Client, base: KnowledgeBase, document: Document, after: str) -> None:
    page = signed_in.get(reverse("documents:search", args=[base.pk]), {"q": "rent", "after": after})
    assert len(page.context["places"]) == 1


def test_the_api_gives_the_same_places(signed_in: Client, base: KnowledgeBase, document: Document) -> None:
    reply = signed_in.get(f"/api/v1/bases/{base.pk}/search", {"q": "rent"}).json()
    [place] = reply["results"]
    assert [place["text"][start:end] for start, end in place["marks"]] == ["Rent", "rent", "rents"]
    assert (place["document_id"], place["page"], place["section"]) == (str(document.pk), 1, "Rent")
    for query in ({}, {"q": ""}, {"q": "x" * 201}):
        assert signed_in.get(f"/api/v1/bases/{base.pk}/search", query).status_code == 400
    assert signed_in.get(f"/api/v1/bases/{base.pk}/search", {"q": "rent", "cursor": "zz"}).status_code == 404


@pytest.mark.parametrize(
    ("headline", "spans"),
    [
        (f"a {BEGIN}b{END} c", [(2, 3)]),
        (f"{BEGIN}a{END} b {BEGIN}c{END}", [(0, 1), (4, 5)]),
        ("a b c", []),
        (f"a {BEGIN}x{END} c", []),
    ],
)
def test_signs_become_spans_only_of_the_same_text(headline: str, spans: list[tuple[int, int]]) -> None:
    assert read_spans(headline, "a b c") == spans


@pytest.mark.parametrize("word_at", [0, 50, 500, 1990])
def test_a_snippet_is_short_and_keeps_its_first_mark(word_at: int) -> None:
    text = ("alpha " * 400)[:2000]
    text = text[:word_at] + "RENT" + text[word_at + 4 :]
    snippet, marks = cut_snippet(text, [(word_at, word_at + 4)])
    assert len(snippet) < 330 and [snippet[start:end] for start, end in marks] == ["RENT"]
    assert cut_snippet("x" * 5_000, [])[0] == "x" * 320 + " …"
