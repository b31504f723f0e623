"""The only access to a model: one structured reply, or one streamed text, within a wall-clock deadline.

In every case the caller gets an `Exchange` to store: on the result, or on the `LLMError`.
"""

import queue
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

import pydantic
from django.conf import settings

from llm.call import GRACE_S, SOMEBODY_WAITS, STOP_POLL_S, Call, Persistence, cause_of, host_of, server_url
from llm.dialect import Ask
from llm.errors import LLMError, Malformed
from llm.exchange import Exchange, clean_text, note_exchange
from llm.prompts import Instructions
from llm.pseudonyms.stand_ins import StreamedPutBack
from llm.recordings.recorded import current_recording
from llm.reply import ReasoningFilter, ReplyError, parse_reply, strict_schema
from llm.reuse import find_earlier
from llm.tiers import NAMED_MODEL, ChosenTier, Tier, model_for
from llm.window import fetch_models
from llm.wire import ReplyTooLarge, wire

REACHABLE_S = 2.0 * settings.PATIENCE

ReplyT = TypeVar("ReplyT", bound=pydantic.BaseModel)


@dataclass(frozen=True)
class Completion(Generic[ReplyT]):
    """A reply that matches its schema, with its exchange."""

    reply: ReplyT
    exchange: Exchange


def complete(
    *,
    instructions: Instructions,
    prompt: str,
    reply_schema: type[ReplyT],
    purpose: str,
    deadline_s: float,
    tier: Tier = "normal",
    why: str = "",
    model: str = "",
    persistence: Persistence = SOMEBODY_WAITS,
) -> Completion[ReplyT]:
    """One reply matching `reply_schema`, within `deadline_s` seconds. Raises LLMError, with the exchange.

    `model` is used instead of the configured one of the tier, on the same server; `why` the call has its tier goes to
    the record. An equal request may get the reply it had (R108), see llm.reuse.
    """
    ask = Ask(model or model_for(tier), clean_text(instructions.text), clean_text(prompt), strict_schema(reply_schema))
    chosen = ChosenTier(tier, NAMED_MODEL if model else why)
    call = Call(ask, purpose, *instructions[:2], deadline_s, chosen=chosen, persistence=persistence)
    try:
        completion = complete_call(call, reply_schema)
    except LLMError as error:
        note_exchange(error.exchange)
        raise
    note_exchange(completion.exchange)
    return completion


def complete_call(call: Call, reply_schema: type[ReplyT]) -> Completion[ReplyT]:
    """The reply to a call: recorded, used again, or asked for. Raises LLMError."""
    call.check_configured()
    if kept := call.recorded():
        return Completion(parse_reply(kept.text, reply_schema), call.exchange_recorded(kept))
    if earlier := find_earlier(call.reuse_key):
        with suppress(ReplyError):  # of a version that read replies in another way
            reply = parse_reply(earlier.raw_reply, reply_schema, call.stand_ins.put_back)
            return Completion(reply, call.exchange_reused(earlier))
    call.book()
    try:
        call.wait(wire().submit(call.run(call.receive)))
        reply = parse_reply(call.reply.text, reply_schema, call.stand_ins.put_back)
    except ReplyError as error:
        raise call.error(Malformed, str(error), True) from error
    finally:
        call.settle()
    return Completion(reply, call.exchange("ok"))


def stream(
    *,
    instructions: Instructions,
    prompt: str,
    purpose: str,
    deadline_s: float,
    should_stop: Callable[[], bool],
    tier: Tier = "normal",
    why: str = "",
    fragments: Sequence[str] = (),
) -> "Stream":
    """A reply in pieces of text as they arrive; nothing is sent before iteration starts.

    An equal request may get the reply it had, line by line and at once, see llm.reuse. `fragments` names the pieces the
    instructions are made of beside their fixed part, for the record.
    """
    ask = Ask(model_for(tier), clean_text(instructions.text), clean_text(prompt))
    chosen = ChosenTier(tier, why)
    call = Call(ask, purpose, *instructions[:2], deadline_s, fragments=fragments, chosen=chosen)
    return Stream(call, should_stop)


class Stream:
    """The pieces of one streamed reply: iterate once, then read `exchange`.

    Stopped by `should_stop`, it just ends, with the outcome "stopped"; failures raise LLMError after the pieces.
    """

    def __init__(self, call: Call, should_stop: Callable[[], bool]) -> None:
        self._call = call
        self._should_stop = should_stop
        self._exchange: Exchange | None = None

    @property
    def exchange(self) -> Exchange:
        """The record of the exchange; during the reply, as far as it has come."""
        return self._exchange or self._call.exchange("stopped")

    def __iter__(self) -> Iterator[str]:
        put_back = StreamedPutBack(self._call.stand_ins)
        failure: LLMError | None = None
        with closing(self._receive()) as pieces:
            try:
                for piece in pieces:
                    if shown := put_back.feed(piece):
                        yield shown
            except LLMError as error:
                failure = error
        if rest := put_back.rest():
            yield rest
        if failure:
            raise failure

    def _receive(self) -> Generator[str]:
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        future: Future[None] | None = None
        try:
            self._call.check_configured()
            if kept := self._call.recorded():
                yield from self._again(kept.text, self._call.exchange_recorded(kept))
                return
            if earlier := find_earlier(self._call.reuse_key):
                yield from self._again(earlier.raw_reply, self._call.exchange_reused(earlier))
                return
            self._call.book()
            future = wire().submit(self._call.run(lambda request: self._call.receive_stream(request, pieces.put)))
            future.add_done_callback(lambda _: pieces.put(None))
            is_stopped = yield from self._pieces(pieces)
            if not is_stopped:
                self._call.wait(future)
                self._exchange = self._call.exchange("ok")
        except LLMError as error:
            self._exchange = error.exchange
            raise
        finally:
            if future is not None:
                future.cancel()
            self._exchange = self.exchange
            note_exchange(self._exchange)
            self._call.settle()

    def _again(self, text: str, exchange: Exchange) -> Iterator[str]:
        """Yield a reply that was given before, as it was shown then."""
        if self._should_stop():
            return
        self._exchange, visible = exchange, ReasoningFilter()
        for line in text.splitlines(keepends=True):
            if shown := visible.feed(line):
                yield shown
        if rest := visible.rest():
            yield rest

    def _pieces(self, pieces: "queue.SimpleQueue[str | None]") -> Generator[str, None, bool]:
        """Yield until the reply has ended; return whether it was stopped."""
        asked_at = 0.0
        while self._call.remaining_s() > -GRACE_S:
            if time.monotonic() - asked_at >= STOP_POLL_S:  # asking may cost a query
                if self._should_stop():
                    return True
                asked_at = time.monotonic()
            try:
                piece = pieces.get(timeout=STOP_POLL_S)
            except queue.Empty:
                continue
            if piece is None:
                return False
            yield piece
        return False


def is_configured() -> bool:
    """Whether a key or an address of a model server is set, or recorded replies stand for a model."""
    return bool(settings.LLM_CONFIGURED) or current_recording() is not None


def reachable() -> bool | str:
    """True if the server answers within 2 s, False if none is configured, else one sentence on the problem."""
    if not settings.LLM_CONFIGURED:
        return False
    import openai

    host = host_of(server_url())
    try:
        wire().submit(fetch_models(REACHABLE_S)).result(REACHABLE_S + GRACE_S)
    except TimeoutError:
        return f"The model server {host} did not answer within {REACHABLE_S:g} s."
    except openai.APIConnectionError as error:
        return f"The model server {host} cannot be reached: {cause_of(error)}."
    except openai.APIStatusError as error:
        # Gateways without a list of models still answer.
        is_alive = error.status_code in (404, 405, 501)
        return is_alive or f"The model server {host} answers with status {error.status_code}."
    except (openai.OpenAIError, ReplyTooLarge, ValueError):
        return f"The model server {host} does not answer as an OpenAI-compatible server does."
    return True
