"""Page images, drawn on demand in a limited child process and kept under the file's digest."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from io import BytesIO
from pathlib import Path

from django.conf import settings
from PIL import Image

from documents.models import Document
from documents.storage.files import drawn_pages, originals
from documents.storage.remote import FilesAway
from documents.storage.temporary import temporary_folder
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


def make_page_image(document: Document, number: int, size: str = "page") -> bytes:
    """The WebP of a page (from 1) in one of the sizes. Raises NoPageImage if it exceeds the limits."""
    name = place(document, f"{number}.webp" if size == "page" else f"{number}.{size}.webp")
    drawn = find_kept(name)
    if drawn is None:
        with slot():
            drawn = find_kept(name)  # it may have been drawn while waiting for a slot
            if drawn is None:
                drawn_pages().make(name, lambda fresh: draw(document, number, fresh, DPI_OF_SIZE[size]))
    return drawn or read_kept(name)


def make_thumbnail(document: Document) -> bytes:
    """A small WebP of the first page. Raises NoPageImage."""
    name = place(document, "thumbnail.webp")
    if (kept := find_kept(name)) is not None:
        return kept
    with Image.open(BytesIO(make_page_image(document, 1))) as page:
        height = max(1, round(page.height * THUMBNAIL_WIDTH / page.width))
        small = page.resize((THUMBNAIL_WIDTH, height), Image.Resampling.LANCZOS)
    drawn_pages().make(name, lambda fresh: small.save(fresh, "WEBP", quality=80))
    return read_kept(name)


def find_kept(name: str) -> bytes | None:
    try:
        return read_kept(name)
    except FileNotFoundError:
        return None


def read_kept(name: str) -> bytes:
    with drawn_pages().open(name) as file:
        content: bytes = file.read()
    return content


def has_image(document: Document, number: int) -> bool:
    """Whether a page can have an image: not for Markdown, and not if it was refused before."""
    try:
        return document.media_type == PDF and not drawn_pages().exists(refusal_name(document, number))
    except FilesAway:  # whoever asks for the image is told
        return True


def limits() -> Limits:
    """The limits for one file, from the settings."""
    return Limits(
        file_bytes=settings.UPLOAD_MAX_BYTES,
        pages=settings.PAGES_MAX,
        memory_bytes=settings.CHILD_MEMORY_BYTES,
        cpu_s=settings.CHILD_CPU_S,
        wall_s=settings.CHILD_WALL_S,
        render_wall_s=settings.RENDER_WALL_S,
        isolation_required=settings.ISOLATION_REQUIRED,
    )


def folder_of(sha256: str) -> str:
    """The folder of everything made from a file's pages. Named by digest, since nothing else matters."""
    return f"{sha256[:2]}/{sha256}"


def found_folder(document: Document) -> AbstractContextManager[Path]:
    """The folder with what was recognised on a file's pages; what the block adds is kept."""
    return drawn_pages().local_folder(folder_of(document.read_sha256))


@contextmanager
def found_so_far(document: Document) -> Iterator[Path]:
    """The same to look into; empty while it cannot be reached, as if nothing had been tried."""
    with ExitStack() as opened:
        try:
            folder = opened.enter_context(found_folder(document))
        except FilesAway:
            folder = opened.enter_context(temporary_folder("unreached"))
        yield folder


def place(document: Document, name: str) -> str:
    return f"{folder_of(document.read_sha256)}/{name}"


def forget(sha256: str) -> None:
    """Delete every image of a file's pages."""
    drawn_pages().remove(folder_of(sha256))


def refusal_name(document: Document, number: int) -> str:
    return place(document, f"{number}.refused")


@contextmanager
def slot() -> Iterator[None]:
    """One of the few slots for drawing. Raises NoPageImage if none is free for long."""
    if not _renderers.acquire(timeout=WAIT_S):
        raise NoPageImage("Too many pages are being drawn at the moment; load the page again.")
    try:
        yield
    finally:
        _renderers.release()


def draw(document: Document, number: int, fresh: Path, dpi: int) -> None:
    if document.media_type != PDF:
        raise NoPageImage("This document is text and has no page images.")
    refused = refusal_name(document, number)
    if told := find_kept(refused):
        raise NoPageImage(told.decode())
    stored = str(document.unlocked or document.file)  # the copy without a password, if there is one
    try:
        with originals().local_copy(stored) as path:
            sandbox.render_in_child(path, number, dpi, fresh, limits())
    except ReadingError as error:
        if error.code == "parse_killed":
            raise NoPageImage("Drawing this page was stopped from outside; load the page again.") from error
        if error.code not in ("internal", "not_isolated"):  # not for an absent page or an error of ours
            message = error.message  # a page that exhausts its limits is tried only once
            drawn_pages().make(refused, lambda part: part.write_text(message))
        raise NoPageImage(error.message) from error
