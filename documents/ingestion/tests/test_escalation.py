"""Flagged pages and their heavier reader (R12): which are read, once each, and what a page says of it (R11)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from documents.base_settings import BaseSettings
from documents.ingestion import conductor, escalation, page_images, queueing, tasks
from documents.ingestion.improving import improvements, next_stage
from documents.models import IngestJob, KnowledgeBase, Parse
from documents.pages.address import PageTarget
from documents.pages.page_view import inspect_page, report_lines
from reading import heavier
from reading.tests.test_heavier import SHOWN, needs_recognition, with_figure

pytestmark = pytest.mark.django_db

Queued = Callable[..., IngestJob]


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "page_images"
    monkeypatch.setattr(tasks, "wake", lambda job: None)


def parse_of_figure(queued: Queued, base: KnowledgeBase, tmp_path: Path, recognition: str = "on_request") -> Parse:
    base.settings = {"embeddings": "none", "recognition": recognition}
    base.save()
    parse = conductor.finish(queued(with_figure(tmp_path / "figure.pdf").read_bytes(), "figure.pdf")).current_parse
    assert parse is not None
    return parse


def installed(monkeypatch: pytest.MonkeyPatch, *methods: str) -> None:
    monkeypatch.setattr(heavier, "library_of", lambda method: f"{method} 1" if method in methods else "")


def words_of(parse: Parse) -> str:
    inspection = inspect_page(parse.document, parse, PageTarget(1))
    assert inspection is not None
    return " ".join(f"{each.kind} {each.words}" for each in inspection.page_findings)


def test_without_the_library_a_page_is_flagged_and_says_what_would_read_it(
    queued: Queued, base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(R11)"""
    installed(monkeypatch)
    parse = parse_of_figure(queued, base, tmp_path, "automatic")
    assert parse.number == 1 and parse.pages.get().flags == ["opaque_figure"]
    assert not list(escalation.pages_to_read_again(parse.document, parse)) and not improvements(parse.document)
    assert "A picture has no text that could be read" in words_of(parse)
    assert "not installed here" in words_of(parse)
    assert any("not installed here" in finding.words for finding in report_lines(parse, ()))


def test_a_page_goes_through_a_method_once(
    queued: Queued, base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(R12)"""
    installed(monkeypatch, "ocr_picture")
    parse = parse_of_figure(queued, base, tmp_path)
    document = parse.document
    [wanted] = escalation.pages_to_read_again(document, parse)
    assert (wanted.page_number, wanted.method) == (1, "ocr_picture")
    assert wanted.boxes[0] == pytest.approx((72, 200, 372, 320), abs=1)
    assert improvements(document) == [IngestJob.Stage.RECOGNISE]
    automatic, asked = BaseSettings(recognition="automatic"), BaseSettings(recognition="on_request")
    assert next_stage(document, parse, automatic) == IngestJob.Stage.RECOGNISE
    assert next_stage(document, parse, asked) != IngestJob.Stage.RECOGNISE
    path = heavier.found_path(page_images.folder_of(document.sha256), 1, "ocr_picture")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"engine": "by hand", "lines": []}))
    assert not list(escalation.pages_to_read_again(document, parse)) and not improvements(document)
    assert next_stage(document, parse, automatic) != IngestJob.Stage.RECOGNISE


def test_what_was_kept_is_in_the_next_reading_with_its_method(
    queued: Queued, base: KnowledgeBase, tmp_path: Path
) -> None:
    parse = parse_of_figure(queued, base, tmp_path)
    path = heavier.found_path(page_images.folder_of(parse.document.sha256), 1, "ocr_picture")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"engine": "by hand", "lines": [[SHOWN, 92, 250, 340, 270]]}))
    again = conductor.finish(queueing.queue_again(parse.document)).current_parse
    assert again is not None and again.number == 2 and again.pages.get().flags == []
    assert list(again.lines.values_list("method", flat=True)) == ["text", "ocr_picture", "text"]
    assert "text recognition of the picture added lines" in words_of(again)


@needs_recognition
def test_a_flagged_page_is_read_again_by_itself(queued: Queued, base: KnowledgeBase, tmp_path: Path) -> None:
    """(R12)"""
    parse = parse_of_figure(queued, base, tmp_path, "automatic")
    assert parse.number == 2 and SHOWN in parse.lines.values_list("text", flat=True)
    assert parse.document.jobs.get().state == "done"
