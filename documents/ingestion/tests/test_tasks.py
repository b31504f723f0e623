"""The wake-up calls and the sweeper; at the end a real worker that is killed while it reads."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from documents.ingestion import parsing, tasks
from documents.models import Document, IngestJob, Line, Parse
from documents.tests.files import make_pdf
from reading.reasons import refusal

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 90
LONG_AGO = timedelta(hours=1)

Queued = Callable[..., IngestJob]
pytestmark = pytest.mark.django_db


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The calls that would go to the broker: name of the task and the job."""
    calls: list[tuple[str, str]] = []
    for task in (tasks.ingest_document, tasks.embed_document):
        name = task.name.rsplit(".", 1)[-1]
        monkeypatch.setattr(task, "apply_async", lambda job_ids, name=name, **_: calls.append((name, job_ids[0])))
    return calls


def test_it_wakes_a_worker_after_the_commit(
    queued: Queued, woken: list[tuple[str, str]], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = queued()
        tasks.start(job)
        assert woken == []
    assert woken == [("ingest_document", str(job.pk))]


def test_it_takes_an_upload_although_the_broker_is_away(
    queued: Queued, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OperationalError("Connection refused")

    monkeypatch.setattr(tasks.ingest_document, "apply_async", refused)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.start(queued())
    assert IngestJob.objects.get().state == "queued"


def test_it_sweeps_up_what_nobody_was_woken_for(queued: Queued, woken: list[tuple[str, str]]) -> None:
    """T5."""
    job = queued()
    tasks.sweep()
    assert woken == []
    IngestJob.objects.update(created_at=Now() - LONG_AGO)
    tasks.sweep()
    assert woken == [("ingest_document", str(job.pk))]
    tasks.sweep()
    assert len(woken) == 1, "a job that waits its turn is not called again at once"


@pytest.mark.parametrize(("stage", "name"), [("pages", "ingest_document"), ("embed", "embed_document")])
def test_it_sweeps_up_after_a_dead_worker(queued: Queued, woken: list[tuple[str, str]], stage: str, name: str) -> None:
    job = queued()
    IngestJob.objects.update(state="running", stage=stage, lease_owner="dead", attempts=1, heartbeat_at=Now())
    tasks.sweep()
    assert woken == []
    IngestJob.objects.update(heartbeat_at=Now() - LONG_AGO)
    tasks.sweep()
    assert woken == [(name, str(job.pk))]


def test_it_ends_a_job_that_kills_its_workers(queued: Queued, woken: list[tuple[str, str]], settings: Any) -> None:
    """T2."""
    queued()
    IngestJob.objects.update(
        state="running", attempts=settings.ATTEMPTS_MAX, lease_owner="dead", heartbeat_at=Now() - LONG_AGO
    )
    tasks.sweep()
    job = IngestJob.objects.get()
    assert (job.state, job.reason_code, job.document.state, woken) == ("failed", "parse_killed", "failed", [])


def test_it_waits_before_it_reads_again_what_was_stopped_from_outside(
    queued: Queued,
    woken: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise refusal("parse_killed")

    job = queued()
    with monkeypatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
        patch.setattr(parsing, "read_in_child", stopped)
        tasks.ingest_document(str(job.pk))
    tasks.sweep()
    assert woken == [], "at once the cause would still be there"
    IngestJob.objects.update(heartbeat_at=Now() - LONG_AGO)
    tasks.sweep()
    assert woken == [("ingest_document", str(job.pk))]


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_it_leaves_ended_jobs_alone(queued: Queued, woken: list[tuple[str, str]], state: str) -> None:
    queued()
    IngestJob.objects.update(state=state, created_at=Now() - LONG_AGO, heartbeat_at=Now() - LONG_AGO)
    tasks.sweep()
    assert woken == []


def test_it_takes_arguments_of_a_newer_version(queued: Queued, woken: list[tuple[str, str]]) -> None:
    job = queued()
    tasks.ingest_document(str(job.pk), priority="high")
    assert IngestJob.objects.get().parse is not None


def test_it_does_not_mind_a_job_that_is_gone() -> None:
    tasks.ingest_document("7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11")
    tasks.embed_document("7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11")


# ---- the real thing


@contextmanager
def worker() -> Iterator[psutil.Process]:
    """A worker with its scheduler, in a process group of its own, on the test database."""
    command = [sys.executable, "-m", "celery", "-A", "docintel_site", "worker", "-B", "-c", "2"]
    database = connection.settings_dict
    address = f"postgresql://{quote(database['USER'])}@/{database['NAME']}?host={quote(database['HOST'], safe='')}"
    environment = {
        **os.environ,
        "DATABASE_URL": address,
        "DJANGO_SETTINGS_MODULE": "documents.ingestion.tests.worker_settings",
        "C_FORCE_ROOT": "1",
    }
    process = subprocess.Popen(
        [
            *command,
            "-s",
            os.path.join(settings.HOME, "beat"),
            "-Q",
            "ingest,embed,sweep",
            "--without-gossip",
            "--without-mingle",
            "--loglevel",
            "warning",
        ],
        cwd=ROOT,
        env=environment,
        start_new_session=True,
    )
    try:
        yield psutil.Process(process.pid)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, list(IngestJob.objects.values())
        time.sleep(0.05)


def is_reading() -> bool:
    return IngestJob.objects.filter(state="running", stage="pages", done_count__gt=0).exists()


def is_finished() -> bool:
    return IngestJob.objects.filter(state__in=("done", "failed", "cancelled")).exists()


def left_by_readings() -> list[Path]:
    return [*Path(settings.TEMPORARY_ROOT).glob("read-*")]


def kill_everything(process: psutil.Process) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def kill_the_one_at_work(process: psutil.Process) -> None:
    owner = IngestJob.objects.get().lease_owner
    os.kill(int(owner.split(":")[1]), signal.SIGKILL)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kill", [kill_everything, kill_the_one_at_work])
def test_it_finishes_a_document_whose_worker_was_killed(queued: Queued, kill: Callable[[psutil.Process], None]) -> None:
    """T1. What the killed reading left is removed by the next worker that starts, or by the hourly sweep."""
    for earlier in left_by_readings():  # another test killed its worker too
        shutil.rmtree(earlier)
    job = queued(make_pdf(1900))
    with worker() as first:
        wait_for(is_reading)
        kill(first)
        assert not Parse.objects.exists()
        left = left_by_readings()
        assert len(left) == 1
        os.utime(left[0], (0, 0))
        if kill is kill_the_one_at_work:
            wait_for(is_finished)
        else:
            with worker():
                wait_for(is_finished)
            assert left_by_readings() == []
    tasks.tidy()
    assert left_by_readings() == []
    job.refresh_from_db()
    document = Document.objects.get()
    assert (job.state, document.state) == ("done", "ready")
    parse = Parse.objects.get()
    assert (parse.page_count, document.current_parse) == (1900, parse)
    assert Line.objects.count() == parse.line_count


@pytest.mark.django_db(transaction=True)
def test_it_finishes_what_was_uploaded_while_nobody_worked(queued: Queued) -> None:
    """T5."""
    queued()
    with worker():
        wait_for(is_finished)
    assert Document.objects.get().state == "ready"
