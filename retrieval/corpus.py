"""A base with many documents: which of them are read line by line, and what SQL can say about the others (R93, R104)."""

import uuid
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import F
from pgvector.django import CosineDistance

from documents.base_settings import BaseSettings
from documents.content import DocumentContent, load_content
from documents.matching import match_form
from documents.models import Document, Embedding, Passage
from llm.embedding import MODEL_KEY, embed_query, is_available
from retrieval.phrasing import read_phrasing, without_pages
from retrieval.words import is_generic, is_stop_word, language_of, words_of

DOCUMENTS_MAX = 10  # read line by line; up to so many nothing is left out
PASSAGES_MAX = 150  # of each kind (R93)
LEXICAL_WEIGHT, VECTOR_WEIGHT, NAME_WEIGHT = 0.5, 0.5, 1.0  # a document's own name in the question outweighs one list
RRF_K = 60


class Elsewhere(NamedTuple):
    """What SQL found in the documents of the scope that were not read line by line."""

    documents: int
    pages: int
    counts: dict[str, int]


def contents_for(
    question_text: str, documents: Sequence[Document], *, settings: BaseSettings | None = None
) -> list[DocumentContent]:
    """The contents to ask, in the order of the documents: all of a few, the most promising of many."""
    return content_for(shortlist(question_text, documents, settings or BaseSettings()))


def content_for(documents: Iterable[Document]) -> list[DocumentContent]:
    """The contents of the documents that have been read."""
    return [load_content(document.current_parse) for document in documents if document.current_parse]


def shortlist(question_text: str, documents: Sequence[Document], settings: BaseSettings) -> list[Document]:
    """At most DOCUMENTS_MAX documents, by their best passages in words and in meaning and by their names.

    Only rows of the given documents are looked at: the ids of the scope are in every query.
    """
    if len(documents) <= DOCUMENTS_MAX:
        return list(documents)
    topic = without_pages(read_phrasing(question_text).topic)
    scores = {document.pk: 0.0 for document in documents}
    lists = [(LEXICAL_WEIGHT, lexical(topic, documents))]
    if settings.embeddings != "none" and is_available():
        lists.append((VECTOR_WEIGHT, near(topic, documents)))
    lists.append((NAME_WEIGHT, named(topic, documents)))
    for weight, ranked in lists:
        for rank, key in enumerate(dict.fromkeys(ranked), 1):
            scores[key] += weight / (RRF_K + rank)
    best = sorted(documents, key=lambda document: -scores[document.pk])[:DOCUMENTS_MAX]
    kept = {document.pk for document in best}
    return [document for document in documents if document.pk in kept]


def lexical(topic: str, documents: Sequence[Document]) -> list[uuid.UUID]:
    """The documents of the passages that match best in words, one entry a passage."""
    words = search_words(topic)
    if not words:
        return []
    ranked: list[tuple[float, uuid.UUID]] = []
    for config in sorted({document.current_parse.search_config for document in documents if document.current_parse}):
        parses = [document.current_parse_id for document in documents if of_config(document, config)]
        query = any_of(words, config)
        rows = (
            Passage.objects.filter(parse__in=parses, search=query)
            .annotate(rank=SearchRank(F("search"), query, cover_density=True))
            .order_by("-rank", "parse_id", "index")
            .values_list("rank", "parse__document_id")[:PASSAGES_MAX]
        )
        ranked += [(float(rank), key) for rank, key in rows]
    return [key for _, key in sorted(ranked, key=lambda pair: -pair[0])]


def near(topic: str, documents: Sequence[Document]) -> list[uuid.UUID]:
    """The documents of the passages nearest in meaning."""
    parses = [document.current_parse_id for document in documents]
    rows = (
        Embedding.objects.filter(parse__in=parses, model_key=MODEL_KEY)
        .exclude(passage=None)
        .annotate(distance=CosineDistance("vector", embed_query(topic)))
        .order_by("distance", "pk")
        .values_list("document_id", flat=True)[:PASSAGES_MAX]
    )
    return list(rows)


def named(topic: str, documents: Sequence[Document]) -> list[uuid.UUID]:
    """The documents whose title or file name shares words with the question, most words first."""
    asked = set(search_words(topic))
    shared = [(len(asked & set(words_of(match_form(name_of(document))))), document.pk) for document in documents]
    return [key for count, key in sorted(shared, key=lambda pair: -pair[0]) if count]


def elsewhere(question_text: str, documents: Sequence[Document], contents: Sequence[DocumentContent]) -> Elsewhere:
    """On how many passages of the other documents each word of the question stands; absence is shown over them too."""
    read = {content.parse_id for content in contents}
    others = [
        document for document in documents if document.current_parse and str(document.current_parse_id) not in read
    ]
    counts = {
        word: sum(
            Passage.objects.filter(
                parse__in=[document.current_parse_id for document in others if of_config(document, config)],
                search=any_of([word], config),
            ).count()
            for config in {document.current_parse.search_config for document in others if document.current_parse}
        )
        for word in search_words(question_text)
        if others
    }
    pages = sum(document.current_parse.page_count for document in others if document.current_parse)
    return Elsewhere(len(others), pages, counts)


def any_of(words: Sequence[str], config: str) -> SearchQuery:
    queries = [SearchQuery(word, config=config, search_type="plain") for word in words]
    return reduce(or_, queries)


def of_config(document: Document, config: str) -> bool:
    return document.current_parse is not None and document.current_parse.search_config == config


def name_of(document: Document) -> str:
    return f"{document.title} {document.file_name}".replace("_", " ").replace("-", " ")


def search_words(text: str) -> list[str]:
    """The words of a question that say something, in match form, each once."""
    words = words_of(match_form(text))
    language = language_of(words, "en")
    said = [word for word in words if not is_stop_word(word, language)]
    return list(dict.fromkeys(word for word in said if not is_generic(word, language)) or dict.fromkeys(said))
