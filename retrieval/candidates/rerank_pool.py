"""The pool of `ranking = rerank`: passages by meaning and by words, fused with weights (R93), before a cross-encoder.

The meaning search is exact over the vectors of every passage; the word search is BM25 over the text that was
embedded: the passage with its section path or annotation (R92).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from documents.storage.content import DocumentContent, kept_with_content
from llm.embeddings.providers import EMBEDDING_ERRORS
from reading.passages import RUNNING
from reading.rows import PassageRow
from retrieval.candidates.aggregation import LINE_METHODS, HitCluster, candidate_of, first_text_line
from retrieval.candidates.fusion import fuse, rank_in_order
from retrieval.detectors.vectors import find_nearest_rows, query_vector
from retrieval.types import Briefed, Hit, LineRange, Method, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms
from retrieval.words.tokens import normalise_words, stem

EACH_MAX = 150  # of each kind (R93)
VECTOR_WEIGHT, LEXICAL_WEIGHT = 0.8, 0.2  # R93
BM25_K1, BM25_B = 1.5, 0.75  # the usual constants
STEM_CHARACTERS_MIN = 2


@dataclass(frozen=True)
class Fused:
    """A passage with its fused score and the searches that found it."""

    content: DocumentContent
    passage: PassageRow
    score: float
    methods: tuple[Method, ...]


@dataclass(frozen=True, eq=False)
class PassageWords:
    """Stem counts of a document's passages."""

    counts: tuple[Counter[str], ...]
    lengths: tuple[int, ...]


def candidates_to_rerank(
    question: Question, contents: Sequence[DocumentContent], hits: Sequence[Hit], nearness: float = 0.0
) -> tuple[Briefed, ...]:
    """A candidate for each passage of the fused pool, best first; `nearness` is as in `by_meaning`."""
    prefixed = len(contents) > 1
    terms = {content.document_id: weigh_terms(question, lexicon_of(content)) for content in contents}
    candidates: dict[str, Briefed] = {}
    for rank, fused in enumerate(fused_passages(question, contents, nearness), 1):
        content, passage = fused.content, fused.passage
        cluster = cluster_in(fused, [hit for hit in hits if hit.document_id == content.document_id])
        candidate = candidate_of(cluster, rank, prefixed, terms[content.document_id], question)
        candidate = replace(candidate, passage=passage_text(passage), methods=fused.methods)
        candidates.setdefault(candidate.candidate_id, candidate)
    return tuple(candidates.values())


def cluster_in(fused: Fused, hits: Sequence[Hit]) -> HitCluster:
    """The place of a passage: its line that covers most of the question, with the hits inside the passage."""
    lines = LineRange(fused.passage.first_line, fused.passage.last_line)
    inside = [
        hit
        for hit in hits
        if hit.lines.first >= lines.first
        and hit.lines.last <= lines.last
        and (hit.lines.first in fused.content.running_heads) is (fused.passage.kind == RUNNING)
    ]
    worded = [hit for hit in inside if hit.method in LINE_METHODS and hit.lines.first == hit.lines.last]
    best = max(worded, key=lambda hit: (hit.line_score, hit.score), default=None)
    line = best.lines.first if best else first_text_line(lines, fused.content)
    found = [Hit(method, fused.content.document_id, lines, fused.score) for method in fused.methods]
    return HitCluster(fused.content, line, [*inside, *found])


def fused_passages(question: Question, contents: Sequence[DocumentContent], nearness: float = 0.0) -> list[Fused]:
    """The passages of both searches by weighted reciprocal rank (R93)."""
    topic = question.topic or question.corrected
    searches: tuple[tuple[Method, float, list[tuple[int, int]]], ...] = (
        ("vectors", VECTOR_WEIGHT, by_meaning(topic, contents, nearness)),
        ("keywords", LEXICAL_WEIGHT, by_words(question, contents)),
    )
    scores = fuse((weight, rank_in_order(ranked)) for _, weight, ranked in searches)
    methods: dict[tuple[int, int], list[Method]] = {}
    for method, _, ranked in searches:
        for key in ranked:
            methods.setdefault(key, []).append(method)
    return [
        Fused(contents[document], contents[document].passages[index], scores[document, index], tuple(methods[key]))
        for key in sorted(scores, key=lambda key: (-scores[key], key))
        for document, index in [key]
    ]


def by_meaning(topic: str, contents: Sequence[DocumentContent], nearness: float = 0.0) -> list[tuple[int, int]]:
    """(document, passage) of the nearest passages of all documents, none with a lower cosine than `nearness` (R102).

    Vectors whose model cannot be asked are skipped.
    """
    found: list[tuple[float, tuple[int, int]]] = []
    for document, content in enumerate(contents):
        if content.vectors is None:
            continue
        try:
            vector = query_vector(topic, content.vectors.model_key)
        except EMBEDDING_ERRORS:  # the plan already reports the same failure
            continue
        found += [
            (-cosine, (document, row))
            for row, cosine in find_nearest_rows(vector, content.vectors.passages, EACH_MAX)
            if cosine >= nearness
        ]
    return [key for _, key in sorted(found)[:EACH_MAX]]


def by_words(question: Question, contents: Sequence[DocumentContent]) -> list[tuple[int, int]]:
    """(document, passage) by BM25 over all passages of the scope that share a word with the question."""
    asked = {stemmed for keyword in question.keywords for stemmed in stems_of(keyword.text, question.language)}
    counted = [passage_words(content) for content in contents]
    total = sum(len(words.lengths) for words in counted)
    if not total or not asked:
        return []
    average = max(sum(sum(words.lengths) for words in counted) / total, 1.0)
    frequency = {word: sum(word in counts for words in counted for counts in words.counts) for word in asked}
    weight = {word: log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in frequency.items()}
    found = []
    for document, words in enumerate(counted):
        for index, (counts, length) in enumerate(zip(words.counts, words.lengths, strict=True)):
            norm = BM25_K1 * (1 - BM25_B + BM25_B * length / average)
            score = sum(
                weight[word] * counts[word] * (BM25_K1 + 1) / (counts[word] + norm) for word in asked & counts.keys()
            )
            if score:
                found.append((-score, (document, index)))
    return [key for _, key in sorted(found)[:EACH_MAX]]


@kept_with_content
def passage_words(content: DocumentContent) -> PassageWords:
    counts = tuple(Counter(stems_of(passage_text(passage), content.language)) for passage in content.passages)
    return PassageWords(counts, tuple(sum(counted.values()) for counted in counts))


def stems_of(text: str, language: str) -> list[str]:
    return [stem(word, language) for word in normalise_words(text) if len(word) >= STEM_CHARACTERS_MIN]


def passage_text(passage: PassageRow) -> str:
    """The searched and shown text of a passage: its annotation or section path, then its lines."""
    return f"{passage.annotation or passage.context}\n{passage.text}".strip()
