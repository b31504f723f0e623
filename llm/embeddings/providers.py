"""Providers of vectors: the bundled encoder, an OpenAI-compatible server or Voyage, behind one interface.

Vectors are stored under the key of their model, and a question is embedded by the model of the vectors it is compared
with. If no configured provider has a key any more, search runs without vectors and says why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from llm.call import OPENAI_URL, LLMServer
from llm.dialect import Body, value_at
from llm.embeddings import bundled
from llm.embeddings.encoder import EncoderMissing
from llm.errors import LLMError
from llm.exchange import Exchange, clean_text
from llm.posting import post

Vectors = NDArray[np.float32]
OnProgress = Callable[[int, int], None]
OnExchange = Callable[[Exchange], None]

PROVIDERS = ("bundled", "openai", "voyage")
VOYAGE_DIMENSIONS = 1024  # R93b
DOCUMENTS_DEADLINE_S = 60.0  # for a batch, with retries; nobody is waiting
QUERY_DEADLINE_S = 5.0  # a person is waiting, and words alone find something too
TEXT_CHARACTERS_MAX = 20_000  # the smallest window, 8,191 tokens of OpenAI's models, fits this many in most languages
BATCH = 64  # well below every provider's limits per request
MISSING_BUNDLED = "The embedding model is not installed"
MISSING_OPENAI = "No embedding server is configured: set OPENAI_API_KEY, OPENAI_BASE_URL or DOCINTEL_EMBEDDING_BASE_URL"
MISSING_VOYAGE = "No key for Voyage is configured: set VOYAGE_API_KEY"


@dataclass(frozen=True)
class Embedder:
    """A model that makes normalised float32 vectors. Calls raise LLMError, or EncoderMissing for the bundled one."""

    provider: str
    model_key: str
    _documents: Callable[[Sequence[str], OnProgress | None, OnExchange | None], Vectors]
    _query: Callable[[str], Vectors]

    def embed_documents(
        self,
        texts: Sequence[str],
        on_progress: OnProgress | None = None,
        on_exchange: OnExchange | None = None,
    ) -> Vectors:
        """Vectors [n, dimensions] in the order of the texts; each exchange with a server is passed on to be stored."""
        return self._documents(texts, on_progress, on_exchange)

    def embed_query(self, text: str) -> Vectors:
        """The vector [dimensions] of a question."""
        return self._query(text)


EMBEDDING_ERRORS = (LLMError, EncoderMissing)


def find_provider_obstacle(provider: str) -> str:
    """Why a provider cannot be used here, or ""."""
    if provider == "bundled":
        return "" if bundled.is_available() else MISSING_BUNDLED
    if provider == "openai":
        return "" if settings.EMBEDDING_CONFIGURED else MISSING_OPENAI
    return "" if settings.VOYAGE_API_KEY else MISSING_VOYAGE


def embedder_of(provider: str) -> Embedder | None:
    """The embedder of a provider as configured now, None if something is missing (see `find_provider_obstacle`)."""
    return None if find_provider_obstacle(provider) else MAKERS[provider]()


def embedder_for(model_key: str) -> Embedder | None:
    """The embedder of the model with this key, None if it is no longer configured."""
    for provider in PROVIDERS:
        embedder = embedder_of(provider)
        if embedder and embedder.model_key == model_key:
            return embedder
    return None


def bundled_embedder() -> Embedder:
    return Embedder(
        "bundled",
        bundled.MODEL_KEY,
        lambda texts, on_progress, _: bundled.embed_texts(texts, on_progress),
        bundled.embed_query,
    )


def openai_embedder() -> Embedder:
    """Any server with OpenAI's /embeddings; `dimensions` is sent only if configured."""
    server = LLMServer(settings.EMBEDDING_BASE_URL or OPENAI_URL, settings.EMBEDDING_API_KEY)
    body: Body = {"model": settings.EMBEDDING_MODEL, "encoding_format": "float"}
    key = f"openai/{settings.EMBEDDING_MODEL}"
    if settings.EMBEDDING_DIMENSIONS:
        body["dimensions"] = settings.EMBEDDING_DIMENSIONS
        key = f"{key}/{settings.EMBEDDING_DIMENSIONS}"
    return remote_embedder("openai", key, server, body, body)


def voyage_embedder() -> Embedder:
    """Voyage's embeddings: documents and questions are embedded differently, by `input_type`."""
    body: Body = {"model": settings.VOYAGE_MODEL, "output_dimension": VOYAGE_DIMENSIONS, "truncation": True}
    return remote_embedder(
        "voyage",
        f"voyage/{settings.VOYAGE_MODEL}/{VOYAGE_DIMENSIONS}",
        LLMServer(settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY),
        body | {"input_type": "document"},
        body | {"input_type": "query"},
    )


MAKERS: dict[str, Callable[[], Embedder]] = {
    "bundled": bundled_embedder,
    "openai": openai_embedder,
    "voyage": voyage_embedder,
}


def remote_embedder(provider: str, key: str, server: LLMServer, for_documents: Body, for_query: Body) -> Embedder:
    def documents(texts: Sequence[str], on_progress: OnProgress | None, on_exchange: OnExchange | None) -> Vectors:
        made = []
        for start in range(0, len(texts), BATCH):
            vectors, exchange = request_vectors(
                server, for_documents, texts[start : start + BATCH], DOCUMENTS_DEADLINE_S
            )
            made.append(vectors)
            if on_exchange:
                on_exchange(exchange)
            if on_progress:
                on_progress(min(start + BATCH, len(texts)), len(texts))
        return np.concatenate(made) if made else np.zeros((0, 0), dtype=np.float32)

    def query(text: str) -> Vectors:
        vector: Vectors = request_vectors(server, for_query, [text], QUERY_DEADLINE_S)[0][0]
        return vector

    return Embedder(provider, key[:80], documents, query)


def request_vectors(server: LLMServer, body: Body, texts: Sequence[str], deadline_s: float) -> tuple[Vectors, Exchange]:
    """One request; the texts are cleaned, cut to size and never empty, which servers refuse."""
    sent = [clean_text(text)[:TEXT_CHARACTERS_MAX].strip() or "-" for text in texts]
    read = partial(read_vectors, count=len(sent), dimensions=body.get("output_dimension") or body.get("dimensions"))
    return post(server, "/embeddings", body | {"input": sent}, read, purpose="embedding", deadline_s=deadline_s)


def read_vectors(told: Any, count: int, dimensions: int | None) -> Vectors:
    """The vectors of a reply in the order of the texts, normalised. Raises ValueError unless each text has one."""
    rows = value_at(told, "data")
    pairs = [(value_at(row, "index"), value_at(row, "embedding")) for row in rows] if isinstance(rows, list) else []
    found = {index: vector for index, vector in pairs if isinstance(index, int)}
    if not len(pairs) == len(found) == count or not all(isinstance(found.get(index), list) for index in range(count)):
        raise ValueError("not one vector for each text")
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused below
            vectors = np.asarray([found[index] for index in range(count)], dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("vectors of something else than numbers") from error
    if vectors.ndim != 2 or dimensions not in (None, vectors.shape[1]) or not np.isfinite(vectors).all():
        raise ValueError("vectors of unequal length, or not numbers")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)
