"""Shares are held against the 100 % a table prints only where they are sure to be shares of it (R82)."""

import uuid
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.figures.shares import find_shares_off, share_words
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import KnowledgeBase
from reading.tables import read_tables
from reading.wording import Wording
from retrieval.tests.builders import DATA, Written, content_of_lines, shared_content
from tests.pages import on_one_line

HELD, BESIDE = "Holder | Share", "Item | Amount | Share"


def off_of(*rows: str, head: str = HELD, title: str = "Table") -> list[tuple[str, str, str, Decimal]]:
    written: list[Written] = [f"# {title}", *((f"| {row} |", "table_row") for row in (head, *rows))]
    tables = read_tables(content_of_lines(written).lines)
    assert tables
    return [
        (found.label, found.heading, found.printed, found.added) for table in tables for found in find_shares_off(table)
    ]


@pytest.mark.parametrize(
    ("rows", "head", "added"),
    [
        (("Adler | 60 %", "Birke | 30.5 %", "Total | 100 %"), HELD, "90.5"),
        (("Adler | 60.0 %", "Birke | 30.1 %", "Conrad | 9.1 %", "Total | 100.0 %"), HELD, "99.2"),
        (("Adler | 60,0 %", "Birke | 39,2 %", "Summe | 100,0 %"), "Gesellschafter | Anteil", "99.2"),
        (("Adler | 60", "Birke | 47", "Insgesamt | 100"), "Gesellschafter | Anteil in %", "107"),
        (("Adler | 60 %", "Birke | 30 %", "Ensemble | 100 %"), "Associé | Part du capital", "90"),
        (("Adler | 60 %", "Birke | 30 %", "Total | 100 %"), "Socio | Participación", "90"),
        (("Cash | 1,200 | 28.6 %", "Stocks | 2,000 | 47.6 %", "Bonds | 1,000 | 32.8 %", "Total | 4,200 | 100 %"),
         BESIDE, "109.0"),
        (("Cash | 1,200 | 28.6 %", "Stocks | 2,000 | 47.6 %", "Bonds | 1,000 | 13.8 %", "Total | 4,200 | 100 %"),
         "Item | Amount | Of sales", "90.0"),
    ],
)  # fmt: skip
def test_shares_that_do_not_make_up_the_printed_whole_are_noted(rows: tuple[str, ...], head: str, added: str) -> None:
    """R82."""
    assert [each[3] for each in off_of(*rows, head=head)] == [Decimal(added)]


NO_SLIP = [
    # it adds up, or rounding explains it
    (HELD, ("Adler | 60 %", "Birke | 40 %", "Total | 100 %")),
    (HELD, ("Adler | 33 %", "Birke | 33 %", "Conrad | 33 %", "Total | 100 %")),
    (HELD, ("Adler | 33.4 %", "Birke | 33.4 %", "Conrad | 33.3 %", "Total | 100.0 %")),
    (HELD, ("Adler | 60 %", "Birke | 39.5 %", "Total | 100 %")),
    (BESIDE, ("Cash | 1 | 17 %", "Stocks | 1 | 17 %", "Bonds | 4 | 67 %", "Total | 6 | 100 %")),
    # no total, or another one
    (HELD, ("Adler | 60 %", "Birke | 20 %")),
    (HELD, ("Adler | 60 %", "Birke | 30 %", "Total | 90 %")),
    (HELD, ("Adler | 60 %", "Birke | 20 %", "Total | 90 %")),
    (HELD, ("Adler | 60 %", "Birke | 20 %", "Others")),
    (HELD, ("Adler | 60 %", "Birke | 20 %", "Total return | 100 %")),
    # answers of several choices
    ("Channel | Share of respondents", ("E-mail | 80 %", "Phone | 60 %", "Post | 30 %", "Total | 100 %")),
    ("Channel | Answers | Share", ("E-mail | 80 | 80 %", "Phone | 60 | 60 %", "Total | 100 | 100 %")),
    ("Kanal | Anteil der Befragten", ("E-Mail | 80 %", "Telefon | 30 %", "Summe | 100 %")),
    ("Canal | Part des répondants", ("Courriel | 80 %", "Courrier | 30 %", "Total | 100 %")),
    ("Canal | Participación (respuestas múltiples)", ("Correo | 80 %", "Fax | 30 %", "Total | 100 %")),
    # rates, growth, margins, discounts, taxes
    ("Loan | Interest rate", ("A | 4.5 %", "B | 3.2 %", "Total | 100 %")),
    ("Loan | Share of interest", ("A | 4.5 %", "B | 3.2 %", "Total | 100 %")),
    ("Area | 2023 | 2024 | Growth", ("A | 100 | 250 | 150 %", "B | 100 | 150 | 50 %", "Total | 200 | 400 | 100 %")),
    ("Region | Sales | Margin", ("North | 100 | 40 %", "South | 300 | 20 %", "Total | 400 | 100 %")),
    ("Quantity | Discount", ("1 to 9 | 5 %", "10 to 99 | 10 %", "Total | 100 %")),
    ("Goods | VAT rate", ("Food | 7 %", "Others | 19 %", "Total | 100 %")),
    ("Waren | Umsatzsteuersatz", ("Brot | 7 %", "Sonstige | 19 %", "Summe | 100 %")),
    ("Crédit | Taux", ("A | 4,5 %", "B | 3,2 %", "Total | 100 %")),
    ("Préstamo | Tipo de interés", ("A | 4,5 %", "B | 3,2 %", "Total | 100 %")),
    ("Phase | Progress", ("Plan | 100 %", "Build | 80 %", "Total | 100 %")),
    ("Rows | Value", ("A | 40 %", "B | 30 %", "Total | 100 %")),
    # parts of parts
    (HELD, ("Adler | 60 %", "of which family | 40 %", "Birke | 40 %", "Total | 100 %")),
    (HELD, ("Adler | 60 %", "Family | 45 %", "Birke | 40 %", "Total | 100 %")),
    (HELD, ("Adler | 30 %", "Birke | 20 %", "Subtotal | 50 %", "Conrad | 40 %", "Total | 100 %")),
    (HELD, ("Adler | 30 %", "Birke | 20 %", "Total founders | 50 %", "Conrad | 40 %", "Total | 100 %")),
    ("Gesellschafter | Anteil", ("Adler | 60 %", "davon Familie | 35 %", "Birke | 30 %", "Summe | 100 %")),
    # negative, more than the whole, or not to be read
    (HELD, ("Adler | 100 %", "Birke | 30 %", "Total | 100 %")),
    ("Year | Cumulative share", ("2023 | 20 %", "2024 | 50 %", "Total | 100 %")),
    ("Part II | Used", ("North | 80 %", "South | 60 %", "Total | 100 %")),
    (HELD, ("Adler | 110 %", "Birke | (5) %", "Total | 100 %")),
    (HELD, ("Adler | 90 %", "Birke | -5 %", "Total | 100 %")),
    (HELD, ("Adler | 60 %", "Birke | < 1 %", "Total | 100 %")),
    (HELD, ("Adler | 60 %", "Birke | none", "Total | 100 %")),
    (HELD, ("Adler | 33,333 %", "Birke | 33,333 %", "Total | 100 %")),
    # amounts that do not bear the shares out
    (BESIDE, ("Cash | 1,200 | 50 %", "Stocks | 2,000 | 20 %", "Bonds | 1,000 | 10 %", "Total | 4,200 | 100 %")),
    (BESIDE, ("Cash | 1,200 | 28.6 %", "Stocks | 3,000 | 60.0 %", "Total | 4,200 | 100 %")),
]  # fmt: skip


@pytest.mark.parametrize(("head", "rows"), NO_SLIP)
def test_nothing_is_noted_of_what_adds_up_or_is_no_share_of_a_whole(head: str, rows: tuple[str, ...]) -> None:
    """R82."""
    assert off_of(*rows, head=head) == []


@pytest.mark.parametrize("title", ["Survey of customers", "Umfrage", "Enquête", "Encuesta"])
def test_the_title_of_a_survey_says_that_they_are_answers(title: str) -> None:
    rows = ("Adler | 60 %", "Birke | 30.5 %", "Total | 100 %")
    assert off_of(*rows, head="Brand | Share") and not off_of(*rows, head="Brand | Share", title=title)


def test_a_table_that_goes_on_from_the_page_before_is_not_judged() -> None:
    written: list[Written] = [("| Holder | Share |", "table_row"), ("| Adler | 60 % |", "table_row")]
    rows: list[Written] = [("| Birke | 30 % |", "table_row"), ("| Conrad | 5 % |", "table_row")]
    content = content_of_lines(["# Holders", *written, *rows, ("| Total | 100 % |", "table_row")])
    table = read_tables(content.lines)[0]
    assert find_shares_off(table)
    assert not find_shares_off(replace(table, begins_on=table.page_number - 1, inherited=(1,)))


def test_many_rows_take_no_long_time() -> None:
    rows = [f"Holder {number}x | {number * 7919 % 100}.{number % 10} %" for number in range(180)]
    assert off_of(*rows, "Total | 100 %") == []


@pytest.mark.parametrize("name", ["financebench/NIKE_2023_10K.pdf", "financebench/COSTCO_2021_10K.pdf"])
def test_no_table_of_a_published_filing_is_noted(name: str) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not here")
    content = shared_content(name)
    tables = [table for page in content.pages for table in content.tables_on_page(page.number)]
    assert [found for table in tables for found in find_shares_off(table)] == []


def answer_about(share: str, base: KnowledgeBase, user: User, folder: Path) -> Answer:
    path = folder / f"assets-{share}.md"
    path.write_text(
        "# Assets\n\n| Item | Amount | Share |\n| --- | --- | --- |\n| Cash | 1,200 | 28.6 % |\n"
        f"| Stocks | 2,000 | 47.6 % |\n| Bonds | 1,000 | {share} % |\n| Total | 4,200 | 100.0 % |\n"
    )
    scope = QuestionScope(base, (ingest_path(path, base, user),))
    turn = keep_question(user, scope, "What is the amount of the bonds?", "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.select_related("run").get(turn=turn)


@pytest.mark.django_db(transaction=True)
def test_the_note_stands_in_the_trail_and_the_api_and_changes_nothing_else(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """R82."""
    settings.MEDIA_ROOT = tmp_path / "files"
    base.settings |= {"cross_encoder": "off"}  # to which another digit is another text
    base.save()
    off, right = (answer_about(share, base, tenant, tmp_path) for share in ("22.8", "23.8"))
    (note,) = [check for check in off.checks if "note" in check]
    assert note["sentence"] == "Total, Share: the printed shares add up to 99.0 %, the total says 100.0 %"
    assert note["note"] | {"lines": []} == {
        "code": "shares_differ", "label": "Total", "column": "Share", "added": "99.0", "printed": "100.0 %", "lines": []
    }  # fmt: skip
    assert not [check for check in right.checks if "note" in check]
    plain, other = (
        (each.kind, each.note, each.text.replace("22.8", "23.8"), [item["outcome"] for item in each.items],
         [check["problems"] for check in each.checks if "note" not in check], each.run.status, each.run.confidence)
        for each in (right, off)
    )  # fmt: skip
    assert plain == other and plain[0] == "extractive"
    client = Client()
    client.force_login(tenant)
    page = on_one_line(client.get(reverse("audit:trail", args=[off.run_id])))
    assert "the printed shares add up to 99.0 %" in page
    assert "shares add up to something else than the total that is printed" in page
    thread = on_one_line(client.get(reverse("chat:conversation", args=[off.turn.conversation_id])))
    assert "the printed shares add up" not in thread


@pytest.mark.parametrize("wording", share_words().alternatives, ids=lambda each: f"{each.file} {each.examples[0]}")
def test_every_word_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = share_words().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []
