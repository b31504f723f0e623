"""Narrowing by titles and votes is measured and in no product (R37)."""

from benchmarks.narrowed import narrowing
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines

LEASE = content_of_lines(
    [
        "# Deposit",
        *("The deposit is kept by the landlord." for _ in range(4)),
        "---",
        "# Moving out",
        "The deposit is paid back within 30 days.",
        "---",
        "# Heating",
        "Radiators are bled once a year.",
        "---",
        "# Parking",
        *(f"Car {number} stands in the yard." for number in range(60)),
    ]
)


def sections_of(question: str) -> set[str]:
    return {each.section_title for each in retrieve(question, [LEASE], settings=SETTINGS, arbiter="rules").candidates}


def test_only_the_sections_that_titles_and_lines_agree_on_are_searched() -> None:
    """R37: the clause that answers stands under a title that says nothing of it, and is lost."""
    asked = "What is said of the deposit?"
    assert sections_of(asked) >= {"Deposit", "Moving out"}
    with narrowing():
        assert sections_of(asked) == {"Deposit"}
        assert "Parking" in sections_of("Where does car 7 stand?"), "without a title nothing is narrowed"
    assert "Moving out" in sections_of(asked)
