"""An own reranker over HTTP (R93b): a server of the common format that replies and fails as Infinity was seen to."""

from collections.abc import Iterator
from functools import partial

import pytest
from pytest_django import Settings

from llm import errors, rerank
from llm.exchange import Exchange
from tests.rerank_server import BROKEN, RerankServer, overloaded, serving

TEXTS = [
    "The landlord may enter with notice.",
    "Rent is due on the first day of each month.",
    "A deposit is due before the tenant moves in; the month is not counted.",
    "Nobody smokes.",
]


@pytest.fixture
def server(settings: Settings) -> Iterator[RerankServer]:
    with serving(key="own-key") as server:
        settings.RERANK_BASE_URL, settings.RERANK_API_KEY, settings.RERANK_MODEL = server.base_url, "own-key", "own"
        settings.RERANK_INSTRUCTIONS = "none"
        yield server


QUERY = "On which day is rent due each month?"


def ask(
    texts: list[str] = TEXTS, query: str = QUERY, instructions: str = "", version: str = "1", top: int = 3
) -> tuple[list[int], Exchange]:
    scored, exchange = rerank.rerank(query, texts, top=top, deadline_s=120, instructions=instructions, version=version)
    return [each.index for each in scored], exchange


def test_it_reads_question_and_text_together(server: RerankServer) -> None:
    order, exchange = ask()
    assert order[:2] == [1, 2] and len(order) == 3
    assert (exchange.outcome, exchange.model_returned, exchange.api) == ("ok", "own", "rerank")
    assert exchange.tokens_in and server.requests[0]["top_n"] == 3 and "instruction" not in server.requests[0]


@pytest.mark.parametrize(
    ("way", "query", "field"),
    [("none", "On which", None), ("query", "Prefer dates.\n\nOn which", None), ("field", "On which", "Prefer dates.")],
)
def test_instructions_go_the_way_the_reranker_takes_them(
    server: RerankServer, settings: Settings, way: str, query: str, field: str | None
) -> None:
    settings.RERANK_INSTRUCTIONS = way
    _, exchange = ask(instructions="Prefer dates.", version="7")
    assert server.requests[0]["query"].startswith(query) and server.requests[0].get("instruction") == field
    assert exchange.prompt_version == "7" and ("Prefer dates." in str(exchange.request)) is (way != "none")


def test_no_text_is_too_long_or_too_many(server: RerankServer) -> None:
    """(R93b) Two hundred texts longer than any passage, and blank ones among them, which no reranker takes amiss."""
    texts = ["", " ", "\0", *(f"The rent {number} is due. " * 2_000 for number in range(197))]
    order, exchange = ask(texts, top=20)
    sent = server.requests[0]["documents"]
    assert len(sent) == 200 and max(map(len, sent)) == rerank.TEXT_CHARACTERS_MAX and sent[:3] == ["-"] * 3
    assert len(set(order)) == 20 and exchange.tokens_in == sum(len(text) + len(QUERY) for text in sent)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (partial(ask, []), "(status 422). documents: List should have at least 1 item after validation, not 0"),
        (partial(ask, query="rent " * 30_000), "(status 422). query: String should have at most 122880 characters"),
        (partial(ask, top=0), "(status 422). top_n: Input should be greater than 0"),
    ],
)
def test_a_refusal_says_which_field_and_repeats_no_text(
    server: RerankServer, asked: partial[None], message: str
) -> None:
    """(R93b)"""
    with pytest.raises(errors.Rejected) as caught:
        asked()
    assert str(caught.value) == f"The model server rejected the request {message}"
    assert caught.value.permanent and caught.value.exchange.attempts == 1 and server.requests == []


def test_a_wrong_key_is_a_recorded_failure(server: RerankServer, settings: Settings) -> None:
    settings.RERANK_API_KEY = "another"
    with pytest.raises(errors.Rejected, match=r"does not accept the key \(status 401\)") as caught:
        ask()
    assert caught.value.exchange.outcome != "ok" and server.requests == []


@pytest.mark.parametrize(
    ("wrong", "path"), [("", "/rerank"), ("/v1/rerank", "/v1/rerank/rerank"), ("/v2/", "/v2/rerank")]
)
def test_a_wrong_path_is_said(server: RerankServer, settings: Settings, wrong: str, path: str) -> None:
    """(R93b) "Not Found" alone might be said of the model."""
    settings.RERANK_BASE_URL = server.base_url.removesuffix("/v1") + wrong
    with pytest.raises(errors.Rejected) as caught:
        ask()
    assert str(caught.value) == f"The model server rejected the request (status 404, {path}). Not Found"


def test_a_single_model_answers_under_any_name_and_the_record_has_its_own(
    server: RerankServer, settings: Settings
) -> None:
    """(R93b)"""
    settings.RERANK_MODEL = "another"
    order, exchange = ask()
    assert order[0] == 1 and (exchange.model, exchange.model_returned) == ("another", "own")


def test_of_several_models_an_unknown_one_is_refused(server: RerankServer, settings: Settings) -> None:
    """(R93b)"""
    server.models, settings.RERANK_MODEL = ("own", "second"), "third"
    with pytest.raises(errors.Rejected, match="`third` not found. Available model names are"):
        ask()


def test_a_busy_server_is_asked_again(server: RerankServer) -> None:
    """(R93b)"""
    server.failures = [overloaded(), (500, BROKEN)]
    order, exchange = ask()
    assert order[0] == 1 and exchange.attempts == 3


def test_a_server_that_stays_busy_or_broken_is_left_alone(server: RerankServer) -> None:
    """(R93b) What is no JSON is no reason to fail in another way."""
    server.failures = [overloaded()] * 4
    with pytest.raises(errors.RateLimited, match="model own is currently overloaded"):
        ask()
    server.failures = [(500, BROKEN)] * 4
    with pytest.raises(errors.ServerFailed, match=r"failed \(status 500\)"):
        ask()
    assert server.requests == []
