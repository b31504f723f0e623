"""Asking for programs: the same turn as JSON, as events and later, with the same citations."""

import json
import shutil
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps
from django.db import connection
from django.test import AsyncClient, Client
from pytest_django import Settings

from accounts.models import User
from accounts.tokens import make_token
from chat import stream
from chat.conftest import ABSENT_QUESTION, LEASE_TEXT, RENT_QUESTION, Ask
from chat.followers import Follower
from chat.models import Conversation, Feedback, Retrieval, Turn
from chat.turns import tasks
from chat.turns.conductor import answer_turn
from chat.turns.evidence import retrieve_evidence
from chat.turns.waiting import wait_for_end
from docintel_site.celery import app
from documents.access import create_base, set_role
from documents.ingestion.conductor import ingest_path
from documents.models import Document, IdempotencyKey, KnowledgeBase
from retrieval.models import RetrievalRun
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

Post = Callable[..., Any]


@pytest.fixture
def at_once() -> Iterator[None]:
    """The worker works where it is called."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture
def client(tenant: User) -> Client:
    client = Client()
    client.force_login(tenant)
    return client


@pytest.fixture
def post(client: Client, document: Document) -> Post:
    def send(address: str = "/api/v1/chat", message: str = RENT_QUESTION, headers: Any = None, **fields: Any) -> Any:
        said = {} if "fields" in fields else {"message": message}
        asked = {**said, "knowledge_base_id": str(document.base_id), **fields}
        return client.post(address, json.dumps(asked), content_type="application/json", headers=headers or {})

    return send


def events_of(response: Any) -> list[tuple[str, Any]]:
    async def collect() -> bytes:
        return b"".join([frame async for frame in response.streaming_content])

    frames = async_to_sync(collect)().decode().strip().split("\n\n")
    parts = [dict(line.partition(": ")[::2] for line in frame.split("\n")) for frame in frames]
    return [(part["event"], json.loads(part["data"])) for part in parts if "event" in part]


# ---- evidence


@pytest.mark.usefixtures("at_once")
def test_it_retrieves_the_evidence_and_records_the_run(post: Post, client: Client, document: Document) -> None:
    """R100."""
    result = post("/api/v1/retrieve").json()
    first = result["candidates"][0]
    assert (result["status"], first["role"], first["section_title"]) == ("found", "primary", "Rent")
    assert " ".join(first["content_anchor"].split()) in LEASE_TEXT
    run = RetrievalRun.objects.get(pk=result["run_id"])
    assert run.asked_by_name == "Tenant" and not Turn.objects.exists()
    kept = client.get(f"/api/v1/runs/{run.pk}/candidates", {"limit": 500}).json()["results"]
    told = [*result["candidates"], *result["discarded"], *result["unjudged"]]
    by_id = {candidate["candidate_id"]: candidate for candidate in told}
    assert {candidate["candidate_id"]: candidate for candidate in kept} == by_id


@pytest.mark.usefixtures("at_once")
def test_what_was_refused_stands_apart_from_the_candidates(post: Post, serve: Callable[..., ScriptedLLM]) -> None:
    """The result has three roles (R64); the record has what was discarded and what nobody judged."""
    serve("missing-ids")
    result = post("/api/v1/retrieve", "What is the rent of the landlord, and may the tenant end the lease?").json()
    roles = {name: {each["role"] for each in result[name]} for name in ("candidates", "discarded", "unjudged")}
    assert roles["candidates"] <= {"primary", "supporting", "tangential"}
    assert roles["discarded"] <= {"discarded"} and roles["unjudged"] == {"unjudged"}
    stored = RetrievalRun.objects.get(pk=result["run_id"]).candidates.count()
    assert sum(len(result[name]) for name in roles) == stored > len(result["candidates"])


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("role", "are_told"), [("viewer", False), ("editor", False), ("auditor", True)])
def test_raw_scores_are_for_auditors(
    client: Client, base: KnowledgeBase, document: Document, tenant: User, role: str, are_told: bool
) -> None:
    """Whoever asks gets verdicts, quotes and reasons, and no score that only ordered them (L11)."""
    asker = User.objects.create_user("asker@example.org", "a long pass phrase")
    set_role(base, asker, role)
    client.force_login(asker)
    asked = {"message": RENT_QUESTION, "knowledge_base_id": str(base.pk)}
    done = client.post("/api/v1/retrieve", json.dumps(asked), content_type="application/json")
    result, run = done.json(), f"/api/v1/runs/{done.json()['run_id']}"
    later = client.get(done.headers["Location"]).json()["result"]
    rows = client.get(f"{run}/candidates").json()["results"]
    listed = client.get(f"{run}/documents").json()["results"]
    told = [*result["candidates"], *result["discarded"], *later["candidates"], *rows]
    assert {"line_score" in each for each in told} == {"rrf_rank" in each for each in told} == {are_told}
    assert not any(each["scores"] for each in [*result["documents"], *listed]) or are_told
    left_out = client.get(run).json()["plan"]["left_out"]
    assert {"rrf_rank" in each for each in [*left_out, *result["left_out"]]} <= {are_told}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("address", ["/api/v1/retrieve", "/api/v1/chat", "/api/v1/extract"])
def test_several_documents_are_asked_and_those_nobody_may_see_are_absent(
    post: Post, document: Document, tmp_path: Path, tenant: User, stranger: User, address: str
) -> None:
    """Ids of one base, each counted once; absent, forbidden and another base's are one answer (R97)."""
    path = tmp_path / "annex.md"
    path.write_text("# Annex\n\nThe parking fee is 90 euros a month.")
    annex = ingest_path(path, document.base, tenant)
    theirs = ingest_path(path, KnowledgeBase.objects.get(name="Elsewhere"), stranger)

    def ask(*ids: Any) -> Any:
        sent = {"document_ids": [str(each) for each in ids]}
        if address.endswith("extract"):
            return post(address, fields=[{"name": "Parking fee"}], **sent)
        return post(address, "What is the parking fee?", **sent)

    def run_of(done: Any) -> RetrievalRun:
        told = done.json()
        return RetrievalRun.objects.get(pk=told["run_id"] if "run_id" in told else told["fields"][0]["run_id"])

    both = run_of(ask(document.pk, annex.pk))
    assert {str(each.document_id) for each in both.documents.all()} == {str(document.pk), str(annex.pk)}
    assert both.status == "found"
    alone = run_of(ask(document.pk, document.pk))
    assert [each.document_id for each in alone.documents.all()] == [document.pk]
    assert alone.status != "found", "the annex was not asked"
    absent, forbidden = ask(annex.pk, uuid.uuid4()), ask(annex.pk, theirs.pk)
    assert absent.status_code == forbidden.status_code == 404
    same = ("type", "title", "status", "detail", "code")
    assert [absent.json().get(name) for name in same] == [forbidden.json().get(name) for name in same]
    assert ask().status_code == 400 and ask("no id").status_code == 400
    assert RetrievalRun.objects.count() == 2, "what was refused left nothing"


@pytest.mark.usefixtures("at_once")
def test_not_found_is_a_result(post: Post) -> None:
    """R54."""
    result = post("/api/v1/retrieve", ABSENT_QUESTION).json()
    assert result["not_found"] and result["not_found_reason"] and result["searched"]


@pytest.mark.usefixtures("at_once")
def test_a_failure_of_retrieval_is_recorded_and_told_in_words(
    post: Post, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("secret of the inside")

    monkeypatch.setattr("retrieval.corpus.retrieve_among", fail)
    failed = post("/api/v1/retrieve")
    assert (failed.status_code, failed.json()["code"]) == (500, "answering_failed")
    assert "secret" not in failed.content.decode()
    assert RetrievalRun.objects.get().status == "failed"


def test_no_model_is_asked_before_a_worker_retrieves(
    post: Post, client: Client, settings: Settings, serve: Callable[..., ScriptedLLM]
) -> None:
    server, settings.API_ANSWER_WAIT_S = serve("good"), 0
    key = {"Idempotency-Key": str(uuid.uuid4())}
    later, again = post("/api/v1/retrieve", headers=key), post("/api/v1/retrieve", headers=key)
    assert (later.status_code, later.json()["state"], later.json()["result"]) == (202, "queued", None)
    assert again.headers["Location"] == later.headers["Location"]
    assert server.requests == [] and not RetrievalRun.objects.exists()
    retrieve_evidence(later.json()["retrieval_id"])
    assert len(server.requests) == 1
    told = client.get(later.headers["Location"]).json()
    assert (told["state"], told["result"]["status"], told["result"]["arbiter"]) == ("done", "found", "model")
    assert post("/api/v1/retrieve", headers=key).json() == told["result"] | {"run_id": told["run_id"]}
    assert RetrievalRun.objects.count() == len(server.requests) == 1


def test_a_retrieval_is_its_askers_alone(post: Post, viewer: User, settings: Settings) -> None:
    settings.API_ANSWER_WAIT_S = 0
    address, client = post("/api/v1/retrieve").headers["Location"], Client()
    client.force_login(viewer)
    assert client.get(address).status_code == 404


def test_a_retrieval_whose_workers_die_is_handed_on_and_ends(
    post: Post, client: Client, settings: Settings, tenant: User
) -> None:
    settings.API_ANSWER_WAIT_S = 0
    handed_on, given_up = (post("/api/v1/retrieve").json()["retrieval_id"] for _ in range(2))
    Retrieval.objects.update(state="running", lease_owner="gone", attempts=1)
    Retrieval.objects.filter(pk=given_up).update(attempts=settings.ATTEMPTS_MAX)
    app.conf.task_always_eager = True
    try:
        tasks.sweep()
    finally:
        app.conf.task_always_eager = False
    done, failed = (client.get(f"/api/v1/retrievals/{pk}").json() for pk in (handed_on, given_up))
    assert (done["state"], done["result"]["status"]) == ("done", "found")
    assert (failed["state"], failed["result"]) == ("failed", None) and "stopped 3 times" in failed["error"]
    assert sorted(RetrievalRun.objects.values_list("status", flat=True)) == ["failed", "found"]


@pytest.mark.usefixtures("at_once")
def test_a_key_of_an_earlier_version_is_answered_from_its_run(post: Post, tenant: User, base: KnowledgeBase) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = post("/api/v1/retrieve", headers=key).json()
    Retrieval.objects.all().delete()
    IdempotencyKey.objects.update(made={"run": first["run_id"]})
    import_module("chat.migrations.0014_answered_keys").keep_answered_keys(apps, None)
    assert post("/api/v1/retrieve", headers=key).json() == first
    assert RetrievalRun.objects.count() == 1


# ---- answers


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("address", ["/api/v1/chat", "/api/chat"])
def test_it_answers_as_json(post: Post, address: str) -> None:
    turn = post(address).json()
    assert (turn["state"], turn["status"], turn["answer"]["kind"]) == ("done", "found", "extractive")
    assert "12,500" in turn["answer"]["text"]
    assert turn["answer"]["citations"][0]["section"] == "Rent"


HANDBOOK = """# Staff handbook

## Working hours

The regular working week has 38.5 hours. Overtime needs the consent of the team lead.

## Vacation policy

Employees have 25 days of paid vacation a year. Vacation is requested in the portal at least four weeks in advance.

## Sick leave

Illness is reported to the team lead by 9:00 on the first day. A certificate is needed from the third day on.
"""


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("mode", ["fast", "balanced", "thorough"])
def test_curl_asks_with_a_key_a_message_a_base_and_a_mode(
    live_server: Any, document: Document, tenant: User, mode: str
) -> None:
    """(R97) The address, header and body that programs of this kind are written for, over a socket."""
    _, secret = make_token(tenant, "Client", ["ask"], 1)
    asked = {"message": "What is the deposit?", "knowledge_base_id": str(document.base_id), "mode": mode}
    key = ["-H", f"Authorization: Bearer {secret}", "-H", "Content-Type: application/json"]
    call = ["curl", "-sS", "-X", "POST", f"{live_server.url}/api/chat", *key, "-d", json.dumps(asked)]
    turn = json.loads(subprocess.run(call, capture_output=True, check=True, timeout=120).stdout)
    assert (turn["state"], turn["status"]) == ("done", "found") and "25,000 euros" in turn["answer"]["text"]
    [first, *_] = turn["answer"]["citations"]
    assert (first["document_id"], first["section"], first["marker"]) == (str(document.pk), "Deposit", 1)
    assert first["page"] and first["boxes"] and RetrievalRun.objects.get().mode == mode
    call[call.index(key[1])] = "Authorization: Bearer YOUR_API_KEY"
    refused = json.loads(subprocess.run(call, capture_output=True, check=True, timeout=120).stdout)
    assert refused["status"] == 401 and RetrievalRun.objects.count() == 1


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.usefixtures("at_once")
def test_curl_asks_for_the_vacation_policy(
    live_server: Any, base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """(R97) The one call that the specification's fourth source prints, with its message and mode."""
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "handbook.md"
    path.write_text(HANDBOOK)
    ingest_path(path, base, tenant)
    _, secret = make_token(tenant, "Client", ["ask"], 1)
    asked = {"message": "What is the vacation policy?", "knowledge_base_id": str(base.pk), "mode": "thorough"}
    key = ["-H", f"Authorization: Bearer {secret}", "-H", "Content-Type: application/json"]
    call = ["curl", "-sS", "-X", "POST", f"{live_server.url}/api/chat", *key, "-d", json.dumps(asked)]
    turn = json.loads(subprocess.run(call, capture_output=True, check=True, timeout=120).stdout)
    assert turn["status"] == "found" and "25 days of paid vacation" in turn["answer"]["text"]
    assert turn["answer"]["citations"][0]["section"] == "Vacation policy"


@pytest.mark.usefixtures("at_once")
def test_json_and_events_bring_the_same_citations(post: Post, client: Client) -> None:
    """R99."""
    waited, streamed = post().json(), events_of(post(stream=True, fresh=True))
    [answered] = [told for event, told in streamed if event == "answer"]
    assert answered["answer"]["citations"] == waited["answer"]["citations"]
    assert answered["answer"]["text"] == waited["answer"]["text"]
    assert [event for event, _ in streamed][-2:] == ["answer", "done"]
    assert "stage" in [event for event, _ in streamed]
    assert answered == client.get(f"/api/v1/turns/{answered['turn_id']}").json()


@pytest.mark.usefixtures("at_once")
def test_a_repeat_is_told_at_once_unless_it_is_to_be_asked(post: Post) -> None:
    first, second, third = post().json(), post().json(), post(fresh=True).json()
    assert second["answered_before"]["run_id"] == first["run_id"] != second["run_id"]
    assert second["answer"]["text"] == first["answer"]["text"] and second["state"] == "done"
    assert third["answered_before"] is None


@pytest.mark.usefixtures("at_once")
def test_it_streams_to_whoever_accepts_events(post: Post) -> None:
    assert events_of(post(headers={"Accept": "text/event-stream"}))[-1][0] == "done"


@pytest.mark.usefixtures("at_once")
def test_a_late_listener_hears_the_rest(post: Post, client: Client) -> None:
    address = f"/api/v1/turns/{post().json()['turn_id']}/events"
    whole = events_of(client.get(address))
    assert [event for event, _ in whole][-2:] == ["answer", "done"]
    reply: Any = stream.shared_client().xrange(stream.stream_key(address.split("/")[4]))
    rest = events_of(client.get(address, headers={"Last-Event-ID": reply[-2][0]}))
    assert [event for event, _ in rest] == ["answer", "done"]


@pytest.mark.usefixtures("at_once")
def test_a_token_streams_over_asgi(document: Document, tenant: User) -> None:
    _, secret = make_token(tenant, "Client", ["ask"], 1)

    async def ask() -> str:
        response = await AsyncClient().post(
            "/api/v1/chat",
            json.dumps({"message": RENT_QUESTION, "knowledge_base_id": str(document.base_id), "stream": True}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        assert response.status_code == 200
        return b"".join([frame async for frame in response.streaming_content]).decode()  # type: ignore[attr-defined]

    assert "event: answer\n" in async_to_sync(ask)()


def test_it_waits_no_longer_than_it_may(post: Post, client: Client, settings: Settings) -> None:
    settings.API_ANSWER_WAIT_S = 0
    later = post()
    assert (later.status_code, later.json()["answer"], later.json()["state"]) == (202, None, "queued")
    turn = Turn.objects.get()
    answer_turn(turn.pk)
    assert "12,500" in client.get(later.headers["Location"]).json()["answer"]["text"]


def nobody() -> Follower:
    return Follower(0, None, None)


@pytest.fixture
def answering(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Turn]:
    """A turn that another thread answers once the waiting has begun."""
    monkeypatch.setattr("chat.turns.waiting.LOOK_S", 3600)  # nobody() may not read it
    turn = ask()

    def work() -> None:
        answer_turn(turn.pk)
        connection.close()

    worker = threading.Timer(0.2, work)
    worker.start()
    yield turn
    worker.join()


def test_waiting_ends_with_the_answer(answering: Turn) -> None:
    assert wait_for_end(answering, 60, nobody())
    answering.refresh_from_db()
    assert answering.state == "done"


def test_waiting_asks_the_row_when_redis_is_away(
    answering: Turn, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    import redis

    monkeypatch.setattr("chat.turns.waiting.LOOK_MS", 50)
    monkeypatch.setattr("chat.turns.waiting.shared_client", lambda: redis.Redis(host="127.0.0.1", port=1))
    assert wait_for_end(answering, 60, nobody())


def test_waiting_gives_up_in_time(ask: Ask) -> None:
    assert not wait_for_end(ask(), 0.1, nobody())


@pytest.mark.usefixtures("at_once")
def test_the_same_key_and_question_is_one_turn(post: Post) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first, second = (post(headers=key).json()["turn_id"] for _ in range(2))
    assert first == second and Turn.objects.count() == 1
    assert post(headers={"Idempotency-Key": "mine"}).status_code == 400


@pytest.mark.parametrize(
    "other",
    [
        {"message": ABSENT_QUESTION},
        {"mode": "thorough"},
        {"document_id": None},
        {"address": "/api/v1/retrieve"},
    ],
)
@pytest.mark.usefixtures("at_once")
def test_the_same_key_with_another_request_is_refused(post: Post, document: Document, other: Any) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    asked = {"document_id": str(document.pk), "mode": "balanced"}
    first = post(headers=key, **asked).json()["turn_id"]
    refused = post(headers=key, **asked | other)
    assert (refused.status_code, refused.json()["code"]) == (422, "key_reused")
    assert post(headers=key, **asked, stream=False).json()["turn_id"] == first
    assert Turn.objects.count() == RetrievalRun.objects.count() == 1


@pytest.mark.usefixtures("at_once")
def test_a_key_is_of_one_person_in_one_base(
    post: Post, document: Document, viewer: User, tenant: User, tmp_path: Path
) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    mine = post(headers=key).json()["turn_id"]
    client = Client()
    client.force_login(viewer)
    asked = json.dumps({"message": RENT_QUESTION, "knowledge_base_id": str(document.base_id)})
    theirs = client.post("/api/v1/chat", asked, content_type="application/json", headers=key).json()
    assert theirs["turn_id"] != mine and Turn.objects.get(pk=theirs["turn_id"]).conversation.user == viewer
    elsewhere = create_base(tenant, "Elsewhere")
    (tmp_path / "other.md").write_text(LEASE_TEXT)
    ingest_path(tmp_path / "other.md", elsewhere, tenant)
    there = post(headers=key, knowledge_base_id=str(elsewhere.pk)).json()
    assert there["turn_id"] not in (mine, theirs["turn_id"]) and there["knowledge_base_id"] == str(elsewhere.pk)


def at_the_same_time(count: int, work: Callable[[], Any]) -> list[Any]:
    together, results = threading.Barrier(count, timeout=60), []

    def run() -> None:
        try:
            together.wait()
            results.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_one_key_sent_eight_times_at_once_is_one_turn(post: Post, settings: Settings) -> None:
    settings.API_ANSWER_WAIT_S = 0
    key = {"Idempotency-Key": str(uuid.uuid4())}
    replies = at_the_same_time(8, lambda: post(headers=key))
    assert [reply.status_code for reply in replies] == [202] * 8
    assert {reply.json()["turn_id"] for reply in replies} == {str(Turn.objects.get().pk)}
    assert Conversation.objects.count() == 1


@pytest.mark.usefixtures("at_once")
def test_evidence_asked_for_with_one_key_is_one_run(post: Post) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    replies = at_the_same_time(4, lambda: post("/api/v1/retrieve", headers=key))
    first, *others = [reply.json() for reply in replies]
    assert others == [first] * 3
    assert post("/api/v1/retrieve", headers=key).json() == first
    assert first["run_id"] == str(RetrievalRun.objects.get().pk)
    assert post("/api/v1/retrieve", ABSENT_QUESTION, headers=key).status_code == 422


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("question", [ABSENT_QUESTION, "And what about it?"])
def test_evidence_is_told_from_its_run_as_it_was_told_first(post: Post, question: str) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = post("/api/v1/retrieve", question, headers=key).json()
    assert post("/api/v1/retrieve", question, headers=key).json() == first
    assert RetrievalRun.objects.count() == 1


@pytest.mark.usefixtures("at_once")
def test_a_failed_retrieval_is_done_again_with_its_key(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("retrieval.corpus.retrieve_among", fail)
        assert post("/api/v1/retrieve", headers=key).status_code == 500
    assert post("/api/v1/retrieve", headers=key).json()["status"] == "found"


@pytest.mark.usefixtures("at_once")
def test_a_follow_up_stays_in_its_conversation(post: Post) -> None:
    first = post().json()
    second = post(message="And the deposit?", conversation_id=first["conversation_id"]).json()
    assert second["conversation_id"] == first["conversation_id"] and "25,000" in second["answer"]["text"]
    assert Conversation.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"message": " \u200b "}, 400, "question"),
        ({"message": "x" * 4001}, 400, "invalid"),
        ({"mode": "slow"}, 400, "invalid"),
        ({"stream": "maybe"}, 400, "invalid"),
        ({"knowledge_base_id": "none"}, 400, "invalid"),
        ({"knowledge_base_id": "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"}, 404, "not_found"),
        ({"document_id": "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"}, 404, "not_found"),
        ({"conversation_id": "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"}, 404, "not_found"),
    ],
)
def test_it_refuses_a_question_that_cannot_be_asked(post: Post, fields: Any, status: int, code: str) -> None:
    refused = post(**fields)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert not Turn.objects.exists()


def test_a_document_of_another_base_is_not_asked(post: Post, tenant: User, base: KnowledgeBase) -> None:
    """R101."""
    from documents.access import create_base

    other = create_base(tenant, "Other")
    document = Document.objects.get()
    refused = post(knowledge_base_id=str(other.pk), document_id=str(document.pk))
    assert refused.status_code == 404


# ---- a turn


def test_a_turn_is_its_askers_alone(ask: Ask, viewer: User) -> None:
    turn, client = ask(), Client()
    client.force_login(viewer)
    answers = [client.get(f"/api/v1/turns/{turn.pk}{rest}") for rest in ("", "/events")]
    answers += [client.post(f"/api/v1/turns/{turn.pk}/{what}") for what in ("stop", "feedback")]
    assert {answer.status_code for answer in answers} == {404}


def test_it_stops_a_question_that_waits(ask: Ask, client: Client) -> None:
    turn = ask()
    told = client.post(f"/api/v1/turns/{turn.pk}/stop")
    assert (told.status_code, told.json()["state"]) == (202, "stopped")
    turn.refresh_from_db()
    assert turn.stop_requested


def test_it_keeps_what_the_asker_says_of_an_answer(ask: Ask, client: Client) -> None:
    turn = ask()
    address = f"/api/v1/turns/{turn.pk}/feedback"
    said = json.dumps({"kind": "wrong_evidence", "comment": "Another year."})
    assert client.post(address, said, content_type="application/json").status_code == 404
    answer_turn(turn.pk)
    assert client.post(address, said, content_type="application/json").status_code == 201
    assert client.post(address, '{"kind": "nice"}', content_type="application/json").status_code == 400
    assert Feedback.objects.get().comment == "Another year."


# ---- filters


@pytest.mark.usefixtures("at_once")
def test_filters_are_kept_to_and_recorded(post: Post) -> None:
    result = post("/api/v1/retrieve", pages=[1], section="Rent", top_k=2, threshold=0.4).json()
    assert result["status"] == "found" and {each["section_title"] for each in result["candidates"]} == {"Rent"}
    run = RetrievalRun.objects.get(pk=result["run_id"])
    assert run.settings["filters"] == {"pages": [1], "section": "Rent", "top_k": 2, "threshold": 0.4}
    assert len(result["candidates"]) <= 2


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("around", ["line", "page"])
def test_how_much_is_read_around_a_place_is_chosen_and_recorded(post: Post, around: str) -> None:
    """(R71)"""
    result = post("/api/v1/retrieve", context=around).json()
    run = RetrievalRun.objects.get(pk=result["run_id"])
    assert (run.settings["filters"], run.parsed["hints"]["around"]) == ({"context": around}, around)
    flag = next(flag for flag in result["plan"] if flag["name"] == "read_around")
    assert (flag["on"], flag["reason"]) == (True, f"the request says so: the {around}")
    place = result["candidates"][0]
    lines = place["context"]["last_line"] - place["context"]["first_line"] + 1
    assert lines <= 2 if around == "line" else lines > 2


@pytest.mark.usefixtures("at_once")
def test_a_chat_keeps_to_its_filters(post: Post) -> None:
    turn = post(section="A section that is not there").json()
    assert (turn["status"], turn["answer"]["kind"]) == ("cannot_tell", "cannot_tell")
    assert RetrievalRun.objects.get(pk=turn["run_id"]).settings["filters"] == {"section": "A section that is not there"}


@pytest.mark.usefixtures("at_once")
def test_several_documents_can_be_named(post: Post, document: Document) -> None:
    result = post("/api/v1/retrieve", document_ids=[str(document.pk)]).json()
    assert [each["document_id"] for each in result["documents"]] == [str(document.pk)]
    assert post("/api/v1/retrieve", document_ids=[str(uuid.uuid4()), str(document.pk)]).status_code == 404


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"page": 3}, "page"),
        ({"topk": 3}, "topk"),
        ({"pages": [0]}, "pages"),
        ({"pages": []}, "pages"),
        ({"top_k": 101}, "top_k"),
        ({"threshold": 1.5}, "threshold"),
        ({"context": "chapter"}, "context"),
    ],
)
@pytest.mark.parametrize("address", ["/api/v1/retrieve", "/api/v1/chat"])
def test_a_filter_that_is_none_is_refused_by_name(post: Post, address: str, sent: dict[str, Any], field: str) -> None:
    refused = post(address, **sent)
    assert refused.status_code == 400 and field in json.dumps(refused.json())
    assert not RetrievalRun.objects.exists() and not Turn.objects.exists()


def test_documents_are_named_in_one_place(post: Post, document: Document) -> None:
    both = {"document_id": str(document.pk), "document_ids": [str(document.pk)]}
    assert post("/api/v1/retrieve", **both).status_code == 400
