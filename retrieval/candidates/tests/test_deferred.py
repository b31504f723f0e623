"""A sentence that only says where its value stands is followed there, in every mode (R75)."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.references import line_of_value
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, Written, content_of_lines
from retrieval.types import LineRange, Mode, RetrievalResult, Settled

ANNEX: tuple[Written, ...] = ("---", "# Annex A. Particulars", "Per event the insured bears EUR 750.")


def policy_saying(sentence: str, *others: Written, language: str = "en") -> DocumentContent:
    first = ["# Insurance", sentence, "---", "# Claims", "Claims are notified without delay."]
    return content_of_lines([*first, *(others or ANNEX)], language=language)


def ask(
    content: DocumentContent, question: str = "What is the deductible?", mode: Mode = "balanced"
) -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, mode=mode, arbiter="rules")


def places_left_to(result: RetrievalResult) -> list[Settled]:
    return [each for each in result.candidates if each.is_left_value]


@pytest.mark.parametrize("mode", ["fast", "balanced", "thorough"])
def test_the_value_is_cited_behind_the_sentence_that_leaves_it(mode: Mode) -> None:
    """(R75): both are read, the sentence first, and the plan says what was followed."""
    result = ask(policy_saying("The deductible is the amount given in Annex A."), mode=mode)
    assert result.status == "found"
    assert [each.quote.text for each in result.kept()] == [
        "The deductible is the amount given in Annex A.",
        "Per event the insured bears EUR 750.",
    ]
    place = result.kept()[1]
    assert (place.verdict.role, place.verdict.rule) == ("primary", "referred to")
    assert place.referred == "Appendix A, where p. 1 says that the value stands"
    [flag] = [flag for flag in result.plan.flags if flag.name == "cross_references"]
    assert flag.on and flag.reason.startswith("followed: Appendix A, named on p. 1")


@pytest.mark.parametrize(
    ("sentence", "question", "heading", "value", "language"),
    [
        ("The rent is stated in Schedule 2.", "How much is the rent?", "Schedule 2 Sums", "EUR 900 a month.", "en"),
        ("The response time is set out in Clause 7.", "What is the response time?", "Clause 7", "Four hours.", "en"),
        ("Die Kaution ist in Anlage 3 festgelegt.", "Wie hoch ist die Kaution?", "Anlage 3", "2.400 EUR.", "de"),
        ("Die Frist ergibt sich aus Anlage 3.", "Wie lang ist die Frist?", "Anlage 3", "Drei Wochen.", "de"),
        ("La franchise figure à l'annexe 2.", "Quel est le montant de la franchise ?", "Annexe 2", "250 EUR.", "fr"),
        ("La tasa se indica en el anexo 1.", "¿Cuál es el importe de la tasa?", "Anexo 1", "400 EUR.", "es"),
    ],
)  # fmt: skip
def test_it_is_followed_in_four_languages(
    sentence: str, question: str, heading: str, value: str, language: str
) -> None:
    """(R75)"""
    content = policy_saying(sentence, "---", f"# {heading}", value, language=language)
    assert [each.quote.text for each in places_left_to(ask(content, question))] == [value]


@pytest.mark.parametrize(
    "sentence",
    [
        "The deductible is payable subject to Annex A.",
        "The deductible is applied in accordance with Annex A.",
        "The deductible is governed by Annex A.",
        "No deductible applies except as set out in Annex A.",
        "The deductible is paid to the bank named in Annex A.",
        "The deductible is set out in Annex A of the master policy.",
        "The insured reports what is listed in Annex A.",
    ],
)
def test_what_leaves_no_value_is_not_followed(sentence: str) -> None:
    """(R75): what only holds beside it, what is left of another thing, and what stands in another document."""
    result = ask(policy_saying(sentence))
    assert not places_left_to(result)
    assert not result.plan.is_on("cross_references")


def test_a_value_in_the_sentence_itself_is_the_answer() -> None:
    result = ask(policy_saying("The deductible is EUR 500, as set out in Annex A."))
    assert not places_left_to(result)
    assert result.kept()[0].quote.text == "The deductible is EUR 500, as set out in Annex A."


@pytest.mark.parametrize(
    ("lines", "quoted"),
    [
        (("Fire: EUR 300.", "Theft: EUR 800."), []),
        (("Fire: EUR 300. Theft: EUR 800.",), []),
        (("Each loss: five hundred euros (EUR 500).",), ["Each loss: five hundred euros (EUR 500)."]),
        (("The insured pays it at once.",), []),
    ],
)
def test_of_several_values_one_is_taken_that_is_said_of_it(lines: tuple[str, ...], quoted: list[str]) -> None:
    """(R75)"""
    content = policy_saying("The security deposit is set out in Annex A.", "---", "# Annex A. Particulars", *lines)
    result = ask(content, "How much is the security deposit?")
    assert [each.quote.text for each in places_left_to(result)] == quoted
    assert (result.status == "found") == bool(quoted)


def test_of_several_lines_with_a_value_the_one_with_the_words_asked_for_has_it() -> None:
    content = content_of_lines(["# Annex A", "Keys: EUR 300.", "Security: EUR 800."])
    question = parse_question("How much is the security?", [content])
    assert line_of_value(question, LineRange(1, 3), content) == 3
    assert line_of_value(question, LineRange(1, 2), content) == 2
    assert line_of_value(parse_question("How much is the rent?", [content]), LineRange(1, 3), content) is None


def test_a_sentence_whose_value_is_nowhere_is_no_answer() -> None:
    """(R75): what led nowhere is said."""
    result = ask(policy_saying("The deductible is set out in Annex B."))
    assert result.status == "weak"
    assert "no value of the kind asked for (amount)" in result.not_found_reason
    [flag] = [flag for flag in result.plan.flags if flag.name == "cross_references"]
    assert "led nowhere: Appendix B" in flag.reason


def test_a_clause_without_a_heading_ends_where_the_next_begins() -> None:
    """(R75)"""
    clauses = ("---", "# General", "6.1 Notices take two days.", "6.2 It is five years.", "6.3 Appeals take one month.")
    content = policy_saying("Secrets are kept for the period specified in clause 6.2.", *clauses)
    [place] = places_left_to(ask(content, "How long are secrets kept?"))
    assert place.quote.text == "6.2 It is five years."
