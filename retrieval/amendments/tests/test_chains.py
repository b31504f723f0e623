"""Agreements and their amendments in a base: asked of all of it, and of fewer documents than belong together."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from django.utils import timezone
from pytest_django import Settings

from documents.models import Document, KnowledgeBase, Parse
from documents.storage.store import erase_parses
from retrieval.absence import amended_reason
from retrieval.accounting import AMENDS, GAVE_WAY
from retrieval.amendments.among import LINES_MAX, find_amending, makes_changes
from retrieval.conftest import Keep, fillers
from retrieval.corpus import Shortlist, read_document_names, retrieve_among, with_amendments
from retrieval.full_search import search_each
from retrieval.models import RetrievalRun
from retrieval.tests.builders import SETTINGS
from retrieval.told.clauses import join_clauses, recorded_facts
from retrieval.told.reasons import absence_of
from retrieval.types import RetrievalResult, ShortlistRank

pytestmark = pytest.mark.django_db

CLEANING = """# Cleaning Services Agreement

Made on 12 March 2020 between Tolland Hospitals Trust (the Trust) and Brightway Cleaning Ltd (Brightway).

# 2. Services

2.1 Brightway cleans the wards twice a day.

# 4. Fees

4.1 The Trust shall pay a monthly fee of £18,000.

4.2 The Trust shall pay each invoice within thirty (30) days of receipt.

# 7. End

7.1 Either party may end this Agreement with three (3) months' notice.

# 9. Liability

9.1 The liability of Brightway shall not exceed £250,000 in each year.
"""
CLEANING_1 = """# Amendment No. 1

Made on 4 May 2021 to the Cleaning Services Agreement of 12 March 2020 between Tolland Hospitals Trust and Brightway
Cleaning Ltd.

# 1. Fees

1.1 Clause 4.1 of the Agreement is replaced by: “The Trust shall pay a monthly fee of £19,500.”

# 2. Effect

2.1 This Amendment takes effect on 1 June 2021. All other terms stay in force.
"""
CLEANING_2 = """# Second Amendment Agreement

This Second Amendment Agreement is made on 9 January 2024 to the Cleaning Services Agreement of 12 March 2020, as
amended, between Tolland Hospitals Trust and Brightway Cleaning Ltd.

# 1. Changes

1.1 In clause 7.1 the words “three (3) months” are replaced by “six (6) months”.

# 2. Effect

2.1 These changes take effect on 1 February 2024.
"""
LAUNDRY = """# Laundry Services Agreement

Made on 20 August 2020 between Tolland Hospitals Trust (the Trust) and Brightway Cleaning Ltd (Brightway).

# 4. Fees

4.1 The Trust shall pay a monthly fee of £7,000.

# 7. End

7.1 Either party may end this Agreement with two (2) months' notice.
"""
LAUNDRY_1 = """# Amendment to the Laundry Services Agreement

Made on 3 March 2023 to the Laundry Services Agreement of 20 August 2020 between Tolland Hospitals Trust and Brightway
Cleaning Ltd.

# 1. Changes

1.1 In clause 4.1 the words “£7,000” are replaced by “£7,400” with effect from 1 April 2023.

# 2. Other contracts

2.1 The Cleaning Services Agreement of 12 March 2020 is a separate contract and stays as it is.
"""
REPORT = """# Quality report 2023

Written on 8 January 2024 on the work under the Cleaning Services Agreement of 12 March 2020 and its amendments.

# 1. Wards

1.1 The rota was replaced in May. The monthly inspection found 14 defects.
"""
WARTUNG = """# Wartungsvertrag

vom 4. Februar 2019 zwischen der Nordklinik GmbH und der Hebewerk Aufzüge GmbH.

# § 3 Vergütung

(1) Die monatliche Vergütung beträgt 2.400 Euro.

(2) Sie ist am dritten Werktag fällig.

# § 5 Störungen

(1) Der Auftragnehmer erscheint binnen acht Stunden nach der Meldung.

# § 8 Kündigung

(1) Der Vertrag kann mit einer Frist von drei Monaten gekündigt werden.
"""
WARTUNG_1 = """# Nachtrag Nr. 1

vom 10. März 2021 zum Wartungsvertrag vom 4. Februar 2019 zwischen der Nordklinik GmbH und der Hebewerk Aufzüge GmbH.

1. § 3 Abs. 1 wird mit Wirkung ab dem 1. April 2021 wie folgt neu gefasst:

„(1) Die monatliche Vergütung beträgt 2.650 Euro.“
"""
WARTUNG_2 = """# Zweiter Nachtrag

vom 5. Juni 2023 zum Wartungsvertrag vom 4. Februar 2019 zwischen der Nordklinik GmbH und der Hebewerk Aufzüge GmbH.

1. In § 5 Abs. 1 werden die Wörter „acht Stunden“ durch die Wörter „vier Stunden“ ersetzt.

2. Dieser Nachtrag tritt am 1. Juli 2023 in Kraft.
"""
REINIGUNG = """# Reinigungsvertrag

vom 7. Mai 2019 zwischen der Nordklinik GmbH und der Blank GmbH.

# § 3 Vergütung

(1) Die monatliche Vergütung beträgt 5.100 Euro.
"""
REINIGUNG_1 = """# Nachtrag zum Reinigungsvertrag

vom 2. Februar 2022 zum Reinigungsvertrag vom 7. Mai 2019 zwischen der Nordklinik GmbH und der Blank GmbH.

1. § 3 Abs. 1 wird mit Wirkung ab dem 1. März 2022 wie folgt neu gefasst:

„(1) Die monatliche Vergütung beträgt 5.350 Euro.“
"""
LICENCE = """# Software Licence Agreement

This Agreement is dated 2 July 2018 and made between Corvid Systems Ltd and Marlow Bank plc.

# 1. Definitions

“Users” means up to 200 named users.

# 5. Support

5.1 Corvid answers each call for support within eight hours.

# Schedule 2 Fees

The annual licence fee is £60,000.
"""
LICENCE_1 = """# Deed of Variation

This deed is dated 1 November 2022 and varies the Software Licence Agreement dated 2 July 2018 between Corvid Systems
Ltd and Marlow Bank plc.

# 1. Variation

1.1 The definition of “Users” is replaced by: “Users” means up to 350 named users.

1.2 Schedule 2 is replaced by the following: “The annual licence fee is £72,000.”
"""
WORK = """# Statement of Work No. 3

This Statement of Work is dated 5 May 2020 and made under the Software Licence Agreement dated 2 July 2018. Any
amendment of this Statement of Work needs writing.

# 1. Work

1.1 Corvid replaces two servers. Faulty parts are replaced at once and old data are deleted.

1.2 The work takes nine days.
"""
HOSTING = """# Hosting Agreement

This Agreement is dated 2 July 2018 and made between Corvid Systems Ltd and Marlow Bank plc.

# 5. Support

5.1 Corvid answers each call for support within twelve hours.
"""
BOATHOUSE = """# Lease of the Boathouse

Made on 1 August 2020 between Tarn Estates and the Osgood Rowing Club.

# 2. Rent

The monthly rent is £1,240 and is due on the first day of each month.

# 3. Repairs

The tenant bears repairs up to £150 each.

# Recitals

(B) The Osgood Rowing Club has 120 members.
"""
BOATHOUSE_1 = """# Amendment to the Lease of the Boathouse

Made on 20 November 2023 to the Lease of the Boathouse of 1 August 2020 between Tarn Estates and the Osgood Rowing Club.

With effect from 1 January 2024 the monthly rent is increased from £1,240 to £1,395.

Recital (B) is replaced by: “The Osgood Rowing Club has 310 members.”

All other terms of the Lease stay as they are.
"""
CHAINS = {
    "Cleaning Services Agreement": CLEANING,
    "Amendment No. 1": CLEANING_1,
    "Second Amendment Agreement": CLEANING_2,
    "Laundry Services Agreement": LAUNDRY,
    "Amendment to the Laundry Services Agreement": LAUNDRY_1,
    "Quality report 2023": REPORT,
    "Wartungsvertrag": WARTUNG,
    "Nachtrag Nr. 1": WARTUNG_1,
    "Zweiter Nachtrag": WARTUNG_2,
    "Reinigungsvertrag": REINIGUNG,
    "Nachtrag zum Reinigungsvertrag": REINIGUNG_1,
    "Software Licence Agreement": LICENCE,
    "Deed of Variation": LICENCE_1,
    "Statement of Work No. 3": WORK,
    "Hosting Agreement": HOSTING,
}


class Case(NamedTuple):
    """A question of documents by their titles, () for the whole base; what is first quoted, and what is warned of."""

    asked_of: tuple[str, ...]
    question: str
    first: str  # an expression for what the first primary passage says
    warned: tuple[str, ...] = ()  # titles told as not read; the answer is weak with any, found without


CASES = [
    Case((), "How much is the monthly fee under the Cleaning Services Agreement?", "19,500"),
    Case((), "What notice must be given to end the Cleaning Services Agreement?", r"six \(6\)"),
    Case((), "What is the liability cap in the Cleaning Services Agreement?", "250,000"),
    Case((), "What is the monthly fee under the Laundry Services Agreement?", "7,400"),
    Case((), "Within how many days must invoices be paid under the Cleaning Services Agreement?", "thirty"),
    Case((), "Wie hoch ist die monatliche Vergütung nach dem Wartungsvertrag?", "2.650"),
    Case((), "Binnen welcher Zeit muss der Auftragnehmer nach dem Wartungsvertrag erscheinen?", "vier Stunden"),
    Case((), "Welche Kündigungsfrist hat der Wartungsvertrag?", "drei Monaten"),
    Case((), "What was the monthly fee under the Cleaning Services Agreement on 1 May 2020?", "18,000"),
    Case((), "What is the annual licence fee under the Software Licence Agreement?", "72,000"),
    Case(
        ("Cleaning Services Agreement",),
        "What is the monthly fee?",
        "18,000",
        ("Amendment No. 1", "Second Amendment Agreement"),
    ),
    Case(
        ("Cleaning Services Agreement",),
        "What notice must be given to end the agreement?",
        "three",
        ("Amendment No. 1", "Second Amendment Agreement"),
    ),
    Case(
        ("Wartungsvertrag",),
        "Wie hoch ist die monatliche Vergütung?",
        "2.400",
        ("Nachtrag Nr. 1", "Zweiter Nachtrag"),
    ),
    Case(
        ("Laundry Services Agreement",),
        "What is the monthly fee?",
        "7,000",
        ("Amendment to the Laundry Services Agreement",),
    ),
    Case(("Hosting Agreement",), "Within how many hours does Corvid answer a call for support?", "twelve"),
    Case(("Software Licence Agreement",), "What is the annual licence fee?", "60,000", ("Deed of Variation",)),
    Case(("Software Licence Agreement",), "How many named users may there be?", "200", ("Deed of Variation",)),
    Case(("Quality report 2023",), "How many defects did the monthly inspection find?", "14"),
    Case(
        ("Amendment No. 1", "Cleaning Services Agreement"),
        "What notice must be given to end the agreement?",
        "three",
        ("Second Amendment Agreement",),
    ),
    Case(
        ("Amendment No. 1", "Cleaning Services Agreement", "Second Amendment Agreement"),
        "What is the monthly fee?",
        "19,500",
    ),
    Case(("Statement of Work No. 3",), "How long does the work take?", "nine days"),
    Case(("Nachtrag zum Reinigungsvertrag",), "Wie hoch ist die monatliche Vergütung?", "5.350"),
]


@pytest.fixture
def library(keep: Keep) -> dict[str, Document]:
    """The chains in one base, which is not read whole."""
    fillers(keep, 4)
    return {title: keep(title, text) for title, text in CHAINS.items()}


def ask(case: Case, library: dict[str, Document]) -> RetrievalResult:
    chosen = [library[title] for title in case.asked_of]
    scope = chosen or list(Document.objects.select_related("current_parse", "base").order_by("title"))
    return retrieve_among(case.question, scope, settings=SETTINGS, arbiter="rules")


def faults_of(case: Case, result: RetrievalResult) -> Sequence[str]:
    """What is not as it should be."""
    faults = []
    primary = [each for each in result.candidates if each.verdict.role == "primary"]
    first = primary[0].quote.text if primary else ""
    if not re.search(case.first, first):
        faults.append(f"first: {first!r}")
    if result.status != ("weak" if case.warned else "found"):
        faults.append(f"status: {result.status} {result.not_found_reason}")
    if not {each.brief.document_title for each in result.candidates} <= set(case.asked_of or CHAINS | LATER):
        faults.append("quoted from outside the scope")
    told = {title for title in CHAINS | LATER if f"“{title}”" in result.not_found_reason} - set(case.asked_of)
    if told != set(case.warned):
        faults.append(f"warned of: {sorted(told)}")
    return faults


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question)
def test_what_amends_an_agreement_is_read_with_it_or_told(case: Case, library: dict[str, Document]) -> None:
    assert faults_of(case, ask(case, library)) == []


def test_amendments_are_read_within_the_ten_and_told_where_they_have_no_room(keep: Keep) -> None:
    """What has no room is told, and the best ranked documents keep their places with what amends them."""
    library = {title: keep(title, text) for title, text in CHAINS.items()}
    named = [library["Cleaning Services Agreement"], *fillers(keep, 9)]
    scope = [*library.values(), *named[1:]]
    first = Shortlist(tuple(named), {})
    found = with_amendments(first, scope)
    assert set(found.chosen) == set(named)
    assert [[each.title for each in unread] for unread in found.unread.values()] == [
        ["Amendment No. 1", "Second Amendment Agreement"]
    ]
    places = {each.pk: ShortlistRank(len(scope), rank) for rank, each in enumerate(named, 1)}
    ranked = with_amendments(Shortlist(tuple(named), {}, places), scope)
    assert {each.title for each in ranked.chosen} >= {"Amendment No. 1", "Second Amendment Agreement"}
    assert len(ranked.chosen) == 10 and not ranked.unread
    assert ranked.reason_of(library["Amendment No. 1"]) == AMENDS
    assert {ranked.reason_of(each) for each in named if each not in ranked.chosen} == {GAVE_WAY}


UNNUMBERED = (
    "The Term is hereby extended to 31 December 2028.",
    "The price list in Annex B is replaced by the one attached.",
    "Paragraph 3 of Schedule 2 is replaced.",
    "The parties have agreed on what is attached.",
    "2.1 Nothing is said.\n\n" * (LINES_MAX // 2 + 1),
)


@pytest.mark.parametrize("said", UNNUMBERED, ids=lambda said: said[:30])
def test_one_whose_title_says_so_amends_what_it_names_whatever_it_says(keep: Keep, said: str) -> None:
    first_lines = "Made on 4 May 2021 to the Cleaning Services Agreement of 12 March 2020."
    agreement, laundry = keep("Cleaning Services Agreement", CLEANING), keep("Laundry Services Agreement", LAUNDRY)
    title = "First Amendment to Cleaning Services Agreement"
    amendment = keep(title, f"# {title}\n\n{first_lines}\n\n{said}")
    keep("Quality report 2021", f"# Quality report 2021\n\n{first_lines} and its amendments.\n\n{said}")
    alone = Shortlist((agreement, laundry), {})
    assert with_amendments(alone, [agreement, laundry]).unread == {agreement.pk: (amendment,)}
    assert with_amendments(alone, [agreement, laundry, amendment]).chosen == (agreement, laundry, amendment)


def test_words_that_are_replaced_in_a_clause_that_has_no_number_are_in_doubt(keep: Keep) -> None:
    text = "# Rent\n\nThe rent is £420 a month.\n\n# Insurance\n\nGoods are insured up to £15,000."
    contract = keep("Pell Storage Contract", f"# Pell Storage Contract\n\n{text}")
    title = "Amendment to the Pell Storage Contract"
    deed = keep(title, f"# {title}\n\nIn clause 3 the words “£420 a month” are replaced by the words “£465 a month”.")
    for asked, status in (("What is the rent?", "weak"), ("Up to what amount are goods insured?", "found")):
        result = retrieve_among(asked, [contract, deed], settings=SETTINGS, arbiter="rules")
        assert result.status == status and (status == "found" or f"“{title}”" in result.not_found_reason)


def test_where_all_the_doubt_is_an_amendment_no_others_are_read(keep: Keep) -> None:
    scope = [keep("Cleaning Services Agreement", CLEANING), *fillers(keep, 11)]
    keep("Amendment No. 1", CLEANING_1)
    for asked, is_widened in (("liability cap", False), ("colour of the uniforms", True)):
        question = f"What is the {asked} in the Cleaning Services Agreement?"
        result = retrieve_among(question, scope, settings=SETTINGS, arbiter="rules")
        assert result.status != "found" and ("first_pass" in result.timings_ms) == is_widened, asked


FEES = "Compare the fee of the cleaning services agreement and the hosting agreement"
CHANGED = "Compare the cleaning services agreement and the amendment no. 1 on the monthly fee"


@pytest.mark.parametrize(
    ("beside", "asked", "outcomes"),
    [
        ((), FEES, ["weak", "not_found"]),
        (("Amendment No. 1",), FEES, ["weak", "not_found"]),
        (("Amendment No. 1",), CHANGED, ["found", "found"]),
    ],
    ids=["in the base", "in the scope", "compared with it"],
)
def test_a_side_of_a_comparison_that_was_amended_is_weak(
    keep: Keep, beside: Sequence[str], asked: str, outcomes: Sequence[str]
) -> None:
    titles = ("Cleaning Services Agreement", "Hosting Agreement", "Amendment No. 1")
    library = {title: keep(title, CHAINS[title]) for title in titles}
    scope = [library[title] for title in (*titles[:2], *beside)]
    result = retrieve_among(asked, scope, settings=SETTINGS, arbiter="rules")
    assert result.question.form == "compare" and [part.outcome for part in result.parts] == outcomes
    is_told = "another document amends “Cleaning Services Agreement”" in result.not_found_reason
    assert (result.status == "weak") == is_told == ("weak" in outcomes)


def test_an_amendment_that_is_erased_meanwhile_is_none(keep: Keep) -> None:
    documents = [keep("Cleaning Services Agreement", CLEANING), keep("Amendment No. 1", CLEANING_1)]
    names, reading = read_document_names(documents), documents[1].current_parse_id
    erase_reading(documents[1])
    assert reading and find_amending(documents[:1], documents[1:], names[1:]) == {} and not makes_changes(reading)


def test_an_amendment_that_took_too_long_alone_is_told_and_not_read(keep: Keep, settings: Settings) -> None:
    usual = settings.DETECTION_DEADLINE_S

    def hurry(done: int, of: int) -> None:
        settings.DETECTION_DEADLINE_S = 1e-9 if done == 1 else usual

    documents = [keep("Cleaning Services Agreement", CLEANING), keep("Amendment No. 1", CLEANING_1)]
    result = search_each("What is the monthly fee?", documents, settings=SETTINGS, arbiter="rules", on_document=hurry)
    assert [seen["title"] for seen in result.scope] == ["Cleaning Services Agreement"]
    assert result.status == "weak" and "“Amendment No. 1” amends" in result.not_found_reason


def erase_reading(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(current_parse=None)
    erase_parses(Parse.objects.filter(document=document))


def test_nothing_is_told_of_an_amendment_in_another_base_or_in_the_trash(keep: Keep) -> None:
    """(R101)"""
    agreement = keep("Cleaning Services Agreement", CLEANING)
    keep("Amendment No. 1", CLEANING_1, KnowledgeBase.objects.create(name="Other"))
    trashed = keep("Second Amendment Agreement", CLEANING_2)
    Document.objects.filter(pk=trashed.pk).update(trashed_at=timezone.now())
    result = retrieve_among("What is the monthly fee?", [agreement], settings=SETTINGS, arbiter="rules")
    assert result.status == "found" and result.not_found_reason == ""


def test_somebody_outside_is_told_no_name_of_what_was_not_asked() -> None:
    reason = amended_reason("Cleaning Services Agreement", ["Amendment No. 1", "Second Amendment Agreement"])
    joined = join_clauses(["weak", reason], "; ")
    run = RetrievalRun(plan={"told": {"reason": recorded_facts(joined)}}, not_found_reason=joined)
    assert absence_of(run) == (
        "weak; “Amendment No. 1”, “Second Amendment Agreement” amend “Cleaning Services Agreement” and were not read: "
        "ask them together to see what is in force"
    )
    assert absence_of(run) == run.not_found_reason
    assert absence_of(run, is_outside=True) == (
        "weak; another document amends “Cleaning Services Agreement” and was not read"
    )


# Written after the code, and asked once: French, letters, an extension, a schedule, and what only mentions a contract.
LATER = {
    "Bail commercial": """# Bail commercial

Conclu le 6 juin 2017 entre la SCI du Port et la société Meunier SARL.

# Article 3 Loyer

3.1 Le loyer mensuel est de 1 800 euros.

# Article 5 Résiliation

5.1 Le préavis est de trois mois.
""",
    "Avenant n° 1": """# Avenant n° 1

Conclu le 2 mai 2021 au bail commercial du 6 juin 2017 entre la SCI du Port et la société Meunier SARL.

1. À l’article 3.1, les mots « 1 800 euros » sont remplacés par les mots « 1 950 euros » à compter du 1er juin 2021.
""",
    "Consultancy Agreement": """# Consultancy Agreement

This Consultancy Agreement is entered into as of 14 June 2021 by and between Pell Advisers LLP and Orrin Water plc.

# 3. Remuneration

3.1 The Company shall pay the Consultant a daily rate of £850.

3.2 Expenses above £200 need prior approval.

# 8. Term

8.1 This Agreement ends on 30 June 2024.
""",
    "Side Letter": """# Side Letter

Pell Advisers LLP

3 June 2023

Dear Sirs,

We refer to the Consultancy Agreement dated 14 June 2021 between us (the Agreement).

The parties agree that with effect from 1 July 2023 clause 3.1 of the Agreement is amended so that the daily rate
is £920.
""",
    "Extension": """# Extension of Term

Dated 12 May 2024

By this letter we vary the Consultancy Agreement of 14 June 2021. The date in clause 8.1 is replaced by 30 June 2026.
""",
    "Invoice 88": """# Invoice 88

Dated 4 August 2023. For work under the Consultancy Agreement of 14 June 2021, as amended.

Twelve days at £920. Faulty entries of invoice 87 have been replaced.
""",
    "Kaufvertrag": """# Kaufvertrag

vom 8. Januar 2020 zwischen der Orth Maschinen GmbH und der Weber KG.

# § 2 Kaufpreis

(1) Der Kaufpreis beträgt 84.000 Euro.

# § 4 Lieferung

(1) Die Lieferung erfolgt bis zum 1. Juni 2020.

# Anlage 1

Die Ersatzteile kosten 1.200 Euro.
""",
    "Ergänzungsvereinbarung": """# Ergänzungsvereinbarung

vom 3. März 2020 zum Kaufvertrag vom 8. Januar 2020 zwischen der Orth Maschinen GmbH und der Weber KG.

1. In § 4 Abs. 1 werden die Wörter „1. Juni 2020“ durch die Wörter „1. September 2020“ ersetzt.

2. Anlage 1 wird wie folgt neu gefasst: „Die Ersatzteile kosten 1.450 Euro.“
""",
    "Lieferschein": """# Lieferschein

vom 2. September 2020 zum Kaufvertrag vom 8. Januar 2020. Zwei Schrauben wurden ersetzt, eine Ergänzung folgt.
""",
    "Policy": """# Travel Policy

Issued 1 May 2022. It replaces the Travel Policy of 3 March 2019. Section 4 was amended.

# 4. Hotels

4.1 A hotel may cost 140 euros a night.
""",
}
LATER_CASES = [
    Case((), "Quel est le loyer mensuel du Bail commercial ?", "1 950"),
    Case(("Bail commercial",), "Quel est le loyer mensuel ?", "1 800", ("Avenant n° 1",)),
    Case((), "What is the daily rate under the Consultancy Agreement?", "920"),
    Case(("Consultancy Agreement",), "What is the daily rate?", "850", ("Side Letter", "Extension")),
    Case((), "When does the Consultancy Agreement end?", "2026"),
    Case((), "Which expenses need approval under the Consultancy Agreement?", "200"),
    Case((), "Bis wann erfolgt die Lieferung nach dem Kaufvertrag?", "September"),
    Case(("Kaufvertrag",), "Wie hoch ist der Kaufpreis?", "84.000", ("Ergänzungsvereinbarung",)),
    Case((), "Was kosten die Ersatzteile nach dem Kaufvertrag?", "1.450"),
    Case(("Policy",), "How much may a hotel cost?", "140"),
    Case(("Invoice 88",), "How many days were invoiced?", "Twelve"),
    Case(("Lieferschein",), "Wie viele Schrauben wurden ersetzt?", "Zwei"),
]


def test_a_later_set_is_answered_as_well(keep: Keep) -> None:
    fillers(keep, 6)
    library = {title: keep(title, text) for title, text in LATER.items()}
    assert {case.question: faults for case in LATER_CASES if (faults := faults_of(case, ask(case, library)))} == {}


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("What is the monthly rent?", "weak"),
        ("How many members does the Osgood Rowing Club have?", "weak"),
        ("Up to what amount does the tenant bear repairs?", "found"),
    ],
)
def test_what_an_amendment_changes_without_naming_a_clause_is_not_told_as_found(
    keep: Keep, question: str, status: str
) -> None:
    documents = [keep("Lease of the Boathouse", BOATHOUSE), keep("Amendment", BOATHOUSE_1)]
    result = retrieve_among(question, documents, settings=SETTINGS, arbiter="rules")
    assert result.status == status
    assert ("changes something about this that could not be placed" in result.not_found_reason) == (status == "weak")


def test_a_definition_that_is_replaced_is_a_version(keep: Keep) -> None:
    documents = [keep("Software Licence Agreement", LICENCE), keep("Deed of Variation", LICENCE_1)]
    result = retrieve_among("What does “Users” mean?", documents, settings=SETTINGS, arbiter="rules")
    (told,) = result.ranking.contradictions
    assert told.clause == "“Users”" and "350" in result.kept()[0].quote.text
