"""An outline and a comparison as answers: recorded, cited and grouped, with a model and without."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from audit.proof.evidence import VERIFIER, write_evidence
from audit.proof.verification import verify
from chat.asking import keep_question
from chat.conftest import Ask, Serve
from chat.models import Turn
from chat.page.thread import ShownTurn, turns_of
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase

pytestmark = pytest.mark.django_db(transaction=True)


def answered(turn: Turn) -> ShownTurn:
    answer_turn(turn.pk)
    return ShownTurn(turns_of(turn.conversation)[-1])


def test_an_outline_is_quoted_part_by_part_without_a_model(ask: Ask) -> None:
    shown = answered(ask("Summarise this document"))
    assert shown.answer is not None and shown.run is not None
    assert (shown.answer.kind, shown.run.status, shown.run.is_partial) == ("extractive", "found", False)
    assert shown.answer.note == (
        "No model is configured: what follows is quoted from the document. "
        "This is the outline of the document, with the first whole sentence of each main part."
    )
    (group,) = shown.groups
    assert [(each.title, each.cited.quote.split(".")[0]) for each in group.quotes] == [
        ("", "Lease of the warehouse"),
        ("Parties", "The landlord is Harbour Sheds Limited"),
        ("Rent", "The rent is 12,500 euros a month and is due on the first working day"),
        ("Deposit", "The tenant pays a deposit of 25,000 euros before it moves in"),
        ("Termination", "Either party may end the lease with six months' notice in writing"),
        ("Repairs", "The landlord repairs the roof and the walls"),
    ]
    assert all(each.cited.citation.boxes for each in group.quotes)
    assert "Rent: “The rent is 12,500 euros a month and is due on the first working day.” [3]" in shown.answer.text
    assert verify().ok


def test_an_outline_is_a_card_of_parts(ask: Ask, client: Client) -> None:
    turn = ask("What is this document about?")
    answer_turn(turn.pk)
    client.force_login(turn.conversation.user)
    page = client.get(f"/ask/{turn.conversation_id}/").content.decode()
    assert '<strong class="part">Termination</strong>' in page and f'id="cite-{turn.pk}-6"' in page
    assert page.count('<q class="doc">') == page.count("word for word") == page.count(f'id="cite-{turn.pk}-') == 6


def test_outlines_that_have_no_room_for_every_part_say_so(
    document: Document, tenant: User, tmp_path: Path, client: Client
) -> None:
    path = tmp_path / "duties.md"
    path.write_text("\n\n".join(f"# Duty {each}\n\nThe supplier repairs roof number {each}." for each in range(30)))
    ingest_path(path, document.base, tenant)
    scope = QuestionScope(document.base)
    turn = keep_question(tenant, scope, "Summarise the documents", "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    client.force_login(turn.conversation.user)
    page = client.get(f"/ask/{turn.conversation_id}/").content.decode()
    assert "Not every part has room" in page and "Searched" not in page and "Cited 18 of 18 passages" in page


def test_a_summary_is_written_from_the_parts_with_a_model(ask: Ask, serve: Serve) -> None:
    server = serve()
    shown = answered(ask("Summarise this document"))
    assert shown.answer is not None and shown.run is not None
    assert (shown.answer.kind, shown.run.arbiter, shown.run.llm_call) == ("generated", "rules", None)
    asked = json.dumps(server.requests[0].body)
    assert asked.count("<excerpt number=") == 6 and "Write a summary" in asked
    assert [cited.marker for cited in shown.citations]


def test_an_outline_is_quoted_where_the_model_fails(ask: Ask, serve: Serve) -> None:
    serve("error-500")
    shown = answered(ask("Summarise this document"))
    assert shown.answer is not None and len(shown.citations) == 6
    assert shown.is_extractive and "The model wrote no answer" in shown.answer.note


LICENCE_TEXT = """\
# Licence of the program

## Fee

The fee is 900 euros a year and is paid in advance.

## Termination

The licensee may end the licence at any time with one month's notice in writing.
"""


@pytest.fixture
def licence(document: Document, base: KnowledgeBase, tenant: User, tmp_path: Path) -> Document:
    path = tmp_path / "licence.md"
    path.write_text(LICENCE_TEXT)
    return ingest_path(path, base, tenant)


def compared(question: str, tenant: User, *documents: Document) -> ShownTurn:
    scope = QuestionScope(documents[0].base, documents)
    return answered(keep_question(tenant, scope, question, "balanced", form_id=uuid.uuid4()))


def test_a_comparison_has_a_column_for_each_document(tenant: User, document: Document, licence: Document) -> None:
    shown = compared("Compare the notice in the lease and the licence", tenant, document, licence)
    assert shown.answer is not None and shown.run is not None and not shown.run.is_partial
    assert [group.name for group in shown.groups] == [document.title, licence.title]
    first, second = (group.quotes[0].cited.quote for group in shown.groups)
    assert first.startswith("Either party may end the lease with six months' notice")
    assert second == "The licensee may end the licence at any time with one month's notice in writing."
    heads = [block for block in shown.answer.text.split("\n\n") if block.endswith(":")]
    assert heads == [f"{document.title}:", f"{licence.title}:"]
    assert "This is a comparison: each side was searched by itself." in shown.answer.note
    assert verify().ok


def test_a_comparison_of_which_a_side_is_missing_is_partly_answered(
    tenant: User, document: Document, licence: Document, client: Client
) -> None:
    shown = compared("Compare the deposit in the lease and the licence", tenant, document, licence)
    assert shown.answer is not None and shown.run is not None
    assert shown.outcome == "partly" and "Only a part of the question is answered." in shown.answer.note
    assert [len(group.quotes) > 0 for group in shown.groups] == [True, False]
    assert f"Nothing found in {licence.title}." in shown.answer.text
    assert {each.citation.candidate.document_id for each in shown.citations} == {document.pk}
    assert [row.outcome for row in shown.told_parts] == ["passages", "not_found"]
    client.force_login(tenant)
    page = client.get(f"/ask/{shown.turn.conversation_id}/").content.decode()
    assert "groups beside" in page and f"<h3>{licence.title}</h3>" in page and "Nothing found in" in page


@pytest.mark.parametrize("question", ["Summarise these documents", "Compare the deposit in the lease and the licence"])
def test_the_pack_of_such_an_answer_is_consistent(
    question: str, tenant: User, document: Document, licence: Document, tmp_path: Path
) -> None:
    shown = compared(question, tenant, document, licence)
    assert shown.run is not None
    with (tmp_path / "pack.zip").open("wb") as out:
        write_evidence(shown.run, out, None)
    command = [sys.executable, "-I", "-S", str(VERIFIER), str(tmp_path / "pack.zip")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env={})
    assert done.stdout.startswith("CONSISTENT"), done.stdout


def test_a_comparison_is_written_with_what_each_side_has(
    tenant: User, document: Document, licence: Document, serve: Serve
) -> None:
    server = serve()
    shown = compared("Compare the notice in the lease and the licence", tenant, document, licence)
    assert shown.answer is not None and shown.run is not None
    assert (shown.answer.kind, shown.run.arbiter) == ("generated", "model")
    assert "The question compares several things" in json.dumps(server.requests[1].body)
