"""Words that are struck through are kept and not searched; the rules of tables and below words strike nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from reading.layout.lines import PageLine
from reading.limits import Limits
from reading.outline.headings import SectionStart
from reading.outline.toc import mark_struck_names
from reading.passages import cut_passages
from reading.pdf_reader import read_pdf
from reading.processes.transfer import decode_reading, encode_reading
from reading.rows import LineSpan, Reading, name_in_force

Draw = Callable[[pymupdf.Page, pymupdf.Rect], object]
TEXT = "The notice is forty days or fifty days at most."


def read(tmp_path: Path, draw: Draw, words: str, text: str = TEXT) -> Reading:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), text, fontsize=11)
    page.insert_text((72, 120), "A line below it stays as it is.", fontsize=11)
    draw(page, page.search_for(words)[0])
    document.save(tmp_path / "drawn.pdf")
    return read_pdf(tmp_path / "drawn.pdf", Limits())


def line_at(share: float, before: float = 0.0, behind: float = 0.0) -> Draw:
    """A line over the whole of the words, at this share of their height, that stands out before and behind them."""
    return lambda page, box: page.draw_line(
        (box.x0 - before, box.y0 + share * box.height), (box.x1 + behind, box.y0 + share * box.height), width=0.7
    )


def bar(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.draw_rect((box.x0, box.y0 + 8, box.x1, box.y0 + 8.8), fill=(0, 0, 0), width=0)


def annotate(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.add_strikeout_annot(box)


@pytest.mark.parametrize("draw", [line_at(0.55), bar, annotate], ids=["line", "bar", "annotation"])
def test_struck_words_are_kept_and_not_searched(tmp_path: Path, draw: Draw) -> None:
    reading = read(tmp_path, draw, "forty days or")
    line, below = reading.lines
    assert (line.text, line.match, line.struck) == (TEXT, "the notice is fifty days at most.", "forty days or")
    assert below.struck == ""
    assert "struck_text(1)" in reading.warnings and "struck" in reading.pages[0].flags
    assert decode_reading(json.loads(encode_reading(reading))) == reading


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("rotation", [0, 90])
def test_words_of_turned_text_are_struck_alike(tmp_path: Path, turn: int, rotation: int) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((300, 400), TEXT, fontsize=11, rotate=turn)
    words = page.search_for("forty days or", quads=True)[0]
    starts, ends = (top + (foot - top) * 0.55 for top, foot in ((words.ul, words.ll), (words.ur, words.lr)))
    page.draw_line(starts, ends, width=0.7)
    page.set_rotation(rotation)
    document.save(tmp_path / "turned.pdf")
    [line] = read_pdf(tmp_path / "turned.pdf", Limits()).lines
    assert (line.text, line.match, line.struck) == (TEXT, "the notice is fifty days at most.", "forty days or")


@pytest.mark.parametrize("draw", [line_at(0.55), line_at(0.55, before=25), line_at(0.55, behind=25)])
def test_a_clause_that_is_struck_as_a_whole_has_nothing_to_search(tmp_path: Path, draw: Draw) -> None:
    line = read(tmp_path, draw, TEXT).lines[0]
    assert (line.text, line.match) == (TEXT, "")


@pytest.mark.parametrize(
    "draw",
    [line_at(0.9), line_at(1.1), line_at(-0.1), line_at(0.55, 40, 40), line_at(0.55, 6, 6), line_at(0.55, behind=40)],
    ids=["underlined", "rule below", "rule above", "rule of a table", "past both ends", "far past one"],
)
def test_rules_beside_words_and_past_them_strike_nothing(tmp_path: Path, draw: Draw) -> None:
    reading = read(tmp_path, draw, TEXT)
    assert not any(line.struck for line in reading.lines)
    assert reading.warnings == () and reading.lines[0].match == TEXT.lower()


CELLS = ("Crane", "45.00", "210.00")


@pytest.mark.parametrize(
    ("begins", "ends", "is_struck"),
    [(0, 0, True), (-2, 20, True), (-20, 2, True), (-10, 10, False), (14, 0, False), (0, -20, False), (-40, 0, False)],
    ids=["from end to end", "past one", "before it", "border", "begun in a cell", "ended in a cell", "far before it"],
)
def test_one_rule_through_all_cells_of_a_row_strikes_each_of_them(
    tmp_path: Path, begins: float, ends: float, is_struck: bool
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number, row in enumerate([("Service", "Day fee", "Season fee"), CELLS, ("Storage", "3.50", "390.00")]):
        for x, text in zip((92, 220, 340), row, strict=True):
            page.insert_text((x, 100 + 20 * number), text, fontsize=11)
        page.draw_line((72, 105 + 20 * number), (400, 105 + 20 * number), width=0.5)
    first, last = (page.search_for(text)[0] for text in (CELLS[0], CELLS[-1]))
    middle = first.y0 + 0.55 * first.height
    page.draw_line((first.x0 + begins, middle), (last.x1 + ends, middle), width=0.7)
    document.save(tmp_path / "row.pdf")
    lines = read_pdf(tmp_path / "row.pdf", Limits()).lines
    assert [line.struck for line in lines] == ["", " ".join(CELLS) if is_struck else "", ""]


@pytest.mark.parametrize(
    ("text", "before", "behind"),
    [("12", 2, 26), ("12", 26, 2), ("Rent:", 0, 28), ("Start", -14, 28)],
    ids=["border of a cell", "border before it", "line to fill in", "connector begun inside"],
)
def test_a_rule_that_is_mostly_beyond_the_words_strikes_nothing(
    tmp_path: Path, text: str, before: float, behind: float
) -> None:
    reading = read(tmp_path, line_at(0.55, before, behind), text, text)
    assert (reading.lines[0].match, reading.lines[0].struck, reading.warnings) == (text.lower(), "", ())


def test_a_short_word_is_struck_by_a_rule_that_is_half_beyond_it(tmp_path: Path) -> None:
    assert read(tmp_path, line_at(0.55, behind=10), "12", "12").lines[0].struck == "12"


def test_what_has_no_letter_is_not_struck(tmp_path: Path) -> None:
    reading = read(tmp_path, line_at(0.55), "----", "Sign here ---- please")
    assert not any(line.struck for line in reading.lines)


@pytest.mark.parametrize("is_declared", [False, True])
def test_what_is_struck_of_a_heading_is_marked_in_the_name_of_its_section(tmp_path: Path, is_declared: bool) -> None:
    """And stands in nothing that is searched: not in the context of its passages."""
    document = pymupdf.open()
    page = document.new_page()
    headings = ("4. Delivery", "5. Exclusivity of sales", "6. Applicable law")
    for at, heading in enumerate(headings):
        page.insert_text((72, 100 + 60 * at), heading, fontsize=15)
        page.insert_text((72, 130 + 60 * at), "The Supplier does all that is written here and nothing else.")
    for words in ("Exclusivity of", headings[2]):
        annotate(page, page.search_for(words)[0])
    if is_declared:
        document.set_toc([[1, heading, 1] for heading in headings])
    document.save(tmp_path / "struck.pdf")
    reading = read_pdf(tmp_path / "struck.pdf", Limits())
    titles = ["4. Delivery", "5. ~~Exclusivity of~~ sales", "~~6. Applicable law~~"]
    assert [entry.title for entry in reading.toc] == titles
    assert [entry.number for entry in reading.toc] == ["4", "5", "6"]
    contexts = [passage.context for passage in cut_passages(reading)]
    assert contexts == ["4. Delivery", "5. sales", ""]


@pytest.mark.parametrize(
    ("title", "printed", "following", "marked"),
    [
        ("ARTICLE 5 Fees and costs", "ARTICLE 5 Fees and costs", "5.1 ~Fees~ of the Agent", "ARTICLE 5 Fees and costs"),
        (
            "5. For delivery or pickup",
            "5. For delivery ~or~ pickup",
            "",
            "5. For delivery ~~or~~ pickup",
        ),
        ("Sale of goods and of rights", "Sale ~of~ goods and ~of~ rights", "", "Sale ~~of~~ goods and ~~of~~ rights"),
        ("Rights of A and rights of B", "Rights of A and rights ~of~ B", "", "Rights of A and rights ~~of~~ B"),
        ("Applicable law", "~6. Applicable law~", "", "~~Applicable law~~"),
        ("5. Exclusivity of sales", "5. ~EXCLUSIVITY OF~ SALES", "", "5. ~~Exclusivity of~~ sales"),
        ("Law", "~6. Applicable law~", "", "~~Law~~"),
        ("Law of the land", "~6. Applicable law~", "", "~~Law of the land~~"),
        ("Law of the land", "6. ~Applicable~ law", "", "Law of the land"),
        ("Fees", "4. ~Fees~ Fees", "", "Fees"),
    ],
)
def test_the_struck_words_of_a_name_are_those_of_its_heading(
    title: str, printed: str, following: str, marked: str
) -> None:
    lines = [as_heading(printed), *([as_heading(following)] if following else [])]
    starts = [SectionStart(1, "", title, at, 1, "outline", 1.0) for at in range(len(lines))]
    mark_struck_names(starts, lines)
    assert starts[0].title == marked


def as_heading(text: str) -> PageLine:
    """A heading of a page whose words between tildes are struck through."""
    spans, bare = [], ""
    for at, part in enumerate(text.split("~")):
        if part:
            spans.append(LineSpan(len(bare), len(bare) + len(part), 0.0, 1.0, struck=bool(at % 2)))
            bare += part
    return PageLine(1, bare, bare.lower(), 0, 0, 100, 12, 12, True, 0, tuple(spans), "heading")


@pytest.mark.parametrize("words", ["10~20 days", "~10 days", "a ~ b ~ c", "thirty days"])
def test_a_name_is_in_force_without_struck_words_that_hold_a_tilde(words: str) -> None:
    assert name_in_force(f"Notice ~~{words}~~ of ~5 days ~~{words}~~") == "Notice of ~5 days"
    assert name_in_force(f"Notice ~~{words}") == f"Notice ~~{words}"


def test_a_piece_of_a_reading_from_before_is_not_struck() -> None:
    stored = [0, 5, 72.0, 90.0]
    values: dict[str, Any] = {
        "title": "",
        "language": "en",
        "pages": [],
        "toc": [],
        "warnings": [],
        "report": {},
        "timings_ms": {},
    }
    place = [72.0, 90.0, 99.0, 101.0]
    values |= {"images": [], "lines": [[1, 1, 1, 0, "Words", "words", *place, 0, "body", "text", [stored]]]}
    assert decode_reading(values).lines[0].struck == ""
