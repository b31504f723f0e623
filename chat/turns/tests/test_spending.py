"""A question at the spending limit: answered by the rules' order, with the reason on the page and in the record."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chat.conftest import Ask, Serve
from chat.models import Turn
from chat.turns.conductor import answer_turn
from documents.models import Document, KnowledgeBase
from llm.models import LLMCall, Spent
from llm.prices import parse_prices
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db(transaction=True)
Kind = dict[str, str]


def limit(settings: Settings, **limits: str) -> None:
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 100, "out": 100}}')
    settings.SPENDING_LIMITS = {name: Decimal(amount) for name, amount in limits.items()}


@pytest.mark.parametrize("which", ["user_day", "base_day", "day"])
def test_at_the_limit_the_page_says_so_and_the_record_keeps_it(
    ask: Ask, serve: Serve, settings: Settings, client: Client, which: str
) -> None:
    server = serve()
    limit(settings, **{which: "0.2"})
    first = ask()
    answer_turn(first.pk)
    assert Turn.objects.get(pk=first.pk).state == "done" and len(server.requests) == 2
    second = ask("How much is the rent a month?")
    answer_turn(second.pk)
    assert len(server.requests) == 2  # nothing was sent any more
    run = RetrievalRun.objects.get(turn=second)
    assert run.arbiter_status == "not_run" and "spending limit" in run.arbiter_failure
    assert run.llm_call is not None and run.llm_call.outcome == "limit_reached" and run.llm_call.attempts == 0
    client.force_login(second.conversation.user)
    page = client.get(reverse("chat:conversation", args=[second.conversation_id])).content.decode()
    assert "spending limit of 0.2 USD a day" in page and "12,500 euros" in page


def test_what_was_spent_is_counted_for_person_and_base(
    ask: Ask, serve: Serve, settings: Settings, base: KnowledgeBase
) -> None:
    serve()
    limit(settings, day="5", user_day="5", base_day="5")
    turn = ask()
    answer_turn(turn.pk)
    charged = sum(call.charge.amount for call in LLMCall.objects.all())
    payers = {"all", f"base:{base.pk}", f"user:{turn.conversation.user_id}"}
    assert dict(Spent.objects.values_list("payer", "amount")) == dict.fromkeys(payers, charged)


def test_a_limit_that_is_reached_before_the_answer_is_written_leaves_the_quotes(
    ask: Ask, serve: Serve, settings: Settings, document: Document
) -> None:
    server = serve()
    limit(settings, day="0.1")
    turn = ask()
    answer_turn(turn.pk)
    answer = Turn.objects.get(pk=turn.pk).answer
    assert len(server.requests) == 1 and answer.kind == "extractive" and "spending limit" in answer.note
    assert answer.llm_call is not None and answer.llm_call.outcome == "limit_reached"
