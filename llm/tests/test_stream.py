"""Streamed replies against the scripted server."""

import threading
from collections.abc import Callable, Iterator

import pytest

from llm import client, errors
from llm.conftest import Serve
from llm.models import LLMCall
from llm.prompts import Instructions
from llm.reuse import Replies, reusing

PROMPT = """<excerpt number="1" pages="4">Total revenue was 12 million in fiscal 2024.</excerpt>
<question>What was the total revenue in 2024?</question>"""
ANSWER = "The document says: Total revenue was 12 million in fiscal 2024. [1]."


def ask(*, deadline_s: float = 30.0, should_stop: Callable[[], bool] = lambda: False) -> client.Stream:
    return client.stream(
        instructions=Instructions("answer", "3", "Answer from the excerpts."),
        prompt=PROMPT,
        purpose="answer",
        deadline_s=deadline_s,
        should_stop=should_stop,
    )


@pytest.mark.parametrize(
    ("behaviour", "api", "attempts"),
    [
        ("good", "responses", 1),
        ("no-responses-api", "chat_completions", 2),
        ("no-stream-options", "chat_completions", 3),
    ],
)
def test_it_yields_the_pieces_as_they_come(serve: Serve, behaviour: str, api: str, attempts: int) -> None:
    server = serve(behaviour)
    stream = ask()
    pieces = list(stream)
    assert len(pieces) > 8 and "".join(pieces) == ANSWER
    exchange = stream.exchange
    assert (exchange.outcome, exchange.api, exchange.attempts) == ("ok", api, attempts)
    assert exchange.raw_reply == ANSWER and exchange.model_returned == "scripted-model-2026-11-01"
    assert exchange.request == server.requests[-1].body and exchange.request["stream"] is True


def test_it_shows_the_first_piece_before_the_last_is_written(serve: Serve) -> None:
    server = serve("good")
    server.hold = threading.Event()  # the server says no more until this is set
    pieces = iter(ask(deadline_s=60))
    first = next(pieces)
    server.hold.set()
    assert first + "".join(pieces) == ANSWER


def test_it_records_what_the_provider_counted(serve: Serve) -> None:
    serve("no-responses-api")
    stream = ask()
    pieces = list(stream)
    assert (stream.exchange.tokens_in, stream.exchange.tokens_out) == (1200, len(pieces))


def test_it_hides_a_reasoning_block_but_records_it(serve: Serve) -> None:
    serve("reasoning")
    stream = ask()
    assert "".join(stream) == ANSWER
    assert stream.exchange.raw_reply.startswith("<think>")


def test_it_stops_when_told_and_keeps_what_came(serve: Serve) -> None:
    server = serve("good")
    server.hold = threading.Event()
    seen: list[str] = []
    stream = ask(should_stop=lambda: len(seen) >= 2)
    seen += (piece for piece in stream if not seen.append(piece))  # type: ignore[func-returns-value]
    assert stream.exchange.outcome == "stopped" and stream.exchange.error == ""
    server.hold.set()
    assert 0 < len(stream.exchange.raw_reply) < len(ANSWER)


def test_it_stops_a_server_that_says_nothing(serve: Serve) -> None:
    serve("hang")
    looks = iter([False, False, True])
    stream = ask(should_stop=lambda: next(looks))
    assert list(stream) == []
    assert stream.exchange.outcome == "stopped"


def test_it_records_a_reader_who_left(serve: Serve) -> None:
    serve("good", pace_s=0.05)
    stream = ask()
    pieces = iter(stream)
    next(pieces)
    del pieces
    assert stream.exchange.outcome == "stopped"


@pytest.mark.parametrize(
    ("behaviour", "kind", "has_text"),
    [
        ("stream-cut", errors.Truncated, True),
        ("cut", errors.Truncated, True),
        ("stream-error", errors.ServerFailed, True),
        ("failed-response", errors.ServerFailed, True),
        ("refusing", errors.Refused, True),
        ("content-filter", errors.Refused, True),
        ("empty", errors.Malformed, False),
        ("html", errors.Malformed, False),
        ("huge", errors.Truncated, False),
        ("error-500", errors.ServerFailed, False),
        ("redirect", errors.Rejected, False),
        ("rate-limited-long", errors.RateLimited, False),
    ],
)
@pytest.mark.parametrize("first", ["responses", "chat"])
def test_it_names_each_failure_and_keeps_what_came(
    serve: Serve, behaviour: str, kind: type[errors.LLMError], has_text: bool, first: str
) -> None:
    server = serve("no-responses-api" if first == "chat" else "good")
    list(ask())
    if behaviour == "failed-response" and first == "chat":
        pytest.skip("only the Responses API has failed responses")
    server.behaviour = behaviour
    stream = ask()
    with pytest.raises(kind) as caught:
        list(stream)
    assert stream.exchange is caught.value.exchange
    assert stream.exchange.outcome == kind.outcome
    assert bool(stream.exchange.raw_reply) is has_text or behaviour == "html"


def test_it_does_not_begin_again_once_something_was_shown(serve: Serve) -> None:
    server = serve("stream-cut", "good")
    with pytest.raises(errors.Truncated):
        list(ask())
    assert len(server.requests) == 1


def test_it_tries_again_as_long_as_nothing_was_shown(serve: Serve) -> None:
    serve("overloaded", "good")
    assert "".join(ask()) == ANSWER


@pytest.mark.parametrize("behaviour", ["hang", "drip", "drip-headers"])
def test_it_keeps_the_deadline(serve: Serve, behaviour: str) -> None:
    serve(behaviour, pace_s=0.1)
    stream = ask(deadline_s=0.6)
    with pytest.raises(errors.DeadlinePassed):
        list(stream)
    assert stream.exchange.latency_ms > 500
    assert stream.exchange.outcome == "timeout" and stream.exchange.raw_reply == ""


def test_what_came_before_the_deadline_is_kept(serve: Serve) -> None:
    for deadline_s in (4.0, 60.0):  # within the first a machine that stands still may bring nothing
        serve("slow", pace_s=deadline_s / 10)
        stream = ask(deadline_s=deadline_s)
        with pytest.raises(errors.DeadlinePassed):
            list(stream)
        assert stream.exchange.outcome == "timeout"
        if stream.exchange.raw_reply:
            return
    pytest.fail("nothing that came was kept")


# ---- used again


@pytest.fixture
def reused_base(db: None) -> Iterator[None]:
    with reusing(Replies("a base", may_reuse=True)):
        yield


@pytest.mark.usefixtures("reused_base")
def test_an_equal_request_is_streamed_from_the_record(serve: Serve) -> None:
    """R108: the same text in pieces, without the reasoning, and nothing sent."""
    server = serve("reasoning")
    first = ask()
    shown = "".join(first)
    LLMCall.objects.record(first.exchange)
    again = ask()
    assert "".join(again) == shown == ANSWER and len(server.requests) == 1
    assert again.exchange.raw_reply == first.exchange.raw_reply and again.exchange.outcome == "ok"
    assert (again.exchange.attempts, again.exchange.tokens_in) == (0, 0) and "reused" in again.exchange.parameters


@pytest.mark.usefixtures("reused_base")
def test_one_that_is_stopped_before_it_begins_uses_nothing(serve: Serve) -> None:
    server = serve("good")
    first = ask()
    list(first)
    LLMCall.objects.record(first.exchange)
    stopped = ask(should_stop=lambda: True)
    assert list(stopped) == [] and stopped.exchange.outcome == "stopped" and len(server.requests) == 1
    assert "reused" not in stopped.exchange.parameters and stopped.exchange.raw_reply == ""


@pytest.mark.usefixtures("reused_base")
def test_a_server_without_a_temperature_is_asked_each_time(serve: Serve) -> None:
    server = serve("no-temperature")
    for _ in range(2):
        streamed = ask()
        assert "".join(streamed) == ANSWER and "temperature" not in streamed.exchange.parameters
        LLMCall.objects.record(streamed.exchange)
    assert len({request.body["input"] for request in server.requests}) == 1 and len(server.requests) == 3
