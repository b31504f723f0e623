"""One call to a model: a request the server understands, bounded retries, the deadline, and the record."""

import asyncio
import email.utils
import math
import random
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
from django.conf import settings

from jobs.block import with_value
from llm import errors, reuse, spending
from llm.breaker import Breaker
from llm.dialect import (
    PATHS,
    Ask,
    Body,
    Lacks,
    Reply,
    StreamReader,
    api_of,
    format_of,
    is_filtered,
    is_too_long,
    missing_capability,
    read_reply,
    value_at,
    was_prompt_cut,
    write_request,
)
from llm.errors import LLMError
from llm.exchange import Exchange, clean_text, request_digest
from llm.models import LLMCall
from llm.pseudonyms.stand_ins import StandIns, stand_ins_for
from llm.recordings.recorded import RecordedReply, current_recording, find_recorded
from llm.reply import ReasoningFilter
from llm.spending import Booking
from llm.tiers import USUAL_REASONS, ChosenTier, is_refused
from llm.wire import REPLY_MAX_BYTES, ReplyTooLarge, wire

if TYPE_CHECKING:
    import openai

OPENAI_URL = "https://api.openai.com/v1"
BACKOFF_S = 0.4  # doubled after each try
JITTER = 0.3  # R109
CONNECT_S = 5.0 * settings.PATIENCE
# Of all tries that cannot connect, where somebody waits, so that it is said within 5 s (I01-I03).
REACH_S = 4.5 * settings.PATIENCE
STOP_POLL_S = 0.1
GRACE_S = 1.0 * settings.PATIENCE  # for the loop to notice a deadline before the waiting thread gives up
TOLD_MAX = 300  # characters kept of a server's own error message
UNREADABLE_MAX = 100_000  # characters kept of a body that is not a reply
BUSY_STATUSES = (408, 409)
NOTHING_SENT: dict[str, Any] = {"attempts": 0, "tokens_in": 0, "tokens_out": 0, "tokens_cached": 0}
NO_LONGER_ALLOWED = "This base chose the model {model}, which is no longer allowed; its owners choose another."

Receive = Callable[[Body], Awaitable[None]]

_lock = threading.Lock()
_is_unwanted: ContextVar[Callable[[], bool] | None] = ContextVar("is_unwanted", default=None)
_lacks: dict[tuple[str, str], Lacks] = {}  # what each server and model turned out not to support


class Persistence(NamedTuple):
    """How often a request is sent, and the pauses between: the first in units of BACKOFF_S, the longest in seconds.

    Whom the wait is for decides (R109); docs/benchmarks.md has what each is worth.
    """

    tries: int
    stretch: float
    longest_s: float
    waits_for_server: bool  # one that is left alone for failing (llm.breaker) counts as a failed try


SOMEBODY_WAITS = Persistence(4, 1.0, 5.0, False)  # within the deadline of L6
NOBODY_WAITS = Persistence(6, 5.0, 60.0, True)  # pauses of 2 s to 60 s
UNHURRIED_DEADLINE_S = 180.0 * settings.PATIENCE


def wanted_until(is_unwanted: Callable[[], bool]) -> AbstractContextManager[None]:
    """End the calls in the block, whatever they are for, once `is_unwanted`: it is asked ten times a second."""
    return with_value(_is_unwanted, is_unwanted)


class LLMServer(NamedTuple):
    """Where requests are sent, and the key."""

    base_url: str
    key: str


class Call:
    """One question to the model, from the first request to the stored exchange."""

    def __init__(
        self,
        ask: Ask,
        purpose: str,
        prompt_name: str,
        prompt_version: str,
        deadline_s: float,
        server: LLMServer | None = None,
        fragments: Sequence[str] = (),
        chosen: ChosenTier | None = None,
        persistence: Persistence = SOMEBODY_WAITS,
    ) -> None:
        self._fragments, self._chosen, self._persistence = list(fragments), chosen, persistence
        self.stand_ins = StandIns()
        self._hidden: dict[str, int] = {}  # how many of each kind have a stand-in
        self._ask = self._hide(ask)
        self._purpose, self._prompt_name, self._prompt_version = purpose, prompt_name, prompt_version
        self._deadline_s = deadline_s
        self._base_url, self._key = server or LLMServer(server_url(), settings.LLM_API_KEY)
        if settings.LLM_CONFIGURED:
            wire()  # the SDK is imported with the first one, which is no time of the server's
        self._started_at, self._started = datetime.now(UTC), time.monotonic()
        self._breaker = Breaker(self._base_url)
        with _lock:
            self._lacks = _lacks.get((self._base_url, ask.model), frozenset())
        self._request = self._write()
        self.reuse_key = reuse.key_of(self._ask, self._base_url, purpose)
        self._attempts = 0
        self._unreached_since: float | None = None
        self._reply = Reply()
        self._reader: StreamReader | None = None
        self._unreadable = ""
        self._booking: Booking | None = None

    # ---- in the caller's thread

    def check_configured(self) -> None:
        """Raises NotConfigured without a key or address, NotAllowed for a model that a base may no longer choose."""
        if current_recording():
            return
        if not settings.LLM_CONFIGURED:
            message = "No model is configured: set OPENAI_API_KEY or OPENAI_BASE_URL."
            raise self.error(errors.NotConfigured, message, True)
        if is_refused(self._ask.model):
            raise self.error(errors.NotAllowed, NO_LONGER_ALLOWED.format(model=self._ask.model), True)

    def recorded(self) -> RecordedReply | None:
        """The recorded reply where recorded ones stand for a model. Raises NotConfigured if there is none for this."""
        recording = current_recording()
        if recording is None:
            return None
        if kept := find_recorded(recording, self._ask, self._purpose):
            return kept
        raise self.error(errors.NotConfigured, "No reply is recorded for this request, and no model is asked.", True)

    def book(self) -> None:
        """Reserve the maximum cost of the call, if there are limits. Raises LimitReached, or Unwanted after Stop."""
        self._check_wanted()
        try:
            self._booking = spending.book(self._ask.model, len(self._ask.instructions) + len(self._ask.prompt))
        except spending.LimitUsedUp as reached:
            raise self.error(errors.LimitReached, str(reached), True) from None

    def settle(self) -> None:
        """Replace the reserved cost by the actual one."""
        if self._booking:
            reply = self.reply
            self._booking.settle(
                reply.tokens_in, reply.tokens_out, reply.tokens_cached, is_unanswered=not (reply.text or reply.model)
            )
            self._booking = None

    def wait(self, future: "Future[None]") -> None:
        """Wait for `run` to end; even if the loop hangs, not beyond the deadline. Raises Unwanted after Stop."""
        try:
            while not wait_for([future], STOP_POLL_S).done:
                self._check_wanted()
                if self.remaining_s() <= -GRACE_S:
                    raise self._deadline_passed()
            future.result()
        finally:
            future.cancel()  # which closes the connection

    def _check_wanted(self) -> None:
        is_unwanted = _is_unwanted.get()
        if is_unwanted and is_unwanted():
            raise self.error(errors.Unwanted, "The question was stopped before the model had replied.", True)

    def remaining_s(self) -> float:
        """Seconds until the deadline; negative once it has passed."""
        return self._started + self._deadline_s - time.monotonic()

    @property
    def reply(self) -> Reply:
        return self._reader.reply if self._reader else self._reply

    def error(self, kind: type[LLMError], message: str, permanent: bool) -> LLMError:
        """An error of this call, with its exchange."""
        message = self._scrub(message)
        return kind(message, permanent, self.exchange(kind.outcome, message))

    def exchange(self, outcome: str, error: str = "") -> Exchange:
        """The current record of this call."""
        reply = self.reply
        return Exchange(
            purpose=self._purpose,
            host=host_of(self._base_url),
            api=self._api,
            model=self._ask.model,
            prompt_name=self._prompt_name,
            prompt_version=self._prompt_version,
            parameters=self._parameters() | {"deadline_s": self._deadline_s} | self._pieces() | self._told_beside,
            request=self._request,
            request_sha256=request_digest(self._request),
            started_at=self._started_at,
            latency_ms=round((time.monotonic() - self._started) * 1000),
            attempts=self._attempts,
            outcome=outcome,
            error=error,
            model_returned=reply.model,
            response_id=reply.response_id,
            finish_reason=reply.finish_reason,
            raw_reply=self._scrub(reply.text or reply.refusal or self._unreadable),
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_cached=reply.tokens_cached,
            reuse_key=self.reuse_key,
            stand_ins=dict(self.stand_ins.originals),
        )

    def exchange_reused(self, earlier: LLMCall) -> Exchange:
        """The record of this call where an earlier one answers it; it is whole, so that either may be erased alone."""
        kept = ("api", "request", "request_sha256", "model_returned", "response_id", "finish_reason", "raw_reply")
        reused = {"call": str(earlier.pk), "on": f"{earlier.started_at:%Y-%m-%d}"}
        return replace(
            self.exchange("ok"),
            **NOTHING_SENT,
            **{name: getattr(earlier, name) for name in kept},
            parameters=earlier.parameters | self._told_beside | {"reused": reused},
            started_at=datetime.now(UTC),
        )

    def exchange_recorded(self, kept: RecordedReply) -> Exchange:
        """The record of this call where a recorded reply answers it: nothing was sent, to nobody."""
        exchange = self.exchange("ok")
        return replace(
            exchange,
            **NOTHING_SENT,
            host="",
            parameters=exchange.parameters | {"recorded": {"on": kept.on, "by": kept.model}},
            model_returned=f"{kept.model}, recorded {kept.on}",
            raw_reply=kept.text,
            reuse_key="",
        )

    @property
    def _told_beside(self) -> dict[str, object]:
        """The tier of the model and why it was chosen (R25), and how many of each kind have a stand-in."""
        told: dict[str, Any] = {"pseudonyms": self._hidden} if self._hidden else {}
        if self._chosen is None:
            return told
        tier, why = self._chosen
        return told | {"tier": {"name": tier, "why": why or USUAL_REASONS[tier]}}

    # ---- the dialect

    def _hide(self, ask: Ask) -> Ask:
        """The request as it may leave, with stand-ins where the base wants them."""
        if current_recording():
            return ask  # nothing leaves
        self.stand_ins = stand_ins_for(ask)
        self._hidden = self.stand_ins.counts
        return self.stand_ins.hide_ask(ask)

    @property
    def _api(self) -> str:
        return api_of(self._lacks)

    def _write(self) -> Body:
        return write_request(self._ask, self._lacks)

    def _parameters(self) -> dict[str, object]:
        sent = {key: self._request[key] for key in ("temperature", "store", "stream") if key in self._request}
        return sent | {"format": format_of(self._ask, self._lacks)}

    def _pieces(self) -> dict[str, object]:
        """What the instructions were made of, where they are not the same for every question (R79)."""
        return {"fragments": self._fragments} if self._fragments else {}

    def _missing(self, error: "openai.APIStatusError") -> str | None:
        return missing_capability(error, self._request, self._ask, self._lacks)

    # ---- in the event loop

    async def run(self, receive: Receive) -> None:
        """Let `receive` get the reply within the deadline. Raises LLMError."""
        try:
            async with asyncio.timeout(self.remaining_s()):
                await self._send_until_answered(receive)
        except TimeoutError:
            await asyncio.to_thread(self._breaker.failed)
            raise self._deadline_passed() from None
        except asyncio.CancelledError:
            self._breaker.abandoned()
            raise

    async def _send_until_answered(self, receive: Receive) -> None:
        """Send, adapted to features the server lacks, and again after a pause if it failed."""
        import openai

        tries, failure = 0, None
        while True:
            # What asks the breaker waits for Redis, and the loop is there for every other call too.
            if not await asyncio.to_thread(self._breaker.allows):
                message = "The model server failed repeatedly a moment ago and is left alone for some seconds."
                failure = failure or self.error(errors.CircuitOpen, message, False)
                if not self._persistence.waits_for_server:
                    raise failure
                tries += 1
                await self._pause(failure, tries, None)
                continue
            self._attempts += 1
            self._request = self._write()
            asked_s, began = None, time.monotonic()
            try:
                await receive(self._request)
            except LLMError as error:
                self._note_reach(error, began)
                failure = error
            except (openai.OpenAIError, ReplyTooLarge, ValueError, RecursionError) as error:
                self._note_reach(error, began)
                if await asyncio.to_thread(self._learns_from, error):
                    continue
                failure, asked_s = self._failure(error), retry_after_s(error)
            else:
                return await asyncio.to_thread(self._answered)
            tries += 1
            await asyncio.to_thread(self._count, failure)
            await self._pause(failure, tries, asked_s)

    async def receive(self, request: Body) -> None:
        """Send one request and read the whole reply."""
        response = await self._client().post(
            PATHS[api_of(self._lacks)], body=request, cast_to=httpx2.Response, options={"timeout": self._timeout()}
        )
        self._unreadable = response.text[:UNREADABLE_MAX]
        reply = read_reply(api_of(self._lacks), response.json())
        if reply is None:
            raise ValueError("not a reply of this API")
        self._reply = reply
        self._check(reply)

    async def receive_stream(self, request: Body, show: Callable[[str], None]) -> None:
        """Send one request and pass on each piece of text as it arrives, without reasoning blocks."""
        import openai

        self._reader, visible = StreamReader(api_of(self._lacks)), ReasoningFilter()
        events = await self._client().post(
            PATHS[api_of(self._lacks)],
            body=request,
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
            options={"timeout": self._timeout()},
        )
        async with events:
            async for event in events:
                if piece := visible.feed(self._reader.feed(event)):
                    show(piece)
        if rest := visible.rest():
            show(rest)
        if not self._reader.events:
            raise ValueError("not an event stream")
        self._check(self._reader.reply)
        if not self._reader.is_complete:
            message = "The connection to the model server ended half way through the reply."
            raise self.error(errors.Truncated, message, False)
        if not self._reader.reply.text:
            raise self.error(errors.Malformed, "The reply is empty.", True)

    def _check(self, reply: Reply) -> None:
        if reply.server_error:
            message = f"The model server failed while answering: {reply.server_error[:TOLD_MAX]}"
            raise self.error(errors.ServerFailed, message, False)
        if reply.is_refused:
            raise self.error(errors.Refused, "The model declined to answer.", True)
        if reply.is_cut:
            raise self.error(errors.Truncated, "The reply reached a length limit before it was complete.", True)
        if was_prompt_cut(self._ask, reply):
            message = (
                f"The model server read only {reply.tokens_in} tokens of a longer prompt: raise its context length."
            )
            raise self.error(errors.PromptTooLong, message, True)

    def _client(self) -> "openai.AsyncOpenAI":
        return wire().client(self._base_url, self._key)

    def _timeout(self) -> httpx2.Timeout:
        return httpx2.Timeout(max(self.remaining_s(), 0.001), connect=max(self._reach_s(), 0.001))

    def _note_reach(self, error: Exception, began: float) -> None:
        """Keep since when no try has connected, where somebody waits."""
        is_unreached = isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
        is_awaited = not self._persistence.waits_for_server
        self._unreached_since = (self._unreached_since or began) if is_unreached and is_awaited else None

    def _reach_s(self) -> float:
        """Seconds left to connect."""
        if self._unreached_since is None:
            return CONNECT_S if self._persistence.waits_for_server else REACH_S
        return self._unreached_since + REACH_S - time.monotonic()

    # ---- failures

    def _learns_from(self, error: Exception) -> bool:
        """Whether the error only means that the server lacks a feature; the next request then avoids it."""
        import openai

        if not isinstance(error, openai.APIStatusError):
            return False
        missing = self._missing(error)
        if missing is None:
            return False
        self._breaker.succeeded()
        self._lacks |= {missing}
        return True

    def _answered(self) -> None:
        self._breaker.succeeded()
        with _lock:  # only now: a server that is just starting may answer anything with 404
            _lacks[self._base_url, self._ask.model] = self._lacks

    def _count(self, failure: LLMError) -> None:
        is_outage = isinstance(failure, errors.Unreachable | errors.ServerFailed)
        (self._breaker.failed if is_outage else self._breaker.succeeded)()

    async def _pause(self, failure: LLMError, tries: int, asked_s: float | None) -> None:
        """Sleep before the next try, or raise the failure if another try is useless, unfair or too late."""
        if failure.permanent or self.reply.text or tries >= self._persistence.tries:
            raise failure
        usual_s = min(BACKOFF_S * self._persistence.stretch * 2 ** (tries - 1), self._persistence.longest_s)
        pause_s = usual_s * random.uniform(1 - JITTER, 1 + JITTER)
        if asked_s is not None and self._persistence.waits_for_server:
            pause_s = max(asked_s, pause_s)  # some servers ask for a second each time
        elif asked_s is not None:
            pause_s = asked_s
        if pause_s >= self.remaining_s() or self._unreached_since is not None and pause_s >= self._reach_s():
            raise failure
        await asyncio.sleep(pause_s)

    def _failure(self, error: Exception) -> LLMError:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._status_failure(error)
        if isinstance(error, openai.APIConnectionError):
            if self.reply.text:
                message = "The connection to the model server broke half way through the reply."
                return self.error(errors.Truncated, message, False)
            message = f"The model server {host_of(self._base_url)} cannot be reached: {cause_of(error)}."
            return self.error(errors.Unreachable, message, "CERTIFICATE" in message)
        if isinstance(error, ReplyTooLarge):
            message = f"The reply is larger than {REPLY_MAX_BYTES // 1_000_000} MB, or compressed, and was not read."
            return self.error(errors.Truncated, message, True)
        if isinstance(error, openai.APIError):
            message = f"The model server failed while answering: {error.message[:TOLD_MAX]}"
            return self.error(errors.ServerFailed, message, False)
        message = "The model server does not answer as an OpenAI-compatible server does."
        return self.error(errors.Malformed, message, True)

    def _status_failure(self, error: "openai.APIStatusError") -> LLMError:
        status, told = error.status_code, _provider_message(error)
        if status >= 500 or status in BUSY_STATUSES:
            return self.error(errors.ServerFailed, f"The model server failed (status {status}). {told}", False)
        if status == 429:
            is_quota = error.code == "insufficient_quota"
            return self.error(errors.RateLimited, f"The model server limits the rate of requests. {told}", is_quota)
        if status < 400:
            message = "The model server redirects to another address; configure the final one."
            return self.error(errors.Rejected, message, True)
        if status in (401, 403):  # the server's message may repeat the key
            return self.error(errors.Rejected, f"The model server does not accept the key (status {status}).", True)
        if is_filtered(error):
            return self.error(errors.Refused, f"A content filter stopped the request. {told}", True)
        if is_too_long(error):
            return self.error(errors.PromptTooLong, f"The prompt is too long for the model. {told}", True)
        place = f", {error.request.url.path}" if status == 404 else ""
        message = f"The model server rejected the request (status {status}{place}). {told}"
        return self.error(errors.Rejected, message, True)

    def _deadline_passed(self) -> LLMError:
        message = f"The model did not finish its reply within {self._deadline_s:g} s."
        return self.error(errors.DeadlinePassed, message, False)

    def _scrub(self, text: str) -> str:
        text = clean_text(text)
        return text.replace(self._key, "[key]") if self._key else text


def server_url() -> str:
    return settings.LLM_BASE_URL or OPENAI_URL


def host_of(url: str) -> str:
    """Host and port of an address, without any user and password."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or ""


def cause_of(error: "openai.APIConnectionError") -> str:
    """Why there was no connection, in the words of the operating system or the TLS library."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return "it did not answer in time"
    cause = error.__cause__
    below: BaseException | None = cause
    while below is not None:  # each layer of the client wraps the error of the one below
        if isinstance(below, ssl.SSLCertVerificationError):
            return f"CERTIFICATE refused: {below.verify_message}"
        below = below.__cause__ or below.__context__
    return str(cause or error.message)[:TOLD_MAX].rstrip(".")


def retry_after_s(error: Exception) -> float | None:
    """How long the server asks to wait, in seconds; None if not given or unreadable."""
    import openai

    if not isinstance(error, openai.APIStatusError):
        return None
    header = error.response.headers.get("retry-after", "")
    try:
        seconds = float(header)
    except ValueError:
        seconds = seconds_until(header)
    return max(seconds, 0.0) if not math.isnan(seconds) else None


def seconds_until(date: str) -> float:
    """The seconds from now to a date as headers write it, nan when it is none."""
    moment = email.utils.parsedate_tz(date)
    try:
        return email.utils.mktime_tz(moment) - time.time() if moment else math.nan
    except (ValueError, OverflowError):  # the year 99999 can be parsed, and has no place in time
        return math.nan


def _provider_message(error: "openai.APIStatusError") -> str:
    """What the server says of its error; of the faults of single fields not what was sent in them, which is long."""
    body = error.body
    told: Any = value_at(body, "message") or value_at(body, "error") or value_at(body, "detail") or ""
    if isinstance(told, list):
        told = "; ".join(
            f"{value_at(each, 'loc', -1)}: {value_at(each, 'msg')}" for each in told if value_at(each, "msg")
        )
    return told[:TOLD_MAX] if isinstance(told, str) else ""
