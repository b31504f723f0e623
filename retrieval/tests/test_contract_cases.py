"""The contract questions of list C (docs/requirements.md) on a small contract of our own, judged by the rules."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.dictionary.load import pack_concepts
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import RetrievalResult

CONTRACT = content_of_lines(
    [
        "Insurance contract",
        "between the insurer and the policyholder",
        "# Summary of the contract",
        "The annual premium of 1,200 EUR is due each month in equal parts of 100 EUR.",
        "The policyholder is covered against flood and water damage.",
        "---",
        "# Definitions",
        "Deductible means the amount the policyholder bears in every claim.",
        "Premium means the price of the cover.",
        "---",
        "# Cover",
        "The deductible amount is 500 EUR for each claim.",
        "Damage by flood is covered up to 100,000 EUR.",
        "---",
        "# Termination",
        "Either party may terminate the contract with three months' notice.",
        "Indemnification survives termination for two years.",
        "---",
        "# Penalties",
        "A party that leaves the contract before the end of the term pays an early termination charge.",
        "---",
        "# Coverage modification",
        "The policyholder may change the coverage at any renewal.",
        "---",
        "# Schedule of fees",
        "Changing the coverage costs a fee of 25 EUR.",
        "Pricing of additional services is negotiated.",
    ],
    title="Contract",
)


def ask(question: str, *contents: DocumentContent) -> RetrievalResult:
    return retrieve(question, contents or [CONTRACT], settings=SETTINGS, arbiter="rules", dictionary=pack_concepts())


def kept_sections(result: RetrievalResult) -> list[str]:
    return [candidate.section_title for candidate in result.kept()]


@pytest.mark.parametrize(
    ("question", "sections"),
    [
        pytest.param("What happens if we exit early?", {"Termination", "Penalties"}, id="C1"),
        pytest.param("What does it say about the premium?", {"Summary of the contract"}, id="C2"),
        pytest.param("How much do I pay each month?", {"Summary of the contract"}, id="C5"),
        pytest.param(
            "What are the fees for changing coverage?", {"Coverage modification", "Schedule of fees"}, id="C12"
        ),
    ],
)
def test_the_sections_asked_for_are_kept_each_with_a_reason(question: str, sections: set[str]) -> None:
    result = ask(question)
    assert sections <= set(kept_sections(result))
    assert all(candidate.verdict.reason for candidate in result.candidates)


def test_the_line_with_the_figure_comes_before_the_glossary() -> None:
    """C3, R30."""
    first, second, *_ = ask("What is the deductible amount?").candidates
    assert (first.section_title, second.section_title) == ("Cover", "Definitions")
    assert "500 EUR" in first.quote.text


@pytest.mark.parametrize(
    "question", ["Does this cover earthquake?", "Is theft covered?", "Does the contract mention arbitration?"]
)
def test_what_is_mentioned_nowhere_is_not_covered(question: str) -> None:
    """C4."""
    result = ask(question)
    assert result.status == "not_found"
    assert "occurs nowhere" in result.not_found_reason or "zero hits" in result.not_found_reason


@pytest.mark.parametrize("question", ["Does this cover flood?", "Is water damage covered?"])
def test_what_is_covered_is_found(question: str) -> None:
    assert ask(question).status == "found"


def test_what_is_left_out_is_not_searched() -> None:
    """C6: the exclusion is for the writer alone."""
    result = ask("What is the premium in dollars, not euros?")
    assert result.question.exclusions == ("euros",)
    assert "euros" not in {keyword.text for keyword in result.question.keywords}
    assert result.candidates[0].section_title == "Summary of the contract"


def test_a_date_and_its_amendment_are_both_returned() -> None:
    """C7: with a model the arbiter says that they disagree; the rules return both."""
    original = content_of_lines(["# Start", "The contract starts on 15 March 2024."], title="Contract", number=2)
    amendment = content_of_lines(["# Start", "The contract starts on 1 April 2024."], title="Amendment", number=3)
    quotes = [each.quote.text for each in ask("When does the contract start?", original, amendment).kept()]
    assert any("15 March 2024" in quote for quote in quotes) and any("1 April 2024" in quote for quote in quotes)


LIST = [f"({letter}) damage of kind {letter};" for letter in "abcde"]


def test_a_list_that_goes_on_over_the_page_is_handed_on_whole() -> None:
    """C8: the end of the page is not the end of the list."""
    rest = ["(f) damage of kind f;", "(g) damage of kind g.", "# Notice", "Notice is given in writing."]
    content = content_of_lines(["# Exclusions", "The exclusions of the cover are:", *LIST, "---", *rest])
    first = ask("List the exclusions of the cover", content).candidates[0]
    assert "(g) damage of kind g." in first.context.text and "in writing" not in first.context.text


def test_a_list_that_ends_with_its_page_ends_there() -> None:
    """C8, its mirror: a heading follows."""
    rest = ["# Notice", "Notice is given in writing."]
    content = content_of_lines(["# Exclusions", "The exclusions of the cover are:", *LIST, "---", *rest])
    first = ask("List the exclusions of the cover", content).candidates[0]
    assert "(e) damage of kind e;" in first.context.text and "in writing" not in first.context.text


@pytest.mark.parametrize(("goes_on", "is_whole"), [(True, True), (False, False)])
def test_without_a_table_of_contents_the_next_page_says_whether_a_list_goes_on(goes_on: bool, is_whole: bool) -> None:
    """C8 again, by the page alone: what is looked at and does not go on is never handed on (R73)."""
    rest = (
        ["(f) damage of kind f", "and its like;", "(g) damage of kind g."]
        if goes_on
        else ["Notice is given in writing."]
    )
    content = content_of_lines(["The exclusions of the cover are:", *LIST, "---", *rest])
    first = ask("List the exclusions of the cover", content).candidates[0]
    assert ("(g) damage of kind g." in first.context.text) is is_whole
    assert "in writing" not in first.context.text


def test_a_negotiated_price_is_no_amount() -> None:
    """C9, R58, G3: not found, and what stands there instead is shown beside it."""
    result = ask("How much does the pricing of additional services amount to?")
    assert result.status == "not_found"
    assert [gate.code for gate in result.gates if gate.fired] == ["G3"]
    assert "(amount) stands beside the words of the question" in result.not_found_reason
    assert "negotiated" in result.candidates[0].anchor_text


def test_a_fact_on_one_line_needs_no_search_by_meaning() -> None:
    """C10."""
    result = ask("annual premium?")
    assert not result.plan.is_on("vectors")
    assert "1,200 EUR" in result.candidates[0].quote.text


def test_a_condition_is_answered_with_its_term() -> None:
    """C11."""
    result = ask("How long does indemnification survive termination?")
    assert "two years" in result.candidates[0].quote.text


@pytest.mark.parametrize(
    ("lines", "quoted"),
    [
        (["# Term", "The term of this Lease shall be ten years from 1 June 2021."], "ten years"),
        (["# Term", "The term is six years from 1 March 2026."], "six years"),
        (["# Demise", "The shop is let to the Tenant to hold for a term of twelve years."], "twelve years"),
        (["# Secrets", "They are kept during the term of this Contract and for five years after it."], ""),
        (["# Guarantee", "The bank's guarantee is given for a term of two years."], ""),
    ],
)
def test_how_long_an_agreement_lasts_is_found_by_what_begins_a_term(lines: list[str], quoted: str) -> None:
    rent = ["# Rent", "Rent unpaid for five days bears interest.", "Either party may give three months' notice."]
    result = ask("How long does the agreement last?", content_of_lines([*lines, "---", *rent], title="Lease"))
    said = " ".join(each.quote.text for each in result.kept())
    assert (quoted in said, bool(said)) == (True, bool(quoted))
