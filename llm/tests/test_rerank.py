"""Reranking by others, on the wire, in both forms."""

import pytest
from pytest_django import Settings

from llm import errors, rerank
from llm.conftest import Serve
from tests.scripted_llm import ScriptedLLM

TEXTS = ["Nobody may smoke here.", "The rent is due on the first day.", "The rent is 12 euros."]


@pytest.fixture
def server(serve: Serve, settings: Settings) -> ScriptedLLM:
    server = serve()
    settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY = server.base_url, "pa-voyage"
    settings.RERANK_MODEL, settings.RERANK_BASE_URL = "rerank-2.5", ""
    return server


def test_voyage_is_asked_in_its_own_form(server: ScriptedLLM) -> None:
    scored, exchange = rerank.rerank("When is the rent due?", TEXTS, top=2, deadline_s=120)
    assert [one.index for one in scored] == [1, 2] and scored[0].score > scored[1].score
    body = server.requests[0].body
    assert server.paths == ["/v1/rerank"] and body["top_k"] == 2 and "top_n" not in body
    assert body["documents"] == TEXTS and server.requests[0].headers["authorization"] == "Bearer pa-voyage"
    assert (exchange.purpose, exchange.outcome, exchange.model) == ("rerank", "ok", "rerank-2.5")
    assert exchange.request["documents"]["texts"] == 3 and exchange.tokens_in


def test_other_servers_are_asked_in_the_common_form(server: ScriptedLLM, settings: Settings) -> None:
    settings.RERANK_BASE_URL, settings.RERANK_API_KEY, settings.RERANK_MODEL = server.base_url, "", "bge"
    scored, _ = rerank.rerank("rent due", TEXTS, top=3, deadline_s=120)
    assert [one.index for one in scored] == [1, 2, 0]
    assert server.requests[0].body["top_n"] == 3 and server.requests[0].body["model"] == "bge"


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("unknown-ids", errors.Malformed),
        ("duplicate-ids", errors.Malformed),
        ("html", errors.Malformed),
        ("error-500", errors.ServerFailed),
        ("unauthorized", errors.Rejected),
        ("hang", errors.DeadlinePassed),
    ],
)
def test_a_bad_reply_ranks_nothing(server: ScriptedLLM, behaviour: str, kind: type[errors.LLMError]) -> None:
    server.behaviour = behaviour
    with pytest.raises(errors.LLMError) as caught:
        rerank.rerank("rent", TEXTS, top=3, deadline_s=0.5 if behaviour == "hang" else 120)
    assert type(caught.value) is kind


def test_it_says_what_is_missing(settings: Settings) -> None:
    settings.VOYAGE_API_KEY, settings.RERANK_BASE_URL = "", ""
    assert "DOCINTEL_RERANK_BASE_URL" in rerank.find_rerank_obstacle()
