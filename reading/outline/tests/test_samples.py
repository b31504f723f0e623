"""Contents found on pages of every kind: papers in two columns, contracts, manuals, filings."""

from pathlib import Path

import pytest

from reading.limits import Limits
from reading.outline.tests.pages import Sample, statement_rows
from reading.pdf_reader import read_pdf
from reading.rows import Reading


def entries(reading: Reading) -> list[tuple[int, str]]:
    return [(entry.level, entry.title) for entry in reading.toc if entry.origin != "front"]


def test_a_paper_in_two_columns_with_small_capitals(tmp_path: Path) -> None:
    sample = Sample(columns=2)
    for roman, title, parts in [
        ("I.", "INTRODUCTION", ["A. Overview", "B. Earlier Work"]),
        ("II.", "METHODS", ["A. Data", "B. Measures"]),
        ("III.", "RESULTS", []),
        ("IV.", "CONCLUSION", []),
    ]:
        sample.small_capitals(roman, title)
        sample.text(12)
        for part in parts:
            sample.line(part, font="tiit", gap=8)
            sample.text(16, gap=2)
    reading = read_pdf(sample.save(tmp_path / "paper.pdf"), Limits())
    assert entries(reading) == [
        (1, "I. INTRODUCTION"), (2, "A. Overview"), (2, "B. Earlier Work"),
        (1, "II. METHODS"), (2, "A. Data"), (2, "B. Measures"),
        (1, "III. RESULTS"), (1, "IV. CONCLUSION"),
    ]  # fmt: skip


def test_run_in_headings_of_a_contract_end_at_the_heading(tmp_path: Path) -> None:
    sample = Sample()
    for number, title, parts in [
        (1, "DEFINITIONS", ["Terms", "Reading of Words"]),
        (2, "THE SEPARATION", ["Transfer of Assets", "Approvals and Notices"]),
        (3, "TERMINATION", ["Term of Agreement", "Termination for Cause"]),
        (4, "MISCELLANEOUS", ["Force Majeure", "Entire Agreement"]),
    ]:
        sample.line(f"{number}. {title}", font="tibo", gap=12, x=150 if number > 2 else 0)
        for place, part in enumerate(parts, start=1):
            sample.run_in(f"{number}.{place} {part}.", "This clause was written by the parties who agreed to what it")
    reading = read_pdf(sample.save(tmp_path / "contract.pdf"), Limits())
    assert entries(reading) == [
        (1, "1. DEFINITIONS"), (2, "1.1 Terms"), (2, "1.2 Reading of Words"),
        (1, "2. THE SEPARATION"), (2, "2.1 Transfer of Assets"), (2, "2.2 Approvals and Notices"),
        (1, "3. TERMINATION"), (2, "3.1 Term of Agreement"), (2, "3.2 Termination for Cause"),
        (1, "4. MISCELLANEOUS"), (2, "4.1 Force Majeure"), (2, "4.2 Entire Agreement"),
    ]  # fmt: skip
    run_in = next(line for line in reading.lines if line.text.startswith("3.2"))
    assert run_in.kind == "body", "its first sentence is text, and quoted as such"


def test_a_numbered_clause_without_a_heading_is_no_entry(tmp_path: Path) -> None:
    sample = Sample()
    for number, title in enumerate(["CAPACITY", "COSTS", "LIABILITY", "DURATION"], start=1):
        sample.line(f"{number} {title}", gap=12)
        for place in (1, 2, 3):
            sample.run_in(f"{number}.{place}", "The Managing Group shall meet at the places which its chair has named")
    reading = read_pdf(sample.save(tmp_path / "clauses.pdf"), Limits())
    assert entries(reading) == [(1, "1 CAPACITY"), (1, "2 COSTS"), (1, "3 LIABILITY"), (1, "4 DURATION")]


def test_a_contents_list_without_leaders_holds_no_headings(tmp_path: Path) -> None:
    sample = Sample()
    titles = ["1 CAPACITY", "2 COSTS", "3 LIABILITY", "4 DURATION", "SCHEDULE A THE PARTIES"]
    sample.line("TABLE OF CONTENTS", gap=12)
    for place, title in enumerate(titles):
        sample.line(f"{title}    {31 + place}" if place < 4 else title, gap=4)
    for title in titles:
        sample.line(title, gap=12)
        sample.text(9, gap=8)
    reading = read_pdf(sample.save(tmp_path / "typewritten.pdf"), Limits())
    listed, first = [line.kind for line in reading.lines[1:6]], reading.toc[1]
    assert set(listed) == {"contents"}
    assert [title for _, title in entries(reading)] == titles and first.first_line == 7


def test_the_word_contents_alone_begins_no_list(tmp_path: Path) -> None:
    sample = Sample()
    for title in ["1 SCOPE", "2 CONTENTS", "3 LIABILITY", "4 DURATION"]:
        sample.line(title, gap=12)
        sample.text(9, gap=8)
    reading = read_pdf(sample.save(tmp_path / "word.pdf"), Limits())
    assert len(entries(reading)) == 4 and "contents" not in {line.kind for line in reading.lines}


@pytest.mark.parametrize(
    "numbers",
    [("§ 1", "§ 2", "§ 3", "§ 4"), ("Article I.", "Article II.", "Article III.", "Article IV."),
     ("Schedule 1", "Schedule 2", "Schedule 3", "Schedule 4"), ("A.", "B.", "C.", "D."), ("1)", "2)", "3)", "4)")],
)  # fmt: skip
def test_every_kind_of_number_makes_a_level(tmp_path: Path, numbers: tuple[str, ...]) -> None:
    sample = Sample()
    titles = ["Purpose", "Duties of the Board", "Reports", "Costs"]
    for number, title in zip(numbers, titles, strict=True):
        sample.line(f"{number} {title}", gap=12, size=10)
        sample.text(9, gap=8)
    reading = read_pdf(sample.save(tmp_path / "numbers.pdf"), Limits())
    assert entries(reading) == [(1, f"{number} {title}") for number, title in zip(numbers, titles, strict=True)]


def test_a_list_is_no_series_of_headings(tmp_path: Path) -> None:
    sample = Sample()
    for number, title in enumerate(["Purpose", "Scope", "Duties", "Costs"], start=1):
        sample.line(f"{number}. {title}", font="tibo", size=12, gap=12)
        sample.text(5)
        for place, item in enumerate(["Papers of the board", "Minutes of the board", "Books of the board"], start=1):
            sample.line(f"{place}. {item}", gap=8, x=12)
        sample.text(5)
    reading = read_pdf(sample.save(tmp_path / "list.pdf"), Limits())
    assert [title for _, title in entries(reading)] == ["1. Purpose", "2. Scope", "3. Duties", "4. Costs"]


def test_a_manual_repeats_its_headings_in_every_chapter(tmp_path: Path) -> None:
    sample = Sample()
    for chapter in ("Alarm", "Stopwatch", "Compass"):
        sample.line(chapter, font="hebo", size=16, gap=20)
        for part in ("To set it", "To turn it off"):
            sample.line(part, font="hebo", gap=10)
            sample.text(8)
    reading = read_pdf(sample.save(tmp_path / "manual.pdf"), Limits())
    assert entries(reading) == [
        (1, "Alarm"), (2, "To set it"), (2, "To turn it off"),
        (1, "Stopwatch"), (2, "To set it"), (2, "To turn it off"),
        (1, "Compass"), (2, "To set it"), (2, "To turn it off"),
    ]  # fmt: skip


def test_the_title_and_the_authors_are_no_sections(tmp_path: Path) -> None:
    sample = Sample()
    sample.line("The Length of Lines and How They Are Filled", size=18, x=40)
    sample.line("Jane Doe and John Roe", size=13, x=150)
    for number, title in enumerate(["Introduction", "Method", "Results", "Discussion"], start=1):
        sample.line(f"{number} {title}", font="tibo", size=12, gap=14)
        sample.text(14)
    reading = read_pdf(sample.save(tmp_path / "titled.pdf"), Limits())
    assert entries(reading) == [(1, "1 Introduction"), (1, "2 Method"), (1, "3 Results"), (1, "4 Discussion")]


ROWS = ["Net revenue", "Cost of sales", "Gross margin", "Selling expense", "Research expense", "Total expense",
        "Operating income", "Interest income", "Other income", "Income before taxes", "Tax provision", "Net income",
        "Basic earnings", "Diluted earnings"]  # fmt: skip


def test_the_section_of_a_statement_is_the_statement(tmp_path: Path) -> None:
    sample = Sample()
    for item in ("Item 5. Market", "Item 6. Reserved", "Item 7. Discussion", "Item 8. Financial Statements"):
        sample.line(item, font="tibo", size=14, gap=20)
        sample.text(40)
    sample.line("Report of the Auditors", font="tibo", size=12, gap=20)
    sample.text(20)
    named = ["STATEMENTS OF INCOME", "BALANCE SHEETS", "STATEMENTS OF EQUITY", "STATEMENTS OF CASH FLOWS"]
    for place, name in enumerate((*named, "STATEMENTS OF CASH FLOWS (continued)")):
        sample.new_page()
        sample.line("(in millions)", x=180)
        sample.line(f"CONSOLIDATED {name}", x=110)
        for row, this_year, last_year in statement_rows([*ROWS[2 * place :], *ROWS[: 2 * place]]):
            sample.line(row)
            sample.y -= 12
            sample.line(this_year, x=300)
            sample.y -= 12
            sample.line(last_year, x=400)
    sample.new_page()
    sample.line("Notes to Consolidated Financial Statements", font="tibo", size=12)
    sample.text(20)
    path = sample.save(tmp_path / "filing.pdf")
    outline = [[1, name, page] for name, page in [("Item 5. Market", 1), ("Item 6. Reserved", 1)]]
    outline += [[1, "Item 7. Discussion", 2], [1, "Item 8. Financial Statements", 3]]
    with_outline = tmp_path / "outlined.pdf"
    sample.document.set_toc(outline)
    sample.document.save(with_outline)
    for file in (path, with_outline):
        reading = read_pdf(file, Limits())
        titles = {entry.index: entry.title for entry in reading.toc}
        sections = {line.text: titles[line.toc_index] for line in reading.lines}
        statements = [titles[line.toc_index] for line in reading.lines if line.text.startswith("Net income")]
        assert statements == [f"CONSOLIDATED {name}" for name in (*named, named[-1])], "the last goes on"
        assert sections["Notes to Consolidated Financial Statements"] == "Notes to Consolidated Financial Statements"


def test_a_short_line_before_its_first_part_is_a_heading(tmp_path: Path) -> None:
    sample = Sample()
    titles = ["Sale of Products.", "Payments.", "Books and Records.", "Notices.", "Costs."]
    for number, title in enumerate(titles, 1):
        sample.line(f"{number}. {title}")
        for part in (1, 2):
            sample.line(f"{number}.0{part}. The Seller keeps to what was agreed in the schedule of the products and")
            sample.text(6)
    reading = read_pdf(sample.save(tmp_path / "terms.pdf"), Limits())
    assert [entry.title for entry in reading.toc if entry.level == 1] == [
        f"{number}. {title}" for number, title in enumerate(titles, 1)
    ]
