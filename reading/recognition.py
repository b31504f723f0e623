"""Text recognition (OCR) of pages without text (R12), by an optional library. Each page's text has its own file.

The recognised text depends on the file alone, so it is stored beside the page's image and reused by later readings,
and an interrupted run continues with the next page.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from reading.characters import clean_text
from reading.layout.lines import PageText, TextPiece
from reading.limits import MIB, Limits
from reading.rows import LineSpan

if TYPE_CHECKING:  # the web process only asks whether the library is installed, and must not load PDF code
    import pymupdf

PACKAGE = "rapidocr"
DPI = 150  # of 100, 150 and 200 the lowest at which small print is complete
PAGES_A_CHILD = 8  # then a new process begins: a bad page costs at most this many
PAGE_CPU_S, PAGE_WALL_S = 90, 300  # measured: 12 s for a dense page on two busy cores
MEMORY_BYTES = 4096 * MIB  # of address space; 800 MB of it are used
THREADS = 2
SCORE_MIN = 0.5  # below, the recogniser is guessing
FONT_SHARE = 0.72  # ratio of font size to a line's box
DESCENT = 0.22  # share of a line's box below the baseline
BLANK_RANGE = 24  # of 255: paper that differs by less is empty

OnProgress = Callable[[int, int], None]


class RecognisedPage(TypedDict):
    """What is kept of a page that was recognised: its lines as text and box (x0, y0, x1, y1), in points."""

    engine: str  # with its version
    lines: list[list[Any]]
    is_blank: bool


def engine() -> str:
    """Name and version of the library, "" if not installed."""
    return installed_version(PACKAGE)


def installed_version(package: str) -> str:
    """Name and version of a package, "" if it is not installed."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def limits_of_recognition(limits: Limits) -> Limits:
    return replace(
        limits, memory_bytes=MEMORY_BYTES, cpu_s=PAGES_A_CHILD * PAGE_CPU_S, wall_s=PAGES_A_CHILD * PAGE_WALL_S
    )


def page_text_path(folder: Path, page_number: int) -> Path:
    return folder / f"{page_number}.ocr.json"


def kept_pages(folder: Path) -> dict[int, PageText]:
    """The pages recognised earlier, ready to be cut into lines."""
    kept = {}
    for path in folder.glob("*.ocr.json"):
        stored: RecognisedPage = json.loads(path.read_text(encoding="utf-8"))
        if stored["lines"] or stored["is_blank"]:
            kept[int(path.name.partition(".")[0])] = build_page_text(stored["lines"])
    return kept


def pages_tried(folder: Path) -> set[int]:
    """The pages that recognition looked at, whatever it found."""
    return {int(path.name.partition(".")[0]) for path in folder.glob("*.ocr.json")}


def build_page_text(lines: Sequence[Sequence[Any]]) -> PageText:
    """Recognised lines, [text, x0, y0, x1, y1] in points, as the pieces of a page."""
    page = PageText({}, is_recognised=True)
    for raw, x0, y0, x1, y1 in lines:
        text, removed = clean_text(str(raw))
        text = " ".join(text.split())
        page.removed_chars += removed
        if text and x1 > x0 and y1 > y0:
            height, spans = y1 - y0, (LineSpan(0, len(text), x0, x1),)
            piece = TextPiece(text, x0, y0, x1, y1, y1 - DESCENT * height, round(FONT_SHARE * height), False, spans)
            page.pieces.setdefault(0, []).append(piece)
            page.chars += len(text)
    return page


# ---- in the child process


def recognise_pages(path: Path, folder: Path, limits: Limits, on_progress: OnProgress) -> None:
    """Recognise the next pages without text; progress counts pages done, of all. Raises ReadingError."""
    from reading import pdf

    with pdf.open_pdf(path, limits) as document:
        numbers = list(pdf.pages_without_text(document, limits))
        waiting = [number for number in numbers if not page_text_path(folder, number).exists()]
        done = len(numbers) - len(waiting)
        on_progress(done, len(numbers))
        if not waiting:
            return
        read_image = recogniser()
        for number in waiting[:PAGES_A_CHILD]:
            write_page_text(page_text_path(folder, number), recognised_page(document, number, read_image, limits))
            done += 1
            on_progress(done, len(numbers))


def recognised_page(
    document: pymupdf.Document, number: int, read_image: Callable[[Any], Any], limits: Limits
) -> RecognisedPage:
    """The recognised text of a page, and whether it is blank; neither if it cannot be drawn."""
    from reading import pdf

    drawn = pdf.draw_page(document, number, DPI, limits)
    if drawn is None:
        return {"engine": engine(), "lines": [], "is_blank": False}
    image, zoom = drawn
    shades = [shade for shade, count in enumerate(image.convert("L").histogram()) if count]
    is_blank = shades[-1] - shades[0] < BLANK_RANGE
    lines = [] if is_blank else list(convert_lines(read_image(image), zoom))
    return {"engine": engine(), "lines": lines, "is_blank": is_blank}


def convert_lines(found: Any, zoom: float) -> Iterator[list[Any]]:
    """The recogniser's boxes (four corners in pixels), texts and scores as lines in points."""
    if found.txts is None:
        return
    for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
        if score >= SCORE_MIN:
            xs, ys = [float(x) / zoom for x, _ in corners], [float(y) / zoom for _, y in corners]
            yield [text, *(round(place, 2) for place in (min(xs), min(ys), max(xs), max(ys)))]


def recogniser() -> Callable[[Any], Any]:
    """The library's engine as a function of an image."""
    import cv2
    import numpy as np  # here, not above: every reading child would pay a tenth of a second
    from rapidocr import RapidOCR

    cv2.setNumThreads(1)
    threads = "EngineConfig.onnxruntime.intra_op_num_threads"
    read = RapidOCR(params={"Global.log_level": "error", threads: THREADS})
    return lambda image: read(np.asarray(image)[:, :, ::-1])  # it expects BGR


def write_page_text(path: Path, page: Mapping[str, object]) -> None:
    """Write a page's text so that it appears whole or not at all."""
    fresh = path.with_suffix(".part")
    fresh.write_text(json.dumps(page, ensure_ascii=False), encoding="utf-8")
    os.replace(fresh, path)
