"""Each kind of call goes to the model of its tier, and the record names the model that answered."""

from typing import Any

import pytest
from pytest_django import Settings

from chat.conftest import RENT_QUESTION, Ask, Serve
from chat.followup.tests.test_rewriting import follow
from chat.models import Turn
from chat.turns.conductor import answer_turn
from llm.models import LLMCall
from llm.prices import parse_prices

pytestmark = pytest.mark.django_db(transaction=True)

SINGLE = "a single thing is asked"


@pytest.fixture
def tiers(settings: Settings) -> None:
    settings.LLM_MODEL_SMALL, settings.LLM_MODEL_HARD = "small-model", "hard-model"


def answered(turn: Turn) -> Any:  # a turn with its run and answer
    answer_turn(turn.pk)
    return Turn.objects.select_related("run", "answer").get(pk=turn.pk)


def models_by_purpose() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for purpose, model in LLMCall.objects.values_list("purpose", "model"):
        found.setdefault(purpose, set()).add(model)
    return found


def test_reading_and_checking_go_to_the_small_model(tiers: None, ask: Ask, serve: Serve) -> None:
    server = serve()
    first = answered(ask(RENT_QUESTION, mode="thorough"))
    answered(follow(first, "And the deposit?"))
    found = models_by_purpose()
    small = {purpose: {"small-model"} for purpose in ("question", "claims", "follow_up")}
    assert found == {"arbiter": {"scripted-model"}, "answer": {"scripted-model"}} | small
    assert {request.body["model"] for request in server.requests} == {"scripted-model", "small-model"}
    assert {"name": "hard_model", "on": False, "reason": SINGLE} in first.run.plan["flags"]


def test_several_parts_go_to_the_hard_model(tiers: None, ask: Ask, serve: Serve) -> None:
    serve()
    turn = answered(ask("What is the rent a month and who repairs the roof?"))
    found = models_by_purpose()
    assert (found["arbiter"], found["answer"], found["claims"]) == ({"hard-model"}, {"hard-model"}, {"small-model"})
    assert {"name": "hard_model", "on": True, "reason": "several things are asked"} in turn.run.plan["flags"]


def test_the_second_look_goes_to_the_hard_model(tiers: None, ask: Ask, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": [], "wanted_words": ["deposit"]}
    turn = answered(ask())
    looks = LLMCall.objects.filter(purpose="arbiter").order_by("started_at").values_list("model", flat=True)
    assert list(looks) == ["scripted-model", "hard-model"]
    assert turn.run.llm_call.model == "hard-model"


def test_without_tiers_one_model_does_it_all(ask: Ask, serve: Serve) -> None:
    serve()
    turn = answered(ask("What is the rent a month and who repairs the roof?"))
    assert set(LLMCall.objects.values_list("model", flat=True)) == {"scripted-model"}
    assert not any(flag["name"] == "hard_model" for flag in turn.run.plan["flags"])


def test_each_model_has_its_own_price(tiers: None, ask: Ask, serve: Serve, settings: Settings) -> None:
    serve()
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 2, "out": 2}, "small-model": {"in": 1, "out": 1}}')
    answered(ask())
    prices = {call.model: call.charge.price["in"] for call in LLMCall.objects.select_related("charge")}
    assert prices == {"scripted-model": "2", "small-model": "1"}
