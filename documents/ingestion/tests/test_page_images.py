"""Page images: drawn in a child, kept, drawn once by many, and refused once."""

import os
import signal
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from PIL import Image

from documents.ingestion import page_images
from documents.ingestion.page_images import NoPageImage, has_image, make_page_image, make_thumbnail
from documents.ingestion.tests.test_conductor import children_of
from documents.models import Document, IngestJob
from documents.tests.files import make_pdf
from reading.processes import sandbox
from reading.tests.pdfs import raw_pdf

HUGE = Path(__file__).resolve().parents[4] / "shared/data/hostile/PyMuPDF__tests_resources_test_2548.pdf"

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(queued: Callable[..., IngestJob]) -> Document:
    return queued().document


def test_it_draws_a_page_and_keeps_it(queued: Callable[..., IngestJob]) -> None:
    document = queued(make_pdf(note="drawn once")).document
    path = make_page_image(document, 2)
    with Image.open(path) as image:
        assert (image.format, image.width) == ("WEBP", 910)
    written = path.stat().st_mtime_ns
    assert make_page_image(document, 2).stat().st_mtime_ns == written
    assert [one.name for one in path.parent.iterdir()] == ["2.webp"], "no half-written file is left"


def test_it_draws_a_thumbnail(document: Document) -> None:
    with Image.open(make_thumbnail(document)) as image:
        assert (image.format, image.width) == ("WEBP", 96)


@pytest.mark.parametrize("number", [0, 5, 10**6])
def test_it_has_no_image_of_an_absent_page(document: Document, number: int) -> None:
    with pytest.raises(NoPageImage):
        make_page_image(document, number)


def test_text_has_no_image(queued: Callable[..., IngestJob]) -> None:
    document = queued(b"# Text", "a.md").document
    assert not has_image(document, 1)
    with pytest.raises(NoPageImage):
        make_page_image(document, 1)


def test_it_tries_a_page_that_cannot_be_drawn_once(
    queued: Callable[..., IngestJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = queued(make_pdf()[:700], "cut.pdf").document
    assert has_image(document, 1)
    with pytest.raises(NoPageImage, match="damaged"):
        make_page_image(document, 1)
    assert not has_image(document, 1)
    monkeypatch.delattr(sandbox, "render_in_child")
    with pytest.raises(NoPageImage, match="damaged"):
        make_page_image(document, 1)


@pytest.mark.skipif(not HUGE.exists(), reason="the shared hostile files are not here")
def test_it_gives_up_on_a_page_that_would_never_end(
    queued: Callable[..., IngestJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = queued(HUGE.read_bytes(), "slow.pdf").document
    few = replace(page_images.limits(), render_cpu_s=2)
    monkeypatch.setattr(page_images, "limits", lambda: few)
    with pytest.raises(NoPageImage, match="took longer"):
        make_page_image(document, 1)
    assert not has_image(document, 1)


def test_it_draws_a_page_later_whose_drawing_was_stopped_from_outside(queued: Callable[..., IngestJob]) -> None:
    blanks = zlib.compress(b" " * 800_000_000, 9)  # seconds of work
    document = queued(raw_pdf(blanks, content_extra=b"/Filter/FlateDecode"), "slow.pdf").document

    over = Event()

    def strike() -> None:
        while not (children := children_of(os.getpid())) and not over.wait(0.05):
            pass
        for child in children:
            os.kill(child, signal.SIGKILL)

    striker = Thread(target=strike)
    striker.start()
    try:
        with pytest.raises(NoPageImage, match="load the page again"):
            make_page_image(document, 1)
    finally:
        over.set()
        striker.join()
    assert has_image(document, 1), "nothing was found out about the page"


@pytest.mark.django_db(transaction=True)
def test_many_ask_and_few_draw(queued: Callable[..., IngestJob], monkeypatch: pytest.MonkeyPatch) -> None:
    document = queued(make_pdf(note="asked for by many")).document
    together = Barrier(6, timeout=60)
    at_once: list[int] = []
    drawing: list[int] = []
    real = sandbox.render_in_child

    def counted(*args: Any) -> None:
        drawing.append(1)
        at_once.append(len(drawing))
        real(*args)
        drawing.pop()

    def ask() -> None:
        together.wait()
        make_page_image(document, 1)
        connection.close()

    monkeypatch.setattr(sandbox, "render_in_child", counted)
    askers = [Thread(target=ask) for _ in range(6)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert max(at_once) <= page_images.RENDERERS_MAX
    assert len(at_once) <= page_images.RENDERERS_MAX, "whoever waited finds the image there"


def test_it_is_served_privately_and_for_long(document: Document, signed_in: Client) -> None:
    response = signed_in.get(reverse("documents:page_image", args=[document.pk, 1]))
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_a_refusal_is_a_sentence(document: Document, signed_in: Client) -> None:
    response = signed_in.get(reverse("documents:page_image", args=[document.pk, 99]))
    assert (response.status_code, response.headers["Content-Type"]) == (404, "text/plain; charset=utf-8")
