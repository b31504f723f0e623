"""A cross-encoder behind a URL (R93b): Voyage's /rerank, or the common format of Jina, Cohere, vLLM, TEI and llama.cpp.

The format is described in docs/reranking.md. Instructions say what counts as relevant, to rerankers that take them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings

from llm.call import LLMServer
from llm.dialect import Body, value_at
from llm.errors import LLMError
from llm.exchange import Exchange, clean_text, note_exchange
from llm.posting import Posting

DOCUMENTS_MAX = 1_000  # Voyage's limit; others take as many
TEXT_CHARACTERS_MAX = 8_000  # about 2,000 tokens: a parent unit (R90)
SCORE_LIMIT = 1e30  # logits are below 100; this leaves out what is infinite or no number
MISSING = "No reranker is configured: set VOYAGE_API_KEY, or DOCINTEL_RERANK_BASE_URL and DOCINTEL_RERANK_MODEL"


@dataclass(frozen=True)
class Relevance:
    """The relevance of one text, by its position in the request; scores are comparable only within one call."""

    index: int
    score: float


def find_rerank_obstacle() -> str:
    """Why reranking is unavailable, or ""."""
    return "" if settings.RERANK_BASE_URL or settings.VOYAGE_API_KEY else MISSING


def rerank(
    query: str, texts: Sequence[str], *, top: int, deadline_s: float, instructions: str = "", version: str = "1"
) -> tuple[list[Relevance], Exchange]:
    """The `top` most relevant texts, best first; equal scores in the order sent. Raises LLMError.

    `version` is that of the instructions; both are in the exchange, the instructions only where they are sent.
    """
    sent = [clean_text(text)[:TEXT_CHARACTERS_MAX].strip() or "-" for text in texts[:DOCUMENTS_MAX]]
    body: Body = {"model": settings.RERANK_MODEL, "query": clean_text(query), "documents": sent}
    if instructions and settings.RERANK_INSTRUCTIONS == "query":
        body["query"] = f"{instructions}\n\n{body['query']}"
    elif instructions and settings.RERANK_INSTRUCTIONS == "field":
        body["instruction"] = instructions
    if settings.RERANK_BASE_URL:
        server, form, place = LLMServer(settings.RERANK_BASE_URL, settings.RERANK_API_KEY), {"top_n": top}, "results"
    else:
        server = LLMServer(settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY)
        form, place = {"top_k": top, "truncation": True}, "data"
    read = partial(read_scores, place=place, count=len(sent))
    try:
        asked = Posting(server, "/rerank", body | form, read, purpose="rerank", deadline_s=deadline_s, version=version)
        scored, exchange = asked.send()
    except LLMError as error:
        note_exchange(error.exchange)
        raise
    note_exchange(exchange)
    return scored[:top], exchange


def read_scores(told: Any, place: str, count: int) -> list[Relevance]:
    """The scores of a reply. Raises ValueError for an unknown or repeated text, or an invalid score."""
    rows = value_at(told, place)
    if not isinstance(rows, list) or not rows:
        raise ValueError("no scores")
    scored: dict[int, float] = {}
    for row in rows:
        index, score = value_at(row, "index"), value_at(row, "relevance_score")
        if type(index) is not int or not 0 <= index < count or index in scored:  # True is no number
            raise ValueError("a score of a text that was not sent")
        if type(score) not in (int, float) or not abs(score) < SCORE_LIMIT:
            raise ValueError("a score that is no number")
        scored[index] = float(score)
    ordered = sorted(scored, key=lambda index: (-scored[index], index))
    return [Relevance(index, scored[index]) for index in ordered]
