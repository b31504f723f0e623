"""The status names each part, what was seen, and what to do; it never fails itself."""

import json
import shutil
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as site_settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from kombu import Connection
from pytest_django import Settings

from accounts.models import User
from audit.models import RecordCheck, Rejudgement
from chat.models import Conversation, ModelTest, Retrieval, Turn
from docintel_site import status, views
from docintel_site.status import StatusCheck, checks, worst
from documents import access
from documents.models import Document, IngestJob, KnowledgeBase
from ledger import stamps
from ledger.chain import Head
from ledger.heads import add_head
from ledger.stamps import Authority
from llm.embeddings.cross_encoder import verify_trained_weights
from tests.pages import on_one_line
from tests.stamp_authority import StampAuthority

pytestmark = pytest.mark.django_db


def make_document() -> Document:
    base = KnowledgeBase.objects.create(name="Filings")
    return Document.objects.create(base=base, title="Report", file_name="report.pdf", sha256="0" * 64, size_bytes=1)


def make_job(state: str, leases: float | None) -> None:
    """A job whose worker has been silent for so many leases of a minute."""
    at = None if leases is None else timezone.now() - timedelta(seconds=leases * site_settings.LEASE_S)
    IngestJob.objects.create(document=make_document(), state=state, heartbeat_at=at)


def by_name() -> dict[str, StatusCheck]:
    return {check.name: check for check in checks()}


def test_it_reports_every_part_without_a_worker() -> None:
    found = by_name()
    assert list(found) == [
        *("Database", "Tables", "Documents", "Questions", "Hourly tasks", "Nightly check", "Backup", "Witness"),
        *("Broker", "Workers", "Queues", "Encoder", "Model", "Isolation", "Scans", "Ruled tables"),
        *("Mail", "Time stamps", "Disk"),
    ]
    assert found["Database"].detail.startswith("PostgreSQL 18")
    assert "pgvector 0.8" in found["Database"].detail
    assert found["Tables"] == StatusCheck("Tables", "ok", "up to date")
    assert found["Broker"].state == "ok"
    assert found["Workers"].what == "no worker for ingest, sweep, embed, ask, search"
    assert found["Workers"].detail == "answering: none"
    assert (found["Backup"].state, found["Backup"].what) == ("none", "none made by manage.py backup so far")
    assert ".env with Docker" in found["Model"].what_to_do
    assert found["Model"].state == found["Mail"].state == found["Time stamps"].state == "none"


def test_a_worker_of_several_queues_is_told_with_them() -> None:
    served = {"ingest@host": ["sweep", "ingest"], "embed@host": ["embed"]}
    told = [status.describe_worker((name, [{"name": queue} for queue in queues])) for name, queues in served.items()]
    assert told == ["ingest (ingest, sweep)", "embed"]


@pytest.mark.parametrize(
    ("state", "leases", "expected", "words"),
    [
        ("running", 0.2, "ok", "1 at work, 0 waiting"),
        ("running", 1.7, "ok", "1 at work, 0 waiting"),
        ("running", 2.1, "fail", "1 without a sign of life for two minutes; 1 at work, 0 waiting"),
        ("running", None, "fail", "1 without a sign of life for two minutes; 1 at work, 0 waiting"),
        ("queued", None, "ok", "0 at work, 1 waiting"),
        ("done", 17, "ok", "0 at work, 0 waiting"),
    ],
)
def test_it_finds_documents_nobody_works_on(state: str, leases: float | None, expected: str, words: str) -> None:
    make_job(state, leases)
    check = status.documents()
    assert (check.state, check.what) == (expected, words)


def test_it_says_since_when_the_ledgers_heads_have_no_stamp(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEDGER_HEADS = tmp_path / "heads.jsonl"
    with StampAuthority(tmp_path / "authority") as authority:
        settings.TSA_URL, settings.TSA_CERTIFICATES = authority.url, authority.root
        assert (status.time_stamps().state, status.time_stamps().what) == ("warn", "none so far")
        add_head(settings.LEDGER_HEADS, Head(1, "a" * 64))
        stamps.stamp_waiting(settings.LEDGER_HEADS, None, Authority(authority.url, authority.root))
    assert status.time_stamps().state == "ok" and status.time_stamps().what.startswith("last one: ")
    later = timezone.now() + timedelta(hours=4)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert status.time_stamps().state == "warn" and status.time_stamps().what.startswith("none since ")
    settings.LEDGER_HEADS.write_bytes(b"\xff")
    assert status.time_stamps().state == "warn" and "cannot be read" in status.time_stamps().what


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
    Rejudgement.objects.all().delete()
    ModelTest.objects.create(base=base, by=user, state="running")
    assert status.questions().state == "fail"


@pytest.mark.parametrize(
    ("began_h", "ran_h", "state", "words"),
    [
        (1, None, "soon", "not carried out yet"),
        (5, None, "warn", "not carried out yet"),
        (90, 1, "ok", "last carried out"),
        (90, 5, "warn", "last carried out"),
    ],
)
def test_it_says_when_the_hourly_tasks_were_carried_out(
    monkeypatch: pytest.MonkeyPatch, began_h: float, ran_h: float | None, state: str, words: str
) -> None:
    now = timezone.now()
    assert status.schedule().state == "soon", "of an installation without a record nothing is expected yet"
    monkeypatch.setattr("audit.keeping.selfcheck.first_entry_at", lambda: now - timedelta(hours=began_h))
    RecordCheck.objects.create(is_whole=True, state="done")  # what a person asks for says nothing of the schedule
    if ran_h is not None:
        row = RecordCheck.objects.create(is_whole=False, state="done")
        RecordCheck.objects.filter(pk=row.pk).update(created_at=now - timedelta(hours=ran_h))
    found = status.schedule()
    assert found.state == state and words in found.what and bool(found.what_to_do) is (state == "warn")


def test_what_is_not_set_up_is_not_called_working(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(User.objects.create_user(email="a@example.org"))
    parts = [StatusCheck("Disk", "ok", "free"), StatusCheck("Mail", "none", "by hand")]
    monkeypatch.setattr(views, "checks", lambda: parts)
    assert "What is set up works; the table says" in client.get("/status/").content.decode()
    parts.pop()
    assert "Everything works." in client.get("/status/").content.decode()


def test_a_file_that_could_not_be_read_is_told_and_linked(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    document = make_document()
    Document.objects.update(state=Document.State.FAILED)
    why = "The file is encrypted with a method that cannot be opened here."
    IngestJob.objects.create(document=document, state="failed", error_for_people=why)
    assert (status.documents().state, status.documents().what) == (
        "ok",
        "0 at work, 0 waiting; 1 file could not be read",
    )
    monkeypatch.setattr(views, "checks", lambda: [StatusCheck("Disk", "ok", "free")])
    member, other = (User.objects.create_user(email=f"{name}@example.org") for name in ("ada", "eve"))
    access.set_role(document.base, member, "owner")
    pages = {}
    for person in (member, other):
        client.force_login(person)
        pages[person] = on_one_line(client.get("/status/"))
        assert "Everything works." not in pages[person] and "not every file could be read" in pages[person]
    assert "1 file could not be read." in pages[member] and why in pages[member]
    assert f'href="/documents/{document.pk}/"' in pages[member]
    assert "Report" not in pages[other], "what is closed to somebody is not named"
    Document.objects.update(trashed_at=timezone.now())
    assert "Everything works." in client.get("/status/").content.decode()


def test_where_more_files_could_not_be_read_than_are_listed_the_page_says_how_many_and_where(client: Client) -> None:
    of_base = {}
    for name, count in (("Filings", status.UNREAD_SHOWN), ("Policies", 3)):
        base = of_base[name] = KnowledgeBase.objects.create(name=name)
        rows = [
            Document(base=base, title=f"{name} {n}", file_name="a.pdf", sha256=f"{n:064}", size_bytes=1, state="failed")
            for n in range(count)
        ]
        Document.objects.bulk_create(rows)
    member = User.objects.create_user(email="ada@example.org")
    client.force_login(member)
    for name, listed, said in (("Filings", 20, ""), ("Policies", 20, "The newest 20 of 23 are shown.")):
        access.set_role(of_base[name], member, "owner")
        page = on_one_line(client.get("/status/"))
        assert page.count('href="/documents/') == listed and ("The newest" in page) is bool(said) and said in page
    for base, count in ((of_base["Filings"], 20), (of_base["Policies"], 3)):
        address = f"/bases/{base.pk}/?state=needs"
        assert f'href="{address}"><bdi>{base.name}</bdi> ({count})</a>' in page
        assert client.get(address).content.decode().count('class="title"') >= count


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
def test_a_missing_database_is_one_line_and_the_rest_is_still_told(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.WATCHED_FOLDERS = [("/arriving", "Contracts")]
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    found = by_name()
    assert found["Database"].state == "fail"
    assert not {"Tables", "Watched folders"} & {*found}
    assert found["Broker"].state == "ok"
    monkeypatch.undo()
    connection.close()


@pytest.mark.parametrize(("free", "state"), [(10**8, "fail"), (10**9, "warn"), (10**11, "ok")])
def test_it_looks_at_the_disk(monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    usage = shutil.disk_usage("/")._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert status.disk().state == state


def test_weights_that_are_not_those_that_were_trained_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "is_built", lambda: True)
    assert status.encoder() == StatusCheck("Encoder", "ok", "built")
    for name in ("missing.onnx", "other.onnx"):
        monkeypatch.setattr(status, "verify_trained_weights", partial(verify_trained_weights, tmp_path / name))
        found = status.encoder()
        assert (found.state, found.what) == ("warn", "built, but nothing is read for an answer")
        assert name in found.detail and "fetch it again" in found.detail and "Fetch its file" in found.what_to_do
        (tmp_path / "other.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1")


def test_an_unreachable_model_is_a_failure_with_its_host(settings: Settings) -> None:
    settings.LLM_CONFIGURED = True
    settings.LLM_BASE_URL = "http://127.0.0.1:9/v1"
    settings.LLM_API_KEY = "none"
    check = status.model()
    assert check.state == "fail"
    assert "127.0.0.1" in check.detail and "127.0.0.1" not in check.what


def test_the_worst_part_decides() -> None:
    assert worst([StatusCheck("a", "ok", ""), StatusCheck("b", "warn", ""), StatusCheck("c", "ok", "")]) == "warn"
    assert worst([]) == "ok"


def test_the_command_fails_when_a_part_does() -> None:
    output = StringIO()
    with pytest.raises(CommandError, match="Not everything works"):
        call_command("status", "--json", stdout=output)
    report = json.loads(output.getvalue())
    assert report["state"] == "fail"
    assert {"name", "state", "what", "what_to_do", "detail"} == set(report["checks"][0])


def test_the_page_is_for_people_who_are_signed_in(client: Client) -> None:
    assert client.get("/status/").status_code == 302
    client.force_login(User.objects.create_user(email="a@example.org", password="a long password"))
    response = client.get("/status/")
    assert response.status_code == 200
    assert b"no worker for" in response.content


def test_details_are_for_administrators(client: Client, settings: Settings) -> None:
    """Versions, hosts, paths and what to type are for those who run the place."""
    settings.MAIL_CONFIGURED, settings.EMAIL_HOST = True, "smtp.inside.example"
    settings.LLM_CONFIGURED, settings.LLM_BASE_URL, settings.LLM_API_KEY = True, "http://127.0.0.1:9/v1", "none"
    secrets = ["PostgreSQL 18", "smtp.inside.example", "127.0.0.1:9", str(settings.HOME), "OPENAI_BASE_URL"]
    person = User.objects.create_user(email="a@example.org", password="a long password")
    client.force_login(person)
    page = client.get("/status/").content.decode()
    assert [secret for secret in secrets if secret in page] == []
    assert "GB free" in page and "Tell an administrator" in page
    client.force_login(User.objects.create_superuser("b@example.org", "a long password"))
    page = client.get("/status/").content.decode()
    assert [secret for secret in secrets if secret not in page] == []
    told = StringIO()
    with pytest.raises(CommandError):
        call_command("status", stdout=told)
    assert "PostgreSQL 18" in told.getvalue() and str(settings.HOME) in told.getvalue()


def test_stuck_work_is_named_to_those_who_may_see_it(client: Client) -> None:
    ada, eve = (User.objects.create_user(email=f"{name}@example.org") for name in ("ada", "eve"))
    make_job("running", 3)
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


@pytest.mark.parametrize(
    ("in_force", "is_required", "state", "words"),
    [
        (["network", "files", "programs"], True, "ok", "is shut off from the network, other files, other programs"),
        (["network", "programs"], False, "warn", "is not shut off from other files"),
        ([], False, "warn", "is not shut off from the network, other files, other programs"),
        (["files"], True, "fail", "is not shut off from the network, other programs"),
    ],
)
def test_it_says_what_shuts_a_reader_in(
    in_force: list[str], is_required: bool, state: str, words: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ISOLATION_REQUIRED = is_required
    monkeypatch.setattr(status, "isolation_in_force", lambda: in_force)
    check = status.isolation()
    assert check.state == state and words in check.what and bool(check.what_to_do) is (state != "ok")


def test_isolation_is_tried_in_a_process_that_reads() -> None:
    """U3."""
    assert status.isolation().what.endswith("the network, other files, other programs")
