"""A second, heavier reading of flagged pages: what it adds, where, and by which method (R12)."""

import json
from pathlib import Path

import pymupdf
import pytest

from reading.heavier import (
    METHOD_OF,
    PACKAGES,
    PageToRead,
    add_lines,
    build_line,
    found_path,
    kept_additions,
    library_of,
)
from reading.limits import Limits
from reading.pages.quality import DOUBTFUL
from reading.pdf_reader import read_pdf
from reading.processes.sandbox import read_again_in_child, read_in_child
from reading.rows import LineRow
from reading.tests.pdfs import write_pdf

needs_recognition = pytest.mark.skipif(not library_of("ocr_picture"), reason="requirements-ocr.txt is not installed")
needs_tables = pytest.mark.skipif(not library_of("pdfplumber"), reason="requirements-ocr.txt is not installed")
SHOWN = "Deliveries rose in every quarter"


def keep(folder: Path, number: int, method: str, *lines: list[object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found_path(folder, number, method).write_text(json.dumps({"engine": "by hand", "lines": list(lines)}))


def with_figure(path: Path) -> Path:
    """A page of text with a picture of text in its middle."""
    drawn = pymupdf.open().new_page(width=300, height=120)
    drawn.insert_text((20, 60), SHOWN, fontsize=16)
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "The chart below shows the deliveries.")
    page.insert_image(pymupdf.Rect(72, 200, 372, 320), pixmap=drawn.get_pixmap(dpi=150))
    page.insert_text((72, 400), "Figure 1: Deliveries")
    document.save(path)
    return path


def ruled_table(path: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "Table 1: What is charged")
    for row, cells in enumerate([("Week", "Fee"), ("first", "10"), ("second", "20")]):
        for column, cell in enumerate(cells):
            box = pymupdf.Rect(72 + 150 * column, 110 + 24 * row, 222 + 150 * column, 134 + 24 * row)
            page.draw_rect(box)
            page.insert_text((box.x0 + 4, box.y0 + 16), cell)
    document.save(path)
    return path


def added_to(lines: tuple[LineRow, ...]) -> list[tuple[str, str, str]]:
    return [(line.text, line.kind, line.method) for line in lines if line.method != "text"]


def test_every_flag_that_asks_for_it_has_a_method() -> None:
    """(R12) Ruled tables do not mend the order of columns: their pages are named, and sent to no reader."""
    assert set(METHOD_OF) == set(DOUBTFUL) - {"many_columns"} and set(METHOD_OF.values()) == set(PACKAGES)


def test_what_was_found_is_added_where_it_stands_and_the_old_lines_stay(tmp_path: Path) -> None:
    """(R12)"""
    path = with_figure(tmp_path / "a.pdf")
    before = read_in_child(path)
    assert "opaque_figure" in before.pages[0].flags
    keep(tmp_path / "kept", 1, "ocr_picture", [SHOWN, 92, 250, 340, 270])
    after = read_in_child(path, recognised=tmp_path / "kept")
    assert [line.text for line in after.lines] == [before.lines[0].text, SHOWN, before.lines[1].text]
    assert [line.number for line in after.lines] == [1, 2, 3]
    assert added_to(after.lines) == [(SHOWN, "body", "ocr_picture")]
    assert after.pages[0].flags == () and after.report["read_again"] == {"ocr_picture": [1]}
    assert before.report["read_again"] == {}


def test_a_page_where_nothing_was_found_is_as_before(tmp_path: Path) -> None:
    path = with_figure(tmp_path / "a.pdf")
    keep(tmp_path / "kept", 1, "ocr_picture")
    keep(tmp_path / "kept", 7, "pdfplumber", ["of | no page", 1, 1, 9, 9])
    after = read_in_child(path, recognised=tmp_path / "kept")
    assert after.lines == read_in_child(path).lines and "opaque_figure" in after.pages[0].flags


@pytest.mark.parametrize("raw", [["  ", 0, 0, 9, 9], ["upside down", 9, 9, 0, 0]])
def test_nothing_makes_no_line(raw: list[object]) -> None:
    assert build_line(1, "ocr_picture", raw) is None


def test_a_page_without_lines_gets_none() -> None:
    line = build_line(1, "pdfplumber", ["a | b", 1, 1, 9, 9])
    pages: list[list[object]] = [[]]
    assert line is not None
    add_lines(pages, {1: [line], 9: [line]})  # type: ignore[arg-type]
    assert pages == [[]]


def test_letters_of_a_picture_do_not_change_how_the_text_is_set(tmp_path: Path) -> None:
    """A title in a picture is no heading, however large."""
    path = write_pdf(tmp_path / "a.pdf", [["# One", "Text.", "# Two", "Text.", "# Three", "Text.", "# Four", "Text."]])
    keep(tmp_path / "kept", 1, "ocr_picture", ["A Large Title", 72, 500, 400, 560])
    added = kept_additions(tmp_path / "kept")
    plain, reading = read_pdf(path, Limits()), read_pdf(path, Limits(), added=added)
    assert [entry.title for entry in reading.toc] == [entry.title for entry in plain.toc]
    assert reading.report["body_size"] == plain.report["body_size"]


@needs_recognition
def test_a_picture_is_recognised(tmp_path: Path) -> None:
    path, folder = with_figure(tmp_path / "a.pdf"), tmp_path / "kept"
    told: list[tuple[int, int]] = []
    wanted = [PageToRead(1, "ocr_picture", ((72.0, 200.0, 372.0, 320.0),))]
    read_again_in_child(path, folder, wanted, Limits(), lambda *step: told.append(step))
    [(text, _, method)] = added_to(read_in_child(path, recognised=folder).lines)
    assert (text, method, told[-1]) == (SHOWN, "ocr_picture", (1, 1))


@needs_tables
def test_a_ruled_table_is_read_row_by_row(tmp_path: Path) -> None:
    path, folder = ruled_table(tmp_path / "a.pdf"), tmp_path / "kept"
    read_again_in_child(path, folder, [PageToRead(1, "pdfplumber")], Limits(), lambda *_: None)
    reading = read_in_child(path, recognised=folder)
    rows = [("Week | Fee", "table_row", "pdfplumber"), ("first | 10", "table_row", "pdfplumber")]
    assert added_to(reading.lines)[:2] == rows
    row = next(line for line in reading.lines if line.text == "first | 10")
    assert (row.x0, row.y0, row.x1, row.y1) == pytest.approx((72, 134, 372, 158), abs=1)
    assert {"Week", "first"} <= {line.text.split()[0] for line in reading.lines if line.method == "text"}
