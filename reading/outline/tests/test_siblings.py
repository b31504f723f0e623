"""Every line belongs to the clause or note whose number is printed above it, also where no source names that one."""

from pathlib import Path

import pytest

from reading.limits import Limits
from reading.outline.siblings import follows_number
from reading.outline.tests.pages import Sample
from reading.pdf_reader import read_pdf
from reading.rows import Reading


def sections(reading: Reading) -> dict[str, str]:
    """The beginning of each line with the path of its section."""
    paths = {entry.index: entry.breadcrumb for entry in reading.toc}
    return {line.text[:12]: paths[line.toc_index] for line in reading.lines}


def write_contract(path: Path, clauses: dict[str, list[tuple[str, str]]]) -> Reading:
    """Clauses of parts; a part is a title that stands alone, or the number or heading that its text follows."""
    sample = Sample()
    for number, (title, parts) in enumerate(clauses.items(), start=1):
        sample.line(f"{number}. {title}", font="tibo", size=12, gap=14)
        sample.text(3)
        for heading, text in parts:
            sample.line(f"{heading} {text}".strip(), x=36, gap=12, font="tiro" if text else "tibo")
            sample.line(f"so {heading[:2]} {title} is what the parties wrote here, and it goes on to the next line")
            sample.line("of this clause until it ends.")
    return read_pdf(sample.save(path), Limits())


def test_a_clause_ends_where_the_next_letter_is_printed(tmp_path: Path) -> None:
    parts = [
        ("A.", "At least eight days are given to the service in each of the years,"),
        ("B. Press and Public.", ""),
        ("C. Pay or Play.", "If the buyer does not use what it is given in a year then it"),
        ("D.", "Notwithstanding anything to the contrary the rights are not given"),
    ]
    clauses = {"Grant": [], "Services": parts, "Payment": [], "Costs": [], "Notices": []}
    found = sections(write_contract(tmp_path / "contract.pdf", clauses))
    assert [found[f"so {letter}. Servic"[:12]] for letter in "ABCD"] == [
        "2. Services", "2. Services > B. Press and Public.", "2. Services > C. Pay or Play", "2. Services > D.",
    ]  # fmt: skip


def test_items_of_a_list_end_no_section(tmp_path: Path) -> None:
    items = [(f"{number}.", "The supplier keeps the books of the year and shows them") for number in (1, 2, 3, 4)]
    clauses = {"Grant": [], "Services": items, "Payment": [], "Costs": [], "Notices": []}
    reading = write_contract(tmp_path / "contract.pdf", clauses)
    assert [entry.title for entry in reading.toc] == [
        "1. Grant", "2. Services", "3. Payment", "4. Costs", "5. Notices",
    ]  # fmt: skip


def test_a_number_that_a_sentence_breaks_before_begins_nothing(tmp_path: Path) -> None:
    sample = Sample()
    for number, title in enumerate(["Grant", "Services", "Payment", "Costs"], start=1):
        sample.line(f"{number}. {title}", font="tibo", size=12, gap=14)
        sample.text(3)
        sample.line("Nothing else is owed by the parties than what they have agreed upon in the clause of Section")
        sample.line(f"{number + 1}. The parties meet at the place which their chair has named for it in the notice of")
        sample.text(2)
    reading = read_pdf(sample.save(tmp_path / "broken.pdf"), Limits())
    assert [entry.title for entry in reading.toc] == ["1. Grant", "2. Services", "3. Payment", "4. Costs"]


def test_notes_that_the_contents_leave_out_end_the_note_before(tmp_path: Path) -> None:
    """Only the first two are named by the file, set like the others."""
    sample = Sample()
    for number in range(1, 6):
        sample.line(f"NOTE {number} - SUBJECT {number}", x=150, font="tibo", gap=14)
        sample.text(12)
        sample.line(f"about {number} is said here.")
    outline = [[1, "NOTE 1 - SUBJECT 1", 1], [1, "NOTE 2 - SUBJECT 2", 1]]
    sample.document.set_toc(outline)
    reading = read_pdf(sample.save(tmp_path / "notes.pdf"), Limits())
    found = sections(reading)
    assert [found[f"about {number} is s"[:12]] for number in range(1, 6)] == [
        f"NOTE {number} - SUBJECT {number}" for number in range(1, 6)
    ]


def write_filing(path: Path) -> Reading:
    """A long part of which the file names only the beginning: notes, a report and a consent on pages of their own."""
    sample = Sample()
    outline = []
    for title in ("Item 1. Business", "Item 2. Accounts", "Item 3. Exhibits", "Item 4. Summary"):
        sample.line(title, font="tibo", size=14)
        outline.append([1, title, sample.document.page_count])
        sample.text(10)
        if title.startswith("Item 2"):
            for number in range(1, 6):
                sample.line(f"NOTE {number} - SUBJECT {number}", x=150, gap=14)
                sample.text(75)
                sample.line("Deferred amounts", font="tibo", size=8, gap=12)
                sample.text(3)
                sample.line(f"about {number} is said here.")
            for title in ("REPORT OF THE AUDITORS", "CONSENT OF THE AUDITORS"):
                sample.new_page()
                sample.line(title, font="tibo")
                sample.text(4)
                sample.line(f"{title[:6].lower()} is given here.")
        sample.new_page()
    sample.document.set_toc(outline)
    return read_pdf(sample.save(path), Limits())


def test_a_greater_heading_on_a_page_of_its_own_ends_a_note(tmp_path: Path) -> None:
    found = sections(write_filing(tmp_path / "filing.pdf"))
    assert found["about 5 is said"[:12]] == "Item 2. Accounts > NOTE 5 - SUBJECT 5"
    assert found["report is gi"] == "Item 2. Accounts > REPORT OF THE AUDITORS"
    assert found["consen is gi"] == "Item 2. Accounts > CONSENT OF THE AUDITORS"


def test_a_heading_smaller_than_the_text_is_no_section(tmp_path: Path) -> None:
    reading = write_filing(tmp_path / "filing.pdf")
    assert "Deferred amounts" in {line.text for line in reading.lines if line.kind == "heading"}
    assert not any(entry.title == "Deferred amounts" for entry in reading.toc)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("C", "D", True),
        ("H", "I", True),
        ("I", "II", True),
        ("IV", "V", True),
        ("NOTE 15", "Note 16", True),
        ("3.1", "3.2", True),
        ("4", "6", True),
        ("4", "7", False),
        ("a", "B", False),
        ("3.1", "4", False),
        ("A.1", "B.2", False),
        ("Item 7", "Note 8", False),
        ("", "1", False),
    ],
)
def test_it_knows_which_number_counts_on(before: str, after: str, expected: bool) -> None:
    assert follows_number(before, after) is expected
