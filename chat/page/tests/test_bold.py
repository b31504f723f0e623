"""A long sentence that is said first is shown, kept and given out whole, with the same bold words on every page."""

import json
import uuid
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from audit.trail.gather import answer_of
from chat.asking import keep_question
from chat.models import Answer
from chat.page.export import json_of, markdown_of
from chat.page.thread import ShownTurn, turns_of
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.replies import answer_json
from documents.ingestion.conductor import ingest_path
from documents.models import KnowledgeBase
from retrieval.record.reading_back import headlines_from

BOLD = "a lost key of the cellar costs the tenant 80 euros,"
SAID = (
    "Whatever else both sides have to pay under this lease and the rules of the house, and for the good of all of them "
    f"who live there and of the house that was built by the father of the landlord, {BOLD} and the caretaker hands "
    "out another one for the same 80 euros to whoever asks for it."
)
OTHERS = "\n\n".join(f"The rent of house {number} is due." for number in range(20))


@pytest.fixture
def answer(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Answer:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "lease.md"
    path.write_text(f"# Lease\n\n## Keys\n\n{SAID}\n\n## Rent\n\n{OTHERS}\n")
    scope = QuestionScope(base, (ingest_path(path, base, tenant),))
    asked = "How much does a lost key of the cellar cost?"
    turn = keep_question(tenant, scope, asked, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.select_related("turn__conversation", "run").get(turn=turn)


@pytest.mark.django_db(transaction=True)
def test_the_whole_sentence_is_kept_and_shown_with_its_bold_words(answer: Answer, tenant: User) -> None:
    at = [SAID.index(BOLD), SAID.index(BOLD) + len(BOLD)]
    [chosen] = headlines_from(answer.run)
    assert (chosen.text, chosen.bold) == (SAID, tuple(at))
    sentence, value = (check["typed"] for check in answer.checks)
    assert (sentence["text"], sentence["bold"]) == (SAID, at)
    assert value["printed"] == "80 euros"
    assert answer.text == f"{SAID} [1]" and " ".join(answer.citations.get().quote.split()) == SAID
    assert answer_json(answer)["checks"] == answer.checks

    client = Client()
    client.force_login(tenant)
    address = reverse("chat:conversation", args=[answer.turn.conversation_id])
    page = client.get(address).content.decode()
    assert f"<b>{BOLD}</b>" in page
    trail = client.get(reverse("audit:trail", args=[answer.run_id])).content.decode()
    assert f"<b>{BOLD}</b>" in trail
    audited = answer_of(answer.run)
    assert audited and [part.text for part in audited.blocks[0].lines[0] if part.is_bold] == [BOLD]

    shown = [ShownTurn(each) for each in turns_of(answer.turn.conversation)]
    assert SAID in " ".join(markdown_of(answer.turn.conversation, shown).split())
    told = json.loads(json_of(answer.turn.conversation, shown))["turns"][0]["answer"]
    assert told["text"] == answer.text and told["checks"][0]["typed"]["bold"] == at
