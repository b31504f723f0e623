"""Exchanges with a model as shown: texts of either API, hostile replies, costs by currency, bytes of the request."""

import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from audit.trail.exchanges import (
    Cost,
    ExchangeView,
    Message,
    cost_of,
    messages_of,
    read_exchange,
    readable,
)
from llm.exchange import request_bytes, request_digest
from llm.models import LLMCall


def call(request: Any, reply: str = "fine", **fields: Any) -> LLMCall:
    return LLMCall(request=request, raw_reply=reply, request_sha256=request_digest(request), **fields)


@pytest.mark.parametrize(
    ("request_sent", "messages"),
    [
        ({"instructions": "Judge.", "input": "This."}, [("system", "Judge."), ("user", "This.")]),
        ({"input": "This."}, [("user", "This.")]),
        (
            {"messages": [{"role": "system", "content": "A"}, {"role": "user", "content": "B"}]},
            [("system", "A"), ("user", "B")],
        ),
        ({"instructions": "A", "input": [{"role": "user", "content": "B"}]}, [("system", "A"), ("user", "B")]),
        ({"messages": [{"content": "B"}]}, [("", "B")]),
        ({"messages": [{"role": None, "content": ""}]}, [("None", "")]),
        ({"messages": [{"role": "user", "content": [{"type": "image"}]}, "text", None, 7]}, []),
        ({"messages": {"role": "user"}}, []),
        ({"instructions": 7, "input": None}, []),
        ({}, []),
    ],
)  # fmt: skip
def test_the_texts_of_a_request(request_sent: dict[str, Any], messages: list[tuple[str, str]]) -> None:
    assert messages_of(call(request_sent)) == [Message(role, text) for role, text in messages]


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ('{"a":"é"}', '{\n  "a": "é"\n}'),
        ("[]", "[]"),
        ("7", "7"),
        ("", ""),
        ("not JSON", "not JSON"),
        ('{"a":1} and more', '{"a":1} and more'),
        ("<script>", "<script>"),
        ("[" * 200_000, "[" * 200_000),  # a reply no parser gets to the end of is shown as it came
        ('{"a":' * 5_000 + "1" + "}" * 5_000, '{"a":' * 5_000 + "1" + "}" * 5_000),
    ],
    ids=["object", "list", "number", "empty", "text", "rest", "markup", "deep and open", "deep"],
)
def test_a_reply_is_indented_or_shown_as_it_came(reply: str, shown: str) -> None:
    assert readable(reply) == shown


@pytest.mark.parametrize("request_sent", [{"b": 1, "a": "é"}, {}, {"a": [1, {"z": None, "b": "\u2028"}]}])
def test_the_bytes_to_take_away_have_the_digest_it_was_sent_with(request_sent: dict[str, Any]) -> None:
    assert (
        request_bytes(request_sent)
        == json.dumps(request_sent, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    )
    shown = read_exchange("arbiter", "judging", call(request_sent))
    assert shown.is_intact and json.loads(shown.request) == request_sent


def test_a_request_that_was_altered_is_not_intact() -> None:
    sent = call({"input": "a"}, '{"b":1}')
    sent.request["input"] = "b"
    shown = read_exchange("arbiter", "judging", sent)
    assert not shown.is_intact and shown.is_indented and shown.purpose == "judging"
    assert not read_exchange("arbiter", "judging", call({}, "plain")).is_indented


def view(amount: str = "", currency: str = "USD", is_reused: bool = False, **tokens: int | None) -> ExchangeView:
    charge = SimpleNamespace(currency=currency, amount=Decimal(amount)) if amount else None
    reused = {"call": "another", "on": "2026-11-23"} if is_reused else {}
    counted = {"tokens_in": None, "tokens_out": None, "tokens_cached": None} | tokens
    made = SimpleNamespace(reused=reused, recorded={}, **counted)
    if charge:
        made.charge = charge
    return ExchangeView("x", "x", made, (), "", "", False, True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("exchanges", "cost"),
    [
        ([], Cost({}, 0, 0, 0, 0)),
        ([view()], Cost({}, 1, 0, 0, 0)),
        ([view(is_reused=True)], Cost({}, 0, 0, 0, 0)),
        ([view("0.10"), view("0.20")], Cost({"USD": Decimal("0.30")}, 0, 0, 0, 0)),
        ([view("1"), view("2", "EUR"), view()], Cost({"USD": Decimal(1), "EUR": Decimal(2)}, 1, 0, 0, 0)),
        ([view(tokens_in=5, tokens_out=2), view(tokens_in=1, tokens_cached=4)], Cost({}, 2, 6, 4, 2)),
        ([view("0", tokens_in=0)], Cost({"USD": Decimal(0)}, 0, 0, 0, 0)),
    ],
)
def test_what_the_calls_came_to(exchanges: list[ExchangeView], cost: Cost) -> None:
    assert cost_of(exchanges) == cost
