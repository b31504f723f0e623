"""What each word of a question weighs in one document."""

from documents.content import DocumentContent
from retrieval.lexicon import lexicon_of
from retrieval.question import parse_question
from retrieval.terms import Term, terms_of
from retrieval.types import ConceptTerm, ConceptTerms

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


def weighed(text: str, content: DocumentContent) -> dict[str, Term]:
    return {term.text: term for term in terms_of(parse_question(text, [content], RATIO), lexicon_of(content))}


def test_a_pulled_in_name_without_a_hit_weighs_nothing(policy: DocumentContent) -> None:
    terms = weighed("What is the quick ratio?", policy)
    assert terms["acid test"].weight == 0
    assert terms["deductible"].weight > 0


def test_a_word_of_the_question_weighs_even_where_it_does_not_stand(policy: DocumentContent) -> None:
    assert weighed("What is the earthquake premium?", policy)["earthquake"].weight > 0


def test_a_term_without_a_hit_is_still_shown_as_searched(policy: DocumentContent) -> None:
    assert len(weighed("What is the quick ratio?", policy)["acid test"].lines) == 0
