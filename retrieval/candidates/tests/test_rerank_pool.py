"""`ranking = rerank` and `hybrid`, on the wire: the pool, its order, what fails, and what the writer reads."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from pytest_django import Settings

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent, Vectors
from llm.embeddings.providers import embedder_of
from retrieval.arbiter.deciding import NARROWED
from retrieval.arbiter.heuristic import heuristic_scores
from retrieval.arbiter.rerank import PROMPT
from retrieval.candidates.rerank_pool import by_meaning, by_words, fused_passages, passage_text
from retrieval.detectors.vectors import query_vector
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from tests.rerank_server import serving
from tests.scripted_llm import ScriptedLLM

Serve = Callable[..., ScriptedLLM]
RERANK = BaseSettings(ranking="rerank", embeddings="voyage")
QUESTION = "When is the rent due?"


@pytest.fixture
def server(serve: Serve, settings: Settings) -> Iterator[ScriptedLLM]:
    server = serve()
    settings.LLM_CONFIGURED = False
    settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY, settings.VOYAGE_MODEL = (
        server.base_url,
        "pa-voyage",
        "voyage-3.5",
    )
    settings.RERANK_BASE_URL, settings.RERANK_MODEL, settings.RERANK_INSTRUCTIONS = "", "rerank-2.5", "query"
    query_vector.cache_clear()
    yield server
    query_vector.cache_clear()


@pytest.fixture
def lease(server: ScriptedLLM) -> DocumentContent:
    lines = ["# Rent", "The rent is due on the first working day.", "# Deposit", "A deposit is paid before moving in."]
    lines += [
        line for number in range(30) for line in (f"# Part {number}", f"Clause {number} speaks of the rent of gates.")
    ]
    return embedded(content_of_lines(lines))


def embedded(content: DocumentContent) -> DocumentContent:
    voyage = embedder_of("voyage")
    assert voyage is not None
    vectors = voyage.embed_documents([passage_text(passage) for passage in content.passages])
    return replace(content, vectors=Vectors(voyage.model_key, vectors, np.zeros((0, 1024), dtype=np.float32)))


def test_the_twenty_most_relevant_passages_are_kept_in_the_rerankers_order(
    server: ScriptedLLM, lease: DocumentContent
) -> None:
    """R93."""
    result = retrieve(QUESTION, [lease], settings=RERANK)
    assert (result.status, result.ranking.arbiter, result.ranking.status) == ("found", "rerank", "ran")
    assert len(result.candidates) == 20
    first = result.candidates[0]
    assert (first.section_title, first.verdict.role) == ("Rent", "primary") and first.verdict.rule.startswith(
        "relevance "
    )
    assert first.quote.text == "The rent is due on the first working day." and first.boxes
    assert {candidate.verdict.role for candidate in result.candidates[1:]} == {"supporting"}
    asked = [request for request in server.requests if request.path == "/v1/rerank"]
    assert len(asked) == 1 and asked[0].body["query"] == f"{PROMPT.text}\n\n{QUESTION}" and asked[0].body["top_k"] == 20
    assert len(asked[0].body["documents"]) > 20
    assert result.ranking.exchange is not None and result.ranking.exchange.purpose == "rerank"
    assert 0 < result.confidence <= 0.6


def test_the_question_is_embedded_as_a_question_and_by_the_model_of_the_vectors(
    server: ScriptedLLM, lease: DocumentContent
) -> None:
    retrieve(QUESTION, [lease, replace(lease, document_id="other")], settings=RERANK)
    queries = [r.body for r in server.requests if r.path == "/v1/embeddings" and r.body["input_type"] == "query"]
    assert {query["model"] for query in queries} == {"voyage-3.5"} and {len(query["input"]) for query in queries} == {1}


def test_meaning_and_words_are_fused_by_weight(server: ScriptedLLM, lease: DocumentContent) -> None:
    """R93."""
    question = parse_question(QUESTION, [lease])
    meaning, words = by_meaning(question.topic, [lease]), by_words(question, [lease])
    assert len(meaning) <= 150 and len(words) <= 150 and (0, 1) not in words[:1]
    fused = {fused.passage.index: fused.score for fused in fused_passages(question, [lease])}
    expected = 0.8 / (60 + meaning.index((0, 0)) + 1) + 0.2 / (60 + words.index((0, 0)) + 1)
    assert fused[0] == pytest.approx(expected)


def test_an_annotation_is_searched_and_reranked_but_never_quoted(server: ScriptedLLM, lease: DocumentContent) -> None:
    passages = list(lease.passages)
    passages[1] = passages[1]._replace(annotation="On the zanzibar clause.")
    content = replace(lease, passages=tuple(passages))
    assert by_words(parse_question("zanzibar", [content]), [content]) == [(0, 1)]
    assert passage_text(passages[1]).startswith("On the zanzibar clause.\n")


@pytest.mark.parametrize("behaviour", ["error-500", "unauthorized", "unknown-ids", "html", "hang"])
def test_a_reranker_that_fails_leaves_the_fused_order_and_says_so(
    server: ScriptedLLM, lease: DocumentContent, settings: Settings, behaviour: str
) -> None:
    settings.RERANK_DEADLINE_S = 1
    query_vector(parse_question(QUESTION, [lease]).topic, "voyage/voyage-3.5/1024")
    server.behaviour = behaviour
    result = retrieve(QUESTION, [lease], settings=RERANK)
    assert result.ranking.status == "not_run" and result.ranking.failure
    assert {candidate.verdict.role for candidate in result.candidates} == {"unjudged"} and result.confidence <= 0.3
    assert result.candidates[0].section_title == "Rent"


def test_the_model_that_ranked_is_named_and_not_the_one_asked_for(
    server: ScriptedLLM, lease: DocumentContent, settings: Settings
) -> None:
    """(R93b) A server of a single model ranks with it under any name."""
    with serving(models=("served",)) as reranker:
        settings.RERANK_BASE_URL, settings.RERANK_MODEL = reranker.base_url, "asked"
        result = retrieve(QUESTION, [lease], settings=RERANK)
    assert result.ranking.status == "ran" and "passages by the reranker served." in result.candidates[0].verdict.reason


def test_words_phrases_and_names_order_the_pool_without_any_model(server: ScriptedLLM, lease: DocumentContent) -> None:
    """(R95) Rerank by rules: nothing is asked over the network but the vector of the question."""
    result = retrieve(QUESTION, [lease], settings=replace(RERANK, reranking="heuristic"))
    assert (result.status, result.ranking.arbiter, result.ranking.status) == ("found", "rerank", "ran")
    assert [request.path for request in server.requests if request.path == "/v1/rerank"] == []
    first = result.candidates[0]
    assert (first.section_title, first.verdict.role, len(result.candidates)) == ("Rent", "primary", 20)
    assert "words, exact phrases and names of files" in first.verdict.reason and result.ranking.exchange is None
    assert {candidate.verdict.role for candidate in result.candidates[1:]} == {"supporting"}


def test_a_base_may_leave_the_fused_order_as_it_is(server: ScriptedLLM, lease: DocumentContent) -> None:
    """(R95)"""
    result = retrieve(QUESTION, [lease], settings=replace(RERANK, reranking="none"))
    assert (result.ranking.arbiter, result.ranking.status, result.ranking.failure) == ("none", "ran", "")
    assert {candidate.verdict.role for candidate in result.candidates} == {"unjudged"} and result.confidence <= 0.3
    assert "/v1/rerank" not in server.paths and len(result.candidates) == 20


def scores_of(question: str, texts: list[str], *, names: tuple[str, ...] = ()) -> list[float]:
    """What the heuristic gives passages of one place in the order, each in a document of its own."""
    contents = [
        replace(content_of_lines([f"# Part {n}", text], number=n + 1), file_name=names[n] if names else "a.pdf")
        for n, text in enumerate(texts)
    ]
    asked = parse_question(question, contents)
    result = retrieve(question, contents, settings=BaseSettings(ranking="rerank", reranking="none"))
    by_text = {each.document_id: replace(each, rrf_rank=1) for each in result.candidates}
    return heuristic_scores(asked, [by_text[content.document_id] for content in contents], contents)


def test_each_signal_of_the_heuristic_counts() -> None:
    """(R95) More of the question's words; its words as a phrase; its words in the name of the file."""
    more, less = scores_of(
        "When is the security deposit refunded?", ["The deposit is refunded.", "The deposit is kept."]
    )
    assert more > less
    texts = ["Security deposit refunded at the end.", "Refunded at the end: deposit, security."]
    phrase, apart = scores_of("When is the security deposit refunded?", texts)
    assert phrase > apart
    named, other = scores_of("What is the deposit?", ["The deposit."] * 2, names=("deposit.pdf", "rent.pdf"))
    assert named > other


def test_without_a_reranker_it_says_what_is_missing(lease: DocumentContent, settings: Settings) -> None:
    settings.VOYAGE_API_KEY = ""
    result = retrieve(QUESTION, [lease], settings=RERANK)
    assert result.ranking.status == "not_run" and "VOYAGE_API_KEY" in result.ranking.failure


def test_a_question_that_cannot_be_embedded_is_asked_by_its_words(server: ScriptedLLM, lease: DocumentContent) -> None:
    server.behaviour = "unauthorized"
    asked = "Why are gates, rents and clauses spoken of?"
    result = retrieve(asked, [lease], settings=BaseSettings(embeddings="voyage"), arbiter="rules")
    flag = next(flag for flag in result.plan.flags if flag.name == "vectors")
    assert result.candidates and not flag.on and "could not be embedded" in flag.reason


def test_nearness_alone_never_turns_absence_into_a_find(lease: DocumentContent) -> None:
    assert retrieve("Are earthquakes insured?", [lease], settings=RERANK).status == "not_found"


def test_the_rules_narrow_what_the_model_judges(serve: Serve, policy: DocumentContent) -> None:
    server = serve()
    lines = [line for n in range(30) for line in (f"# Rent {n}", f"The rent {n} is due on day {n}.")]
    result = retrieve(QUESTION, [content_of_lines(lines)], settings=BaseSettings(ranking="hybrid", embeddings="none"))
    assert (result.ranking.arbiter, result.ranking.status) == ("model", "ran")
    assert len(server.requests) == 1 and server.requests[0].body["input"].count("<candidate id=") == NARROWED
    left_out = [candidate for candidate in result.candidates if candidate.verdict.role == "unjudged"]
    assert len(result.candidates) == NARROWED + len(left_out) and left_out
    assert all(candidate.verdict.reason.startswith("Left out by the rules") for candidate in left_out)
