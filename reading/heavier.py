"""A second, heavier reading of flagged pages (R12): pictures by text recognition, tables by a reader of ruled tables.

Both libraries are optional and run in the confined child. What they find depends on the file alone: it is kept beside
the page's image, one file for each page and method, so no page goes through a method twice. It is added to the page's
own lines, which stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from reading import recognition
from reading.characters import clean_text
from reading.layout.lines import LINE_CHARS, PageLine
from reading.limits import Limits
from reading.matching import match_form
from reading.recognition import OnProgress
from reading.rows import LineSpan

if TYPE_CHECKING:
    import pymupdf

METHOD_OF = {
    "no_text": "ocr",
    "unreadable": "ocr",
    "opaque_figure": "ocr_picture",
    "flattened_table": "pdfplumber",
}
PACKAGES = {"ocr": recognition.PACKAGE, "ocr_picture": recognition.PACKAGE, "pdfplumber": "pdfplumber"}
TABLE_SIDE = 2  # rows and columns: fewer are a frame around text
ROWS_MAX = 500  # of one page's tables
NEAR = 2.0  # points: edges that touch


class PageToRead(NamedTuple):
    """A page that is to be read by a method; the boxes of its pictures, in points."""

    page_number: int
    method: str
    boxes: tuple[tuple[float, float, float, float], ...] = ()


def library_of(method: str) -> str:
    """Name and version of a method's library, "" if it is not installed."""
    return recognition.installed_version(PACKAGES[method])


def found_path(folder: Path, page_number: int, method: str) -> Path:
    return folder / f"{page_number}.{method}.json"


def has_found(folder: Path, page_number: int, method: str) -> bool:
    """Whether a method found something on a page, or that nothing is on it; False if it was not tried."""
    path = found_path(folder, page_number, method)
    if not path.exists():
        return False
    stored = json.loads(path.read_text(encoding="utf-8"))
    return bool(stored["lines"] or stored.get("is_blank"))


def kept_additions(folder: Path) -> dict[int, list[PageLine]]:
    """The lines found earlier, by page, each with its method."""
    kept: dict[int, list[PageLine]] = {}
    for method in ("ocr_picture", "pdfplumber"):
        for path in sorted(folder.glob(f"*.{method}.json")):
            number = int(path.name.partition(".")[0])
            stored = json.loads(path.read_text(encoding="utf-8"))
            lines = [line for raw in stored["lines"] if (line := build_line(number, method, raw)) is not None]
            kept.setdefault(number, []).extend(lines)
    return kept


def build_line(page_number: int, method: str, raw: Sequence[Any]) -> PageLine | None:
    """A stored line, [text, x0, y0, x1, y1] in points; None if nothing is left of it."""
    text, x0, y0, x1, y1 = raw
    text = " ".join(clean_text(str(text))[0].split())[:LINE_CHARS]
    if not text or x1 <= x0 or y1 <= y0:
        return None
    spans = () if method == "pdfplumber" else (LineSpan(0, len(text), x0, x1),)
    size = recognition.FONT_SHARE * (y1 - y0)
    line = PageLine(page_number, text, match_form(text), x0, y0, x1, y1, size, False, 0, spans, method=method)
    line.kind = "table_row" if method == "pdfplumber" else "body"
    return line


def add_lines(pages: Sequence[list[PageLine]], additions: Mapping[int, Sequence[PageLine]]) -> None:
    """Put each added line after the page's own lines that end above it.

    Only once running heads and kinds are known: letters in a picture say nothing of how the text is set.
    """
    for number, added in additions.items():
        if 1 <= number <= len(pages) and pages[number - 1]:  # a page without text is recognised as a whole
            own = pages[number - 1]
            for line in added:
                own.insert(place_of(line, own), line)


def place_of(line: PageLine, own: Sequence[PageLine]) -> int:
    """The index behind the last line that ends above a line, in its width, or that was added above it."""
    above = [at for at, other in enumerate(own) if other.y1 <= line.y0 + NEAR and other.x0 < line.x1 + NEAR]
    alongside = [at for at in above if own[at].x1 > line.x0 - NEAR]
    return max(alongside or above, default=-1) + 1


# ---- in the child process


def read_again(path: Path, folder: Path, wanted: Sequence[PageToRead], limits: Limits, on_progress: OnProgress) -> None:
    """Read pages by their methods; progress counts them. Raises ReadingError."""
    from reading import pdf

    on_progress(0, len(wanted))
    with pdf.open_pdf(path, limits) as document:
        read_image = recognition.recogniser() if any(one.method != "pdfplumber" for one in wanted) else None
        for done, one in enumerate(wanted, start=1):
            found: Mapping[str, object]
            if one.method == "ocr" and read_image:
                found = recognition.recognised_page(document, one.page_number, read_image, limits)
            elif one.method == "pdfplumber":
                found = {"engine": library_of(one.method), "lines": list(table_lines(path, one.page_number))}
            else:
                lines = picture_lines(document, one, read_image, limits)
                found = {"engine": library_of(one.method), "lines": list(lines)}
            recognition.write_page_text(found_path(folder, one.page_number, one.method), found)
            on_progress(done, len(wanted))


def picture_lines(
    document: pymupdf.Document, wanted: PageToRead, read_image: Any, limits: Limits
) -> Iterator[list[Any]]:
    """The recognised lines inside the pictures of a page, in points; none if it cannot be drawn."""
    from reading import pdf

    drawn = pdf.draw_page(document, wanted.page_number, recognition.DPI, limits)
    if drawn is None:
        return
    image, zoom = drawn
    for x0, y0, x1, y1 in wanted.boxes:
        part = image.crop((int(x0 * zoom), int(y0 * zoom), int(x1 * zoom), int(y1 * zoom)))
        for text, left, top, right, bottom in recognition.convert_lines(read_image(part), zoom):
            yield [text, round(x0 + left, 2), round(y0 + top, 2), round(x0 + right, 2), round(y0 + bottom, 2)]


def table_lines(path: Path, page_number: int) -> Iterator[list[Any]]:
    """The rows of the ruled tables of a page, their cells parted by "|", in points."""
    import pdfplumber

    with pdfplumber.open(path, pages=[page_number]) as document:
        page = document.pages[0]
        left, top = page.bbox[:2]
        count = 0
        for table in page.find_tables():
            texts = table.extract()
            if len(texts) < TABLE_SIDE or max(map(len, texts)) < TABLE_SIDE:
                continue
            for row, cells in zip(table.rows, texts, strict=True):
                shown = [" ".join((cell or "").split()) for cell in cells]
                if sum(map(bool, shown)) >= TABLE_SIDE and count < ROWS_MAX:
                    count += 1
                    x0, y0, x1, y1 = row.bbox
                    yield [" | ".join(shown), *(round(p, 2) for p in (x0 - left, y0 - top, x1 - left, y1 - top))]
