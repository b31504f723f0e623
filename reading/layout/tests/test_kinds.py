"""Lines are told apart: headings, list items, table rows, captions, contents."""

from pathlib import Path

import pytest

from reading.layout.kinds import BodyStyle, classify_line, heading_score, is_wrapped_row, numbering_of, run_in_chars
from reading.layout.lines import PageLine
from reading.limits import Limits
from reading.matching import match_form
from reading.pdf_reader import read_pdf
from reading.rows import LineSpan
from reading.tests.pdfs import write_pdf

STYLE = BodyStyle(size=10, gap=2, left=72, right=540, is_bold=False)


def line(*cells: str, size: float = 10, is_bold: bool = False, y: float = 300) -> PageLine:
    spans, start = [], 0
    for index, cell in enumerate(cells):
        left = 72 + 150 * index
        spans.append(LineSpan(start, start + len(cell), left, left + 4 * len(cell)))
        start += len(cell) + 1
    text = " ".join(cells)
    return PageLine(1, text, match_form(text), 72, y, spans[-1].x1, y + size, size, is_bold, 0, tuple(spans))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (("Total current liabilities", "2,213", "(2,158)"), "table_row"),
        (("Net income", "$", "—", "12.5%"), "table_row"),
        (("more than 5 years", "10 weeks"), "table_row"),
        (("3000 Share capital", "25,000.00 CR"), "table_row"),
        (("1400 Forderungen", "12.480,50 S"), "table_row"),
        (("The balance is", "25,000.00 CR and is due"), "body"),
        (("The notice is", "10 weeks from the day of receipt"), "body"),
        (("November 27,", "November 28,", "November 29,"), "table_row"),
        (("Table 3: Variations on the architecture",), "caption"),
        (("Fig. 4. CSF Tiers",), "caption"),
        (("Table 3 rows (A), we vary the number of heads",), "body"),
        (("• a point of a list",), "list_item"),
        (("(a) the first exception",), "list_item"),
        (("•", "a point set with a wide gap"), "list_item"),
        (("a line of text that simply runs on",), "body"),
    ],
)
def test_it_knows_the_kind_of_a_line(cells: tuple[str, ...], kind: str) -> None:
    above = line("text right above", y=288)
    assert classify_line(line(*cells), above, STYLE) == kind


@pytest.mark.parametrize(
    ("text", "size", "is_bold", "is_heading"),
    [
        ("3.2.1 Scaled Dot-Product Attention", 10, True, True),
        ("Introduction", 14, True, True),
        ("Item 1A. Risk Factors", 10, True, True),
        ("we went on, as the previous line began,", 10, True, False),
        ("A bold sentence that explains at some length what the company did in the year before.", 10, True, False),
        ("2,213,556", 14, True, False),
    ],
)
def test_it_scores_headings_by_how_they_are_set(text: str, size: float, is_bold: bool, is_heading: bool) -> None:
    score = heading_score(line(text, size=size, is_bold=is_bold), line("above", y=260), STYLE)
    assert (score >= 3.0) == is_heading


@pytest.mark.parametrize(
    ("text", "number", "rest"),
    [
        ("3.2.1 Scaled Dot-Product Attention", "3.2.1", "Scaled Dot-Product Attention"),
        ("Item 1A. Risk Factors", "Item 1A", "Risk Factors"),
        ("Appendix B. CSF Tiers", "Appendix B", "CSF Tiers"),
        ("A. Account Terms", "A", "Account Terms"),
        ("IV. Results", "IV", "Results"),
        ("13. Disaster Recovery Policy", "13", "Disaster Recovery Policy"),
        ("I agree to the terms", "", "I agree to the terms"),
        ("2015 was a good year", "", "2015 was a good year"),
        ("Positional Encoding", "", "Positional Encoding"),
    ],
)
def test_it_splits_the_printed_number_from_a_title(text: str, number: str, rest: str) -> None:
    assert numbering_of(text) == (number, rest)


def test_it_marks_the_entries_of_a_contents_page(tmp_path: Path) -> None:
    contents = ["Contents", *(f"Chapter about subject {n} {'.' * 40} {n * 2}" for n in range(1, 9))]
    text = [[f"Sentence {n} of the text {'x' * page}." for n in range(9)] for page in range(18)]
    reading = read_pdf(write_pdf(tmp_path / "c.pdf", [contents, *text]), Limits())
    assert [row.kind for row in reading.lines if "subject" in row.text] == ["contents"] * 8


def test_it_does_not_take_a_statement_for_contents(tmp_path: Path) -> None:
    rows = [f"Item of the statement {n} {'.' * 20}\t{n * 10}\t{n * 9}" for n in range(1, 9)]
    reading = read_pdf(write_pdf(tmp_path / "d.pdf", [rows, ["text"] * 9]), Limits())
    assert {row.kind for row in reading.lines if "statement" in row.text} == {"table_row"}


def placed(text: str, left: float, right: float, *, is_bold: bool = True, y: float = 300) -> PageLine:
    return PageLine(
        1, text, match_form(text), left, y, right, y + 10, 10, is_bold, 0, (LineSpan(0, len(text), left, right),)
    )


def test_a_bold_line_in_the_middle_is_a_heading_like_one_at_the_left_edge() -> None:
    assert classify_line(placed("Results of operations", 256, 356), None, STYLE) == "heading"
    assert classify_line(placed("Results of operations", 72, 172), None, STYLE) == "heading"
    assert classify_line(placed("Years ended June 30,", 400, 500), None, STYLE) == "body", "the head of a column"
    assert classify_line(placed("(in millions, except per share)", 226, 386), None, STYLE) == "body"


def test_a_heading_goes_on_in_the_line_below_set_like_it() -> None:
    first = placed("Item 5. Market for common equity and", 72, 540, y=300)
    first.kind = "heading"
    assert classify_line(placed("purchases of equity securities", 72, 210, y=312), first, STYLE) == "heading"
    assert classify_line(placed("purchases of equity securities", 72, 210, y=340), first, STYLE) != "heading"
    assert classify_line(placed("plain text below a heading", 72, 210, is_bold=False, y=312), first, STYLE) == "body"


def test_a_number_alone_makes_no_heading_of_a_list_item() -> None:
    assert (
        classify_line(line("2. Gather what is needed to prepare it", y=312), line("before", y=300), STYLE)
        == "list_item"
    )
    assert numbering_of("C.1 Table of levels") == ("C.1", "Table of levels")


def test_the_second_line_of_a_cell_belongs_to_the_table() -> None:
    row = line("Severity 1 incident, first", "15 minutes", "Each incident", y=300)
    row.kind = "table_row"
    assert is_wrapped_row(placed("response", 72, 104, is_bold=False, y=311), row)
    assert is_wrapped_row(placed("of the year", 222, 266, is_bold=False, y=311), row)
    assert not is_wrapped_row(placed("response", 72, 104, is_bold=False, y=318), row), "a new paragraph"
    assert not is_wrapped_row(placed("text over the whole width", 72, 400, is_bold=False, y=311), row)
    assert not is_wrapped_row(placed("between two cells", 190, 210, is_bold=False, y=311), row)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("8.3 Termination for Cause. This Agreement may be terminated", "8.3 Termination for Cause"),
        ("2.1 Matters Governed by this Agreement.This Agreement shall", "2.1 Matters Governed by this Agreement"),
        ("2.1 The SpinRecords.com Pages. SpinRecords.com shall brand", "2.1 The SpinRecords.com Pages"),
        ("4. Non-Competition and Non-Solicitation: The grantee agrees", "4. Non-Competition and Non-Solicitation"),
        ("9.3 The Parties shall name the places. They may do so", ""),
        ("31.1 Certificate of Widget Maker, Inc. Signed", ""),
        ("Termination for Cause. This Agreement may be terminated", ""),
        ("8.3 Termination for Cause.", ""),
    ],
)
def test_a_run_in_heading_ends_before_its_text(text: str, heading: str) -> None:
    assert text[: run_in_chars(text)] == heading


@pytest.mark.parametrize(
    ("text", "number"),
    [("§ 3 Duties", "§ 3"), ("§§3 Duties", "§§ 3"), ("2) Duties", "2"), ("Article IV Costs", "Article IV"),
     ("Schedule 2 Costs", "Schedule 2"), ("U.S. Government Funding", ""), ("IV. RESULTS", "IV")],
)  # fmt: skip
def test_it_reads_numbers_of_every_kind(text: str, number: str) -> None:
    assert numbering_of(text)[0] == number
