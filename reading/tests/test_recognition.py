"""Recognised text on its way into rows: the recogniser's boxes, the file of each page, and pages that gave nothing."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from reading import recognition
from reading.limits import MIB, Limits
from reading.pdf import open_pdf
from reading.recognition import (
    FONT_SHARE,
    MEMORY_BYTES,
    PAGES_A_CHILD,
    SCORE_MIN,
    build_page_text,
    convert_lines,
    kept_pages,
    limits_of_recognition,
    page_text_path,
    recognise_pages,
    recognised_page,
    write_page_text,
)
from reading.tests.pdfs import write_pdf

LINE: list[Any] = ["The rent is due.", 72.0, 90.0, 200.0, 104.0]


@dataclass
class Found:
    """What the library gives for an image: boxes of four corners, texts and scores; nothing at all is None."""

    boxes: Any = None
    txts: Any = None
    scores: Any = None


def box(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float]]:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def page(*lines: list[Any]) -> dict[str, Any]:
    return {"engine": "test 1", "lines": list(lines), "is_blank": False}


@pytest.mark.parametrize(
    ("found", "zoom", "lines"),
    [
        (Found(), 2.0, []),
        (Found([], (), ()), 2.0, []),
        (Found([box(10, 20, 110, 40)], ("Rent",), (0.9,)), 2.0, [["Rent", 5.0, 10.0, 55.0, 20.0]]),
        (Found([box(10, 20, 110, 40)], ("Rent",), (SCORE_MIN,)), 1.0, [["Rent", 10.0, 20.0, 110.0, 40.0]]),
        (Found([box(10, 20, 110, 40)], ("Rent",), (SCORE_MIN - 0.01,)), 1.0, []),
        # A slanted line: its box is what holds all four corners.
        (Found([[(10, 25), (110, 20), (112, 40), (12, 45)]], ("Rent",), (1,)), 1.0, [["Rent", 10, 20, 112, 45]]),
        (Found([box(1, 1, 2, 2), box(0, 0, 9, 9)], ("a", "b"), (0.1, 0.9)), 3.0, [["b", 0, 0, 3, 3]]),
    ],
)
def test_boxes_in_pixels_become_lines_in_points(found: Found, zoom: float, lines: list[list[Any]]) -> None:
    assert list(convert_lines(found, zoom)) == lines
    assert json.loads(json.dumps(lines)) == lines


def test_a_recogniser_that_gives_fewer_scores_than_texts_is_not_believed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        list(convert_lines(Found([box(0, 0, 1, 1)] * 2, ("a", "b"), (0.9,)), 1.0))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (LINE, "The rent is due."),
        (["  The   rent \t is\ndue. ", 72, 90, 200, 104], "The rent is due."),
        (["a\x00b\x07", 72, 90, 200, 104], "ab"),
        (["租金", 72, 90, 200, 104], "租金"),
        (["الإيجار", 72, 90, 200, 104], "الإيجار"),
        ([12.5, 72, 90, 200, 104], "12.5"),
    ],
)
def test_a_recognised_line_is_a_piece_of_clean_text(line: list[Any], text: str) -> None:
    made = build_page_text([line])
    [piece] = made.pieces[0]
    assert piece.text == text and made.chars == len(text) and made.is_recognised
    assert piece.spans[0].end == len(text) and (piece.spans[0].x0, piece.spans[0].x1) == (72, 200)
    assert piece.y0 < piece.baseline < piece.y1 and piece.size == round(FONT_SHARE * 14)


@pytest.mark.parametrize(
    "line",
    [
        ["", 72, 90, 200, 104],
        [" \x00 ", 72, 90, 200, 104],
        ["text", 200, 90, 72, 104],
        ["text", 72, 104, 200, 90],
        ["text", 72, 90, 72, 104],
    ],
)
def test_a_line_of_nothing_or_without_a_place_is_left_out(line: list[Any]) -> None:
    made = build_page_text([line])
    assert made.pieces == {} and made.chars == 0 and made.is_recognised


def test_what_is_removed_from_recognised_text_is_counted() -> None:
    assert build_page_text([["a\x00b", 72, 90, 200, 104], ["\x07", 72, 90, 200, 104]]).removed_chars == 2


# ---- the files of pages


def test_pages_are_kept_and_found_again(tmp_path: Path) -> None:
    for number in (1, 12, 2000):
        write_page_text(page_text_path(tmp_path, number), page(LINE))
    assert sorted(kept_pages(tmp_path)) == [1, 12, 2000]
    assert kept_pages(tmp_path)[12].pieces[0][0].text == "The rent is due."
    assert {path.name for path in tmp_path.iterdir()} == {"1.ocr.json", "12.ocr.json", "2000.ocr.json"}


@pytest.mark.parametrize(
    ("stored", "is_kept"),
    [
        (page(LINE), True),
        (page() | {"is_blank": True}, True),  # empty paper has been read
        (page(), False),  # it could not be drawn, or nothing was found: without text, as before
    ],
)
def test_a_page_that_gave_nothing_counts_as_not_read(tmp_path: Path, stored: dict[str, Any], is_kept: bool) -> None:
    write_page_text(page_text_path(tmp_path, 3), stored)
    assert (3 in kept_pages(tmp_path)) is is_kept


def test_other_files_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    for name in ("1.webp", "2.ocr.part", "3.json", "ocr.json.bak"):
        (tmp_path / name).write_text("no JSON")
    assert kept_pages(tmp_path) == {} and kept_pages(tmp_path / "nowhere") == {}


def test_a_page_is_written_whole_in_place_of_an_older_one(tmp_path: Path) -> None:
    target = page_text_path(tmp_path, 1)
    write_page_text(target, page(LINE))
    write_page_text(target, page(["Zweite Lesung – größer", 1.0, 2.0, 3.0, 4.0]))
    assert "größer" in target.read_text(encoding="utf-8") and list(tmp_path.iterdir()) == [target]
    with pytest.raises(TypeError):
        write_page_text(target, {"lines": object()})
    assert "größer" in target.read_text(encoding="utf-8"), "what was there stays"


# ---- pages of a document


def read_rent(image: Image.Image) -> Found:
    """In place of the library: one line across the image."""
    return Found([box(0, 0, image.width, 20)], ("The rent is due.",), (0.9,))


def scan(path: Path, *shades: float) -> Path:
    """A PDF of pages without text, each with a square of this grey."""
    import pymupdf

    document = pymupdf.open()
    for shade in shades:
        document.new_page(width=200, height=100).draw_rect((20, 20, 80, 80), fill=(shade,) * 3, color=(shade,) * 3)
    document.save(path)
    return path


@pytest.mark.parametrize(("shade", "is_blank"), [(1.0, True), (0.97, True), (0.5, False), (0.0, False)])
def test_paper_that_hardly_differs_is_empty_and_not_recognised(tmp_path: Path, shade: float, is_blank: bool) -> None:
    with open_pdf(scan(tmp_path / "scan.pdf", shade), Limits()) as document:
        made = recognised_page(document, 1, read_rent, Limits())
    assert made["is_blank"] is is_blank and bool(made["lines"]) is not is_blank
    assert is_blank or made["lines"][0][3] == pytest.approx(200, abs=1), "in points, not pixels"


def test_a_page_too_large_to_be_drawn_has_neither_text_nor_is_it_empty(tmp_path: Path) -> None:
    with open_pdf(scan(tmp_path / "scan.pdf", 0.5), Limits()) as document:
        made = recognised_page(document, 1, read_rent, Limits(page_side_pt=50))
    assert (made["lines"], made["is_blank"]) == ([], False)


def test_recognition_goes_on_where_it_stopped_and_ends_after_some_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "recogniser", lambda: read_rent)
    monkeypatch.setattr(recognition, "PAGES_A_CHILD", 2)
    path, folder = scan(tmp_path / "scan.pdf", *[0.5] * 5), tmp_path / "pages"
    folder.mkdir()
    told: list[tuple[int, int]] = []
    for expected in (2, 4, 5, 5):
        recognise_pages(path, folder, Limits(), lambda done, of: told.append((done, of)))
        assert len(kept_pages(folder)) == expected
    assert told == [(0, 5), (1, 5), (2, 5), (2, 5), (3, 5), (4, 5), (4, 5), (5, 5), (5, 5)]


def test_pages_with_text_are_not_recognised(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    path = write_pdf(tmp_path / "text.pdf", [["The rent is due on the first."]] * 2)
    recognise_pages(path, tmp_path, Limits(), lambda done, of: told.append((done, of)))
    assert told == [(0, 0)] and kept_pages(tmp_path) == {}


def test_a_process_of_recognition_may_cost_more_than_one_of_reading() -> None:
    limits = limits_of_recognition(Limits(pages=7, open_files=9))
    assert limits.memory_bytes == MEMORY_BYTES > 1024 * MIB and (limits.pages, limits.open_files) == (7, 9)
    assert limits.cpu_s > Limits().cpu_s * PAGES_A_CHILD and limits.wall_s > limits.cpu_s


def test_without_the_library_the_engine_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "PACKAGE", "no-such-package-here")
    assert recognition.engine() == ""
    monkeypatch.setattr(recognition, "PACKAGE", "pytest")
    assert recognition.engine() == f"pytest {pytest.__version__}"
