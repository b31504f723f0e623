"""Each detector on small documents."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.detectors import DETECTORS
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines, with_vectors
from retrieval.types import METHODS, Hit, Method


def detect(method: Method, text: str, content: DocumentContent) -> list[Hit]:
    return DETECTORS[method](parse_question(text, [content]), content)


def texts(hits: list[Hit], content: DocumentContent) -> list[str]:
    return [content.lines[hit.lines.first - 1].text for hit in hits]


def test_there_is_one_detector_a_method() -> None:
    assert tuple(DETECTORS) == METHODS


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_found_in_an_empty_document(method: Method) -> None:
    assert detect(method, "What is the premium?", content_of_lines([])) == []


# ---- titles


def test_a_title_asked_for_is_exact(policy: DocumentContent) -> None:
    hits = detect("titles", "What does the positional cover mean?", policy)
    assert [(hit.detail, hit.exact_title) for hit in hits] == [("Positional cover", True)]


def test_one_word_of_a_longer_title_is_not(policy: DocumentContent) -> None:
    hits = detect("titles", "Which fees apply?", policy)
    assert [(hit.detail, hit.exact_title) for hit in hits] == [("Schedule of fees", False)]


def test_a_one_word_title_is_exact_only_when_nothing_else_is_asked() -> None:
    content = content_of_lines(["# Attention", "We compute attention.", "# Results", "x"])
    assert detect("titles", "What is attention?", content)[0].exact_title
    assert not detect("titles", "How is attention computed?", content)[0].exact_title


def test_a_section_named_in_the_question_is_exact(policy: DocumentContent) -> None:
    hits = detect("titles", 'What does the section "Termination" say?', policy)
    assert (hits[0].detail, hits[0].exact_title, hits[0].score) == ("Termination", True, 1.0)


# ---- keywords


def test_words_that_stand_together_come_first() -> None:
    """R29."""
    content = content_of_lines(
        ["A fee.", "x", "x", "x", "x", "x", "A reminder fee.", "x", "x", "x", "x", "A reminder."]
    )
    hits = detect("keywords", "reminder fee", content)
    assert texts(hits, content)[0] == "A reminder fee."
    assert hits[0].co_occurrence and not hits[-1].co_occurrence
    assert hits[0].line_score == 6 and hits[-1].line_score == 3


def test_a_rare_word_weighs_more() -> None:
    content = content_of_lines(["the common one"] * 30 + ["---", "rare", "---", *["common"] * 30])
    assert texts(detect("keywords", "common rare", content), content)[0] == "rare"


def test_inflections_count_and_parts_of_words_do_not() -> None:
    content = content_of_lines(["Positional encodings.", "The encoder.", "Positions."])
    assert texts(detect("keywords", "positional encoding", content), content)[0] == "Positional encodings."
    assert detect("keywords", "pos", content) == []


def test_a_word_in_the_title_above_helps_a_line() -> None:
    content = content_of_lines(["# Premium", "It is due.", "x", "---", "# Other", "It is due.", "x"])
    hits = detect("keywords", "premium due", content)
    assert [hit.lines.first for hit in hits if "due" in hit.matched_keywords] == [2, 5]


def test_furniture_that_says_nothing_of_its_own_is_never_hit(policy: DocumentContent) -> None:
    """R9."""
    assert "Example Company  page 2" not in texts(detect("keywords", "example company", policy), policy)


# ---- patterns


def test_a_value_of_the_type_beside_the_word_is_hit(policy: DocumentContent) -> None:
    """R30."""
    hits = detect("patterns", "What is the deductible amount?", policy)
    assert [hit.type_match for hit in hits] == [True]
    assert "$ 500" in texts(hits, policy)[0]


@pytest.mark.parametrize(
    ("question", "line", "hit"),
    [
        ("When is the premium due?", "The premium is due on 1 March 2024.", True),
        ("When is the premium due?", "The premium is due soon.", False),
        ("How much is the premium?", "The premium is 1,250.00 a year.", True),
        ("How much is the premium?", "The premium is negotiable.", False),
        ("What percentage is the premium?", "A premium of 5 % applies.", True),
        ("What is the value of premium?", "The premium [9] is high.", False),
        ("How often is the premium reviewed?", "The premium is reviewed every two years.", True),
        ("How often is the premium reviewed?", "The premium is reviewed by the board.", False),
        ("How long may the premium be late?", "The premium may be thirty (30) days late.", True),
        ("How long may the premium be late?", "The premium must not be late.", False),
        ("How many premiums per hour?", "At most 60 premiums per hour.", True),
        ("How many premiums per hour?", "At most 60 premiums.", False),
    ],
)
def test_it_knows_the_form_of_each_type(question: str, line: str, hit: bool) -> None:
    """R31."""
    assert bool(detect("patterns", question, content_of_lines([line]))) is hit


def test_a_value_on_the_next_line_of_a_sentence_counts() -> None:
    assert detect("patterns", "How much is the premium?", content_of_lines(["The premium is", "$ 12 a year."]))


def test_an_identifier_is_hit_however_it_is_set() -> None:
    """R31."""
    content = content_of_lines(["Use dmodel here.", "Use d model here.", "Use d_model here.", "Use dmodels."])
    assert len(detect("patterns", "What is d_model?", content)) == 3


# ---- vectors


def test_a_document_without_vectors_gives_none(policy: DocumentContent) -> None:
    assert detect("vectors", "What is the premium?", policy) == []


def test_the_nearest_passage_comes_first(policy: DocumentContent) -> None:
    content = with_vectors(policy)
    hits = detect("vectors", "How can I get out of the agreement?", content)
    passages = [hit for hit in hits if hit.detail == "passage"]
    assert content.lines[passages[0].lines.first - 1].text == "Termination"
    assert [hit.score for hit in passages] == sorted((hit.score for hit in passages), reverse=True)
