"""Pieces become visual lines: rows of cells, columns of text, scripts, turned text."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from reading.layout.extracted import Span, SpanLine
from reading.layout.lines import (
    LINE_CHARS,
    PageLine,
    TextPiece,
    cells_of,
    label_edge,
    page_lines,
    pieces_of,
    row_by_row,
    split_at_gaps,
)
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import LineSpan

WIDTH, HEIGHT = 612.0, 792.0
PAINTED = 16


def piece(text: str, x: float, baseline: float, size: float = 10.0, **more: Any) -> SpanLine:
    """One extraction line with one span, as wide as half its size for each character."""
    width = more.pop("width", len(text) * size / 2)
    span: Span = {
        "text": text,
        "bbox": (x, baseline - 0.8 * size, x + width, baseline + 0.2 * size),
        "origin": (x, baseline),
        "size": size,
        "flags": more.pop("flags", 0),
        "char_flags": more.pop("char_flags", PAINTED),
        "font": more.pop("font", "Times-Roman"),
    }
    return {"dir": more.pop("dir", (1.0, 0.0)), "spans": [span, *more.pop("spans", [])]}


def lines_of(*pieces: SpanLine, width: float = WIDTH) -> list[PageLine]:
    text = pieces_of([{"lines": list(pieces)}], width, HEIGHT)
    return page_lines(1, text, width, HEIGHT)[0]


def test_it_makes_one_line_of_the_cells_of_a_row() -> None:
    (line,) = lines_of(
        piece("2,213", 400, 100), piece("Total current liabilities", 70, 100), piece("2,158", 480, 101.5)
    )
    assert line.text == "Total current liabilities 2,213 2,158"
    assert cells_of(line.text, line.spans, line.size) == ["Total current liabilities", "2,213", "2,158"]
    assert [line.text[span.start : span.end] for span in line.spans] == cells_of(line.text, line.spans, line.size)


def test_it_keeps_rows_apart() -> None:
    lines = lines_of(piece("Revenue", 70, 100), piece("12", 400, 100), piece("Cost", 70, 112), piece("8", 400, 112))
    assert [line.text for line in lines] == ["Revenue 12", "Cost 8"]


def test_it_divides_a_line_longer_than_any_real_one() -> None:
    words = "twelve chars " * 200
    parts = lines_of(piece(words.strip(), 10, 100, width=2_599.0), width=6_000.0)
    assert [len(part.text) <= LINE_CHARS for part in parts] == [True] * 3
    assert " ".join(part.text for part in parts) == words.strip()
    assert all(part.is_divided and part.text[span.start : span.end] for part in parts for span in part.spans)
    assert (round(parts[0].x0), round(parts[-1].x1)) == (10, 2609)
    assert all(0 < after.x0 - before.x1 < 2 for before, after in pairwise(parts))


def test_it_divides_a_line_without_a_space_anywhere() -> None:
    (first, second) = lines_of(piece("1" * (LINE_CHARS + 5), 10, 100), width=20_000.0)
    assert (len(first.text), len(second.text)) == (LINE_CHARS, 5)


def test_a_line_of_ordinary_length_stays_whole() -> None:
    (line,) = lines_of(piece("x " * (LINE_CHARS // 2), 10, 100), width=20_000.0)
    assert not line.is_divided


def prose(x: float, count: int, word: str) -> list[SpanLine]:
    return [piece(f"{word} runs on through line {number} of the", x, 100 + 12 * number) for number in range(count)]


def test_it_reads_columns_one_after_the_other() -> None:
    lines = lines_of(*prose(60, 12, "left"), *prose(320, 12, "right"))
    assert [line.column for line in lines] == [1] * 12 + [2] * 12
    assert lines[0].text.startswith("left") and lines[12].text.startswith("right")


def test_it_reads_a_title_across_the_page_before_the_columns() -> None:
    title = piece("A title that runs across the whole page from the left to the right side", 60, 80, 12)
    lines = lines_of(*prose(60, 8, "left"), *prose(320, 8, "right"), title)
    assert lines[0].column == 0 and lines[0].text.startswith("A title")
    assert [line.column for line in lines[1:]] == [1] * 8 + [2] * 8


@pytest.mark.parametrize("raised", [0.0, 0.4, -0.4])
def test_a_label_beside_values_that_run_across_is_on_their_row(raised: float) -> None:
    """Above two columns of text; the label is set a hair higher or lower than its values."""
    rows = [
        cell
        for number in (0, 1)
        for cell in (
            piece(f"Change number {number}", 60, 40 + 20 * number - raised),
            piece("Up to 79 hours at 85 dollars each = up to 3,790 dollars", 180, 40 + 20 * number),
            piece("Up to 10,505", 480, 40 + 20 * number),
        )
    ]
    lines = lines_of(*rows, *prose(60, 8, "left"), *prose(320, 8, "right"))
    assert [line.text.split(" Up to")[0] for line in lines[:2]] == ["Change number 0", "Change number 1"]
    assert all(line.text.endswith("10,505") for line in lines[:2])
    assert [line.column for line in lines[2:]] == [1] * 8 + [2] * 8


def test_it_does_not_take_a_table_for_columns() -> None:
    rows = [
        cell
        for number in range(12)
        for cell in (
            piece(f"trade receivables net of allowances {number}", 60, 100 + 12 * number),
            piece("see note on financial instruments", 300, 100 + 12 * number),
            piece("1,234", 500, 100 + 12 * number),
        )
    ]
    lines = lines_of(*rows)
    assert len(lines) == 12 and {line.column for line in lines} == {0}


def test_it_joins_a_subscript_to_its_letter() -> None:
    first = piece("of dimension d", 70, 100)
    first["spans"].append(
        {**first["spans"][0], "text": "k", "size": 7.0, "bbox": (140, 95, 144, 103), "origin": (140, 102)}
    )
    assert lines_of(first)[0].text == "of dimension dk"


@pytest.mark.parametrize(
    ("before", "mark", "joined"),
    [("2,213", "1", "2,213 1"), ("Revenue", "(2)", "Revenue (2)"), ("Vaswani", "∗", "Vaswani∗"), ("x", "2", "x2")],
)
def test_it_does_not_glue_a_footnote_mark_to_a_number(before: str, mark: str, joined: str) -> None:
    line = piece(before, 70, 100)
    right = line["spans"][0]["bbox"][2]
    raised: Span = {"text": mark, "size": 6.0, "flags": 1, "bbox": (right, 90, right + 4, 96), "origin": (right, 96)}
    line["spans"].append({**line["spans"][0], **raised})
    assert lines_of(line)[0].text == joined


def test_it_joins_a_script_that_stands_in_its_own_piece() -> None:
    (line,) = lines_of(piece("x", 100, 200, width=5), piece("2", 105.2, 195.5, 6.0, width=3))
    assert line.text == "x2"


@pytest.mark.parametrize(
    ("before", "mark", "joined"), [("2,213", "1", "2,213 1"), ("Revenue", "(2)", "Revenue (2)"), ("m", "2", "m2")]
)
def test_it_does_not_glue_a_footnote_mark_in_its_own_piece(before: str, mark: str, joined: str) -> None:
    line = piece(before, 100, 200)
    right = line["spans"][0]["bbox"][2]
    assert [line.text for line in lines_of(line, piece(mark, right + 0.2, 195.5, 6.0))] == [joined]


def raised(page: pymupdf.Page, before: str, mark: str, after: str, rise: float = 3.2) -> None:
    """A line with a small raised mark for which room is left, drawn after it as word processors do."""
    left = 72 + pymupdf.get_text_length(before, fontsize=8.2)
    right = left + pymupdf.get_text_length(mark, fontsize=4.4)
    page.insert_text((72, 200), before, fontsize=8.2)
    page.insert_text((right, 200), after, fontsize=8.2)
    page.insert_text((72, 191), "is paid as the law says on the day of the month for each day,", fontsize=8.2)
    page.insert_text((left, 200 - rise), mark, fontsize=4.4)


@pytest.mark.parametrize(
    ("before", "mark", "after", "joined"),
    [
        ("calculated at 1/260", "th", " of the salary.", "calculated at 1/260th of the salary."),
        ("a levy of CO", "2", " and others", "a levy of CO2 and others"),
        ("of the Agreement", "4", " and others", "of the Agreement 4 and others"),
        ("in all 12", "3", " days", "in all 12 3 days"),
    ],
)
def test_a_script_inside_a_line_stays_where_it_stands(
    tmp_path: Path, before: str, mark: str, after: str, joined: str
) -> None:
    """No word is moved, and a footnote's number does not change a figure."""
    document = pymupdf.open()
    raised(document.new_page(), before, mark, after)
    document.save(tmp_path / "script.pdf")
    document.close()
    above, line = read_pdf(tmp_path / "script.pdf", Limits()).lines
    assert line.text == joined and above.text.endswith("for each day,")
    assert [line.text[span.start : span.end] for span in line.spans] == [before, mark, after.strip()]


def test_small_words_where_no_room_is_left_are_lines_of_their_own() -> None:
    lines = lines_of(piece("twelve words stand here", 70, 200), piece("small", 100, 196, 5.0))
    assert sorted(line.text for line in lines) == ["small", "twelve words stand here"]


def test_it_gives_turned_text_its_own_line_and_box() -> None:
    stamp = piece("arXiv:1706.03762v7", 20, 500, dir=(0.0, -1.0))
    stamp["spans"][0]["bbox"] = (12.0, 300.0, 24.0, 500.0)
    stamp["spans"][0]["origin"] = (22.0, 500.0)
    lines = lines_of(piece("Upright text", 100, 100), piece("More upright text", 100, 112), stamp)
    turned = lines[-1]
    assert turned.is_rotated and turned.text == "arXiv:1706.03762v7"
    assert (turned.x0, turned.y0, turned.x1, turned.y1) == (12.0, 300.0, 24.0, 500.0)
    assert turned.spans == (LineSpan(0, 18, -500.0, -300.0),)  # in its own frame: from bottom to top runs along -y


def test_it_counts_hidden_unknown_and_removed_characters() -> None:
    """L4: hidden text is counted, so that it can be shown."""
    page = pieces_of(
        [{"lines": [piece("seen\x00", 10, 10), piece("unseen", 10, 30, char_flags=0), piece("\ufffd\ufffd", 10, 50)]}],
        WIDTH,
        HEIGHT,
    )
    assert (page.chars, page.hidden_chars, page.unknown_chars, page.removed_chars) == (12, 6, 2, 1)


def test_it_leaves_out_white_space_at_the_ends_of_spans() -> None:
    (line,) = lines_of(piece("  word ", 100, 100))
    assert line.text == "word"
    assert line.x0 == pytest.approx(110) and line.x1 == pytest.approx(130)


def text_table(page: pymupdf.Page, labels: Sequence[str]) -> None:
    """Two columns of running text in rows, each row with a label left of the first column."""
    for row, label in enumerate(labels):
        for index in range(5):
            y = 100 + row * 80 + index * 12
            page.insert_text((130, y), f"text of row {label} goes on here", fontsize=9)
            page.insert_text((320, y), f"more about {label} on the right side", fontsize=9)
        page.insert_text((72, 100 + row * 80), f"Tier {label}:", fontsize=9)
        page.insert_text((72, 112 + row * 80), "Named", fontsize=9)


def test_it_reads_a_table_of_texts_row_by_row(tmp_path: Path) -> None:
    document = pymupdf.open()
    text_table(document.new_page(), ["one", "two", "three"])
    document.save(tmp_path / "tiers.pdf")
    lines = read_pdf(tmp_path / "tiers.pdf", Limits()).lines
    order = [line.text.split(" goes")[0].split(" on the")[0] for line in lines]
    first = ["Tier one:", "Named", *["text of row one"] * 5, *["more about one"] * 5]
    assert order == [text.replace("one", name) for name in ("one", "two", "three") for text in first]
    assert [line.column for line in lines[:12]] == [1, 1, *[2] * 5, *[3] * 5]


def test_it_leaves_two_columns_of_text_and_list_marks_alone() -> None:
    columns = [(1, [placed(f"running text number {n}", 72, 100 + 12 * n) for n in range(6)])]
    columns.append((2, [placed(f"other running text {n}", 320, 100 + 12 * n) for n in range(6)]))
    assert row_by_row(columns) == columns
    marked = [*columns[0][1], *(placed("•", 60, 100 + 24 * n) for n in range(3))]
    assert label_edge(marked) is None


def placed(text: str, left: float, baseline: float) -> TextPiece:
    right = left + 5 * len(text)
    return TextPiece(
        text, left, baseline - 9, right, baseline, baseline, 9, False, (LineSpan(0, len(text), left, right),)
    )


def test_it_parts_a_piece_at_a_wide_gap() -> None:
    both = placed("Tier 1: Application", 72, 100)
    both = both._replace(spans=(LineSpan(0, 7, 72, 100), LineSpan(8, 19, 139, 190)))
    assert [(part.text, part.x0, part.x1, part.spans[0].start) for part in split_at_gaps(both)] == [
        ("Tier 1:", 72, 100, 0), ("Application", 139, 190, 0),
    ]  # fmt: skip


def test_it_sets_the_mark_before_a_footnote_apart() -> None:
    mark = piece("4", 120, 704.8, size=6)["spans"][0]
    note = piece("To illustrate why", 124, 708.7, size=9)["spans"][0]
    (line,), _ = page_lines(
        1, pieces_of([{"lines": [{"dir": (1.0, 0.0), "spans": [mark, note]}]}], WIDTH, HEIGHT), WIDTH, HEIGHT
    )
    assert line.text == "4 To illustrate why"


def test_a_line_stands_where_most_of_its_letters_stand() -> None:
    low = piece(" .", 134, 534.2)["spans"][0]
    rest = piece("Additive attention", 142, 528.9)["spans"][0]
    lines, _ = page_lines(
        1,
        pieces_of([{"lines": [piece("of", 108, 528.9), {"dir": (1.0, 0.0), "spans": [low, rest]}]}], WIDTH, HEIGHT),
        WIDTH,
        HEIGHT,
    )
    assert [line.text for line in lines] == ["of .Additive attention"]


HEBREW_LABELS, LATIN_VALUES = (
    ("שם הבנק", "דואר", "סוכן"),
    ("Bank Leumi Corporation", "leasing@example.com", "Harbour Office"),
)


def form_of(labels_at: float, values_at: float, *others: SpanLine) -> list[str]:
    """The lines of a form with Hebrew labels and Latin values, under other pieces."""
    rows = zip(HEBREW_LABELS, LATIN_VALUES, strict=True)
    cells = [
        part
        for number, (label, value) in enumerate(rows)
        for part in (piece(label, labels_at, 100 + 20 * number), piece(value, values_at, 100 + 20 * number))
    ]
    return [line.text for line in lines_of(*others, *cells)]


def test_a_row_begins_with_its_label_at_the_right_where_the_page_is_read_so() -> None:
    title, date = piece("תנאי השכירות", 400, 60), [piece("תאריך", 450, 80), piece("01.02.2025", 300, 80)]
    assert form_of(450, 200, title, *date, piece("Signed by hand", 100, 80))[1:] == [
        "תאריך 01.02.2025 Signed by hand",
        *map(" ".join, zip(HEBREW_LABELS, LATIN_VALUES, strict=True)),
    ]


def test_a_row_of_an_english_page_begins_at_the_left_whatever_is_at_its_right() -> None:
    titles = (piece("Terms of the lease", 60, 60), piece("Names in both languages", 60, 80))
    assert form_of(450, 60, *titles)[2:] == list(map(" ".join, zip(LATIN_VALUES, HEBREW_LABELS, strict=True)))
