# mypy: disallow-untyped-calls=False
"""Small PDFs for tests, written by the library the reader uses, and hostile ones written by hand."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf

from reading.matching import match_form
from reading.rows import LineRow, LineSpan

LEADING = 14.0
AES_256 = 5  # what the library calls PDF_ENCRYPT_AES_256
TEXT_FIELD = 7  # what it calls PDF_WIDGET_TYPE_TEXT


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


def slow_to_draw(shadings: int) -> bytes:
    """Three pages of text with a few white words; drawing each shading of the last takes milliseconds, reading none."""
    document = pymupdf.open()
    for _ in range(3):
        page = document.new_page()
        page.insert_text((72, 100), "Either party may end the contract with a notice of ninety days.")
        page.insert_text((72, 200), "Written in white on white.", color=(1, 1, 1))
    curve, shading, content = (document.get_new_xref() for _ in range(3))
    document.update_object(curve, "<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1.5>>")
    coords = "/Coords[300 400 0 300 400 600]/Extend[true true]"
    document.update_object(shading, f"<</ShadingType 3/ColorSpace/DeviceRGB{coords}/Function {curve} 0 R>>")
    document.update_object(content, "<<>>")
    document.update_stream(content, b"/S1 sh\n" * shadings)
    resources = int(document.xref_get_key(page.xref, "Resources")[1].split()[0])
    document.xref_set_key(resources, "Shading", f"<</S1 {shading} 0 R>>")
    contents = " ".join(f"{xref} 0 R" for xref in [*page.get_contents(), content])
    document.xref_set_key(page.xref, "Contents", f"[{contents}]")
    written: bytes = document.tobytes(deflate=True)
    return written


def with_absent_destinations(content: bytes, *, entries: int = 0, links: int = 0, names: int = 100_000) -> bytes:
    """A page whose outline or links name places that are not among many names: each is looked for in all of them."""
    listed = b"".join(b"(n%d)[3 0 R/Fit]" % number for number in range(names))
    more = [b"6 0 obj\n<</Names[%s]>>\nendobj\n" % listed]
    more.append(b"7 0 obj\n<</First 8 0 R/Last %d 0 R/Count %d>>\nendobj\n" % (7 + entries, entries))
    for number in range(8, 8 + entries):
        following = b"/Next %d 0 R" % (number + 1) if number < 7 + entries else b""
        more.append(b"%d 0 obj\n<</Title(Entry)/Parent 7 0 R/Dest(absent)%s>>\nendobj\n" % (number, following))
    link = b"<</Type/Annot/Subtype/Link/Rect[72 700 200 720]/Dest(absent)>>"
    root = b"/Names<</Dests 6 0 R>>" + b"/Outlines 7 0 R" * bool(entries)
    made = raw_pdf(content, root_extra=root, more=b"".join(more))
    return made.replace(b"/MediaBox", b"/Annots[%s]/MediaBox" % (link * links), 1) if links else made


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


def whole_pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1, the first its catalog, with the table that a whole file has."""
    written, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    tail = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(written) + tail % (size, table, size, len(written))


def form(fields: int) -> bytes:
    """A page of fields to fill in, without a word."""
    document = pymupdf.open()
    page = document.new_page()
    for number in range(fields):
        widget = pymupdf.Widget()
        widget.field_type, widget.field_name = TEXT_FIELD, f"field {number}"
        widget.rect = pymupdf.Rect(72, 100 + 40 * number, 300, 120 + 40 * number)
        page.add_widget(widget)
    written: bytes = document.tobytes()
    return written


def picture_of_a_page() -> bytes:
    """A page of pixels, as a scanner makes it."""
    drawn = pymupdf.open().new_page()
    drawn.insert_text((72, 90), "The supplier keeps a copy of every invoice.", fontsize=14)
    document = pymupdf.open()
    page = document.new_page()
    page.insert_image(page.rect, pixmap=drawn.get_pixmap(dpi=100))
    written: bytes = document.tobytes()
    return written


LABEL_X, BOX_X, FIELD_X, ROW_PT = 82, 60, 250, 24


def filled_form(rows: Sequence[tuple[str, str, Any]], *, rotation: int = 0) -> bytes:
    """A form of rows (label, kind, value): "title", "text", "tick", "radio", "list", "choice", "signature" or "line".

    Boxes stand before their labels, everything else behind them; the value of a list is what was chosen of CHOICES.
    """
    document = pymupdf.open()
    page = document.new_page()
    for number, (label, kind, value) in enumerate(rows):
        y = 60 + ROW_PT * number
        x = BOX_X if kind in ("title", "line", "text", "list", "choice", "signature") else LABEL_X
        font = "hebo" if kind == "title" else "helv"
        page.insert_text((x, y + 10), label, fontsize=10, fontname=font)
        if kind in FIELD_KINDS:
            add_field(page, f"field {number}", kind, value, y)
    page.set_rotation(rotation)
    written: bytes = document.tobytes()
    return written


CHOICES = ["Brick", "Timber", "Concrete"]
FIELD_KINDS = {"text": 7, "tick": 2, "radio": 2, "list": 4, "choice": 3, "signature": 6}  # as the library calls them
RADIO_FLAG = "32768"


def add_field(page: pymupdf.Page, name: str, kind: str, value: Any, y: float) -> None:
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name = FIELD_KINDS[kind], name
    is_box = kind in ("tick", "radio")
    widget.rect = pymupdf.Rect(BOX_X, y, BOX_X + 12, y + 12) if is_box else pymupdf.Rect(FIELD_X, y, 500, y + 16)
    if kind in ("list", "choice"):
        widget.choice_values = CHOICES
    if kind == "list":
        widget.rect = pymupdf.Rect(FIELD_X, y, 500, y + 2.5 * ROW_PT)
    if kind != "signature":
        widget.field_value = value
    page.add_widget(widget)
    if kind == "radio":
        page.parent.xref_set_key(page.annot_xrefs()[-1][0], "Ff", RADIO_FLAG)


def carrying(files: Mapping[str, bytes]) -> bytes:
    """A page of text in a file that carries other files, by their names."""
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "The agreement and its annexes are in the files attached to this cover.")
    for name, content in files.items():
        document.embfile_add(name, content, filename=name)
    written: bytes = document.tobytes()
    return written


def with_struck(line: LineRow, words: str) -> LineRow:
    """A line with some of its words struck through."""
    first = line.text.index(words)
    edges = {first, first + len(words)}
    spans: list[LineSpan] = []
    for span in line.spans:
        cuts = [span.start, *sorted(edge for edge in edges if span.start < edge < span.end), span.end]
        width = (span.x1 - span.x0) / (span.end - span.start)
        for start, end in pairwise(cuts):
            x0, x1 = span.x0 + width * (start - span.start), span.x0 + width * (end - span.start)
            spans.append(LineSpan(start, end, x0, x1, struck=first <= start and end <= first + len(words)))
    line = line._replace(spans=tuple(spans))
    return line._replace(match=match_form(line.text_in_force))


SOURCES = {  # what each source of the contents of `write_sources` has
    "outline": ["Purpose", "Scope", "Duties", "Reports"],
    "linked_contents": ["Purpose", "Scope", "Duties", "Reports", "Costs"],
    "printed_contents": ["Purpose", "Scope", "Duties", "Reports", "Costs", "Term"],
    "headings": [
        *("Purpose", "Purpose in detail", "Scope", "Scope in detail", "Duties", "Duties in detail"),
        *("Reports", "Reports in detail", "Costs", "Costs in detail", "Term", "Term in detail"),
    ],
}


def write_sources(path: Path) -> Path:
    """A PDF with an outline, a contents page most of whose lines are links, and headings; each names other sections."""
    titles = SOURCES["printed_contents"]
    contents = ["Contents", *(f"{title} {'.' * 30} {number}" for number, title in enumerate(titles, start=2))]
    text = ["This is running text that fills the section with words.", "It goes on for a second line here."] * 4
    pages = [contents, *[[f"# {title}", *text, f"# {title} in detail", *text] for title in titles]]
    outline = [(1, title, number) for number, title in enumerate(SOURCES["outline"], start=2)]
    write_pdf(path, pages, outline=outline)
    with pymupdf.open(path) as document:
        for number, _ in enumerate(SOURCES["linked_contents"], start=1):
            y = 90 + LEADING * number
            place = {"from": pymupdf.Rect(72, y - 9, 400, y + 2), "page": number, "to": pymupdf.Point(0, 0)}
            document[0].insert_link({"kind": pymupdf.LINK_GOTO, **place})
        document.saveIncr()
    return path
