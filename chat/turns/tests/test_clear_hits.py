"""A clear hit needs no model where the base allows it: rules judge, the answer is quoted, and the record says so."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.conftest import RENT_QUESTION, Ask, Serve
from chat.models import Turn
from chat.turns.compose import CLEAR_HIT
from chat.turns.conductor import answer_turn
from documents.models import KnowledgeBase
from llm.models import LLMCall

pytestmark = pytest.mark.django_db(transaction=True)

CLEAR_QUESTION = "What is the deposit?"


@pytest.fixture
def allowed(base: KnowledgeBase) -> None:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", "skip_model": "on"})


def answered(turn: Turn) -> Any:  # a turn with its run and answer
    answer_turn(turn.pk)
    return Turn.objects.select_related("run", "answer").get(pk=turn.pk)


def flag_of(turn: Any) -> dict[str, Any] | None:
    return next((flag for flag in turn.run.plan["flags"] if flag["name"] == "clear_hit"), None)


def test_a_clear_hit_asks_no_model(allowed: None, ask: Ask, serve: Serve, client: Client, tenant: User) -> None:
    """R39."""
    server = serve()
    turn = answered(ask(CLEAR_QUESTION))
    assert not server.requests and not LLMCall.objects.exists()
    assert (turn.run.arbiter, turn.run.arbiter_status, turn.answer.kind) == ("rules", "ran", "extractive")
    assert "25,000 euros" in turn.answer.text and turn.answer.note == CLEAR_HIT
    assert flag_of(turn) == {
        "name": "clear_hit",
        "on": True,
        "reason": "the title “Deposit” is what is asked for: the rules judge, no model is asked",
    }
    client.force_login(tenant)
    trail = client.get(reverse("audit:trail", args=[turn.run_id])).content.decode()
    assert "Clear hit, without a model" in trail and "no model is asked" in trail


def test_a_base_that_does_not_allow_it_asks_the_model(ask: Ask, serve: Serve) -> None:
    serve()
    turn = answered(ask(CLEAR_QUESTION))
    assert turn.run.arbiter == "model" and flag_of(turn) is None


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("What is the deposit and who repairs the roof?", "several things are asked"),
        ("Which duties does the tenant have?", "no title or line leads clearly"),
    ],
)
def test_without_a_clear_hit_the_model_is_asked(allowed: None, ask: Ask, serve: Serve, question: str, why: str) -> None:
    serve()
    turn = answered(ask(question))
    told = flag_of(turn)
    assert turn.run.arbiter == "model" and told and not told["on"] and told["reason"] == f"{why}: the model judges"


def test_a_thorough_question_asks_the_model(allowed: None, ask: Ask, serve: Serve) -> None:
    serve()
    turn = answered(ask(CLEAR_QUESTION, mode="thorough"))
    assert turn.run.arbiter == "model" and flag_of(turn) is None


def test_without_a_model_nothing_is_said_of_one(allowed: None, ask: Ask) -> None:
    turn = answered(ask(RENT_QUESTION))
    assert turn.run.arbiter == "rules" and flag_of(turn) is None and turn.answer.note != CLEAR_HIT
