"""Ingestion with real files, a real child process and a real database: once, twice, at once, and when it goes wrong."""

import os
import signal
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.db.models.functions import Now
from django.utils.translation import override

from accounts.models import User
from documents.access import create_base
from documents.ingestion import conductor, embedding, ending, parsing, queueing, reporting
from documents.models import Document, Embedding, IngestJob, KnowledgeBase, Line, Parse
from documents.naming import better_title
from documents.pages.sentences import translate_sentence
from documents.storage.content import read_content
from documents.storage.store import store_reading
from documents.storage.uploads import UploadRefused, accept_upload
from documents.tests.files import CHAPTERS, make_locked_pdf, make_pdf, make_scan, make_slow_pdf, upload_of
from llm.embeddings.bundled import DIMENSIONS, MODEL_KEY, is_available
from reading.rows import Reading
from reading.tests.pdfs import raw_pdf

pytestmark = pytest.mark.django_db

Queued = Callable[..., IngestJob]
needs_encoder = pytest.mark.skipif(not is_available(), reason="the bundled encoder is not installed")


@pytest.fixture
def without_embeddings(base: KnowledgeBase) -> None:
    base.settings = {"embeddings": "none"}
    base.save()


def seen(job: IngestJob) -> tuple[IngestJob, Document]:
    job.refresh_from_db()
    return job, Document.objects.get(pk=job.document_id)


@pytest.mark.usefixtures("without_embeddings")
def test_it_makes_a_document_that_can_be_asked(queued: Queued) -> None:
    """R3."""
    job = queued()
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.state, job.stage, job.attempts, document.state) == ("done", "done", 1, "ready")
    assert document.title == "Supplier policy"
    content = read_content(document.current_parse)  # type: ignore[arg-type]
    titles = [entry.title.split()[-1] for entry in content.toc if entry.origin != "front"]
    assert titles == ["Scope", "Retention", "Audit", "Termination"]
    assert [page.number for page in content.pages] == [1, 2, 3, 4]
    assert [line.number for line in content.lines] == list(range(1, len(content.lines) + 1))
    assert content.language == "en"
    assert any("once a year" in passage.text for passage in content.passages)


@pytest.mark.usefixtures("without_embeddings")
def test_it_says_why_there_are_no_vectors(queued: Queued) -> None:
    job = queued()
    conductor.ingest(job)
    parse = Parse.objects.get()
    assert "switched off" in parse.report["embeddings"]
    assert parse.embedding_model == ""


@pytest.mark.usefixtures("without_embeddings")
@pytest.mark.parametrize("words", ["résumés", "resumes", "kept suppliers", '"seven years"'])
def test_it_finds_passages_in_the_language_without_accents(queued: Queued, words: str) -> None:
    conductor.ingest(queued())
    parse = Parse.objects.get()
    query = SearchQuery(words.replace("é", "e"), config=parse.search_config, search_type="websearch")
    assert ["seven years" in passage.text for passage in parse.passages.filter(search=query)] == [True]


@pytest.mark.usefixtures("without_embeddings")
def test_it_finds_a_passage_by_its_section(queued: Queued) -> None:
    conductor.ingest(queued(make_pdf(8)))
    query = SearchQuery("termination", config="english")
    assert Parse.objects.get().passages.filter(search=query).count() == 2


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (make_scan(), "drawn.pdf", "drawn_text"),
        (make_locked_pdf(), "locked.pdf", "encrypted"),
        (make_pdf()[:700], "cut.pdf", "damaged"),
        (b"\n \n\n", "blank.md", "empty_file"),
    ],
)
def test_it_fails_with_a_reason(queued: Queued, content: bytes, name: str, code: str) -> None:
    job = queued(content, name)
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.state, job.reason_code, document.state) == ("failed", code, "failed")
    assert job.error_for_people.endswith(".")
    assert job.ended_at is not None
    assert not Parse.objects.exists()


def test_it_refuses_a_file_with_too_many_pages(queued: Queued, settings: Any) -> None:
    settings.PAGES_MAX = 3
    job = queued()
    conductor.ingest(job)
    assert "4 pages; at most 3" in seen(job)[0].error_for_people


def test_it_refuses_a_file_of_more_passages_than_are_embedded(queued: Queued) -> None:
    """(T8)"""
    job = queued("\n".join(f"# {number}" for number in range(50_001)).encode(), "many.md")
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.state, job.reason_code, document.state) == ("failed", "too_many_passages", "failed")
    assert "50001 passages; at most 50000" in job.error_for_people and not Parse.objects.exists()
    with override("de"):
        assert "50001 Textstellen" in translate_sentence(job.error_for_people)


def test_it_notices_that_the_stored_file_has_changed(queued: Queued) -> None:
    job = queued()
    Path(job.document.file.path).write_bytes(make_pdf(note="changed behind our back"))
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.reason_code, document.state) == ("damaged", "failed")
    assert document.sha256 in job.error_for_admins


def test_it_says_when_the_stored_file_is_gone(queued: Queued) -> None:
    job = queued()
    Path(job.document.file.path).unlink()
    conductor.ingest(job)
    assert "missing" in seen(job)[0].error_for_admins


@pytest.mark.usefixtures("without_embeddings")
def test_it_reads_markdown(queued: Queued) -> None:
    conductor.ingest(queued(b"# Access\n\nKeys are changed each quarter.\n\n## Doors\n\nDoors are locked.\n", "a.md"))
    document = Document.objects.get()
    assert (document.state, document.title) == ("ready", "Access")
    assert [entry.title for entry in document.current_parse.toc_entries.exclude(origin="front")] == ["Access", "Doors"]  # type: ignore[union-attr]


@pytest.mark.usefixtures("without_embeddings")
def test_it_does_nothing_the_second_time(queued: Queued) -> None:
    """T3."""
    job = queued()
    conductor.ingest(job)
    lines = list(Line.objects.values_list("pk", flat=True))
    conductor.ingest(job)
    assert list(Line.objects.values_list("pk", flat=True)) == lines
    assert seen(job)[0].attempts == 1


@pytest.mark.usefixtures("without_embeddings")
def test_it_tells_how_far_it_is(queued: Queued) -> None:
    told: list[tuple[str, int, int]] = []
    conductor.ingest(queued(make_pdf(25)), lambda *step: told.append(step))
    assert told[0][0] == "check"
    assert ("pages", 25, 25) in told
    assert told[-1][0] == "store"


# ---- once more


@pytest.mark.usefixtures("without_embeddings")
def test_it_builds_a_new_parse_aside(queued: Queued) -> None:
    job = queued()
    conductor.ingest(job)
    conductor.ingest(queueing.queue_again(job.document))
    first, second = Parse.objects.order_by("number")
    assert (first.number, second.number) == (1, 2)
    assert first.line_count == second.line_count == second.lines.count() == first.lines.count()
    assert seen(job)[1].current_parse == second


@pytest.mark.usefixtures("without_embeddings")
def test_it_keeps_the_old_parse_when_reading_again_fails(queued: Queued) -> None:
    job = queued()
    conductor.ingest(job)
    Path(job.document.file.path).unlink()
    again = queueing.queue_again(job.document)
    conductor.ingest(again)
    again, document = seen(again)
    assert (again.state, document.state) == ("failed", "ready")
    assert document.current_parse is not None


def test_it_has_one_open_job_a_document(queued: Queued) -> None:
    job = queued()
    assert queueing.queue_again(job.document) == job


@pytest.mark.usefixtures("without_embeddings")
def test_it_keeps_a_title_somebody_gave(queued: Queued) -> None:
    job = queued()
    Document.objects.update(title="Our own name", is_title_given=True)
    conductor.ingest(job)
    assert seen(job)[1].title == "Our own name"


@pytest.mark.usefixtures("without_embeddings")
def test_reading_again_mends_a_title_nobody_gave(queued: Queued) -> None:
    job = queued()
    Document.objects.update(title="Nike 2023 Proxy")
    conductor.ingest(job)
    assert seen(job)[1].title == "Supplier policy"


@pytest.mark.parametrize(
    ("read", "title"),
    [("Supplier policy", "Supplier policy"), (" Supplier \n policy ", "Supplier policy"), ("", "file")],
)
def test_a_document_is_called_as_it_was_read_or_by_its_file(queued: Queued, read: str, title: str) -> None:
    document = queued(name="file.pdf").document
    document.title = "What an older version read"
    assert better_title(document, read) == title
    assert better_title(document, Path(document.file.path).stem) == "file"


# ---- stopping, dying, at the same time


def test_it_stops_between_pages(queued: Queued) -> None:
    job = queued(make_pdf(40))

    def ask_to_stop(stage: str, done: int, total: int) -> None:
        if stage == "pages":
            queueing.stop_jobs(job.document)

    conductor.ingest(job, ask_to_stop)
    job, document = seen(job)
    assert (job.state, document.state, document.current_parse) == ("cancelled", "failed", None)


def test_it_stops_a_waiting_job_at_once(queued: Queued) -> None:
    job = queued()
    queueing.stop_jobs(job.document)
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.state, document.state) == ("cancelled", "failed")


def test_it_writes_nothing_when_the_lease_is_lost(queued: Queued) -> None:
    job = queued()

    def lose(stage: str, done: int, total: int) -> None:
        if stage == "store":
            IngestJob.objects.update(lease_owner="somebody else")

    conductor.ingest(job, lose)
    assert not Parse.objects.exists()
    assert seen(job)[0].lease_owner == "somebody else"


def test_it_does_not_mind_that_the_document_is_gone(queued: Queued) -> None:
    job = queued(make_pdf(40))

    def remove(stage: str, done: int, total: int) -> None:
        if stage == "pages":
            Document.objects.all().delete()

    conductor.ingest(job, remove)
    assert not Line.objects.exists()


def striking(how: signal.Signals) -> reporting.Watch:
    """A watch that kills the child as soon as it is at work."""

    def strike(stage: str, done: int, total: int) -> None:
        if stage in ("pages", "recognise"):
            for child in children_of(os.getpid()):
                os.kill(child, how)

    return strike


@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGABRT])
def test_it_survives_a_file_that_makes_the_reader_crash(queued: Queued, how: signal.Signals) -> None:
    job = queued(make_slow_pdf())
    conductor.ingest(job, striking(how))
    job, document = seen(job)
    assert (job.state, document.state, job.reason_code) == ("failed", "failed", "parse_crash")
    conductor.ingest(other := queued(make_pdf(note="the next one"), "next.pdf"))
    assert seen(other)[1].current_parse is not None


@pytest.mark.usefixtures("without_embeddings")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_reads_again_when_the_reader_was_stopped_from_outside(queued: Queued, how: signal.Signals) -> None:
    job = queued(make_slow_pdf())
    for attempt in (1, 2):
        conductor.ingest(job, striking(how))
        job, document = seen(job)
        assert (job.state, job.attempts, job.reason_code, job.lease_owner) == ("queued", attempt, "parse_killed", "")
        assert how.name in job.error_for_admins
        assert document.state == "reading"
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.state, job.reason_code, document.state) == ("done", "", "ready")


def test_it_says_so_when_the_reader_was_stopped_from_outside_each_time(queued: Queued) -> None:
    job = queued(make_slow_pdf())
    conductor.finish(job, striking(signal.SIGKILL))
    job, document = seen(job)
    assert (job.state, job.attempts, document.state) == ("failed", 3, "failed")
    assert job.reason_code == "parse_killed"
    assert "stopped from outside" in job.error_for_people and "MB" not in job.error_for_people


def test_it_recognises_again_when_the_child_was_stopped_from_outside(queued: Queued) -> None:
    blanks = zlib.compress(b" " * 800_000_000, 9)  # ten seconds of work
    document = queued(raw_pdf(blanks, content_extra=b"/Filter/FlateDecode")).document
    queueing.stop_jobs(document)
    job = queueing.queue_again(document, IngestJob.Stage.RECOGNISE)
    for state, attempt in (("queued", 1), ("queued", 2), ("failed", 3)):
        conductor.run(job, IngestJob.Stage.RECOGNISE, watch=striking(signal.SIGKILL))
        job, document = seen(job)
        assert (job.state, job.stage, job.attempts, job.reason_code) == (state, "recognise", attempt, "parse_killed")


def children_of(pid: int) -> list[int]:
    """The readers that the server of a process has started."""
    started_by: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if b"reading.processes.server" in (path.parent / "cmdline").read_bytes():
                parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
                started_by.setdefault(parent, []).append(int(path.parent.name))
    return [reader for server in started_by.get(pid, []) for reader in started_by.get(server, [])]


def test_it_leaves_a_failure_of_ours_to_the_next_attempt(queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> Parse:
        raise RuntimeError("a fault of ours")

    job = queued()
    with monkeypatch.context() as patch:
        patch.setattr(parsing, "store_reading", broken)
        with pytest.raises(RuntimeError):
            conductor.ingest(job)
    job, _ = seen(job)
    assert (job.state, job.lease_owner, job.reason_code, job.attempts) == ("queued", "", "internal", 1)
    assert "a fault of ours" in job.error_for_admins
    conductor.ingest(job)
    assert seen(job)[1].state == "ready"


def test_it_gives_up_after_the_last_attempt(queued: Queued, settings: Any) -> None:
    """T2."""
    job = queued()
    IngestJob.objects.update(state="running", attempts=settings.ATTEMPTS_MAX, lease_owner="dead", heartbeat_at=Now())
    ending.give_up_exhausted()
    assert seen(job)[0].state == "running"
    settings.LEASE_S = 0
    ending.give_up_exhausted()
    job, document = seen(job)
    assert (job.state, job.reason_code, document.state) == ("failed", "parse_killed", "failed")
    assert "dead" in job.error_for_admins


def test_it_claims_the_job_of_a_dead_worker_but_not_of_a_living_one(queued: Queued, settings: Any) -> None:
    job = queued()
    assert reporting.claim_job(job, conductor.READING_STAGES) is not None
    assert reporting.claim_job(job, conductor.READING_STAGES) is None
    settings.LEASE_S = 0
    assert reporting.claim_job(job, conductor.READING_STAGES) is not None
    assert seen(job)[0].attempts == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("without_embeddings")
def test_it_reads_once_when_started_many_times_at_once(queued: Queued) -> None:
    """T3."""
    job = queued(make_pdf(30))
    together = Barrier(3, timeout=60)

    def run() -> None:
        together.wait()
        conductor.ingest(IngestJob.objects.get(pk=job.pk))
        connection.close()

    runners = [Thread(target=run) for _ in range(3)]
    for runner in runners:
        runner.start()
    for runner in runners:
        runner.join()
    assert Parse.objects.count() == 1
    assert seen(job)[0].attempts == 1


@pytest.mark.django_db(transaction=True)
def test_it_keeps_the_lease_alive_while_it_is_silent(queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.lease.renew_every_s", lambda: 0.05)
    claimed = reporting.claim_job(queued(), conductor.READING_STAGES)
    assert claimed is not None
    with claimed:
        before = after = claimed.rows().get().heartbeat_at
        for _ in range(1_000):
            if after != before or claimed._ended.wait(0.1):
                break
            after = claimed.rows().get().heartbeat_at
    assert before is not None and after is not None
    assert after > before


# ---- vectors


@needs_encoder
def test_it_embeds_passages_and_sections(queued: Queued) -> None:
    job = queued()
    conductor.ingest(job)
    job, document = seen(job)
    assert (job.state, job.stage, document.state, job.attempts) == ("queued", "embed", "ready", 0)
    conductor.run(job, IngestJob.Stage.EMBED)
    job, document = seen(job)
    assert (job.state, job.stage) == ("done", "done")
    parse = document.current_parse
    assert parse is not None
    assert (parse.embedding_model, parse.embedded_at is not None) == (MODEL_KEY, True)
    vectors = read_content(parse).vectors
    assert vectors is not None
    assert vectors.passages.shape == (parse.passages.count(), DIMENSIONS)
    assert vectors.toc.shape == (parse.toc_entries.count(), DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors.passages, axis=1), 1, atol=1e-5)


@needs_encoder
def test_it_goes_on_where_embedding_stopped(queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    monkeypatch.setattr(reporting, "REPORT_EVERY_S", 0)
    job = queued()
    conductor.ingest(job)

    def stop(stage: str, done: int, total: int) -> None:
        if done > 2:
            raise RuntimeError("the worker is killed")

    with pytest.raises(RuntimeError):
        conductor.run(job, IngestJob.Stage.EMBED, watch=stop)
    kept = set(Embedding.objects.values_list("pk", flat=True))
    assert len(kept) == 2
    assert Parse.objects.get().embedding_model == ""
    conductor.run(job, IngestJob.Stage.EMBED)
    assert kept < set(Embedding.objects.values_list("pk", flat=True))
    assert Parse.objects.get().embedding_model == MODEL_KEY


@needs_encoder
def test_a_long_document_lets_others_embed_between_its_turns(queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    """T8, R108: no turn counts as a failed attempt, what is shown is stored, and a kill loses and doubles nothing."""
    monkeypatch.setattr(embedding, "BATCH", 2)
    monkeypatch.setattr(embedding, "AT_HAND", 3)
    monkeypatch.setattr(embedding, "TURN_S", 0)
    monkeypatch.setattr(reporting, "REPORT_EVERY_S", 0)
    sections = "\n\n".join(f"# Site {number}\n\nRecords of site {number} are kept." for number in range(6))
    long, short = queued(sections.encode(), "long.md"), queued(b"# Access\n\nKeys are changed.", "short.md")
    for each in (long, short):
        conductor.ingest(each)

    def kill(stage: str, done: int, total: int) -> None:
        if done > 4:
            raise RuntimeError("the worker is killed")

    for turn in (1, 2):
        conductor.run(long, IngestJob.Stage.EMBED)
        job, document = seen(long)
        stored = document.current_parse.embeddings.count()  # type: ignore[union-attr]
        assert (job.state, job.stage, job.attempts, job.reason_code) == ("queued", "embed", 0, "")
        assert job.done_count == stored == 2 * turn and 0 < (job.percent or 0) < 50
    with pytest.raises(RuntimeError):
        conductor.run(long, IngestJob.Stage.EMBED, watch=kill)
    assert seen(long)[0].attempts == 1
    conductor.finish(short)
    assert seen(short)[0].state == "done" and seen(long)[0].state == "queued"
    assert seen(long)[1].current_parse.embedding_model == ""  # type: ignore[union-attr]
    conductor.finish(long)
    job, document = seen(long)
    parse = document.current_parse
    assert parse is not None and (job.state, parse.embedding_model) == ("done", MODEL_KEY)
    wanted = parse.passages.count() + parse.toc_entries.count()
    assert parse.embeddings.count() == job.done_count == job.total_count == wanted > 10
    owners = set(parse.embeddings.values_list("passage_id", "toc_entry_id"))
    assert len(owners) == wanted


@needs_encoder
def test_it_stays_ready_when_embedding_is_stopped(queued: Queued) -> None:
    job = queued()
    conductor.ingest(job)
    queueing.stop_jobs(job.document)
    conductor.run(job, IngestJob.Stage.EMBED)
    job, document = seen(job)
    assert (job.state, document.state, Embedding.objects.count()) == ("cancelled", "ready", 0)


# ---- a file of this machine


def test_it_takes_a_path_from_end_to_end(base: KnowledgeBase, owner: User, tmp_path: Path) -> None:
    path = tmp_path / "policy.pdf"
    path.write_bytes(make_pdf())
    document = conductor.ingest_path(path, base, owner)
    assert document.state == "ready"
    assert document.jobs.get().state == "done"
    assert conductor.ingest_path(path, base, owner) == document
    assert document.jobs.count() == 1


def test_it_reads_a_known_path_again_when_it_had_failed(base: KnowledgeBase, owner: User, tmp_path: Path) -> None:
    path = tmp_path / "policy.pdf"
    path.write_bytes(make_pdf())
    document = accept_upload(base, owner, upload_of(path.read_bytes()))
    queueing.stop_jobs(document)
    assert conductor.ingest_path(path, base, owner).state == "ready"


def test_it_refuses_a_path_that_is_no_document(base: KnowledgeBase, owner: User, tmp_path: Path) -> None:
    path = tmp_path / "policy.pdf"
    path.write_bytes(b"")
    with pytest.raises(UploadRefused):
        conductor.ingest_path(path, base, owner)


# ---- rows


def test_it_writes_a_parse_whole_or_not_at_all(owner: User) -> None:
    document = accept_upload(create_base(owner, "Other"), owner, upload_of(make_pdf()))
    reading = Reading("t", "en", (), (), (), report={})
    parse = store_reading(document, reading, [], {})
    assert (parse.number, parse.search_config, parse.toc_origin) == (1, "english", "none")
    assert store_reading(document, reading, [], {}).number == 2


def test_the_sample_of_this_test_says_what_it_is_asked_for() -> None:
    assert sum("seven years" in text for _, text in CHAPTERS) == 1
