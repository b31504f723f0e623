"""How the time to choose documents grows with the passages of a base, over the same questions."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from benchmarks.library import Library
from benchmarks.metrics import percentile
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from benchmarks.scope import folder_documents
from benchmarks.shelf import shelve
from documents.base_settings import BaseSettings
from documents.models import Document, Passage
from retrieval.corpus import (
    Shortlist,
    account_of_scope,
    content_for,
    find_near_documents,
    lexical,
    promising,
    searched_phrases,
)
from retrieval.question.parse import parse_question
from retrieval.question.phrasing import read_phrasing, without_pages
from retrieval.types import ConceptTerms

STEPS = 3  # a third of the documents, two thirds, all
QUESTIONS_MAX = 20


def run(questions: Sequence[GoldQuestion], library: Library, dictionary: Sequence[ConceptTerms] = ()) -> dict[str, Any]:
    """p50 and p95 in milliseconds of the shortlist without the help of names, of its SQL, and of counting elsewhere."""
    documents = list(shelve(folder_documents(questions, library), library).values())
    texts = [question.question for question in questions[:QUESTIONS_MAX]]
    sizes = [max(1, len(documents) * step // STEPS) for step in range(1, STEPS + 1)]
    rows = [measured(documents[:size], texts, dictionary) for size in dict.fromkeys(sizes)]
    first, last = rows[0], rows[-1]
    return {
        "steps": rows,
        "passages_ratio": round(last["passages"] / first["passages"], 2),
        "shortlist_p50_ratio": round(last["shortlist_ms"]["p50"] / first["shortlist_ms"]["p50"], 2),
        "commit": commit(),
    }


def measured(documents: list[Document], texts: Sequence[str], dictionary: Sequence[ConceptTerms]) -> dict[str, Any]:
    """One size: every question once, after one that warms the database's pages."""
    settings = BaseSettings()
    spent: dict[str, list[float]] = {"shortlist": [], "lexical": [], "near": [], "elsewhere": []}

    def book(name: str, since: float) -> None:
        spent[name].append(1000 * (perf_counter() - since))

    promising(texts[0], documents, settings, dictionary)
    first = Shortlist(tuple(documents[:1]), {})
    few = content_for(first.chosen)
    for text in texts:
        topic = without_pages(read_phrasing(text).topic)
        started = perf_counter()
        promising(text, documents, settings, dictionary)
        book("shortlist", started)
        started = perf_counter()
        lexical(searched_phrases(topic, dictionary), documents)
        book("lexical", started)
        started = perf_counter()
        find_near_documents(topic, documents)
        book("near", started)
        started = perf_counter()
        account_of_scope(documents, few, first, parse_question(text, few, dictionary))
        book("elsewhere", started)
    return {
        "documents": len(documents),
        "passages": Passage.objects.filter(parse__in=[document.current_parse_id for document in documents]).count(),
        **{f"{name}_ms": {"p50": percentile(ms, 50), "p95": percentile(ms, 95)} for name, ms in spent.items()},
    }
