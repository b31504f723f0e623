"""A JSON body on its way: what is sent, what of it is recorded, and what becomes of a reply the reader refuses."""

import hashlib
import json
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from llm import errors
from llm.call import LLMServer
from llm.conftest import Serve
from llm.dialect import Body
from llm.embeddings.providers import read_vectors
from llm.exchange import request_digest
from llm.models import Spent
from llm.posting import Posting, digest_of
from llm.prices import parse_prices
from llm.rerank import read_scores
from llm.spending import paid_by
from tests.scripted_llm import ScriptedLLM

SECRET_TEXT = "Le loyer est dû le premier du mois – 漢字 🙂"
BODY: Body = {"model": "rerank-2.5", "query": "loyer", "documents": [SECRET_TEXT, "b"], "top_k": 2, "truncation": True}


def keep(told: Any) -> Any:
    return told


def send(server: ScriptedLLM, read: Any = keep, body: Body = BODY, path: str = "/rerank") -> Any:
    asked = Posting(LLMServer(server.base_url, "pa-secret"), path, body, read, purpose="rerank", deadline_s=120)
    return asked.send()


@pytest.mark.parametrize(
    ("texts", "characters"),
    [([], 0), ([""], 0), (["a", "bc"], 3), ([SECRET_TEXT], len(SECRET_TEXT)), (["x" * 100_000] * 3, 300_000)],
)
def test_texts_are_recorded_by_number_length_and_digest(texts: list[str], characters: int) -> None:
    digest = digest_of(texts)
    assert (digest["texts"], digest["characters"]) == (len(texts), characters)
    assert digest["sha256"] == hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()
    assert len(json.dumps(digest)) < 150


def test_texts_cut_in_another_place_or_order_have_another_digest() -> None:
    cuts = [["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc"], ["abc", ""]]
    assert len({digest_of(cut)["sha256"] for cut in cuts}) == len(cuts)


def test_the_body_goes_out_whole_and_the_record_repeats_no_text(serve: Serve) -> None:
    server = serve()
    told, exchange = send(server)
    assert server.requests[0].body == BODY and server.paths == ["/v1/rerank"]
    assert len(told["data"]) == 2
    assert "loyer est" not in repr(exchange) and "pa-secret" not in repr(exchange)
    assert exchange.request["documents"] == digest_of(BODY["documents"])
    assert {name: exchange.request[name] for name in ("model", "query", "top_k")} == {
        "model": "rerank-2.5",
        "query": "loyer",
        "top_k": 2,
    }
    assert exchange.request_sha256 == request_digest(exchange.request)
    assert (exchange.purpose, exchange.prompt_name, exchange.prompt_version) == ("rerank", "rerank", "1")
    assert (exchange.api, exchange.outcome, exchange.raw_reply) == ("rerank", "ok", "")
    assert exchange.parameters == {"deadline_s": 120} and exchange.tokens_out == 0


@pytest.mark.parametrize(
    ("path", "api"),
    [("/rerank", "rerank"), ("/embeddings/", "embeddings"), ("/a/very/long/way/to/it", "a/very/long/way/to/i")],
)
def test_a_path_is_recorded_as_far_as_its_column_is_wide(path: str, api: str) -> None:
    posting = Posting(LLMServer("http://x.example/v1", ""), path, BODY, keep, purpose="rerank", deadline_s=1)
    assert posting.exchange("ok").api == api


@pytest.mark.parametrize("error", [ValueError("no scores"), RecursionError()])
def test_a_reply_the_reader_refuses_is_malformed_and_kept(serve: Serve, error: Exception) -> None:
    server = serve()

    def refuse(told: Any) -> None:
        raise error

    with pytest.raises(errors.Malformed) as caught:
        send(server, refuse)
    assert caught.value.permanent and len(server.requests) == 1
    assert '"data"' in caught.value.exchange.raw_reply


@pytest.mark.parametrize("behaviour", ["unauthorized", "bad-request", "no-such-model"])
def test_a_refusal_is_not_taken_for_a_form_to_learn(serve: Serve, behaviour: str) -> None:
    server = serve(behaviour)
    with pytest.raises(errors.Rejected) as caught:
        send(server)
    assert len(server.requests) == 1 and "pa-secret" not in repr(caught.value.exchange)


def test_a_reply_after_a_failure_counts_both_requests(serve: Serve) -> None:
    server = serve("error-500", "good")
    _, exchange = send(server)
    assert exchange.attempts == len(server.requests) == 2 and exchange.outcome == "ok"


@pytest.mark.django_db(transaction=True)
def test_it_is_paid_like_a_question_and_not_sent_at_the_limit(serve: Serve, settings: Settings) -> None:
    server = serve()
    settings.LLM_PRICES = parse_prices('{"rerank-2.5": {"in": 1000, "out": 0}}')
    settings.SPENDING_LIMITS = {"base_day": Decimal("0.001")}
    with paid_by(7, "b-1"):
        send(server)
        spent = Spent.objects.get(payer="base:b-1").amount
        with pytest.raises(errors.LimitReached, match="this base") as caught:
            send(server)
    assert len(server.requests) == 1 and caught.value.exchange.attempts == 0
    assert spent > Decimal("0.001") and Spent.objects.get(payer="base:b-1").amount == spent


ROWS: list[Any] = [{"index": 0, "embedding": [1.0, 0.0]}, {"index": 1, "embedding": [0.0, 2.0]}]


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"data": {}},
        {"data": ROWS[:1]},
        {"data": [*ROWS, {"index": 2, "embedding": [1, 1]}]},
        {"data": [ROWS[0], ROWS[0]]},
        {"data": [ROWS[0], {"index": 1}]},
        {"data": [ROWS[0], {"index": 1, "embedding": [1.0]}]},
        {"data": [ROWS[0], {"index": 1, "embedding": ["a", "b"]}]},
        {"data": [ROWS[0], {"index": 1, "embedding": [None, None]}]},
        {"data": [ROWS[0], {"index": 1, "embedding": [float("nan"), 1.0]}]},
        {"data": [ROWS[0], {"index": 1, "embedding": [1e300, 1.0]}]},
        {"data": [ROWS[0], {"index": 1, "embedding": [{}, 1.0]}]},
        {"data": [ROWS[0], {"index": 1, "embedding": [10**400, 1.0]}]},
        {"data": [ROWS[0], {"index": [1], "embedding": [0.0, 1.0]}]},
        {"data": [ROWS[0], {"index": {}, "embedding": [0.0, 1.0]}]},
    ],
)
def test_vectors_that_are_none_are_a_value_error_and_nothing_else(told: Any) -> None:
    with pytest.raises(ValueError, match=r"vector"):
        read_vectors(told, 2, None)


@pytest.mark.parametrize(
    "rows",
    [
        None,
        {},
        [],
        [None],
        [{"index": 0}],
        [{"index": 2, "relevance_score": 1}],
        [{"index": -1, "relevance_score": 1}],
        [{"index": "0", "relevance_score": 1}],
        [{"index": True, "relevance_score": 1}],
        [{"index": 0, "relevance_score": "1"}],
        [{"index": 0, "relevance_score": True}],
        [{"index": 0, "relevance_score": float("nan")}],
        [{"index": 0, "relevance_score": float("inf")}],
        [{"index": 0, "relevance_score": 10**400}],
        [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 2}],
    ],
)
def test_scores_that_are_none_are_a_value_error_and_nothing_else(rows: Any) -> None:
    with pytest.raises(ValueError, match=r"score"):
        read_scores({"data": rows}, "data", 2)
