"""What reviewers asked the shipped documents and were told wrongly, judged by the rules with and without meaning."""

from functools import cache
from pathlib import Path

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from retrieval.dictionary.load import pack_concepts
from retrieval.pipeline import retrieve
from retrieval.tests.builders import content_of_reading, with_vectors
from retrieval.types import RetrievalResult

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
AGREEMENT, POLICY = "outsourcing-agreement.pdf", "information-security-policy.md"

pytestmark = pytest.mark.parametrize("embeddings", ["none", "bundled"])


@cache
def sample(name: str, embeddings: str) -> DocumentContent:
    path = SAMPLES / name
    reading = read_pdf(path, Limits()) if path.suffix == ".pdf" else read_markdown(path.read_text("utf-8"))
    content = content_of_reading(reading, path)
    return with_vectors(content) if embeddings == "bundled" else content


def ask(question: str, name: str, embeddings: str) -> RetrievalResult:
    settings = BaseSettings(embeddings=embeddings)
    contents = [sample(name, embeddings)]
    return retrieve(question, contents, settings=settings, arbiter="rules", dictionary=pack_concepts())


@pytest.mark.parametrize(
    "question",
    [
        "what is the penalty for late delivery of helicopters?",
        "Which penalty is due for the late delivery of cargo helicopters, in per cent?",
    ],
)
def test_what_a_thing_belongs_to_must_be_mentioned(question: str, embeddings: str) -> None:
    result = ask(question, AGREEMENT, embeddings)
    assert result.status == "weak" and not result.kept()
    assert "no page that was read mentions" in result.not_found_reason and "helicopters" in result.not_found_reason
    assert result.candidates[0].section_title == "Late delivery", "the nearest passages are shown all the same"


def test_the_same_penalty_is_found_where_it_belongs_to_nothing_else(embeddings: str) -> None:
    for question in (
        "What is the penalty for late delivery?",
        "What is the penalty for late delivery of the Services?",
    ):
        result = ask(question, AGREEMENT, embeddings)
        assert result.status == "found" and result.kept()[0].section_title == "Late delivery"


def test_how_long_is_asked_of_a_text_too(embeddings: str) -> None:
    result = ask("How long must passwords be?", POLICY, embeddings)
    assert result.status == "found"
    assert "Passwords have at least fourteen characters" in " ".join(result.kept()[0].quote.text.split())
    assert "long" not in {word.text for word in result.searched}, "it is how one asks, not what is asked about"


def test_ending_early_is_found_at_any_time_with_notice(embeddings: str) -> None:
    result = ask("When may the customer terminate early?", AGREEMENT, embeddings)
    quotes = {each.section_title: " ".join(each.quote.text.split()) for each in result.kept()}
    assert result.status == "found"
    assert "at any time" in quotes["Termination for convenience"] and "180" in quotes["Termination for convenience"]
    assert "Early termination charge" in quotes


@pytest.mark.parametrize(
    "question", ["Can the customer get out of the contract?", "May the Customer end the agreement at any time?"]
)
def test_ending_is_found_under_the_words_people_use_for_it(question: str, embeddings: str) -> None:
    result = ask(question, AGREEMENT, embeddings)
    first = [each.section_title for each in result.kept()[:4]]
    assert "Termination for convenience" in first and "Early termination charge" in {
        each.section_title for each in result.kept()
    }
