# mypy: disallow-untyped-calls=False
"""Tables over several pages, with cells that span columns and rows: the next page has the head of the one before."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.pages.joined_tables import tables_of_page
from reading.pdf_reader import read_pdf
from reading.tables import Table

LEADING, COLUMNS = 16.0, (340.0, 440.0, 540.0)  # the right edges of three columns
Row = Sequence[str]
HEAD = [("# Deliveries by region",), ("@Year ended 31 December (in thousands)",), ("", "2024", "2023", "2022")]
NORTHERN, SOUTHERN = (
    ["Vigo", "Gijon", "Bilbao", "Santander", "Corunna", "Ferrol"],
    ["Malaga", "Huelva", "Ceuta", "Motril", "Almeria", "Faro"],
)
NORTH = [
    ("Lisbon", "1,204", "1,100", "990"),
    ("Porto", "871", "845", "802"),
    ("Braga", "90", "(12)", "40"),
    *[(town, "120", "119", "118") for town in NORTHERN],
]
SOUTH = [
    ("Seville", "2,300", "2,110", "1,995"),
    ("Cadiz", "410", "398", "377"),
    *[(town, "320", "319", "318") for town in SOUTHERN],
    ("Total", "4,875", "4,441", "4,204"),
]


def pages_of(folder: Path, *pages: Sequence[Row], shift: float = 0.0) -> list[list[Table]]:
    """The tables of each page of a ruled document."""
    path = write_ruled(folder / "tables.pdf", *pages, shift=shift)
    lines = read_pdf(path, Limits()).lines
    return [
        tables_of_page(number, lambda wanted: [line for line in lines if line.page_number == wanted])
        for number in range(1, len(pages) + 1)
    ]


def write_ruled(path: Path, *pages: Sequence[Row], shift: float = 0.0) -> Path:
    """A ruled document; "# " begins a title, "@" a head over all columns, "=" prose, "~" small print; later pages
    may be shifted.
    """
    document = pymupdf.open()
    for number, rows in enumerate(pages):
        page = document.new_page()
        for at, row in enumerate(rows):
            put_row(page, 90 + LEADING * at, row, shift if number else 0.0)
    document.save(path)
    return path


def put_row(page: pymupdf.Page, y: float, row: Row, shift: float) -> None:
    first, *cells = row
    if first.startswith("@"):  # one cell over all columns
        page.insert_text((300, y), first[1:], fontsize=10)
        page.draw_line((290, y + 4), (545, y + 4))
        return
    page.insert_text(
        (72, y),
        first.lstrip("#=~ "),
        fontsize={"#": 14, "~": 7}.get(first[:1], 10),
        fontname="hebo" if first.startswith("#") else "helv",
    )
    for right, cell in zip(COLUMNS, cells, strict=False):
        page.insert_text((right + shift - pymupdf.get_text_length(cell, fontsize=10), y), cell, fontsize=10)
    if cells:
        page.draw_line((72, y + 4), (545, y + 4))


def test_a_table_over_a_page_keeps_title_columns_and_unit(tmp_path: Path) -> None:
    (first,), (second,) = pages_of(tmp_path, [*HEAD, *NORTH], SOUTH)
    assert first.begins_on == 0 and first.inherited == ()
    assert (second.title, second.unit, second.begins_on) == (first.title, first.unit, 1)
    assert second.title == "Deliveries by region" and "thousand" in second.unit
    assert second.columns == first.columns
    assert [column.period for column in second.columns] == ["2024", "2023", "2022"]
    assert set(second.inherited) == {first.title_line, *first.head_lines}
    assert {"Cadiz", *SOUTHERN} <= {row.label for row in second.rows}
    assert min(row.first_line for row in second.rows) == second.first_line > first.last_line


@pytest.mark.parametrize(
    "note",
    [
        *("= Source: books of the harbour.", "= (1) Without transit.", "= * Estimated.", "= Quelle: Hafenamt 2024"),
        *("= * EUR 500.", "= Note: figures in EUR 1,000.", "= Hinweis: Angaben in 1.000 EUR"),
        "~ With EUR 300 of transit in 2024.",
    ],
)
def test_notes_below_it_do_not_end_it(tmp_path: Path, note: str) -> None:
    (_,), (second,) = pages_of(tmp_path, [*HEAD, *NORTH, (note,)], SOUTH)
    assert second.begins_on == 1 and [column.period for column in second.columns] == ["2024", "2023", "2022"]


def test_it_goes_on_over_several_pages_and_keeps_where_it_begins(tmp_path: Path) -> None:
    tables = pages_of(tmp_path, [*HEAD, *NORTH], NORTH, SOUTH)
    assert [page[0].begins_on for page in tables] == [0, 1, 1]
    assert tables[2][0].columns == tables[0][0].columns and tables[2][0].inherited == tables[1][0].inherited


def test_a_head_that_is_printed_again_is_its_own(tmp_path: Path) -> None:
    again = [("# Deliveries by region (continued)",), *HEAD[1:]]
    (first,), (second,) = pages_of(tmp_path, [*HEAD, *NORTH], [*again, *SOUTH])
    assert second.begins_on == 1 and [column.heading for column in second.columns] == [
        column.heading for column in first.columns
    ]
    assert "(continued)" in second.title


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([*HEAD, *NORTH], [("# Table 4: Staff",), *SOUTH]),  # a title of its own
        ([*HEAD, *NORTH], [("", "2021", "2020", "2019"), *SOUTH]),  # headings of its own
        ([*HEAD, *NORTH], [("(in millions)",), *SOUTH]),  # a unit of its own
        ([*HEAD, *NORTH, ("= These figures were checked by the auditors of the harbour in March.",)], SOUTH),
        ([*HEAD, *NORTH, ("= 5. Discounts are given for more.",)], SOUTH),  # a clause
        ([*HEAD, *NORTH, ("= (5) Discounts are given as follows:",)], SOUTH),  # of what comes next
        ([*HEAD, *NORTH, ("= Rent: 500 EUR",)], SOUTH),  # a label with its value
        ([*HEAD, *SOUTH, ("= Source: books of the harbour.",)], NORTH),  # over, behind its total
        ([*HEAD, *NORTH], [("= The following figures are those of the staff of the harbour.",), *SOUTH]),
        ([*HEAD, *NORTH], [row[:3] for row in SOUTH]),  # another number of columns
        (NORTH, SOUTH),  # nothing to take over
    ],
)
def test_what_is_another_table_takes_nothing_over(tmp_path: Path, first: Sequence[Row], second: Sequence[Row]) -> None:
    tables = pages_of(tmp_path, first, second)[1]
    assert tables and tables[0].begins_on == 0 and tables[0].inherited == ()


def test_columns_in_other_places_are_another_table(tmp_path: Path) -> None:
    (table,) = pages_of(tmp_path, [*HEAD, *NORTH], SOUTH, shift=-30.0)[1]
    assert table.begins_on == 0 and not any(column.heading for column in table.columns)


def test_a_label_over_several_rows_stays_on_its_own_page(tmp_path: Path) -> None:
    """A cell that spans rows: its name is not carried over the page, since nothing says how far it goes."""
    spanning = [("Northern ports",), *[(f"    {row[0]}", *row[1:]) for row in NORTH]]
    (first,), (second,) = pages_of(tmp_path, [*HEAD, *spanning], SOUTH)
    assert {row.group for row in first.rows} == {"Northern ports"} and {row.group for row in second.rows} == {""}
    assert second.begins_on == 1
