"""Page images, drawn on demand in a limited child process and cached on disk under the file's digest."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from PIL import Image

from documents.models import Document
from documents.storage.uploads import PDF
from reading.limits import Limits
from reading.processes import sandbox
from reading.reasons import ReadingError

PAGE_DPI = 110  # a letter page becomes 935 pixels wide: sharp at the width of the viewer, about 100 KB
SHARP_DPI = 220  # for a page zoomed in: twice as sharp, about 250 KB
SMALL_DPI = 26  # for the strip of pages: 110 CSS pixels on a dense screen, about 4 KB
DPI_OF_SIZE = {"page": PAGE_DPI, "sharp": SHARP_DPI, "small": SMALL_DPI}
THUMBNAIL_WIDTH = 96  # pixels: 40 CSS pixels on a dense screen
RENDERERS_MAX = 2  # per process: each may take 512 MB
WAIT_S = 30 * settings.PATIENCE

_renderers = threading.BoundedSemaphore(RENDERERS_MAX)


class NoPageImage(Exception):
    """A page has no image; the message is for people."""


def make_page_image(document: Document, number: int, size: str = "page") -> Path:
    """The WebP of a page (from 1) in one of the sizes. Raises NoPageImage if it exceeds the limits."""
    path = place(document, f"{number}.webp" if size == "page" else f"{number}.{size}.webp")
    if not path.exists():
        with slot():
            if not path.exists():  # it may have been drawn while waiting for a slot
                make_file_whole(path, lambda fresh: draw(document, number, fresh, DPI_OF_SIZE[size]))
    return path


def make_thumbnail(document: Document) -> Path:
    """A small WebP of the first page. Raises NoPageImage."""
    path = place(document, "thumbnail.webp")
    if not path.exists():
        with Image.open(make_page_image(document, 1)) as page:
            height = max(1, round(page.height * THUMBNAIL_WIDTH / page.width))
            small = page.resize((THUMBNAIL_WIDTH, height), Image.Resampling.LANCZOS)
        make_file_whole(path, lambda fresh: small.save(fresh, "WEBP", quality=80))
    return path


def has_image(document: Document, number: int) -> bool:
    """Whether a page can have an image: not for Markdown, and not if it was refused before."""
    return document.media_type == PDF and not refusal_of(place(document, f"{number}.webp")).exists()


def limits() -> Limits:
    return Limits(
        file_bytes=settings.UPLOAD_MAX_BYTES,
        pages=settings.PAGES_MAX,
        memory_bytes=settings.CHILD_MEMORY_BYTES,
        cpu_s=settings.CHILD_CPU_S,
        wall_s=settings.CHILD_WALL_S,
        render_wall_s=settings.RENDER_WALL_S,
        isolation_required=settings.ISOLATION_REQUIRED,
    )


def folder_of(sha256: str) -> Path:
    """The folder of everything made from a file's pages. Named by digest, since nothing else matters."""
    return Path(settings.PAGE_IMAGE_ROOT) / sha256[:2] / sha256


def place(document: Document, name: str) -> Path:
    return folder_of(document.read_sha256) / name


def forget(sha256: str) -> None:
    shutil.rmtree(folder_of(sha256), ignore_errors=True)


def refusal_of(path: Path) -> Path:
    return path.with_suffix(".refused")


@contextmanager
def slot() -> Iterator[None]:
    """One of the few slots for drawing. Raises NoPageImage if none is free for long."""
    if not _renderers.acquire(timeout=WAIT_S):
        raise NoPageImage("Too many pages are being drawn at the moment; load the page again.")
    try:
        yield
    finally:
        _renderers.release()


def make_file_whole(path: Path, make: Callable[[Path], None]) -> None:
    """Write a file so that it appears complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.stem}.{uuid4().hex}.part")
    try:
        make(fresh)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def draw(document: Document, number: int, fresh: Path, dpi: int) -> None:
    if document.media_type != PDF:
        raise NoPageImage("This document is text and has no page images.")
    refused = refusal_of(place(document, f"{number}.webp"))
    if refused.exists():
        raise NoPageImage(refused.read_text())
    try:
        path = Path((document.unlocked or document.file).path)  # of the copy without a password, if there is one
        sandbox.render_in_child(path, number, dpi, fresh, limits())
    except ReadingError as error:
        if error.code == "parse_killed":
            raise NoPageImage("Drawing this page was stopped from outside; load the page again.") from error
        if error.code not in ("internal", "not_isolated"):  # not for an absent page or an error of ours
            refused.write_text(error.message)  # a page that exhausts its limits is tried only once
        raise NoPageImage(error.message) from error
