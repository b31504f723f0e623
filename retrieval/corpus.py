"""A base with many documents: which of them are read line by line, and what SQL finds in the others (R93, R104)."""

import uuid
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import zip_longest
from operator import or_
from typing import Any, NamedTuple

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import F, Max
from pgvector.django import CosineDistance

from documents.base_settings import BaseSettings
from documents.models import Document, Embedding, Line, Passage
from documents.storage.content import DocumentContent, load_content
from llm.embeddings.providers import EMBEDDING_ERRORS
from reading.matching import match_form
from retrieval.candidates.fusion import fuse, rank_in_order
from retrieval.detectors.vectors import query_vector
from retrieval.pipeline import retrieve
from retrieval.question.documents_named import Name, documents_named
from retrieval.question.parse import parse_question
from retrieval.question.phrasing import read_phrasing, without_pages
from retrieval.types import ConceptTerms, Keyword, Question, RetrievalResult
from retrieval.words.concepts import concepts_named, searched_terms
from retrieval.words.tokens import is_generic, is_stop_word, language_of, normalise_words

DOCUMENTS_MAX = 10  # read line by line; a scope of this size is read whole
PASSAGES_MAX = 150  # of each kind (R93)
LEXICAL_WEIGHT, VECTOR_WEIGHT, NAME_WEIGHT = 0.5, 0.5, 1.0  # a document's name in the question outweighs either list
RERANK_WEIGHTS = (0.2, 0.8)  # words and meaning, as in the pool that is reranked (R93)
COVER_LINES = 40  # a report's company and year are on its first page
COVERS_MAX = 20_000  # about 1.5 KB each

_covers: dict[uuid.UUID, str] = {}


class Elsewhere(NamedTuple):
    """What SQL found in those documents of the scope that were not read line by line."""

    documents: int
    pages: int
    counts: dict[str, int]


def contents_for(
    question_text: str,
    documents: Sequence[Document],
    *,
    settings: BaseSettings | None = None,
    dictionary: Sequence[ConceptTerms] = (),
) -> list[DocumentContent]:
    """The contents to search, in the order of the documents: all if there are few, else the most promising."""
    return content_for(shortlist(question_text, documents, settings or BaseSettings(), dictionary))


def retrieve_among(
    question_text: str,
    documents: Sequence[Document],
    *,
    settings: BaseSettings,
    dictionary: Sequence[ConceptTerms] = (),
    **options: Any,
) -> RetrievalResult:
    """Retrieve from the chosen documents, and from the most promising others if the documents named do not answer.

    `options` are those of `pipeline.retrieve`. Zero hits are counted over the whole scope. If a model was asked, its
    judgement of the named documents is final: one question is one call.
    """
    chosen = shortlist(question_text, documents, settings, dictionary)
    result = retrieve_in(chosen, question_text, documents, settings=settings, dictionary=dictionary, **options)
    taken = {document.pk for document in chosen}
    others = [document for document in documents if document.pk not in taken]
    is_asked = bool(result.ranking.exchange or result.reading)
    if not result.not_found or is_asked or not others or len(chosen) >= DOCUMENTS_MAX:
        return result
    second = promising(question_text, others, settings, dictionary)
    found = retrieve_in(second, question_text, documents, settings=settings, dictionary=dictionary, **options)
    return result if found.not_found else found


def retrieve_in(
    chosen: Sequence[Document],
    question_text: str,
    documents: Sequence[Document],
    *,
    settings: BaseSettings,
    dictionary: Sequence[ConceptTerms],
    **options: Any,
) -> RetrievalResult:
    contents = content_for(chosen)
    counts = count_elsewhere(question_text, documents, contents, dictionary).counts
    return retrieve(question_text, contents, settings=settings, dictionary=dictionary, elsewhere=counts, **options)


def content_for(documents: Iterable[Document]) -> list[DocumentContent]:
    """The contents of the documents that have a parse."""
    return [load_content(document.current_parse) for document in documents if document.current_parse]


def shortlist(
    question_text: str,
    documents: Sequence[Document],
    settings: BaseSettings,
    dictionary: Sequence[ConceptTerms] = (),
) -> list[Document]:
    """At most DOCUMENTS_MAX documents: those the question names, else the most promising.

    Every query is limited to the ids of the given documents.
    """
    chosen = find_named_documents(question_text, documents, dictionary)
    if 0 < len(chosen) <= DOCUMENTS_MAX:
        return chosen
    return promising(question_text, chosen or documents, settings, dictionary)


def promising(
    question_text: str, documents: Sequence[Document], settings: BaseSettings, dictionary: Sequence[ConceptTerms]
) -> list[Document]:
    """At most DOCUMENTS_MAX documents, ranked by their best passages (words and meaning) and by their names."""
    if len(documents) <= DOCUMENTS_MAX:
        return list(documents)
    topic = without_pages(read_phrasing(question_text).topic)
    searched = searched_phrases(topic, dictionary)
    lexical_weight, vector_weight = RERANK_WEIGHTS if settings.ranking == "rerank" else (LEXICAL_WEIGHT, VECTOR_WEIGHT)
    lists = [(lexical_weight, lexical(searched, documents))]
    if settings.embeddings != "none":
        lists.append((vector_weight, find_near_documents(topic, documents)))
    lists.append((NAME_WEIGHT, sharing_words(topic, documents)))
    scores = fuse((weight, rank_in_order(ranked)) for weight, ranked in lists)
    best = sorted(documents, key=lambda document: -scores.get(document.pk, 0.0))[:DOCUMENTS_MAX]
    kept = {document.pk for document in best}
    return [document for document in documents if document.pk in kept]


def find_named_documents(
    question_text: str, documents: Sequence[Document], dictionary: Sequence[ConceptTerms] = ()
) -> list[Document]:
    """The documents the question names by company and year, title or file name; [] if it names none.

    In a scope small enough to read whole, only a name with a year narrows it.
    """
    topic = without_pages(read_phrasing(question_text).topic)
    known = {word for concept in concepts_named(topic, dictionary) for word in concept.words}
    places, has_year = documents_named(topic, read_document_names(documents), known)
    if len(documents) <= DOCUMENTS_MAX and not has_year:
        return []
    return [documents[place] for place in places]


def read_document_names(documents: Sequence[Document]) -> list[Name]:
    """Title, file name and first lines of each document; first lines are cached, since a parse never changes."""
    parses = {document.current_parse_id for document in documents if document.current_parse_id}
    known = {parse: cover for parse in parses if (cover := _covers.get(parse)) is not None}
    lines: dict[uuid.UUID, list[str]] = {parse: [] for parse in parses - known.keys()}
    rows = Line.objects.filter(parse__in=lines, number__lte=COVER_LINES).order_by("parse_id", "number")
    for parse, text in rows.values_list("parse_id", "text"):
        lines[parse].append(text)
    read = {parse: " ".join(texts) for parse, texts in lines.items()}
    if len(_covers) + len(read) > COVERS_MAX:
        _covers.clear()
    _covers.update(read)
    covers = known | read  # a copy, since another thread may clear the cache meanwhile
    return [
        Name(
            f"{document.title} {document.file_name}",
            covers[document.current_parse_id] if document.current_parse_id else "",
        )
        for document in documents
    ]


def lexical(phrases: Sequence[str], documents: Sequence[Document]) -> list[uuid.UUID]:
    """The documents by their best passage in words."""
    if not phrases:
        return []
    ranked: list[tuple[float, uuid.UUID]] = []
    for config in configs_of(documents):
        parses = [document.current_parse_id for document in documents if of_config(document, config)]
        query = any_of(phrases, config)
        rows = (
            Passage.objects.filter(parse__in=parses, search=query)
            .values("parse__document_id")
            .annotate(rank=Max(SearchRank(F("search"), query)))
            .order_by("-rank", "parse__document_id")
            .values_list("rank", "parse__document_id")[:PASSAGES_MAX]
        )
        ranked += [(float(rank), key) for rank, key in rows]
    return [key for _, key in sorted(ranked, key=lambda pair: -pair[0])]


def find_near_documents(topic: str, documents: Sequence[Document]) -> list[uuid.UUID]:
    """The documents of the nearest passages. Vectors of different models do not compare, so their results alternate."""
    parses = [document.current_parse for document in documents if document.current_parse]
    keys = sorted({parse.embedding_model for parse in parses if parse.embedding_model})
    ranked = [near_by(topic, key, [parse.pk for parse in parses if parse.embedding_model == key]) for key in keys]
    return [key for turn in zip_longest(*ranked) for key in turn if key]


def near_by(topic: str, model_key: str, parse_ids: Sequence[uuid.UUID]) -> list[uuid.UUID]:
    """The documents of the nearest passages among one model's vectors; none if the model cannot be asked."""
    try:
        vector = query_vector(topic, model_key)
    except EMBEDDING_ERRORS:  # the pipeline's plan already reports the same failure
        return []
    rows = (
        Embedding.objects.filter(parse__in=parse_ids, model_key=model_key)
        .exclude(passage=None)
        .annotate(distance=CosineDistance("vector", vector))
        .order_by("distance", "pk")
        .values_list("document_id", flat=True)[:PASSAGES_MAX]
    )
    return list(rows)


def sharing_words(topic: str, documents: Sequence[Document]) -> list[uuid.UUID]:
    """The documents whose title or file name shares words with the question, most words first."""
    asked = set(search_words(topic))
    shared = [(len(asked & set(normalise_words(name_of(document)))), document.pk) for document in documents]
    return [key for count, key in sorted(shared, key=lambda pair: -pair[0]) if count]


def count_elsewhere(
    question_text: str,
    documents: Sequence[Document],
    contents: Sequence[DocumentContent],
    dictionary: Sequence[ConceptTerms] = (),
) -> Elsewhere:
    """For each word of the question, the number of passages in the other documents that contain it, to prove absence.

    A word counts with the terms of its concept, as in the documents that are read.
    """
    read = {content.parse_id for content in contents}
    others = [
        document for document in documents if document.current_parse and str(document.current_parse_id) not in read
    ]
    pages = sum(document.current_parse.page_count for document in others if document.current_parse)
    if not others:
        return Elsewhere(0, 0, {})
    groups = phrases_by_leader(parse_question(question_text, contents, dictionary))
    return Elsewhere(len(others), pages, {text: passages_with(phrases, others) for text, phrases in groups.items()})


def phrases_by_leader(question: Question) -> dict[str, list[str]]:
    """Everything that counts as one word of the question, keyed by the first keyword of its group, as for absence."""
    groups: dict[str, list[Keyword]] = {}
    for keyword in question.keywords:
        groups.setdefault(keyword.group or keyword.text, []).append(keyword)
    return {
        keywords[0].text: list(
            dict.fromkeys(phrase for one in keywords for phrase in (match_form(one.text), *one.forms))
        )
        for keywords in groups.values()
    }


def passages_with(phrases: Sequence[str], documents: Sequence[Document]) -> int:
    return sum(
        Passage.objects.filter(
            parse__in=[document.current_parse_id for document in documents if of_config(document, config)],
            search=any_of(phrases, config),
        ).count()
        for config in configs_of(documents)
    )


def searched_phrases(topic: str, dictionary: Sequence[ConceptTerms]) -> list[str]:
    """The meaningful words of a topic, and every term of the concepts it names."""
    terms = [phrase for concept in concepts_named(topic, dictionary) for _, phrase in searched_terms(concept.concept)]
    return list(dict.fromkeys([*search_words(topic), *terms]))


def configs_of(documents: Sequence[Document]) -> list[str]:
    return sorted({document.current_parse.search_config for document in documents if document.current_parse})


def any_of(phrases: Sequence[str], config: str) -> SearchQuery:
    queries = [SearchQuery(phrase, config=config, search_type="phrase") for phrase in phrases]
    return reduce(or_, queries)


def of_config(document: Document, config: str) -> bool:
    return document.current_parse is not None and document.current_parse.search_config == config


def name_of(document: Document) -> str:
    return f"{document.title} {document.file_name}".replace("_", " ").replace("-", " ")


def search_words(text: str) -> list[str]:
    """The meaningful words of a question in match form, each once."""
    words = normalise_words(text)
    language = language_of(words, "en")
    said = [word for word in words if not is_stop_word(word, language)]
    return list(dict.fromkeys(word for word in said if not is_generic(word, language)) or dict.fromkeys(said))
