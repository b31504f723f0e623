"""Boxes, tags and lines of a sheet, in PDF points."""

import pymupdf
import pytest
from django.template.loader import render_to_string

from documents.pages.sheet import Mark, Sheet, boxes_around, build_sheet, line_marks
from reading.boxes import StoredBox
from reading.rows import LineRow, LineSpan


def line(number: int, page: int = 1, kind: str = "body", x0: float = 100, y0: float = 200) -> LineRow:
    text = f"line {number} <b>&"
    return LineRow(number, 1, page, 0, text, text, x0, y0, x0 + 200, y0 + 10, 0, kind, "text", ())  # type: ignore[arg-type]


def box(page: int, x0: float = 100, y0: float = 200) -> StoredBox:
    return {"page": page, "x0": x0, "y0": y0, "x1": x0 + 200, "y1": y0 + 10}


def sheet(marks: list[Mark], lines: tuple[LineRow, ...] = (), *, image: bool = True, number: int = 1) -> Sheet:
    return build_sheet(
        document_id="7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11",
        page_number=number,
        page_label="iv",
        width=612,
        height=792,
        marks=marks,
        lines=lines,
        image=image,
        page_count=9,
    )


def test_it_shows_only_what_is_on_the_page() -> None:
    shown = sheet([Mark("anchor", [box(1), box(2)], "A")], (line(1), line(2, page=2)))
    assert (len(shown.boxes), len(shown.tags), [one.number for one in shown.lines]) == (1, 1, [1])


def test_it_draws_the_anchor_last() -> None:
    marks = [Mark("anchor", [box(1)]), Mark("other", [box(1)]), Mark("line", [box(1)]), Mark("context", [box(1)])]
    assert [one.css for one in sheet(marks).boxes] == ["hl-context", "linebox", "hl-other", "hl-anchor"]


def test_it_tags_the_first_box_only() -> None:
    [tag] = sheet([Mark("anchor", [box(1), box(1, y0=300)], "12")]).tags
    assert (tag.text, tag.box.css) == ("12", "tagbox")
    assert tag.box.y == sheet([Mark("anchor", [box(1)])]).boxes[0].y


def test_a_short_tag_stands_in_the_margin_and_covers_nothing() -> None:
    shown = sheet([Mark("anchor", [box(1)], "1")])
    assert shown.tags[0].box.x + shown.tags[0].box.width < shown.boxes[0].x


def test_the_tag_of_a_quote_that_begins_within_a_line_covers_no_letter() -> None:
    [tag] = sheet([Mark("anchor", [box(1, x0=180)], "1")], (line(1), line(2, y0=212))).tags
    assert tag.box.x + tag.box.width < 100
    [beside] = sheet([Mark("anchor", [box(1, x0=380)], "1")], (line(1, x0=100), line(2, x0=380))).tags
    assert beside.box.x + beside.box.width < 380
    assert not (beside.box.x < 300 and beside.box.x + beside.box.width > 100), "it covers the other column"


def test_the_name_of_a_section_stands_in_its_box_at_the_right() -> None:
    shown = sheet([Mark("context", [box(1)], "section 3.2.1")])
    tag, frame = shown.tags[0].box, shown.boxes[0]
    assert (tag.y, tag.x + tag.width) == (frame.y, frame.x + frame.width)


def test_the_name_of_a_section_covers_no_heading() -> None:
    shown = sheet([Mark("context", [box(1)], "Information Security Policy of the Bank")])
    assert shown.tags[0].box.y + shown.tags[0].box.height == shown.boxes[0].y


@pytest.mark.parametrize("text", ["section 4.2", "12", "WARRANTIES", "MANAGEMENT AND WORKFORCE COMMITMENT", "条款"])
def test_a_tag_is_as_wide_as_its_bold_letters(text: str) -> None:
    [tag] = sheet([Mark("context", [box(1)], text)]).tags
    assert 0.95 < tag.length / pymupdf.Font("hebo").text_length(text, 8.5) < 1.15
    assert tag.box.x < tag.text_x - tag.length / 2 and tag.text_x + tag.length / 2 < tag.box.x + tag.box.width
    assert f'textLength="{tag.length}"' in render_to_string(
        "documents/_sheet.html", {"sheet": sheet([Mark("context", [box(1)], text)])}
    )


def test_a_long_tag_stands_above_its_box() -> None:
    shown = sheet([Mark("anchor", [box(1)], "a rather long tag")])
    assert shown.tags[0].box.y + shown.tags[0].box.height == shown.boxes[0].y


def test_a_tag_stays_inside_the_page() -> None:
    [tag] = sheet([Mark("context", [box(1, y0=1)], "C")]).tags
    assert (tag.box.y, tag.box.css) == (0, "tagbox ctx")


def test_it_puts_one_box_around_lines_of_each_page() -> None:
    boxes = boxes_around([line(1), line(2, x0=90, y0=220), line(3, page=2)])
    assert boxes == [{"page": 1, "x0": 90, "y0": 200, "x1": 300, "y1": 230}, box(2)]


def test_it_sets_furniture_apart() -> None:
    assert [mark.kind for mark in line_marks([line(1), line(2, kind="furniture")])] == ["line", "furniture"]


def test_it_says_the_printed_number() -> None:
    shown = sheet([])
    assert (shown.alt, shown.has_printed_label) == ("Page 1 of 9, printed iv", True)


def test_it_draws_without_style_and_escapes_the_text() -> None:
    page = render_to_string("documents/_sheet.html", {"sheet": sheet([Mark("anchor", [box(1)], "<i>")], (line(1),))})
    assert 'viewBox="0 0 612 792"' in page and "/pages/1/image/" in page
    assert "line 1 &lt;b&gt;&amp;" in page and "&lt;i&gt;" in page
    assert "style=" not in page and "<b>" not in page


def test_without_an_image_the_text_is_what_is_seen() -> None:
    page = render_to_string("documents/_sheet.html", {"sheet": sheet([], (line(1),), image=False)})
    assert "is-text" in page and "<img" not in page


def test_a_picture_is_a_region_below_the_text_with_words_of_its_own() -> None:
    """(R85) Cited twice, it is drawn once, and the tag of the citation stays at its lines."""
    picture = box(1, x0=10) | {"picture": "not_read"}
    shown = sheet([Mark("anchor", [box(1), picture], "1"), Mark("other", [box(1, y0=300), picture], "2")])
    assert [one.css for one in shown.boxes] == ["hl-picture", "hl-other", "hl-anchor"] and shown.has_picture
    assert [tag.text for tag in shown.tags] == ["picture, not read", "2", "1"]
    without = sheet([Mark("anchor", [box(1)], "1"), Mark("other", [box(1, y0=300)], "2")])
    assert shown.tags[1:] == without.tags and not without.has_picture


def test_a_row_is_drawn_in_the_pieces_that_are_printed() -> None:
    spans = (LineSpan(0, 8, 100, 140), LineSpan(9, 13, 260, 280), LineSpan(13, 17, 283, 300))
    row = line(1)._replace(text="Dividend 2024 2023", x1=300, spans=spans)
    [drawn] = sheet([], (row,)).lines
    assert [(piece.text, piece.space, piece.x, piece.length) for piece in drawn.pieces] == [
        ("Dividend", " ", 100, 40),
        ("2024 2023", "", 260, 40),
    ]
    assert "</tspan> <tspan" in render_to_string("documents/_sheet.html", {"sheet": sheet([], (row,))})


def test_a_line_that_runs_down_the_page_is_one_piece() -> None:
    down = line(1)._replace(x1=110, y1=400, spans=(LineSpan(0, 4, 200, 230), LineSpan(5, 9, 370, 400)))
    [drawn] = sheet([], (down,)).lines
    assert [piece.text for piece in drawn.pieces] == [down.text]
