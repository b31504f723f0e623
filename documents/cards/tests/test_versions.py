"""The versions of a card (R15): by readings, a model and people; which one holds; what a title takes from it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents.cards.by_model import CardReply, NamedReply, check_card
from documents.cards.source import SOURCE_CHARS, source_of_parse
from documents.cards.types import Card, NamedValue
from documents.cards.versions import card_of, card_places, edit_card, undo_edits
from documents.ingestion import conductor, queueing, trash
from documents.ingestion.improving import improvements
from documents.models import Document, DocumentCard, IngestJob, KnowledgeBase
from ledger.models import Event
from llm.conftest import Serve
from llm.models import LLMCall
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]
Queued = Callable[..., IngestJob]
INVOICE = b"""Invoice number: 2024-17
Date: 3 May 2024
Bill to: Birch Foods GmbH

Total due: EUR 1,200.00
"""
REPLY = {
    "type": "invoice",
    "parties": ["Birch Foods GmbH", "Nobody & Sons"],
    "dates": [{"name": "date", "value": "3  May 2024"}, {"name": "due", "value": "9 June 2031"}],
    "period": "May 1999",
    "fields": [{"name": "total", "value": "EUR 1,200.00"}, {"name": "skills", "value": "2024-17"}],
    "summary": ["An invoice to Birch Foods.", "It asks for 1,200 euros.", "It is of May.", "A fourth sentence."],
}


@pytest.fixture
def serve(serve: Serve) -> Serve:
    """A model server that gives this card."""

    def start(*behaviours: str) -> ScriptedLLM:
        server = serve(*behaviours)
        server.card = REPLY
        return server

    return start


def read_invoice(base: KnowledgeBase, queued: Queued, cards: str = "rules") -> Document:
    base.settings = {"embeddings": "none", "cards": cards}
    base.save()
    return conductor.finish(queued(INVOICE, "scan-0001.txt"))


def makers(document: Document) -> list[str]:
    return list(document.cards.values_list("made_by", flat=True))


def test_every_document_that_is_read_has_a_card(base: KnowledgeBase, queued: Queued) -> None:
    document = read_invoice(base, queued)
    card = card_of(document)
    assert (card.type, makers(document)) == ("invoice", ["rules"])
    assert NamedValue("total", "EUR 1,200.00") in card.fields


def test_a_document_whose_pages_print_no_title_is_called_by_its_card(base: KnowledgeBase, queued: Queued) -> None:
    assert read_invoice(base, queued).title == "Invoice, 3 May 2024"


def test_reading_again_adds_no_version_where_nothing_is_new(base: KnowledgeBase, queued: Queued) -> None:
    document = read_invoice(base, queued)
    conductor.finish(queueing.queue_again(document))
    document.refresh_from_db()
    assert document.parses.count() == 2 and makers(document) == ["rules"]


def test_a_version_is_never_changed_and_goes_with_its_document(base: KnowledgeBase, queued: Queued) -> None:
    document = read_invoice(base, queued)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        DocumentCard.objects.filter(document=document).update(author="Somebody")
    trash.move_to_trash(document)
    assert trash.purge_document(document)
    assert not DocumentCard.objects.exists()


def test_what_a_model_says_is_kept_where_it_stands_in_the_text(
    base: KnowledgeBase, queued: Queued, serve: Serve
) -> None:
    server = serve()
    document = read_invoice(base, queued, "by_model")
    card = card_of(document)
    assert makers(document) == ["rules", "model"]
    assert card.parties == ("Birch Foods GmbH",)
    assert card.dates == (NamedValue("date", "3 May 2024"),)
    assert (card.period, card.fields) == ("", (NamedValue("total", "EUR 1,200.00"),))
    assert card.summary == "An invoice to Birch Foods. It asks for 1,200 euros. It is of May."
    assert document.title == "Invoice, Birch Foods GmbH, 3 May 2024"
    places = card_places(document)  # of the model's words and, where they are equal, of the rules'
    assert {key: place.words for key, place in places.items()} == {
        ("party", "Birch Foods GmbH"): "Birch Foods GmbH",
        ("date", "date"): "3 May 2024",
        ("value", "total"): "EUR 1,200.00",
    }
    made = document.cards.last()
    assert made is not None and made.llm_call is not None
    assert (made.llm_call.purpose, made.llm_call.parameters["tier"]["name"]) == ("card", "small")
    assert "Birch" not in json.dumps(made.llm_call.request) and "sha256=" in json.dumps(made.llm_call.request)
    assert document.current_parse is not None
    assert document.current_parse.report["card"]["dropped"] == ["Nobody & Sons", "May 1999", "9 June 2031"]
    assert len(server.requests) == 1
    assert len(source_of_parse(document.current_parse)) <= SOURCE_CHARS


def test_the_same_text_is_not_sent_again(base: KnowledgeBase, queued: Queued, serve: Serve) -> None:
    server = serve()
    document = read_invoice(base, queued, "by_model")
    conductor.finish(queueing.queue_again(document))
    document.refresh_from_db()
    assert len(server.requests) == 1 and makers(document) == ["rules", "model"]
    assert document.card is not None and document.card.made_by == "model"


@pytest.mark.parametrize("behaviour", ["refusing", "garbage", "cut"])
def test_where_the_model_fails_the_card_of_the_rules_holds(
    base: KnowledgeBase, queued: Queued, serve: Serve, behaviour: str
) -> None:
    server = serve(behaviour)
    server.card = None
    document = read_invoice(base, queued, "by_model")
    assert (makers(document), card_of(document).type) == (["rules"], "invoice")
    assert document.current_parse is not None and document.current_parse.report["card"]["failure"]
    assert LLMCall.objects.filter(purpose="card").exclude(outcome="ok").exists()
    assert IngestJob.Stage.CARD in improvements(document)  # a person can ask for it again


def test_without_a_model_the_base_that_wants_one_is_told(base: KnowledgeBase, queued: Queued) -> None:
    document = read_invoice(base, queued, "by_model")
    assert document.current_parse is not None
    assert "none is configured" in document.current_parse.report["card"]


def test_a_reply_of_which_nothing_is_right_is_an_empty_card() -> None:
    reply = CardReply(
        type="spell",
        parties=["Nobody"],
        dates=[NamedReply(name="birth", value="1 May")],
        period=" ",
        fields=[],
        summary=[],
    )
    assert check_card(reply, "<document> 1 May").card == Card()


def test_what_a_person_says_holds_over_readings_and_is_recorded(
    base: KnowledgeBase, queued: Queued, owner: User
) -> None:
    document = read_invoice(base, queued)
    edit_card(document, Card("letter", ("Birch Foods GmbH",), (NamedValue("date", "3 May 2024"),)), owner)
    conductor.finish(queueing.queue_again(document))
    document.refresh_from_db()
    assert (card_of(document).type, document.title) == ("letter", "Letter, Birch Foods GmbH, 3 May 2024")
    event = Event.objects.get(kind="card_changed")
    assert (event.actor, event.subject) == (str(owner), f"document:{document.pk}")
    assert event.details["type"] == ["invoice", "letter"] and event.details["base"] == str(base.pk)
    undo_edits(document, owner)
    document.refresh_from_db()
    assert card_of(document).type == "invoice"
    assert makers(document) == ["rules", "person"]  # the edit stays among the versions
    assert Event.objects.filter(kind="card_changed").count() == 2


def test_saying_the_same_changes_nothing(base: KnowledgeBase, queued: Queued, owner: User) -> None:
    document = read_invoice(base, queued)
    edit_card(document, card_of(document), owner)
    assert makers(document) == ["rules"] and not Event.objects.filter(kind="card_changed").exists()


# ---- the page and the API


def test_the_page_shows_the_card_and_keeps_what_is_typed(
    base: KnowledgeBase, queued: Queued, signed_in: Client
) -> None:
    document = read_invoice(base, queued)
    page = signed_in.get(reverse("documents:document", args=[document.pk])).content.decode()
    assert "EUR 1,200.00" in page and "by rules" in page and "never quoted" in page
    address = reverse("documents:card", args=[document.pk])
    typed = {
        "type": "invoice",
        "parties": "Birch Foods GmbH\n\nAlder Works",
        "date-date": "3 May 2024",
        "summary": "Ours.",
    }
    assert signed_in.post(address, typed).status_code == 302
    document.refresh_from_db()
    assert card_of(document).parties == ("Birch Foods GmbH", "Alder Works")
    shown = signed_in.get(address).content.decode()
    assert "Olu Owner" in shown and "Go back to what was read" in shown
    assert signed_in.post(address, {**typed, "type": "spell"}).status_code == 400
    assert signed_in.post(reverse("documents:undo_card", args=[document.pk])).status_code == 302
    document.refresh_from_db()
    assert document.card is not None and document.card.made_by == "rules"


def send(client: Client, method: str, document: Document, body: Any = None) -> Any:
    address = f"/api/v1/documents/{document.pk}/card"
    return client.generic(method, address, json.dumps(body or {}), "application/json")


def test_programs_read_change_and_undo_it(base: KnowledgeBase, queued: Queued, signed_in: Client) -> None:
    document = read_invoice(base, queued)
    found = signed_in.get(f"/api/v1/documents/{document.pk}").json()
    assert (found["card"]["type"], found["card"]["made_by"]) == ("invoice", "rules")
    changed = send(
        signed_in, "PATCH", document, {"parties": ["Alder Works"], "values": [{"name": "number", "value": "8"}]}
    )
    assert changed.status_code == 200, changed.content
    card = changed.json()["card"]
    assert (card["parties"], card["values"], card["made_by"]) == (
        ["Alder Works"],
        [{"name": "number", "value": "8"}],
        "person",
    )
    assert card["dates"] == found["card"]["dates"]  # what is left out stays
    assert [version["number"] for version in changed.json()["versions"]] == [2, 1]
    assert send(signed_in, "DELETE", document).json()["card"]["made_by"] == "rules"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"type": "spell"}, "type"),
        ({"colour": "red"}, "colour"),
        ({"dates": [{"name": "birth", "value": "1 May"}]}, "dates"),
        ({"values": [{"name": "total", "value": "x" * 161}]}, "values"),
        ({"parties": ["x"] * 13}, "parties"),
    ],
)
def test_a_wrong_card_is_refused_by_name(
    base: KnowledgeBase, queued: Queued, signed_in: Client, body: dict[str, Any], field: str
) -> None:
    document = read_invoice(base, queued)
    refused = send(signed_in, "PATCH", document, body)
    assert refused.status_code == 400 and field in refused.content.decode()
    assert makers(document) == ["rules"]


@pytest.mark.parametrize(("role", "status"), [("viewer", 404), ("stranger", 404), ("editor", 200)])
def test_editors_and_owners_change_it(
    base: KnowledgeBase, queued: Queued, member: Member, client: Client, role: str, status: int
) -> None:
    document = read_invoice(base, queued)
    client.force_login(member(role))
    assert send(client, "PATCH", document, {"summary": "Ours."}).status_code == status
