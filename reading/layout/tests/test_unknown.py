# mypy: disallow-untyped-calls=False
"""A glyph with ink and without a character is never lost; one without ink is a blank."""

from pathlib import Path

import pymupdf
import pytest

from reading.layout.extracted import Character, Span
from reading.layout.unknown import mark_unknown
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import Reading

DIGITS_MAP = "<0009> <0040> <0028>"  # of the font's glyphs to characters: 9 is "(", 14 the hyphen
WITHOUT_HYPHEN = "<0009> <000d> <0028>\n<000f> <0040> <002e>"


def write_with_map(path: Path, text: list[str], changes: dict[str, str], font: str = "") -> Path:
    """A page in a font whose table of characters was changed, and its name if one is given."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("helv").buffer)
    for number, line in enumerate(text):
        page.insert_text((72, 100 + 20 * number), line, fontname="F0")
    document = pymupdf.open("pdf", document.tobytes())
    (table,) = (
        int(kept[1].split()[0])
        for xref in range(1, document.xref_length())
        if (kept := document.xref_get_key(xref, "ToUnicode"))[0] == "xref"
    )
    stream = document.xref_stream(table).decode()
    for old, new in changes.items():
        added = new.count("\n") - old.count("\n")
        assert old in stream
        stream = stream.replace(old, new).replace("43 beginbfrange", f"{43 + added} beginbfrange")
    document.update_stream(table, stream.encode())
    for xref in range(1, document.xref_length() if font else 1):
        for key in ("BaseFont", "FontName"):
            if document.xref_get_key(xref, key)[0] == "name":
                document.xref_set_key(xref, key, f"/{font}")
    document.save(path)
    return path


def texts(reading: Reading) -> list[str]:
    return [line.text for line in reading.lines]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({DIGITS_MAP: WITHOUT_HYPHEN}, id="without a character"),
        pytest.param({DIGITS_MAP: f"{WITHOUT_HYPHEN}\n<000e> <000e> <0012>"}, id="a control"),
        pytest.param({DIGITS_MAP: f"{WITHOUT_HYPHEN}\n<000e> <000e> <001f>"}, id="a control that parts words"),
    ],
)
def test_a_minus_without_a_character_stays_before_its_number(tmp_path: Path, changes: dict[str, str]) -> None:
    path = write_with_map(tmp_path / "loss.pdf", ["Net result for the year -4 684", "Net sales 188 412"], changes)
    reading = read_pdf(path, Limits())
    assert texts(reading) == ["Net result for the year \ufffd4 684", "Net sales 188 412"]
    assert reading.warnings == ("signs_unread(1)",)


@pytest.mark.parametrize("sign", ["", "\n<000e> <000e> <0012>"], ids=["without a character", "a control"])
def test_a_glyph_of_an_embedded_symbol_font_without_a_character_is_not_lost(tmp_path: Path, sign: str) -> None:
    changes = {DIGITS_MAP: f"{WITHOUT_HYPHEN}{sign}"}
    path = write_with_map(tmp_path / "symbol.pdf", ["Net result -4 684"], changes, font="ABCDEF+Symbol")
    reading = read_pdf(path, Limits())
    assert texts(reading) == ["Net result \ufffd4 684"] and reading.warnings == ("signs_unread(1)",)


def test_what_is_missing_elsewhere_is_told_without_a_word_about_numbers(tmp_path: Path) -> None:
    path = write_with_map(tmp_path / "words.pdf", ["A well-known name"], {DIGITS_MAP: WITHOUT_HYPHEN})
    reading = read_pdf(path, Limits())
    assert texts(reading) == ["A well\ufffdknown name"] and reading.warnings == ("characters_unread(1)",)


def test_a_blank_without_a_character_is_a_blank(tmp_path: Path) -> None:
    blank = {"<0001> <0007> <0020>": "<0002> <0007> <0021>"}
    reading = read_pdf(write_with_map(tmp_path / "blank.pdf", ["Net sales 188 412"], blank), Limits())
    assert texts(reading) == ["Net sales 188 412"] and reading.warnings == ()


def test_a_minus_that_is_a_soft_hyphen_is_a_hyphen(tmp_path: Path) -> None:
    changes = {DIGITS_MAP: f"{WITHOUT_HYPHEN}\n<000e> <000e> <00ad>"}
    path = write_with_map(tmp_path / "soft.pdf", ["Result -4 684", "A well-known name"], changes)
    assert texts(read_pdf(path, Limits())) == ["Result -4 684", "A well\u00adknown name"]


@pytest.mark.parametrize("amount", ["4 684,00-", "4 684 %-", "(4 684)-", "4 684 -"])
def test_a_minus_behind_that_is_a_soft_hyphen_is_a_hyphen(tmp_path: Path, amount: str) -> None:
    changes = {DIGITS_MAP: f"{WITHOUT_HYPHEN}\n<000e> <000e> <00ad>"}
    path = write_with_map(tmp_path / "soft.pdf", [f"Result {amount}", "Paper A4-sized, well-"], changes)
    assert texts(read_pdf(path, Limits())) == [f"Result {amount}", "Paper A4\u00adsized, well\u00ad"]


def test_ends_of_lines_that_are_drawn_as_blanks_are_blanks(tmp_path: Path) -> None:
    changes = {"<0001> <0007> <0020>": "<0001> <0001> <000a>\n<0002> <0007> <0021>"}
    reading = read_pdf(write_with_map(tmp_path / "ends.pdf", ["Net sales 188 412", " "], changes), Limits())
    assert texts(reading) == ["Net sales 188 412"] and reading.warnings == ()


def test_ordinary_pages_are_not_read_twice() -> None:
    spans: list[Span] = [
        {"text": text, "char_flags": 16} for text in ("Net sales\u00a0188", "\ue123 \ufb01", "\u2022 x\u00ad")
    ]
    mark_unknown([{"lines": [{"spans": spans}]}], lambda inked: pytest.fail("it was read"))


@pytest.mark.parametrize("more", [Span(), Span(is_named=True)])
def test_what_cannot_be_looked_at_is_unknown(more: Span) -> None:
    span: Span = {"text": "\x014 684", "char_flags": 16 | 128, **more}
    mark_unknown([{"lines": [{"spans": [span]}]}], lambda inked: [])
    assert span["text"] == "\ufffd4 684"


def test_the_numbers_of_the_glyphs_of_a_whole_font_stand_as_they_are() -> None:
    """Fonts of old programs name no character, and their numbers are often the letters."""
    text = "Net sales"
    span: Span = {"text": text, "char_flags": 16 | 128}
    characters: list[Character] = [
        {"c": "\ufffd", "origin": (5.0 * at, 0.0), "bbox": (0, 0, 5, 5 * (sign != " "))} for at, sign in enumerate(text)
    ]
    mark_unknown(
        [{"lines": [{"spans": [span]}]}], lambda inked: [{"lines": [{"spans": [{"font": "F", "chars": characters}]}]}]
    )
    assert span["text"] == text
