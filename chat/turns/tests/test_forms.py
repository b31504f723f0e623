"""An outline and a comparison as answers: recorded, cited and grouped, with a model and without."""

import json

import pytest
from django.test import Client

from audit.proof.verification import verify
from chat.conftest import Ask, Serve
from chat.models import Turn
from chat.page.thread import ShownTurn, turns_of
from chat.turns.conductor import answer_turn

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
