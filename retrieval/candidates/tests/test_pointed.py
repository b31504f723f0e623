"""What the place a question names brings (R21): figures, tables and appendices, in every mode."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Flag, Mode, RetrievalResult


@pytest.fixture
def lease() -> DocumentContent:
    return content_of_lines(
        [
            "# Rent",
            "The deposit is two rents. The deposit is returned with interest.",
            "---",
            ("Table 3: What is charged", "caption"),
            ("Item Amount", "table_row"),
            ("Deposit 2,400", "table_row"),
            "---",
            ("Figure 2: How the boiler is bled", "caption"),
            "Turn the valve.",
            "---",
            "# Appendix A. Forms",
            "The deposit is paid by transfer.",
            "---",
            "# Notices",
            "Notices are sent by post.",
        ]
    )


def ask(content: DocumentContent, question: str, mode: Mode = "balanced") -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, mode=mode, arbiter="rules")


def flag_of(result: RetrievalResult) -> Flag:
    return next(flag for flag in result.plan.flags if flag.name == "layout_hints")


def referred(result: RetrievalResult) -> dict[str, int]:
    """The line of each place that something points to, by what it is called."""
    return {each.referred: each.best_line for each in result.candidates if each.referred}


@pytest.mark.parametrize("mode", ["fast", "balanced", "thorough"])
@pytest.mark.parametrize(
    ("question", "named", "line"),
    [
        ("What is the deposit in the table?", "Table, named in the question", 5),
        ("What is the deposit according to Table 3?", "Table 3, named in the question", 5),
        ("What is the deposit in the appendix?", "Appendix, named in the question", 9),
        ("How is the deposit paid according to Appendix A?", "Appendix A, named in the question", 9),
        ("Which valve does figure 2 show?", "Figure 2, named in the question", 6),
        ("Quel deposit figure dans le tableau ?", "Table, named in the question", 5),
    ],
)
def test_what_is_named_is_a_place_in_every_mode(
    lease: DocumentContent, question: str, named: str, line: int, mode: Mode
) -> None:
    result = ask(lease, question, mode)
    assert referred(result)[named] == line
    assert flag_of(result).on and f"{named} (p. " in flag_of(result).reason
    place = next(each for each in result.candidates if each.referred == named)
    assert place.verdict.role in ("primary", "supporting")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What is the deposit in Table 9?", "no Table 9 is there; searched as without it"),
        ("What is the deposit in the figure?", "no figure holds a word of the question; searched as without it"),
    ],
)
def test_a_hint_that_matches_nothing_widens_and_says_so(lease: DocumentContent, question: str, reason: str) -> None:
    """(R21)"""
    result = ask(lease, question)
    assert (flag_of(result).on, flag_of(result).reason) == (False, reason)
    plain = ask(lease, "What is the deposit?")
    assert {each.anchor for each in plain.kept()} == {each.anchor for each in result.kept()}


def test_no_place_is_named_without_pointing(lease: DocumentContent) -> None:
    for question in ("What is the deposit?", "Give the deposit as a table.", "What are the deposit figures?"):
        assert not flag_of(ask(lease, question)).on


def test_words_that_say_where_to_look_are_not_searched(lease: DocumentContent) -> None:
    """(R21): they are looked for as a part of the document, and prove nothing."""
    result = ask(lease, "What is the deposit in the table, with the whole page?")
    assert [keyword.text for keyword in result.question.keywords] == ["deposit"]
    assert result.question.hints.around == "page"
    assert {"in the table", "with the whole page"} == set(result.question.instructions)
