"""Retrieval without a model on the longest filing of a question file, warm, beside rank_bm25 over the same passages."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from rank_bm25 import BM25Okapi

from benchmarks.baselines import stemmed_words
from benchmarks.library import Library
from benchmarks.metrics import spread
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.embeddings.bundled import embed_query, is_available
from retrieval.detectors.vectors import query_vector
from retrieval.pipeline import retrieve
from retrieval.types import ConceptTerms

ROUNDS = 3
PAGES_WANTED = 250  # the filing whose length is nearest is asked


def run(questions: Sequence[GoldQuestion], library: Library, dictionary: Sequence[ConceptTerms] = ()) -> dict[str, Any]:
    """Ask every question of the file of one filing; p50 and p95 in milliseconds, the whole and by stage."""
    content = filing(questions, library)
    texts = [question.question for question in questions]
    index = BM25Okapi([stemmed_words(passage.text) or [""] for passage in content.passages])
    retrieve("warm up", [content], settings=BaseSettings(), arbiter="rules", dictionary=dictionary)
    stages: dict[str, list[float]] = {}
    with_vectors = 0

    def ask(text: str) -> None:
        nonlocal with_vectors
        result = retrieve(text, [content], settings=BaseSettings(), arbiter="rules", dictionary=dictionary)
        with_vectors += "vectors" in result.methods_used
        for name, spent in result.timings_ms.items():
            stages.setdefault(name, []).append(spent)

    own = timed(ask, texts)
    peer = timed(lambda text: index.get_top_n(stemmed_words(text), content.passages, n=40), texts)
    encoder = timed(embed_query, texts) if is_available() else []
    figures, peer_figures = spread(own), spread(peer)
    return {
        "document": content.file_name,
        "pages": len(content.pages),
        "passages": len(content.passages),
        "questions": len(texts),
        "rounds": ROUNDS,
        "latency_ms": figures,
        "bm25_ms": peer_figures,
        "bm25_p50_ratio": ratio(figures["p50"], peer_figures["p50"]),
        "bm25_p95_ratio": ratio(figures["p95"], peer_figures["p95"]),
        "embed_query_ms": spread(encoder),
        "vectors_on": round(with_vectors / (ROUNDS * len(texts)), 4),
        "stages_ms": {name: spread(spent) for name, spent in stages.items()},
        "commit": commit(),
    }


def filing(questions: Sequence[GoldQuestion], library: Library) -> DocumentContent:
    """The document of the questions whose length is nearest to the one wanted."""
    contents = [library.content(path) for path in dict.fromkeys(question.document for question in questions)]
    return min(contents, key=lambda content: (abs(len(content.pages) - PAGES_WANTED), content.file_name))


def timed(act: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """Milliseconds of each text in each round; queries are not embedded beforehand."""
    spent = []
    for _ in range(ROUNDS):
        for text in texts:
            query_vector.cache_clear()
            started = perf_counter()
            act(text)
            spent.append(1000 * (perf_counter() - started))
    return spent


def ratio(own: float | None, peer: float | None) -> float | None:
    """Our time as a multiple of the peer's; below 1 is faster."""
    return round(own / peer, 2) if own and peer else None
