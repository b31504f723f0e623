"""What a call makes of a failure, without a server: its words, its record, and how long to wait for another try."""

import asyncio
import email.utils
import json
import ssl
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from pytest_django import Settings

from llm import call, errors
from llm.breaker import PAUSE_S, Breaker
from llm.call import Call, LLMServer, cause_of, host_of, retry_after_s, server_url
from llm.dialect import RESPONSES, Ask, Body
from llm.wire import ReplyTooLarge, wire
from tests.scripted_llm import ScriptedLLM

KEY = "sk-secret-key"
URL = "http://models.example:8000/v1"
OTHER_URL = "http://other.example/v1"
ASK = Ask("m-1", "Judge.", "Is it so?", {"type": "object"})


@pytest.fixture(autouse=True)
def fresh_servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What other tests found out about servers of the same address must not decide these."""
    for url in (URL, OTHER_URL):
        Breaker(url).succeeded()
    monkeypatch.setattr(call, "_lacks", {})
    monkeypatch.setattr(call, "BACKOFF_S", 0.0)
    yield


def make_call(*, deadline_s: float = 20.0, key: str = KEY) -> Call:
    return Call(ASK, "arbiter", "arbiter", "7", deadline_s, LLMServer(URL, key))


def refused(status: int, error: Any = None, retry_after: str | None = None) -> openai.APIStatusError:
    """The error the SDK makes of a server's refusal."""
    raw = json.dumps({"error": error}) if error is not None else ""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    response = httpx2.Response(status, text=raw, headers=headers, request=httpx2.Request("POST", URL))
    return openai.OpenAI(api_key="k", base_url=URL)._make_status_error_from_response(response)


def run(made: Call, failures: list[Exception | None]) -> tuple[errors.LLMError | None, int]:
    """The error a call ends with when its requests end in these ways, and the requests it sent."""
    sent: list[Body] = []

    async def receive(request: Body) -> None:
        sent.append(request)
        await asyncio.sleep(0)
        if failure := failures[min(len(sent), len(failures)) - 1]:
            raise failure

    try:
        asyncio.run(made.run(receive))
    except errors.LLMError as error:
        return error, len(sent)
    return None, len(sent)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://LOCALHOST:11434/v1", "localhost:11434"),
        ("https://user:p%40ss@models.example:443/v1?api-version=1", "models.example:443"),
        ("https://models.example:/v1", "models.example"),
        ("models.example/v1", ""),
        ("", ""),
    ],
)
def test_a_host_is_named_without_what_opens_it(url: str, host: str) -> None:
    assert host_of(url) == host


def test_the_configured_address_goes_before_the_usual_one(settings: Settings) -> None:
    settings.LLM_BASE_URL = ""
    assert server_url() == call.OPENAI_URL
    settings.LLM_BASE_URL = URL
    assert server_url() == URL


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        ("2.5", 2.5),
        ("-1", 0.0),
        ("-inf", 0.0),
        ("1e3", 1000.0),
        ("nan", None),
        ("soon", None),
        ("1,5", None),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0.0),
        ("Mon, 99 Foo 2026 99:99:99 GMT", None),
        # Dates that can be parsed and yet are none: no server may stop a call with its header.
        ("Mon, 01 Jan 99999 00:00:00 GMT", None),
        ("Mon, 01 Jan 2026 00:00:00 +99999999999999999999", 0.0),
    ],
)
def test_the_time_to_wait_is_read_where_it_can_be(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(refused(429, {"message": "slow"}, header)) == seconds


def test_a_date_to_wait_for_is_taken_in_its_own_time_zone() -> None:
    later = time.time() + 7200
    written = email.utils.formatdate(later + 3600, usegmt=True).replace("GMT", "+0100")
    seconds = retry_after_s(refused(503, None, written))
    assert seconds is not None and 3600 < seconds <= 7200
    assert retry_after_s(ValueError("no answer at all")) is None


def connection_error(cause: Exception | None, context: Exception | None = None) -> openai.APIConnectionError:
    error = openai.APIConnectionError(request=httpx2.Request("POST", URL))
    error.__cause__ = cause
    if cause is not None:
        cause.__context__ = context
    return error


def certificate_error() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("bad")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (connection_error(OSError("No route to host.")), "No route to host"),
        (connection_error(OSError("x" * 5000)), "x" * call.TOLD_MAX),
        (connection_error(OSError("tls"), certificate_error()), "CERTIFICATE refused: self-signed certificate"),
        (connection_error(None), "Connection error"),
        (openai.APITimeoutError(request=httpx2.Request("POST", URL)), "it did not answer in time"),
    ],
)
def test_why_no_connection_came_about(error: openai.APIConnectionError, told: str) -> None:
    assert cause_of(error) == told


@pytest.mark.parametrize(
    ("error", "kind", "permanent", "told"),
    [
        (refused(500), errors.ServerFailed, False, "status 500"),
        (refused(599, {"message": "odd"}), errors.ServerFailed, False, "odd"),
        (refused(408), errors.ServerFailed, False, "status 408"),
        (refused(409), errors.ServerFailed, False, "status 409"),
        (refused(429, {"message": "slow down"}), errors.RateLimited, False, "slow down"),
        (refused(429, {"message": "pay", "code": "insufficient_quota"}), errors.RateLimited, True, "pay"),
        (refused(302), errors.Rejected, True, "redirects"),
        (refused(401, {"message": f"Wrong key {KEY}"}), errors.Rejected, True, "does not accept the key (status 401)"),
        (refused(403, {"message": "no"}), errors.Rejected, True, "status 403"),
        (refused(400, {"message": "no", "code": "content_filter"}), errors.Refused, True, "content filter"),
        (refused(400, {"message": "maximum context length"}), errors.PromptTooLong, True, "too long"),
        (refused(418, {"message": "I am a teapot"}), errors.Rejected, True, "status 418). I am a teapot"),
        (refused(418, {"message": ["no words"]}), errors.Rejected, True, "rejected the request (status 418)."),
        (refused(418, {"detail": "I am a teapot"}), errors.Rejected, True, "status 418). I am a teapot"),
        (refused(422, {"detail": [{"loc": ["body", "n"], "msg": "no"}, {}]}), errors.Rejected, True, "422). n: no"),
        (refused(422, {"detail": [1, None, {"loc": 3}]}), errors.Rejected, True, "(status 422)."),
        (refused(422, {"detail": {"loc": 3}}), errors.Rejected, True, "(status 422)."),
        (connection_error(OSError("gone")), errors.Unreachable, False, "models.example:8000 cannot be reached: gone."),
        (connection_error(OSError("tls"), certificate_error()), errors.Unreachable, True, "self-signed"),
        (ReplyTooLarge(), errors.Truncated, True, "larger than 16 MB, or compressed"),
        (openai.APIError("Over", httpx2.Request("POST", URL), body=None), errors.ServerFailed, False, "Over"),
        (ValueError("not a reply"), errors.Malformed, True, "OpenAI-compatible"),
        (RecursionError(), errors.Malformed, True, "OpenAI-compatible"),
    ],
)
def test_each_failure_has_its_kind_and_says_whether_another_try_helps(
    error: Exception, kind: type[errors.LLMError], permanent: bool, told: str
) -> None:
    failure, sent = run(make_call(), [error])
    assert failure is not None and type(failure) is kind and told in str(failure)
    assert failure.permanent is permanent and sent == (1 if permanent else call.SOMEBODY_WAITS.tries)
    assert KEY not in repr(failure.exchange) and failure.exchange.attempts == sent


def test_a_long_message_of_a_server_is_cut_and_its_key_is_not_repeated() -> None:
    failure, _ = run(make_call(), [refused(418, {"message": f"{KEY} " + "blah " * 1000})])
    assert failure is not None and "[key]" in str(failure) and KEY not in str(failure)
    assert len(str(failure)) < call.TOLD_MAX + 100


def test_without_a_key_nothing_is_scrubbed() -> None:
    failure, _ = run(make_call(key=""), [refused(418, {"message": "abc"})])
    assert failure is not None and str(failure).endswith("abc")


def test_a_call_goes_on_after_failures_that_pass_and_counts_its_requests() -> None:
    made = make_call()
    assert run(made, [refused(500), refused(429, {"message": "slow"}, "0"), None]) == (None, 3)
    exchange = made.exchange("ok")
    assert (exchange.attempts, exchange.outcome, exchange.error) == (3, "ok", "")
    assert exchange.host == "models.example:8000" and exchange.parameters["deadline_s"] == 20.0


@pytest.mark.parametrize("asked", ["1e9", "inf", "60"])
def test_a_wait_past_the_deadline_is_not_begun(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("llm.call.asyncio.sleep", sleep)
    failure, sent = run(make_call(deadline_s=20), [refused(429, {"message": "later"}, asked)])
    assert type(failure) is errors.RateLimited and sent == 1
    assert not any(slept)


@pytest.mark.parametrize("deadline_s", [0.0, -1.0])
def test_a_deadline_that_has_passed_sends_nothing(deadline_s: float) -> None:
    failure, sent = run(make_call(deadline_s=deadline_s), [None])
    assert type(failure) is errors.DeadlinePassed
    assert sent <= 1 and failure.exchange.outcome == errors.DeadlinePassed.outcome


def test_a_lacking_server_is_asked_in_another_form_without_spending_a_try() -> None:
    made = make_call()
    lacks = [refused(400, {"message": f"unsupported {name}", "param": name}) for name in ("temperature", "store")]
    failure, sent = run(made, [*lacks, refused(404), *[refused(500)] * 9])
    assert type(failure) is errors.ServerFailed and sent == 3 + call.SOMEBODY_WAITS.tries
    assert {"temperature", "store", RESPONSES} == set(made._lacks)
    assert call._lacks == {}, "a server that never answered is not remembered"


def test_what_a_server_lacks_is_remembered_for_its_model_only() -> None:
    assert run(make_call(), [refused(404), None]) == (None, 2)
    assert "messages" in make_call().exchange("ok").request
    other = Call(Ask("m-2", "", "?"), "answer", "answer", "1", 5, LLMServer(URL, KEY))
    assert "input" in other.exchange("ok").request and other.exchange("ok").api == "responses"


# ---- how patient a call is (R109)


@pytest.mark.parametrize(
    ("persistence", "pauses"),
    [
        (call.SOMEBODY_WAITS, [0.4, 0.8, 1.6]),
        (call.NOBODY_WAITS, [2.0, 4.0, 8.0, 16.0, 32.0]),
        (call.NOBODY_WAITS._replace(tries=8), [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]),
    ],
)
def test_pauses_double_to_the_longest_with_a_jitter(
    persistence: call.Persistence, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six tries, 2 s doubling to 60 s, where nobody waits; four within a few seconds where somebody does (R109)."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(call, "BACKOFF_S", 0.4)
    monkeypatch.setattr(call, "Breaker", lambda url: Breaker(url, clock=lambda: 1000.0 * len(slept)))
    monkeypatch.setattr("llm.call.asyncio.sleep", sleep)
    made = Call(ASK, "annotation", "p", "1", 600.0, LLMServer(URL, KEY), persistence=persistence)
    failure, sent = run(made, [refused(500)])
    assert type(failure) is errors.ServerFailed and sent == persistence.tries
    waited = [each for each in slept if each]
    assert len(waited) == len(pauses)
    assert all(0.7 * usual <= each <= 1.3 * usual for each, usual in zip(waited, pauses, strict=True))


def test_where_nobody_waits_a_server_that_is_left_alone_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An outage of half a minute opens the breaker (L8), and must not cost a document its descriptions."""
    now = 0.0
    monkeypatch.setattr(call, "Breaker", lambda url: Breaker(url, clock=lambda: now))

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += 20

    for _ in range(5):
        Breaker(URL, clock=lambda: now).failed()
    failure, sent = run(make_call(), [None])
    assert type(failure) is errors.CircuitOpen and sent == 0, "somebody who waits is told at once"
    monkeypatch.setattr("llm.call.asyncio.sleep", sleep)
    made = Call(ASK, "annotation", "p", "1", 20.0, LLMServer(URL, KEY), persistence=call.NOBODY_WAITS)
    assert run(made, [None]) == (None, 1) and now > PAUSE_S


def test_a_prompt_that_is_too_long_is_never_sent_again() -> None:
    """Its own error, and permanent however patient the call is (R109)."""
    told = refused(400, {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"})
    made = Call(ASK, "annotation", "p", "1", 20.0, LLMServer(URL, KEY), persistence=call.NOBODY_WAITS)
    failure, sent = run(made, [told])
    assert type(failure) is errors.PromptTooLong and sent == 1


def test_two_calls_to_one_server_share_its_breaker_and_two_servers_do_not() -> None:
    run(make_call(), [refused(500)])
    run(make_call(), [refused(500)])
    failure, sent = run(make_call(), [None])
    assert type(failure) is errors.CircuitOpen and sent == 0
    other = Call(ASK, "arbiter", "arbiter", "7", 5, LLMServer(OTHER_URL, KEY))
    assert run(other, [None]) == (None, 1)


@pytest.mark.parametrize("error", [refused(401), refused(429, {"message": "slow"}, "60"), ValueError("prose")])
def test_a_server_that_answers_is_not_left_alone(error: Exception) -> None:
    for _ in range(20):
        run(make_call(), [error])
    assert Breaker(URL).allows()


def test_a_body_that_is_no_reply_is_kept_as_far_as_anybody_reads_it() -> None:
    with ScriptedLLM("html") as server:
        made = Call(ASK, "arbiter", "arbiter", "7", 20, LLMServer(server.base_url, KEY))
        with pytest.raises(errors.Malformed) as caught:
            made.wait(wire().submit(made.run(made.receive)))
    kept = caught.value.exchange.raw_reply
    assert kept.lstrip().startswith("<") and len(kept) <= call.UNREADABLE_MAX


def unreached() -> openai.APIConnectionError:
    error = openai.APIConnectionError(request=httpx2.Request("POST", URL))
    error.__cause__ = httpx2.ConnectError("refused")
    return error


@pytest.mark.parametrize("between", [refused(404), refused(500), None])
def test_a_server_that_was_reached_in_between_has_all_its_time_again(
    monkeypatch: pytest.MonkeyPatch, between: Exception | None
) -> None:
    """I02: what was reached and then failed is not what cannot be reached."""
    monkeypatch.setattr(call, "REACH_S", 3600.0)
    made, left = make_call(), []

    async def receive(request: Body) -> None:
        left.append(made._reach_s())
        overloaded = made.error(errors.ServerFailed, "overloaded", False)
        if failure := [unreached(), between or overloaded, None][len(left) - 1]:
            raise failure

    asyncio.run(made._send_until_answered(receive))
    assert left[0] == left[2] == 3600.0 > left[1]


def test_where_nobody_waits_each_try_has_its_time_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "REACH_S", 0.0)
    made = Call(ASK, "annotation", "p", "1", 600.0, LLMServer(URL, KEY), persistence=call.NOBODY_WAITS)
    assert run(made, [unreached(), unreached(), None]) == (None, 3)
    assert made._reach_s() == call.CONNECT_S
