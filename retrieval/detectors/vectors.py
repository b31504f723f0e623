"""Passages and titles near the question in meaning (R33). They are only proposed: nearness proves nothing (R56)."""

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from documents.storage.content import DocumentContent
from llm.embeddings import bundled
from llm.embeddings.encoder import EncoderMissing
from llm.embeddings.providers import embedder_for
from reading.passages import RUNNING
from retrieval.types import HEAD_LINES, Hit, LineRange, Question

PASSAGES_MAX = 40
TITLES_MAX = 5
FLOOR = 0.15  # below this cosine two texts share nothing but the language

_asking = [Lock() for _ in range(8)]


def detect_vectors(question: Question, content: DocumentContent) -> list[Hit]:
    """The passages nearest the question, then the nearest titles; the score is the cosine. Raises EMBEDDING_ERRORS."""
    if content.vectors is None:
        return []
    asked = (question.topic or question.corrected, content.vectors.model_key)
    with _asking[hash(asked) % len(_asking)]:  # several documents ask for the same vector at once
        vector = query_vector(*asked)
    return passage_hits(vector, content) + title_hits(vector, content)


@lru_cache(maxsize=256)
def query_vector(text: str, model_key: str) -> NDArray[np.float32]:
    """The question's vector, by the model of the vectors it is compared with; cached for the next question (R108)."""
    embedder = embedder_for(model_key)
    if embedder is None:
        raise EncoderMissing(f"nobody here can embed a question as {model_key} does")
    vector = embedder.embed_query(text)
    vector.flags.writeable = False  # shared with later questions in the same words
    return vector


def nearness_of(texts: Sequence[str], asked: str) -> list[float]:
    """How near in meaning each text is to what was asked; 1 where nobody can tell."""
    if not (texts and asked and bundled.is_available()):
        return [1.0] * len(texts)
    nearness: list[float] = (bundled.embed_again(texts) @ query_vector(asked, bundled.MODEL_KEY)).tolist()
    return nearness


def passage_hits(vector: NDArray[np.float32], content: DocumentContent) -> list[Hit]:
    """Running heads are not proposed: they name the whole document, and are near to whatever is asked of it."""
    return [
        Hit(
            method="vectors",
            document_id=content.document_id,
            lines=LineRange(content.passages[index].first_line, content.passages[index].last_line),
            score=score,
            toc_index=content.passages[index].toc_index,
            detail="passage",
        )
        for index, score in find_nearest_rows(vector, vectors_of(content, "passages"), PASSAGES_MAX)
        if content.passages[index].kind != RUNNING
    ]


def title_hits(vector: NDArray[np.float32], content: DocumentContent) -> list[Hit]:
    return [
        Hit(
            method="vectors",
            document_id=content.document_id,
            lines=LineRange(entry.first_line, min(entry.first_line + HEAD_LINES - 1, entry.last_line)),
            score=score,
            toc_index=entry.index,
            detail=f"title: {entry.title}",
        )
        for index, score in find_nearest_rows(vector, vectors_of(content, "toc"), TITLES_MAX)
        for entry in [content.toc[index]]
    ]


def vectors_of(content: DocumentContent, kind: str) -> NDArray[np.float32]:
    matrix: NDArray[np.float32] = getattr(content.vectors, kind)
    return matrix


def find_nearest_rows(vector: NDArray[np.float32], matrix: NDArray[np.float32], count: int) -> list[tuple[int, float]]:
    """(row, cosine) of the nearest rows above the floor; equal cosines in row order."""
    if not matrix.size:
        return []
    cosines = np.round(matrix @ vector, 6)
    rows = np.lexsort((np.arange(len(cosines)), -cosines))[:count]
    return [(int(row), float(cosines[row])) for row in rows if cosines[row] >= FLOOR]
