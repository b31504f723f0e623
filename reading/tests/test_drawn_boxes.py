"""Boxes of forms that are drawn as squares are read as ticked or not; squares that are none are left alone."""

from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import Reading

SQUARE = "100 700 11 11 re S"
CROSS = "102 702 m 109 709 l 102 709 m 109 702 l S"
LABEL = "Express delivery"
READ = f"☐ {LABEL}"
TICKED = f"☑ {LABEL}"
UNREAD = f"[?] {LABEL}"


def read_drawn(
    tmp_path: Path, drawn: str, *, label: str = LABEL, at: float = 117, rotation: int = 0, typed: str = ""
) -> Reading:
    """A page with a paragraph, what is drawn in PDF's own words, and a label whose baseline is that of the square."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 72), "The customer chooses how the goods are brought to the site.")
    page.insert_text((at, 140), label)
    if typed:
        page.insert_text((102, 140), typed, fontsize=10)
    number = document.get_new_xref()
    document.update_object(number, "<<>>")
    document.update_stream(number, f"q {drawn} Q".encode())
    written = page.get_contents()
    document.xref_set_key(page.xref, "Contents", f"[{number} 0 R {' '.join(f'{each} 0 R' for each in written)}]")
    page.set_rotation(rotation)
    document.save(tmp_path / "form.pdf")
    return read_pdf(tmp_path / "form.pdf", Limits())


@pytest.mark.parametrize(
    ("drawn", "line"),
    [
        pytest.param(SQUARE, READ, id="outline"),
        pytest.param("100 700 m 111 700 l 111 711 l 100 711 l h S", READ, id="closed path"),
        pytest.param("1 g 100 700 11 11 re B", READ, id="white and outlined"),
        pytest.param("0 g 100 700 11 11 re f 1 g 101 701 9 9 re f", READ, id="white on black"),
        pytest.param("0 g 100 700 11 11 re 101 701 9 9 re f*", READ, id="frame"),
        pytest.param(f"{SQUARE} {CROSS}", TICKED, id="cross"),
        pytest.param(f"{SQUARE} 102 705 m 105 702 l S 105 702 m 110 710 l S", TICKED, id="tick of two lines"),
        pytest.param(f"{SQUARE} 0 g 102 705 m 105 702 l 113 714 l 105 705 l h f", TICKED, id="tick that stands out"),
        pytest.param(f"0 g 100 700 11 11 re f 1 g 101 701 9 9 re f 0 G {CROSS}", TICKED, id="cross in a frame"),
        pytest.param(f"{SQUARE} 0 g 103 703 5 5 re f", TICKED, id="filled"),
        pytest.param(f"{SQUARE} 105 706 m 106 706 l S", UNREAD, id="speck"),
        pytest.param(f"{SQUARE} 60 706 m 300 706 l S", UNREAD, id="line through it"),
        pytest.param(f"{SQUARE} 90 690 m 130 730 l S", UNREAD, id="stroke far beyond it"),
    ],
)
def test_a_square_before_a_label_is_a_box(tmp_path: Path, drawn: str, line: str) -> None:
    reading = read_drawn(tmp_path, drawn)
    assert reading.lines[-1].text == line
    assert reading.warnings == (("boxes_unread(1)",) if line == UNREAD else ())
    assert reading.lines[-1].x0 == pytest.approx(100, abs=1)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_boxes_of_turned_pages_are_read_where_they_are_seen(tmp_path: Path, rotation: int) -> None:
    assert TICKED in [line.text for line in read_drawn(tmp_path, f"{SQUARE} {CROSS}", rotation=rotation).lines]


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param("0 g 100 700 11 11 re f", id="bullet"),
        pytest.param("100 701 4 4 re S", id="small"),
        pytest.param("100 690 30 30 re S", id="large"),
        pytest.param("100 700 22 11 re S", id="oblong"),
        pytest.param("1 G 100 700 11 11 re S", id="white"),
        pytest.param("100 700 11 11 re S 111 700 11 11 re S", id="comb"),
        pytest.param("100 700 11 11 re S 50 690 m 200 690 l S 100 640 11 60 re S", id="cell over another"),
        pytest.param("1 0 0 rg 100 700 11 11 re B", id="key of a chart"),
        pytest.param("100 700 11 11 re S 0 0 1 rg 100 680 11 11 re f", id="white key among coloured ones"),
        pytest.param("100 705.5 m 105.5 711 l 111 705.5 l 105.5 700 l h S", id="diamond"),
    ],
)
def test_other_squares_are_no_boxes(tmp_path: Path, drawn: str) -> None:
    reading = read_drawn(tmp_path, drawn)
    assert (reading.lines[-1].text, reading.warnings) == (LABEL, ())


@pytest.mark.parametrize("label", ["120", "$140"])
def test_a_single_square_beside_a_number_marks_a_value(tmp_path: Path, label: str) -> None:
    assert read_drawn(tmp_path, SQUARE, label=label).lines[-1].text == label


def test_a_single_square_far_from_words_is_no_box(tmp_path: Path) -> None:
    assert read_drawn(tmp_path, SQUARE, at=300).lines[-1].text == LABEL


def test_a_drawing_of_many_squares_has_no_box(tmp_path: Path) -> None:
    many = " ".join(f"{100 + 20 * x} {60 + 16 * y} 8 8 re S" for x in range(8) for y in range(40))
    assert [line.text for line in read_drawn(tmp_path, many).lines][-1] == LABEL


@pytest.mark.parametrize(("typed", "line"), [("X", TICKED), ("7", f"7 {LABEL}")])
def test_what_is_typed_into_a_square_says_whether_it_is_a_box(tmp_path: Path, typed: str, line: str) -> None:
    assert read_drawn(tmp_path, SQUARE, typed=typed).lines[-1].text == line


def test_a_box_far_from_its_words_is_not_said_to_be_empty(tmp_path: Path) -> None:
    """Which of two columns it stands in says what it means."""
    reading = read_drawn(tmp_path, f"{SQUARE} 200 700 11 11 re S", at=300)
    assert reading.lines[-1].text.startswith("[?] [?]") and reading.warnings == ("boxes_unread(1)",)


def test_a_box_below_a_picture_is_not_said_to_be_empty(tmp_path: Path) -> None:
    read_drawn(tmp_path, SQUARE)
    document = pymupdf.open(tmp_path / "form.pdf")
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20), 0)
    document[0].insert_image(pymupdf.Rect(96, 128, 114, 146), pixmap=picture)
    document.save(tmp_path / "signed.pdf")
    assert read_pdf(tmp_path / "signed.pdf", Limits()).lines[-1].text == UNREAD
