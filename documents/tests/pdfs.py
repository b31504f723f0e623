# mypy: disallow-untyped-calls=False
"""Small PDFs for tests, written by the library the reader uses, and hostile ones written by hand."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

LEADING = 14.0
AES_256 = 5  # what the library calls PDF_ENCRYPT_AES_256


def write_pdf(
    path: Path,
    pages: Sequence[Sequence[str]],
    *,
    outline: Sequence[tuple[int, str, int]] = (),
    header: str = "",
    footer: bool = False,
    title: str = "",
    password: str = "",
    width: float = 595.0,
) -> Path:
    """One text line an entry; "# " makes a large bold line, a tab sets the rest as right-hand cells."""
    document = pymupdf.open()
    for number, lines in enumerate(pages, start=1):
        page = document.new_page(width=width)
        if header:
            page.insert_text((72, 40), header, fontsize=9)
        if footer:
            page.insert_text((300, 770), str(number), fontsize=9)
        for index, line in enumerate(lines):
            put_line(page, 90 + LEADING * index, line)
    document.set_toc([list(entry) for entry in outline])
    document.set_metadata({"title": title})
    kinds = {"encryption": AES_256, "user_pw": password, "owner_pw": password} if password else {}
    document.save(path, **kinds)
    return path


def put_line(page: pymupdf.Page, y: float, line: str) -> None:
    heading = line.startswith("# ")
    font, size = ("hebo", 15) if heading else ("helv", 10)
    text, *cells = line.removeprefix("# ").split("\t")
    page.insert_text((72, y), text, fontname=font, fontsize=size)
    for index, cell in enumerate(cells):
        page.insert_text((380 + 80 * index, y), cell, fontname=font, fontsize=size)


def raw_pdf(content: bytes, *, content_extra: bytes = b"", root_extra: bytes = b"", more: bytes = b"") -> bytes:
    """A one-page PDF around a content stream, without a cross-reference table: the reader repairs it."""
    return (
        b"%%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R%s>>\nendobj\n"
        b"2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
        b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R"
        b"/Resources<</Font<</F1 4 0 R>>/XObject<</X1 6 0 R>>>>>>\nendobj\n"
        b"4 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n"
        b"5 0 obj\n<</Length %d%s>>\nstream\n%s\nendstream\nendobj\n%s"
        b"trailer\n<</Root 1 0 R>>\n%%%%EOF\n"
    ) % (root_extra, len(content), content_extra, content, more)
