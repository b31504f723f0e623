"""Words that are struck on a page a little aslant; what only passes by strikes nothing."""

from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import LineRow

TEXT = "The notice is forty days or fifty days at most."
FORTY = (65.0, 135.0)  # from where to where "forty days or" goes


def read_lines(document: pymupdf.Document, tmp_path: Path) -> tuple[LineRow, ...]:
    document.save(tmp_path / "aslant.pdf")
    return read_pdf(tmp_path / "aslant.pdf", Limits()).lines


def write_aslant(degrees: float, text: str = TEXT) -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), text, fontsize=11, morph=(pymupdf.Point(72, 100), pymupdf.Matrix(degrees)))
    return document, page


def along(page: pymupdf.Page, at: float, up: float) -> pymupdf.Point:
    """The point so far along the words of a page, and above their foot."""
    dx, dy = page.get_text("dict")["blocks"][0]["lines"][0]["dir"]
    return pymupdf.Point(72 + dx * at + dy * up, 100 + dy * at - dx * up)


def test_a_blank_to_be_filled_in_is_not_struck(tmp_path: Path) -> None:
    for up in (1.6, 3.0):
        document, page = write_aslant(1.0, "Name ____________ of the tenant")
        page.draw_line(along(page, 32, up), along(page, 100, up), width=0.7)
        assert [line.struck for line in read_lines(document, tmp_path)] == [""]


def test_a_rule_of_the_opposite_slope_strikes_nothing(tmp_path: Path) -> None:
    document, page = write_aslant(1.0, "Payable within forty days")
    page.draw_line((72, 98.5), (132, 97.4), width=0.7)
    document_falling, falling = write_aslant(-1.0, "Payable within forty days")
    falling.draw_line((72, 97.0), (132, 95.9), width=0.7)
    for each in (document, document_falling):
        assert [line.struck for line in read_lines(each, tmp_path)] == [""]


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("degrees", [-3.0, 0.5, 2.2, 7.0])
@pytest.mark.parametrize(("up", "struck"), [(3.0, "forty days or"), (1.6, ""), (-1.5, ""), (9.0, "")])
def test_words_are_struck_by_a_line_through_their_middle(
    degrees: float, rotation: int, up: float, struck: str, tmp_path: Path
) -> None:
    document, page = write_aslant(degrees)
    page.draw_line(along(page, FORTY[0], up), along(page, FORTY[1], up), width=0.7)
    page.set_rotation(rotation)
    [line] = read_lines(document, tmp_path)
    assert (line.text, line.struck) == (TEXT, struck)


def test_an_annotation_strikes_words_aslant(tmp_path: Path) -> None:
    document, page = write_aslant(2.0)
    page.add_strikeout_annot(page.search_for("fifty")[0])
    assert [line.struck for line in read_lines(document, tmp_path)] == ["fifty"]


def test_a_word_struck_by_hand_is_struck_beside_words_that_are_struck_straight(tmp_path: Path) -> None:
    document, page = write_aslant(2.0)
    page.draw_line(along(page, FORTY[0], 2.6), along(page, FORTY[1], 3.6), width=1)
    page.insert_text((72, 60), "Straight forty words here", fontsize=11)
    box = page.search_for("forty words")[0]
    page.draw_line((box.x0, box.y0 + 0.55 * box.height), (box.x1, box.y0 + 0.55 * box.height), width=0.7)
    assert [line.struck for line in read_lines(document, tmp_path)] == ["forty words", "forty days or"]


def test_what_is_no_line_through_words_strikes_nothing(tmp_path: Path) -> None:
    """A rule of a table, a curve, a bar, a line that is not seen, and a leader between the words of a line."""
    for kind in ("rule", "curve", "bar", "white", "leader"):
        document, page = write_aslant(1.0, "Rent" if kind == "leader" else TEXT)
        begin, end = along(page, FORTY[0], 3), along(page, FORTY[1], 3)
        if kind == "rule":
            page.draw_line(along(page, -20, 3), along(page, 400, 3), width=0.7)
        elif kind == "curve":
            page.draw_polyline([begin, along(page, 100, 3.4), end], width=0.7)
        elif kind == "leader":
            page.insert_text(along(page, 100, 0), "450", fontsize=11, morph=(along(page, 100, 0), pymupdf.Matrix(1.0)))
            page.draw_line(along(page, 26, 3), along(page, 98, 3), width=0.7)
        else:
            page.draw_line(begin, end, width=4 if kind == "bar" else 0.7, color=(kind == "white",) * 3)
        assert not any(line.struck for line in read_lines(document, tmp_path)), kind
