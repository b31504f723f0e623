"""Folders that the service watches: a file is taken once, when two looks found it unchanged."""

import logging
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from docintel_site.settings import watched_folders
from docintel_site.status import watching
from documents.ingestion import trash
from documents.ingestion.tasks import watch_folders
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage import watched
from documents.tests.files import make_pdf

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, settings: Settings, base: KnowledgeBase) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    made = tmp_path / "arriving"
    made.mkdir()
    settings.WATCHED_FOLDERS = [(str(made), base.name)]
    return made


def titles() -> list[str]:
    return sorted(Document.objects.values_list("file_name", flat=True))


def test_a_file_is_taken_once_it_has_stopped_changing(folder: Path, base: KnowledgeBase) -> None:
    (folder / "deep").mkdir()
    path = folder / "deep" / "a.pdf"
    path.write_bytes(make_pdf()[:700])
    watch_folders()
    path.write_bytes(make_pdf())  # it was being copied
    watch_folders()
    assert titles() == []
    watch_folders()
    assert titles() == ["a.pdf"]
    document = Document.objects.get()
    assert document.base == base and document.created_by is None
    assert IngestJob.objects.get().state == IngestJob.State.QUEUED
    for _ in range(3):
        watch_folders()
    assert titles() == ["a.pdf"]


def test_the_status_says_whether_a_worker_has_looked(folder: Path, settings: Settings) -> None:
    assert [check.state for check in watching()] == ["warn"]
    (folder / "a.pdf").write_bytes(make_pdf())
    watch_folders()
    [check] = watching()
    assert (check.state, check.what, check.detail) == ("ok", "1 file at the last look", str(folder))
    settings.WATCHED_FOLDERS.append(("/elsewhere", "Nowhere"))
    watch_folders()
    assert [(check.state, check.detail) for check in watching()] == [("warn", "/elsewhere")]
    settings.WATCHED_FOLDERS = []
    assert watching() == []


def test_known_bytes_and_refused_files_are_left_alone(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "a.pdf").write_bytes(make_pdf())
    (folder / "no.pdf").write_bytes(b"no PDF")
    (folder / "empty.txt").touch()
    (folder / "picture.png").write_bytes(b"x")
    (folder / "link.pdf").symlink_to(folder / "a.pdf")
    caplog.set_level(logging.WARNING)
    for _ in range(3):
        watch_folders()
    assert titles() == ["a.pdf"] and caplog.text.count("no.pdf is not taken") == 1
    trash.move_to_trash(Document.objects.get())
    (folder / "again.pdf").write_bytes(make_pdf())  # somebody threw these bytes away
    for _ in range(2):
        watch_folders()
    assert titles() == ["a.pdf"]


def test_a_folder_or_base_that_is_not_there_stops_nothing(
    folder: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    folders = [(folder, "Nowhere"), (folder / "gone", "Suppliers"), (folder, "Suppliers")]
    settings.WATCHED_FOLDERS = [(str(path), name) for path, name in folders]
    (folder / "a.pdf").write_bytes(make_pdf())
    for _ in range(2):
        watch_folders()
    assert titles() == ["a.pdf"] and "watched for no base" in caplog.text


def test_what_was_seen_is_not_lost_between_workers(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(make_pdf())
    assert watched.look(folder, "watched:test") == []
    assert watched.look(folder, "watched:test") == [folder / "a.pdf"]
    assert watched.look(folder, "watched:test") == []


@pytest.mark.parametrize("text", ["in=Base", "/in", "/in=", "=Base"])
def test_a_wrong_setting_is_told(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCINTEL_WATCH", text)
    with pytest.raises(ImproperlyConfigured, match="DOCINTEL_WATCH"):
        watched_folders("DOCINTEL_WATCH")


def test_several_folders_are_named_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCINTEL_WATCH", "/in/a=Contracts, /in/b=Annual reports")
    assert watched_folders("DOCINTEL_WATCH") == [("/in/a", "Contracts"), ("/in/b", "Annual reports")]
