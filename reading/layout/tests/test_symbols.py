"""A sign of a symbol font is read as that sign, and never numbers a heading."""

from pathlib import Path

import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.tests.pdfs import whole_pdf

FORMS = (b"/Encoding/WinAnsiEncoding", b"")


def page_of_signs(font: bytes, encoding: bytes, code: int) -> bytes:
    """A page with one sign of a symbol font before a word, and a line of text."""
    drawn = b"BT /F1 11 Tf 60 700 Td <%02x> Tj ET BT /F2 11 Tf 76 700 Td (Flood) Tj ET" % code
    drawn += b" BT /F2 11 Tf 60 680 Td (What is wanted is marked in the list above.) Tj ET"
    return whole_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 6 0 R/Resources<</Font<</F1 4 0 R/F2 5 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/%s%s>>" % (font, encoding),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawn), drawn),
    )


@pytest.mark.parametrize(
    ("font", "encoding", "code", "sign"),
    [
        *((b"ZapfDingbats", encoding, 0x33, "✓") for encoding in FORMS),
        *((b"ZapfDingbats", encoding, 0x34, "✔") for encoding in FORMS),
        *((b"ZapfDingbats", encoding, 0x38, "✘") for encoding in FORMS),
        *((b"ZapfDingbats", encoding, 0x6F, "❏") for encoding in FORMS),
        *((b"Wingdings", encoding, 0xFE, "☑") for encoding in FORMS),
        *((b"Wingdings-Regular", encoding, 0x78, "☒") for encoding in FORMS),
        (b"ABCDEF+Wingdings", FORMS[0], 0xFC, "✓"),
        (b"Symbol", FORMS[1], 0x61, "α"),
        (b"Helvetica", FORMS[0], 0x33, "3"),
    ],
)
def test_a_sign_of_a_symbol_font_is_that_sign(
    font: bytes, encoding: bytes, code: int, sign: str, tmp_path: Path
) -> None:
    path = tmp_path / "signs.pdf"
    path.write_bytes(page_of_signs(font, encoding, code))
    first = read_pdf(path, Limits()).lines[0]
    assert first.text == f"{sign} Flood"
    assert first.kind != "heading" or sign in "α3"
