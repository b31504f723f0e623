"""The conductor of reading step by step: the name of a page, its flags and warnings, and why nothing is read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reading import pdf
from reading.layout.lines import PageLine, PageText, TextPiece
from reading.limits import Limits
from reading.outline.headings import BY_PAGE, EXACT, VERIFIED, SectionStart
from reading.pages.without_text import why_no_text
from reading.pdf_reader import (
    CONCEALED_MIN,
    PROGRESS_EVERY,
    Extract,
    extract_pages,
    labels_of,
    mark_headings,
    page_flags,
    page_warnings,
    read_pdf,
    rows_of_pages,
    select_verified,
    text_layer,
)
from reading.reasons import ReadingError
from reading.recognition import build_page_text
from reading.rows import ImageRow, LineSpan
from reading.tests.pdfs import write_pdf

TEXT = ["This is running text that fills the page with words.", "It goes on for a second line here."]


def fact(number: int = 1, text: PageText | None = None, **changes: Any) -> pdf.PageFacts:
    """A page of A4 with this text."""
    values = dict.fromkeys(pdf.PageFacts._fields, False) | {
        "number": number, "width": 595.0, "height": 842.0, "rotation": 0, "text": text, "shown_fields": ()
    }  # fmt: skip
    return pdf.PageFacts(**values | changes)


def text_of(chars: int = 100, **counts: Any) -> PageText:
    return PageText({}, chars=chars, **counts)


def make_line(page: int = 1, **changes: Any) -> PageLine:
    line = PageLine(page, "Text", "text", 72, 90, 200, 100, 10, False, 0, ())
    for name, value in changes.items():
        setattr(line, name, value)
    return line


def extract_of(*facts: pdf.PageFacts, lines: list[list[PageLine]] | None = None) -> Extract:
    return Extract(list(facts), lines or [[] for _ in facts], [1] * len(facts))


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        (None, "none"),
        (text_of(0), "none"),
        (text_of(100), "text"),
        (text_of(100, hidden_chars=50), "text"),
        (text_of(100, hidden_chars=51), "ocr"),
        (text_of(0, is_recognised=True), "ocr"),
        (text_of(5, is_recognised=True), "ocr"),
    ],
)
def test_where_the_text_of_a_page_comes_from(text: PageText | None, layer: str) -> None:
    assert text_layer(fact(text=text)) == layer


@pytest.mark.parametrize(
    ("changes", "lines", "flags"),
    [
        ({"text": None}, [], ["unreadable"]),
        ({"text": text_of(0)}, [], ["no_text"]),
        ({"text": text_of()}, [make_line()], []),
        ({"text": text_of(), "is_cut": True}, [make_line()], ["text_cut"]),
        ({"text": text_of(0), "is_cut": True}, [], ["text_cut"]),
        ({"text": text_of()}, [make_line(is_divided=True), make_line(is_divided=True)], ["long_lines"]),
        ({"text": text_of(), "width": 14_401.0}, [make_line()], ["huge_page"]),
        ({"text": text_of(), "height": 14_400.0}, [make_line()], []),
        ({"text": text_of(concealed_chars=CONCEALED_MIN - 1)}, [make_line()], []),
        ({"text": text_of(concealed_chars=CONCEALED_MIN)}, [make_line()], ["concealed"]),
        ({"text": text_of(off_page_chars=CONCEALED_MIN - 1)}, [make_line()], []),
        ({"text": text_of(off_page_chars=CONCEALED_MIN)}, [make_line()], ["off_page"]),
        ({"text": text_of(hidden_chars=99)}, [make_line()], ["hidden_text"]),
        ({"text": text_of(is_recognised=True)}, [make_line()], ["recognised"]),
        ({"text": text_of(0, is_recognised=True)}, [], []),  # empty paper: it was looked at
        ({"text": None, "width": 99_999.0}, [], ["unreadable", "huge_page"]),
    ],
)
def test_what_is_out_of_the_ordinary_on_a_page(
    changes: dict[str, Any], lines: list[PageLine], flags: list[str]
) -> None:
    assert list(page_flags(fact(**changes), lines, Limits())) == flags


def test_warnings_name_their_pages_in_ranges() -> None:
    facts = [fact(1, None), fact(2, None), fact(3, text_of(0)), fact(4, text_of(), is_cut=True), fact(5, None)]
    facts += [fact(6, text_of(hidden_chars=99)), fact(7, text_of(hidden_chars=99, removed_chars=3))]
    lines = [[], [], [], [make_line(4)], [], [make_line(6)], [make_line(7)]]
    assert list(
        page_warnings(extract_of(*facts, lines=lines), Limits(), {"white_unchecked": [6, 7], "blank_unchecked": [3]})
    ) == [
        "pages_unreadable(1-2, 5)",
        "pages_without_text(3)",
        "page_text_cut(4)",
        "hidden_text",
        "white_unchecked(6-7)",
        "blank_unchecked(3)",
        "characters_removed(3)",
    ]


@pytest.mark.parametrize(("unknown", "is_garbled"), [(40, False), (41, True), (100, True), (0, False)])
def test_text_without_known_letters_is_garbled(unknown: int, is_garbled: bool) -> None:
    extract = extract_of(fact(text=text_of(100, unknown_chars=unknown)), lines=[[make_line()]])
    assert ("garbled_pages(1)" in page_warnings(extract, Limits(), {})) is is_garbled


def test_a_page_that_is_garbled_hides_nothing_about_the_others() -> None:
    facts = [fact(1, text_of(100, unknown_chars=90)), fact(2, text_of(100, unknown_chars=1))]
    garbled, unsigned = make_line(1), make_line(2)
    garbled.text, unsigned.text = "\ufffd" * 9 + "1", "Net result \ufffd4 684"
    warnings = list(page_warnings(extract_of(*facts, lines=[[garbled], [unsigned]]), Limits(), {}))
    assert warnings == ["garbled_pages(1)", "signs_unread(2)"]


def test_figures_are_summed_over_pages_that_could_be_read() -> None:
    extract = extract_of(fact(1, text_of(7)), fact(2, None), fact(3, text_of(5, hidden_chars=2)))
    assert (extract.total("chars"), extract.total("hidden_chars"), Extract().total("chars")) == (12, 2, 0)


PICTURE = (ImageRow(1, 1, 0, 0, 500, 800, 1000, 1600),)


def empty(number: int = 1, **changes: Any) -> pdf.PageFacts:
    return fact(number, text_of(0), **{"images": (), "fields": 0} | changes)


@pytest.mark.parametrize(
    ("facts", "blank", "tried", "code"),
    [
        ([fact(1, None), fact(2, None)], [], [], "damaged"),
        ([empty(1, images=PICTURE), fact(2, None)], [], [], "no_text"),
        ([empty(1), empty(2, images=PICTURE)], [1], [], "no_text"),
        ([empty(1, images=PICTURE, fields=1)], [], [], "no_text"),
        ([empty(1, images=PICTURE, fields=3)], [], [], "form_without_text"),
        ([empty(1, fields=1), empty(2)], [1, 2], [], "form_without_text"),
        ([empty(1), empty(2)], [1], [], "drawn_text"),
        ([empty(1), empty(2)], [1, 2], [], "blank_pages"),
        ([empty(1), fact(2, None)], [1], [], "damaged"),
        ([empty(1), empty(2, images=PICTURE)], [1], [1, 2], "nothing_recognised"),
        ([empty(1), empty(2, images=PICTURE)], [], [1], "no_text"),
        ([fact(1, text_of(0), is_cut=True), fact(2, None)], [], [], "text_too_large"),
        ([fact(1, None, is_out_of_memory=True), fact(2, text_of(0), is_cut=True)], [], [], "parse_memory"),
        ([], [], [], "damaged"),
    ],
)
def test_nothing_to_read_has_the_reason_that_stands_behind_it(
    facts: list[pdf.PageFacts], blank: list[int], tried: list[int], code: str
) -> None:
    assert why_no_text(facts, blank, tried, Limits()).code == code


def test_one_line_is_enough_to_be_read(write: Callable[..., Path]) -> None:
    assert [page.text_layer for page in read_pdf(write([], TEXT[:1], []), Limits()).pages] == ["none", "text", "none"]


@pytest.mark.parametrize(
    ("declared", "is_believed"),
    [({1: "i", 2: "ii", 3: "1"}, True), ({1: "1", 2: "2", 3: "3"}, False), ({}, False), ({3: "A-1"}, True)],
)
def test_declared_labels_count_when_they_say_more_than_the_place(declared: dict[int, str], is_believed: bool) -> None:
    labels = labels_of(extract_of(fact(1), fact(2), fact(3)), declared)
    assert (labels is declared) is is_believed


def test_a_page_without_a_label_among_others_has_none() -> None:
    extract = extract_of(fact(1, text_of(), rotation=90, width=595.123456), fact(2, None))
    extract.column_counts = [2, 1]
    rows = list(rows_of_pages(extract, {1: "iv"}, Limits()))
    assert [(row.number, row.label, row.text_layer, row.column_count) for row in rows] == [
        (1, "iv", "text", 2),
        (2, "", "none", 1),
    ]
    assert (rows[0].width, rows[0].rotation, rows[1].flags) == (595.12, 90, ("unreadable",))


def start(index: int, confidence: float) -> SectionStart:
    return SectionStart(1, "", "Scope", index, 1, "outline", confidence)


@pytest.mark.parametrize(
    ("confidence", "kind", "expected"),
    [
        (EXACT, "body", "heading"),
        (VERIFIED, "table_row", "heading"),
        (BY_PAGE, "body", "body"),
        (VERIFIED - 0.01, "list_item", "list_item"),
        (EXACT, "furniture", "furniture"),
        (EXACT, "contents", "contents"),
    ],
)
def test_a_line_becomes_a_heading_when_it_carries_the_title(confidence: float, kind: str, expected: str) -> None:
    lines = [make_line(), make_line(kind=kind)]
    mark_headings([start(1, confidence)], lines)
    assert [line.kind for line in lines] == ["body", expected]


def test_only_entries_whose_titles_were_found_are_taken_from_contents_pages() -> None:
    starts = [start(0, EXACT), start(1, BY_PAGE), start(2, VERIFIED), start(3, EXACT)]
    lines = [make_line(), make_line(), make_line(), make_line(kind="caption")]
    assert select_verified(starts, lines) == [starts[0], starts[2]], "a list of figures leads to captions"


# ---- whole files


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    return lambda *pages, **options: write_pdf(tmp_path / "some report.pdf", pages, **options)


@pytest.mark.parametrize("pages", [1, PROGRESS_EVERY - 1, PROGRESS_EVERY, PROGRESS_EVERY + 1, 3 * PROGRESS_EVERY])
def test_progress_is_told_each_ten_pages_and_at_the_end(write: Callable[..., Path], pages: int) -> None:
    told: list[tuple[int, int]] = []
    read_pdf(write(*[TEXT] * pages), Limits(), lambda page, of: told.append((page, of)))
    expected = sorted({*range(PROGRESS_EVERY, pages + 1, PROGRESS_EVERY), pages})
    assert told == [(page, pages) for page in expected]


def test_recognised_text_fills_pages_that_have_none_and_no_others(write: Callable[..., Path]) -> None:
    recognised = {number: build_page_text([[f"Recognised {number}", 72, 90, 300, 104]]) for number in (1, 2, 9)}
    reading = read_pdf(write(TEXT, []), Limits(), recognised=recognised)
    assert [line.text for line in reading.lines] == [*TEXT, "Recognised 2"]
    assert [line.method for line in reading.lines] == ["text", "text", "ocr"]
    assert [page.text_layer for page in reading.pages] == ["text", "ocr"]
    assert "text_recognised(2)" in reading.warnings


@pytest.mark.parametrize(
    ("first", "declared", "title"),
    [
        (TEXT, " Declared ", "Declared"),
        (TEXT, "   ", "some report"),
        (["# Supplier policy", *TEXT], "Declared", "Supplier policy"),
    ],
)
def test_a_title_is_printed_or_declared_or_the_files_name(
    write: Callable[..., Path], first: list[str], declared: str, title: str
) -> None:
    assert read_pdf(write(first, title=declared), Limits()).title == title


def test_every_line_and_page_is_counted_in_the_report(write: Callable[..., Path]) -> None:
    reading = read_pdf(
        write(["# 1 Scope", *TEXT], ["# 2 Terms", *TEXT], header="Head of all pages", footer=True), Limits()
    )
    kinds = reading.report["line_kinds"]
    assert sum(kinds.values()) == len(reading.lines) and kinds["furniture"] >= 2
    assert reading.report["chars"] == sum(len(line.text) for line in reading.lines)
    assert set(reading.timings_ms) == {"lines", "furniture", "kinds", "toc", "white", "rows"}
    assert reading.language == "", "whoever asked for the reading names it"


def test_a_document_with_more_text_than_allowed_is_not_read_to_its_end(write: Callable[..., Path]) -> None:
    seen: list[int] = []
    with pdf.open_pdf(write(*[TEXT] * 30), Limits()) as document, pytest.raises(ReadingError) as caught:
        extract_pages(document, Limits(document_chars=900), lambda page, of: seen.append(page), {})
    assert caught.value.code == "text_too_large" and seen == [10]


def test_a_span_of_recognised_text_covers_its_line() -> None:
    piece: TextPiece = build_page_text([["Rent", 72, 90, 100, 104]]).pieces[0][0]
    assert piece.spans == (LineSpan(0, 4, 72, 100),)
