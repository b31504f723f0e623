"""A card is never evidence (R15): nothing it says is found, judged, sent to a model or cited."""

import json

import pytest

from chat.conftest import RENT_QUESTION, Ask, Serve
from chat.models import Turn
from chat.turns.conductor import answer_turn
from documents.cards.types import Card, NamedValue
from documents.cards.versions import edit_card
from documents.models import Document
from retrieval.models import RunCandidate

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "Zyxwvut"
SAID = Card(
    "contract", (f"{WORD} Holdings",), (NamedValue("date", f"1 May {WORD}"),), "", f"{WORD} pays the rent of {WORD}."
)


@pytest.mark.parametrize("question", [RENT_QUESTION, f"What does {WORD} pay?", "Summarise the lease."])
def test_nothing_of_a_card_is_a_candidate_sent_or_cited(
    ask: Ask, serve: Serve, document: Document, question: str
) -> None:
    """(R15)"""
    server = serve()
    edit_card(document, SAID)
    turn = ask(question, mode="thorough")
    answer_turn(turn.pk)
    turn = Turn.objects.select_related("run", "answer").get(pk=turn.pk)
    candidates = RunCandidate.objects.filter(run=turn.run).values("anchor_text", "context_text", "snippet", "brief")
    assert WORD not in json.dumps(list(candidates))
    assert not turn.answer.citations.filter(quote__contains=WORD).exists()
    sent = [json.dumps(request.body).replace(question, "") for request in server.requests]
    assert not any(f"{WORD} Holdings" in text or f"pays the rent of {WORD}" in text for text in sent)
    if WORD in question:
        assert turn.run is not None and turn.run.status in ("not_found", "cannot_tell")
