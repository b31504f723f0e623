"""One exchange with a model in the trail: readable, and byte for byte for download."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from chat.models import PromptGuidance
from llm.exchange import request_digest
from llm.models import LLMCall


@dataclass(frozen=True)
class Message:
    """One message of a request, its text as the model read it."""

    role: str
    text: str


@dataclass(frozen=True)
class ExchangeView:
    """`is_intact`: the stored request still has the digest it was sent with.

    `is_erased`: its words are gone, with an example in it that was erased. `guidance` is what the base had added.
    """

    name: str  # the same in every language, and of no other exchange of the run
    purpose: str
    call: LLMCall
    messages: tuple[Message, ...]
    request: str
    reply: str
    is_indented: bool
    is_intact: bool
    is_erased: bool = False
    guidance: PromptGuidance | None = None


@dataclass(frozen=True)
class Cost:
    """The cost of a run's calls. `amounts` by currency; `unpriced` calls had no price when they were made."""

    amounts: dict[str, Decimal]
    unpriced: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int


def cost_of(exchanges: Sequence[ExchangeView]) -> Cost:
    amounts: dict[str, Decimal] = {}
    calls = [exchange.call for exchange in exchanges]
    charges = [getattr(call, "charge", None) for call in calls]
    for charge in filter(None, charges):
        amounts[charge.currency] = amounts.get(charge.currency, Decimal()) + charge.amount
    return Cost(
        amounts=amounts,
        unpriced=sum(
            charge is None and not (call.reused or call.recorded) for charge, call in zip(charges, calls, strict=True)
        ),
        tokens_in=sum(call.tokens_in or 0 for call in calls),
        tokens_cached=sum(call.tokens_cached or 0 for call in calls),
        tokens_out=sum(call.tokens_out or 0 for call in calls),
    )


def read_exchange(name: str, purpose: str, call: LLMCall, guidance: PromptGuidance | None = None) -> ExchangeView:
    reply = readable(call.raw_reply)
    return ExchangeView(
        name=name,
        purpose=purpose,
        call=call,
        messages=tuple(messages_of(call)),
        request=json.dumps(call.request, ensure_ascii=False, indent=2),
        reply=reply,
        is_indented=reply != call.raw_reply,
        is_intact=request_digest(call.request) == call.request_sha256,
        is_erased=not call.request and not call.request_sha256,
        guidance=guidance,
    )


def messages_of(call: LLMCall) -> list[Message]:
    """The texts of a request: `instructions` and `input` of the Responses API, or chat messages."""
    request = call.request
    found = [Message("system", request["instructions"])] if isinstance(request.get("instructions"), str) else []
    told = request.get("input", request.get("messages"))
    if isinstance(told, str):
        return [*found, Message("user", told)]
    for message in told if isinstance(told, list) else []:
        if isinstance(message, dict) and isinstance(message.get("content"), str):
            found.append(Message(str(message.get("role", "")), message["content"]))
    return found


def readable(reply: str) -> str:
    """A JSON reply indented, any other as it came."""
    try:
        return json.dumps(json.loads(reply), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return reply
