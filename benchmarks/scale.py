"""How a question over a whole base, and one to a document inside it, grow with the passages of the base."""

import gc
import resource
from collections.abc import Callable, Sequence
from math import log, log10
from pathlib import Path
from time import perf_counter
from typing import Any

from django.db import connection

from benchmarks.filings import documents_for, grow, steps_of_facts
from benchmarks.generated import Fact
from benchmarks.metrics import mean, percentile
from benchmarks.metrics import recall as recall_of
from benchmarks.retrieval import commit
from documents.base_settings import BaseSettings
from documents.models import Document, Embedding, KnowledgeBase, Passage
from documents.storage.near import index_large_bases
from llm.embeddings.bundled import MODEL_KEY, embed_query
from retrieval import corpus
from retrieval.dictionary.load import pack_concepts
from retrieval.question.pages import without_pages
from retrieval.question.parse import parse_question
from retrieval.question.phrasing import read_phrasing
from retrieval.search import SearchOptions
from retrieval.words.at_scale import rank_by_words

PROJECTED = (10_000_000, 100_000_000)
SETTINGS = BaseSettings()
NAME = "Generated filings"
MS_MAX = 100_000  # of the picture
DRAWN = {
    "question_p95_ms": ("whole base, the question", "#4f3ca8"),
    "shortlist_p95_ms": ("whole base, its shortlist", "#0b7a75"),
    "small_scope_p95_ms": ("one document in it", "#b3541e"),
}


def run(sizes: Sequence[int], picture: Path | None = None) -> dict[str, Any]:
    """Grow one base to each number of passages, and measure it there.

    `recall`: of the documents of the passages that are nearest by exact distances, how many the product names.
    `planted`: how often the only document that says what is asked is among those read.
    """
    documents = [documents_for(size) for size in sorted(set(sizes))]
    base, _ = KnowledgeBase.objects.get_or_create(name=NAME)
    steps = [measured(base, *step) for step in zip(documents, steps_of_facts(documents), strict=True)]
    exponents = {name: exponent(steps, name) for name in DRAWN}
    figures = {
        "sizes": steps,
        "exponent": exponents["question_p95_ms"],
        "exponents": exponents,
        "projected": [project(steps[-1], exponents, size) for size in PROJECTED],
        "commit": commit(),
    }
    if picture:
        picture.write_text(draw_growth(figures), encoding="utf-8")
    return figures


def measured(base: KnowledgeBase, documents: int, facts: Sequence[Fact]) -> dict[str, Any]:
    """One size: every question once, whole and by its parts, after one that warms the caches of the process."""
    started = perf_counter()
    rows = grow(base, documents, facts)
    index_large_bases()
    ingested = perf_counter() - started
    scope = scope_of(base, documents)
    spent: dict[str, list[float]] = {}
    recalls, planted = [], []
    ask(facts[0].question, base, documents, spent={})
    for fact in facts:
        gc.collect()
        chosen = ask(fact.question, base, documents, spent)
        planted.append(float(fact.document in [scope.index(document) for document in chosen]))
        recalls.append(nearest_found(fact.question, scope))
        assert fact.document is not None
        ask_one(fact.question, scope[fact.document], spent)
    return {
        "documents": documents,
        "passages": Passage.objects.filter(parse__in=[document.current_parse_id for document in scope]).count(),
        **{f"{name}_{part}_ms": percentile(ms, int(part[1:])) for name, ms in spent.items() for part in ("p50", "p95")},
        "recall": mean(recalls),
        "planted": mean(planted),
        "index_mb": megabytes("pg_indexes_size"),
        "stored_mb": megabytes("pg_total_relation_size"),
        "ingest_per_s": round(rows / ingested) if rows else None,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def scope_of(base: KnowledgeBase, documents: int) -> list[Document]:
    """The first documents of the base: one that was kept may have grown further before."""
    rows = Document.objects.answering().filter(base=base).select_related("base", "current_parse")
    return list(rows.order_by("file_name")[:documents])


def ask(text: str, base: KnowledgeBase, documents: int, spent: dict[str, list[float]]) -> Sequence[Document]:
    """Ask the whole base, from the rows of its documents on; then the parts of that by themselves, now warm."""
    timed(spent, "question", lambda: ask_whole(text, scope_of(base, documents)))
    dictionary = pack_concepts()
    options = SearchOptions(SETTINGS, dictionary=dictionary)
    topic = without_pages(read_phrasing(text).topic)
    scope = scope_of(base, documents)
    chosen: corpus.Shortlist = timed(spent, "shortlist", lambda: corpus.shortlist(text, scope, options))
    timed(spent, "words", lambda: rank_by_words(corpus.searched_phrases(topic, dictionary), scope))
    timed(spent, "vectors", lambda: corpus.find_near_documents(topic, scope))
    contents = timed(spent, "contents", lambda: corpus.content_for(chosen.chosen))
    question = parse_question(text, contents, dictionary)
    timed(spent, "counting", lambda: corpus.account_of_scope(scope, contents, chosen, question))
    return chosen.chosen


def ask_whole(text: str, scope: Sequence[Document]) -> None:
    corpus.retrieve_among(text, scope, settings=SETTINGS, dictionary=pack_concepts(), arbiter="rules")


def ask_one(text: str, document: Document, spent: dict[str, list[float]]) -> None:
    """Ask one document of the base alone, its content at hand as in a second question to it."""
    options = {"settings": SETTINGS, "dictionary": pack_concepts(), "arbiter": "rules"}
    corpus.retrieve_among(text, [document], **options)
    timed(spent, "small_scope", lambda: corpus.retrieve_among(text, [document], **options))


def timed(spent: dict[str, list[float]], name: str, work: Callable[[], Any]) -> Any:
    started = perf_counter()
    result = work()
    spent.setdefault(name, []).append(1000 * (perf_counter() - started))
    return result


def nearest_found(text: str, scope: Sequence[Document]) -> float:
    """The share of the documents nearest by exact distances, over every passage, that the product finds too."""
    topic = without_pages(read_phrasing(text).topic)
    found = list(corpus.find_near_documents(topic, scope))
    table = Embedding._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT document_id FROM {table} WHERE parse_id = ANY(%s) AND model_key = %s AND passage_id IS NOT NULL"
            " ORDER BY (vector <=> %s::vector) + 0, id LIMIT %s",  # an expression no index can serve
            [
                [document.current_parse_id for document in scope],
                MODEL_KEY,
                str(embed_query(topic).tolist()),
                corpus.PASSAGES_MAX,
            ],
        )
        nearest = list(dict.fromkeys(row[0] for row in cursor.fetchall()))
    return recall_of(found, nearest)


def megabytes(function: str) -> int:
    """The size of all tables by one of PostgreSQL's functions."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT sum({function}(oid)) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'documents_%'")
        return round(int(cursor.fetchone()[0]) / 2**20)


def exponent(steps: Sequence[dict[str, Any]], name: str) -> float | None:
    """The power of the number of passages by which a time grew from the first size to the last."""
    first, last = steps[0], steps[-1]
    if first is last:
        return None
    return round(log(last[name] / first[name]) / log(last["passages"] / first["passages"]), 2)


def project(last: dict[str, Any], exponents: dict[str, float | None], passages: int) -> dict[str, Any]:
    """The times and sizes of a base of so many passages, if it goes on growing as it did."""
    factor = passages / last["passages"]
    times = {name: round(last[name] * factor**power) for name, power in exponents.items() if power is not None}
    return {"passages": passages, **times, "stored_mb": round(last["stored_mb"] * factor)}


def draw_growth(figures: dict[str, Any]) -> str:
    """The times by the passages of the base, both by powers of ten, as SVG: measured in full, projected in dashes."""
    sizes, projected = figures["sizes"], figures["projected"]

    def place(passages: float, ms: float) -> tuple[float, float]:
        return 70 + 100 * (log10(passages) - 3.5), 330 - 56 * log10(ms)

    def line(rows: Sequence[dict[str, Any]], name: str) -> str:
        return " ".join("{:.0f},{:.0f}".format(*place(row["passages"], row[name])) for row in rows if name in row)

    parts = []
    for power, passages in enumerate(("10 k", "100 k", "1 M", "10 M", "100 M"), 4):
        across = place(10**power, 1)[0]
        parts.append(f'<path d="M{across:.0f} 50V330" stroke="#ddd"/>')
        parts.append(f'<text x="{across:.0f}" y="348" text-anchor="middle">{passages}</text>')
    for power, ms in enumerate(("1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s")):
        down = place(1, 10**power)[1]
        parts.append(f'<path d="M70 {down:.0f}H540" stroke="#ddd"/>')
        parts.append(f'<text x="62" y="{down + 4:.0f}" text-anchor="end">{ms}</text>')
    for row, (name, (label, colour)) in enumerate(DRAWN.items()):
        style = f'fill="none" stroke="{colour}" stroke-width="2"'
        parts.append(f'<polyline points="{line(sizes, name)}" {style}/>')
        drawn = [row for row in (sizes[-1], *projected) if row.get(name, MS_MAX + 1) <= MS_MAX]
        parts.append(f'<polyline points="{line(drawn, name)}" {style} stroke-dasharray="4 4"/>')
        parts.append(f'<text x="{80 + 160 * row}" y="30" fill="{colour}">{label}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 570 390" font-family="sans-serif" font-size="12">'
        f'<rect width="570" height="390" fill="#fff"/>{"".join(parts)}'
        '<text x="305" y="375" text-anchor="middle">passages in the base; p95, dashed: projected</text></svg>\n'
    )
