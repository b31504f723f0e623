"""Files where no path leads: everything that touches one works with copies, and an outage loses nothing.

In memory, and in a bucket of the server at `S3_SERVER` where one is named (docs/scaling.md says how it is tried).
"""

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, storages
from django.test import Client
from django.urls import reverse
from PIL import Image
from pytest_django import Settings

from audit.keeping.selfcheck import compare_files, find_files_without_row
from audit.keeping.stored_files import stored_files
from docintel_site import status
from docintel_site.backups.making import copy_file
from docintel_site.backups.restoring import keep_stored
from docintel_site.settings import stores_at
from documents.ingestion import orphans, page_images
from documents.ingestion.conductor import finish, ingest
from documents.ingestion.parsing import checked_file
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage.files import Files, drawn_pages, originals
from documents.storage.remote import FilesAway, RemoteFiles
from documents.tests.files import make_pdf, upload_of
from reading.reasons import ReadingError

SERVER = os.environ.get("S3_SERVER", "")  # s3+http://key:secret@host:port/bucket
Queued = Callable[..., IngestJob]

pytestmark = pytest.mark.django_db(transaction=True)


class KeptInMemory(RemoteFiles, InMemoryStorage):
    """Django's storage in memory, which is away when it is told to be."""

    is_away = False

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        self.reach(name)
        with super()._open(name, mode) as kept:  # type: ignore[misc]  # the stubs leave it out
            return File(BytesIO(kept.read()), name)

    def _save(self, name: str, content: "File[Any]") -> str:
        self.reach(name)
        return str(super()._save(name, content))  # type: ignore[misc]

    def exists(self, name: str) -> bool:
        self.reach(name)
        return super().exists(name)

    def put(self, name: str, content: "File[Any]") -> None:
        self.delete(name)
        self._save(name, content)

    def delete(self, name: str) -> None:
        self.reach(name)
        super().delete(name)

    def listed(self, prefix: str = "") -> Iterator[tuple[str, datetime]]:
        self.reach(prefix)
        return ((name, self.get_modified_time(name)) for name in list(self.below("")) if name.startswith(prefix))

    def below(self, folder: str) -> Iterator[str]:
        folders, files = self.listdir(folder)
        yield from (str(PurePosixPath(folder, name)) for name in files)
        for name in folders:
            yield from self.below(str(PurePosixPath(folder, name)))

    def reach(self, name: str) -> None:
        if KeptInMemory.is_away:
            raise FilesAway(5, "nobody answers", name)


@pytest.fixture(params=["memory", "bucket"])
def kept(request: pytest.FixtureRequest, settings: Settings) -> str:
    if request.param == "memory":
        named = {"BACKEND": f"{__name__}.KeptInMemory"}
        settings.STORAGES = {**settings.STORAGES, **dict.fromkeys(("default", "page_images", "carried"), named)}
    elif SERVER:
        settings.STORAGES = {**settings.STORAGES, **stores_at(f"{SERVER}/{uuid4().hex}")}
    else:
        pytest.skip("no server of S3 is named by S3_SERVER")
    return str(request.param)


@pytest.fixture
def away(kept: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    """Afterwards nobody answers for the files, until the one that it returns is called."""
    if kept == "memory":
        monkeypatch.setattr(KeptInMemory, "is_away", True)
        return lambda: monkeypatch.setattr(KeptInMemory, "is_away", False)
    before = settings.STORAGES
    settings.STORAGES = {**before, **stores_at("s3+http://key:secret@127.0.0.1:9/bucket")}
    return lambda: setattr(settings, "STORAGES", before)


def names_in(files: Files) -> set[str]:
    return set(files.old_names(-60))


def test_a_document_is_read_drawn_and_purged(kept: str, queued: Queued, signed_in: Client) -> None:
    document = finish(queued())
    assert document.state == Document.State.READY
    with checked_file(document) as path:
        assert path.read_bytes() == make_pdf() and path.name == str(document.pk)
    assert not path.exists(), "the copy is gone"
    for size in ("page", "small"):
        shown = signed_in.get(reverse("documents:page_image", args=[document.pk, 1]), {"size": size})
        with Image.open(BytesIO(shown.content)) as image:
            assert image.format == "WEBP"
    assert page_images.make_page_image(document, 1, "small") == shown.content
    assert signed_in.get(reverse("documents:original", args=[document.pk])).content == make_pdf()
    assert names_in(originals()) == {str(document.file)} and len(names_in(drawn_pages())) == 2
    move_to_trash(document)
    purge_document(document)
    assert names_in(originals()) == names_in(drawn_pages()) == set()


def test_a_page_that_cannot_be_drawn_is_tried_once(kept: str, queued: Queued) -> None:
    document = queued(make_pdf()[:700], "cut.pdf").document
    assert page_images.has_image(document, 1)
    for _ in range(2):
        with pytest.raises(page_images.NoPageImage, match="damaged"):
            page_images.make_page_image(document, 1)
    assert not page_images.has_image(document, 1)


def test_what_is_recognised_is_kept_whoever_recognises_it(kept: str, queued: Queued) -> None:
    document = queued().document
    with page_images.found_folder(document) as one, page_images.found_folder(document) as other:
        (one / "1.ocr.json").write_text("{}")
        (other / "2.ocr.json").write_text("{}")
    with pytest.raises(RuntimeError), page_images.found_folder(document) as folder:
        assert {path.name for path in folder.iterdir()} == {"1.ocr.json", "2.ocr.json"}
        (folder / "3.ocr.json").write_text("{}")
        raise RuntimeError
    with page_images.found_folder(document) as folder:
        assert len(list(folder.iterdir())) == 3, "what was found before a failure is kept"


def test_a_file_that_is_another_or_gone_is_found(kept: str, queued: Queued) -> None:
    document = queued().document
    originals().save(f"{document.base_id}/nobody", ContentFile(b"of nobody"))
    assert list(compare_files(list(stored_files()))) == []
    assert [*find_files_without_row(list(stored_files()))] == [], "it is young"
    originals().remove(str(document.file))
    [missing] = compare_files(list(stored_files()))
    assert missing.kind == "file_missing"
    with pytest.raises(ReadingError), checked_file(document):
        pass
    originals().save(str(document.file), ContentFile(b"another"))
    [changed] = compare_files(list(stored_files()))
    assert changed.kind == "file_changed"


def test_what_belongs_to_nobody_is_tidied_away(kept: str, queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    document = queued().document
    page_images.make_page_image(document, 1)
    originals().save("a/left", ContentFile(b"left behind"))
    drawn_pages().make(f"ab/{'ab' * 32}/1.webp", lambda path: path.write_bytes(b"left behind"))
    assert orphans.remove_orphans() == [], "both are young"
    monkeypatch.setattr(orphans, "AGE_S", -60)
    assert set(orphans.remove_orphans()) == {Path("a/left"), Path(f"ab/{'ab' * 32}/1.webp")}
    assert names_in(originals()) == {str(document.file)} and len(names_in(drawn_pages())) == 1


def test_a_backup_has_the_files_and_puts_them_back(kept: str, queued: Queued, tmp_path: Path) -> None:
    document = queued().document
    [stored] = stored_files()
    with stored.open() as source:
        assert copy_file(source, tmp_path / "saved") == document.sha256
    originals().delete(str(document.file))
    keep_stored(tmp_path / "saved", stored.name, stored.sha256)
    with checked_file(document) as path:
        assert path.read_bytes() == make_pdf()


def test_a_name_that_is_taken_is_not_written_over(kept: str) -> None:
    assert originals().save("a/b", ContentFile(b"first")) == "a/b"
    second = originals().save("a/b", ContentFile(b"second"))
    assert second != "a/b"
    with originals().open("a/b") as first:
        assert first.read() == b"first"


def test_an_upload_while_nobody_answers_is_to_be_sent_again(
    kept: str, base: KnowledgeBase, signed_in: Client, away: Callable[[], object]
) -> None:
    signed_in.raise_request_exception = False
    for address in (f"/api/v1/bases/{base.pk}/documents", f"/bases/{base.pk}/upload/"):
        told = signed_in.post(address, {"files": upload_of(make_pdf())})
        assert (told.status_code, told.headers["Retry-After"]) == (503, "60"), address
    assert not Document.objects.exists()
    [part] = status.kept_files()
    assert part.state == "fail"
    away()
    told = signed_in.post(f"/api/v1/bases/{base.pk}/documents", {"files": upload_of(make_pdf())})
    assert told.status_code == 201 and Document.objects.exists()
    [part] = status.kept_files()
    assert part.state == "ok"


def test_a_job_waits_until_the_files_are_back(kept: str, queued: Queued, request: pytest.FixtureRequest) -> None:
    job = queued()
    back = request.getfixturevalue("away")
    for _ in range(5):
        with pytest.raises(FilesAway):
            ingest(job)
        job.refresh_from_db()
        assert (job.state, job.attempts) == (IngestJob.State.QUEUED, 0)
    back()
    assert finish(job).state == Document.State.READY


def test_what_is_purged_meanwhile_is_tidied_later(
    kept: str, queued: Queued, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = queued().document
    back = request.getfixturevalue("away")
    move_to_trash(document)
    purge_document(document)
    back()
    assert names_in(originals()) == {str(document.file)}
    monkeypatch.setattr(orphans, "AGE_S", -60)
    orphans.remove_orphans()
    assert names_in(originals()) == set()


def test_by_default_files_are_on_the_disk(settings: Settings) -> None:
    roots = (settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT, settings.CARRIED_ROOT)
    assert [storages[name].path("") for name in stores_at("")] == [str(root) for root in roots]
    assert status.kept_files() == []


@pytest.mark.parametrize("wrong", ["http://host/bucket", "s3://host", "s3:///bucket", "bucket"])
def test_an_address_that_is_none_stops_the_start(wrong: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DOCINTEL_FILES_URL must be s3://"):
        stores_at(wrong)
