"""The baselines every figure is compared with, measured on the same pages in the same run.

Each baseline takes a content and a question and returns physical pages, best first.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import snowballstemmer
from rank_bm25 import BM25Okapi

from benchmarks.vectors import embed_kept
from documents.storage.content import DocumentContent
from llm.embeddings import bundled

PASSAGE_WORDS = 150  # the passage length the reference figures were measured with
RRF_K = 60
STOP_WORDS = frozenset(
    """a an and any are as at be been by can did do does for from had has have how if in into is it its of on or our
    that the their them then there these they this to was we were what when where which who why will with you
    your""".split()  # noqa: SIM905 - a list of words reads best as a text
)

Ranker = Callable[[DocumentContent, str], list[int]]
_word = re.compile(r"[a-z0-9]+(?:[.,'&-][a-z0-9]+)*")
_stem = snowballstemmer.stemmer("english")


def plain_words(text: str) -> list[str]:
    """White-space words in lower case, as rank_bm25's own example tokenises."""
    return text.lower().split()


@cache
def stemmed(word: str) -> str:
    return str(_stem.stemWord(word))


def stemmed_words(text: str) -> list[str]:
    return [stemmed(word) for word in _word.findall(text.lower()) if word not in STOP_WORDS]


@dataclass(frozen=True)
class Index:
    """One document cut in two ways, with each baseline's precomputed data."""

    page_numbers: list[int]
    page_bm25: BM25Okapi
    passage_pages: list[int]
    passage_bm25: BM25Okapi
    passage_vectors: np.ndarray | None
    page_words: list[set[str]]


_indexes: dict[str, Index] = {}


def index_of(content: DocumentContent) -> Index:
    if content.parse_id not in _indexes:
        _indexes[content.parse_id] = build_index(content)
    return _indexes[content.parse_id]


def build_index(content: DocumentContent) -> Index:
    pages: dict[int, list[str]] = {page.number: [] for page in content.pages}
    for line in content.lines:
        pages[line.page_number].append(line.text)
    texts = {number: " ".join(lines) for number, lines in pages.items()}
    passages = [
        (number, " ".join(words[start : start + PASSAGE_WORDS]))
        for number, words in ((number, text.split()) for number, text in texts.items())
        for start in range(0, max(len(words), 1), PASSAGE_WORDS)
    ]
    passage_texts = [text for _, text in passages]
    return Index(
        page_numbers=list(texts),
        page_bm25=BM25Okapi([plain_words(text) or [""] for text in texts.values()]),
        passage_pages=[number for number, _ in passages],
        passage_bm25=BM25Okapi([stemmed_words(text) or [""] for text in passage_texts]),
        passage_vectors=embed_kept(passage_texts, f"{content.sha256[:24]}-150") if bundled.is_available() else None,
        page_words=[set(_word.findall(text.lower())) for text in texts.values()],
    )


def by_score(places: list[int], scores: np.ndarray) -> list[int]:
    """Places by descending score, ties in document order, without repeats."""
    return list(dict.fromkeys(places[position] for position in np.argsort(-scores, kind="stable")))


def page_bm25(content: DocumentContent, question: str) -> list[int]:
    """BM25 over whole pages, exactly as rank_bm25 does it out of the box; for comparison only (R32)."""
    index = index_of(content)
    return by_score(index.page_numbers, index.page_bm25.get_scores(plain_words(question)))


def passage_bm25(content: DocumentContent, question: str) -> list[int]:
    """BM25 over 150-word passages, stop words removed, stemmed."""
    index = index_of(content)
    return by_score(index.passage_pages, index.passage_bm25.get_scores(stemmed_words(question)))


def vectors(content: DocumentContent, question: str) -> list[int]:
    """Cosine of the bundled encoder over the same passages."""
    index = index_of(content)
    if index.passage_vectors is None:
        return []
    return by_score(index.passage_pages, index.passage_vectors @ bundled.embed_query(question))


def rrf(content: DocumentContent, question: str) -> list[int]:
    """Reciprocal rank fusion of vectors and passage BM25, 0.8 / 0.2, k = 60 (R93)."""
    scores: dict[int, float] = {}
    for weight, ranked in ((0.8, vectors(content, question)), (0.2, passage_bm25(content, question))):
        for rank, page in enumerate(ranked, start=1):
            scores[page] = scores.get(page, 0.0) + weight / (RRF_K + rank)
    return sorted(scores, key=lambda page: (-scores[page], page))


def keyword_count(content: DocumentContent, question: str) -> list[int]:
    """Pages by the number of distinct question words on them, unweighted: what the articles' own code does."""
    index = index_of(content)
    words = {word for word in _word.findall(question.lower()) if word not in STOP_WORDS}
    return by_score(index.page_numbers, np.asarray([len(words & found) for found in index.page_words], dtype=float))


BASELINES: dict[str, Ranker] = {
    "page_bm25": page_bm25,
    "passage_bm25": passage_bm25,
    "vectors": vectors,
    "rrf_80_20": rrf,
    "keyword_count": keyword_count,
}
