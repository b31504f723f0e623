"""The only module that opens a PDF: guarded opening, text pieces, page facts, outline, links, page images."""

# mypy: disallow-untyped-calls=False
# The library annotates only part of its functions.

from __future__ import annotations

import math
import mmap
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pymupdf
from pymupdf.utils import construct_label

from reading.characters import clean_text
from reading.layout.doubles import drop_doubles
from reading.layout.extracted import Span, SpanBlock
from reading.layout.gaps import cut_at_gaps
from reading.layout.lines import PageText, Turn, WhiteSpan, pieces_of
from reading.layout.scripts import cut_at_scripts
from reading.layout.strikes import is_drawn, mark_struck, without_drawn
from reading.layout.symbols import name_symbols
from reading.layout.unknown import mark_unknown
from reading.limits import HEADER_WITHIN, MIB, PDF_HEADER, Limits
from reading.pages.drawn_boxes import boxes_drawn
from reading.pages.fields import FormField, drop_drawn, fields_on, put_fields
from reading.processes.forked import Patience, run_in_fork
from reading.reasons import ReadingError, refusal
from reading.rows import ImageRow

if TYPE_CHECKING:  # only where pages are drawn: every reading child would pay for the import
    from PIL import Image

TEXT_FLAGS = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
INK_FLAGS = TEXT_FLAGS & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE | pymupdf.TEXT_ACCURATE_BBOXES
# With what is drawn as blocks of their own, at no cost; without "lazy" they would part blocks of text.
DRAWN_FLAGS = TEXT_FLAGS | pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_LAZY_VECTORS
STYLED_FLAGS = TEXT_FLAGS | pymupdf.TEXT_COLLECT_STYLES  # takes seven times as long
EVERYWHERE = pymupdf.INFINITE_RECT()
PDF_ERRORS = (pymupdf.FileDataError, pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, SystemError, IndexError)
MEMORY_WORDS = ("alloc (", "alloc(", "out of memory", "cannot allocate", "bad_alloc")
SUSPECT_STREAM_BYTES = 200_000  # a page stream this long is measured before its text is turned into objects
LINK_PAGES, PAGE_LINKS = 20, 2_000
# Processor time for each optional look at a file. Nearly every file needs a tenth of a second for all of them, one
# public file 40 s for its links.
DECLARED_S, LINKS_S, WHITE_S = 4.0, 2.0, 6.0
WHITE_PAGE_S = 2.0  # for drawing one page: a hundred times the usual
POINTS_PER_INCH = 72
NOT_ENCRYPTED = 1  # what the library calls PDF_ENCRYPT_NONE
LABEL_CHARS, LABEL_NODES = 40, 20_000
TINY_PT = 1.0
WHITE = 0xF8F8F8
BLANK_RANGE = 8  # of 255: at the zoom below a full stop of ten-point print darkens a pixel by about 60
RULE_ROWS = 2  # of pixels, four points: the smallest print is higher than that, a rule is not
WHITE_ZOOM = 0.5  # a letter page in 306 x 396 pixels: a few milliseconds
WEBP_QUALITY, WEBP_METHOD = 80, 0  # method 0: half the time of 4 for a fifth more bytes
IMAGE_SIDE_PT, PAGE_IMAGES = 8.0, 200  # smaller than a letter is a bullet or a rule; more are tiles of one drawing
ACTIVE_KEYS = ("OpenAction", "AA", "Names/JavaScript", "AcroForm/XFA")


class PdfDocument(pymupdf.Document):
    """A PDF opened without its outline, which may take longer than all its text; `read_pdf_outline` reads it."""

    def _loadOutline(self) -> None:
        return None


pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


class OutlineItem(NamedTuple):
    """One entry of the file's own outline: 1-based page, y of its target in points from the page's top."""

    level: int
    title: str
    page_number: int
    y: float


class InternalLink(NamedTuple):
    """An internal link: its rectangle on `page_number` (displayed, in points) and its target page and y."""

    page_number: int
    x0: float
    y0: float
    x1: float
    y1: float
    target_page: int
    target_y: float


class PageFacts(NamedTuple):
    """One extracted page. `text` is None if it could not be read."""

    number: int
    width: float
    height: float
    rotation: int
    text: PageText | None
    is_cut: bool
    is_out_of_memory: bool
    images: tuple[ImageRow, ...] = ()
    fields: int = 0  # to be filled in
    shown_fields: tuple[FormField, ...] = ()


@contextmanager
def open_pdf(path: Path, limits: Limits, password: str = "") -> Iterator[PdfDocument]:
    """Open the file as a PDF with pages. Raises ReadingError with the reason."""
    check_file(path, limits)
    try:
        # Not by path: a forked copy would share the open file and move its position.
        document = PdfDocument(stream=map_file(path), filetype="pdf")
    except PDF_ERRORS as error:
        raise refused_open(error, path, limits) from error
    with document:
        try:
            check_document(document, limits, password)
        except PDF_ERRORS as error:
            raise refused_open(error, path, limits) from error
        yield document


def map_file(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def check_file(path: Path, limits: Limits) -> None:
    size_bytes = path.stat().st_size
    if size_bytes == 0:
        raise refusal("empty_file")
    if size_bytes > limits.file_bytes:
        raise refusal("too_large", f"{size_bytes} bytes", limit_mb=limits.file_bytes // 1_000_000)
    with path.open("rb") as file:
        if PDF_HEADER not in file.read(HEADER_WITHIN):
            raise refusal("not_pdf", f"no {PDF_HEADER.decode()} within the first {HEADER_WITHIN} bytes")


def check_document(document: PdfDocument, limits: Limits, password: str) -> None:
    if not document.is_pdf:
        raise refusal("not_pdf", f"opens as {(document.metadata or {}).get('format')}")
    if document.needs_pass and not (password and document.authenticate(password)):
        raise refusal("wrong_password" if password else "encrypted")
    if document.page_count <= 0:
        raise refusal("no_pages") if is_without_pages(document) else refusal("damaged", "the list of pages is broken")
    if document.page_count > limits.pages:
        raise refusal("too_many_pages", pages=document.page_count, limit=limits.pages)


def is_without_pages(document: PdfDocument) -> bool:
    """Whether a whole file says itself that it has no pages; one that was repaired may have lost them."""
    kids = document.xref_get_key(-1, "Root/Pages/Kids")
    return not document.is_repaired and kids[0] == "array" and not kids[1].strip("[] \r\n\t")


def refused_open(error: Exception, path: Path, limits: Limits) -> ReadingError:
    told = error.__cause__ or error  # the library's own words stand below a sentence that is always the same
    detail = f"{type(error).__name__}: {told}".replace(str(path), "the file")
    if is_memory_error(error):
        return refusal("parse_memory", detail, memory_mb=limits.memory_bytes // MIB)
    return refusal("unknown_encryption" if "encrypt" in detail.lower() else "damaged", detail)


def is_memory_error(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or any(word in str(error).lower() for word in MEMORY_WORDS)


def write_unlocked(path: Path, out_path: Path, password: str, limits: Limits) -> None:
    """Write the file without its password. Raises ReadingError."""
    with open_pdf(path, limits, password) as document:
        try:
            # In streams of objects, as it may have been: a copy must not be larger than what is taken.
            document.save(out_path, encryption=NOT_ENCRYPTED, deflate=True, use_objstms=1)
        except PDF_ERRORS as error:
            raise refused_open(error, path, limits) from error


# ---- pages


def read_pages(document: PdfDocument, limits: Limits) -> Iterator[PageFacts]:
    """Every page in order; an unreadable page has no text."""
    has_fields = bool(document.is_form_pdf)
    return (read_page(document, index, limits, has_fields=has_fields) for index in range(document.page_count))


def read_page(document: PdfDocument, index: int, limits: Limits, *, has_fields: bool = False) -> PageFacts:
    try:
        page = document[index]
        width, height, rotation = page.rect.width, page.rect.height, page.rotation
        turn = turn_of(page) if rotation else None
        fields = fields_of(page) if has_fields else 0
        shown = fields_on(page) if fields else []
        text, is_cut, shown = page_text(page, width, height, turn, limits, shown)
        images = () if is_cut else tuple(images_of(page, width, height, turn))
    except (*PDF_ERRORS, MemoryError) as error:
        return PageFacts(index + 1, 612.0, 792.0, 0, None, False, is_memory_error(error))
    return PageFacts(index + 1, width, height, rotation, text, is_cut, False, images, fields, tuple(shown))


def images_of(page: pymupdf.Page, width: float, height: float, turn: Turn | None) -> Iterator[ImageRow]:
    """The pictures that are seen on a page, cut to it, in its order; rules and dots drawn as pictures are left out.

    Only a page that names pictures is drawn a second time for them: one in thirty of the shared filings.
    """
    if not page.get_images() or stream_bytes(page) > SUSPECT_STREAM_BYTES:
        return
    number = 0
    for found in page.get_image_info():
        x0, y0, x1, y1 = turn_box(found["bbox"], turn)
        x0, y0, x1, y1 = max(x0, 0.0), max(y0, 0.0), min(x1, width), min(y1, height)
        if min(x1 - x0, y1 - y0) >= IMAGE_SIDE_PT and number < PAGE_IMAGES:
            number += 1
            x0, y0, x1, y1 = (round(place, 2) for place in (x0, y0, x1, y1))
            yield ImageRow(page.number + 1, number, x0, y0, x1, y1, found["width"], found["height"])


def fields_of(page: pymupdf.Page) -> int:
    """How many fields a page has to be filled in; a place for a signature counts as one."""
    return sum(kind == pymupdf.mupdf.PDF_ANNOT_WIDGET for _, kind, _ in page.annot_xrefs())


def page_text(
    page: pymupdf.Page, width: float, height: float, turn: Turn | None, limits: Limits, fields: Sequence[FormField] = ()
) -> tuple[PageText, bool, list[FormField]]:
    """The page's text pieces, whether they exceeded the limit, and its fields with those that are drawn."""
    if stream_bytes(page) > SUSPECT_STREAM_BYTES and len(page.get_text("text", flags=TEXT_FLAGS)) > limits.page_chars:
        return PageText({}), True, list(fields)
    sides = (height, width) if page.rotation % 180 else (width, height)
    everything, off_page_chars = blocks_on_page(page, *sides, limits)
    found, drawn = without_drawn(everything)
    found = mark_struck(found, drawn, lambda: page.get_text("dict", flags=STYLED_FLAGS)["blocks"])
    blocks, is_cut = within_limits(found, limits)
    name_symbols(page, blocks)
    characters = cache(lambda: page.get_text("rawdict", flags=TEXT_FLAGS)["blocks"])
    mark_unknown(blocks, lambda inked: page.get_text("rawdict", flags=INK_FLAGS)["blocks"] if inked else characters())
    drop_doubles(blocks)
    cut_at_scripts(blocks, characters)
    cut_at_gaps(blocks, characters)
    taken = [field.box for field in fields]
    shown = [
        *fields,
        *boxes_drawn(drawn, blocks, taken, lambda: picture_boxes(page, turn), partial(turn_box, turn=turn)),
    ]
    drop_drawn(blocks, shown, page)
    text = pieces_of(blocks, width, height, turn)
    put_fields(text, shown, width, height)
    text.off_page_chars = off_page_chars
    look_for_concealed(text, blocks, turn)
    return text, is_cut, shown


def picture_boxes(page: pymupdf.Page, turn: Turn | None) -> list[tuple[float, float, float, float]]:
    """Where the pictures of a page are, in the coordinates of the displayed page."""
    return [turn_box(found["bbox"], turn) for found in page.get_image_info()] if page.get_images() else []


def blocks_on_page(page: pymupdf.Page, width: float, height: float, limits: Limits) -> tuple[list[SpanBlock], int]:
    """The blocks of a page, cut to it before it is turned, and how many characters stand outside it.

    A page that is not cropped and whose text all stands on it, as nearly every one, is gone through once. What is
    drawn on it is among the blocks, unless that is too much to be looked at.
    """
    flags = DRAWN_FLAGS if stream_bytes(page) <= SUSPECT_STREAM_BYTES else TEXT_FLAGS
    if page.cropbox == page.mediabox:
        everywhere = page.get_textpage(flags=flags, clip=EVERYWHERE)
        if len(everywhere.extractText()) <= limits.page_chars:
            blocks: list[SpanBlock] = everywhere.extractDICT()["blocks"]
            if all(is_drawn(block) or is_on_page(block["bbox"], width, height) for block in blocks):
                return blocks, 0
    blocks = page.get_text("dict", flags=flags)["blocks"]
    everywhere = page.get_textpage(flags=TEXT_FLAGS & ~pymupdf.TEXT_CLIP, clip=EVERYWHERE)
    written = everywhere.extractText()
    if len(written) > limits.page_chars:  # too much to be looked at one by one
        return blocks, max(
            0, count_seen(written) - sum(count_seen(span["text"]) for span in spans_of(without_drawn(blocks)[0]))
        )
    beside = (span for span in spans_of(everywhere.extractDICT()["blocks"]) if is_off_page(span["bbox"], width, height))
    return blocks, sum(count_seen(span["text"]) for span in beside)


def spans_of(blocks: Sequence[SpanBlock]) -> Iterator[Span]:
    return (span for block in blocks if not is_drawn(block) for line in block["lines"] for span in line["spans"])


def is_on_page(box: Sequence[float], width: float, height: float) -> bool:
    return bool(box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height)


def is_off_page(box: Sequence[float], width: float, height: float) -> bool:
    return bool(box[0] >= width or box[1] >= height or box[2] <= 0 or box[3] <= 0)


def count_seen(text: str) -> int:
    return sum(map(len, text.split()))


def pages_without_text(document: PdfDocument, limits: Limits) -> Iterator[int]:
    """The numbers of the pages without text of their own."""
    return (fact.number for fact in read_pages(document, limits) if fact.text is None or not fact.text.chars)


def look_for_concealed(text: PageText, blocks: list[SpanBlock], turn: Turn | None) -> None:
    """Count invisible text (under one point high, or transparent), and collect what is painted white."""
    spans = [span for span in spans_of(blocks) if is_odd(span)]
    for span in spans:
        chars = len(span["text"].strip())
        if span["size"] < TINY_PT or not span["alpha"]:
            text.concealed_chars += chars
            text.concealed.append(WhiteSpan(*turn_box(span["bbox"], turn), chars))
        elif is_white(span["color"]) and chars:
            text.white.append(WhiteSpan(*turn_box(span["bbox"], turn), chars))


def turn_box(box: Sequence[float], turn: Turn | None) -> tuple[float, float, float, float]:
    """A box in the coordinates of the displayed page."""
    corners = [(box[0], box[1]), (box[2], box[3])]
    xs, ys = zip(*(turn(x, y) if turn else (x, y) for x, y in corners), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def is_odd(span: Span) -> bool:
    """A quick check that dismisses nearly every span."""
    return bool(span["color"] >= WHITE or span["size"] < TINY_PT or not span["alpha"])


def is_white(color: int) -> bool:
    return all((color >> shift) & 0xFF >= WHITE & 0xFF for shift in (0, 8, 16))


def white_on_white(
    document: PdfDocument, white: Mapping[int, Sequence[WhiteSpan]], patience: Patience
) -> dict[int, list[int]]:
    """Page number → which of its white texts are on white; pages that could not be drawn in time are left out."""

    def look(number: int) -> list[int]:
        rows = grey_rows(document[number - 1])
        return [index for index, span in enumerate(white[number]) if is_blank(rows, span)]

    return run_in_fork(list(white), look, WHITE_S, patience, each_s=WHITE_PAGE_S)


def grey_rows(page: pymupdf.Page) -> list[bytes]:
    """A page drawn in grey, row by row."""
    matrix = pymupdf.Matrix(WHITE_ZOOM, WHITE_ZOOM)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
    shades, width = pixmap.samples, pixmap.stride
    return [shades[place : place + width] for place in range(0, len(shades), width)]


def is_blank(rows: Sequence[bytes], span: WhiteSpan) -> bool:
    """Whether a drawn page (rows of grey values) is all white where a span is."""
    left, top = max(int(span.x0 * WHITE_ZOOM), 0), max(int(span.y0 * WHITE_ZOOM), 0)
    right, bottom = max(math.ceil(span.x1 * WHITE_ZOOM), left + 1), max(math.ceil(span.y1 * WHITE_ZOOM), top + 1)
    shades = b"".join(row[left:right] for row in rows[top:bottom])
    return bool(shades) and min(shades) >= WHITE & 0xFF


def within_limits(blocks: list[SpanBlock], limits: Limits) -> tuple[list[SpanBlock], bool]:
    """The blocks up to the page's limits of lines and characters."""
    lines = chars = 0
    for index, block in enumerate(blocks):
        lines += len(block["lines"])
        chars += sum([len(span["text"]) for line in block["lines"] for span in line["spans"]])
        if lines > limits.page_lines or chars > limits.page_chars:
            return blocks[:index], True
    return blocks, False


def stream_bytes(page: pymupdf.Page) -> int:
    """The stored length of the page's content streams; 0 if not declared."""
    total = 0
    for xref in page.get_contents()[:100]:
        kind, length = page.parent.xref_get_key(xref, "Length")
        total += int(length) if kind == "int" else 0
    return total


def turn_of(page: pymupdf.Page) -> Turn:
    """The function from extracted (unrotated) coordinates to the displayed page."""
    matrix: Any = page.rotation_matrix
    a, b, c, d, e, f = matrix
    return lambda x, y: (a * x + c * y + e, b * x + d * y + f)


# ---- facts about the file


def declared_title(document: PdfDocument, limits: Limits) -> str:
    try:
        title = (document.metadata or {}).get("title") or ""
    except PDF_ERRORS:
        return ""
    return clean_text(title)[0].strip()[: limits.title_chars]


def declared_facts(document: PdfDocument, limits: Limits) -> dict[str, str]:
    """What the file says of itself (R10): the programs that made it, its author and its dates; only what is there."""
    try:
        stored = document.metadata or {}
    except PDF_ERRORS:
        return {}
    names = {"creator": "creator", "producer": "producer", "author": "author"}
    names |= {"created": "creationDate", "modified": "modDate"}
    said = {name: clean_text(stored.get(key) or "")[0].strip()[: limits.title_chars] for name, key in names.items()}
    return {name: text for name, text in said.items() if text}


def pages_without_ink(document: PdfDocument, numbers: Sequence[int], patience: Patience) -> dict[int, bool]:
    """Page number → whether it is drawn as one even shade, but for rules: there is nothing on it to read.

    Pages that could not be drawn in time are left out.
    """

    def look(number: int) -> bool:
        rows = grey_rows(document[number - 1])
        paper, run = max(map(max, rows)), 0
        for row in rows:
            run = run + 1 if min(row) <= paper - BLANK_RANGE else 0
            if run > RULE_ROWS:
                return False
        return True

    return run_in_fork(numbers, look, WHITE_S, patience, each_s=WHITE_PAGE_S)


def file_warnings(document: PdfDocument, *, has_fields: bool) -> list[str]:
    """Warnings about the file as a whole: repaired, a form shown elsewhere, scripts, which never run."""
    warnings = ["repaired"] if document.is_repaired else []
    try:
        root = document.pdf_catalog()
        is_xfa = document.xref_get_key(root, "AcroForm/XFA")[0] not in ("null", "none")
        # Where its pages are made by another program, the file has none of their fields.
        if is_xfa and (not has_fields or document.xref_get_key(root, "NeedsRendering")[1] == "true"):
            warnings.append("xfa_form")
        if any(is_active(document, *document.xref_get_key(root, key)) for key in ACTIVE_KEYS):
            warnings.append("active_content_ignored")
    except PDF_ERRORS:
        pass
    return warnings


def is_active(document: PdfDocument, kind: str, value: str) -> bool:
    """Whether a catalog entry runs or carries something; an opening action that only goes to a page does not."""
    if kind == "xref":
        value = document.xref_object(int(value.split()[0]), compressed=True)
    return kind not in ("null", "none", "array") and "/S/GoTo/" not in value.replace(" ", "") + "/"


class Declared(NamedTuple):
    """What the file declares: page number → label, the outline, and warnings about both."""

    labels: dict[int, str]
    outline: list[OutlineItem]
    warnings: list[str]


def read_declared(document: PdfDocument, limits: Limits, patience: Patience) -> Declared:
    """The labels and outline a file declares, as far as they can be read in time."""
    looks: dict[str, Callable[[], Any]] = {}
    if declares(document, "PageLabels"):
        looks["labels"] = partial(read_labels, document)
    if declares(document, "Outlines"):
        looks["outline"] = partial(read_pdf_outline, document, limits)
    found = run_in_fork(list(looks), lambda name: looks[name](), DECLARED_S, patience, each_s=DECLARED_S / 2)
    labels = {number: label for number, label in enumerate(found.get("labels", ()), start=1) if label}
    outline, warnings = found.get("outline", ([], []))
    skipped = [f"{name}_skipped" for name in looks if name not in found]
    return Declared(labels, [OutlineItem(*item) for item in outline], [*warnings, *skipped])


def declares(document: PdfDocument, key: str) -> bool:
    """Whether the file's catalog has an entry."""
    try:
        return bool(document.xref_get_key(document.pdf_catalog(), key)[0] != "null")
    except PDF_ERRORS:
        return False


ROMAN, LETTERS = ("r", "R"), ("a", "A")
COUNTED_IN_SIGNS = (*ROMAN, *LETTERS)
SIGNS_MAX = 9_999  # a larger number would be a label of thousands of signs


class LabelRule(NamedTuple):
    """How the pages from one on are labelled, up to the page of the next rule."""

    first_page: int
    style: str
    prefix: str
    first_number: int


def read_labels(document: PdfDocument) -> list[str]:
    """The label of each page, "" where it has none."""
    rules = sorted(label_rules(document))
    firsts = [rule.first_page for rule in rules]
    return [
        label_by(rules[at - 1], index) if (at := bisect_right(firsts, index)) else ""
        for index in range(document.page_count)
    ]


def label_rules(document: PdfDocument) -> Iterator[LabelRule]:
    """The rules of a file, read below the library's own function, which does not decode what is not written plainly."""
    mupdf = pymupdf.mupdf
    root = mupdf.pdf_dict_gets(mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(document.this)), "Root")
    waiting = [mupdf.pdf_dict_gets(root, "PageLabels")]
    for _ in range(LABEL_NODES):
        if not waiting:
            return
        node = waiting.pop()
        kids, numbers = (mupdf.pdf_dict_gets(node, key) for key in ("Kids", "Nums"))
        waiting += (mupdf.pdf_array_get(kids, at) for at in range(min(mupdf.pdf_array_len(kids), LABEL_NODES)))
        for at in range(0, min(mupdf.pdf_array_len(numbers), LABEL_NODES) - 1, 2):
            page, rule = (mupdf.pdf_array_get(numbers, place) for place in (at, at + 1))
            prefix = mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(rule, "P"))
            style = mupdf.pdf_to_name(mupdf.pdf_dict_gets(rule, "S"))
            number = mupdf.pdf_dict_gets(rule, "St")
            first = mupdf.pdf_to_int(number) if mupdf.pdf_is_int(number) else 1
            yield LabelRule(mupdf.pdf_to_int(page), style, prefix, first)


def label_by(rule: LabelRule, index: int) -> str:
    number = index - rule.first_page + rule.first_number
    if rule.style not in COUNTED_IN_SIGNS:
        said = construct_label(rule.style, rule.prefix, number)
    elif not 0 < number <= SIGNS_MAX:
        said = rule.prefix
    elif rule.style in ROMAN:
        said = construct_label(rule.style, rule.prefix, number)
    else:  # "z" is followed by "aa" and "bb" (PDF 32000-1, 12.4.2), not by "aa" and "ab" as in the library
        said = rule.prefix + chr(ord(rule.style) + (number - 1) % 26) * ((number - 1) // 26 + 1)
    return clean_text(said[:LABEL_CHARS])[0].strip()


def read_pdf_outline(document: PdfDocument, limits: Limits) -> tuple[list[OutlineItem], list[str]]:
    """The file's outline without entries that have no page, and warnings. Not recursive."""
    items: list[OutlineItem] = []
    warnings: list[str] = []
    visited = 0
    try:
        first = pymupdf.Document._loadOutline(document)
        if not first and document.xref_get_key(document.pdf_catalog(), "Outlines/First")[0] != "null":
            return [], ["outline_ignored"]
        waiting = [(first, 1)]
        while waiting:
            entry, level = waiting.pop()
            if not entry or not entry.this.m_internal:
                continue
            visited += 1
            if visited > limits.outline_entries or level > limits.outline_levels:
                warnings = ["outline_cut"]
                if visited > limits.outline_entries:
                    break
                continue
            waiting += [(entry.next, level), (entry.down, level + 1)]
            title = clean_text(entry.title or "")[0].strip()[: limits.title_chars]
            if title and 0 <= entry.page < document.page_count:
                items.append(OutlineItem(level, title, entry.page + 1, finite(entry.y)))
    except (*PDF_ERRORS, MemoryError, RecursionError, UnicodeError):
        return [], ["outline_ignored"]
    return items, warnings


def read_links(document: PdfDocument, patience: Patience) -> tuple[list[InternalLink], bool]:
    """Internal links of the first pages, and whether some were omitted because of number or time."""
    pages = range(min(LINK_PAGES, document.page_count))
    found = run_in_fork(pages, lambda index: links_of_page(document, index), LINKS_S, patience)
    links = [InternalLink(*link) for page_links in found.values() for link in page_links]
    return links, len(found) < len(pages) or any(len(page_links) > PAGE_LINKS for page_links in found.values())


def links_of_page(document: PdfDocument, index: int) -> list[InternalLink]:
    """The page's internal links, read below the library's own list, which takes quadratic time."""
    links: list[InternalLink] = []
    try:
        link = pymupdf.mupdf.fz_load_links(document[index].this)
        for _ in range(PAGE_LINKS + 1):
            if not link.m_internal:
                break
            uri = link.uri()
            if uri and uri.startswith("#"):
                target, _, y = document.resolve_link(uri)
                box = pymupdf.Rect(link.rect())
                if 0 <= target < document.page_count:
                    links.append(InternalLink(index + 1, box.x0, box.y0, box.x1, box.y1, target + 1, finite(y)))
            link = link.next()
    except PDF_ERRORS:
        return []
    return links


def finite(y: float) -> float:
    """A coordinate; 0 if a destination has none (NaN)."""
    return y if math.isfinite(y) else 0.0


# ---- page images


def render_page(path: Path, number: int, dpi: int, out_path: Path, limits: Limits) -> None:
    """Write one page as WebP within the limits. Raises ReadingError."""
    with open_pdf(path, limits) as document:
        if not 1 <= number <= document.page_count:
            raise refusal("internal", f"page {number} of {document.page_count}")
        try:
            image, _ = rasterise_page(document[number - 1], dpi, limits)
        except (*PDF_ERRORS, MemoryError) as error:
            raise refused_render(error, limits) from error
        image.save(out_path, "WEBP", quality=WEBP_QUALITY, method=WEBP_METHOD)


def rasterise_page(page: pymupdf.Page, dpi: int, limits: Limits) -> tuple[Image.Image, float]:
    """The page's image and its pixels per point. Raises ReadingError if too large, and the library's errors."""
    zoom = zoom_within(page.rect.width, page.rect.height, dpi, limits)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
    from PIL import Image

    return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples), zoom


def draw_page(document: pymupdf.Document, number: int, dpi: int, limits: Limits) -> tuple[Image.Image, float] | None:
    """The image of a page and its pixels per point; None if it cannot be drawn."""
    try:
        return rasterise_page(document[number - 1], dpi, limits)
    except (*PDF_ERRORS, MemoryError, ReadingError):
        return None


def refused_render(error: BaseException, limits: Limits) -> ReadingError:
    if isinstance(error, ReadingError):
        return error
    if is_memory_error(error):
        return refusal("parse_memory", str(error), memory_mb=limits.memory_bytes // MIB)
    return refusal("damaged", f"{type(error).__name__}: {error}")


def zoom_within(width: float, height: float, dpi: int, limits: Limits) -> float:
    """The zoom for a resolution, reduced until sides and area fit. Raises ReadingError if the page is too large."""
    if not (0 < width <= limits.page_side_pt and 0 < height <= limits.page_side_pt):
        raise refusal("huge_page", f"{width} x {height} points")
    zoom = dpi / POINTS_PER_INCH
    by_side = limits.image_side_px / max(width, height)
    by_area = (limits.image_pixels / (width * height)) ** 0.5
    return float(min(zoom, by_side, by_area))
