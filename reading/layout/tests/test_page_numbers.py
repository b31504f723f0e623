"""Printed page numbers count up; what does not is no page number."""

from pathlib import Path

import pymupdf
import pytest

from reading.layout.page_numbers import value_of_roman
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.rows import Reading
from reading.tests.pdfs import write_pdf

FILINGS = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "financebench"


def labels(reading: Reading) -> list[str]:
    return [page.label for page in reading.pages]


def read_with_footers(folder: Path, footers: list[str]) -> Reading:
    pages = [
        [*(f"Line {line} about subject {page * 7} says something else." for line in range(12)), footer]
        for page, footer in enumerate(footers, start=1)
    ]
    return read_pdf(write_pdf(folder / "numbered.pdf", pages), Limits())


@pytest.mark.parametrize(
    ("footers", "expected"),
    [
        (["", "", "1", "2", "3", "4"], ["", "", "1", "2", "3", "4"]),
        (["", "Acme 2023 | 1", "Acme 2023 | 2", "Acme 2023 | 3"], ["", "1", "2", "3"]),
        (["", "F-1", "F-2", "F-3"], ["", "F-1", "F-2", "F-3"]),
        (["i", "ii", "iii", "1", "2", "3"], ["i", "ii", "iii", "1", "2", "3"]),
        (["", "1", "2", "", "4", "5"], ["", "1", "2", "3", "4", "5"]),
        (["", "1", "2", "3", "4", "", "5"], ["", "1", "2", "3", "4", "", "5"]),  # an unnumbered plate
        (["", "1", "2", "3", "4", "", "", "5", "6"], ["", "1", "2", "3", "4", "", "", "5", "6"]),
        (["", "1", "2", "3", "4", "", "Sold 5"], ["", "1", "2", "3", "4", "", ""]),
        (["47698", "47699", "47700", "47701"], ["47698", "47699", "47700", "47701"]),
        (["Form 11, 16:21", *["Form 11, 16:21"] * 15], [str(number) for number in range(1, 17)]),
        (["17", "4", "99", "3", "12", "8"], ["1", "2", "3", "4", "5", "6"]),
    ],
)
def test_it_names_pages_as_printed(tmp_path: Path, footers: list[str], expected: list[str]) -> None:
    assert labels(read_with_footers(tmp_path, footers)) == expected


def write_numbered(path: Path, *, size: float = 9, color: tuple[float, ...] = (0, 0, 0)) -> Path:
    """Ten pages whose number, from 101 on, is set in a size and colour."""
    document = pymupdf.open()
    for number in range(10):
        page = document.new_page()
        for line in range(12):
            page.insert_text(
                (72, 100 + 20 * line), f"Line {line} about subject {number * 7} says something.", fontsize=9
            )
        page.insert_text((72, 40), f"{101 + number}", fontsize=size, color=color)
    document.save(path)
    return path


def read_with_cells(path: Path, footers: list[tuple[str, str]]) -> Reading:
    """A page for each footer of two cells, one at each edge of the page."""
    document = pymupdf.open()
    for number, (left, right) in enumerate(footers):
        page = document.new_page()
        for line in range(12):
            page.insert_text((72, 100 + 20 * line), f"Line {line} about subject {number * 7} says more.", fontsize=9)
        page.insert_text((72, 800), left, fontsize=8)
        page.insert_text((480, 800), right, fontsize=8)
    document.save(path)
    return read_pdf(path, Limits())


@pytest.mark.parametrize(
    ("footers", "expected"),
    [
        ([("Handbook 12 b", label) for label in ("i", "ii", "iii", *"12345678")], ["i", "ii", "iii", *"12345678"]),
        ([(roman, "Rules of the house") for roman in ("v", "vi", "vii", "viii")], ["v", "vi", "vii", "viii"]),
        ([("Volume", "IV")] * 5, ["1", "2", "3", "4", "5"]),
        ([("Part", roman) for roman in ("i", "v", "ii", "x", "c")], ["1", "2", "3", "4", "5"]),
        ([("Rules of the house", f"Annex {roman}") for roman in ("i", "ii", "iii", "iv")], ["1", "2", "3", "4"]),
    ],
)  # fmt: skip
def test_a_roman_number_may_share_its_line(tmp_path: Path, footers: list[tuple[str, str]], expected: list[str]) -> None:
    assert labels(read_with_cells(tmp_path / "cells.pdf", footers)) == expected


def test_a_number_in_large_print_is_a_page_number(tmp_path: Path) -> None:
    reading = read_pdf(write_numbered(tmp_path / "large.pdf", size=14), Limits())
    assert labels(reading) == [str(number) for number in range(101, 111)]


def test_what_is_not_seen_is_no_page_number(tmp_path: Path) -> None:
    reading = read_pdf(write_numbered(tmp_path / "white.pdf", color=(1, 1, 1)), Limits())
    assert labels(reading) == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize(("text", "value"), [("i", 1), ("iv", 4), ("IX", 9), ("xlii", 42)])
def test_it_reads_roman_numbers(text: str, value: int) -> None:
    assert value_of_roman(text) == value


def test_it_places_contents_entries_by_the_numbers_printed_on_pages(tmp_path: Path) -> None:
    titles = ["Scope of the plan", "Duties of the bank", "Reports and records", "Costs and fees", "Closing provisions"]
    contents = ["# Contents", *(f"{title} ....... F-{number}" for number, title in enumerate(titles, start=1))]
    pages = [contents]
    for number, title in enumerate(titles, start=1):
        text = [f"Sentence {line} of the text goes on about subject {number * 7}." for line in range(12)]
        pages.append([f"# {title}", *text, f"F-{number}"])
    reading = read_pdf(write_pdf(tmp_path / "f.pdf", pages), Limits())
    assert labels(reading) == ["", "F-1", "F-2", "F-3", "F-4", "F-5"]
    assert reading.report["toc_origin"] == "printed_contents"
    found = [(entry.title, entry.first_page) for entry in reading.toc if entry.origin == "printed_contents"]
    assert found == [(title, number + 1) for number, title in enumerate(titles, start=1)]


@pytest.mark.skipif(not FILINGS.exists(), reason="needs ../shared/data")
def test_it_tells_printed_from_physical_pages_of_a_filing() -> None:
    found = labels(read_pdf(FILINGS / "NIKE_2018_10K.pdf", Limits()))
    assert (found[0], found[2], found[81]) == ("", "1", "80")
