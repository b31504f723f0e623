"""The register of a document: what has a name, and where the text uses it (R14)."""

from pathlib import Path

import pytest

from reading.limits import Limits
from reading.matching import match_form
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.registry.objects import Registry, read_registry
from reading.registry.references import NAMES, named_at, references_in
from reading.rows import ImageRow, LineKind, LineRow, LineSpan, Reading, TocRow
from reading.tests.pdfs import write_pdf

LEFT, TOP, HIGH, PITCH = 72.0, 72.0, 10.0, 12.0


def line(number: int, text: str, kind: LineKind = "body", *, toc_index: int = 1, page: int = 1) -> LineRow:
    y = TOP + PITCH * number
    right = LEFT + 5 * len(text)
    spans = (LineSpan(0, len(text), LEFT, right),)
    place = (LEFT, y, right, y + HIGH, 0)
    return LineRow(number, number, page, toc_index, text, match_form(text), *place, kind, "test", spans)


def section(title: str, first: int, last: int, number: str = "", index: int = 1) -> TocRow:
    return TocRow(index, 1, None, number, title, title, first, last, 1, 1, "outline", 1.0)


@pytest.fixture
def contract() -> tuple[list[LineRow], list[TocRow]]:
    written: list[tuple[str, LineKind, int]] = [
        ("Fees", "heading", 1),
        ("The late fee is explained in Section 7.2 and shown in Table 3 row (B), see also Appendix", "body", 1),
        ("A. Clause 7.2.1 says who pays it; Table 9 was struck out.", "body", 1),
        ("Penalties", "heading", 2),
        ("7.2.1 The buyer pays every penalty.", "body", 2),
        ("Table 3: What is charged, as Table 4 says", "caption", 2),
        ("(A) first week 10 20", "table_row", 2),
        ("(B) second week 30 40", "table_row", 2),
        ("Table 4: What is not charged", "caption", 2),
        ("(C) nothing 0 0", "table_row", 2),
        ("Appendix A. Definitions", "heading", 3),
        ("A week has seven days, as Table 3 row (C) and Table 3 say.", "body", 3),
        ("see Table 3", "furniture", 3),
    ]
    lines = [line(n, text, kind, toc_index=toc) for n, (text, kind, toc) in enumerate(written, start=1)]
    toc = [
        section("Fees", 1, 3),
        section("Penalties", 4, 10, "7.2", index=2),
        section("Appendix A. Definitions", 11, 13, index=3),
    ]
    return lines, toc


def told(registry: Registry) -> list[tuple[int, str, str, str, int]]:
    return [(r.line_number, r.kind, r.label, r.row, r.target_line) for r in registry.references]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see Section 7.2", ["Section 7.2"]),
        ("(see Table 3 row (E))", ["Table 3 row (E)"]),
        (
            "In Table 3 rows (A) and (B), and further in rows (C) and (D)",
            ["Table 3 row (A)", "Table 3 row (B)", "Table 3 row (C)", "Table 3 row (D)"],
        ),
        ("as shown in Fig. 4 and in Appendix B", ["Figure 4", "Appendix B"]),
        ("Tableau 2, annexe C et article 5", ["Table 2", "Appendix C", "Section 5"]),
        ("Siehe Abb. 2-1, Gleichung (4) und Tabelle A1", ["Figure 2-1", "Equation 4", "Table A1"]),
        ("by Eq. (3) and Equation 4", ["Equation 3", "Equation 4"]),
        ("Exhibit 10.2 and Schedule II are no appendices", ["Exhibit 10.2", "Schedule II"]),
        ("Note 5 says so", ["Note 5"]),
        ("Section (4) of the list", []),
        ("rows (C) of no table", []),
        ("Table 3 is far away." + " word" * 200 + " rows (C)", ["Table 3"]),
        ("the section about a table", []),
        ("in any section a party may choose", []),
        ("a sectional view, 3 tables", []),
        ("Table " + "1" * 50, []),
    ],
)
def test_it_reads_what_a_text_points_to(text: str, found: list[str]) -> None:
    assert [str(reference) for reference, _, _ in references_in(text)] == found


def test_a_name_means_one_kind() -> None:
    names = [name for kind in NAMES.values() for name in kind]
    assert len(names) == len(set(names))
    assert named_at("Table 3: What is charged") == ("table", "3", "What is charged")
    assert named_at("What is charged") is None


def test_things_are_registered_with_their_captions(contract: tuple[list[LineRow], list[TocRow]]) -> None:
    objects = read_registry(*contract).objects
    assert [(each.index, each.kind, each.label, each.title, each.line_number) for each in objects] == [
        (1, "table", "3", "What is charged, as Table 4 says", 6),
        (2, "table", "4", "What is not charged", 9),
        (3, "appendix", "a", "Definitions", 11),
    ]


def test_references_lead_to_lines(contract: tuple[list[LineRow], list[TocRow]]) -> None:
    """A caption, a heading's own name and page furniture are none; a name over two lines is one."""
    assert told(read_registry(*contract)) == [
        (2, "section", "7.2", "", 4),
        (2, "table", "3", "(b)", 8),
        (2, "appendix", "a", "", 11),
        (3, "section", "7.2.1", "", 5),  # a clause without a heading, by its number
        (3, "table", "9", "", 0),
        (12, "table", "3", "(c)", 6),  # a row of another table: the table at least
        (12, "table", "3", "", 6),
    ]
    lines, _ = contract
    first, *_ = read_registry(*contract).references
    assert lines[1].text[first.start : first.end] == "Section 7.2"


def test_a_range_of_lines_has_its_references(contract: tuple[list[LineRow], list[TocRow]]) -> None:
    registry = read_registry(*contract)
    assert [each.line_number for each in registry.between(3, 11)] == [3, 3]
    assert registry.between(4, 11) == ()


def test_a_figure_has_the_box_of_its_picture() -> None:
    lines = [line(1, "Some text."), line(20, "Figure 1: A mill", "caption")]
    lines[1] = lines[1]._replace(number=2)
    near = ImageRow(1, 1, 80.0, 100.0, 300.0, 300.0, 640, 480)
    far = ImageRow(1, 2, 80.0, 600.0, 300.0, 700.0, 640, 480)
    [figure] = read_registry(lines, [], [near, far]).objects
    assert (figure.x0, figure.y0, figure.x1, figure.y1) == (80.0, 100.0, 300.0, 300.0)
    [alone] = read_registry(lines, [], [far]).objects
    assert (alone.y0, alone.y1) == (lines[1].y0, lines[1].y1)


def test_a_table_has_the_box_of_its_rows_and_an_equation_its_number(tmp_path: Path) -> None:
    pages = [
        ["As Table 1 and Eq. (2) show, sales rose.", "", "Table 1: Sales", "2023\t2022", "Bolts\t12\t10"]
        + ["Nuts\t30\t28", "", "", "y = a x + b\t\t(2)", "", "He said so (3)"]
    ]
    reading = read_pdf(write_pdf(tmp_path / "sales.pdf", pages), Limits())
    registry = read_registry(reading.lines, reading.toc, reading.images)
    table, equation = registry.objects
    assert (table.kind, table.label, equation.kind, equation.label) == ("table", "1", "equation", "2")
    rows = [line for line in reading.lines if line.text.startswith(("Table 1", "Nuts"))]
    assert (table.y0, table.y1) == (rows[0].y0, rows[1].y1)
    assert {each.target_line for each in registry.references} == {table.line_number, equation.line_number}


def test_a_text_without_names_has_an_empty_register() -> None:
    reading: Reading = read_markdown("# Rules\n\nBe kind.\n")
    assert read_registry(reading.lines, reading.toc) == Registry((), ())
