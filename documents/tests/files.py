# mypy: disallow-untyped-calls=False
"""Small files made on the spot, each with one property a test is about."""

from functools import cache

import pymupdf
from django.core.files.uploadedfile import SimpleUploadedFile

AES_256 = 5  # what the library calls PDF_ENCRYPT_AES_256

CHAPTERS = [
    ("1 Scope", "This policy applies to every supplier that stores personal data of customers outside the bank."),
    ("2 Retention", "Records of a supplier are kept for seven years after the contract has ended, résumés for two."),
    ("3 Audit", "The bank may audit a supplier once a year and must announce the audit thirty days before."),
    ("4 Termination", "Either party may end the contract with a notice of ninety days to the end of a quarter."),
]


@cache  # the library gives every file it writes another id
def make_pdf(pages: int = 4, *, note: str = "") -> bytes:
    """A PDF with an outline, one chapter a page; another note makes other bytes."""
    document = pymupdf.open()
    outline = []
    for index in range(pages):
        title, text = CHAPTERS[index % len(CHAPTERS)]
        page = document.new_page()
        page.insert_text((72, 90), title, fontsize=16, fontname="hebo")
        page.insert_textbox((72, 110, 520, 300), f"{text} {note}", fontsize=11)
        page.insert_text((300, 770), str(index + 1), fontsize=9)
        outline.append([1, title, index + 1])
    document.set_toc(outline)
    document.set_metadata({"title": "Supplier policy"})
    content: bytes = document.tobytes()
    return content


@cache
def make_slow_pdf() -> bytes:
    """A PDF of two pages, of which the second takes seconds of work: whoever waits for the first is there in time."""
    document = pymupdf.open(stream=make_pdf(2))
    document.update_stream(document[1].get_contents()[0], b" " * 700_000_000)
    content: bytes = document.tobytes(deflate=True)
    return content


@cache
def make_scan() -> bytes:
    """A PDF whose only page has no text."""
    document = pymupdf.open()
    document.new_page().draw_rect((100, 100, 300, 300), fill=(0.5, 0.5, 0.5))
    content: bytes = document.tobytes()
    return content


@cache
def make_locked_pdf() -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 90), "secret")
    content: bytes = document.tobytes(encryption=AES_256, user_pw="open", owner_pw="own")
    return content


def upload_of(content: bytes, name: str = "policy.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)
