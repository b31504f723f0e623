"""Cards by rules (R15): what tells a type, and what the first pages of a document say of it."""

import pytest

from documents.cards.rules import headed_fields, make_card, read_agreement_date
from documents.cards.signs import FieldSign, TypeSign, card_signs, field_signs
from documents.cards.source import source_of
from documents.cards.types import DATES, FIELDS, TYPES, UNKNOWN, Card, NamedValue
from documents.naming import name_by_card
from reading.plain_text import read_markdown, read_plain_text
from reading.tests.pdfs import with_struck

AGREEMENT = """SERVICE AGREEMENT

This Service Agreement is entered into as of May 3, 2021 (the "Effective Date") by and between Alder Works, Inc., a
Delaware corporation ("Alder"), and Birch Foods GmbH, a German company ("Birch").

The parties agree as follows: Alder cleans the kitchens of Birch once a day and reports each month what it has done.

This Agreement shall be governed by and construed in accordance with the laws of the State of Oregon.
"""
STRUCK = ("May 3, 2021", ', and Birch Foods GmbH, a German company ("Birch")', "the laws of the State of Oregon")
INVOICE = """INVOICE

Invoice number: 2024-17
Date: 3 May 2024
Bill to: Birch Foods GmbH

Cleaning in April 1,200.00
Total due: EUR 1,200.00
Due date: 2 June 2024
"""
FACTURE = """FACTURE N° 2024-17

Date : 3 mai 2024
Nettoyage d'avril
Net à payer : 1 200,00 €
"""
RECHNUNG = """RECHNUNG

Rechnungsnummer: 2024-17
Datum: 3. Mai 2024
Reinigung im April
Gesamtbetrag: 1.200,00 €
Fällig am 2. Juni 2024
"""
VERTRAG = """MIETVERTRAG

Dieser Vertrag wird zwischen der Alder Works GmbH und der Birch Foods GmbH geschlossen.
Er tritt am 1. Mai 2023 in Kraft.

Das Mietverhältnis wird für die Dauer von drei (3) Jahren geschlossen.

Dieser Vertrag unterliegt deutschem Recht.
"""
INSURED = """# Household Insurance Policy

## Schedule

Policyholder: Ada Novak

Period of insurance: 1 May 2023 to 30 April 2024

Total sum insured: EUR 400,000

## 1. What is covered

In return for the premium, this policy insures the building and its contents. We will pay for damage by fire.

## 2. Exclusions

Damage by war.
"""
SCHEIN = """VERSICHERUNGSSCHEIN

Versicherungsnehmer: Ada Novak
Versicherungssumme: 400.000 EUR

Der Versicherer leistet Entschädigung für versicherte Sachen, die durch Brand zerstört werden.
"""
POLICE = """POLICE D'ASSURANCE HABITATION

Souscripteur : Ada Novak
Capital assuré : 400 000 €

La présente police couvre le logement contre l'incendie.
"""
POLIZA = """PÓLIZA DE SEGURO DEL HOGAR

Tomador del seguro: Ada Novak
Suma asegurada: 400.000 €

La presente póliza cubre la vivienda contra incendios.
"""
UNTITLED = """Homeowners Policy HO-3

Named insured: Ada Novak

AGREEMENT

We will provide the insurance described in this policy in return for the premium. The insurer pays for direct loss.
"""
ABOUT_INSURANCE = """# Insurance Policy

## Purpose

This policy says how the offices of the house are insured and who orders insurance for a new vehicle.

## Responsibilities

The finance office names the insurer and keeps each certificate. It tells the insurer of a loss within a week.

## Exceptions

None.
"""
POLICY = """# Clean Desk Policy

Last updated: 2 June 2023

## Purpose

This policy says what may lie on a desk when nobody sits at it in the evening. It holds for everybody in the house.

## Responsibilities

Each manager looks once a week.

## Exceptions

None.
"""
MEMO = """MEMORANDUM

To: All staff
From: House service
Date: 4 March 2022
Subject: Lifts

The lifts stand still on Saturday because the ropes are changed by the maker.
"""
RESUME = """Ada Novak

Work experience

Baker in Prague since 2011, with nine people in the shop and two ovens.

Education

Secondary school in Brno.

Languages

Czech, German.
"""


def card_of_text(text: str, *, is_markdown: bool = False) -> Card:
    reading = read_markdown(text) if is_markdown else read_plain_text(text)
    return make_card(reading.title, reading.lines, reading.toc).card


def test_every_sign_is_found_in_its_examples_and_not_in_its_counter_examples() -> None:
    signs: list[TypeSign | FieldSign] = [*card_signs(), *field_signs()]
    wrong = [
        (sign.pattern.pattern, text)
        for sign in signs
        for texts, is_wanted in ((sign.examples, True), (sign.counter_examples, False))
        for text in texts
        if bool(sign.pattern.search(text)) != is_wanted
    ]
    assert wrong == []


def test_a_value_of_an_example_is_part_of_it() -> None:
    for sign in field_signs():
        for text in sign.examples:
            found = sign.pattern.search(text)
            assert found and ("value" not in sign.pattern.groupindex or found["value"].strip())


def test_every_type_has_fields_that_are_named_and_asked() -> None:
    assert {name for kind in TYPES.values() for name in kind.fields} == set(FIELDS)
    assert {sign.type for sign in card_signs()} | {UNKNOWN} == set(TYPES)
    assert {sign.name for sign in field_signs() if sign.section == "date"} <= set(DATES)


@pytest.mark.parametrize(
    ("text", "kind", "dates", "fields"),
    [
        (AGREEMENT, "contract", {"effective": "May 3, 2021"}, {"governing_law": "State of Oregon"}),
        (
            INVOICE,
            "invoice",
            {"date": "3 May 2024", "due": "2 June 2024"},
            {"number": "2024-17", "total": "EUR 1,200.00", "due": "2 June 2024"},
        ),
        (
            RECHNUNG,
            "invoice",
            {"date": "3. Mai 2024", "due": "2. Juni 2024"},
            {"number": "2024-17", "total": "1.200,00 €", "due": "2. Juni 2024"},
        ),
        (
            VERTRAG,
            "contract",
            {"effective": "1. Mai 2023"},
            {"term": "drei (3) Jahren", "governing_law": "deutschem Recht"},
        ),
        (FACTURE, "invoice", {"date": "3 mai 2024"}, {"number": "2024-17", "total": "1 200,00 €"}),
        (
            MEMO,
            "memo",
            {"date": "4 March 2022"},
            {"subject": "Lifts", "recipient": "All staff", "sender": "House service"},
        ),
        (RESUME, "resume", {}, {}),
    ],
)
def test_type_dates_and_fields_are_read(text: str, kind: str, dates: dict[str, str], fields: dict[str, str]) -> None:
    card = card_of_text(text)
    assert (card.type, dict(card.dates), dict(card.fields)) == (kind, dates, fields)


def test_an_agreement_has_its_parties_and_begins_with_the_sentence_that_names_them() -> None:
    card = card_of_text(AGREEMENT)
    assert card.parties == ("Alder Works, Inc.", "Birch Foods GmbH")
    assert card.summary.startswith("This Service Agreement is entered into as of May 3, 2021")
    assert "cleans the kitchens of Birch" in card.summary


@pytest.mark.parametrize(("text", "date"), [(AGREEMENT, "May 3, 2021"), (INVOICE, "")])
def test_an_agreement_has_the_date_of_its_preamble(text: str, date: str) -> None:
    assert read_agreement_date(read_plain_text(text).lines).value == date


def test_a_policy_is_summed_up_by_its_purpose() -> None:
    card = card_of_text(POLICY, is_markdown=True)
    assert (card.type, card.dates) == ("policy", (NamedValue("updated", "2 June 2023"),))
    assert card.summary == (
        "This policy says what may lie on a desk when nobody sits at it in the evening. "
        "It holds for everybody in the house."
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (INSURED, "contract"),
        (SCHEIN, "contract"),
        (POLICE, "contract"),
        (POLIZA, "contract"),
        (UNTITLED, "contract"),
        (ABOUT_INSURANCE, "policy"),
    ],
    ids=["en", "de", "fr", "es", "no title says it", "a rule about insurance"],
)
def test_a_policy_of_insurance_is_a_contract_and_a_rule_about_insurance_is_none(text: str, kind: str) -> None:
    assert card_of_text(text, is_markdown=text.startswith("#")).type == kind


def test_what_no_sign_tells_is_unknown() -> None:
    card = card_of_text("Some remarks\n\nThe weather was fine and everybody went to the lake in the afternoon.\n")
    assert (card.type, card.parties, card.dates, card.period, card.fields) == (UNKNOWN, (), (), "", ())


def test_titles_of_sections_tell_which_fields_a_document_can_be_asked_for() -> None:
    assert headed_fields("policy", ["1 Purpose", "2 Responsibilities", "3 Exceptions"]) == [
        "responsibilities",
        "exceptions",
    ]
    assert headed_fields(UNKNOWN, ["2 Responsibilities"]) == []


def test_a_card_survives_its_stored_form() -> None:
    card = card_of_text(INVOICE)
    assert Card.from_json(card.to_json()) == card


@pytest.mark.parametrize(
    ("card", "language", "name"),
    [
        (Card("invoice", ("Acme Ltd",), (NamedValue("date", "3 May 2024"),)), "en", "Invoice, Acme Ltd, 3 May 2024"),
        (Card("invoice", (), (NamedValue("date", "3 mai 2024"),)), "fr", "Facture, 3 mai 2024"),
        (Card("contract", ("A", "B", "C"), (), "2023"), "", "Contract, A, B, 2023"),
        (Card("invoice"), "en", ""),
        (Card(UNKNOWN, ("Acme Ltd",)), "en", ""),
    ],
)
def test_a_document_without_a_title_is_named_by_its_card(card: Card, language: str, name: str) -> None:
    assert name_by_card(card, language) == name


def test_what_is_struck_through_is_in_no_card() -> None:
    reading = read_plain_text(AGREEMENT)
    struck = [with_struck(line, next((each for each in STRUCK if each in line.text), "")) for line in reading.lines]
    before, after = (make_card("SERVICE AGREEMENT", lines, reading.toc).card for lines in (reading.lines, struck))
    assert before.parties == ("Alder Works, Inc.", "Birch Foods GmbH") and before.dates[0].value == "May 3, 2021"
    assert after.parties == ("Alder Works, Inc.",) and after.dates == ()
    assert "Birch Foods" not in after.summary and "Oregon" not in source_of(struck, reading.toc)
