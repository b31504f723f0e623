"""Passages longer than a model reads at once: read part by part, recorded, and nothing left unread in silence (R81)."""

import json
import uuid
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from audit.trail.gather import PURPOSES
from chat.answer_record import other_calls_of
from chat.asking import keep_question
from chat.conftest import Serve
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.reading import ENOUGH, IN_PARTS, ONE_CALL_MAX, rooms_in
from chat.writing.writer import build_instructions
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from llm.window import CHARACTERS_PER_TOKEN, Window
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

WINDOW = 8192
TOPICS = ("Roof", "Walls", "Doors", "Gates", "Ramps", "Yards")
LISTED = "List all repair fees of the parts."
ONE_FACT = "What is the repair fee?"


@pytest.fixture
def handbook(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    """Six sections on the repair fee, each of about 6,000 characters, the fee itself at the end of each."""
    settings.MEDIA_ROOT = tmp_path / "files"
    filler = "The repair of this part is described in the plan of works that the owner keeps in the office. "
    sections = [
        f"## Repair fee of the {topic}\n\n"
        + "\n\n".join(f"{number}. Repair fee. {filler * 4}" for number in range(14))
        + f"\n\nThe repair fee for the {topic.lower()} is {100 + at} euros."
        for at, topic in enumerate(TOPICS)
    ]
    path = tmp_path / "handbook.md"
    path.write_text("# Handbook of repairs\n\n" + "\n\n".join(sections))
    return ingest_path(path, base, tenant)


def answer_of(tenant: User, document: Document, question: str, mode: str = "balanced") -> Answer:
    turn = keep_question(tenant, QuestionScope(document.base, (document,)), question, mode, form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.get(turn=turn.pk)


def small(serve: Serve, *behaviours: str) -> ScriptedLLM:
    server = serve(*behaviours)
    server.told = {"max_model_len": WINDOW}
    return server


def parts_of(server: ScriptedLLM) -> list[str]:
    return [str(each.body["input"]) for each in server.requests if "This is part" in json.dumps(each.body)]


def written_of(server: ScriptedLLM) -> list[str]:
    return [str(each.body["input"]) for each in server.requests if each.body.get("stream")]


def test_what_does_not_fit_is_read_part_by_part_and_recorded(
    tenant: User, handbook: Document, serve: Serve, client: Client
) -> None:
    """(R81)"""
    server = small(serve)
    answer = answer_of(tenant, handbook, LISTED)
    parts = parts_of(server)
    assert answer.kind == "generated" and IN_PARTS in answer.note and len(parts) > 1
    sizes = [len(json.dumps(each.body, ensure_ascii=False)) / CHARACTERS_PER_TOKEN for each in server.requests]
    assert max(sizes) <= 6_000
    calls = [call for call in other_calls_of(answer) if call.purpose == "passages"]
    assert len(calls) == len(parts) and {call.prompt_name for call in calls} == {"passages"}
    assert answer.llm_call is not None and answer.llm_call.parameters["fragments"] == ["list", "amount", "copied"]
    client.force_login(tenant)
    page = " ".join(client.get(f"/audit/runs/{answer.run_id}/").content.decode().split())
    assert "Pieces of the prompt for this question: list, amount, copied" in page and str(PURPOSES["passages"]) in page


def test_the_writer_gets_the_rows_that_were_copied_and_only_those_that_are_printed(
    tenant: User, handbook: Document, serve: Serve
) -> None:
    server = small(serve)
    printed = "The repair of this part is described in the plan of works"
    copies = [{"excerpt": 1, "quote": quote} for quote in (printed, "The repair fee is 999 euros.")]
    server.copied = [{"copies": copies, "answered": False}]
    answer = answer_of(tenant, handbook, LISTED)
    (written,) = written_of(server)
    assert printed in written and "999 euros" not in written and "[\u2026]" in written
    assert len(written) < sum(map(len, parts_of(server))) / 2
    assert "1 sentence the model copied from the passages occurs nowhere and was not used." in answer.note


def test_a_single_fact_is_looked_for_until_a_part_answers_it(tenant: User, handbook: Document, serve: Serve) -> None:
    """(R81)"""
    server = small(serve)
    server.copied = [{"copies": [{"excerpt": 1, "quote": "The repair of this part"}], "answered": True}]
    answer = answer_of(tenant, handbook, ONE_FACT)
    assert len(parts_of(server)) == 1 and "part 1 of 1" not in parts_of(server)[0]
    assert ENOUGH in answer.note and "Of these passages only" not in answer.note


def test_where_a_part_answered_and_the_writer_finds_nothing_it_is_not_called_absent(
    tenant: User, handbook: Document, serve: Serve
) -> None:
    server = small(serve)
    server.copied = [{"copies": [{"excerpt": 1, "quote": "The repair of this part"}], "answered": True}]
    server.written = ["NOT FOUND: they name no fee."]
    answer = answer_of(tenant, handbook, ONE_FACT)
    assert answer.kind == "cannot_tell" and "not everything was looked at: [" in answer.text
    assert handbook.title in answer.text


def test_a_part_that_cannot_be_read_is_said(tenant: User, handbook: Document, serve: Serve) -> None:
    server = small(serve, "good", "refusing", "good")
    answer = answer_of(tenant, handbook, LISTED)
    assert "A part of the passages could not be read: The model declined to answer." in answer.note
    assert "Of these passages only the quotes and what is next to them were read: [1] " in answer.note
    assert answer.kind == "generated" and len(parts_of(server)) > 1, "the other parts are read"
    (written,) = written_of(server)
    assert written.count("Repair fee. The repair of this part") > 2, "what is next to the quotes, as there is room"
    assert max(len(json.dumps(each.body, ensure_ascii=False)) for each in server.requests) <= 18_000


def test_nothing_is_read_in_parts_where_it_fits(tenant: User, handbook: Document, serve: Serve) -> None:
    """(R81)"""
    server = serve()
    answer = answer_of(tenant, handbook, ONE_FACT)
    assert not parts_of(server) and IN_PARTS not in answer.note


@pytest.mark.parametrize(
    ("tokens", "whole"), [(None, ONE_CALL_MAX), (128_000, ONE_CALL_MAX), (32_000, 62_000), (8_192, 11_000)]
)
def test_the_room_of_a_window(tokens: int | None, whole: int) -> None:
    rooms = rooms_in(Window(tokens), "?", build_instructions(()))
    assert rooms.whole <= whole and rooms.batch >= rooms.whole and rooms.whole > 0.9 * whole
