"""The status names each part, what was seen, and what to do; it never fails itself."""

import json
import shutil
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from kombu import Connection
from pytest_django import Settings

from accounts.models import User
from audit.models import Rejudgement
from chat.models import Conversation, Retrieval, Turn
from docintel_site import status
from docintel_site.status import StatusCheck, checks, worst
from documents import access
from documents.models import Document, IngestJob, KnowledgeBase

pytestmark = pytest.mark.django_db


def make_document() -> Document:
    base = KnowledgeBase.objects.create(name="Filings")
    return Document.objects.create(base=base, title="Report", file_name="report.pdf", sha256="0" * 64, size_bytes=1)


def make_job(state: str, heartbeat_age_s: float | None) -> None:
    at = None if heartbeat_age_s is None else timezone.now() - timedelta(seconds=heartbeat_age_s)
    IngestJob.objects.create(document=make_document(), state=state, heartbeat_at=at)


def by_name() -> dict[str, StatusCheck]:
    return {check.name: check for check in checks()}


def test_it_reports_every_part_without_a_worker() -> None:
    found = by_name()
    assert list(found) == [
        *("Database", "Tables", "Documents", "Questions", "Broker"),
        *("Workers", "Queues", "Encoder", "Model", "Mail", "Disk"),
    ]
    assert found["Database"].what.startswith("PostgreSQL 18")
    assert "pgvector 0.8" in found["Database"].what
    assert found["Tables"] == StatusCheck("Tables", "ok", "up to date")
    assert found["Broker"].state == "ok"
    assert found["Workers"].what == "no worker for ingest, sweep, embed, ask, search (answering: none)"
    assert found["Model"].state == "ok"


@pytest.mark.parametrize(
    ("state", "age_s", "expected", "words"),
    [
        ("running", 10, "ok", "1 at work, 0 waiting"),
        ("running", 100, "ok", "1 at work, 0 waiting"),
        ("running", 121, "fail", "1 without a sign of life for two minutes; 1 at work, 0 waiting"),
        ("running", None, "fail", "1 without a sign of life for two minutes; 1 at work, 0 waiting"),
        ("queued", None, "ok", "0 at work, 1 waiting"),
        ("done", 1000, "ok", "0 at work, 0 waiting"),
    ],
)
def test_it_finds_documents_nobody_works_on(state: str, age_s: float | None, expected: str, words: str) -> None:
    make_job(state, age_s)
    check = status.documents()
    assert (check.state, check.what) == (expected, words)


def test_it_finds_questions_nobody_works_on() -> None:
    base = KnowledgeBase.objects.create(name="Filings")
    user = User.objects.create_user(email="a@example.org", password="a long password")
    conversation = Conversation.objects.create(base=base, user=user)
    Turn.objects.create(conversation=conversation, number=1, question="Why?", scope_name="Filings", state="running")
    assert status.questions().state == "fail"
    Turn.objects.all().delete()
    Retrieval.objects.create(base=base, user=user, question="Why?")
    assert (status.questions().state, status.questions().what) == ("ok", "0 at work, 1 waiting")
    Rejudgement.objects.create(base=base, by=user, kind="check", parameters={}, state="running")
    assert status.questions().state == "fail"


def test_it_counts_waiting_messages() -> None:
    with current_app.connection_for_read() as link:
        channel: Any = link.default_channel
        channel.client.flushdb()  # earlier tests of this process may have left messages that no worker took
        channel.client.rpush("embed", *["message"] * 3)
        try:
            assert status.queues() == StatusCheck(
                "Queues", "ok", "waiting: ingest 0, sweep 0, embed 3, ask 0, search 0"
            )
            channel.client.rpush("embed", *["message"] * status.LONG_QUEUE)
            assert status.queues().state == "warn"
        finally:
            channel.client.flushdb()


def test_a_missing_broker_is_one_line_and_nothing_more_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app, "connection_for_read", lambda: Connection("redis+socket:///nowhere.sock"))
    found = by_name()
    assert found["Broker"].state == "fail"
    assert "Workers" not in found
    assert "bin/run" in found["Broker"].what_to_do


@pytest.mark.django_db(transaction=True)
def test_a_missing_database_is_one_line_and_the_rest_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    found = by_name()
    assert found["Database"].state == "fail"
    assert "Tables" not in found
    assert found["Broker"].state == "ok"
    monkeypatch.undo()
    connection.close()


@pytest.mark.parametrize(("free", "state"), [(10**8, "fail"), (10**9, "warn"), (10**11, "ok")])
def test_it_looks_at_the_disk(monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    usage = shutil.disk_usage("/")._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert status.disk().state == state


def test_an_unreachable_model_is_a_failure_with_its_host(settings: Settings) -> None:
    settings.LLM_CONFIGURED = True
    settings.LLM_BASE_URL = "http://127.0.0.1:9/v1"
    settings.LLM_API_KEY = "none"
    check = status.model()
    assert check.state == "fail"
    assert "127.0.0.1" in check.what


def test_the_worst_part_decides() -> None:
    assert worst([StatusCheck("a", "ok", ""), StatusCheck("b", "warn", ""), StatusCheck("c", "ok", "")]) == "warn"
    assert worst([]) == "ok"


def test_the_command_fails_when_a_part_does() -> None:
    output = StringIO()
    with pytest.raises(CommandError, match="Not everything works"):
        call_command("status", "--json", stdout=output)
    report = json.loads(output.getvalue())
    assert report["state"] == "fail"
    assert {"name", "state", "what", "what_to_do"} == set(report["checks"][0])


def test_the_page_is_for_people_who_are_signed_in(client: Client) -> None:
    assert client.get("/status/").status_code == 302
    client.force_login(User.objects.create_user(email="a@example.org", password="a long password"))
    response = client.get("/status/")
    assert response.status_code == 200
    assert b"no worker for" in response.content


def test_stuck_work_is_named_to_those_who_may_see_it(client: Client) -> None:
    ada, eve = (User.objects.create_user(email=f"{name}@example.org") for name in ("ada", "eve"))
    make_job("running", 200)
    access.set_role(KnowledgeBase.objects.get(), ada, "owner")
    conversation = Conversation.objects.create(base=KnowledgeBase.objects.get(), user=ada)
    Turn.objects.create(conversation=conversation, number=1, question="Why?", scope_name="Filings", state="running")
    assert [work.title for work in status.stuck_work(ada)] == ["Report", "Why?"]
    assert status.stuck_work(eve) == []
    client.force_login(ada)
    assert "Without a sign of life" in client.get("/status/").content.decode()


def test_the_icon_is_found_by_its_old_name(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/static/icon.svg")
