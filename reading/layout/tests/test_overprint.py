# mypy: disallow-untyped-calls=False
"""Text over text: slanted marks are lines of their own kind, and words drawn twice count once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from reading.layout.scripts import cut_at_scripts
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import Reading

TEXT = ["1. Records", "Records are kept for eleven years after delivery, and", "are shown within one day when asked."]


def written(tmp_path: Path, *drawings: Callable[[pymupdf.Page], None], pages: int = 3) -> Reading:
    """Pages of text, over each of which something is drawn."""
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page()
        page.insert_text((280, 800), f"page {number + 1}", fontsize=9)
        for line, text in enumerate(TEXT):
            page.insert_text((72, 300 + 14 * line), text, fontsize=11)
        for draw in drawings:
            draw(page)
    path = tmp_path / "over.pdf"
    document.save(path)
    return read_pdf(path, Limits())


def slanted(text: str, degrees: float, size: float = 30) -> Callable[[pymupdf.Page], None]:
    def draw(page: pymupdf.Page) -> None:
        start = pymupdf.Point(90, 380)
        page.insert_text(start, text, fontsize=size, morph=(start, pymupdf.Matrix(degrees)))

    return draw


def texts(reading: Reading, page: int = 1) -> list[str]:
    return [line.text for line in reading.lines if line.page_number == page and line.kind != "watermark"]


@pytest.mark.parametrize("degrees", [35, -45, 8, 60, 100])
def test_a_slanted_mark_is_a_line_of_its_own_kind(tmp_path: Path, degrees: float) -> None:
    plain = written(tmp_path)
    marked = written(tmp_path, slanted("UNCONTROLLED COPY", degrees))
    assert texts(marked) == texts(plain) and marked.title == plain.title
    assert [entry.title for entry in marked.toc] == [entry.title for entry in plain.toc]
    marks = [line for line in marked.lines if line.kind == "watermark"]
    assert [(line.text, line.page_number) for line in marks] == [("UNCONTROLLED COPY", page) for page in (1, 2, 3)]
    assert marked.warnings == ("watermarks(1-3; 3)",)


def upright(text: str, y: float, size: float) -> Callable[[pymupdf.Page], None]:
    return lambda page: page.insert_text((80, y), text, fontsize=size) and None


def test_a_mark_printed_across_the_text_of_each_page_is_one_too(tmp_path: Path) -> None:
    marked = written(tmp_path, upright("SAMPLE", 325, 48))
    assert texts(marked) == texts(written(tmp_path)) and marked.warnings == ("watermarks(1-3; 3)",)


@pytest.mark.parametrize(("y", "size"), [(420, 48), (342, 11), (314, 11)])
def test_words_that_return_beside_the_text_are_none(tmp_path: Path, y: float, size: float) -> None:
    """Below it, in the next line, or on its own row further right."""
    draw = upright("Sample", y, size) if y != 314 else lambda page: page.insert_text((450, y), "Sample") and None
    assert not any(line.kind == "watermark" for line in written(tmp_path, draw).lines)


@pytest.mark.parametrize("degrees", [2, -3, 180])
def test_text_along_an_edge_is_none(tmp_path: Path, degrees: float) -> None:
    assert not any(line.kind == "watermark" for line in written(tmp_path, slanted("COPY", degrees)).lines)


def test_a_page_that_was_scanned_askew_is_read(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number, text in enumerate(TEXT):
        start = pymupdf.Point(72, 300 + 20 * number)
        page.insert_text(start, text, morph=(start, pymupdf.Matrix(7)))
    document.save(tmp_path / "askew.pdf")
    reading = read_pdf(tmp_path / "askew.pdf", Limits())
    assert [line.text for line in reading.lines] == TEXT and reading.warnings == ()


def again(at: float, text: str, size: float = 11) -> Callable[[pymupdf.Page], None]:
    return lambda page: page.insert_text((at, 314), text, fontsize=size) and None


def test_words_drawn_twice_count_once_and_as_bold(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for shift in (0, 0.4):
        page.insert_text((72 + shift, 100), "Wetherlam Garden Machines", fontsize=18)
    for number in range(8):
        page.insert_text((72, 130 + 14 * number), f"The warranty of machine {number} is two years.", fontsize=12)
    document.save(tmp_path / "twice.pdf")
    reading = read_pdf(tmp_path / "twice.pdf", Limits())
    assert reading.lines[0].text == reading.title == "Wetherlam Garden Machines"
    assert (reading.lines[0].kind, len(reading.lines)) == ("heading", 9)


def test_a_part_of_a_line_drawn_twice_counts_once(tmp_path: Path) -> None:
    at = 72 + pymupdf.get_text_length("Records are kept for ", fontsize=11)
    assert texts(written(tmp_path, again(at + 0.3, "eleven years"))) == texts(written(tmp_path))


@pytest.mark.parametrize(("at", "text"), [(400.0, "eleven years"), (72.0, "is")])
def test_the_same_words_at_another_place_or_others_at_the_same_stay(tmp_path: Path, at: float, text: str) -> None:
    assert any(text in line.split("and")[-1] or line == text for line in texts(written(tmp_path, again(at, text))))


def test_a_line_of_which_all_was_dropped_keeps_no_page_from_being_read() -> None:
    script = {"text": "2", "origin": (300.0, 203.0), "size": 6.0, "bbox": (300.0, 198.0, 303.0, 204.0)}
    blocks: Any = [{"lines": [{"dir": (1.0, 0.0), "spans": []}, {"dir": (1.0, 0.0), "spans": [script]}]}]
    cut_at_scripts(blocks, list)
    assert blocks[0]["lines"][1]["spans"] == [script]
