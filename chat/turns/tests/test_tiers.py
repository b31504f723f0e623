"""Each kind of call goes to the model of its tier, and the record names the model that answered."""

from typing import Any

import pytest
from pytest_django import Settings

from chat.conftest import RENT_QUESTION, Ask, Serve
from chat.followup.tests.test_rewriting import follow
from chat.models import Turn
from chat.turns.conductor import answer_turn
from documents.models import Document, KnowledgeBase
from llm.models import LLMCall
from llm.prices import parse_prices
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.editing import add_concept

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


def tiers_of_calls() -> dict[str, tuple[str, str]]:
    """The tier and why of the calls of each purpose, as the record names them."""
    rows = LLMCall.objects.values_list("purpose", "parameters")
    return {purpose: (parameters["tier"]["name"], parameters["tier"]["why"]) for purpose, parameters in rows}


def name_tiers(base: KnowledgeBase, **stored: str) -> None:
    base.settings = {**base.settings, "tiers": {key.replace("__", ":"): tier for key, tier in stored.items()}}
    base.save(update_fields=["settings"])


def test_every_exchange_names_its_tier_and_why(tiers: None, ask: Ask, serve: Serve) -> None:
    """(R25)"""
    serve()
    answered(ask("What is the rent a month and who repairs the roof?"))
    found = tiers_of_calls()
    assert found["arbiter"] == found["answer"] == ("hard", "several things are asked")
    assert found["claims"] == ("small", "calls of this kind read or check something short")


@pytest.mark.parametrize(
    ("stored", "tier", "why"),
    [
        ({"default": "small"}, "small", "the base names it for every question it says nothing else of"),
        ({"default": "small", "type__amount": "hard"}, "hard", "the base names it for answers of type amount"),
        (
            {"default": "small", "type__amount": "hard", "concept__RENT money": "normal"},
            "normal",
            "the base names it for the concept “Rent money”",
        ),
    ],
)
def test_a_base_names_a_tier_by_concept_else_by_type_else_for_all(
    tiers: None, ask: Ask, serve: Serve, document: Document, stored: dict[str, str], tier: str, why: str
) -> None:
    """(R25)"""
    serve()
    add_concept(document.base, WordRow("Rent money", "en", "rent", "primary", 1.0))
    name_tiers(document.base, **stored)
    turn = answered(ask("How much is the rent a month and how much is the deposit?"))
    assert turn.run.parsed["answer_type"] == "amount"
    found = tiers_of_calls()
    assert found["arbiter"] == found["answer"] == (tier, why)
    models = {"small": "small-model", "normal": "scripted-model", "hard": "hard-model"}
    assert models_by_purpose()["answer"] == {models[tier]}
    assert turn.run.settings["tiers"]  # the run keeps what the base named


def test_a_tier_the_base_names_holds_for_a_second_look_and_a_comparison(
    tiers: None, ask: Ask, serve: Serve, document: Document
) -> None:
    """(R25)"""
    server = serve()
    server.wanted = {"wanted_sections": [], "wanted_words": ["deposit"]}
    name_tiers(document.base, default="small")
    answered(ask())
    assert models_by_purpose()["arbiter"] == {"small-model"}
    server.wanted = None
    answered(ask("Compare the rent and the deposit."))
    assert models_by_purpose()["answer"] == {"small-model"}


def test_each_model_has_its_own_price(tiers: None, ask: Ask, serve: Serve, settings: Settings) -> None:
    serve()
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 2, "out": 2}, "small-model": {"in": 1, "out": 1}}')
    answered(ask())
    prices = {call.model: call.charge.price["in"] for call in LLMCall.objects.select_related("charge")}
    assert prices == {"scripted-model": "2", "small-model": "1"}
