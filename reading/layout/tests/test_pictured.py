# mypy: disallow-untyped-calls=False
"""A word or a box that stands in a line as a picture is told as a sign that cannot be read."""

from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import Reading

NAME, BOX = (172, 91, 260, 102), (172, 93, 180, 101)
WORDS = ((72, "The company Rapida"), (270, "is the parent."))
Place = tuple[float, float, float, float]


def drawn_name() -> pymupdf.Pixmap:
    page = pymupdf.open().new_page(width=88, height=11)
    page.insert_text((0, 9), "a name in letters", fontsize=10)
    return page.get_pixmap(dpi=72)


def even() -> pymupdf.Pixmap:
    blank = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 11))
    blank.clear_with(0)
    return blank


def read_with(
    path: Path, *places: Place, picture: pymupdf.Pixmap | None = None, turned: int = 0, mode: int = 0
) -> Reading:
    document = pymupdf.open()
    page = document.new_page()
    for place in places:
        page.insert_image(pymupdf.Rect(place), pixmap=picture or drawn_name(), keep_proportion=False)
    for x, text in WORDS:
        page.insert_text((x, 100), text, fontsize=10, render_mode=mode)
    page.insert_text((72, 140), "It was founded in 2015.", fontsize=10)
    page.set_rotation(turned)
    document.save(path)
    return read_pdf(path, Limits())


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("place", [NAME, BOX], ids=["a name", "a box"])
def test_a_picture_amid_the_words_of_a_line_is_told(tmp_path: Path, place: Place, turned: int) -> None:
    reading = read_with(tmp_path / "name.pdf", place, turned=turned)
    assert [line.text for line in reading.lines] == [
        "The company Rapida \ufffd is the parent.",
        "It was founded in 2015.",
    ]
    assert reading.warnings == ("characters_unread(1)",)
    spans = reading.lines[0].spans
    assert spans[1].x1 - spans[1].x0 == pytest.approx(place[2] - place[0], abs=0.5)


def test_each_of_several_pictures_is_told_where_it_stands(tmp_path: Path) -> None:
    reading = read_with(tmp_path / "names.pdf", (340, 91, 380, 102), (219, 91, 265, 102), (172, 91, 216, 102))
    assert reading.lines[0].text == "The company Rapida \ufffd \ufffd is the parent. \ufffd"


@pytest.mark.parametrize(
    "place",
    [
        pytest.param((172, 95, 175, 98), id="a bullet"),
        pytest.param((172, 80, 260, 110), id="a logo"),
        pytest.param((70, 91, 350, 102), id="a ground below the words"),
        pytest.param((400, 91, 440, 102), id="far from the words"),
        pytest.param((72, 115, 160, 126), id="between lines"),
    ],
)
def test_other_pictures_are_none(tmp_path: Path, place: Place) -> None:
    reading = read_with(tmp_path / "other.pdf", place)
    assert reading.lines[0].text == "The company Rapida is the parent." and reading.warnings == ()


def test_a_picture_of_one_shade_holds_room(tmp_path: Path) -> None:
    assert read_with(tmp_path / "room.pdf", NAME, picture=even()).warnings == ()


def test_the_tiles_of_a_scan_with_recognised_text_are_none(tmp_path: Path) -> None:
    reading = read_with(tmp_path / "scan.pdf", NAME, mode=3)
    assert "\ufffd" not in reading.lines[0].text
