"""What each word of a question weighs in one document."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.detectors.keywords import AKIN_CREDIT, DECAY, PAGE_CREDIT, nearness
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import ConceptTerm, ConceptTerms
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, is_akin, weigh_terms

RATIO = (
    ConceptTerms(
        "quick ratio",
        (
            ConceptTerm("quick ratio", "en"),
            ConceptTerm("acid test", "en", pulled_from="liquidity"),
            ConceptTerm("deductible", "en", pulled_from="excess"),
        ),
    ),
)


def weighed(text: str, content: DocumentContent) -> dict[str, WeighedTerm]:
    return {term.text: term for term in weigh_terms(parse_question(text, [content], RATIO), lexicon_of(content))}


def test_a_pulled_in_name_without_a_hit_weighs_nothing(policy: DocumentContent) -> None:
    terms = weighed("What is the quick ratio?", policy)
    assert terms["acid test"].weight == 0
    assert terms["deductible"].weight > 0


def test_a_word_of_the_question_weighs_even_where_it_does_not_stand(policy: DocumentContent) -> None:
    assert weighed("What is the earthquake premium?", policy)["earthquake"].weight > 0


def test_a_term_without_a_hit_is_still_shown_as_searched(policy: DocumentContent) -> None:
    assert len(weighed("What is the quick ratio?", policy)["acid test"].lines) == 0


def test_another_word_of_the_family_weighs_less_on_its_line_and_nothing_beyond() -> None:
    others = ["Nothing of that kind stands on this line."] * 9
    asked, akin = "The deductibles are listed below.", "A credit is deducted from the charge."
    content = content_of_lines([*others, asked, *others, akin, *others])
    [term] = weighed("What is the deductible?", content).values()
    assert term.lines.tolist() == [10, 20]
    assert term.akin.tolist() == [20]
    near = nearness(term, lexicon_of(content), content)
    assert near[[10, 11, 20]].tolist() == pytest.approx([1, DECAY, AKIN_CREDIT])
    assert near[21] == pytest.approx(PAGE_CREDIT)


@pytest.mark.parametrize(
    ("form", "word", "language", "expected"),
    [
        ("premiums", "premium", "en", False),
        ("policies", "policy", "en", False),
        ("terminating", "terminate", "en", False),
        ("termination", "terminate", "en", False),
        ("organization", "organisation", "en", False),
        ("deducted", "deductible", "en", True),
        ("insured", "insurance", "en", True),
        ("financial position", "balance sheet", "en", False),
        ("pr aa 05", "PR.AA-05", "en", False),
        ("assurance", "insurance", "fr", False),
    ],
)
def test_an_ending_makes_no_other_word(form: str, word: str, language: str, expected: bool) -> None:
    assert is_akin(form, word, language) is expected
