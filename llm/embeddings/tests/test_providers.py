"""Embeddings of others, on the wire: what is sent, what comes back, and what a bad reply leads to."""

import numpy as np
import pytest
from pytest_django import Settings

from llm import errors
from llm.conftest import Serve
from llm.embeddings import providers
from llm.embeddings.bundled import MODEL_KEY, is_available
from llm.embeddings.providers import embedder_for, embedder_of, find_provider_obstacle
from llm.exchange import Exchange
from tests.scripted_llm import ScriptedLLM

TEXTS = ["The rent is due monthly.", "Nobody may smoke here.", ""]


@pytest.fixture
def server(serve: Serve, settings: Settings) -> ScriptedLLM:
    server = serve()
    settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY = server.base_url, "sk-openai"
    settings.EMBEDDING_CONFIGURED, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = True, "small", 0
    settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY, settings.VOYAGE_MODEL = (
        server.base_url,
        "pa-voyage",
        "voyage-3.5",
    )
    return server


def embedder(provider: str) -> providers.Embedder:
    found = embedder_of(provider)
    assert found is not None
    return found


def test_voyage_embeds_documents_and_questions_in_different_ways(server: ScriptedLLM) -> None:
    """(R93b)"""
    voyage = embedder("voyage")
    kept: list[Exchange] = []
    vectors = voyage.embed_documents(TEXTS, on_exchange=kept.append)
    query = voyage.embed_query("When is the rent due?")
    assert vectors.shape == (3, 1024) and query.shape == (1024,) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert int(np.argmax(vectors @ query)) == 0
    documents, question = (request.body for request in server.requests)
    assert (documents["input_type"], question["input_type"]) == ("document", "query")
    assert documents["output_dimension"] == 1024 and documents["model"] == "voyage-3.5"
    assert server.paths == ["/v1/embeddings"] * 2
    assert server.requests[0].headers["authorization"] == "Bearer pa-voyage"
    assert voyage.model_key == "voyage/voyage-3.5/1024" == embedder_for(voyage.model_key).model_key  # type: ignore[union-attr]
    assert [(one.purpose, one.outcome, one.api) for one in kept] == [("embedding", "ok", "embeddings")]
    assert kept[0].tokens_in and kept[0].request["input"]["texts"] == 3 and "smoke" not in str(kept[0].request)


def test_the_model_of_long_texts_has_a_profile(server: ScriptedLLM, settings: Settings) -> None:
    """(R93b) 1,024 dimensions of a model that reads 32,000 tokens."""
    settings.VOYAGE_MODEL = "voyage-3-large"
    voyage = embedder("voyage")
    assert (voyage.tokens_read, voyage.embed_query("rent").shape) == (32_000, (1024,))
    assert server.requests[0].body["model"] == "voyage-3-large"


def test_an_openai_compatible_server_is_asked_for_floats(server: ScriptedLLM, settings: Settings) -> None:
    openai = embedder("openai")
    assert openai.embed_documents(TEXTS).shape == (3, 256) and openai.model_key == "openai/small"
    body = server.requests[0].body
    assert body["encoding_format"] == "float" and "dimensions" not in body and "input_type" not in body
    settings.EMBEDDING_DIMENSIONS = 64
    assert embedder("openai").embed_query("rent").shape == (64,)
    assert server.requests[-1].body["dimensions"] == 64 and embedder("openai").model_key == "openai/small/64"
    assert embedder_for("openai/small") is None  # the vectors of another size are nobody's now


def test_many_texts_go_in_batches_and_keep_their_order(server: ScriptedLLM) -> None:
    texts = [f"number{n} word" for n in range(150)]
    reported: list[tuple[int, int]] = []
    vectors = embedder("voyage").embed_documents(texts, lambda done, of: reported.append((done, of)))
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 22]
    assert reported == [(64, 150), (128, 150), (150, 150)]
    assert np.allclose(vectors[77], embedder("voyage").embed_documents([texts[77]])[0])


def test_nothing_to_embed_asks_nobody(server: ScriptedLLM) -> None:
    assert embedder("voyage").embed_documents([]).size == 0 and server.requests == []


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("too-few-vectors", errors.Malformed),
        ("no-numbers", errors.Malformed),
        ("short-vectors", errors.Malformed),
        ("html", errors.Malformed),
        ("garbage", errors.Malformed),
        ("unauthorized", errors.Rejected),
        ("no-embeddings", errors.ServerFailed),
        ("error-500", errors.ServerFailed),
        ("no-quota", errors.RateLimited),
        ("redirect", errors.Rejected),
        ("huge", errors.Truncated),
    ],
)
def test_a_bad_reply_gives_no_vectors(server: ScriptedLLM, behaviour: str, kind: type[errors.LLMError]) -> None:
    server.behaviour = behaviour
    with pytest.raises(errors.LLMError) as caught:
        embedder("voyage").embed_query("rent")
    assert type(caught.value) is kind and "pa-voyage" not in repr(caught.value)
    assert caught.value.exchange.purpose == "embedding"


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
def test_a_question_waits_no_longer_than_its_deadline(
    server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch, behaviour: str
) -> None:
    server.behaviour = behaviour
    monkeypatch.setattr(providers, "QUERY_DEADLINE_S", 0.5)
    with pytest.raises(errors.DeadlinePassed):
        embedder("voyage").embed_query("rent")


def test_it_tries_again_when_the_server_recovers(serve: Serve, settings: Settings) -> None:
    server = serve("overloaded", "good")
    settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY = server.base_url, "pa-voyage"
    assert embedder("voyage").embed_query("rent").shape == (1024,) and len(server.requests) == 2


def test_it_says_what_is_missing(settings: Settings) -> None:
    settings.EMBEDDING_CONFIGURED, settings.VOYAGE_API_KEY = False, ""
    assert "DOCINTEL_EMBEDDING_BASE_URL" in find_provider_obstacle(
        "openai"
    ) and "VOYAGE_API_KEY" in find_provider_obstacle("voyage")
    assert embedder_of("openai") is embedder_of("voyage") is embedder_for("voyage/voyage-3.5/1024") is None


def test_the_bundled_encoder_is_one_of_them() -> None:
    if not is_available():
        pytest.skip("the encoder's weights are not installed")
    assert embedder("bundled").model_key == MODEL_KEY and embedder("bundled").embed_query("rent").shape == (384,)
