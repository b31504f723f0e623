# mypy: disallow-untyped-calls=False
"""Pages without text: what recognition stores, how a document continues with and without it, and the real library."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.ingestion import conductor, page_images, queueing, tasks
from documents.ingestion.improving import improvements
from documents.models import Document, IngestJob, KnowledgeBase, Parse
from documents.pages import listing
from documents.storage.content import load_content
from documents.tests.files import CHAPTERS, make_pdf, make_scan
from reading import recognition
from reading.pdf_reader import read_pdf
from reading.processes.sandbox import recognise_in_child
from reading.reasons import refusal
from reading.tests.pdfs import form, raw_pdf
from retrieval.pipeline import retrieve

Queued = Callable[..., IngestJob]
needs_library = pytest.mark.skipif(
    not recognition.engine(), reason="text recognition is not installed (requirements-ocr.txt)"
)
SCANNED = "The supplier keeps a copy of every invoice for eleven years."


def scanned_pages(*texts: str) -> bytes:
    """A PDF of images: each text as a page of pixels, an empty text as empty paper."""
    document = pymupdf.open()
    for text in texts:
        drawn = pymupdf.open().new_page()
        drawn.insert_textbox((72, 90, 520, 300), text, fontsize=14)
        page = document.new_page()
        page.insert_image(page.rect, pixmap=drawn.get_pixmap(dpi=150))
    content: bytes = document.tobytes()
    return content


def with_scan(*texts: str) -> bytes:
    """The sample PDF with scanned pages after its own."""
    document = pymupdf.open(stream=make_pdf(), filetype="pdf")
    document.insert_pdf(pymupdf.open(stream=scanned_pages(*texts), filetype="pdf"))
    content: bytes = document.tobytes()
    return content


def recognised(document: Document, number: int, *lines: str, is_blank: bool = False) -> None:
    """Put what recognition would have found of a page where it keeps it."""
    path = recognition.page_text_path(page_images.folder_of(document.sha256), number)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [[text, 72.0, 100.0 + 20 * place, 400.0, 114.0 + 20 * place] for place, text in enumerate(lines)]
    path.write_text(json.dumps({"engine": "by hand", "lines": rows, "is_blank": is_blank}))


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "page_images"
    monkeypatch.setattr(tasks, "wake", lambda job: None)


@pytest.fixture
def base_without_embeddings(base: KnowledgeBase) -> KnowledgeBase:
    base.settings = {"embeddings": "none", "recognition": "on_request"}
    base.save()
    return base


def finished(job: IngestJob) -> tuple[IngestJob, Document, Parse | None]:
    document = conductor.finish(job)
    job.refresh_from_db()
    return job, document, document.current_parse


# ---- with what was recognised


def test_it_reads_recognised_lines_into_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(with_scan(SCANNED, ""))
    line, blank = recognition.build_page_text([[SCANNED + "\x00", 72, 100, 400, 114]]), recognition.build_page_text([])
    reading = read_pdf(path, page_images.limits(), recognised={5: line, 6: blank, 1: line})
    assert [page.text_layer for page in reading.pages] == ["text"] * 4 + ["ocr"] * 2
    assert [(row.text, row.page_number) for row in reading.lines if row.method == "ocr"] == [(SCANNED, 5)]
    assert any(warning.startswith("text_recognised(5)") for warning in reading.warnings)
    assert not any("without_text" in warning for warning in reading.warnings)
    assert [row.number for row in reading.lines] == list(range(1, len(reading.lines) + 1))


@pytest.mark.parametrize("lines", [[["  ", 0, 0, 9, 9]], [["upside down", 9, 9, 0, 0]], []])
def test_it_makes_no_line_of_nothing(lines: list[Any]) -> None:
    assert recognition.build_page_text(lines).pieces == {}


@pytest.mark.django_db
@pytest.mark.usefixtures("base_without_embeddings")
def test_it_says_which_pages_have_no_text_and_cannot_tell(queued: Queued) -> None:
    _, document, parse = finished(queued(with_scan(SCANNED, "")))
    assert parse is not None and parse.unreadable_pages == [5, 6]
    situation = listing.build_rows([document])[0].situation
    assert (situation.kind, "2 of 6 pages have no text" in situation.note) == ("warn", True)
    content = load_content(parse)
    result = retrieve(
        "Which helicopter licence is needed?", [content], settings=BaseSettings(embeddings="none"), arbiter="rules"
    )
    assert result.status == "cannot_tell"


@pytest.mark.django_db
@pytest.mark.usefixtures("base_without_embeddings")
def test_it_makes_a_new_parse_of_recognised_pages(queued: Queued) -> None:
    _, document, first = finished(queued(with_scan(SCANNED, "")))
    recognised(document, 5, SCANNED)
    recognised(document, 6, is_blank=True)
    _, document, second = finished(queueing.queue_again(document))
    assert first is not None and second is not None
    assert (first.number, first.unreadable_pages, second.number, second.unreadable_pages) == (1, [5, 6], 2, [])
    assert second.pages.get(number=5).text_layer == "ocr"
    assert second.lines.get(method="ocr").text == SCANNED
    assert second.passages.filter(text__contains="eleven years").exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("base_without_embeddings")
def test_a_long_scan_lets_other_documents_have_their_turn(queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([16, 8, 0])
    monkeypatch.setattr(conductor, "recognise_in_child", lambda *arguments: next(left))
    job, document, _ = finished(queued(with_scan(SCANNED)))
    job = queueing.queue_again(document, IngestJob.Stage.RECOGNISE)
    for stage in ("recognise", "recognise", "check"):
        conductor.run(job, IngestJob.Stage.RECOGNISE)
        job.refresh_from_db()
        assert (job.state, job.stage, job.attempts) == ("queued", stage, 0)


@pytest.mark.django_db
@pytest.mark.usefixtures("base_without_embeddings")
def test_a_page_that_gave_nothing_stays_unread(queued: Queued) -> None:
    document = queued(with_scan(SCANNED)).document
    recognised(document, 5)
    _, _, parse = finished(document.jobs.get())
    assert parse is not None and parse.unreadable_pages == [5]


# ---- when it goes wrong


@pytest.mark.django_db
@pytest.mark.usefixtures("base_without_embeddings")
def test_it_keeps_what_was_read_when_recognition_fails(queued: Queued, monkeypatch: pytest.MonkeyPatch) -> None:
    _, document, parse = finished(queued(with_scan(SCANNED)))

    def stopped(*_: Any) -> int:
        raise refusal("parse_timeout", seconds=9)

    monkeypatch.setattr(conductor, "recognise_in_child", stopped)
    job, document, same = finished(queueing.queue_again(document, IngestJob.Stage.RECOGNISE))
    assert (job.state, document.state, same) == ("done", "ready", parse)
    assert same is not None and "longer than 9 seconds" in same.report["recognition"]


@pytest.mark.django_db
@pytest.mark.skipif(bool(recognition.engine()), reason="text recognition is installed")
def test_a_scan_fails_with_its_reason_without_the_library(queued: Queued, base: KnowledgeBase) -> None:
    job, document, _ = finished(queued(scanned_pages(SCANNED)))
    assert (job.reason_code, document.state) == ("no_text", "failed")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("make", "code", "stages"),
    [
        (lambda: scanned_pages(SCANNED), "no_text", [IngestJob.Stage.RECOGNISE]),
        (make_scan, "drawn_text", [IngestJob.Stage.RECOGNISE]),
        (lambda: form(4), "form_without_text", [IngestJob.Stage.RECOGNISE]),
        (lambda: raw_pdf(b""), "blank_pages", []),
        (lambda: raw_pdf(b"")[:200], "damaged", []),
    ],
)
def test_only_what_may_have_letters_is_recognised(
    queued: Queued,
    base: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[], bytes],
    code: str,
    stages: list[IngestJob.Stage],
) -> None:
    job = queued(make())
    monkeypatch.setattr(recognition, "engine", lambda: "")
    conductor.ingest(job)
    job.refresh_from_db()
    assert (job.state, job.reason_code) == ("failed", code)
    monkeypatch.setattr(recognition, "engine", lambda: "rapidocr 3")
    assert improvements(Document.objects.get()) == stages  # what a person is offered
    base.settings = {"embeddings": "none", "recognition": "automatic"}
    base.save()
    again = queueing.queue_again(Document.objects.get())
    conductor.ingest(again)
    again.refresh_from_db()
    assert (again.stage == "recognise") is bool(stages)


@pytest.mark.django_db
@pytest.mark.usefixtures("base_without_embeddings")
def test_a_scan_that_was_recognised_in_vain_says_so(queued: Queued) -> None:
    document = queued(scanned_pages(SCANNED, "")).document
    recognised(document, 1)
    recognised(document, 2, is_blank=True)
    job, document, _ = finished(document.jobs.get())
    assert (job.reason_code, document.state) == ("nothing_recognised", "failed")
    assert not improvements(document)


@pytest.mark.django_db
def test_the_page_offers_recognition_only_when_it_is_there(
    queued: Queued, base_without_embeddings: KnowledgeBase, signed_in: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, document, _ = finished(queued(with_scan(SCANNED)))
    address = reverse("documents:document", args=[document.pk])
    improve = reverse("documents:improve", args=[document.pk])
    monkeypatch.setattr(recognition, "engine", lambda: "")
    assert "Recognise text" not in signed_in.get(address).content.decode()
    assert signed_in.post(improve, {"stage": "recognise"}).status_code == 404
    monkeypatch.setattr(recognition, "engine", lambda: "rapidocr 3")
    assert "Recognise text" in signed_in.get(address).content.decode()
    assert signed_in.post(improve, {"stage": "recognise"}).status_code == 302
    assert document.jobs.filter(state="queued", stage="recognise", parse=document.current_parse_id).exists()


@pytest.mark.django_db
def test_a_viewer_starts_no_recognition(queued: Queued, member: Callable[[str], User], client: Client) -> None:
    document = queued(make_scan()).document
    client.force_login(member("viewer"))
    assert client.post(reverse("documents:improve", args=[document.pk]), {"stage": "recognise"}).status_code == 404


# ---- the real library


@needs_library
def test_the_library_reads_an_image_in_the_child(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(with_scan(SCANNED, ""))
    told: list[tuple[int, int]] = []
    left = recognise_in_child(path, tmp_path / "kept", page_images.limits(), lambda *step: told.append(step))
    assert (left, told[-1]) == (0, (2, 2))
    kept = recognition.kept_pages(tmp_path / "kept")
    assert [piece.text for piece in kept[5].pieces[0]] == [SCANNED]
    assert kept[6].pieces == {}
    box = kept[5].pieces[0][0]
    assert 68 < box.x0 < 76 and 85 < box.y0 < 112


@needs_library
@pytest.mark.django_db
def test_a_scan_becomes_a_document_by_itself(queued: Queued, base: KnowledgeBase) -> None:
    base.settings = {"embeddings": "none"}
    base.save()
    texts = [f"{title}. {text}" for title, text in CHAPTERS]
    job, document, parse = finished(queued(scanned_pages(*texts, "")))
    assert (job.state, document.state) == ("done", "ready")
    assert parse is not None and (parse.number, parse.unreadable_pages) == (1, [])
    found = retrieve(
        "How often may a supplier be audited?",
        [load_content(parse)],
        settings=BaseSettings(embeddings="none"),
        arbiter="rules",
    )
    assert found.status == "found"
    assert "once a year" in found.candidates[0].context.text
