"""A whole answer by a model with a window of 8,192 tokens: no request is longer than fits, and it is cited."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.conftest import Serve
from chat.models import Answer, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import KnowledgeBase
from llm.window import CHARACTERS_PER_TOKEN

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
REQUEST_TOKENS_MAX = 6_000

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("behaviour", ["good", "weak-json"])
@pytest.mark.parametrize(
    "question",
    [
        "What are the notice periods, the penalties and the monthly charges of the services?",
        "Which obligations does the Provider have under this Agreement?",
    ],
)
def test_every_request_of_an_answer_fits(
    base: KnowledgeBase, tenant: User, settings: Settings, tmp_path: Path, serve: Serve, question: str, behaviour: str
) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    document = ingest_path(SAMPLES / "outsourcing-agreement.pdf", base, tenant)
    server = serve(behaviour)
    server.told = {"max_model_len": 8192}
    turn = keep_question(tenant, QuestionScope(base, (document,)), question, "thorough", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    ended: Any = Turn.objects.select_related("run", "answer").get(pk=turn.pk)
    sizes = [len(json.dumps(each.body, ensure_ascii=False)) / CHARACTERS_PER_TOKEN for each in server.requests]
    assert len(sizes) >= 4 and max(sizes) <= REQUEST_TOKENS_MAX
    assert (ended.run.arbiter_status, ended.run.status) == ("ran", "found")
    assert ended.answer.kind == Answer.Kind.GENERATED and ended.answer.citations.exists()
