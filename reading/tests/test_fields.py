"""What is chosen in the fields of a form stands in its lines, at the place of the field."""

from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.recognition import build_page_text
from reading.rows import LineRow
from reading.tests.pdfs import TEXT_FIELD, filled_form

ROWS = [
    ("B. Facilities wanted", "title", None),
    ("Water tap", "tick", True),
    ("Tool shed", "tick", False),
    ("Every month", "radio", False),
    ("Every quarter", "radio", True),
    ("Walls", "choice", "Timber"),
    ("Signature of the applicant", "signature", None),
    ("Material", "list", "Timber"),
]
READ = [
    "B. Facilities wanted",
    "☑ Water tap",
    "☐ Tool shed",
    "○ Every month",
    "◉ Every quarter",
    "Walls Timber",
    "Signature of the applicant [not signed]",
]


def lines_of(content: bytes, tmp_path: Path) -> list[LineRow]:
    path = tmp_path / "form.pdf"
    path.write_bytes(content)
    return list(read_pdf(path, Limits()).lines)


@pytest.mark.parametrize("rotation", [0, 90, 270])
def test_what_is_chosen_is_part_of_the_line(rotation: int, tmp_path: Path) -> None:
    lines = lines_of(filled_form(ROWS, rotation=rotation), tmp_path)
    assert [line.text for line in lines][: len(READ)] == READ
    assert {"○ Brick", "◉ Timber", "○ Concrete"} <= {line.text.removeprefix("Material ") for line in lines}
    assert {line.kind for line in lines if line.text[0] in "☑☐◉○"} == {"list_item"}


def test_a_label_with_its_value_is_no_heading(tmp_path: Path) -> None:
    rows = [("A. The applicant", "title", None), ("1. Name", "text", "Teodora Lisle"), ("2. Trade", "text", "Joiner")]
    kinds = {line.text: line.kind for line in lines_of(filled_form(rows), tmp_path)}
    assert kinds == {
        "A. The applicant": "heading",
        "1. Name Teodora Lisle": "list_item",
        "2. Trade Joiner": "list_item",
    }


def test_the_sign_has_the_place_of_the_box(tmp_path: Path) -> None:
    line = lines_of(filled_form(ROWS), tmp_path)[1]
    sign, label = line.spans
    assert (line.text[sign.start : sign.end], sign.x0, sign.x1) == ("☑", 60.0, 72.0)
    assert (line.text[label.start : label.end], round(label.x0)) == ("Water tap", 82)


@pytest.mark.parametrize(
    ("drawn", "boxes", "text"),
    [
        ("Insured elsewhere?      Yes       No", {"Yes": True, "No": False}, "Insured elsewhere? ☑ Yes ☐ No"),
        ("Yes           No", {"No": True}, "Yes ☑ No"),
    ],
)
def test_boxes_among_the_words_of_a_line_stand_before_their_labels(
    drawn: str, boxes: dict[str, bool], text: str, tmp_path: Path
) -> None:
    """Each box right behind its label."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 100), drawn, fontsize=10)
    page.insert_text((60, 140), "The applicant signs on the last page of this form.", fontsize=10)
    for word, is_on in boxes.items():
        found = page.search_for(word)[-1]
        widget = pymupdf.Widget()
        widget.field_type, widget.field_name, widget.field_value = 2, word, is_on
        widget.rect = pymupdf.Rect(found.x1 + 2, 92, found.x1 + 11, 101)
        page.add_widget(widget)
    assert " ".join(lines_of(document.tobytes(), tmp_path)[0].text.split()) == text


def test_a_value_that_is_not_drawn_is_read_all_the_same(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 100), "Sum insured", fontsize=10)
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = TEXT_FIELD, "sum", "385,000"
    widget.rect = pymupdf.Rect(250, 90, 400, 106)
    page.add_widget(widget)
    document.xref_set_key(page.annot_xrefs()[0][0], "AP", "null")
    assert lines_of(document.tobytes(), tmp_path)[0].text == "Sum insured 385,000"


def test_what_is_struck_stays_so_beside_a_field(tmp_path: Path) -> None:
    document = pymupdf.open(stream=filled_form(ROWS[:3]))
    document[0].add_strikeout_annot(document[0].search_for("Tool shed")[0])
    line = lines_of(document.tobytes(), tmp_path)[2]
    assert (line.text, line.struck, line.text_in_force.strip()) == ("☐ Tool shed", "Tool shed", "☐")


def test_the_fields_of_a_scan_stand_among_what_was_recognised(tmp_path: Path) -> None:
    document = pymupdf.open(stream=filled_form(ROWS[1:3]))
    page = document[0]
    places = [(word, tuple(page.search_for(word)[0])) for word in ("Water tap", "Tool shed")]
    boxes = [tuple(field.rect) for field in page.widgets()]
    page.clean_contents()
    document.update_stream(page.get_contents()[0], b" ")
    path = tmp_path / "scan.pdf"
    document.save(path)
    seen = build_page_text([*((word, *box) for word, box in places), ("X", *boxes[0])])
    assert [line.text for line in read_pdf(path, Limits(), recognised={1: seen}).lines] == [
        "☑ Water tap",
        "☐ Tool shed",
    ]


def test_what_stands_in_a_place_to_sign_of_a_scan_is_read(tmp_path: Path) -> None:
    """Nobody signed the file; the paper was signed by hand, or nobody knows."""
    document = pymupdf.open()
    page = document.new_page()
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name = 6, "signature"
    widget.rect = pymupdf.Rect(200, 90, 400, 120)
    page.add_widget(widget)
    document.save(tmp_path / "scan.pdf")
    seen = build_page_text([("Signed:", 60, 100, 110, 112), ("Teodora Lisle", 210, 100, 300, 112)])
    lines = read_pdf(tmp_path / "scan.pdf", Limits(), recognised={1: seen}).lines
    assert [line.text for line in lines] == ["Signed: Teodora Lisle"]
    page.insert_text((60, 110), "Signed:", render_mode=3)
    page.insert_text((210, 110), "Teodora Lisle", render_mode=3)
    assert [line.text for line in lines_of(document.tobytes(), tmp_path)] == ["Signed: Teodora Lisle"]


def test_a_hidden_field_says_nothing(tmp_path: Path) -> None:
    document = pymupdf.open(stream=filled_form(ROWS[:2]))
    document.xref_set_key(document[0].annot_xrefs()[0][0], "F", "2")
    assert [line.text for line in lines_of(document.tobytes(), tmp_path)] == ["B. Facilities wanted", "Water tap"]


def test_what_was_filled_in_is_not_what_a_form_is_called(tmp_path: Path) -> None:
    """The values of fields are often the largest print of a form."""
    rows = [("Membership of the club", "title", None), ("Name", "text", "Ines Falk"), ("Boat", "choice", "Timber")]
    (tmp_path / "form.pdf").write_bytes(filled_form(rows))
    assert read_pdf(tmp_path / "form.pdf", Limits()).title == "form"
