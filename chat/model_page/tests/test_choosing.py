"""Owners choose the model of a base among those the operator allows; one that is allowed no longer is not asked."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from chat.conftest import Ask, Serve
from chat.model_page.testing import ask_for_test, carry_out_test
from chat.models import Turn
from chat.turns.conductor import answer_turn
from documents.access import change_settings, create_base
from documents.base_settings import BaseSettings, SettingsError, asking_for
from documents.models import KnowledgeBase
from ledger.models import Event
from llm.models import LLMCall
from llm.prices import parse_prices
from llm.tiers import model_for
from retrieval.models import RetrievalRun


@pytest.fixture(autouse=True)
def allowed(settings: Settings) -> None:
    settings.LLM_MODELS = ("better", "local")
    settings.LLM_PRICES = parse_prices('{"better": {"in": 3, "out": 12}}')


def choose(user: User, base: KnowledgeBase, model: str) -> str:
    client = Client()
    client.force_login(user)
    page = client.post(reverse("chat_model:choose", args=[base.pk]), {"model": model}, follow=True)
    return " ".join(page.content.decode().split())


def model_of(base: KnowledgeBase) -> str:
    base.refresh_from_db()
    return BaseSettings.from_json(base.settings).model


def answered(turn: Turn) -> RetrievalRun:
    answer_turn(turn.pk)
    return RetrievalRun.objects.select_related("llm_call", "turn__answer__llm_call").get(turn=turn)


# ---- the choice


def test_owners_choose_among_those_allowed_and_it_is_recorded(
    base: KnowledgeBase, tenant: User, viewer: User, serve: Serve
) -> None:
    serve()
    page = choose(tenant, base, "better")
    assert model_of(base) == "better" and "The choice is saved." in page
    assert '<option value="better" selected> better (3 sent, 12 received, USD) </option>' in page
    assert "That of the installation: scripted-model" in page and "local (not priced)" in page
    assert Event.objects.filter(kind="settings_changed").latest("pk").details == {"model": ["", "better"]}
    client = Client()
    client.force_login(viewer)
    read = client.get(reverse("chat_model:model", args=[base.pk])).content.decode()
    assert "better" in read and "chosen-model" not in read and "The owners of this base chose" in read
    assert "chosen-model" in choose(tenant, base, "") and model_of(base) == ""


@pytest.mark.parametrize("model", ["scripted-model", "BETTER", "better ", "x" * 5000, "<b>", "be\x00tter"])
def test_what_is_not_allowed_is_refused_by_name(model: str, base: KnowledgeBase, tenant: User, serve: Serve) -> None:
    serve()
    page = choose(tenant, base, model)
    if model.replace("\x00", "") == "better":
        assert model_of(base) == "better"
    else:
        assert model_of(base) == "" and ("allowed: better, local" in page or "at most 200 characters" in page)


def test_where_none_is_allowed_there_is_nothing_to_choose(
    base: KnowledgeBase, tenant: User, serve: Serve, settings: Settings
) -> None:
    serve()
    settings.LLM_MODELS = ()
    page = choose(tenant, base, "better")
    assert "chosen-model" not in page and "allowed: none" in page and model_of(base) == ""


def test_programs_choose_it_with_the_other_settings(base: KnowledgeBase, tenant: User) -> None:
    client = Client()
    client.force_login(tenant)
    address = f"/api/v1/bases/{base.pk}"
    for model, status in (("local", 200), ("other", 400), (5, 400), ("", 200)):
        sent = json.dumps({"settings": {"model": model}})
        reply = client.patch(address, sent, content_type="application/json")
        assert reply.status_code == status, reply.content
        if status == 200:
            assert reply.json()["settings"]["model"] == model == model_of(base)


# ---- what is asked


def test_the_model_of_a_base_is_asked_and_recorded_and_that_of_others_is_not(
    ask: Ask, base: KnowledgeBase, tenant: User, serve: Serve, settings: Settings
) -> None:
    server = serve()
    settings.LLM_MODEL_HARD = "hardest"
    choose(tenant, base, "better")
    run = answered(ask())
    assert run.llm_call is not None and run.llm_call.model == "better" and run.settings["model"] == "better"
    assert run.turn.answer.llm_call and run.turn.answer.llm_call.model == "better"
    assert {request.body["model"] for request in server.requests if request.body} == {"better"}
    base.refresh_from_db()
    with asking_for(base):
        assert (model_for("normal"), model_for("small"), model_for("hard")) == ("better", "better", "hardest")
    with asking_for(create_base(tenant, "Other")):
        assert model_for("normal") == "scripted-model"
    assert model_for("normal") == "scripted-model"
    job = ask_for_test(tenant, base)
    carry_out_test(job.pk)
    assert LLMCall.objects.get(purpose="test").model == "better"


def test_another_model_is_asked_anew(ask: Ask, base: KnowledgeBase, tenant: User, serve: Serve) -> None:
    serve()
    assert not answered(ask()).repeat and answered(ask()).repeat
    choose(tenant, base, "better")
    anew = answered(ask())
    assert not anew.repeat and anew.llm_call is not None and anew.llm_call.model == "better"
    assert answered(ask()).repeat


def test_one_that_is_allowed_no_longer_is_not_asked_and_nothing_is_in_its_place(
    ask: Ask, base: KnowledgeBase, tenant: User, serve: Serve, settings: Settings, client: Client
) -> None:
    server = serve()
    choose(tenant, base, "better")
    assert answered(ask()).status == "found"
    sent = len(server.requests)
    settings.LLM_MODELS = ("local",)
    turn = ask()
    run = answered(turn)
    assert len(server.requests) == sent and not run.repeat
    assert run.llm_call is not None and (run.llm_call.outcome, run.llm_call.attempts) == ("not_allowed", 0)
    assert run.arbiter_status == "not_run" and "better, which is no longer allowed" in run.arbiter_failure
    assert run.status == "found" and run.turn.answer.kind == "extractive"
    client.force_login(tenant)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()
    assert "better, which is no longer allowed" in page and "12,500 euros" in page
    shown = client.get(reverse("chat_model:model", args=[base.pk])).content.decode()
    assert "Nothing is asked in its place" in " ".join(shown.split()) and "better, no longer allowed" in shown
    choose(tenant, base, "local")
    assert answered(ask()).llm_call.model == "local"  # type: ignore[union-attr]


def test_other_settings_of_such_a_base_can_still_be_changed(
    base: KnowledgeBase, tenant: User, settings: Settings
) -> None:
    change_settings(base, base.name, BaseSettings(model="better"), tenant)
    settings.LLM_MODELS = ()
    change_settings(base, base.name, BaseSettings(model="better", passages_max=5), tenant)
    assert (model_of(base), BaseSettings.from_json(base.settings).passages_max) == ("better", 5)
    change_settings(base, base.name, BaseSettings(), tenant)
    with pytest.raises(SettingsError):
        change_settings(base, base.name, BaseSettings(model="better"), tenant)
    assert model_of(base) == ""
