"""A base with many documents: which of them are read line by line, and what SQL finds in the others (R93, R104).

Of more than ten those are read line by line that the question names, else the ten best by words, meaning, name, and
card; what amends one of them is read with it. This only chooses what is read: absence rests on counts. Where the
documents named do not answer, a second pass reads them again together with the best of the others.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from math import isfinite
from typing import Any, Protocol

from django.db.models import Q

from documents.cards.asking import cards_of, distinctive_words, types_named
from documents.models import Document, IngestJob, Line, Page, Parse
from documents.storage.content import (
    COVER_LINES,
    DocumentContent,
    drop_erased,
    files_attached,
    known_types,
    load_content,
)
from documents.storage.near import find_nearest
from llm.embeddings.providers import EMBEDDING_ERRORS
from reading.language import UNKNOWN
from reading.matching import match_form
from retrieval import accounting
from retrieval.absence import is_only_amended
from retrieval.amendments.among import find_amending, speaks_of_amending
from retrieval.candidates.fusion import fuse, rank_by_score, rank_in_order
from retrieval.detectors.vectors import query_vector
from retrieval.pipeline import SteppedSearch, carry_out, search_in_steps
from retrieval.question.across import everyday_ideas
from retrieval.question.documents_named import COMMON_SHARE, Name, documents_named
from retrieval.question.forms import places_compared
from retrieval.question.pages import without_pages
from retrieval.question.phrasing import read_phrasing
from retrieval.search import SearchOptions
from retrieval.types import (
    UNANSWERED,
    ConceptTerms,
    Keyword,
    Question,
    RetrievalResult,
    ScopeAccount,
    ScopeDocument,
    ShortlistRank,
)
from retrieval.words.at_scale import count_groups, rank_by_words
from retrieval.words.concepts import concepts_named, searched_terms
from retrieval.words.tokens import irregular_siblings, is_generic, is_stop_word, language_of, normalise_words

DOCUMENTS_MAX = 10  # read line by line; a scope of this size is read whole
PASSAGES_MAX = 150  # of each kind (R93)
CARD_WEIGHT = 0.25
LEXICAL_WEIGHT, VECTOR_WEIGHT, NAME_WEIGHT = 0.5, 0.5, 1.0  # a document's name in the question outweighs either list
RERANK_WEIGHTS = (0.2, 0.8)  # words and meaning, as in the pool that is reranked (R93)
COVERS_MAX = 20_000  # about 1.5 KB each

_covers: dict[uuid.UUID, str] = {}


@dataclass(frozen=True)
class Shortlist:
    """The documents to read; for each of the scope why it is read or not, and its rank where ranks were needed."""

    chosen: tuple[Document, ...]
    reasons: Mapping[uuid.UUID, str]
    places: Mapping[uuid.UUID, ShortlistRank] = field(default_factory=dict)
    amending: Mapping[uuid.UUID, tuple[Document, ...]] = field(default_factory=dict)  # what amends one that is read

    def reason_of(self, document: Document) -> str:
        return self.reasons.get(document.pk, accounting.OTHERS_NAMED)

    @property
    def unread(self) -> dict[uuid.UUID, tuple[Document, ...]]:
        """What amends one that is read, and is not read with it."""
        read = {document.pk for document in self.chosen}
        unread = {key: tuple(each for each in found if each.pk not in read) for key, found in self.amending.items()}
        return {key: found for key, found in unread.items() if found}

    @property
    def amended_titles(self) -> dict[str, tuple[str, ...]]:
        """For the account, by the id of a document that is read: the titles of what amends it and is not read."""
        return {str(key): tuple(each.title for each in found) for key, found in self.unread.items()}

    @property
    def amending_ids(self) -> dict[str, frozenset[str]]:
        return {str(key): frozenset(str(each.pk) for each in found) for key, found in self.amending.items()}


def retrieve_among(question_text: str, documents: Sequence[Document], **options: Any) -> RetrievalResult:
    """The result of `search_among`, judged by itself; `options` are those of `SearchOptions`."""
    return carry_out(search_among(question_text, documents, SearchOptions(**options)))


def search_among(question_text: str, documents: Sequence[Document], options: SearchOptions) -> SteppedSearch:
    """Choose documents, read them, and when the ones the question names do not answer, read the best others with them.

    Every document of the scope is accounted for, also one that cannot be read; zero hits are counted over all that can.
    The second pass reads the documents of the first again, so that one judgement and one record cover both. If a model
    was asked, its judgement of the named documents is final: one question is one call. Where all the doubt is that they
    were amended, others settle nothing.
    """
    readable = select_readable(documents)
    if options.beside is None:
        options = replace(options, beside=documents_beside(documents))
    first = shortlist(question_text, readable, options)
    result = yield from search_chosen(question_text, documents, first, options)
    is_asked = bool(result.ranking.exchange or result.question_exchange)
    is_all = len(first.chosen) == min(len(readable), DOCUMENTS_MAX)
    if result.status not in UNANSWERED or is_asked or is_all or is_only_amended(result):
        return result
    widened = widen_shortlist(first, question_text, readable, options)
    second = yield from search_chosen(question_text, documents, widened, options)
    spent_ms = {"first_pass": round(sum(result.timings_ms.values()), 1)}
    return replace(second, timings_ms=spent_ms | second.timings_ms)


def search_chosen(
    question_text: str, documents: Sequence[Document], chosen: Shortlist, options: SearchOptions
) -> SteppedSearch:
    """Read the chosen documents with what amends them, and account for the others by what SQL finds in them."""
    chosen = with_amendments(chosen, documents, options.beside)
    contents = content_for(chosen.chosen)
    account_for = partial(account_of_scope, documents, contents, chosen)
    options = replace(options, account_for=account_for, is_whole_scope=len(contents) == len(documents))
    return search_in_steps(question_text, contents, options)


def select_readable(documents: Iterable[Document]) -> list[Document]:
    """The documents that have been read."""
    return [document for document in documents if document.current_parse]


def content_for(documents: Iterable[Document]) -> list[DocumentContent]:
    """The contents of the documents that have a parse. What was erased since leaves the memory of this process."""
    drop_erased()
    parsed = [(document, document.current_parse) for document in documents if document.current_parse]
    types = known_types(document for document, _ in parsed)
    for document, parse in parsed:
        parse.document = document  # known already: saves a query each
    return [load_content(parse, types[document.pk]) for document, parse in parsed]


# ---- which documents are read


def shortlist(question_text: str, documents: Sequence[Document], options: SearchOptions) -> Shortlist:
    """At most DOCUMENTS_MAX documents: the ones named, else by their best passages in words and in meaning and names.

    Every query is limited to the ids of the given documents.
    """
    chosen = find_named_documents(question_text, documents, options.dictionary)
    if 0 < len(chosen) <= DOCUMENTS_MAX:
        return Shortlist(tuple(chosen), {document.pk: accounting.NAMED for document in chosen})
    return rank_documents(question_text, chosen or documents, options)


def widen_shortlist(
    first: Shortlist, question_text: str, documents: Sequence[Document], options: SearchOptions
) -> Shortlist:
    """The documents of a first pass with the most promising others, DOCUMENTS_MAX together."""
    taken = {document.pk for document in first.chosen}
    others = [document for document in documents if document.pk not in taken]
    more = rank_documents(question_text, others, options, limit=DOCUMENTS_MAX - len(taken))
    taken |= {document.pk for document in more.chosen}
    return Shortlist(
        chosen=tuple(document for document in documents if document.pk in taken),
        reasons={**first.reasons, **{document.pk: accounting.WIDENED for document in others}},
        places=more.places,
    )


def rank_documents(
    question_text: str, documents: Sequence[Document], options: SearchOptions, limit: int = DOCUMENTS_MAX
) -> Shortlist:
    """At most DOCUMENTS_MAX documents, ranked by their best passages (words and meaning) and by their names."""
    if len(documents) <= limit:
        return Shortlist(tuple(documents), {document.pk: accounting.ALL_READ for document in documents})
    topic = without_pages(read_phrasing(question_text).topic)
    settings, dictionary = options.settings, options.dictionary
    spoken = {*(document.current_parse.language for document in documents if document.current_parse)}
    is_foreign = spoken.isdisjoint((language_of(normalise_words(topic), "en"), UNKNOWN))
    searched = searched_phrases(topic, (*dictionary, *everyday_ideas()) if is_foreign else dictionary)
    lexical_weight, vector_weight = RERANK_WEIGHTS if settings.ranking == "rerank" else (LEXICAL_WEIGHT, VECTOR_WEIGHT)
    words, names = rank_by_words(searched, documents), sharing_words(topic, documents)
    meaning = find_near_documents(topic, documents) if settings.embeddings != "none" else {}
    lists = [(lexical_weight, words), (vector_weight, meaning), (NAME_WEIGHT, names)]
    # What a card tells is the same for many documents, so equal ones share a rank.
    by_card = named_by_card(topic, documents)
    ranked = [(weight, rank_in_order(scored)) for weight, scored in lists]
    fused = fuse([*ranked, (CARD_WEIGHT, rank_by_score(by_card))])
    order = sorted(documents, key=lambda document: -fused.get(document.pk, 0.0))
    kept = {document.pk for document in order[:limit]}
    places, reasons = {}, {}
    for rank, document in enumerate(order, 1):
        key, is_ranked = document.pk, document.pk in fused
        scores = [round_score(scored.get(key)) for scored in (words, meaning, names, fused)]
        places[key] = ShortlistRank(len(documents), rank if is_ranked else None, *scores)
        unranked = accounting.FILLED if key in kept else accounting.UNRANKED
        by_rank = accounting.RANKED_BY_CARD if key in by_card else accounting.RANKED
        reasons[key] = by_rank if is_ranked else unranked
    return Shortlist(tuple(document for document in documents if document.pk in kept), reasons, places)


def with_amendments(
    chosen: Shortlist, documents: Sequence[Document], beside: Sequence[Document] | None = None
) -> Shortlist:
    """The documents to read with those of the scope that amend them, DOCUMENTS_MAX together, the best first.

    What has no room, or is in the base and not in the scope, is told: an agreement alone does not say that it was
    amended.
    """
    taken, scope = {document.pk for document in chosen.chosen}, {document.pk for document in documents}
    others = [*select_readable(documents), *(documents_beside(documents) if beside is None else beside)]
    amending = find_amending(chosen.chosen, others, read_document_names(others)) if chosen.chosen else {}
    if not amending:
        return chosen
    ranked = [(rank_of(chosen, document), document) for document in chosen.chosen]
    wanted = [(rank, 0, document) for rank, document in ranked]
    wanted += [
        (rank, 1, each) for rank, document in ranked for each in amending.get(document.pk, ()) if each.pk in scope
    ]
    ordered = (document.pk for *_, document in sorted(wanted, key=lambda each: each[:2]))
    order = dict.fromkeys(key for key in ordered if key in scope)
    kept = set(list(order)[:DOCUMENTS_MAX])
    return replace(
        chosen,
        chosen=tuple(document for document in documents if document.pk in kept),
        reasons={
            **chosen.reasons,
            **dict.fromkeys(kept - taken, accounting.AMENDS),
            **dict.fromkeys(taken - kept, accounting.GAVE_WAY),
        },
        amending={key: found for key, found in amending.items() if key in kept},
    )


def documents_beside(documents: Sequence[Document]) -> list[Document]:
    """The other documents of the same base that have been read and speak of an amendment.

    Of the others only names are read: a base may have thousands.
    """
    scope = [document.pk for document in documents]
    beside = Document.objects.answering().filter(base__in={each.base_id for each in documents}).exclude(pk__in=scope)
    rows: list[Any] = list(beside.values_list("pk", "title", "file_name", "current_parse_id", named=True))
    named = zip(rows, read_document_names(rows), strict=True)
    if not (speaking := [row.pk for row, name in named if speaks_of_amending(name)]):
        return []
    found = Document.objects.filter(pk__in=speaking).order_by("title", "pk")
    return list(found.only("title", "file_name", "media_type", "sha256", "current_parse"))


def rank_of(chosen: Shortlist, document: Document) -> int:
    """The rank of a document that is read; 0 for one that the question names."""
    place = chosen.places.get(document.pk)
    return place.rank or len(chosen.chosen) if place else 0


def round_score(score: float | None) -> float | None:
    return round(score, 6) if score is not None and isfinite(score) else None


def find_named_documents(
    question_text: str, documents: Sequence[Document], dictionary: Sequence[ConceptTerms] = ()
) -> list[Document]:
    """The documents the question names by company and year, title or file name; [] if it names none.

    In a scope small enough to read whole, only a name with a year narrows it.
    """
    topic = without_pages(read_phrasing(question_text).topic)
    known = {word for concept in concepts_named(topic, dictionary) for word in concept.words}
    names = read_document_names(documents)
    if compared := places_compared(question_text, names, language_of(normalise_words(topic), default="en")):
        return [documents[place] for place in compared] if len(documents) > DOCUMENTS_MAX else []
    places, has_year = documents_named(topic, names, known)
    if len(documents) <= DOCUMENTS_MAX and not has_year:
        return []
    return [documents[place] for place in places]


class NamedDocument(Protocol):
    """As much of a document as names it."""

    @property
    def title(self) -> str: ...
    @property
    def file_name(self) -> str: ...
    @property
    def current_parse_id(self) -> uuid.UUID | None: ...


def read_document_names(documents: Sequence[NamedDocument]) -> list[Name]:
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


def find_near_documents(topic: str, documents: Sequence[Document]) -> dict[uuid.UUID, float]:
    """The documents of the passages nearest in meaning, each with its nearness (1 is the same meaning).

    Where two models made the vectors they come in turns: they compare apart.
    """
    by_model: dict[str, list[Document]] = {}
    for document in documents:
        if document.current_parse and (key := document.current_parse.embedding_model):
            by_model.setdefault(key, []).append(document)
    ranked = [rank_by_vectors(topic, model, by_model[model]) for model in sorted(by_model)]
    nearest: dict[uuid.UUID, float] = {}
    for turn in zip_longest(*ranked):
        for found, nearness in filter(None, turn):
            nearest.setdefault(found, nearness)
    return nearest


def rank_by_vectors(topic: str, model_key: str, documents: Sequence[Document]) -> list[tuple[uuid.UUID, float]]:
    """The documents of the nearest passages among one model's vectors; none if the model cannot be asked."""
    try:
        vector = query_vector(topic, model_key)
    except EMBEDDING_ERRORS:  # the pipeline's plan already reports the same failure
        return []
    bases = {document.base_id for document in documents}
    parses = [document.current_parse for document in documents if document.current_parse]
    lines = sum(parse.line_count for parse in parses)
    near = find_nearest(vector, model_key, bases, [parse.pk for parse in parses], lines, PASSAGES_MAX)
    return [(key, 1 - distance) for key, distance in near]


def sharing_words(topic: str, documents: Sequence[Document]) -> dict[uuid.UUID, float]:
    """The documents whose title or file name shares words with the question, most words first, with how many."""
    asked = set(search_words(topic))
    shared = [(len(asked & set(normalise_words(name_of(document)))), document.pk) for document in documents]
    return {key: float(count) for count, key in sorted(shared, key=lambda pair: -pair[0]) if count}


def named_by_card(topic: str, documents: Sequence[Document]) -> dict[uuid.UUID, float]:
    """The documents of whose card the question names a party, the period or the type, with how many of these (R15).

    Types that most documents are of tell none apart. That is all a card does here: it is never read as text.
    """
    asked, wanted, cards = frozenset(normalise_words(topic)), types_named(topic), cards_of(documents)
    of_types = [key for key, card in cards.items() if card.type in wanted]
    scores: Counter[uuid.UUID] = Counter(of_types if len(of_types) <= COMMON_SHARE * len(documents) else ())
    for key, card in cards.items():
        names = (distinctive_words(text) for text in (*card.parties, card.period))
        scores[key] += sum(bool(name) and name <= asked for name in names)
    return {key: float(score) for key, score in scores.items() if score}


def searched_phrases(topic: str, dictionary: Sequence[ConceptTerms]) -> list[str]:
    """The words of a topic that say something, with their irregular forms, and every term of the concepts it names."""
    words, language = search_words(topic), language_of(normalise_words(topic), "en")
    siblings = [form for word in words for form in irregular_siblings(word, language)]
    terms = [phrase for concept in concepts_named(topic, dictionary) for _, phrase in searched_terms(concept.concept)]
    return list(dict.fromkeys([*words, *siblings, *terms]))


# ---- what is known of the documents that are not read


def account_of_scope(
    documents: Sequence[Document], contents: Sequence[DocumentContent], chosen: Shortlist, question: Question
) -> ScopeAccount:
    """Every document of a scope (R57), of which `contents` are read: in the others each word asked for is counted.

    A word counts with the terms of its concept, as in the documents that are read.
    """
    read = {content.document_id: content for content in contents}
    counted = [document for document in select_readable(documents) if str(document.pk) not in read]
    searched = {} if question.clarification else phrases_by_leader(question)
    found = count_groups(searched, counted)
    blind = find_blind_pages(document.current_parse for document in counted)
    jobs = last_jobs(document for document in documents if not document.current_parse)

    def row_of(document: Document) -> ScopeDocument:
        reason, place = chosen.reason_of(document), chosen.places.get(document.pk)
        if content := read.get(str(document.pk)):
            return accounting.read_document(content, reason, place)
        parse = document.current_parse
        if parse is None:
            return unread_document(document, jobs.get(document.pk))
        words = tuple(text for text, passages in found.items() if parse.pk in passages)
        return counted_document(document, parse, len(blind.get(parse.pk, ())), reason, place, words)

    return ScopeAccount(
        documents=tuple(map(row_of, documents)),
        counts={text: sum(passages.values()) for text, passages in found.items()},
        unreadable=tuple(
            accounting.name_page(document.title, number)
            for document in counted
            if document.current_parse
            for number in blind.get(document.current_parse.pk, ())
        ),
        languages=languages_read(documents),
        attached=tuple(
            each for document in counted if document.current_parse for each in files_attached(document.current_parse)
        ),
        amended=chosen.amended_titles,
        amending=chosen.amending_ids,
    )


def languages_read(documents: Iterable[Document]) -> tuple[str, ...]:
    """The languages of the documents that have been read."""
    return tuple(sorted({parse.language for document in documents if (parse := document.current_parse)}))


def counted_document(
    document: Document, parse: Parse, blind: int, reason: str, place: ShortlistRank | None, words: tuple[str, ...]
) -> ScopeDocument:
    """A document in which words were counted only; in one without text there were none to count."""
    has_text = blind < parse.page_count
    return ScopeDocument(
        document_id=str(document.pk),
        title=document.title,
        sha256=document.sha256,
        state="counted" if has_text else "unreadable",
        reason=reason if has_text else accounting.CAUSES["no_text"],
        cause="" if has_text else "no_text",
        parse_id=str(parse.pk),
        parse_number=parse.number,
        pages=parse.page_count,
        pages_with_text=parse.page_count - blind,
        place=place,
        words=words,
    )


def unread_document(document: Document, job: IngestJob | None) -> ScopeDocument:
    """A document without any reading: it waits, is being read, or could not be."""
    is_failed = document.state not in (Document.State.WAITING, Document.State.READING)
    cause, reason = document.state if not is_failed else "failed", ""
    if is_failed and job:
        stopped = "cancelled" if job.state == IngestJob.State.CANCELLED else "failed"
        cause, reason = job.reason_code or stopped, job.error_for_people
    return ScopeDocument(
        document_id=str(document.pk),
        title=document.title,
        sha256=document.sha256,
        state="unreadable",
        reason=reason or accounting.CAUSES.get(cause, accounting.CAUSES["failed"]),
        cause=cause,
    )


def find_blind_pages(parses: Iterable[Parse | None]) -> dict[uuid.UUID, list[int]]:
    """The numbers of the pages without text, of the parses that have any."""
    blind = {parse.pk: set(parse.unreadable_pages) for parse in parses if parse}
    pages = Page.objects.filter(Q(text_layer="none") | Q(flags__contains=["garbled"]), parse__in=list(blind)).order_by()
    for parse_id, number in pages.values_list("parse_id", "number"):
        blind[parse_id].add(number)
    return {parse_id: sorted(numbers) for parse_id, numbers in blind.items() if numbers}


def last_jobs(documents: Iterable[Document]) -> dict[uuid.UUID, IngestJob]:
    """The last job of each document, which says why it has no reading."""
    jobs = IngestJob.objects.filter(document__in=list(documents)).order_by("document_id", "-created_at")
    return {job.document_id: job for job in jobs.distinct("document_id")}


def phrases_by_leader(question: Question) -> dict[str, list[str]]:
    """Everything that counts as one word of the question, keyed by the first keyword of its group, as for absence."""

    def phrases_of(keyword: Keyword) -> Iterator[str]:
        text = match_form(keyword.text)
        yield from (text, *keyword.forms, *irregular_siblings(text, question.language))

    return {
        group[0].text: list(dict.fromkeys(phrase for one in group for phrase in phrases_of(one)))
        for group in question.groups
    }


# ---- words


def name_of(document: Document) -> str:
    return f"{document.title} {document.file_name}".replace("_", " ").replace("-", " ")


def search_words(text: str) -> list[str]:
    """The meaningful words of a question in match form, each once."""
    words = normalise_words(text)
    language = language_of(words, "en")
    said = [word for word in words if not is_stop_word(word, language)]
    return list(dict.fromkeys(word for word in said if not is_generic(word, language)) or dict.fromkeys(said))
