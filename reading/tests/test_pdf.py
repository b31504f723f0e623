# mypy: disallow-untyped-calls=False
"""A file is opened only when it is a readable PDF; every refusal says why and what to do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from documents.pages.sentences import explain_warning
from documents.tests.files import make_pdf
from reading import pdf
from reading.layout.lines import LINE_CHARS
from reading.limits import Limits
from reading.pdf import blocks_on_page, open_pdf, read_links, read_pdf_outline, render_page, zoom_within
from reading.pdf_reader import read_pdf
from reading.processes.forked import Patience, run_in_fork
from reading.processes.sandbox import read_in_child
from reading.processes.tests.standing import stand_still
from reading.reasons import REASONS, WARNINGS, ReadingError
from reading.rows import Reading
from reading.tests.pdfs import (
    form,
    picture_of_a_page,
    raw_pdf,
    slow_to_draw,
    whole_pdf,
    with_absent_destinations,
    write_pdf,
)

WHITE = "Written in white on white."
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
TEXT = b"BT /F1 12 Tf 72 700 Td (The termination clause requires thirty days of notice.) Tj ET"


def read_bytes(tmp_path: Path, content: bytes, limits: Limits | None = None) -> Reading:
    path = tmp_path / "file.pdf"
    path.write_bytes(content)
    return read_pdf(path, limits or Limits())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"%PDF-1.7\n", "damaged"),
        (b"<html><script>alert(1)</script></html>", "not_pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "not_pdf"),
        (b"PK\x03\x04" + bytes(500), "not_pdf"),
        (bytes(1500) + raw_pdf(TEXT), "not_pdf"),
        (raw_pdf(TEXT)[:200], "damaged"),
        (raw_pdf(TEXT).replace(b"<</Root", b"<</Encrypt<</Filter/Adobe.PubSec/V 4>>/Root"), "unknown_encryption"),
        (raw_pdf(TEXT).replace(b"/Kids[3 0 R]/Count 1", b"/Kids[]/Count 0"), "damaged"),
        (whole_pdf(CATALOG, b"<</Type/Pages/Kids[ ]/Count 0>>"), "no_pages"),
        (whole_pdf(CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 0>>"), "damaged"),
        (whole_pdf(CATALOG, b"<</Type/Pages/Kids[]/Count 3>>"), "damaged"),
        (whole_pdf(b"<</Type/Catalog>>"), "damaged"),
        (raw_pdf(b""), "blank_pages"),
        (raw_pdf(b"72 700 200 90 re f"), "drawn_text"),
        (picture_of_a_page(), "no_text"),
        (form(4), "form_without_text"),
    ],
)
def test_it_refuses_what_is_no_readable_pdf(tmp_path: Path, content: bytes, code: str) -> None:
    with pytest.raises(ReadingError) as caught:
        read_bytes(tmp_path, content)
    assert caught.value.code == code
    assert caught.value.message == REASONS[code]


@pytest.mark.parametrize(
    ("root_extra", "fields", "is_warned"),
    [
        (b"/AcroForm<</XFA(form)/Fields[]>>", 0, True),
        (b"/AcroForm<</XFA[(template)(form)]/Fields[]>>", 0, True),
        (b"/AcroForm<</XFA(form)>>", 2, False),
        (b"/AcroForm<</XFA(form)>>/NeedsRendering true", 2, True),
        (b"/AcroForm<</Fields[]>>", 0, False),
    ],
)
def test_a_form_that_another_program_shows_is_warned_of(
    tmp_path: Path, root_extra: bytes, fields: int, is_warned: bool
) -> None:
    widget = b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[72 600 200 620]>>"
    root_extra = root_extra.replace(b"/XFA", b"/Fields[%s]/XFA" % (widget * fields)) if fields else root_extra
    content = raw_pdf(TEXT, root_extra=root_extra)
    content = content.replace(b"/MediaBox", b"/Annots[%s]/MediaBox" % (widget * fields), 1)
    assert ("xfa_form" in read_bytes(tmp_path, content).warnings) is is_warned


def test_it_refuses_an_encrypted_file(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "locked.pdf", [["secret"]], password="open sesame")
    with pytest.raises(ReadingError) as caught:
        read_pdf(path, Limits())
    assert caught.value.code == "encrypted" and "password" in caught.value.message


@pytest.mark.parametrize(
    ("limits", "code", "named"),
    [
        (Limits(file_bytes=500), "too_large", ""),
        (Limits(pages=2), "too_many_pages", "3 pages; at most 2"),
        (Limits(document_chars=20), "text_too_large", "20 characters"),
    ],
)
def test_it_names_the_limit_that_was_passed(tmp_path: Path, limits: Limits, code: str, named: str) -> None:
    path = write_pdf(tmp_path / "three.pdf", [["one line of text"]] * 3)
    with pytest.raises(ReadingError) as caught:
        read_pdf(path, limits)
    assert caught.value.code == code and named in caught.value.message


def test_it_cuts_a_page_with_more_text_than_a_page_can_have(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "long.pdf", [["a line of the first page"], ["many lines of text"] * 40])
    reading = read_pdf(path, Limits(page_lines=20))
    assert "page_text_cut(2)" in reading.warnings
    assert reading.pages[1].flags == ("text_cut",)


def test_it_divides_overlong_lines_and_says_so(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "wide.pdf", [["a line of the first page"], ["fee " + "1" * 5_000]], width=40_000)
    reading = read_pdf(path, Limits())
    assert "long_lines_divided(2)" in reading.warnings
    assert "long_lines" in reading.pages[1].flags
    assert sum(len(line.text) for line in reading.lines if line.page_number == 2) == 5_004
    assert max(len(line.text) for line in reading.lines) <= LINE_CHARS


def test_a_line_knows_where_it_stands_and_how_it_was_read(tmp_path: Path) -> None:
    """R2."""
    said = [["The first line.", "The second line."], ["A line of the next page."]]
    reading = read_pdf(write_pdf(tmp_path / "report.pdf", said), Limits())
    assert [(line.page_number, line.number_on_page, line.text) for line in reading.lines] == [
        (1, 1, "The first line."),
        (1, 2, "The second line."),
        (2, 1, "A line of the next page."),
    ]
    for line in reading.lines:
        page = reading.pages[line.page_number - 1]
        assert 0 < line.x0 < line.x1 < page.width and 0 < line.y0 < line.y1 < page.height
        assert (line.column, line.method) == (0, "text")
    assert reading.lines[0].y1 <= reading.lines[1].y0


def test_it_reads_and_says_that_it_repaired_and_ignored(tmp_path: Path) -> None:
    content = raw_pdf(TEXT, root_extra=b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>")
    reading = read_bytes(tmp_path, content)
    assert set(reading.warnings) == {"repaired", "active_content_ignored"}


def test_it_stores_clean_text_and_counts_what_it_removed(tmp_path: Path) -> None:
    reading = read_bytes(tmp_path, raw_pdf(b"BT /F1 12 Tf 72 700 Td (null\\000byte and \\033 escape) Tj ET"))
    assert "\x00" not in reading.lines[0].text


@pytest.mark.parametrize(
    "outline",
    [
        b"6 0 obj\n<</First 7 0 R/Count 1>>\nendobj\n7 0 obj\n<</Title(A)/Next 7 0 R/Dest[3 0 R/Fit]>>\nendobj\n",
        b"6 0 obj\n<</First 7 0 R/Count 1>>\nendobj\n7 0 obj\n<</Title(A)/First 7 0 R/Dest[3 0 R/Fit]>>\nendobj\n",
    ],
)
def test_it_ignores_an_outline_that_turns_in_circles(tmp_path: Path, outline: bytes) -> None:
    reading = read_bytes(tmp_path, raw_pdf(TEXT, root_extra=b"/Outlines 6 0 R", more=outline))
    assert "outline_ignored" in reading.warnings


def test_it_cuts_a_long_outline_and_leaves_out_what_has_no_page(tmp_path: Path) -> None:
    entries = [(1, f"Entry {number}", 1) for number in range(30)]
    path = write_pdf(tmp_path / "long.pdf", [["text"]], outline=[(1, "Nowhere", -1), *entries])
    with open_pdf(path, Limits()) as document:
        assert len(read_pdf_outline(document, Limits())[0]) == 30
        items, warnings = read_pdf_outline(document, Limits(outline_entries=10))
    assert len(items) <= 10 and warnings == ["outline_cut"]


def test_it_walks_a_deep_outline_without_recursion(tmp_path: Path) -> None:
    depth = 3000
    chain = b"6 0 obj\n<</First 7 0 R/Count 1>>\nendobj\n" + b"".join(
        b"%d 0 obj\n<</Title(Level %d)/First %d 0 R/Count 1/Dest[3 0 R/Fit]>>\nendobj\n" % (7 + n, n + 1, 8 + n)
        for n in range(depth)
    )
    reading = read_bytes(tmp_path, raw_pdf(TEXT, root_extra=b"/Outlines 6 0 R", more=chain))
    assert "outline_cut" in reading.warnings


def test_it_cuts_long_titles(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "title.pdf", [["text"]], outline=[(1, "x" * 5000, 1)])
    with open_pdf(path, Limits()) as document:
        (item,), _ = read_pdf_outline(document, Limits())
    assert len(item.title) == 500


def test_it_renders_a_page_as_webp_within_limits(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "page.pdf", [["Hello"]])
    render_page(path, 1, 110, tmp_path / "page.webp", Limits())
    with Image.open(tmp_path / "page.webp") as image:
        assert image.format == "WEBP" and abs(image.width - 595 * 110 / 72) < 2
    with pytest.raises(ReadingError):
        render_page(path, 2, 110, tmp_path / "none.webp", Limits())


def test_it_lowers_the_zoom_until_an_image_fits() -> None:
    assert zoom_within(612, 792, 144, Limits()) == 2.0
    assert zoom_within(10_000, 8_000, 300, Limits()) == pytest.approx(0.4)
    with pytest.raises(ReadingError) as caught:
        zoom_within(18_000, 36_000, 72, Limits())
    assert caught.value.code == "huge_page"


def test_it_has_a_sentence_for_every_code() -> None:
    assert all(sentence.endswith(".") for sentence in (*REASONS.values(), *WARNINGS.values()))
    assert explain_warning("pages_unreadable(2-3, 7)").endswith("2-3, 7.")
    assert explain_warning("repaired") == WARNINGS["repaired"]


def page_with_concealed_text(*, rotation: int = 0) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect((60, 80, 300, 110), fill=(0.1, 0.2, 0.5), color=None)
    page.insert_text((72, 100), "White on a blue bar is a heading.", color=(1, 1, 1))
    page.insert_text((72, 140), "Everybody reads this.")
    page.insert_text((72, 200), "white", color=(1, 1, 1))
    page.insert_text((72, 240), "tiny", fontsize=0.5)
    page.insert_text((72, 280), "clear", fill_opacity=0)
    page.insert_text((900, 300), "beside the page")
    page.set_rotation(rotation)
    content: bytes = document.tobytes()
    return content


@pytest.mark.parametrize("rotation", [0, 90, 180])
def test_it_counts_text_that_nobody_sees(tmp_path: Path, rotation: int) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(page_with_concealed_text(rotation=rotation))
    reading = read_pdf(path, Limits())
    assert reading.report["concealed_chars"] == len("whitetinyclear")
    assert {"concealed_text(1)", "off_page_text(1)"} <= set(reading.warnings)
    assert reading.report["off_page_chars"] == len("besidethepage")
    assert not any("beside" in line.text for line in reading.lines)


def edged_page(path: Path, *, rotation: int = 0, beside: int = 1) -> Path:
    """A page cropped on every side: words on it, across its edge and above it, and many lines beside it."""
    document = pymupdf.open()
    page = document.new_page(width=800, height=900)
    page.insert_text((150, 200), "Everybody reads this.")
    page.insert_text((670, 300), "Crossing the edge of the page.")
    page.insert_text((150, 60), "Above the page.")
    for number in range(beside):
        page.insert_text((705, 320 + 0.001 * number), "Nobody reads this beside the page.")
    page.set_cropbox((100, 100, 700, 800))
    page.set_rotation(rotation)
    document.save(path)
    return path


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_what_stands_outside_a_page_is_counted_and_the_rest_read_as_ever(tmp_path: Path, rotation: int) -> None:
    with open_pdf(edged_page(tmp_path / "a.pdf", rotation=rotation), Limits()) as document:
        page = document[0]
        blocks, off_page_chars = blocks_on_page(page, 600, 700, Limits())
        clipped = page.get_text("dict", flags=pdf.TEXT_FLAGS)["blocks"]
        shown = [span["text"] for block in blocks for line in block["lines"] for span in line["spans"]]
    assert repr(blocks) == repr(clipped)
    assert "Everybody reads this." in shown and not any("Nobody" in text for text in shown)
    assert any(text.startswith("Cross") and not text.endswith("page.") for text in shown), "cut at the edge"
    assert off_page_chars == len("Abovethepage.Nobodyreadsthisbesidethepage.")


def test_text_outside_a_page_costs_no_more_than_a_page_may(tmp_path: Path) -> None:
    reading = read_pdf(edged_page(tmp_path / "a.pdf", beside=200), Limits(page_chars=1_000))
    assert [line.text[:9] for line in reading.lines] == ["Everybody", "Crossi"]
    assert reading.warnings == ("off_page_text(1)",)


def test_it_says_which_pages_it_could_not_check_for_white_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(slow_to_draw(3))
    reading = read_pdf(path, Limits())
    assert (reading.warnings, reading.report["concealed_chars"]) == (("concealed_text(1-2)",), 2 * len(WHITE))
    monkeypatch.setattr(pdf, "WHITE_S", 0)
    reading = read_pdf(path, Limits())
    assert (reading.warnings, reading.report["concealed_chars"]) == (("white_unchecked(1-3)",), 0)


def test_it_says_of_which_pages_it_does_not_know_whether_they_are_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_pdf(tmp_path / "a.pdf", [["text"], [], ["text"], []])
    assert read_pdf(path, Limits()).warnings == ()
    monkeypatch.setattr(pdf, "WHITE_S", 0)
    assert read_pdf(path, Limits()).warnings == ("pages_without_text(2, 4)", "blank_unchecked(2, 4)")


def test_a_reading_whose_copies_stand_still_has_the_same_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each optional look is stopped for longer than it may work, as on a machine that does something else."""
    document = pymupdf.open(stream=slow_to_draw(3))
    document.new_page()
    document.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D"}])
    document.set_toc([[1, "Notice", 1], [1, "Term", 2]])
    document[0].insert_link({"kind": pymupdf.LINK_GOTO, "from": pymupdf.Rect(72, 90, 200, 110), "page": 2})
    document.save(tmp_path / "a.pdf")
    before = read_pdf(tmp_path / "a.pdf", Limits())
    with open_pdf(tmp_path / "a.pdf", Limits()) as opened:
        links = read_links(opened, Patience(600))

    def stopped_first(tasks: Sequence[Any], work: Callable[[Any], Any], *budget: Any, **more: Any) -> dict[Any, Any]:
        def stop_and_work(task: Any) -> Any:
            stand_still(0.5)
            return work(task)

        looked.append(len(tasks))
        return run_in_fork(tasks, stop_and_work, *budget, **more)

    looked: list[int] = []
    monkeypatch.setattr(pdf, "run_in_fork", stopped_first)
    for name in ("DECLARED_S", "LINKS_S", "WHITE_S", "WHITE_PAGE_S"):
        monkeypatch.setattr(pdf, name, 0.4)
    after = read_pdf(tmp_path / "a.pdf", Limits())
    assert replace(after, timings_ms={}) == replace(before, timings_ms={})
    assert [page.label for page in after.pages] == ["A-1", "A-2", "A-3", "A-4"]
    assert after.report["toc_origin"] == "outline"
    with open_pdf(tmp_path / "a.pdf", Limits()) as opened:
        assert read_links(opened, Patience(600)) == links
    assert sorted(looked) == [1, 2, 3, 4, 4], "each look was stopped"


def test_links_and_labels_that_are_slow_to_read_are_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "LINKS_S", 0.5)
    reading = read_bytes(tmp_path, with_absent_destinations(TEXT, links=2_000))
    assert "contents_links_skipped" in reading.warnings
    monkeypatch.setattr(pdf, "DECLARED_S", 0)
    reading = read_bytes(tmp_path, raw_pdf(TEXT, root_extra=b"/PageLabels<</Nums[0<</S/r>>]>>"))
    assert "labels_skipped" in reading.warnings and reading.pages[0].label == "1"


def test_it_reads_the_labels_of_all_pages_at_once(tmp_path: Path) -> None:
    document = pymupdf.open()
    for number in range(1500):
        document.new_page().insert_text((72, 90), f"Page {number} of many.")
    document.set_page_labels([{"startpage": index, "prefix": f"A-{index}"} for index in range(1, 1500)])
    document.save(tmp_path / "labels.pdf")
    reading = read_in_child(tmp_path / "labels.pdf", limits=Limits(cpu_s=10))
    assert [page.label for page in reading.pages[:3]] == ["", "A-1", "A-2"]
    assert reading.pages[-1].label == "A-1499"


@pytest.mark.parametrize(
    ("rules", "labels"),
    [
        ("/Nums[0<</P<FEFF0034>>>1<</P<FEFF00C4002D>/S/D/St 7>>]", ["4", "Ä-7"]),
        (r"/Nums[0<</P(\376\377\000A\000-)/S/r>>]", ["A-i", "A-ii"]),
        (r"/Nums[0<</P(\357St/P\(1\))/S/A>>]", ["ïSt/P(1)A", "ïSt/P(1)B"]),
        ("/Kids[<</Kids[<</Nums[1<</S/r/St 3>>]>>]>>]", ["", "iii"]),
        ("/Nums[0 null 1(D)]", ["1", "2"]),
        ("/Nums[0<</S/A/St 28>>1<</S/a/St 26>>]", ["BB", "z"]),
        ("/Nums[0<</P(B-)/S/a/St 2000000000>>1<</P(C-)/S/R/St 2000000000>>]", ["B-", "C-"]),
        ("/Nums[0<</S/a/St 0>>]", ["", "a"]),
        ("/Kids[3 0 R]", ["1", "2"]),
    ],
)
def test_labels_are_read_however_they_are_written(tmp_path: Path, rules: str, labels: list[str]) -> None:
    """As UTF-16 in digits or signs, in the encoding of PDF, with signs of the language of PDF, in a tree."""
    document = pymupdf.open()
    for number in (1, 2):
        document.new_page().insert_text((72, 90), f"Page {number} of some.")
    document.xref_set_key(document.pdf_catalog(), "PageLabels", f"<<{rules}>>")
    document.save(tmp_path / "a.pdf")
    assert [page.label for page in read_pdf(tmp_path / "a.pdf", Limits()).pages] == labels


def test_ordinary_text_is_not_concealed(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf())
    assert read_pdf(path, Limits()).report["concealed_chars"] == 0
