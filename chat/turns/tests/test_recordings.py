"""The demonstration's recorded replies: complete, told as such wherever shown, and read again without a model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import translation
from pytest_django import DjangoDbBlocker

from accounts.models import User
from audit.proof.verification import verify
from audit.review.replay import Judge, rebuild, rejudge
from chat.models import Answer, Turn
from chat.turns import demo
from chat.turns.compose import RECORDED
from chat.turns.recordings import read_recording, recorded_folder
from llm.client import complete, is_configured
from llm.errors import NotConfigured
from llm.models import UNPRICED, LLMCall
from llm.prompts import Instructions
from llm.recordings import recorded
from retrieval.arbiter.model import ArbiterReply
from tests.emptying import kept_between_tests

pytestmark = pytest.mark.django_db(transaction=True)
HOW = "a request has no recorded reply any more: samples/recorded/README.md says how to record anew"


@pytest.fixture(scope="module")
def owner(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[User]:
    """The owner of the demonstration, which is loaded once for all."""
    folder = tmp_path_factory.mktemp("demo")
    kept = override_settings(MEDIA_ROOT=folder / "files", PAGE_IMAGE_ROOT=folder / "images")
    with django_db_blocker.unblock(), kept, kept_between_tests():
        owner = User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
        demo.load(owner)
        yield owner


def turns() -> dict[str, Turn]:
    asked = Turn.objects.filter(question__in=demo.RECORDED_QUESTIONS)
    return {turn.question: turn for turn in asked}


def test_every_request_of_the_three_questions_has_its_reply_and_says_it_was_recorded(
    owner: User, client: Client, tmp_path: Path
) -> None:
    calls = LLMCall.objects.all()
    assert [call.error for call in calls if call.outcome != "ok"] == [], HOW
    assert len(calls) == len(list(recorded_folder().glob("*.json"))) == 8, HOW
    absent, leaving, starting = (turns()[question].answer for question in demo.RECORDED_QUESTIONS)
    assert (absent.kind, leaving.kind, starting.kind) == (
        Answer.Kind.NOT_FOUND,
        Answer.Kind.GENERATED,
        Answer.Kind.GENERATED,
    )
    assert "180" in leaving.text and "1 April 2024" in starting.text and starting.run.contradictions
    checks = [check for answer in (leaving, starting) for check in answer.checks]
    assert [(check["sentence"], check["problems"]) for check in checks if check.get("problems")] == []
    for call in calls:
        assert (
            call.recorded["on"] in call.answered_by and call.host == "" and call.attempts == 0 and call.reuse_key == ""
        )
    assert not LLMCall.objects.filter(UNPRICED).exists()  # nothing was sent
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    for answer in (absent, leaving, starting):
        assert answer.note.startswith(RECORDED)
        page = client.get(reverse("chat:conversation", args=[answer.turn.conversation_id])).content.decode()
        assert RECORDED in page
        trail = client.get(reverse("audit:trail", args=[answer.run_id])).content.decode()
        assert "a large language model, recorded" in trail and "no model was asked" in trail
    with translation.override("fr"):
        spoken = calls[0].answered_by
    assert spoken == f"un grand modèle de langage, enregistré le {calls[0].recorded['on']}"
    others = Answer.objects.exclude(pk__in=[absent.pk, leaving.pk, starting.pk])
    assert others.count() == 2 and not any(RECORDED in answer.note for answer in others)
    assert verify().ok
    call_command("recorded_requests", out=tmp_path / "requests")
    assert list((tmp_path / "requests").glob("*")) == [], HOW


def test_a_replay_reads_the_recorded_replies_again(owner: User) -> None:
    for turn in turns().values():
        assert turn.run is not None
        rebuilt = rebuild(turn.run)
        assert rebuilt is not None and rebuilt.ok
        again = rejudge(turn.run, Judge("model"))
        assert again.flips == () and "recorded" in again.model
        assert again.exchanges[0].parameters["recorded"]["on"] and again.exchanges[0].attempts == 0
        assert rejudge(turn.run, Judge("rules")).candidates == again.candidates


def test_outside_the_demonstration_nothing_is_answered_by_a_recording(owner: User) -> None:
    assert recorded.current_recording() is None and not is_configured()
    with pytest.raises(NotConfigured, match="No model is configured"):
        ask_anything()
    recording = read_recording()
    with recorded.playing(recording), pytest.raises(NotConfigured, match="No reply is recorded") as refused:
        assert is_configured()
        ask_anything()
    assert [request.purpose for request in recording.unanswered] == ["arbiter"]
    assert refused.value.exchange.attempts == 0


def ask_anything() -> None:
    complete(
        instructions=Instructions("arbiter", "1", "Judge."),
        prompt="Anything?",
        reply_schema=ArbiterReply,
        purpose="arbiter",
        deadline_s=5,
    )


def test_each_file_names_its_model_and_day_and_no_maker() -> None:
    for path in recorded_folder().glob("*.json"):
        kept = json.loads(path.read_text(encoding="utf-8"))
        assert set(kept) == {"question", "purpose", "request_digest", "model", "on", "reply"}
        assert kept["model"] == "a large language model" and kept["question"] in demo.RECORDED_QUESTIONS


def test_the_note_is_translated() -> None:
    with translation.override("fr"):
        assert translation.gettext(RECORDED) != RECORDED
