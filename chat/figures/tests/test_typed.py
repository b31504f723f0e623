"""Typed values: read rightly where they are clear, not at all where they are not, and always where they are cited."""

import uuid
from pathlib import Path
from typing import Any, cast
from unittest.mock import ANY

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.checks import AnswerCheck, TypedValue
from chat.conftest import Ask, Serve
from chat.drafts import CitedLines
from chat.figures.cells import find_cells, quote_cell
from chat.figures.names import read_values
from chat.figures.typed import first_table, rest_of, table_of
from chat.figures.yes_no import yes_or_no
from chat.models import Answer, Turn
from chat.page.thread import ShownTurn, read_words, with_rows
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from documents.storage.content import load_content
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.tables import read_tables
from reading.tests.test_joined_tables import HEAD, NORTH, SOUTH, write_ruled
from retrieval.candidates.shown_rows import find_rows
from retrieval.models import RunCandidate
from retrieval.question.parse import parse_question
from retrieval.types import LineRange
from retrieval.words.printed import values_in
from tests.pages import on_one_line

REPORT = Path(__file__).resolve().parents[3] / "samples" / "annual-report.pdf"


@pytest.mark.parametrize(
    ("text", "answer_type", "read"),
    [
        ("The rent is 12,500 euros a month.", "amount", [("12500", "EUR", "month", "12,500 euros a month")]),
        ("EUR 75,000 each; $1.2 billion", "amount",
         [("75000", "EUR", "", "EUR 75,000"), ("1200000000", "USD", "", "$1.2 billion")]),
        ("a loss of $ (3.5) million (USD 12)", "amount",
         [("-3500000", "USD", "", "$ (3.5) million"), ("12", "USD", "", "USD 12")]),
        ("Net result ($12)", "amount", []),  # a loss in a table, an aside in a sentence
        ("12.500,50 € and 1\u00a0000 €", "amount",
         [("12500.5", "EUR", "", "12.500,50 €"), ("1000", "EUR", "", "1\u00a0000 €")]),
        ("a fee of 1 000 €", "amount", []),  # 1,000, or the number 1 and no fee
        ("12 pages, 44 lines, 3.2.1, 2024", "amount", []),
        ("rose 7.1% and -3 percent", "percentage", [("7.1", "", "", "7.1%"), ("-3", "", "", "-3 percent")]),
        ("1 March 2024, March 3rd, 2021", "date",
         [("2024-03-01", "", "", "1 March 2024"), ("2021-03-03", "", "", "March 3rd, 2021")]),
        ("le 1er août 2023; am 30. Juni 2025", "date",
         [("2023-08-01", "", "", "1er août 2023"), ("2025-06-30", "", "", "30. Juni 2025")]),
        ("2024-12-31 or 25/12/2024", "date",
         [("2024-12-31", "", "", "2024-12-31"), ("2024-12-25", "", "", "25/12/2024")]),
        ("4/3/2024 and 31 February 2024", "date", []),  # two readings, and a day that is none
        ("within thirty (30) days", "date", [("30", "", "day", "thirty (30) days")]),
        ("six months' notice", "duration", [("6", "", "month", "six months")]),
        ("12,500 euros", "text", []),
    ],
)  # fmt: skip
def test_what_is_printed_is_read(text: str, answer_type: str, read: list[tuple[str, str, str, str]]) -> None:
    """(R82) Dates as ISO writes them, currencies by three letters."""
    found = values_in(text, answer_type)
    assert [(value.value, value.currency, value.unit, text[value.start : value.end]) for value in found] == read


def test_a_table_has_its_headings_over_its_columns() -> None:
    lines = read_pdf(REPORT, Limits()).lines
    page = [line for line in lines if line.page_number == 10]
    tables = read_tables(page)
    table = first_table(tables, 248, 250)
    assert table is not None
    typed = table_of([table])
    assert typed is not None and (typed["headers"], typed["unit"]) == (["2024", "2023"], "EUR thousand")
    assert [(row["label"], row["cells"], row["lines"]) for row in typed["rows"]][1:3] == [
        ("Cost of products sold", ["(198,745)", "(189,410)"], [246, 246]),
        ("Cost of services", ["(41,230)", "(38,065)"], [247, 247]),
    ]
    assert first_table(tables, page[-1].number + 1, page[-1].number + 9) is None


def typed_of(answer: Answer) -> list[dict[str, Any]]:
    return [check["typed"] for check in answer.checks if "typed" in check]


def answered(turn: Any) -> Answer:
    answer_turn(turn.pk)
    return Answer.objects.select_related("turn__conversation").get(turn=turn)


@pytest.mark.parametrize("has_model", [False, True], ids=["quoted", "written"])
def test_an_amount_is_typed_and_stands_on_the_cited_line(ask: Ask, serve: Serve, has_model: bool) -> None:
    """(R77, R82)"""
    if has_model:
        serve("good")
    answer = answered(ask("How much is the rent a month?"))
    assert answer.kind == ("generated" if has_model else "extractive")
    typed = [each for each in typed_of(answer) if "value" in each]
    assert [(each["value"], each["currency"], each["unit"]) for each in typed][:1] == [("12500", "EUR", "month")]
    citation = answer.citations.select_related("candidate__parse__document").get(marker=1)
    lines = load_content(citation.candidate.parse).lines
    for each in typed:
        first, last = each["lines"]
        assert each["printed"] in " ".join(line.text for line in lines[first - 1 : last])


@pytest.mark.parametrize("is_as_printed", [True, False])
def test_a_value_that_the_headline_says_is_not_said_again_below_it(ask: Ask, is_as_printed: bool) -> None:
    """Unless it was read otherwise than it is printed, which the headline does not say."""
    answer = answered(ask("How much is the rent a month?"))
    shown = ShownTurn(with_rows(Turn.objects).get(pk=answer.turn_id))
    assert shown.answer
    typed = typed_of(shown.answer)[-1]
    assert "value" in typed, "it stays in the record"
    if is_as_printed:
        typed |= {"value": typed["printed"], "currency": "", "unit": ""}
    said = [each for each in shown.typed if str(each.get("printed")) in shown.headline]
    assert shown.headline and [each["read"] for each in said] == ([] if is_as_printed else ["EUR 12,500 / month"])


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"value": "75000", "currency": "EUR", "printed": "EUR 75,000"}, ""),
        (
            {"value": "12500", "currency": "EUR", "unit": "month", "printed": "12,500 euros a month"},
            "EUR 12,500 / month",
        ),
        ({"value": "2024-03-01", "printed": "1 March 2024"}, "2024-03-01"),
        ({"value": "30", "unit": "day", "printed": "thirty (30) days"}, "30 day"),
    ],
)
def test_it_says_how_a_value_was_read_where_it_is_printed_otherwise(typed: TypedValue, words: str) -> None:
    assert read_words(typed) == words


def test_a_written_value_that_no_cited_line_prints_is_not_typed(ask: Ask, serve: Serve) -> None:
    """(R82) Written, and refused as a value."""
    serve("good", "contradicts-quotes")
    answer = answered(ask("How much is the rent a month?"))
    assert answer.kind == "generated" and "987,654 dollars" in answer.text
    assert typed_of(answer) == []


@pytest.fixture
def harbours(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    """A table over two pages, whose head is on the first."""
    settings.MEDIA_ROOT = tmp_path / "files"
    return ingest_path(write_ruled(tmp_path / "harbours.pdf", [*HEAD, *NORTH], SOUTH), base, tenant)


@pytest.mark.django_db(transaction=True)
def test_a_cell_of_a_table_that_goes_on_has_the_period_and_unit_of_its_first_page(harbours: Document) -> None:
    assert harbours.current_parse is not None
    content = load_content(harbours.current_parse)
    candidate = RunCandidate(parse_id=harbours.current_parse.pk, anchor_first_page=2, anchor_last_page=2)
    question = parse_question("What was the amount of Cadiz in 2023?", [content])
    (cell,) = find_cells(question, [candidate], {candidate.parse_id: content})
    assert (cell.cell.text, cell.period, "thousand" in cell.unit) == ("398", "2023", True)
    assert quote_cell(cell, 1).place == CitedLines(cell.row.first_line, cell.row.last_line, 2, "2", ANY)


@pytest.mark.django_db(transaction=True)
def test_the_row_of_a_cell_is_not_quoted_again_below_it(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """It stands lit in the rows as printed; its place stays with the citation, which opens it."""
    settings.MEDIA_ROOT = tmp_path / "files"
    scope = QuestionScope(base, (ingest_path(REPORT, base, tenant),))
    turn = keep_question(tenant, scope, "What was total revenue in 2024?", "balanced", form_id=uuid.uuid4())
    shown = ShownTurn(answered(turn).turn)
    assert "415,890" in shown.headline and shown.headline_table
    assert shown.said_markers == {1}, "the other quotes are still to be read"


@pytest.mark.django_db(transaction=True)
def test_a_typed_table_goes_on_over_the_page(harbours: Document) -> None:
    assert harbours.current_parse is not None
    content = load_content(harbours.current_parse)
    table = content.tables_on_page(1)[0]
    parts = [table, *rest_of(table, content)]
    typed = table_of(parts)
    assert [part.page_number for part in parts] == [1, 2] and typed["headers"][-3:] == ["2024", "2023", "2022"]
    assert {"Lisbon", "Cadiz"} <= {row["label"] for row in typed["rows"]}
    rows = find_rows(LineRange(parts[1].first_line, parts[1].first_line), parts[1].first_line, (), content)
    assert rows is not None and set(table.head_lines) <= {piece.number for piece in rows.pieces(600)}


@pytest.mark.django_db(transaction=True)
def test_a_question_for_a_list_shows_its_items(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "policy.md"
    path.write_text(
        "# Policy\n\n## Exclusions\n\nThe exclusions are:\n\n- war\n- flood\n- nuclear <b>risks</b>\n\n## "
        "Fees\n\nNone.\n"
    )
    document = ingest_path(path, base, tenant)
    turn = keep_question(
        tenant, QuestionScope(base, (document,)), "What are the exclusions?", "balanced", form_id=uuid.uuid4()
    )
    answer = answered(turn)
    (typed,) = typed_of(answer)
    assert [item["text"] for item in typed["items"]] == ["war", "flood", "nuclear <b>risks</b>"]
    client = Client()
    client.force_login(tenant)
    page = on_one_line(client.get(reverse("chat:conversation", args=[turn.conversation_id])))
    assert "<li>war</li> <li>flood</li> <li>nuclear &lt;b&gt;risks&lt;/b&gt;</li>" in page and "3 items" in page


@pytest.mark.parametrize(
    ("text", "answer_type", "read"),
    [
        ("The landlord is Harbour Sheds Limited.", "party", ["landlord", "Harbour Sheds Limited"]),
        (
            "Bank of Zürich AG and the Société de Gestion SARL",
            "party",
            ["Bank of Zürich AG", "Société de Gestion SARL"],
        ),
        ("signed by John Q. Public and Frau Anna Müller", "person", ["John Q. Public", "Frau Anna Müller"]),
        ("The chairman of it", "role", ["chairman"]),
        ("at 12 Quay Road\nLondon SW1A 2AA\nThe rent", "address", ["12 Quay Road London SW1A 2AA"]),
        ("12 bis, rue de la Paix, 75002 Paris", "address", ["12 bis, rue de la Paix, 75002 Paris"]),
        ("en Calle de Alcalá 45, 28014 Madrid.", "address", ["Calle de Alcalá 45, 28014 Madrid"]),
        ("en C/ Mayor, 12, 2º B, 28013 Madrid, España", "address", ["C/ Mayor, 12, 2º B, 28013 Madrid"]),
        ("en Avda. de la Paz, 3\n41001 Sevilla", "address", ["Avda. de la Paz, 3 41001 Sevilla"]),
        ("in Piazza del Duomo, 1 - 20122 Milano (MI)", "address", ["Piazza del Duomo, 1 - 20122 Milano"]),
        ("un plazo de 45 días, 28014 Madrid", "address", ["28014 Madrid"]),
        ("London SW1A 2AA", "postcode", ["SW1A 2AA"]),
        ("war and flood", "person", []),
    ],
)
def test_names_and_addresses_are_cut_whole(text: str, answer_type: str, read: list[str]) -> None:
    """R77"""
    found = read_values(text, answer_type)
    assert [value.value for value in found] == read
    assert [" ".join(text[value.start : value.end].split()) for value in found] == read, "literally there"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "yes"),
        ({"sentence": "No, the tenant may not sublet."}, "no"),
        ({"sentence": "No notice is needed after a fire."}, ""),
        ({"sentence": "Yes."}, ""),
        ({"verdict": "not_shown", "left_out": True}, ""),
        ({"verdict": ""}, ""),
        ({"markers": []}, ""),
        ({"problems": ["number_not_cited"]}, ""),
    ],
)
def test_a_yes_or_no_is_typed_only_where_it_was_checked(change: dict[str, Any], said: str) -> None:
    """R77"""
    upheld = {"sentence": "Yes, the tenant may sublet.", "markers": [1], "verdict": "supported", "problems": []}
    check = cast(AnswerCheck, upheld | change)
    assert yes_or_no("boolean", [check]) == said
    assert yes_or_no("text", [check]) == "" == yes_or_no("boolean", [])
