# mypy: disallow-untyped-calls=False
"""Words that the library joins: after a sign or a character of full width, and beside Hebrew and Arabic."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from reading.layout.extracted import Character, Span
from reading.layout.gaps import is_parted, parts_at_gaps
from reading.limits import Limits
from reading.pdf_reader import read_pdf

SIZE = 10.0


def texts_of_cells(path: Path, gap: float, cells: Sequence[str]) -> list[str]:
    """The lines of a page with cells that stand a gap in points from each other."""
    font = pymupdf.Font("cjk")
    with pymupdf.open() as document:
        page = document.new_page()
        writer, x = pymupdf.TextWriter(page.rect), 60.0
        for cell in cells:
            writer.append((x, 100), cell, font=font, fontsize=SIZE)
            x += font.text_length(cell, SIZE) + gap
        writer.write_text(page)
        document.save(path)
    return [line.text for line in read_pdf(path, Limits()).lines]


@pytest.mark.parametrize("gap", [4.5, 7.0, 12.0])
@pytest.mark.parametrize(
    "cells",
    [
        ("£4,200", "£4,650", "−5", "−7"),
        ("4−", "5−", "6"),
        ("≤", "5", "≥", "7"),
        ("☑", "Fire", "☐", "Flood", "✓", "Theft"),
        ("保管料", "月額", "1,850円", "合計", "Fee"),
    ],
)
def test_cells_are_words_of_their_own_however_near(tmp_path: Path, gap: float, cells: Sequence[str]) -> None:
    (text,) = texts_of_cells(tmp_path / "cells.pdf", gap, cells)
    assert text == " ".join(cells)


@pytest.mark.parametrize("cells", [("£4,200", "£4,650"), ("5", "≥ 7"), ("Fire", "☐ Flood")])
def test_what_begins_something_needs_hardly_a_gap(tmp_path: Path, cells: Sequence[str]) -> None:
    assert texts_of_cells(tmp_path / "cells.pdf", 1.0, cells) == [" ".join(cells)]


@pytest.mark.parametrize(
    ("gap", "characters"),
    [
        (2.5, "第5"),  # a letter of another script stands a quarter of its size from one of full width
        (6.0, "合計金額"),  # set apart to fill its line
        (0.2, "x≥5"),
        (0.2, "4−5"),
        (1.0, "ﬁx"),
    ],
)
def test_letters_set_apart_stay_one_word(tmp_path: Path, gap: float, characters: str) -> None:
    assert texts_of_cells(tmp_path / "word.pdf", gap, characters) == [characters]


def test_a_minus_nearer_to_what_follows_is_its_sign(tmp_path: Path) -> None:
    assert texts_of_cells(tmp_path / "sign.pdf", 3.5, ("£ ", "−", "5")) == ["£ −5"]


def test_a_currency_behind_an_amount_stays_with_it(tmp_path: Path) -> None:
    assert texts_of_cells(tmp_path / "amount.pdf", 0.0, ("3", "€", "50")) == ["3€50"]


def span_of(words: Sequence[tuple[str, float, float]]) -> tuple[Span, list[Character]]:
    """A span of words with their edges, each read from the first to the second of them, and its characters."""
    characters: list[Character] = []
    for word, begin, end in words:
        step = (end - begin) / len(word)
        for at, sign in enumerate(word):
            sides = sorted((begin + at * step, begin + (at + 1) * step))
            box = (sides[0], 90.0, sides[1], 102.0)
            characters.append({"c": sign, "origin": (sides[0], 100.0), "bbox": box})
    left, right = min(each["bbox"][0] for each in characters), max(each["bbox"][2] for each in characters)
    span: Span = {
        "text": "".join(word for word, _, _ in words),
        "bbox": (left, 90.0, right, 102.0),
        "origin": (left, 100.0),
        "size": SIZE,
    }
    return span, characters


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ([("שכירות", 140, 100), ("450", 80, 96)], ["שכירות", " ", "450"]),  # the number is left of the word
        ([("שכירות", 140, 100), ("450", 144, 160)], ["שכירות", " ", "450"]),
        ([("450", 80, 96), ("سنة", 130, 100)], ["450", " ", "سنة"]),
        ([("ב", 140, 134), ("2024", 110, 133.5)], ["ב2024"]),  # a letter that goes with the number
    ],
)
def test_hebrew_and_arabic_are_parted_from_a_number_on_either_side(
    words: Sequence[tuple[str, float, float]], parts: Sequence[str]
) -> None:
    span, characters = span_of(words)
    assert [part["text"] for part in parts_at_gaps(span, characters)] == parts


@pytest.mark.parametrize(
    ("before", "text", "gap", "is_apart"),
    [
        ("₪", "שנה", 5.5, True),
        ("450", "₪", 1.0, False),
        ("☑", "Fire", 2.5, True),
        ("−", "5", 3.0, False),
        ("4−", "5", 3.0, True),
        ("word", "s", 2.5, False),  # the library has looked at it
    ],
)
def test_spans_in_other_fonts_are_parted_by_a_gap(before: str, text: str, gap: float, is_apart: bool) -> None:
    last, _ = span_of([(before, 60, 80)])
    span, _ = span_of([(text, 80 + gap, 100 + gap)])
    assert is_parted(before, text, last, span) is is_apart
