"""A place whose title is only a number or a letter is named with its first words, or after what stands above it."""

from uuid import uuid4

import pytest
from django.test import Client

from documents.models import Document, KnowledgeBase, Parse, TocEntry
from documents.pages.places import passages_in, show_places
from documents.pages.section_names import name_path, name_section, says_nothing_alone
from documents.tests.readings import make_document, store_text

pytestmark = pytest.mark.django_db

LEASE = """# Lease

## Rent

The tenant pays the rent of 12,500 euros on the first working day.

## Deposit

None.
"""


@pytest.mark.parametrize("title", ["4.", "E.", "(iv)", "12", "3.2.1", "§ 7", "4 (a)", "A-1", "2b", "XIV."])
def test_a_number_or_a_letter_alone_says_nothing(title: str) -> None:
    assert says_nothing_alone(title)


@pytest.mark.parametrize("title", ["", "Rent", "4. Rent", "E. Notices", "Civil", "Mix", "Part A", "§", "第四条"])
def test_a_title_with_a_word_is_one(title: str) -> None:
    assert not says_nothing_alone(title)


@pytest.mark.parametrize(
    ("title", "path", "name", "whole"),
    [
        ("Rent", "Lease > Rent", "Rent", "Lease > Rent"),
        ("4.", "Lease > 4.", "Lease > 4.", "Lease > 4."),
        ("E.", "Lease > Rent > 4. > E.", "Rent > 4. > E.", "Lease > Rent > 4. > E."),
        ("E.", "4. > E.", "E.", "E."),
        ("4.", "", "4.", "4."),
        ("", "", "", ""),
    ],
)
def test_it_is_named_after_the_nearest_title_above(title: str, path: str, name: str, whole: str) -> None:
    """Of a reading that is gone nothing is left but the title."""
    assert name_section(title, path, uuid4(), 1) == name and name_path(title, path, uuid4(), 1) == whole


@pytest.fixture
def lease(base: KnowledgeBase) -> Parse:
    """Two sections whose titles are a number and a letter, with nothing above them."""
    document = make_document(base, "lease.md")
    parse = store_text(document, LEASE)
    for title, bare in (("Rent", "4."), ("Deposit", "E.")):
        parse.lines.filter(text=title).update(text=bare)
        TocEntry.objects.filter(parse=parse, title=title).update(title=bare, breadcrumb=bare)
    return parse


def test_pages_show_its_first_words(lease: Parse, base: KnowledgeBase, signed_in: Client) -> None:
    words = "4. The tenant pays the rent of 12,500 euros …"
    index = TocEntry.objects.get(parse=lease, title="4.").index
    assert name_section("4.", "4.", lease.pk, index) == words
    page = " ".join(signed_in.get(f"/documents/{lease.document_id}/").content.decode().split())
    assert words in page and "E. None." in page
    [place] = show_places(passages_in(base.documents.living(), "euros"), "euros")
    assert place.section == words
    assert TocEntry.objects.filter(parse=lease, title__in=("4.", "E.")).count() == 2, "nothing stored is changed"
    assert Document.objects.get(pk=lease.document_id).current_parse == lease
