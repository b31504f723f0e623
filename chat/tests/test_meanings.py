"""A vague word is asked back with its meanings; the choice is asked, and the base learns from it (R23)."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from chat.asking import choose_meaning, keep_question
from chat.models import Answer, Conversation, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.replies import read_turn
from documents.cards.types import Card
from documents.cards.versions import edit_card
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from retrieval.models import MeaningVote
from retrieval.question.kinds import RuleRow
from retrieval.reading_rules.editing import change_rules, reading_rules_of
from retrieval.reading_rules.rows import RuleError
from retrieval.reading_rules.votes import standings_of

pytestmark = pytest.mark.django_db(transaction=True)
CAPS_TEXT = """\
# Liability

The liability cap is two million euros. A liability cap does not apply to fraud.

# Claims

An annual cap of ten claims applies to every customer.
"""


@pytest.fixture
def caps(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "caps.md"
    path.write_text(CAPS_TEXT)
    return ingest_path(path, base, tenant)


def ask_of(document: Document, user: User, text: str, conversation: Conversation | None = None) -> Turn:
    scope = QuestionScope(document.base, (document,))
    turn = keep_question(user, scope, text, "balanced", form_id=uuid.uuid4(), conversation=conversation)
    return answered(turn)


def answered(turn: Turn) -> Turn:
    answer_turn(turn.pk)
    return Turn.objects.select_related("conversation", "run", "answer").get(pk=turn.pk)


def parsed_of(turn: Turn) -> dict[str, Any]:
    assert turn.run is not None
    parsed: dict[str, Any] = turn.run.parsed
    return parsed


def learn(document: Document, user: User, times: int, meaning: str = "liability cap") -> None:
    """Ask the vague question in conversations of its own, and choose."""
    for _ in range(times):
        choose_meaning(ask_of(document, user, "What's the cap?"), meaning)


def test_it_is_asked_back_and_the_choice_is_asked(caps: Document, tenant: User) -> None:
    asked = ask_of(caps, tenant, "What's the cap?")
    assert asked.answer.kind == Answer.Kind.CLARIFICATION
    assert read_turn(asked.pk)["reading"]["meanings"] == ["liability cap", "annual cap"]
    again = answered(choose_meaning(asked, "liability cap"))
    assert (again.question, again.again_of_id) == ("What's the liability cap?", asked.pk)
    assert "two million euros" in again.answer.text
    assert [(vote.text, vote.kind) for vote in MeaningVote.objects.all()] == [("liability cap", "chosen")]
    with pytest.raises(RuleError, match="none of the meanings"):
        choose_meaning(asked, "knee cap")


def test_what_is_sure_is_applied_and_said_and_can_be_changed(caps: Document, tenant: User) -> None:
    learn(caps, tenant, 6)
    asked = ask_of(caps, tenant, "What's the cap?")
    assert "two million euros" in asked.answer.text
    assert asked.answer.note.startswith("“cap” was read as “liability cap”, as it was mostly meant here.")
    assert read_turn(asked.pk)["reading"]["assumed"] == "liability cap"
    assert parsed_of(asked)["original"] == "What's the cap?"
    again = answered(choose_meaning(asked, "annual cap"))
    assert "ten claims" in again.answer.text
    kinds = list(MeaningVote.objects.order_by("-pk").values_list("kind", "text")[:2])
    assert sorted(kinds) == [("chosen", "annual cap"), ("refused", "liability cap")]


def test_between_the_bands_it_is_applied_until_two_were_silently_accepted(caps: Document, tenant: User) -> None:
    learn(caps, tenant, 2)
    said = []
    for _ in range(3):
        asked = ask_of(caps, tenant, "What's the cap?")
        said.append(asked.answer.kind == Answer.Kind.CLARIFICATION)
        ask_of(caps, tenant, "Who is every customer?", asked.conversation)
    assert said == [False, False, True]
    accepted = MeaningVote.objects.filter(kind="accepted").values_list("weight", flat=True)
    assert list(accepted) == [0.5, 0.5]
    vague = parsed_of(asked)["vague"]
    assert vague["proposed"] == "liability cap" and "asked again after two" in vague["why"]


def test_the_page_offers_the_meanings_and_takes_a_choice(client: Client, caps: Document, tenant: User) -> None:
    asked = ask_of(caps, tenant, "What's the cap?")
    client.force_login(tenant)
    page = client.get(reverse("chat:conversation", args=[asked.conversation_id])).content.decode()
    assert 'value="liability cap"' in page and 'value="annual cap"' in page
    client.post(reverse("chat:meaning", args=[asked.pk]), {"meaning": "annual cap", "form_id": str(uuid.uuid4())})
    assert asked.conversation.turns.get(again_of=asked).question == "What's the annual cap?"
    client.post(reverse("chat:meaning", args=[asked.pk]), {"meaning": "knee cap"})
    assert asked.conversation.turns.count() == 2


def test_a_program_chooses(client: Client, caps: Document, tenant: User, stranger: User) -> None:
    asked = ask_of(caps, tenant, "What's the cap?")
    there = reverse("api:choose_meaning", args=[asked.pk])
    client.force_login(stranger)
    assert client.post(there, {"meaning": "annual cap"}, "application/json").status_code == 404
    client.force_login(tenant)
    assert client.post(there, {"meaning": "knee cap"}, "application/json").status_code == 400
    assert client.post(there, {"meaning": "annual cap", "more": 1}, "application/json").status_code == 400
    told = client.post(there, {"meaning": "annual cap"}, "application/json")
    assert (told.status_code, told.json()["message"]) == (202, "What's the annual cap?")


def test_an_answer_records_the_rules_it_was_read_by(caps: Document, tenant: User) -> None:
    """(R103)"""
    rows = [RuleRow("asks", "cap_kind", "", "liability"), RuleRow("value", "cap_kind", "", "million")]
    change_rules(caps.base, rows, "caps are a kind", tenant, seen=0)
    asked = ask_of(caps, tenant, "What's the liability cap?")
    rules = reading_rules_of(caps.base)
    assert asked.run and asked.run.settings["reading_rules"] == {"number": 1, "digest": rules.digest}
    assert (asked.run.parsed["answer_type"], asked.run.parsed["value_pattern"]) == ("cap_kind", "(?:million)")
    first = ask_of(caps, tenant, "What's the liability cap?")
    change_rules(caps.base, [], "none", tenant, seen=1)
    second = ask_of(caps, tenant, "What's the liability cap?")
    assert first.run and second.run
    assert first.run.repeat and not second.run.repeat, "other rules make it another question"


def test_what_was_learned_of_one_type_of_document_is_not_applied_to_another(
    caps: Document, tenant: User, tmp_path: Path
) -> None:
    """(R23) The type is that of the card (R15), as it is when the question is asked."""
    edit_card(caps, Card(type="contract"), tenant)
    learn(caps, tenant, 6)
    assert {vote.document_type for vote in MeaningVote.objects.all()} == {"contract"}
    assert parsed_of(ask_of(caps, tenant, "What's the cap?"))["vague"]["assumed"] == "liability cap"
    copy = tmp_path / "policy.md"
    copy.write_text(CAPS_TEXT + "\nA policy of its own.\n")
    policy = ingest_path(copy, caps.base, tenant)
    edit_card(policy, Card(type="policy"), tenant)
    asked = ask_of(policy, tenant, "What's the cap?")
    assert asked.answer.kind == Answer.Kind.CLARIFICATION
    assert parsed_of(asked)["vague"]["document_type"] == "policy"
    edit_card(caps, Card(type="policy"), tenant)
    assert ask_of(caps, tenant, "What's the cap?").answer.kind == Answer.Kind.CLARIFICATION


def test_what_fails_for_one_document_is_learned_apart_from_the_others_of_its_type(
    caps: Document, tenant: User, tmp_path: Path
) -> None:
    """(R23)"""
    copy = tmp_path / "other.md"
    copy.write_text(CAPS_TEXT + "\nAnother agreement.\n")
    other = ingest_path(copy, caps.base, tenant)
    edit_card(caps, Card(type="contract"), tenant)
    edit_card(other, Card(type="contract"), tenant)
    learn(caps, tenant, 6)
    for _ in range(3):
        choose_meaning(ask_of(other, tenant, "What's the cap?"), "annual cap")
    said = {document: parsed_of(ask_of(document, tenant, "What's the cap?"))["vague"] for document in (caps, other)}
    assert (said[caps]["assumed"], said[caps]["confidence"]) == ("liability cap", 0.8571), "as sure as before"
    assert (said[other]["assumed"], said[other]["confidence"]) == ("annual cap", 0.75), "by its own three choices"
    assert [(each.text, each.document_title) for each in standings_of(caps.base) if each.confidence > 0.5] == [
        ("liability cap", ""),
        ("annual cap", other.title),
    ]
