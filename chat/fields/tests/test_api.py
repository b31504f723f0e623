"""Several fields asked by a program (R87): stored, carried out in a worker, read as JSON and CSV."""

import csv
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from chat.fields.extracting import carry_out_extraction, give_up_extractions
from chat.models import Extraction
from chat.turns.stopping import answer_limit_s, extraction_limit_s
from chat.turns.tasks import extract_fields
from docintel_site.celery import app
from documents.models import Document
from llm.models import LLMCall
from retrieval.models import RetrievalRun
from retrieval.record.storing import unfinished_calls
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = [
    {"name": "Rent", "question": "What is the rent a month?", "type": "amount"},
    {"name": "Logo", "question": "Who holds the trademark of the logo?", "instruction": "a company"},
]
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


def test_fields_that_hang_end_as_failed_and_are_not_asked_again(
    post: Post, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(*_: Any, **__: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(3600)")

    settings.API_ANSWER_WAIT_S = 0
    monkeypatch.setattr("chat.fields.extracting.retrieve_fields", wait)
    monkeypatch.setattr("chat.fields.extracting.extraction_limit_s", lambda: 1.0)
    extraction_id = post().json()["extraction_id"]
    worker = threading.Thread(target=carry_out_and_close, args=(extraction_id,))
    worker.start()
    worker.join()
    row = Extraction.objects.get(pk=extraction_id)
    assert (row.state, row.lease_owner, row.attempts) == ("failed", "", 1)
    assert "not answered within 1 minutes" in row.error_for_people
    assert all(run.failure.startswith("TookTooLong") for run in RetrievalRun.objects.all())
    assert RetrievalRun.objects.count() == 2


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
