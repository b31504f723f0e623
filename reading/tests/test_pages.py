"""Kinds of pages (R4), the profile of a document (R10), and why a page was probably not read well (R11)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from reading.layout.lines import PageLine
from reading.limits import Limits
from reading.matching import match_form
from reading.pages.kinds import covered_share, kind_of_page
from reading.pages.profile import class_of_program, profile_of
from reading.pages.quality import quality_flags
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.rows import ImageRow, LineKind, Reading, TextLayer, unreadable_pages
from reading.tests.pdfs import write_pdf

WIDE, HIGH = 600.0, 800.0


def image(x0: float, y0: float, x1: float, y1: float) -> ImageRow:
    return ImageRow(1, 1, x0, y0, x1, y1, 100, 100)


def page_line(text: str, *, x0: float = 72.0, y0: float = 100.0, kind: LineKind = "body") -> PageLine:
    x1 = x0 + 5 * len(text)
    return PageLine(1, text, match_form(text), x0, y0, x1, y0 + 10, 10.0, False, 0, (), kind=kind)


def picture(shade: int = 90) -> pymupdf.Pixmap:
    made = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80), False)
    made.clear_with(shade)
    return made


def read(document: pymupdf.Document, folder: Path) -> Reading:
    path = folder / "made.pdf"
    document.save(path)
    return read_pdf(path, Limits())


# ---- kinds


@pytest.mark.parametrize(
    ("layer", "share", "fields", "is_without_ink", "kind"),
    [
        ("text", 0.0, 0, False, "text"),
        ("text", 0.49, 2, False, "text"),
        ("text", 0.5, 0, False, "image_heavy"),
        ("text", 1.0, 0, False, "image_heavy"),  # a slide: a picture behind text of the page's own
        ("none", 0.95, 0, False, "scan"),
        ("ocr", 0.95, 0, False, "scan"),
        ("none", 0.94, 0, False, "image_heavy"),
        ("none", 0.0, 0, False, "image_heavy"),  # letters drawn as shapes
        ("none", 0.0, 0, True, "blank"),
        ("ocr", 0.0, 0, True, "text"),  # recognised: somebody read it
        ("text", 0.0, 3, False, "form"),
        ("none", 1.0, 3, False, "form"),
    ],
)
def test_a_page_has_one_kind(layer: TextLayer, share: float, fields: int, is_without_ink: bool, kind: str) -> None:
    """(R4)"""
    assert kind_of_page(layer, share, fields, is_without_ink=is_without_ink) == kind


@pytest.mark.parametrize(
    ("images", "share"),
    [
        ([], 0.0),
        ([image(0, 0, 600, 800)], 1.0),
        ([image(0, 0, 300, 800), image(300, 0, 600, 800)], 1.0),  # a scan in strips
        ([image(0, 0, 600, 400), image(0, 200, 600, 400)], 0.5),  # twice the same place counts once
        ([image(0, 0, 300, 400), image(150, 200, 450, 600)], (2 * 300 * 400 - 150 * 200) / (600 * 800)),
    ],
)
def test_pictures_cover_a_share_of_a_page(images: Sequence[ImageRow], share: float) -> None:
    assert covered_share(images, WIDE, HIGH) == pytest.approx(share)
    assert covered_share(images, 0.0, HIGH) == 0.0


def test_pages_are_told_apart_in_a_file(tmp_path: Path) -> None:
    """(R4) A text, a scan, a scan in strips, a slide, a form, a blank page, and a page of drawn shapes."""
    document = pymupdf.open()
    document.new_page().insert_text((72, 90), "Either party may end the contract.")
    scan = document.new_page()
    scan.insert_image(scan.rect, pixmap=picture(), keep_proportion=False)
    strips = document.new_page()
    for top in (0, 421):
        strips.insert_image(pymupdf.Rect(0, top, 595, top + 421), pixmap=picture(), keep_proportion=False)
    slide = document.new_page()
    slide.insert_image(slide.rect, pixmap=picture(240), keep_proportion=False)
    slide.insert_text((72, 90), "Sales rose by a tenth.")
    form = document.new_page()
    form.insert_text((72, 60), "Fill in:")
    for row in range(3):
        widget = pymupdf.Widget()
        widget.field_name, widget.field_type = f"field {row}", pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT
        widget.rect = pymupdf.Rect(72, 100 + 40 * row, 300, 120 + 40 * row)
        form.add_widget(widget)
    document.new_page().draw_line((72, 780), (520, 780), width=1)  # a rule where a footer would be
    drawn = document.new_page()
    drawn.draw_line((72, 90), (300, 90), width=8)
    reading = read(document, tmp_path)
    kinds = ["text", "scan", "scan", "image_heavy", "form", "blank", "image_heavy"]
    assert [page.kind for page in reading.pages] == kinds
    assert unreadable_pages(reading.pages) == [2, 3, 7], "a blank page has nothing to read"
    assert ["no_text" in page.flags for page in reading.pages] == [kind in (2, 3, 7) for kind in range(1, 8)]
    assert [(each.page_number, each.number_on_page) for each in reading.images] == [(2, 1), (3, 1), (3, 2), (4, 1)]
    box = reading.images[0]
    assert (box.x0, box.y0) == (0, 0) and box.x1 == pytest.approx(595, abs=1) and box.width_px == 60


def test_a_picture_has_its_place_on_a_turned_page(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((72, 90), "A picture at the lower left.")
    page.insert_image(pymupdf.Rect(50, 400, 150, 500), pixmap=picture(), keep_proportion=False)
    page.set_rotation(90)
    [found] = read(document, tmp_path).images
    # Turned to the right, what stood 400 to 500 from the top stands 100 to 200 from the left.
    assert (found.x0, found.y0, found.x1, found.y1) == pytest.approx((100, 50, 200, 150), abs=1)


# ---- quality


def table_in_pieces(cells: int, caption: str = "Table 4: Sales by region") -> list[PageLine]:
    return [page_line(caption, kind="caption")] + [page_line("12", y0=120.0 + 12 * n) for n in range(cells)]


@pytest.mark.parametrize(
    ("lines", "images", "columns", "flags"),
    [
        ([page_line("Some text.")], [], 1, []),
        (table_in_pieces(10), [], 1, ["flattened_table"]),
        (table_in_pieces(9), [], 1, []),
        (table_in_pieces(10, "Figure 4: Sales by region"), [], 1, []),
        ([*table_in_pieces(0), *(page_line("• ", y0=120.0 + n) for n in range(12))], [], 1, []),
        ([page_line("Some text.")], [image(72, 300, 372, 500)], 1, ["opaque_figure"]),
        ([page_line("Some text.")], [image(72, 300, 140, 500)], 1, []),  # narrower than an inch: a logo
        ([page_line("Axis", x0=100, y0=400)], [image(72, 300, 372, 500)], 1, []),
        ([page_line("Some text.")], [], 2, []),
        ([page_line("Some text.")], [], 3, ["many_columns"]),
        ([], [image(0, 0, 600, 800)], 1, []),  # the page is recognised as a whole
    ],
)
def test_a_page_read_badly_is_flagged(
    lines: list[PageLine], images: list[ImageRow], columns: int, flags: list[str]
) -> None:
    """(R11)"""
    assert list(quality_flags(lines, images, columns, WIDE, HIGH)) == flags


# ---- profile


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ({}, ""),
        ({"creator": "Writer", "producer": "LibreOffice 24.2"}, "office"),
        ({"creator": "LaTeX with hyperref", "producer": "pdfTeX-1.40.25"}, "typesetting"),
        ({"creator": "Adobe InDesign 17.1 (Macintosh)"}, "design"),
        ({"creator": "Canon iR-ADV C5235 PDF", "producer": "Adobe PSL 1.1e"}, "scanner"),
        ({"producer": "Acrobat Distiller 9.0"}, "print"),
        ({"creator": "Chromium", "producer": "Skia/PDF m96"}, "web"),
        ({"creator": "Password Manager"}, ""),  # "word" inside a word is none
        ({"creator": "Something of our own"}, ""),
    ],
)
def test_the_program_has_a_class(declared: dict[str, str], kind: str) -> None:
    assert class_of_program(declared) == kind


def test_a_profile_of_a_text(tmp_path: Path) -> None:
    """(R10)"""
    pages = [["# Report", "Sales rose.", "2023\t2022", "Bolts\t12\t10", "Nuts\t30\t28"], ["More text."]]
    outline = [(1, f"Part {number}", 1) for number in range(4)]
    reading = read_pdf(write_pdf(tmp_path / "a.pdf", pages, outline=outline), Limits())
    profile = profile_of(replace(reading, report=reading.report | {"declared": {"creator": "HP Scan"}}))
    assert (profile["pages"], profile["kinds"], profile["tables_at_front"]) == (2, {"text": 2}, 1)
    assert profile["is_table_heavy"] and not profile["is_scanned"]
    assert profile["program_class"] == "scanner" and profile["is_text_of_scanner"], "the pages count, not the claim"
    assert not profile_of(read_markdown("# Rules\n\nBe kind."))["has_usable_contents"]


def test_a_profile_of_a_scan_is_one_whatever_the_file_declares(tmp_path: Path) -> None:
    """(R10)"""
    document = pymupdf.open()
    document.set_metadata({"creator": "Microsoft Word"})
    document.new_page().insert_text((72, 90), "Cover")
    for _ in range(3):
        page = document.new_page()
        page.insert_image(page.rect, pixmap=picture(), keep_proportion=False)
    reading = read(document, tmp_path)
    profile = profile_of(reading)
    assert reading.report["declared"] == {"creator": "Microsoft Word"}
    assert profile["is_scanned"] and profile["is_scan_undeclared"] and profile["program_class"] == "office"
