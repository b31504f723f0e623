"""A model with a small window: a request that fits it, in a simple form, and replies as small models write them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from documents.storage.content import DocumentContent
from llm.conftest import Serve
from llm.window import CHARACTERS_PER_TOKEN
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.arbiter.model import SMALL_PROMPT
from retrieval.arbiter.room import PLACES_MAX
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_reading
from retrieval.types import ArbiterName, RetrievalResult

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
QUESTIONS = (
    "What is the deductible of the property insurance?",
    "What are the notice periods, the penalties and the monthly charges of the services?",
    "Which obligations does the Provider have under this Agreement?",
)


@cache
def agreement() -> DocumentContent:
    """Nineteen pages with many sections: the usual request for it has more than 8,000 tokens."""
    path = SAMPLES / "outsourcing-agreement.pdf"
    return content_of_reading(read_pdf(path, Limits()), path)


def ask(question: str, arbiter: ArbiterName = "model") -> RetrievalResult:
    return retrieve(question, [agreement()], settings=SETTINGS, arbiter=arbiter)


def tokens_of(body: dict[str, Any]) -> float:
    return len(json.dumps(body, ensure_ascii=False)) / CHARACTERS_PER_TOKEN


@pytest.mark.parametrize("arbiter", ["model", "hybrid"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_request_to_a_small_window_has_at_most_6000_tokens(serve: Serve, question: str, arbiter: ArbiterName) -> None:
    server = serve()
    wide = ask(question, arbiter)
    assert tokens_of(server.requests[-1].body) > 6000 or len(wide.candidates) < PLACES_MAX
    small_server = serve()
    small_server.told = {"max_model_len": 8192}
    small = ask(question, arbiter)
    [request] = small_server.requests
    assert 3000 < tokens_of(request.body) <= 6000
    assert small.ranking.status == "ran" and 0 < len(small.candidates) <= PLACES_MAX
    assert len(small.candidates) + len(small.left_out) == len(wide.candidates) + len(wide.left_out)
    assert small.toc_shown in request.body["input"] and len(small.toc_shown) < len(wide.toc_shown) + 1


def test_the_record_says_that_the_window_is_small(serve: Serve) -> None:
    serve().told = {"context_length": 8192}
    small = ask(QUESTIONS[0])
    flag = next(flag for flag in small.plan.flags if flag.name == "small_window")
    assert flag.on and flag.reason.startswith("8192 tokens: at most 12 places in ")
    exchange = small.ranking.exchange
    assert exchange and (exchange.prompt_name, exchange.prompt_version) == (SMALL_PROMPT.name, "3")


def test_a_small_window_is_told_which_words_stand_nowhere_and_what_the_nearest_passages_are(serve: Serve) -> None:
    """R58, R111: what the request names below the question, and what it is to do where nothing answers."""
    server = serve()
    server.told = {"max_model_len": 8192}
    small = ask("What is the deductible of the helicopter?")
    told = str(server.requests[-1].body["instructions"])
    assert small.question.nowhere == ("helicopter",)
    assert str(server.requests[-1].body["input"]).endswith('in any form searched: "helicopter"')
    assert "which of its words stand nowhere" in told
    assert "no passage is primary, and the one or two that come nearest are supporting" in told


def test_a_wide_window_changes_nothing(serve: Serve, settings: Settings) -> None:
    server = serve()
    ask(QUESTIONS[0])
    server.told = {"context_length": 128_000}
    settings.LLM_CONTEXT_TOKENS = 128_000
    result = ask(QUESTIONS[0])
    first, second = (request.body for request in server.requests)
    assert first == second and all(flag.name != "small_window" for flag in result.plan.flags)


@pytest.mark.parametrize("tokens", [8192, 0], ids=["small", "wide"])
def test_weak_json_is_read(serve: Serve, settings: Settings, tokens: int) -> None:
    """Fenced, with commas before closing brackets, without reasons and without what follows from the rest."""
    settings.LLM_CONTEXT_TOKENS = tokens
    server = serve("weak-json")
    result = ask(QUESTIONS[0])
    assert result.ranking.exchange and ",\n" in result.ranking.exchange.raw_reply
    assert len(server.requests) == 1
    assert (result.ranking.status, result.ranking.answerable, result.status) == ("ran", True, "found")
    assert result.kept()[0].quote.text


@pytest.mark.parametrize("tokens", [4096, 8192, 16_000, 20_000, 24_000, 32_000])
@pytest.mark.parametrize("arbiter", ["model", "hybrid"])
def test_no_request_has_more_than_seventy_per_cent_of_a_window(serve: Serve, tokens: int, arbiter: ArbiterName) -> None:
    """Also of one that is not small (R111): with 16,000 tokens the usual request would fill it."""
    server = serve()
    server.told = {"max_model_len": tokens}
    found = ask(QUESTIONS[1], arbiter)
    [request] = server.requests
    assert found.ranking.status == "ran" and tokens_of(request.body) <= 0.75 * tokens
