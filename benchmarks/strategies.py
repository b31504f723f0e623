"""Contextual retrieval beside the arbiter, on the same questions: quality, tokens and time of each, in one table.

A row is a set and a strategy. Tokens are counted at four characters: `judged` is what a model or reranker is sent to
judge or order one question, `written` what the writer is given of the passages kept. What needs a model that is not
configured, or replies that are not there, has a row that says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.library import Library
from benchmarks.metrics import distinct, is_hit, mean, percentile
from benchmarks.questions import GoldQuestion
from benchmarks.requests import CHARACTERS_PER_TOKEN, kept_replies, tokens_of
from benchmarks.retrieval import ranked_pages
from documents.base_settings import BaseSettings
from llm.rerank import find_rerank_obstacle
from reading.matching import match_form
from retrieval.pipeline import retrieve
from retrieval.types import ArbiterName, ConceptTerms, RetrievalResult, Settled

FIRST = 5
CONTEXTS_MAX = BaseSettings().passages_max  # what the writer reads


@dataclass(frozen=True)
class Strategy:
    name: str
    settings: BaseSettings
    arbiter: ArbiterName


CONTEXTUAL = {how: BaseSettings(ranking="rerank", reranking=how) for how in ("none", "heuristic", "model")}
STRATEGIES = (
    Strategy("arbiter, rules", BaseSettings(), "rules"),
    Strategy("arbiter, model", BaseSettings(), "model"),
    Strategy("contextual, fused order", CONTEXTUAL["none"], "rerank"),
    Strategy("contextual, heuristic", CONTEXTUAL["heuristic"], "rerank"),
    Strategy("contextual, reranker", CONTEXTUAL["model"], "rerank"),
)


def run(
    sets: Mapping[str, Sequence[GoldQuestion]],
    library: Library,
    dictionary: Sequence[ConceptTerms] = (),
    replies: Path | None = None,
) -> dict[str, Any]:
    """The table, a row for each set and strategy."""
    rows = [row for name, asked in sets.items() for row in rows_of(name, asked, library, dictionary, replies)]
    return {"strategies": rows}


def rows_of(
    name: str,
    questions: Sequence[GoldQuestion],
    library: Library,
    dictionary: Sequence[ConceptTerms],
    replies: Path | None,
) -> Iterator[dict[str, Any]]:
    answered = [question for question in questions if not question.not_found and (question.pages or question.quotes)]
    for strategy in STRATEGIES:
        row: dict[str, Any] = {"set": name, "strategy": strategy.name}
        if why := obstacle_of(strategy, replies):
            yield row | {"not_run": why}
            continue
        with kept_replies(replies) if strategy.arbiter == "model" else nullcontext() as server:
            asked = [ask(question, strategy, library, dictionary, server) for question in answered]
        if server and server.missing:
            row |= {"without_reply": len(set(server.missing))}
        yield row | summarise(asked)


def obstacle_of(strategy: Strategy, replies: Path | None) -> str:
    """Why a strategy cannot be measured here, or ""."""
    if strategy.arbiter == "model" and (replies is None or not replies.is_dir()):
        return "no replies of a model are kept here (--replies)"
    if strategy.settings == CONTEXTUAL["model"]:
        return find_rerank_obstacle()
    return ""


def ask(
    question: GoldQuestion, strategy: Strategy, library: Library, dictionary: Sequence[ConceptTerms], server: Any
) -> dict[str, Any]:
    """One question of its document, by one strategy."""
    content = library.content(question.document)
    before = len(server.bodies) if server else 0
    started = perf_counter()
    result = retrieve(
        question.question,
        [content],
        settings=strategy.settings,
        arbiter=strategy.arbiter,
        dictionary=dictionary,
    )
    milliseconds = 1000 * (perf_counter() - started)
    pages = ranked_pages(result.candidates)
    held = [holds_quote(candidate, question.quotes) for candidate in result.candidates]
    judged = sum(tokens_of(body) for body in server.bodies[before:]) if server else tokens_reranked(result)
    return {
        "page": [is_hit(pages, question.pages, cutoff) for cutoff in (1, FIRST)] if question.pages else None,
        "quote": [any(held[:cutoff]) for cutoff in (1, FIRST)] if question.quotes else None,
        "judged": judged,
        "written": written_tokens(result.candidates),
        "ms": milliseconds,
    }


def holds_quote(candidate: Settled, quotes: Sequence[str]) -> bool:
    """Whether what the writer is given of a candidate has one of the gold quotes whole."""
    text = plain(candidate.context.text)
    return any(plain(quote) in text for quote in quotes)


def plain(text: str) -> str:
    """Letters and digits alone: blanks, hyphens at line ends and bullets do not count."""
    return "".join(filter(str.isalnum, match_form(text)))


def tokens_reranked(result: RetrievalResult) -> float:
    """What a reranker reads: the question with every text that was sent, as its provider counts."""
    exchange = result.ranking.exchange
    return exchange.tokens_in or 0 if exchange else 0


def written_tokens(candidates: Sequence[Settled]) -> float:
    """The contexts of the first passages, each line once."""
    lines = distinct(
        (candidate.document_id, line)
        for candidate in candidates[:CONTEXTS_MAX]
        for line in candidate.context.text.split("\n")
    )
    return sum(len(line) + 1 for _, line in lines) / CHARACTERS_PER_TOKEN


def summarise(asked: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    paged, quoted = ([one[kind] for one in asked if one[kind] is not None] for kind in ("page", "quote"))
    return {
        "questions": len(asked),
        "page_first": mean([float(hits[0]) for hits in paged]),
        "page_first_5": mean([float(hits[1]) for hits in paged]),
        "quote_first": mean([float(hits[0]) for hits in quoted]),
        "quote_first_5": mean([float(hits[1]) for hits in quoted]),
        "judged_tokens_p50": percentile([one["judged"] for one in asked], 50),
        "written_tokens_p50": percentile([one["written"] for one in asked], 50),
        "ms_p50": percentile([one["ms"] for one in asked], 50),
    }
