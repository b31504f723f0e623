"""`manage.py build_index` (R93b): what it costs is said first, a kill loses a batch at most, and twice is as once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from documents.ingestion.embedding import BATCH
from documents.ingestion.indexing import estimate
from documents.models import Document, Embedding, IngestJob, KnowledgeBase, Passage
from llm import call
from llm.models import LLMCall
from llm.prices import parse_prices
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Queued = Callable[..., IngestJob]
ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 90
SENTENCE = "Clause {0} says that party {0} keeps every record of site {0} for the whole of the term. "
LONG = "\n\n".join(f"# Clause {n}\n\n{SENTENCE.format(n)}" for n in range(3 * BATCH))
SHORT = "\n\n".join(f"# Part {n}\n\n{SENTENCE.format(n)}" for n in range(5))


@pytest.fixture
def server(
    request: pytest.FixtureRequest, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ScriptedLLM]:
    monkeypatch.setattr(call, "BACKOFF_S", 0.01)
    with ScriptedLLM(getattr(request, "param", "good")) as server:
        settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY = server.base_url, "pa-voyage"
        settings.VOYAGE_MODEL = "voyage-3-large"
        yield server


@pytest.fixture
def unread(server: ScriptedLLM, base: KnowledgeBase, queued: Queued) -> KnowledgeBase:
    base.settings = {"embeddings": "voyage"}
    base.save()
    queued(SHORT.encode(), "short.md")
    return base


def build(base: KnowledgeBase, *arguments: str) -> str:
    out, err = StringIO(), StringIO()
    try:
        call_command("build_index", str(base.pk), *arguments, stdout=out, stderr=err)
    except CommandError as error:
        return f"{out.getvalue()}{err.getvalue()}{error}"
    return out.getvalue()


def embedded(server: ScriptedLLM) -> list[str]:
    return [text for request in server.requests if "input_type" in request.body for text in request.body["input"]]


def test_it_does_all_that_is_left_and_then_nothing(server: ScriptedLLM, unread: KnowledgeBase) -> None:
    assert "1 documents are not read yet" in build(unread, "--estimate") and not Passage.objects.exists()
    said = build(unread, "--yes")
    assert "The index of" in said and "1 of 1: short: Embedding passages" in said
    vectors = Embedding.objects.filter(passage__isnull=False)
    assert vectors.count() == Passage.objects.count() > 0
    assert Document.objects.get().current_parse.embedding_model == "voyage/voyage-3-large/1024"  # type: ignore[union-attr]
    asked, jobs = len(server.requests), IngestJob.objects.count()
    said = build(unread)  # nothing to agree to
    assert "nothing left to do" in said and "complete" in said
    assert (len(server.requests), IngestJob.objects.count()) == (asked, jobs)


def test_it_says_what_it_costs_before_it_begins(
    server: ScriptedLLM, unread: KnowledgeBase, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(unread, "--yes")
    settings.VOYAGE_MODEL, asked = "voyage-3.5", len(server.requests)
    said = build(unread, "--estimate")
    passages = Passage.objects.count()
    assert f"1 documents; {passages} passages to work on" in said and "voyage-3.5: about" in said
    assert "not priced" in said
    settings.LLM_PRICES = parse_prices('{"voyage-3.5": {"in": 1000, "out": 0}}')
    (bill,) = estimate(unread).bills
    assert bill.cost is not None and f"about {bill.cost:.4f} USD" in build(unread, "--estimate")
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert "Nothing was begun" in build(unread) and len(server.requests) == asked
    assert not IngestJob.objects.exclude(state="done").exists()
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert "complete" in build(unread)
    really = sum(call.tokens_in or 0 for call in LLMCall.objects.filter(model="voyage-3.5"))
    assert 0.5 < bill.sent / really < 1.5


def test_descriptions_are_counted_with_the_document_in_each_call(
    server: ScriptedLLM, unread: KnowledgeBase, settings: Settings
) -> None:
    build(unread, "--yes")
    settings.LLM_BASE_URL, settings.LLM_CONFIGURED, settings.LLM_MODEL = server.base_url, True, "scripted-model"
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 10, "cached": 1, "out": 10}}')
    unread.settings |= {"contextualisation": "llm"}
    unread.save()
    told = estimate(unread)
    described = next(bill for bill in told.bills if bill.model == "scripted-model")
    passages = Passage.objects.count()
    assert described.received == 60 * passages and described.cached > described.sent / 2
    assert told.outdated == 1 and told.cost is None  # Voyage has no price here


def test_what_fails_is_said_and_is_no_success(server: ScriptedLLM, unread: KnowledgeBase) -> None:
    server.behaviour = "unauthorized"
    said = build(unread, "--yes")
    assert "1 of 1 documents are not complete" in said and Passage.objects.exists()
    server.behaviour = "good"
    assert "complete" in build(unread, "--yes")


def test_an_unknown_base_is_named() -> None:
    with pytest.raises(CommandError, match="no base named Nothing"):
        call_command("build_index", "Nothing")


@pytest.fixture
def begun(server: ScriptedLLM, unread: KnowledgeBase, queued: Queued) -> Iterator["subprocess.Popen[bytes]"]:
    """The command in a process of its own, on the test database; where its server hangs."""
    queued(LONG.encode(), "long.md")
    database = connection.settings_dict
    address = f"postgresql://{quote(database['USER'])}@/{database['NAME']}?host={quote(database['HOST'], safe='')}"
    environment = {
        **os.environ,
        "DATABASE_URL": address,
        "DJANGO_SETTINGS_MODULE": "documents.ingestion.tests.worker_settings",
        "VOYAGE_API_KEY": "pa-voyage",
        "VOYAGE_BASE_URL": server.base_url,
    }
    command = [sys.executable, "manage.py", "build_index", str(unread.pk), "--yes"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# The first document takes two requests; of the second two batches are answered, and the third is waited for in vain.
@pytest.mark.parametrize("server", [["good"] * 4 + ["hang"]], indirect=True)
def test_it_goes_on_after_a_kill_and_loses_a_batch_at_most(
    server: ScriptedLLM, unread: KnowledgeBase, begun: "subprocess.Popen[bytes]", settings: Settings
) -> None:
    until = time.monotonic() + PATIENCE_S
    while Embedding.objects.filter(document__file_name="long.md").count() < 2 * BATCH:
        assert time.monotonic() < until and begun.poll() is None
        time.sleep(0.02)
    os.killpg(begun.pid, signal.SIGKILL)
    begun.wait()
    kept = Embedding.objects.count()
    assert IngestJob.objects.filter(state="running").exists()
    server.behaviour, settings.LEASE_S = "good", 4  # as short as that of the process that was killed
    assert "complete" in build(unread, "--yes")
    assert Embedding.objects.count() > kept
    assert Embedding.objects.filter(passage__isnull=False).count() == Passage.objects.count()
    sent = embedded(server)
    assert len(sent) - len(set(sent)) <= BATCH
