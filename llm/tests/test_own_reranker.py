"""An own reranker over HTTP (R93b): a real server of the common format, with a cross-scorer behind it."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from llm import errors, rerank
from llm.exchange import Exchange
from tests.rerank_server import RerankServer, serving

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


def ask(instructions: str = "", version: str = "1") -> tuple[list[int], Exchange]:
    scored, exchange = rerank.rerank(
        "On which day is rent due each month?", TEXTS, top=3, deadline_s=10, instructions=instructions, version=version
    )
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


def test_a_server_that_refuses_is_a_recorded_failure(server: RerankServer, settings: Settings) -> None:
    settings.RERANK_API_KEY = "another"
    with pytest.raises(errors.Rejected) as caught:
        ask()
    assert caught.value.exchange.outcome != "ok" and server.requests == []
