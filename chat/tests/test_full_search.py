"""Search the rest: a question whose scope was not all read is asked again of every document on its own."""

import io
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from audit.proof.verification import verify
from chat import stream
from chat.asking import ask_again, keep_question
from chat.conftest import LEASE_TEXT
from chat.models import Answer, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from jobs import waking
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)
LEASES = 13
QUESTION = "What about seismology volcano glacier tsunami avalanche hurricane tornado blizzard drought landslide fire?"

AskBase = Callable[..., Answer]


@pytest.fixture
def leases(document: Document, tenant: User, tmp_path: Path) -> KnowledgeBase:
    """More leases than one question reads line by line, all alike but for the warehouse."""
    for number in range(LEASES - 1):
        path = tmp_path / f"lease {number}.md"
        path.write_text(LEASE_TEXT.replace("of the warehouse", f"of warehouse {number}"))
        ingest_path(path, document.base, tenant)
    return document.base


@pytest.fixture
def ask_base(leases: KnowledgeBase, tenant: User) -> AskBase:
    def ask(question: str = QUESTION) -> Answer:
        turn = keep_question(tenant, QuestionScope(leases), question, "balanced", form_id=uuid.uuid4())
        return answered(turn)

    return ask


@pytest.fixture
def client(tenant: User) -> Client:
    client = Client()
    client.force_login(tenant)
    return client


def answered(turn: Turn) -> Answer:
    answer_turn(turn.pk)
    return Answer.objects.select_related("run", "turn").get(turn=turn)


def findings(answer: Answer) -> set[str]:
    return {row.finding["status"] for row in answer.run.documents.all() if row.finding}


def page_of(client: Client, turn: Turn, language: str = "en") -> str:
    address = reverse("chat:conversation", args=[turn.conversation_id])
    return on_one_line(client.get(address, headers={"Accept-Language": language}))


def search_rest(client: Client, turn: Turn, form_id: str = "") -> Turn:
    client.post(reverse("chat:search_rest", args=[turn.pk]), {"form_id": form_id or str(uuid.uuid4())})
    return Turn.objects.order_by("number").last() or turn


def test_the_button_replaces_the_doubt_by_a_finding_for_each_document(ask_base: AskBase, client: Client) -> None:
    doubted = ask_base()
    assert "3 documents were searched for words only" in doubted.text
    page = page_of(client, doubted.turn)
    assert "Search the rest" in page and "3 documents were searched for words only. This searches every" in page
    turn = search_rest(client, doubted.turn)
    assert (turn.is_full_search, turn.again_of, turn.question) == (True, doubted.turn, QUESTION)
    answer = answered(turn)
    assert "searched for words only" not in answer.text and answer.run.coverage["alone"] == LEASES
    assert findings(answer) <= {"weak", "not_found"}
    page = page_of(client, turn)
    assert "Search of every document, from" in page and f"{LEASES} documents: {LEASES} searched one by one" in page
    assert page.count("Search the rest") == 1, "only below the first question: there is no rest any more"
    trail = on_one_line(client.get(reverse("audit:trail", args=[answer.run_id])))
    assert f"{LEASES} documents were searched one by one (No clear answer: {LEASES}); those that say" in trail
    assert verify().ok


def test_a_full_search_that_finds_says_where(ask_base: AskBase, client: Client, leases: KnowledgeBase) -> None:
    first = ask_base("What is the rent a month?")
    assert first.kind == "extractive" and "Search the rest" in page_of(client, first.turn)
    answer = answered(search_rest(client, first.turn))
    assert answer.kind == "extractive" and "12,500" in answer.text
    assert findings(answer) == {"found"}
    page = page_of(client, answer.turn)
    assert "Found" in page and "The rent is 12,500 euros a month" in page
    assert "Trouvé" in page_of(client, answer.turn, "fr")


def test_progress_is_kept_in_the_row_and_told(ask_base: AskBase, client: Client) -> None:
    turn = search_rest(client, ask_base().turn)
    assert "Documents searched" in page_of(client, turn), "a bar while it runs"
    answered(turn)
    turn.refresh_from_db()
    assert (turn.documents_done, turn.documents_total) == (LEASES, LEASES)
    entries: Any = stream.shared_client().xrange(stream.stream_key(turn.pk))
    told = [json.loads(fields["data"]) for _, fields in entries if fields["type"] == "stage"]
    done = [each["done"] for each in told if "done" in each]
    # A slow machine tells of steps between: how many is the clock's.
    assert (done[0], done[-1]) == (0, LEASES) and done == sorted(set(done))
    assert {each["of"] for each in told if "done" in each} == {LEASES}


def test_stop_ends_it(ask_base: AskBase, client: Client) -> None:
    turn = search_rest(client, ask_base().turn)
    client.post(reverse("chat:stop", args=[turn.pk]))
    answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.state == Turn.State.STOPPED and turn.run and turn.run.status == "failed"


def test_two_clicks_are_one_search_and_asking_it_again_searches_all(ask_base: AskBase, client: Client) -> None:
    first = ask_base().turn
    once, twice = search_rest(client, first), search_rest(client, first)
    assert once == twice and Turn.objects.count() == 2
    answered(once)
    assert ask_again(once).is_full_search
    assert not ask_again(first).is_full_search, "the first question stays an ordinary one"


def test_it_waits_in_a_queue_of_its_own(ask_base: AskBase, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, Turn]] = []
    monkeypatch.setattr(waking, "send", lambda task, turn: sent.append((task.name, turn)))
    turn = search_rest(client, ask_base().turn)
    assert sent == [("chat.tasks.search_every_document", turn)]


def test_nobody_searches_in_the_place_of_another(ask_base: AskBase, stranger: User) -> None:
    turn = ask_base().turn
    other = Client()
    other.force_login(stranger)
    for address in (reverse("chat:search_rest", args=[turn.pk]), reverse("api:search_rest", args=[turn.pk])):
        assert other.post(address).status_code == 404
        assert other.post(address.replace(str(turn.pk), str(uuid.uuid4()))).status_code == 404
    assert Turn.objects.count() == 1


def test_a_question_that_is_still_running_has_no_rest(ask_base: AskBase, client: Client) -> None:
    turn = ask_base().turn
    again = ask_again(turn)
    assert client.post(reverse("chat:search_rest", args=[again.pk])).status_code == 404


def test_a_program_starts_one_and_asks_how_far_it_is(ask_base: AskBase, client: Client) -> None:
    turn = ask_base().turn
    response = client.post(reverse("api:search_rest", args=[turn.pk]))
    assert (response.status_code, response.json()["every_document"]) == (202, True)
    answer_turn(response.json()["turn_id"])
    told = client.get(response.headers["Location"]).json()
    assert (told["state"], told["documents_done"], told["documents_total"]) == ("done", LEASES, LEASES)
    listed = client.get(f"/api/v1/runs/{told['run_id']}/documents").json()["results"]
    assert {each["finding"]["status"] for each in listed} <= {"weak", "not_found"}


def test_a_program_asks_every_document_at_once(leases: KnowledgeBase, client: Client, settings: Settings) -> None:
    body = {"message": QUESTION, "knowledge_base_id": str(leases.pk), "every_document": True}
    settings.API_ANSWER_WAIT_S = 0
    response = client.post("/api/v1/chat", json.dumps(body), content_type="application/json")
    assert response.status_code == 202
    turn = Turn.objects.get(pk=response.json()["turn_id"])
    assert turn.is_full_search


def test_the_shell_asks_every_document(leases: KnowledgeBase) -> None:
    out = io.StringIO()
    call_command("ask", "What is the rent a month?", base=str(leases.pk), every_document=True, stdout=out)
    assert "12,500 euros a month" in out.getvalue()
    assert Turn.objects.get().run.coverage["alone"] == LEASES  # type: ignore[union-attr]
