"""Several fields asked by a program (R87): stored, carried out in a worker, read as JSON and CSV."""

import csv
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from audit.alerts import measures
from audit.proof.verification import verify
from chat.fields.extracting import carry_out_extraction, give_up_extractions
from chat.fields.values import NOT_ASKED
from chat.models import Extraction
from chat.turns.stopping import answer_limit_s, extraction_limit_s
from chat.turns.tasks import extract_fields
from docintel_site.celery import app
from documents.models import Document
from ledger.models import Event
from llm.models import LLMCall
from retrieval.forms.fields import retrieve_fields
from retrieval.models import RetrievalRun
from retrieval.record.storing import unfinished_calls
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = [
    {"name": "Rent", "question": "What is the rent a month?", "type": "amount"},
    {"name": "Logo", "question": "Who holds the trademark of the logo?", "instruction": "a company"},
]
PATIENCE_S = 120.0
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
    def send(fields: Any = FIELDS, headers: Any = None, **more: Any) -> Any:
        asked = {"knowledge_base_id": str(document.base_id), "fields": fields, **more}
        return client.post("/api/v1/extract", json.dumps(asked), content_type="application/json", headers=headers or {})

    return send


@pytest.fixture
def sleepers_ended() -> Iterator[None]:
    """A connection that was cut leaves a backend that sleeps on, and the database cannot be dropped."""
    yield
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()"
        )


@pytest.mark.usefixtures("at_once")
def test_each_field_comes_back_with_value_quote_and_place(post: Post, client: Client, document: Document) -> None:
    done = post(document_ids=[str(document.pk)])
    assert (done.status_code, done.json()["state"]) == (200, "done")
    rent, logo = done.json()["fields"]
    assert (rent["name"], rent["outcome"], rent["values"][0]["value"]) == ("Rent", "found", "12500")
    assert rent["document_id"] == str(document.pk) and rent["lines"] and rent["boxes"] and rent["quote"]
    assert (logo["outcome"], logo["value"], logo["instruction"]) == ("not_found", None, "a company")
    kept = client.get(f"/api/v1/runs/{rent['run_id']}/candidates").json()["results"]
    assert kept, "its run has candidates of its own"
    assert client.get(done.headers["Location"]).json() == done.json()


@pytest.mark.usefixtures("at_once")
def test_as_csv_a_field_is_a_line_that_no_spreadsheet_computes(post: Post, client: Client) -> None:
    address = post([*FIELDS, {"name": "=1+1", "question": "Who is the landlord?"}]).headers["Location"]
    told = client.get(address, headers={"Accept": "text/csv"})
    rent, logo, landlord = csv.DictReader(told.content.decode().splitlines())
    assert (rent["value"], rent["normalised"], rent["unit"]) == ("12,500 euros a month", "12500", "EUR")
    assert (logo["outcome"], logo["quote"]) == ("not_found", "") and logo["caveat"]
    assert landlord["field"] == "'=1+1"


def test_nobody_asks_a_model_before_a_worker_does(
    post: Post, client: Client, settings: Settings, serve: Callable[..., ScriptedLLM]
) -> None:
    server, settings.API_ANSWER_WAIT_S = serve("good"), 0
    key = {"Idempotency-Key": str(uuid.uuid4())}
    later, again = post(headers=key), post(headers=key)
    assert (later.status_code, later.json()["state"]) == (202, "queued")
    assert [field["outcome"] for field in later.json()["fields"]] == [None, None]
    assert again.headers["Location"] == later.headers["Location"] and server.requests == []
    carry_out_extraction(later.json()["extraction_id"])
    carry_out_extraction(later.json()["extraction_id"])
    assert len(server.requests) == 1 and RetrievalRun.objects.count() == 2, "sent twice, done once"
    assert post([FIELDS[0]], headers=key).status_code == 422


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ([], "fields"),
        ([{"name": ""}], "name"),
        ([{"name": "a", "colour": "blue"}], "colour"),
        ([{"name": "a", "type": "colour"}], "type"),
        ([{"name": "a"}, {"name": "A"}], "fields.1"),
        ([{"name": f"f{number}"} for number in range(51)], "fields"),
        ("all of them", "fields"),
    ],
)
def test_a_wrong_list_is_refused_and_nothing_is_kept(post: Post, fields: Any, named: str) -> None:
    refused = post(fields)
    assert refused.status_code == 400 and named in refused.content.decode()
    assert not Extraction.objects.exists()


def test_extractions_are_their_askers_alone(post: Post, viewer: User, settings: Settings) -> None:
    settings.API_ANSWER_WAIT_S = 0
    address, client = post().headers["Location"], Client()
    client.force_login(viewer)
    assert client.get(address).status_code == client.get(f"{address[:-36]}{uuid.uuid4()}").status_code == 404
    assert client.post(f"{address}/stop").status_code == 404 and not Extraction.objects.get().stop_requested


def test_a_failure_leaves_a_run_for_each_field(
    post: Post, client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("secret of the inside")

    settings.API_ANSWER_WAIT_S = 0
    monkeypatch.setattr("chat.fields.extracting.retrieve_fields", fail)
    later = post()
    carry_out_extraction(later.json()["extraction_id"])
    told = client.get(later.headers["Location"])
    assert told.json()["state"] == "failed" and "secret" not in told.content.decode()
    assert [field["outcome"] for field in told.json()["fields"]] == ["failed", "failed"]
    assert told.json()["fields"][0]["caveats"] == [told.json()["error"]]
    assert list(RetrievalRun.objects.values_list("status", flat=True)) == ["failed", "failed"]


def test_what_a_model_was_sent_is_kept_when_fields_end_without_a_result(
    post: Post, serve: Callable[..., ScriptedLLM], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    settings.API_ANSWER_WAIT_S, server = 0, serve("good")
    monkeypatch.setattr("chat.fields.extracting.record_fields", fail)
    carry_out_extraction(post().json()["extraction_id"])
    calls = [unfinished_calls(run) for run in RetrievalRun.objects.all()]
    assert len(server.requests) == LLMCall.objects.count() == 1
    assert calls == [list(LLMCall.objects.all())] * 2, "one request for both fields, named by each of their runs"


@pytest.mark.usefixtures("sleepers_ended")
def test_fields_that_hang_end_as_failed_and_are_not_asked_again(
    post: Post, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(*_: Any, **__: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(3600)")

    settings.API_ANSWER_WAIT_S = 0
    monkeypatch.setattr("chat.fields.extracting.retrieve_fields", wait)
    monkeypatch.setattr("chat.turns.stopping.extraction_limit_s", lambda: 1.0)
    extraction_id = post().json()["extraction_id"]
    worker = threading.Thread(target=carry_out_and_close, args=(extraction_id,))
    worker.start()
    worker.join()
    row = Extraction.objects.get(pk=extraction_id)
    assert (row.state, row.lease_owner, row.attempts) == ("failed", "", 1)
    assert "not answered within 1 minutes" in row.error_for_people
    assert all(run.failure.startswith("TookTooLong") for run in RetrievalRun.objects.all())
    assert RetrievalRun.objects.count() == 2


# ---- Stop


MANY = [{"name": f"Rent {number}", "question": "What is the rent a month?"} for number in range(1, 7)]


def test_stop_ends_the_wait_for_a_silent_model_and_keeps_what_was_judged(
    post: Post, client: Client, serve: Callable[..., ScriptedLLM], settings: Settings
) -> None:
    settings.API_ANSWER_WAIT_S, settings.LLM_CONTEXT_TOKENS = 0, 200_000
    server, later = serve("good", "hang"), post(MANY)
    worker = threading.Thread(target=carry_out_and_close, args=(later.json()["extraction_id"],))
    worker.start()
    wait_for(lambda: len(server.requests) == 2)  # three fields are judged, and the next three are being
    assert client.post(f"{later.headers['Location']}/stop").status_code == 202
    worker.join(PATIENCE_S)
    assert not worker.is_alive() and server.was_left.wait(PATIENCE_S), "the reply is still withheld"
    row, told = Extraction.objects.get(), client.get(later.headers["Location"]).json()
    assert (row.state, row.lease_owner, told["state"], told["error"]) == ("stopped", "", "stopped", None)
    assert [field["outcome"] for field in told["fields"]] == ["found"] * 3 + ["stopped"] * 3
    assert told["fields"][5]["caveats"] == [NOT_ASKED] and all(field["run_id"] for field in told["fields"])
    assert len(server.requests) == 2, "no further request was sent"
    outcomes = LLMCall.objects.order_by("started_at").values_list("outcome", flat=True)
    assert list(outcomes) == ["ok", "stopped"] and verify().ok
    event = Event.objects.get(kind="fields_stopped")
    assert event.details == {"extraction": str(row.pk), "asked": 3, "not_asked": 3}
    assert measures.read_failures(RetrievalRun.objects.all()).value == 0, "what people stop is no error"


@pytest.mark.usefixtures("sleepers_ended")
def test_stop_ends_fields_that_hang_elsewhere_and_keeps_what_was_found(
    post: Post, client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_one_and_wait(fields: Any, documents: Any, *told: Any) -> None:
        retrieve_fields(fields[:1], documents, *told)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(3600)")

    settings.API_ANSWER_WAIT_S = 0
    monkeypatch.setattr("chat.fields.extracting.retrieve_fields", find_one_and_wait)
    monkeypatch.setattr("chat.turns.stopping.STOP_LIMIT_S", 0.5)
    later = post()
    worker = threading.Thread(target=carry_out_and_close, args=(later.json()["extraction_id"],))
    worker.start()
    wait_for(lambda: Extraction.objects.get().state == "running")
    wait_for(lambda: count_sleepers() == 1)
    client.post(f"{later.headers['Location']}/stop")
    worker.join(PATIENCE_S)
    told = client.get(later.headers["Location"]).json()
    assert not worker.is_alive() and told["state"] == "stopped"
    assert [field["outcome"] for field in told["fields"]] == ["found", "stopped"] and verify().ok


def test_fields_that_are_stopped_before_they_began_ask_nobody(
    post: Post, client: Client, serve: Callable[..., ScriptedLLM], settings: Settings
) -> None:
    settings.API_ANSWER_WAIT_S, server = 0, serve("good")
    later = post()
    stop = f"{later.headers['Location']}/stop"
    assert client.post(stop).json()["state"] == "queued", "only a worker ends it"
    carry_out_extraction(later.json()["extraction_id"])
    told = client.post(stop)
    assert (told.status_code, told.json()["state"], server.requests) == (202, "stopped", [])
    assert {field["outcome"] for field in told.json()["fields"]} == {"stopped"}
    lines = client.get(later.headers["Location"], headers={"Accept": "text/csv"}).content.decode().splitlines()
    assert lines[1].startswith('"Rent","stopped"') and NOT_ASKED in lines[1]


@pytest.mark.usefixtures("at_once")
def test_a_stop_that_comes_too_late_changes_nothing(post: Post, client: Client) -> None:
    done = post()
    assert client.post(f"{done.headers['Location']}/stop").json() == done.json()
    assert not Extraction.objects.get().stop_requested and not Event.objects.filter(kind="fields_stopped").exists()


def count_sleepers() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def carry_out_and_close(extraction_id: str) -> None:
    try:
        carry_out_extraction(extraction_id)
    finally:
        connection.close()


def test_the_limit_of_fields_ends_before_the_worker_is_killed() -> None:
    killed_after_s = extract_fields.time_limit
    assert killed_after_s and answer_limit_s() < extraction_limit_s() < killed_after_s


def test_fields_whose_workers_died_end_with_a_run_each(post: Post, client: Client, settings: Settings) -> None:
    settings.API_ANSWER_WAIT_S = 0
    later = post()
    Extraction.objects.update(state="running", lease_owner="gone", attempts=settings.ATTEMPTS_MAX)
    give_up_extractions()
    assert client.get(later.headers["Location"]).json()["state"] == "failed"
    assert RetrievalRun.objects.filter(status="failed").count() == len(FIELDS)
