"""A base of generated agreements in which some facts are planted once, and others are asked for that nowhere stand."""

import hashlib
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from django.db import connection, transaction

from documents.models import Document, KnowledgeBase
from documents.storage.store import store_reading
from reading.limits import Limits
from reading.passages import cut_passages
from reading.pdf_reader import read_pdf

PAGES, LINES_A_PAGE = 10, 38
FACTS_EACH = 100  # planted, and as many absent
SEED = 20
EQUIPMENT = ("boiler", "lift", "generator", "crane", "sprinkler", "turbine", "chiller", "conveyor", "furnace", "pump")
DUTIES = ("inspected", "calibrated", "lubricated", "certified", "repainted", "emptied", "tested", "overhauled")
STARTS = ("Al", "Bren", "Cor", "Dun", "El", "Far", "Gil", "Hol", "Is", "Jar", "Kel", "Lor", "Mar", "Nor", "Os", "Pel")
MIDDLES = ("a", "be", "do", "fi", "ga", "le", "mi", "no", "ra", "su", "ti", "vo")
ENDS = ("brook", "combe", "dale", "ford", "gate", "ham", "holt", "mere", "stead", "wick")
HEADINGS = (
    "Parties and purpose",
    "Services",
    "Sites and access",
    "Equipment",
    "Charges and invoices",
    "Service levels",
    "Information security",
    "Term and termination",
    "Liability and insurance",
    "Notices and governing law",
)
CLAUSES = (
    "The Supplier provides the services in this section to the Customer on working days between {a} and {b} hours.",
    "A written report is delivered within {a} days after each visit and is kept for {b} years.",
    "The Customer gives access to the {equipment} and to the rooms around it after notice of {a} days.",
    "Charges of EUR {a},{b}00 are invoiced each quarter and are payable within {c} days of receipt.",
    "If an invoice is disputed the Customer pays the undisputed part and states its reasons within {a} days.",
    "The {equipment} is {duty} by qualified staff, who record the date, the result and any fault found.",
    "Either party may terminate this section by {a} days' written notice if the other is in material breach.",
    "Personal data is processed only on the written instructions of the Customer and is deleted after {b} months.",
    "The Supplier carries insurance of EUR {a} million for each event and shows the policy when asked.",
    "Spare parts for the {equipment} are kept in stock for {b} years after the last delivery.",
    "A fault that stops operation is answered within {a} hours and put right within {b} hours.",
    "Notices are sent by registered post to the address stated above and take effect {a} days after posting.",
    "No failure to exercise a right under this section is a waiver of that right.",
    "The parties review this section every {b} months and record any change in writing.",
)


@dataclass(frozen=True)
class Fact:
    """One thing to ask. `document` is the number of the only agreement that says it, None where none does.

    `is_near` facts name a site that one agreement does mention, for something else.
    """

    question: str
    document: int | None
    sentence: str = ""
    answer: str = ""
    is_near: bool = False


def make_facts(documents: int) -> list[Fact]:
    """The same facts for the same number of documents: 100 planted, 50 on sites of no document, 50 near misses."""
    chance = random.Random(SEED)
    names = [start + middle + end for start in STARTS for middle in MIDDLES for end in ENDS]
    chance.shuffle(names)
    homes = chance.sample(range(documents), FACTS_EACH)
    facts, near = [], []
    for place, home in zip(names[:FACTS_EACH], homes, strict=True):
        thing, duty = chance.choice(EQUIPMENT), chance.choice(DUTIES)
        firm = f"{chance.choice(STARTS)}{chance.choice(ENDS)} Engineering"
        answer = f"{chance.randint(11, 97)} days"
        sentence = f"At the {place} site the {thing} is {duty} every {answer} by {firm}."
        facts.append(Fact(f"How often is the {thing} at the {place} site {duty}?", home, sentence, answer))
        other = chance.choice([each for each in EQUIPMENT if each != thing])
        near.append(Fact(f"Which firm has {duty} the {other} at the {place} site?", None, is_near=True))
    absent = [
        Fact(f"How often is the {chance.choice(EQUIPMENT)} at the {place} site {chance.choice(DUTIES)}?", None)
        for place in names[FACTS_EACH : FACTS_EACH + FACTS_EACH // 2]
    ]
    return [*facts, *absent, *near[: FACTS_EACH // 2]]


def make_pages(number: int, planted: Sequence[str]) -> Iterator[list[str]]:
    """The lines of an agreement, page by page, with the planted sentences in the middle of some."""
    chance = random.Random(SEED * 1_000_003 + number)
    homes = {chance.randrange(2, PAGES - 1): sentence for sentence in planted}
    for page, heading in enumerate(HEADINGS):
        lines = [f"Maintenance agreement {number:05}"] if page == 0 else []
        lines.append(f"{page + 1}. {heading}")
        while len(lines) < LINES_A_PAGE:
            if page in homes and len(lines) > LINES_A_PAGE // 2:
                lines.append(homes.pop(page))
            clause = chance.choice(CLAUSES)
            lines.append(
                clause.format(
                    a=chance.randint(2, 29),
                    b=chance.randint(2, 9),
                    c=chance.randint(14, 60),
                    equipment=chance.choice(EQUIPMENT),
                    duty=chance.choice(DUTIES),
                )
            )
        yield lines


def write_agreement(path: Path, number: int, planted: Sequence[str]) -> None:
    """The agreement as a PDF with a line of text for each sentence."""
    with pymupdf.open() as pdf:
        for lines in make_pages(number, planted):
            page = pdf.new_page()
            for row, line in enumerate(lines):
                page.insert_text((50, 60 + 18 * row), line, fontsize=11 if line[0].isdigit() else 9)
        pdf.save(path)


def shelve_agreements(count: int, facts: Sequence[Fact]) -> list[Document]:
    """The agreements as documents of one base, read as ingestion reads them; those already stored are kept."""
    base, _ = KnowledgeBase.objects.get_or_create(name="Generated agreements")
    planted: dict[int, list[str]] = {}
    for fact in facts:
        if fact.document is not None:
            planted.setdefault(fact.document, []).append(fact.sentence)
    known = set(base.documents.values_list("file_name", flat=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agreement.pdf"
        for number in range(count):
            if file_name(number) not in known:
                write_agreement(path, number, planted.get(number, ()))
                store_agreement(base, path, number)
    if len(known) < count:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    rows = base.documents.select_related("current_parse", "base").filter(file_name__lt=file_name(count))
    return list(rows.order_by("file_name"))


def store_agreement(base: KnowledgeBase, path: Path, number: int) -> None:
    reading = read_pdf(path, Limits())
    with transaction.atomic():
        document = Document.objects.create(
            base=base,
            title=f"Maintenance agreement {number:05}",
            file_name=file_name(number),
            file=file_name(number),
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            size_bytes=path.stat().st_size,
            media_type="application/pdf",
            state=Document.State.READY,
        )
        document.current_parse = store_reading(document, reading, cut_passages(reading), {})
        document.save(update_fields=["current_parse"])


def file_name(number: int) -> str:
    return f"agreement-{number:05}.pdf"
