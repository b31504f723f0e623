"""Providers of vectors: the bundled encoder, an OpenAI-compatible server or Voyage, behind one interface.

Vectors are stored under the key of their model, and a question is embedded by the model of the vectors it is compared
with. If no configured provider has a key any more, search runs without vectors and says why.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from llm.call import NOBODY_WAITS, OPENAI_URL, SOMEBODY_WAITS, UNHURRIED_DEADLINE_S, LLMServer, Persistence
from llm.dialect import Body, value_at
from llm.embeddings import bundled, windows
from llm.embeddings.encoder import IDENTITY, MAX_TOKENS, EncoderMissing
from llm.embeddings.windows import embed_whole
from llm.errors import LLMError
from llm.exchange import Exchange, clean_text
from llm.posting import Posting
from llm.pseudonyms.stand_ins import is_hiding

Vectors = NDArray[np.float32]
OnProgress = Callable[[int, int], None]
OnExchange = Callable[[Exchange], None]

VOYAGE_DIMENSIONS = 1024  # R93b, of its models that are not listed below
QUERY_DEADLINE_S = 5.0 * settings.PATIENCE  # a person is waiting, and words alone find something too
TOKEN_CHARACTERS = 2.4  # of most languages with current tokenizers, counted short; figures have fewer
BATCH, BATCH_CHARACTERS = 64, 200_000  # well below every provider's limits per request (Voyage: 120,000 tokens)
MISSING_BUNDLED = "The embedding model is not installed"
MISSING_OPENAI = "No embedding server is configured: set OPENAI_API_KEY, OPENAI_BASE_URL or DOCINTEL_EMBEDDING_BASE_URL"
MISSING_VOYAGE = "No key for Voyage is configured: set VOYAGE_API_KEY"


class EmbeddingProfile(NamedTuple):
    """`tokens` a text may have, `dimensions` asked for; 0 leaves the size to the model."""

    tokens: int
    dimensions: int


# As their makers publish it.
EMBEDDING_PROFILES = {
    "voyage-3-large": EmbeddingProfile(32_000, 1024),  # R93b
    "voyage-3.5": EmbeddingProfile(32_000, 1024),
    "voyage-3.5-lite": EmbeddingProfile(32_000, 1024),
    "text-embedding-3-small": EmbeddingProfile(8_191, 0),
    "text-embedding-3-large": EmbeddingProfile(8_191, 0),
}
UNKNOWN = EmbeddingProfile(512, 0)  # what the common small models of own servers read


def embedding_profile(model: str) -> EmbeddingProfile:
    """The profile of a model; a model nobody here knows is taken for a small one, unless the operator says more."""
    return EMBEDDING_PROFILES.get(model, UNKNOWN)


@dataclass(frozen=True)
class Embedder:
    """A model that makes normalised float32 vectors. Calls raise LLMError, or EncoderMissing for the bundled one.

    `identity` is all that decides on the vector of a document's text beside the text: weights, or address and options.
    """

    provider: str
    model_key: str
    identity: str
    _documents: Callable[[Sequence[str], OnProgress | None, OnExchange | None], Vectors]
    embed_query: Callable[[str], Vectors]  # the vector [dimensions] of a question
    tokens_read: int = UNKNOWN.tokens  # of one text; a longer one is embedded in pieces

    def embed_documents(
        self,
        texts: Sequence[str],
        on_progress: OnProgress | None = None,
        on_exchange: OnExchange | None = None,
    ) -> Vectors:
        """Vectors [n, dimensions] in the order of the texts; each exchange with a server is passed on to be stored."""
        return self._documents(texts, on_progress, on_exchange)

    def digest_of(self, text: str) -> str:
        """The digest of a document's text and of all else that decides on its vector: equal ones have equal vectors."""
        said = [self.provider, self.model_key, self.identity, self.tokens_read, windows.VERSION, clean_text(text)]
        said += ["pseudonyms"] if is_hiding() and self.provider != "bundled" else []
        return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


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
    maker, _, rest = model_key.partition("/")
    if maker == "voyage" and settings.VOYAGE_API_KEY:  # whichever of its models: the key of the account is enough
        return voyage_embedder(rest.rpartition("/")[0])
    for provider in MAKERS:
        embedder = embedder_of(provider)
        if embedder and embedder.model_key == model_key:
            return embedder
    return None


def openai_embedder() -> Embedder:
    """Any server with OpenAI's /embeddings; `dimensions` is sent only if configured."""
    server = LLMServer(settings.EMBEDDING_BASE_URL or OPENAI_URL, settings.EMBEDDING_API_KEY)
    body: Body = {"model": settings.EMBEDDING_MODEL, "encoding_format": "float"}
    key = f"openai/{settings.EMBEDDING_MODEL}"
    if settings.EMBEDDING_DIMENSIONS:
        body["dimensions"] = settings.EMBEDDING_DIMENSIONS
        key = f"{key}/{settings.EMBEDDING_DIMENSIONS}"
    tokens = settings.EMBEDDING_TOKENS or embedding_profile(settings.EMBEDDING_MODEL).tokens
    return remote_embedder("openai", key, server, body, body, tokens)


def voyage_embedder(model: str = "") -> Embedder:
    """Voyage's embeddings: documents and questions are embedded differently, by `input_type`."""
    model = model or settings.VOYAGE_MODEL
    profile = embedding_profile(model)
    dimensions = profile.dimensions or VOYAGE_DIMENSIONS
    body: Body = {"model": model, "output_dimension": dimensions, "truncation": True}
    return remote_embedder(
        "voyage",
        f"voyage/{model}/{dimensions}",
        LLMServer(settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY),
        body | {"input_type": "document"},
        body | {"input_type": "query"},
        profile.tokens,
    )


MAKERS: dict[str, Callable[[], Embedder]] = {
    "bundled": lambda: Embedder(
        "bundled",
        bundled.MODEL_KEY,
        IDENTITY,
        lambda texts, on_progress, _: bundled.embed_texts(texts, on_progress),
        bundled.embed_query,
        MAX_TOKENS,
    ),
    "openai": openai_embedder,
    "voyage": voyage_embedder,
}


def remote_embedder(
    provider: str, key: str, server: LLMServer, for_documents: Body, for_query: Body, tokens_read: int
) -> Embedder:
    most = round(tokens_read * TOKEN_CHARACTERS)

    def documents(texts: Sequence[str], on_progress: OnProgress | None, on_exchange: OnExchange | None) -> Vectors:
        made = []
        done = 0
        for batch in batches_of(texts):
            embed = partial(embed_pieces, on_exchange=on_exchange)
            made.append(embed_whole(batch, most, len, embed))
            done += len(batch)
            if on_progress:
                on_progress(done, len(texts))
        return np.concatenate(made) if made else np.zeros((0, 0), dtype=np.float32)

    def embed_pieces(pieces: list[str], on_exchange: OnExchange | None) -> Vectors:
        made = []
        for batch in batches_of(pieces):
            vectors, exchange = request_vectors(
                server, for_documents, batch, UNHURRIED_DEADLINE_S, persistence=NOBODY_WAITS
            )
            made.append(vectors)
            if on_exchange:
                on_exchange(exchange)
        return np.concatenate(made)

    def query(text: str) -> Vectors:
        vector: Vectors = request_vectors(server, for_query, [text[:most]], QUERY_DEADLINE_S)[0][0]
        return vector

    identity = json.dumps([server.base_url.rstrip("/"), for_documents, most], sort_keys=True)
    return Embedder(provider, key[:80], identity, documents, query, tokens_read)


def batches_of(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, as many together as one request takes."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == BATCH or characters + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def request_vectors(
    server: LLMServer, body: Body, texts: Sequence[str], deadline_s: float, persistence: Persistence = SOMEBODY_WAITS
) -> tuple[Vectors, Exchange]:
    """One request; the texts are cleaned and never empty, which servers refuse."""
    sent = [clean_text(text).strip() or "-" for text in texts]
    read = partial(read_vectors, count=len(sent), dimensions=body.get("output_dimension") or body.get("dimensions"))
    asked = body | {"input": sent}
    posting = Posting(
        server, "/embeddings", asked, read, purpose="embedding", deadline_s=deadline_s, persistence=persistence
    )
    return posting.send()


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
