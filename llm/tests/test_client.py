"""The client against the scripted server: the real SDK on a real socket."""

import email.utils
import logging
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx2
import openai
import pydantic
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from llm import call, client, errors
from llm.call import wanted_until
from llm.conftest import Serve
from llm.exchange import Exchange, request_digest
from llm.prompts import Instructions

PROMPT = """<candidate id="S1-1">
methods: keywords
L10: Total revenue was 12 million in fiscal 2024.
L11: It rose.
</candidate>
<candidate id="S2-1">L90: The weather was fine.</candidate>
<question>What was the total revenue in 2024?</question>"""


class Verdict(pydantic.BaseModel):
    candidate_id: str
    role: str
    content_anchor: str = ""


class Ranking(pydantic.BaseModel):
    answerable: bool
    verdicts: list[Verdict]


def ask(prompt: str = PROMPT, *, deadline_s: float = 30.0) -> client.Completion[Ranking]:
    return client.complete(
        instructions=Instructions("arbiter", "7", "Judge every candidate."),
        prompt=prompt,
        reply_schema=Ranking,
        purpose="arbiter",
        deadline_s=deadline_s,
    )


def fail(*, deadline_s: float = 600.0) -> errors.LLMError:
    """The error of a call that must fail."""
    with pytest.raises(errors.LLMError) as caught:
        ask(deadline_s=deadline_s)
    return caught.value


def test_it_returns_the_reply_and_the_exchange(serve: Serve) -> None:
    server = serve()
    completion = ask()
    assert [(v.candidate_id, v.role) for v in completion.reply.verdicts] == [("S1-1", "primary"), ("S2-1", "discarded")]
    assert completion.reply.verdicts[0].content_anchor == "Total revenue was 12 million in fiscal 2024."
    exchange = completion.exchange
    assert exchange.outcome == "ok" and exchange.api == "responses" and exchange.attempts == 1
    assert (exchange.model, exchange.model_returned) == ("scripted-model", "scripted-model-2026-11-01")
    assert (exchange.tokens_in, exchange.tokens_cached) == (1200, 1024) and exchange.tokens_out
    assert exchange.response_id == "resp_scripted" and exchange.finish_reason == "completed"
    assert exchange.request == server.requests[0].body
    assert exchange.request_sha256 == request_digest(server.requests[0].body)


def test_stop_ends_the_wait_and_closes_the_connection(serve: Serve) -> None:
    server = serve("hang")
    with wanted_until(lambda: bool(server.requests)):
        error = fail()
        assert server.was_left.wait(60)
        assert isinstance(error, errors.Unwanted) and error.permanent and error.exchange.outcome == "stopped"
        assert isinstance(fail(), errors.Unwanted) and len(server.requests) == 1, "nothing more is sent after Stop"
    server.behaviour = "good"
    assert ask().exchange.outcome == "ok"


def test_it_sends_a_strict_schema_temperature_zero_and_asks_not_to_store(serve: Serve) -> None:
    """R51."""
    server = serve()
    ask()
    body = server.requests[0].body
    form = body["text"]["format"]
    assert form["type"] == "json_schema" and form["strict"] is True
    assert form["schema"]["additionalProperties"] is False
    assert form["schema"]["$defs"]["Verdict"]["required"] == ["candidate_id", "role", "content_anchor"]
    assert body["temperature"] == 0 and body["store"] is False
    assert server.requests[0].headers["authorization"] == "Bearer sk-secret-key"


@pytest.mark.parametrize(
    ("behaviour", "paths", "form", "left_out"),
    [
        ("no-responses-api", ["responses", "chat/completions"], "json_schema", "store"),
        ("responses-without-schema", ["responses", "chat/completions"], "json_schema", "store"),
        ("chat-json-mode-only", ["responses", "chat/completions", "chat/completions"], "json_object", "store"),
        ("text-only", ["responses", *["chat/completions"] * 3], "text", "response_format"),
        ("no-temperature", ["responses", "responses"], "json_schema", "temperature"),
        ("no-store", ["responses", "responses"], "json_schema", "store"),
    ],
)
def test_it_finds_the_form_a_server_understands_and_remembers_it(
    serve: Serve, behaviour: str, paths: list[str], form: str, left_out: str
) -> None:
    server = serve(behaviour)
    first = ask()
    assert server.paths == [f"/v1/{path}" for path in paths]
    assert first.exchange.attempts == len(paths)
    assert first.exchange.parameters["format"] == form
    assert left_out not in server.requests[-1].body
    assert first.reply == ask().reply
    assert len(server.requests) == len(paths) + 1


def test_it_writes_the_schema_into_the_prompt_where_the_server_knows_none(serve: Serve) -> None:
    server = serve("text-only")
    ask()
    system = server.requests[-1].body["messages"][0]["content"]
    assert system.startswith("Judge every candidate.") and '"candidate_id"' in system and "JSON" in system


def test_it_does_not_remember_what_an_unsuccessful_server_lacked(serve: Serve) -> None:
    server = serve("no-responses-api", "bad-request", "good")
    fail()
    ask()
    assert server.paths[-1] == "/v1/responses"


@pytest.mark.parametrize("behaviour", ["fenced", "reasoning", "two-objects", "nul"])
def test_it_reads_replies_with_something_around_the_object(serve: Serve, behaviour: str) -> None:
    serve(behaviour)
    completion = ask()
    assert [verdict.role for verdict in completion.reply.verdicts] == ["primary", "discarded"]
    assert "\x00" not in repr(completion)


@pytest.mark.parametrize(
    ("behaviour", "kind", "attempts", "told"),
    [
        ("malformed", errors.Malformed, 1, "broken or cut off"),
        ("wrong-schema", errors.Malformed, 1, "answerable"),
        ("prose", errors.Malformed, 1, "no JSON object"),
        ("empty", errors.Malformed, 1, "empty"),
        ("html", errors.Malformed, 1, "OpenAI-compatible"),
        ("garbage", errors.Malformed, 1, "OpenAI-compatible"),
        ("cut", errors.Truncated, 1, "length limit"),
        ("huge", errors.Truncated, 1, "16 MB"),
        ("compressed", errors.Truncated, 1, "compressed"),
        ("refusing", errors.Refused, 1, "declined"),
        ("content-filter", errors.Refused, 1, "declined"),
        ("unauthorized", errors.Rejected, 1, "key (status 401)"),
        ("no-such-model", errors.Rejected, 1, "does not exist"),
        ("bad-request", errors.Rejected, 1, "not to our liking"),
        ("redirect", errors.Rejected, 1, "redirects"),
        ("too-long", errors.PromptTooLong, 1, "8192"),
        ("no-quota", errors.RateLimited, 1, "quota"),
        ("rate-limited-long", errors.RateLimited, 1, "rate"),
        ("error-500", errors.ServerFailed, 4, "status 500"),
        ("overloaded", errors.ServerFailed, 4, "overloaded"),
        ("failed-response", errors.ServerFailed, 4, "It broke"),
        ("body-cut", errors.Unreachable, 4, "complete message body"),
    ],
)
def test_it_names_each_failure_and_keeps_the_exchange(
    serve: Serve, behaviour: str, kind: type[errors.LLMError], attempts: int, told: str
) -> None:
    server = serve(behaviour)
    error = fail()
    assert type(error) is kind and told in str(error)
    assert len(server.requests) == error.exchange.attempts == attempts
    assert error.exchange.outcome == kind.outcome and error.exchange.error == str(error)
    assert error.exchange.request == server.requests[-1].body


@pytest.mark.parametrize("behaviour", ["malformed", "cut", "prose", "html"])
def test_it_keeps_the_raw_reply_of_an_unusable_answer(serve: Serve, behaviour: str) -> None:
    serve(behaviour)
    assert len(fail().exchange.raw_reply) > 30


@pytest.mark.parametrize("behaviour", ["hang", "drip", "drip-headers", "slow"])
def test_it_keeps_the_deadline_whatever_the_server_does(serve: Serve, behaviour: str) -> None:
    serve(behaviour, pace_s=0.0 if behaviour != "slow" else 5.0)
    error = fail(deadline_s=0.6)
    assert isinstance(error, errors.DeadlinePassed) and error.exchange.outcome == "timeout"
    assert error.exchange.latency_ms > 550


def test_it_tries_again_when_the_server_recovers(serve: Serve) -> None:
    server = serve("error-500", "overloaded", "good")
    assert ask().exchange.attempts == 3
    assert len(server.requests) == 3


def test_it_waits_as_long_as_the_server_asks(serve: Serve) -> None:
    serve("rate-limited", "good")
    started = time.monotonic()
    assert ask().exchange.attempts == 2
    assert time.monotonic() - started >= 1.0


def test_it_does_not_wait_past_the_deadline(serve: Serve) -> None:
    server = serve("rate-limited-long", "good")
    error = fail(deadline_s=60)
    assert isinstance(error, errors.RateLimited) and len(server.requests) == 1


def test_it_does_not_follow_a_redirect(serve: Serve) -> None:
    server = serve("redirect")
    fail()
    assert server.paths == ["/v1/responses"]


@pytest.mark.parametrize(
    ("url", "told"),
    [("http://127.0.0.1:9/v1", "127.0.0.1:9"), ("http://nobody.invalid/v1", "nobody.invalid")],
)
def test_it_says_within_five_seconds_that_a_server_is_not_there(
    settings: Settings, pauses: list[float], url: str, told: str
) -> None:
    """I01, I02."""
    settings.LLM_BASE_URL, settings.LLM_CONFIGURED = url, True
    error = fail()
    assert isinstance(error, errors.Unreachable) and told in str(error)
    assert error.exchange.attempts == 4 and 0 < sum(pauses) < 5


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The names asked of a resolver that keeps silent until the test has ended."""
    asked: list[Any] = []
    is_over = threading.Event()

    def keep_silent(host: Any, *_args: Any, **_named: Any) -> list[Any]:
        asked.append(host)
        is_over.wait()
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    with monkeypatch.context() as patched:
        patched.setattr("socket.getaddrinfo", keep_silent)
        yield asked
        is_over.set()


def test_a_resolver_that_keeps_silent_is_waited_for_once_whoever_else_waits(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, lookups: list[Any]
) -> None:
    """I02: one deadline over all tries, and no thread is missing that other calls need."""
    assert call.REACH_S < 5 * settings.PATIENCE
    monkeypatch.setattr(call, "REACH_S", 2.0)  # within which forty threads begin also on a busy machine
    settings.LLM_BASE_URL, settings.LLM_CONFIGURED = "http://silent.example/v1", True
    with ThreadPoolExecutor(40) as people:
        found = list(people.map(lambda _: fail(deadline_s=60.0), range(40)))
    assert {type(error) for error in found} <= {errors.Unreachable, errors.CircuitOpen}
    unreached = [error for error in found if isinstance(error, errors.Unreachable)]
    assert unreached and {error.exchange.attempts for error in unreached} == {1}
    assert len(lookups) == len(unreached)


def test_tries_that_fail_to_connect_share_their_time_where_somebody_waits(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setattr(call, "REACH_S", 0.0)
    settings.LLM_BASE_URL, settings.LLM_CONFIGURED = "http://nobody.invalid/v1", True
    assert fail().exchange.attempts == 1 and not pauses


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses a call makes between its tries, which are nearly all the time it takes of its own; none is waited."""
    paused: list[float] = []

    async def sleep(seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr("llm.call.asyncio.sleep", sleep)
    return paused


def self_signed(folder: Path) -> Path:
    """A certificate for 127.0.0.1 with its key in one file, signed by nobody else."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(1))
    own = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = made.add_extension(own, critical=False).sign(key, hashes.SHA256())
    path = folder / "server.pem"
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(key.private_bytes(*form) + signed.public_bytes(serialization.Encoding.PEM))
    return path


def test_it_says_within_five_seconds_that_a_certificate_is_not_trusted(
    settings: Settings, pauses: list[float], tmp_path: Path
) -> None:
    """I03."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    settings.LLM_BASE_URL, settings.LLM_CONFIGURED = f"https://127.0.0.1:{server.server_port}/v1", True
    try:
        error = fail()
    finally:
        server.shutdown()
        server.server_close()
    assert isinstance(error, errors.Unreachable) and "CERTIFICATE refused: self-signed certificate" in str(error)
    assert sum(pauses) < 5


def test_it_leaves_a_failing_server_alone(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """L8: an outage is not made worse."""
    server = serve("error-500")
    for _ in range(20):
        error = fail()
    assert isinstance(error, errors.CircuitOpen) and error.exchange.attempts == 0
    assert len(server.requests) == 5
    monkeypatch.setattr("llm.breaker.PAUSE_S", 0.0)
    server.behaviour = "no-responses-api"  # the probe may have to find out the form first
    assert ask().exchange.outcome == "ok"


def test_it_says_when_no_model_is_configured(settings: Settings) -> None:
    settings.LLM_CONFIGURED = False
    error = fail()
    assert isinstance(error, errors.NotConfigured) and error.permanent
    assert error.exchange.request["input"] == PROMPT and error.exchange.attempts == 0


def test_it_never_shows_the_key(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for behaviour in ("echoes-key", "unauthorized", "error-500", "good"):
        serve(behaviour)
        try:
            shown: client.Completion[Ranking] | Exchange = ask()
        except errors.LLMError as error:
            shown = error.exchange
            assert "sk-secret-key" not in f"{error!r} {error.__cause__!r} {error.__context__!r}"
        assert "sk-secret-key" not in repr(shown)
    assert "sk-secret-key" not in caplog.text


def test_it_cleans_a_prompt_that_no_server_and_no_database_would_take(serve: Serve) -> None:
    server = serve()
    ask(PROMPT + "\x00\ud800")
    assert server.requests[0].body["input"] == PROMPT + "?"


def test_it_reports_whether_the_server_is_reachable(serve: Serve, settings: Settings) -> None:
    server = serve()
    assert client.reachable() is True
    server.models_status = 404
    assert client.reachable() is True
    server.models_status = 401
    assert "status 401" in str(client.reachable())
    settings.LLM_BASE_URL = "http://127.0.0.1:9/v1"
    assert "127.0.0.1:9 cannot be reached" in str(client.reachable())
    settings.LLM_CONFIGURED = False
    assert client.reachable() is False


def test_it_gives_up_on_a_silent_server_after_two_seconds(
    serve: Serve, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.REACHABLE_S == 2 * settings.PATIENCE
    monkeypatch.setattr(client, "REACHABLE_S", 0.5)
    serve("hang")
    assert "did not answer within 0.5 s" in str(client.reachable())


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://user:pass@models.example/v1", "models.example"), ("http://[::1]:8000/v1", "::1:8000")],
)
def test_it_records_the_host_without_credentials(url: str, host: str) -> None:
    assert call.host_of(url) == host


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [("3", 3, 3), ("0.5", 0.5, 0.5), ("-4", 0, 0), ("inf", 1e9, float("inf")), ("in-an-hour", None, None)],
)
def test_it_reads_how_long_to_wait(header: str, low: float | None, high: float | None) -> None:
    response = httpx2.Response(429, headers={"retry-after": header}, request=httpx2.Request("POST", "http://x"))
    seconds = call.retry_after_s(openai.RateLimitError("slow down", response=response, body=None))
    assert seconds is None if low is None else low <= (seconds or 0) <= (high or 0)


def test_it_reads_a_date_to_wait_until() -> None:
    moment = email.utils.formatdate(time.time() + 3600, usegmt=True)
    response = httpx2.Response(503, headers={"retry-after": moment}, request=httpx2.Request("POST", "http://x"))
    seconds = call.retry_after_s(openai.InternalServerError("busy", response=response, body=None))
    assert seconds is not None and 3000 < seconds <= 3600
