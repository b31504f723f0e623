"""Where what a card says was read (R15): by rules, by a model, after edits and readings, and lit on the page."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents.cards.places import CardPlace, ReadCard, places_of_quotes, with_places
from documents.cards.rules import make_card
from documents.cards.source import source_of
from documents.cards.types import Card, NamedValue
from documents.cards.versions import card_of, card_places, edit_card, undo_edits
from documents.ingestion import conductor, queueing
from documents.models import Document, DocumentCard, IngestJob, KnowledgeBase
from documents.pages.address import find_page_target
from reading.plain_text import read_plain_text
from reading.rows import Reading
from reading.tests.pdfs import with_struck

Queued = Callable[..., IngestJob]

NOTHING = ("", "")
LEASE = """LEASE AGREEMENT

The offer of 3 May 2024 has lapsed, as has the one of 1 June 2024.
This Lease Agreement is made on 3 May 2024 between Alder Works, Inc., a corporation of the State of Oregon, and
Birch Foods GmbH.

It takes the place of the lease with Birch Foods GmbH that was subject to the customs of the State of Oregon.
This Agreement shall be governed by and construed in accordance with the laws of the State of Oregon, whoever is sued.
"""
TWICE_ON_A_LINE = """LEASE AGREEMENT

Until 3 May 2024 the offer held; this Lease Agreement is made on 3 May 2024 between Alder Works, Inc. ("Alder") and
Birch Foods GmbH ("Birch").
"""
ORDINAL = """LEASE AGREEMENT

This Lease Agreement is made this 3rd day of MAY, 2024 between Alder Works, Inc. and Birch Foods GmbH.
The keys are handed over on May 3, 2024.
"""
BROKEN_NAME = """LEASE AGREEMENT

Birch Foods GmbH has let it before. This Lease Agreement is made by and between Birch Foods
GmbH ("Birch"), and Alder Works, Inc. ("Alder"), both of them in Oregon.
"""
INVOICE = """INVOICE

Order of 3 May 2024, offer no. 2024-17
Cleaning in April EUR 1,200.00
Invoice number: 2024-17
Date: 3 May 2024
Total due: EUR 1,200.00
Due date: 2 June 2024
Paid late after 2 June 2024, EUR 1,200.00 bear interest.
"""
RECHNUNG = """RECHNUNG

Angebot vom 3. Mai 2024 über 1.200,00 €
Rechnungsnummer: 2024-17
Datum: 3. Mai 2024
Gesamtbetrag: 1.200,00 €
Fällig am 2. Juni 2024
"""
FACTURE = """FACTURE N° 2024-17

Devis 2024-17, 1 200,00 €
Date : 3 mai 2024
Net à payer : 1 200,00 €
"""
MEMO = """MEMORANDUM

Lifts
To: All staff
From: House service
Date: 4 March 2022
Subject: Lifts

All staff know that Lifts stand still from 4 March 2022, says House service.
"""
LETTER = """Alder Works, Inc.

12 May 2024

Dear Sir or Madam,

we thank you for your letter of 2 May 2024 and answer on 12 May 2024.

Very truly yours,
"""
FILING = """UNITED STATES
SECURITIES AND EXCHANGE COMMISSION

FORM 10-K

ANNUAL REPORT of Alder Works, Inc. as of May 31, 2023

For the FISCAL YEAR ENDED MAY 31, 2023

Alder Works, Inc.
(Exact name of registrant as specified in its charter)
"""
CURRENT = """UNITED STATES
SECURITIES AND EXCHANGE COMMISSION

FORM 8-K

Date of report (Date of earliest event reported): AUGUST 17, 2023

Alder Works, Inc.
(Exact name of registrant as specified in its charter)

On August 17, 2023 Alder Works, Inc. announced that nothing happened.
"""
RELEASE = """FOR IMMEDIATE RELEASE

Alder Works, Inc. is an employer
Zurich, August 17, 2023 – Alder Works, Inc. (NYSE: ALD) today announced its results for fiscal 2023.
Adjusted EPS of 19.3 in fiscal 2023.
"""
VERTRAG = """MIETVERTRAG

Der Vorvertrag galt bis zum 1. Mai 2023 und unterlag deutschem Recht der Übergabe; drei Jahren ging er voraus.
Dieser Vertrag wird zwischen der Alder Works GmbH und der Birch Foods GmbH geschlossen.
Er tritt am 1. Mai 2023 in Kraft.
Das Mietverhältnis wird für die Dauer von drei Jahren geschlossen.
Dieser Vertrag unterliegt deutschem Recht.
"""

# The document, a part of its card and its name; the value, how the line begins it was read from, the words before it.
READ: dict[str, tuple[str, str, str, str, str, str]] = {
    "the day it is made, not that of an offer": (LEASE, "date", "date", "3 May 2024", "This Lease", "is made on "),
    "the party, not the company of an old lease": (
        LEASE, "party", "Birch Foods GmbH", "Birch Foods GmbH", "Birch Foods GmbH.", "",
    ),
    "the law, not the state of a party": (
        LEASE, "value", "governing_law", "State of Oregon", "This Agreement shall", "laws of the ",
    ),
    "the second of two on one line": (TWICE_ON_A_LINE, "date", "date", "3 May 2024", "Until", "is made on "),
    "a day of a month put into plain words": (ORDINAL, "date", "date", "May 3, 2024", "This Lease", "made this "),
    "a name over the end of a line": (
        BROKEN_NAME, "party", "Birch Foods GmbH", "Birch Foods GmbH", "Birch", "between ",
    ),
    "the number, not that of an offer": (INVOICE, "value", "number", "2024-17", "Invoice", "number: "),
    "the date, not that of an order": (INVOICE, "date", "date", "3 May 2024", "Date:", "Date: "),
    "the total, not the price of an item": (INVOICE, "value", "total", "EUR 1,200.00", "Total", "due: "),
    "when it is due, not since when it is late": (INVOICE, "value", "due", "2 June 2024", "Due", "date: "),
    "due, as a date of the document": (INVOICE, "date", "due", "2 June 2024", "Due", "date: "),
    "a German total, not the price of an offer": (RECHNUNG, "value", "total", "1.200,00 €", "Gesamt", "betrag: "),
    "a German day a bill is due": (RECHNUNG, "value", "due", "2. Juni 2024", "Fällig", "am "),
    "a French total, not the price of a quote": (FACTURE, "value", "total", "1 200,00 €", "Net", "payer : "),
    "a French number in the title, not below": (FACTURE, "value", "number", "2024-17", "FACTURE", "N° "),
    "whom a memo is to, not who knows": (MEMO, "value", "recipient", "All staff", "To:", "To: "),
    "who a memo is from": (MEMO, "value", "sender", "House service", "From:", "From: "),
    "the subject, not a line of one word above": (MEMO, "value", "subject", "Lifts", "Subject:", "Subject: "),
    "the date of a memo": (MEMO, "date", "date", "4 March 2022", "Date:", "Date: "),
    "a date alone on its line": (LETTER, "date", "date", "12 May 2024", "12 May", ""),
    "the name of a registrant on its own line": (
        FILING, "party", "Alder Works, Inc.", "Alder Works, Inc.", "Alder", "",
    ),
    "the period of a report in capitals": (
        FILING, "period", "", "fiscal year ended May 31, 2023", "For the", "For the ",
    ),
    "the day of an event in capitals": (CURRENT, "date", "event", "August 17, 2023", "Date of report", "reported): "),
    "who announces, not what it is": (
        RELEASE, "party", "Alder Works, Inc.", "Alder Works, Inc.", "Zurich", "2023 – ",
    ),
    "a law in German": (VERTRAG, "value", "governing_law", "deutschem Recht", "Dieser Vertrag unt", "unterliegt "),
    "a term in German": (VERTRAG, "value", "term", "drei Jahren", "Das Miet", "Dauer von "),
    "in force in German": (VERTRAG, "date", "effective", "1. Mai 2023", "Er tritt", "tritt am "),
}  # fmt: skip


def read(text: str, title: str | None = None) -> tuple[Reading, ReadCard]:
    reading = read_plain_text(text)
    return reading, make_card(reading.title if title is None else title, reading.lines, reading.toc)


def place_in(made: ReadCard, part: str, name: str) -> CardPlace | None:
    return next((place for place in made.places if place.key == (part, name)), None)


@pytest.mark.parametrize(("text", "part", "name", "value", "line_begins", "before"), READ.values(), ids=READ.keys())
def test_the_place_is_the_one_that_was_read(
    text: str, part: str, name: str, value: str, line_begins: str, before: str
) -> None:
    """(R15) Of a value that stands twice, the one its reader read; the words as they are printed there."""
    reading, made = read(text)
    place = place_in(made, part, name)
    assert place is not None, made
    values = {("party", each): each for each in made.card.parties} | {("period", ""): made.card.period}
    values |= {("date", each.name): each.value for each in made.card.dates}
    values |= {("value", each.name): each.value for each in made.card.fields}
    assert values[part, name] == value
    line = reading.lines[place.first_line - 1]
    assert line.text.startswith(line_begins) and line.text[: place.start].endswith(before), (line.text, place)
    stands = " ".join(each.text for each in reading.lines[place.first_line - 1 : place.last_line])
    assert stands[place.start :].startswith(place.words) and place.page == line.page_number


@pytest.mark.parametrize(
    ("text", "part", "name", "words"),
    [
        (ORDINAL, "date", "date", "3rd day of MAY, 2024"),
        (FILING, "period", "", "FISCAL YEAR ENDED MAY 31, 2023"),
        (CURRENT, "date", "event", "AUGUST 17, 2023"),
        (BROKEN_NAME, "party", "Birch Foods GmbH", "Birch Foods GmbH"),
    ],
)
def test_the_words_of_a_place_are_those_of_the_page(text: str, part: str, name: str, words: str) -> None:
    """A value that is told in plain words, or was joined, keeps the words it was made of."""
    place = place_in(read(text)[1], part, name)
    assert place is not None and place.words == words


def test_a_name_over_two_lines_has_both() -> None:
    place = place_in(read(BROKEN_NAME)[1], "party", "Birch Foods GmbH")
    assert place is not None and place.last_line == place.first_line + 1 and place.words == "Birch Foods GmbH"


def test_what_is_taken_from_a_title_has_no_place() -> None:
    """A title is made of lines, shortened or given, and stands so on none."""
    made = read("FOR IMMEDIATE RELEASE\n\nAdjusted EPS of 3.\n", "Amcor reports fiscal 2023 results")[1]
    assert (made.card.parties, made.card.period, made.places) == (("Amcor",), "fiscal 2023", ())


def test_what_is_struck_is_the_place_of_nothing() -> None:
    reading = read_plain_text(LEASE.replace("made on 3 May 2024", "made on 3 May 2024 4 May 2024"))
    struck = [with_struck(line, "3 May 2024" if "made on" in line.text else "") for line in reading.lines]
    place = place_in(make_card("LEASE AGREEMENT", struck, reading.toc), "date", "date")
    assert place is None or place.words == "4 May 2024"


# ---- what a model said

TOLD = "To be paid: EUR 7.00\nNever paid: EUR 9.00 and 13 May 2024\nEUR 9.00 it was\nMr Alder and Mr Birch\n"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("EUR 7.00", "EUR 7.00"),
        ("EUR 9.00", ""),  # stands twice
        ("3 May 2024", ""),  # part of another date
        ("EUR 7", "EUR 7"),  # what follows is a point
        ("EUR 11.00", ""),
        ("EUR", ""),
        ("eur 7.00", ""),  # not as it is printed
        ("Mr Alder", "Mr Alder"),
        ("was Mr Alder", "was Mr Alder"),  # over the end of a line
    ],
)
def test_words_of_a_model_have_a_place_where_they_stand_once(value: str, words: str) -> None:
    """(R15)"""
    reading = read_plain_text(TOLD)
    card = Card("invoice", fields=(NamedValue("total", value),))
    places = places_of_quotes(card, source_of(reading.lines, reading.toc), reading.lines)
    assert [place.words for place in places] == ([words] if words else [])


def test_what_stands_in_the_contents_too_is_not_sure() -> None:
    reading = read_plain_text(TOLD)
    source = f"{source_of(reading.lines, reading.toc)}\n\nContents:\nEUR 7.00"
    card = Card("invoice", fields=(NamedValue("total", "EUR 7.00"),))
    assert places_of_quotes(card, source, reading.lines) == ()


# ---- on the page and over versions


def read_text(base: KnowledgeBase, queued: Queued, text: str = INVOICE) -> Document:
    base.settings = {"embeddings": "none"}
    base.save()
    return conductor.finish(queued(text.encode(), "read.txt"))


def links_of(page: str) -> dict[str, str]:
    """The addresses of the places of the card on a page, by their words."""
    return {
        words: address.replace("&amp;", "&")
        for address, words in re.findall(r'href="([^"]*&amp;at=[^"]*)"[^>]*>\s*<bdi>([^<]*)</bdi>', page)
    }


@pytest.mark.django_db
def test_each_value_opens_the_page_with_its_own_words_lit(
    base: KnowledgeBase, queued: Queued, signed_in: Client
) -> None:
    """(R15) Also the second of two on one line."""
    document = read_text(base, queued, TWICE_ON_A_LINE)
    parse = document.current_parse
    assert parse is not None
    page = signed_in.get(reverse("documents:document", args=[document.pk])).content.decode()
    links = links_of(page)
    assert set(links) == {"3 May 2024", "Alder Works, Inc.", "Birch Foods GmbH"}
    assert signed_in.get(links["3 May 2024"]).status_code == 200
    line = parse.lines.get(text__startswith="Until")
    at = f"{line.number}-{line.text.rindex('3 May 2024')}"
    found = find_page_target(parse, {"page": "1", "quote": "3 May 2024", "at": at})
    first = find_page_target(parse, {"page": "1", "quote": "3 May 2024"})
    assert f"at={at}" in links["3 May 2024"] and found.quote and found.quoted and first.quoted
    assert [found.quote.pieces(hit, {line.number: line.text}) for hit in (first.quoted, found.quoted)] == [
        [(line.number, start, start + 10)] for start in (line.text.index("3 May"), line.text.rindex("3 May"))
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("at", ["", "0-0", "7", "999999999-0", "2-4", "x-1", "1-999999999", "٣-١"])
def test_an_address_that_is_wrong_lights_the_words_where_they_first_stand(
    base: KnowledgeBase, queued: Queued, at: str
) -> None:
    parse = read_text(base, queued).current_parse
    assert parse is not None
    wrong, plain = (find_page_target(parse, {"page": "1", "quote": "3 May 2024"} | given) for given in ({"at": at}, {}))
    assert wrong == plain and wrong.quoted and not wrong.fault


@pytest.mark.django_db
def test_what_a_person_said_has_no_place_and_the_rest_keeps_its_own(
    base: KnowledgeBase, queued: Queued, owner: User
) -> None:
    """(R15)"""
    document = read_text(base, queued)
    before = card_places(document)
    assert ("value", "total") in before and ("date", "date") in before
    card = card_of(document)
    changed = tuple(NamedValue("total", "EUR 9.00") if each.name == "total" else each for each in card.fields)
    edit_card(document, Card(card.type, ("Birch Foods GmbH",), card.dates, card.period, card.summary, changed), owner)
    document.refresh_from_db()
    assert card_places(document) == {key: place for key, place in before.items() if key != ("value", "total")}
    stored = document.cards.last()
    assert stored is not None and "places" not in stored.content
    undo_edits(document, owner)
    document.refresh_from_db()
    assert card_places(document) == before


@pytest.mark.django_db
def test_a_value_a_person_moved_to_another_field_has_no_place(base: KnowledgeBase, queued: Queued, owner: User) -> None:
    document = read_text(base, queued)
    edit_card(document, Card("invoice", dates=(NamedValue("effective", "3 May 2024"),)), owner)
    document.refresh_from_db()
    assert card_places(document) == {}


@pytest.mark.django_db
def test_a_card_of_before_is_shown_without_places(base: KnowledgeBase, queued: Queued, signed_in: Client) -> None:
    """(R15) It gets them with the next reading."""
    document = read_text(base, queued)
    assert document.card is not None
    old = DocumentCard.objects.create(
        document=document,
        number=2,
        made_by="rules",
        parse_number=1,
        source_sha256=document.card.source_sha256,
        content={name: value for name, value in document.card.content.items() if name != "places"},
    )
    Document.objects.filter(pk=document.pk).update(card=old)
    page = signed_in.get(reverse("documents:document", args=[document.pk])).content.decode()
    assert "EUR 1,200.00" in page and not links_of(page)
    conductor.finish(queueing.queue_again(document))
    assert links_of(signed_in.get(reverse("documents:document", args=[document.pk])).content.decode())
    assert document.cards.count() == 3
    conductor.finish(queueing.queue_again(document))
    assert document.cards.count() == 3


@pytest.mark.django_db
def test_a_place_whose_words_do_not_stand_there_any_more_is_not_shown(base: KnowledgeBase, queued: Queued) -> None:
    document = read_text(base, queued)
    assert document.current_parse is not None and ("value", "total") in card_places(document)
    document.current_parse.lines.filter(text__startswith="Total").update(text="Total: none", match="total: none")
    assert {("value", "total"), ("value", "number")} & card_places(document).keys() == {("value", "number")}


@pytest.mark.django_db
def test_programs_read_the_places(base: KnowledgeBase, queued: Queued, signed_in: Client) -> None:
    """(R15)"""
    document = read_text(base, queued)
    said = signed_in.get(f"/api/v1/documents/{document.pk}/card").json()
    assert document.current_parse is not None
    line = document.current_parse.lines.get(text__startswith="Total")
    total = {"part": "value", "name": "total", "page": 1, "first_line": line.number, "last_line": line.number}
    assert total | {"start": 11, "words": "EUR 1,200.00"} in said["places"]
    assert said["card"] == said["versions"][0] and "places" not in said["card"]
    body = json.dumps({"dates": [{"name": "date", "value": "4 May 2024"}]})
    changed: Any = signed_in.generic("PATCH", f"/api/v1/documents/{document.pk}/card", body, "application/json").json()
    assert ("date", "date") not in [(each["part"], each["name"]) for each in changed["places"]]


def test_a_card_without_places_is_stored_as_before() -> None:
    assert with_places(ReadCard(Card())) == Card().to_json()
