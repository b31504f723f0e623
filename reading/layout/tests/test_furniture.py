"""Running headers, footers and page numbers are told from text by repetition and position."""

from pathlib import Path

import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import Reading
from reading.tests.pdfs import write_pdf

PAPERS = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "papers"


def body(page: int) -> list[str]:
    return [f"Line {number} about subject {page * 7} says something else." for number in range(12)]


def kinds(reading: Reading, text: str) -> set[str]:
    return {line.kind for line in reading.lines if line.text == text}


def test_it_marks_running_headers_and_page_numbers(tmp_path: Path) -> None:
    pages = [body(page) for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "a.pdf", pages, header="The Framework", footer=True), Limits())
    assert kinds(reading, "The Framework") == {"furniture"}
    assert all(kinds(reading, str(page)) == {"furniture"} for page in range(1, 8))
    assert {line.kind for line in reading.lines if line.text.startswith("Line")} == {"body"}


def test_it_keeps_a_number_that_does_not_count_the_pages(tmp_path: Path) -> None:
    pages = [[*body(page), str(page * page)] for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "b.pdf", pages), Limits())
    assert kinds(reading, "49") != {"furniture"}


def test_it_marks_page_numbers_that_follow_the_text(tmp_path: Path) -> None:
    pages = [[*body(page)[: 5 + page % 4], f"{page + 2} | Acme, Inc."] for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "f.pdf", pages), Limits())
    assert all(kinds(reading, f"{page + 2} | Acme, Inc.") == {"furniture"} for page in range(1, 8))


def test_it_marks_page_numbers_that_follow_the_text_above_a_footer(tmp_path: Path) -> None:
    pages = [[*body(page)[: 5 + page % 4], f"Sheet {page + 2}"] for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "s.pdf", pages, footer=True), Limits())
    assert all(kinds(reading, f"Sheet {page + 2}") == {"furniture"} for page in range(1, 8))


def test_it_marks_the_page_numbers_of_an_earlier_form_of_the_text(tmp_path: Path) -> None:
    lines = [f"Line {number} about subject {number * 7} is text." for number in range(260)]
    for page in range(1, 13):
        lines.insert(21 * page, str(page))
    pages = [lines[start : start + 40] for start in range(0, len(lines), 40)]
    reading = read_pdf(write_pdf(tmp_path / "e.pdf", pages), Limits())
    assert all(kinds(reading, str(page)) == {"furniture"} for page in range(1, 13))


def test_it_keeps_the_numbers_of_a_list(tmp_path: Path) -> None:
    lines = [each for number in range(1, 40) for each in (str(number), f"What is said of number {number * 7} here.")]
    pages = [lines[start : start + 40] for start in range(0, len(lines), 40)]
    reading = read_pdf(write_pdf(tmp_path / "l.pdf", pages), Limits())
    assert not any("furniture" in kinds(reading, str(number)) for number in range(2, 39))


def test_it_keeps_numbered_headings_that_begin_every_page(tmp_path: Path) -> None:
    pages = [[f"# {page} Chapter", *body(page)] for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "h.pdf", pages), Limits())
    assert all(kinds(reading, f"{page} Chapter") == {"heading"} for page in range(1, 8))


def test_it_keeps_text_that_repeats_inside_the_page(tmp_path: Path) -> None:
    pages = [[*body(page)[:6], "None.", *body(page)[6:]] for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "c.pdf", pages), Limits())
    assert kinds(reading, "None.") == {"body"}


@pytest.mark.skipif(not PAPERS.exists(), reason="needs ../shared/data")
def test_it_leaves_no_running_header_of_the_csf_among_the_text() -> None:
    reading = read_pdf(PAPERS / "NIST.CSWP.29.pdf", Limits())
    header = [line for line in reading.lines if "NIST CSWP 29" in line.text and line.y0 < 60]
    assert len(header) >= 25 and {line.kind for line in header} == {"furniture"}
    pages = {line.page_number for line in reading.lines if "framework" in line.match and line.kind != "furniture"}
    assert len(pages) < len(reading.pages)


def test_it_marks_headers_that_name_the_chapter_beside_the_document(tmp_path: Path) -> None:
    chapters = ["Business", "Our strategy", "Risks", "Income statement", "Balance sheet", "Cash flows"]
    pages = [[f"Corvane Annual Report\t{chapter}", *body(page)] for page, chapter in enumerate(chapters)]
    reading = read_pdf(write_pdf(tmp_path / "chapters.pdf", pages), Limits())
    assert all(kinds(reading, f"Corvane Annual Report {chapter}") == {"furniture"} for chapter in chapters)


def test_it_keeps_table_rows_that_begin_every_page(tmp_path: Path) -> None:
    pages = [[f"Total current liabilities\t{page * 37}", *body(page)] for page in range(1, 8)]
    reading = read_pdf(write_pdf(tmp_path / "rows.pdf", pages), Limits())
    assert all(kinds(reading, f"Total current liabilities {page * 37}") == {"table_row"} for page in range(1, 8))


def test_a_line_that_has_a_number_twice_counts_it_once(tmp_path: Path) -> None:
    """Two pages must count up together; one page with the same number twice does not."""
    pages = [["1.1 Expenses are claimed within 1 month.", *body(1)], ["Part two", *body(2)]]
    reading = read_pdf(write_pdf(tmp_path / "twice.pdf", pages), Limits())
    assert "furniture" not in kinds(reading, "1.1 Expenses are claimed within 1 month.")
