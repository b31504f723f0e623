"""Versions of a document: what stays, what is dropped or purged, and that nothing is left behind at any moment."""

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, models
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents import access
from documents.base_settings import BaseSettings
from documents.ingestion import conductor, orphans, page_images, queueing, tasks, trash
from documents.models import Document, Embedding, IngestJob, KnowledgeBase, Line, Page, Parse, Passage, TocEntry
from documents.storage import versions
from documents.storage.content import load_content
from documents.storage.uploads import accept_upload
from documents.tests.files import make_pdf, upload_of
from ledger.models import Event as LedgerEvent
from retrieval.models import RetrievalRun
from retrieval.pipeline import retrieve
from retrieval.record.storing import store_run

pytestmark = pytest.mark.django_db

Queued = Callable[..., IngestJob]
ROWS: tuple[type[models.Model], ...] = (Document, IngestJob, Parse, Page, TocEntry, Line, Passage, Embedding)
DELETES = 20  # T11
SEED = 11
PAGES = 10
WORK_MOST_S = 2.5  # however long reading and embedding took where the machine stood still


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    """No broker, and folders in which nothing of another test lies."""
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "page_images"
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    monkeypatch.setattr(tasks.tidy, "apply_async", lambda **_: None)


@pytest.fixture
def document(queued: Queued, base: KnowledgeBase) -> Document:
    base.settings = {"embeddings": "none"}
    base.save()
    job = queued()
    conductor.ingest(job)
    return Document.objects.get(pk=job.document_id)


def read_again(document: Document) -> Parse:
    conductor.ingest(queueing.queue_again(document))
    document.refresh_from_db()
    assert document.current_parse is not None
    return document.current_parse


def ask(document: Document, user: User) -> RetrievalRun:
    assert document.current_parse is not None
    return record("How long are records kept?", document.current_parse, user)


def record(question: str, parse: Parse, user: User) -> RetrievalRun:
    result = retrieve(question, [load_content(parse)], settings=BaseSettings(), mode="fast", arbiter="rules")
    return store_run(result, base=parse.document.base, user=user, mode="fast")


def make_old() -> None:
    Parse.objects.update(created_at=Now() - 2 * versions.SUPERSEDED_FOR)


def left() -> dict[str, int]:
    """Rows and files that are still there."""
    rows = {model.__name__: model._default_manager.count() for model in ROWS}
    files = [path for root in (settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT) for path in root.rglob("*")]
    return {name: count for name, count in {**rows, "files": sum(path.is_file() for path in files)}.items() if count}


# ---- parses


def test_it_keeps_a_parse_that_a_run_refers_to(document: Document, owner: User) -> None:
    first = document.current_parse
    run = ask(document, owner)
    second = read_again(document)
    make_old()
    versions.drop_superseded()
    assert set(document.parses.all()) == {first, second}
    assert {candidate.parse_id for candidate in run.candidates.all()} == {first.pk}  # type: ignore[union-attr]
    assert first.lines.count() == second.lines.count() > 0  # type: ignore[union-attr]


def test_it_keeps_a_parse_that_a_run_only_searched(document: Document, owner: User) -> None:
    run = record("What is the zzyzx of quux?", Parse.objects.get(), owner)
    assert not run.candidates.exists()
    assert Parse.objects.get().is_recorded, "that nothing was found is shown on this parse"


def test_it_drops_a_parse_nobody_refers_to_but_not_at_once(document: Document) -> None:
    first, second = document.current_parse, read_again(document)
    versions.drop_superseded()
    assert document.parses.count() == 2, "a question under way may still read it"
    make_old()
    versions.drop_superseded()
    assert document.parses.get() == second
    assert not Line.objects.filter(parse_id=first.pk).exists()  # type: ignore[union-attr]
    assert second.number == 2 and read_again(document).number == 3


@pytest.mark.django_db(transaction=True)
def test_it_answers_from_one_parse_while_another_is_swapped_in(document: Document, owner: User) -> None:
    """Questions asked while a document is read again and again: each is answered, and from one whole parse."""
    is_over = Event()

    def keep_reading() -> None:
        while not is_over.is_set():
            read_again(Document.objects.get(pk=document.pk))
        connection.close()

    runs: list[RetrievalRun] = []
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(keep_reading)
        while len({run.scope[0]["parse_number"] for run in runs}) < 3 and not reading.done():
            runs.append(ask(Document.objects.select_related("current_parse").get(), owner))
        is_over.set()
        reading.result()
    for run in runs:
        assert run.status == "found"
        [parse_id] = {str(candidate.parse_id) for candidate in run.candidates.all()}
        assert parse_id == run.scope[0]["parse_id"]
        assert Parse.objects.get(pk=parse_id).is_recorded


# ---- away for good


def test_it_purges_everything_but_the_record(document: Document, owner: User, signed_in: Client) -> None:
    run = ask(document, owner)
    trash.move_to_trash(document)
    assert trash.purge_document(document)
    assert not any(model._default_manager.exists() for model in ROWS)
    assert run.candidates.exists()
    page = signed_in.get(reverse("audit:trail", args=[run.pk])).content.decode()
    assert "document deleted" in page


@pytest.mark.django_db(transaction=True)
def test_it_purges_the_file_and_its_page_images(document: Document) -> None:
    page_images.make_page_image(document, 1)
    assert left()["files"] == 2
    trash.move_to_trash(document)
    trash.purge_document(document)
    assert left() == {}


@pytest.mark.django_db(transaction=True)
def test_it_keeps_the_page_images_of_the_same_file_elsewhere(document: Document, owner: User) -> None:
    image = page_images.make_page_image(document, 1)
    accept_upload(access.create_base(owner, "Other"), owner, upload_of(make_pdf()))
    trash.move_to_trash(document)
    trash.purge_document(document)
    assert image.exists()


def test_it_purges_only_from_the_trash(document: Document) -> None:
    assert not trash.purge_document(document)
    assert Document.objects.exists()


@pytest.mark.parametrize(("days", "is_kept"), [(trash.KEPT_DAYS - 1, True), (trash.KEPT_DAYS + 1, False)])
def test_it_empties_the_trash_by_itself(document: Document, days: int, is_kept: bool) -> None:
    Document.objects.update(trashed_at=Now() - timedelta(days=days))
    tasks.tidy()
    assert Document.objects.exists() == is_kept


@pytest.mark.parametrize("role", ["viewer", "editor", "auditor", "stranger"])
def test_only_owners_delete_for_good(
    document: Document, member: Callable[[str], User], client: Client, role: str
) -> None:
    trash.move_to_trash(document)
    client.force_login(member(role))
    assert client.post(reverse("documents:purge", args=[document.pk])).status_code == 404
    assert (
        client.post(reverse("documents:delete_base", args=[document.base_id]), {"name": "Suppliers"}).status_code == 404
    )
    assert Document.objects.exists() and KnowledgeBase.objects.living().exists()


def test_an_owner_deletes_for_good(document: Document, signed_in: Client) -> None:
    trash.move_to_trash(document)
    assert "Delete for good" in signed_in.get(reverse("documents:trashed", args=[document.base_id])).content.decode()
    response = signed_in.post(reverse("documents:purge", args=[document.pk]), follow=True)
    assert "deleted for good" in response.content.decode()
    assert not Document.objects.exists()
    assert signed_in.get(reverse("documents:document", args=[document.pk])).status_code == 404


@pytest.mark.parametrize(("typed", "is_deleted"), [("Suppliers", True), ("suppliers", False), ("", False)])
def test_it_deletes_a_base_whose_name_was_typed(
    document: Document, base: KnowledgeBase, owner: User, signed_in: Client, typed: str, is_deleted: bool
) -> None:
    run = ask(document, owner)
    signed_in.post(reverse("documents:delete_base", args=[base.pk]), {"name": typed})
    tasks.tidy()
    assert Document.objects.exists() != is_deleted
    assert signed_in.get(reverse("documents:base", args=[base.pk])).status_code == (404 if is_deleted else 200)
    assert ("Suppliers" in signed_in.get(reverse("documents:bases")).content.decode()) != is_deleted
    assert RetrievalRun.objects.visible_to(owner).get() == run
    assert signed_in.get(reverse("audit:trail", args=[run.pk])).status_code == 200, "its audit goes on"


# ---- while somebody works on it


@pytest.mark.django_db(transaction=True)
def test_it_leaves_nothing_of_a_document_deleted_at_any_stage(queued: Queued) -> None:
    """A worker reads and embeds; the document goes to the trash and is purged at a random moment of it."""
    chance = random.Random(SEED)
    stages: set[str] = set()

    def work(job: IngestJob) -> None:
        conductor.ingest(job)
        for kept in IngestJob.objects.filter(pk=job.pk):
            conductor.run(kept, IngestJob.Stage.EMBED)
        connection.close()

    work_s = 0.0
    with ThreadPoolExecutor(1) as pool:
        for number in range(-2, DELETES):
            job = queued(make_pdf(PAGES, note=str(number)))
            began = time.monotonic()
            working = pool.submit(work, job)
            if number < 0:  # undisturbed, for how long it takes; the first also loads what it needs
                working.result()
                work_s = min(time.monotonic() - began, WORK_MOST_S)
            else:
                time.sleep(chance.uniform(0, work_s))
                stages.update(IngestJob.objects.filter(pk=job.pk).values_list("stage", flat=True))
            trash.move_to_trash(job.document)
            trash.purge_document(job.document)
            working.result()
            assert left() == {}
    assert len(stages) >= 2, f"the deletions met only {stages}"


def test_it_removes_files_without_a_document(document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    stray = settings.MEDIA_ROOT / str(document.base_id) / "0b6f1a8e-0000-4000-8000-000000000000"
    stray.write_bytes(b"left behind")
    image = settings.PAGE_IMAGE_ROOT / "ab" / ("ab" * 32) / "1.webp"
    image.parent.mkdir(parents=True)
    image.write_bytes(b"left behind")
    assert orphans.remove_orphans() == [], "both are young"
    monkeypatch.setattr(orphans, "AGE_S", -1)
    assert set(orphans.remove_orphans()) == {stray, image.parent}
    assert Path(document.file.path).exists() and not stray.exists() and not image.exists()


def test_an_upload_into_a_base_that_is_being_deleted_does_not_stay(base: KnowledgeBase, queued: Queued) -> None:
    access.delete_base(base)
    queued()
    tasks.tidy()
    assert not Document.objects.exists()


def test_restoring_does_not_bring_a_purged_document_back(document: Document) -> None:
    kept: Any = Document.objects.get(pk=document.pk)
    trash.move_to_trash(document)
    trash.purge_document(document)
    assert trash.restore_document(kept) is None
    assert not Document.objects.exists()


def test_every_deletion_is_recorded_with_who_did_it(queued: Queued, base: KnowledgeBase, owner: User) -> None:
    document = conductor.finish(queued())
    parse_id = str(document.current_parse_id)
    trash.move_to_trash(document, owner)
    trash.move_to_trash(document, owner)
    trash.restore_document(document, owner)
    trash.move_to_trash(document)
    assert trash.purge_document(document, owner)
    assert not trash.purge_document(document, owner)
    events = list(LedgerEvent.objects.filter(subject=f"document:{document.pk}").order_by("created_at"))
    assert [(event.kind, event.actor) for event in events] == [
        ("trashed", str(owner)),
        ("restored", str(owner)),
        ("trashed", "console"),
        ("purged", str(owner)),
    ]
    assert events[-1].details["parses"] == [parse_id] and events[-1].details["sha256"] == document.sha256
    access.delete_base(base, owner)
    assert LedgerEvent.objects.get(kind="base_deleted").details == {"name": base.name, "documents": 0}
