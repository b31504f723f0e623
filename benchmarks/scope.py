"""Quality over a whole base: every document of the folder is in scope, so the right one must be found first."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, cast

from benchmarks.library import Library
from benchmarks.metrics import CUTOFFS, distinct, is_hit, mean, spread
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from benchmarks.shelf import shelve
from documents.base_settings import BaseSettings
from documents.models import Document
from retrieval.corpus import search_chosen, shortlist
from retrieval.pipeline import carry_out
from retrieval.search import SearchOptions
from retrieval.types import ABSENT, ArbiterName, ConceptTerms, RetrievalResult

MEDIA_SUFFIXES = (".pdf", ".md", ".txt")
PRINTED = (
    "page_hit",
    "document_hit",
    "document_read",
    "documents_read",
    "false_not_found",
    "absent_refused",
    "shortlist_ms",
    "latency_ms",
)

Place = tuple[str, int]  # a document's path and a page of it


@dataclass(frozen=True)
class Judged:
    """One question asked of the whole base, and the comparison of what was found with the gold evidence."""

    id: str
    document: str
    type: str
    not_found_expected: bool
    status: str
    primary_count: int
    chosen: list[str]  # the documents read line by line
    found: list[str]  # the documents of the candidates, in order
    pages: list[Place]
    gold_pages: tuple[int, ...]
    latency_ms: float
    shortlist_ms: float
    timings_ms: dict[str, float]

    @property
    def gold(self) -> list[Place]:
        return [(self.document, page) for page in self.gold_pages]


def folder_documents(questions: Sequence[GoldQuestion], library: Library) -> list[str]:
    """Every readable file in the folders of the questions' documents."""
    folders = {(library.folder / question.document).parent for question in questions}
    files = [path for folder in sorted(folders) for path in sorted(folder.iterdir())]
    return [str(path.relative_to(library.folder)) for path in files if path.suffix.lower() in MEDIA_SUFFIXES]


def run(
    questions: list[GoldQuestion], library: Library, *, arbiter: str, dictionary: Sequence[ConceptTerms] = ()
) -> dict[str, Any]:
    """Ask every question of all documents at once. The first answers warm the caches and are timed apart."""
    documents = shelve(folder_documents(questions, library), library)
    path_of = {str(document.pk): path for path, document in documents.items()}
    scope = list(documents.values())
    rows = [ask(question, scope, path_of, arbiter, dictionary) for question in questions]
    return {
        **summarise(rows),
        "documents": len(scope),
        "baselines": {},
        "settings": {"arbiter": arbiter, "scope": "base", "concepts": len(dictionary), **BaseSettings().to_json()},
        "commit": commit(),
        "per_question": [asdict(row) for row in rows],
    }


def ask(
    question: GoldQuestion,
    scope: Sequence[Document],
    path_of: dict[str, str],
    arbiter: str,
    dictionary: Sequence[ConceptTerms],
) -> Judged:
    options = SearchOptions(BaseSettings(), arbiter=cast(ArbiterName, arbiter), dictionary=dictionary)
    started = perf_counter()
    listed = shortlist(question.question, scope, options)
    chosen = perf_counter()
    search = search_chosen(question.question, scope, listed, options)
    result = carry_out(search)
    pages = places(result, path_of)
    return Judged(
        id=question.id,
        document=question.document,
        type=question.type,
        not_found_expected=question.not_found,
        status=result.status,
        primary_count=sum(candidate.verdict.role == "primary" for candidate in result.candidates),
        chosen=[path_of[str(document.pk)] for document in listed.chosen],
        found=distinct(path for path, _ in pages),
        pages=pages,
        gold_pages=question.pages,
        latency_ms=round(1000 * (perf_counter() - started), 2),
        shortlist_ms=round(1000 * (chosen - started), 2),
        timings_ms=result.timings_ms,
    )


def places(result: RetrievalResult, path_of: dict[str, str]) -> list[Place]:
    """Distinct pages of the candidates' anchors with their documents, in the arbiter's order."""
    return distinct(
        (path_of[candidate.document_id], page)
        for candidate in result.candidates
        for page in range(candidate.anchor_pages[0], candidate.anchor_pages[1] + 1)
    )


def summarise(rows: list[Judged]) -> dict[str, Any]:
    answerable = [row for row in rows if not row.not_found_expected]
    absent = [row for row in rows if row.not_found_expected]
    located = [row for row in answerable if row.gold_pages]
    cutoffs: list[int | None] = [*CUTOFFS, None]
    names = [*map(str, CUTOFFS), "pool"]
    return {
        "questions": len(rows),
        "page_hit": {
            name: mean([float(is_hit(row.pages, row.gold, cutoff)) for row in located])
            for name, cutoff in zip(names, cutoffs, strict=True)
        },
        "document_hit": {
            name: mean([float(is_hit(row.found, [row.document], cutoff)) for row in answerable])
            for name, cutoff in zip(names, cutoffs, strict=True)
        },
        "document_read": mean([float(row.document in row.chosen) for row in answerable]),
        "documents_read": mean([float(len(row.chosen)) for row in rows]),
        "false_not_found": mean([float(row.status in ABSENT) for row in answerable]),
        "absent_refused": mean([float(row.status != "found" or row.primary_count == 0) for row in absent]),
        "latency_ms": spread([row.latency_ms for row in rows]),
        "shortlist_ms": spread([row.shortlist_ms for row in rows]),
    }
