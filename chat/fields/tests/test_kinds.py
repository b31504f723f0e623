"""A field whose value is of another kind than was asked for is doubtful, and says which kind was found (R77, R87)."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import User
from chat.checks import MarkedValue
from chat.fields.extracting import Asker, find_fields, record_fields
from chat.fields.kinds import (
    ASKED,
    FOUND,
    ONE_PARTY,
    OTHER_KIND,
    UNNAMED,
    doubt_kind,
    doubt_other_value,
    doubt_thing,
    doubt_unnamed,
)
from chat.fields.reading import read_fields_text
from chat.fields.values import field_json, item_given, write_extraction_csv
from chat.models import ExtractionField
from chat.page.part_outcomes import item_rows
from chat.turns.items import NO_VALUE, an_item
from documents.ingestion.conductor import ingest_path
from documents.models import KnowledgeBase
from retrieval.forms.fields import Field
from retrieval.told.clauses import Clause
from retrieval.types import Expected

LICENCE = """\
# Licence of the brand

## Effective date

The effective date is eighteen (18) months after the opening of the first shop.

## Start

The licence starts on 1 March 2024.

## Fee

The fee is 900 euros a year.

## Assignment

The licence may be assigned to a subsidiary.
"""


@pytest.mark.parametrize(
    ("asked", "shown", "is_declared", "found"),
    [
        ("date", "after eighteen (18) months", False, "duration"),
        ("date", "on 1 March 2024", True, ""),
        ("date", "on 4/3/2024", True, ""),  # which of two it is, is not clear; it is a date
        ("date", "when the shop opens", True, "sentence"),
        ("amount", "within thirty days", True, "duration"),
        ("amount", "12,500 a month", True, ""),
        ("duration", "a fee of 900 euros", False, "amount"),
        ("duration", "at least 12 characters", False, ""),
        ("duration", "at least 12 characters", True, "sentence"),
        ("date", "the [ ] day of [ ] 2019", True, "sentence"),
        ("percentage", "on 1 March 2024", False, "date"),
        ("person", "for two years", False, "duration"),
        ("person", "whoever holds the key", False, ""),  # a name is written in many ways
        ("person", "whoever holds the key", True, "sentence"),
        ("address", "900 euros", True, "amount"),
        ("email", "by letter", False, "sentence"),
        ("boolean", "The licence may be assigned.", False, ""),
        ("text", "eighteen months", True, ""),
        ("amount", "17.1 The owner may end it under clause 17.", True, "sentence"),
        ("amount", "18.1.1 the owner may insure the property;", True, "sentence"),
        ("number", "The rules apply except for Section 13.", True, "sentence"),
        ("person", "any officer or employee of the firm", True, "sentence"),
        ("person", "any officer or employee of the firm", False, ""),
    ],
)
def test_words_of_another_kind_are_doubted(asked: str, shown: str, is_declared: bool, found: str) -> None:
    """(R77)"""
    item = doubt_kind(an_item("it", asked, "found"), shown, is_declared=is_declared)
    assert item["outcome"] == ("weak" if found else "found")
    assert item["reason"] == (f"{ASKED[asked]} {FOUND[found]}" if found else "")


@pytest.mark.parametrize(
    ("asked", "value", "is_declared", "outcome"),
    [
        ("date", "duration", False, "weak"),
        ("date", "date", True, "found"),
        ("person", "party", False, "found"),  # "Who is the landlord?"
        ("person", "party", True, "weak"),
        ("party", "person", True, "found"),
        ("address", "postcode", True, "weak"),
        ("amount", "cell", True, "found"),
        ("amount", "list", True, "found"),
    ],
)
def test_a_typed_value_of_another_kind_is_doubted(asked: str, value: str, is_declared: bool, outcome: str) -> None:
    """(R87)"""
    item = an_item("it", asked, "found", values=[{"type": value, "marker": 1}])
    assert doubt_kind(item, "1,200", is_declared=is_declared)["outcome"] == outcome


@pytest.mark.django_db(transaction=True)
def test_page_program_and_spreadsheet_name_the_kind_that_was_found(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "licence.md"
    path.write_text(LICENCE)
    document = ingest_path(path, base, tenant)
    fields = [
        Field("Effective date", "What is the effective date?"),
        Field("Start", "When does the licence start?", Expected("date")),
        Field("Fee", "What is the fee a year?", Expected("amount")),
        Field("Assignment", "May the licence be assigned to a subsidiary?"),
    ]
    asker = Asker(tenant, base, "balanced")
    runs = record_fields(asker, fields, find_fields(asker, [document], fields))
    told = [
        field_json(ExtractionField(name=field.name, question=field.question, run=run))
        for field, run in zip(fields, runs, strict=True)
    ]
    effective, start, fee, assignment = told
    said = "A date was asked for. A period was found instead."
    assert (effective["outcome"], effective["caveats"]) == ("weak", [said])
    assert effective["value"] == "eighteen (18) months" and "eighteen" in effective["quote"]
    assert (start["outcome"], start["values"][0]["value"], start["caveats"]) == ("found", "2024-03-01", [])
    assert (fee["outcome"], fee["values"][0]["value"], fee["caveats"]) == ("found", "900", [])
    assert (assignment["outcome"], assignment["type"], assignment["caveats"]) == ("found", "boolean", [])
    rows = list(csv.DictReader(io.StringIO(write_extraction_csv(told))))
    assert (rows[0]["outcome"], rows[0]["caveat"]) == ("weak", said)
    (item,) = runs[0].answer.items
    assert (item["code"], item["outcome"]) == (OTHER_KIND, "weak")
    assert item_rows(runs[0].answer)[0].why == said


AGREEMENT = """\
# SERVICE AGREEMENT

This Service Agreement is made on 1 March 2024 between Harbour Sheds Limited, a company in Dover (the
"Supplier"), and Quay Foods GmbH, a company in Bremen (the "Customer"), each a "Party" and together the "Parties".

## Term

Either party may end this agreement with six weeks' notice to the other party.

## Notices

A notice given by e-mail shall be deemed to have been received one hour after it is sent.
A notice of either party is in writing.

## Fee

The Customer pays a fee of 900 euros for each period of account.
"""
DATED = """\
# SERVICE AGREEMENT

This Service Agreement, dated as of 1 March 2024, is between Harbour Sheds Limited, a company in Dover (the
"Supplier"), and Quay Foods GmbH, a company in Bremen (the "Customer").

## Fee

The Customer pays the fee of 900 euros under this agreement from the date of 5 May 2025.
"""
NAMED = """\
# SUPPLY AGREEMENT

This Supply Agreement is made on 1 March 2024 (the “Effective Date”) between Harbour Sheds Limited, a company in Dover
(the “Supplier”), and Quay Foods GmbH, a company in Bremen (the “Customer”).

## Term

Notice is given within thirty (30) days before the end of a Renewal Term. After that this agreement renews for
successive terms of six (6) months (each a “Renewal Term”).

## General

No party shall assign this agreement to anybody. A judgment may be enforced in any place and by any competent court or
other body of such a jurisdiction.

## Defects

The Supplier represents and warrants that the goods are free of defects on delivery and two years after it.

## Address

A notice is sent to the address that the other party has given for notices.

## Costs

For such period, starting from 5 May 2023, the Customer bears the costs of what becomes effective in that time.
"""
SIGNED = """\
# Agreement

## Fee

The fee is 900 euros a year.

## Signatures

Signatories of the parties:

By: Ann Lee

By: Bo Karlsson

Name: Cy Dow, witness
"""
BARE = """\
# Notices

A notice given by e-mail shall be deemed to have been received one hour after it is sent.

# Duties of the parties

Either party tells the other party of any damage. Each party keeps the rooms clean.
"""


@pytest.mark.parametrize(
    ("values", "shown", "is_named"),
    [
        (["either party"], "", False),
        (["other Party", "Supplier"], "", False),
        (["Tenant", "Acme Ltd"], "", True),
        (["Yale University School of Medicine"], "", True),
        (["Vertragsparteien"], "", False),
        (["beide Parteien"], "", False),
        (["chaque partie"], "", False),
        (["ambas partes"], "", False),
        ([], "Either party may end the lease.", False),
        ([], "This lease is between Acme Ltd and Globex Inc.", True),
    ],
)
def test_a_word_for_a_party_is_no_name(values: list[str], shown: str, is_named: bool) -> None:
    """(R87)"""
    typed: list[MarkedValue] = [{"type": "party", "value": value, "marker": 1} for value in values]
    item = doubt_unnamed(an_item("it", "party", "found", values=typed), shown)
    assert item["outcome"] == ("found" if is_named else "weak")
    assert item["reason"] == ("" if is_named else f"{ASKED['party']} {UNNAMED}")


def test_one_name_alone_is_not_the_parties() -> None:
    """(R87)"""
    typed: list[MarkedValue] = [{"type": "party", "value": "Acme Ltd", "marker": 1}]
    item = doubt_unnamed(an_item("it", "party", "found", values=typed), "", least=2)
    assert (item["outcome"], item["reason"]) == ("weak", f"{ASKED['party']} {ONE_PARTY}")


def test_another_value_with_as_much_is_named() -> None:
    """(R54)"""
    item = doubt_other_value(an_item("cap", "amount", "found"), "900 euros")
    assert item["outcome"] == "weak" and item["reason"].endswith("“900 euros”")
    assert doubt_other_value(an_item("cap", "amount", "found"), "")["outcome"] == "found"


def test_what_is_missing_beside_a_value_is_named() -> None:
    """(R54)"""
    mismatch = Clause("the sentence that comes nearest does not say “cap”", "not said", words=["cap"])
    item = doubt_thing(an_item("cap", "amount", "found"), mismatch)
    assert (item["outcome"], item["missing"]) == ("weak", ["cap"])
    assert item["reason"].endswith(" “cap”")
    assert doubt_thing(an_item("cap", "amount", "found"), "")["outcome"] == "found"


def test_a_value_that_a_document_gives_wipes_no_doubt_but_that_there_is_none() -> None:
    """(R54)"""
    value: MarkedValue = {"type": "amount", "value": "900", "marker": 1}
    doubted = an_item("fee", "amount", "weak", reason="Passages disagree.", code="other_thing")
    item = item_given(doubted, [value])
    assert item == doubted | {"values": [value]}
    for item in (an_item("fee", "amount", "weak", code=NO_VALUE), an_item("fee", "amount", "found")):
        assert item_given(item, [value]) == an_item("fee", "amount", "found", values=[value])


def told_of_text(text: str, fields: list[Field], base: KnowledgeBase, user: User, path: Path) -> list[dict[str, Any]]:
    path.write_text(text)
    document = ingest_path(path, base, user)
    asker = Asker(user, base, "balanced")
    runs = record_fields(asker, fields, find_fields(asker, [document], fields))
    rows = [
        ExtractionField(name=each.name, question=each.question, answer_type=each.expected.answer_type, run=run)
        for each, run in zip(fields, runs, strict=True)
    ]
    return [field_json(row) for row in rows]


PARTIES = Field("Parties", "Parties", Expected("party"))
DATE = Field("Agreement date", "Agreement date", Expected("date"))
NOTICE = Field("Notice", "Notice", Expected("duration"))
NOTICE_PERIOD = Field("Notice period", "What is the notice period?", Expected("duration"))


@pytest.mark.django_db(transaction=True)
def test_parties_are_those_the_preamble_names_and_a_notice_is_not_when_it_is_received(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    asked = [PARTIES, Field("Contract parties", "Who are the parties to the agreement?"), NOTICE, NOTICE_PERIOD]
    parties, plain, notice, period = told_of_text(AGREEMENT, asked, base, tenant, tmp_path / "agreement.md")
    names = "Harbour Sheds Limited; Quay Foods GmbH"
    assert [(each["outcome"], each["value"]) for each in (parties, plain)] == [("found", names)] * 2
    assert "between Harbour Sheds Limited" in str(parties["quote"])
    assert "hour" not in str(notice["value"]) or notice["outcome"] == "weak"
    assert (period["outcome"], period["value"]) == ("found", "six weeks")


@pytest.mark.django_db(transaction=True)
def test_the_date_of_an_agreement_is_that_of_its_preamble(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    (date,) = told_of_text(DATED, [DATE], base, tenant, tmp_path / "dated.md")
    assert (date["outcome"], date["value"], date["values"][0]["value"]) == ("found", "1 March 2024", "2024-03-01")


@pytest.mark.django_db(transaction=True)
def test_what_is_asked_for_by_a_name_alone_is_doubted_unless_it_is_said_of_that_name(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R54, R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    names = ["Parties", "Effective date", "Renewal term", "Assignment", "Jurisdiction", "Warranty period"]
    asked = read_fields_text("\n".join([*names, "Notice address"]))
    assert [each.expected.answer_type for each in asked] == ["party", "", *["duration", "", ""], "duration", ""]
    told = told_of_text(NAMED, asked, base, tenant, tmp_path / "named.md")
    by_name = {each["name"]: (each["outcome"], each["value"]) for each in told}
    assert by_name["Parties"] == ("found", "Harbour Sheds Limited; Quay Foods GmbH")
    assert by_name["Effective date"] == ("found", "1 March 2024")
    assert by_name["Renewal term"] == ("found", "six (6) months")
    assert by_name["Assignment"][0] == "found" and "No party shall assign" in by_name["Assignment"][1]
    assert not {by_name[name][0] for name in ("Jurisdiction", "Warranty period", "Notice address")} & {"found"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("The governing law of this agreement is that of Ruritania.", "found"),
        ("In any event, the governing law of this agreement is that of Ruritania.", "found"),
        ("In any arbitration, the governing law shall be that of Ruritania.", "weak"),
        ("Notwithstanding the foregoing, the governing law shall be that of Ruritania.", "weak"),
    ],
)
def test_what_holds_in_a_case_only_is_no_rule(
    said: str, outcome: str, base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    asked = read_fields_text("Governing law")
    (told,) = told_of_text(f"# Agreement\n\n## Law\n\n{said}\n", asked, base, tenant, tmp_path / "law.md")
    assert (told["outcome"], "Ruritania" in str(told["quote"])) == (outcome, True)


@pytest.mark.django_db(transaction=True)
def test_who_signs_is_read_of_the_block_of_signatures(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    (told,) = told_of_text(SIGNED, read_fields_text("Signatories"), base, tenant, tmp_path / "signed.md")
    assert (told["outcome"], told["value"]) == ("found", "Ann Lee; Bo Karlsson")


@pytest.mark.django_db(transaction=True)
def test_where_nobody_is_named_the_word_for_a_party_is_weak_on_every_way_out(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R87)"""
    settings.MEDIA_ROOT = tmp_path / "files"
    told = told_of_text(BARE, [PARTIES, NOTICE], base, tenant, tmp_path / "bare.md")
    rows = list(csv.DictReader(io.StringIO(write_extraction_csv(told))))
    assert [each["outcome"] for each in told] == [row["outcome"] for row in rows] == ["weak", "weak"]
    assert UNNAMED in rows[0]["caveat"] and UNNAMED in str(told[0]["caveats"])
    assert "leaves open what" in rows[1]["caveat"] and "leaves open what" in str(told[1]["caveats"])
