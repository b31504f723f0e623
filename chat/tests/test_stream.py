"""The events of a turn over a real Redis: order, resuming, endings, pings."""

import asyncio
import itertools
import json
import threading
import time
import uuid
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from pytest_django import Settings

from chat import stream
from jobs import silence

TICKS = 60  # turns of the event loop: the first entries have been read in fewer
PATIENCE_S = 200  # reached only where a stream does not end


async def always() -> bool:
    return True


async def frames_of(source: AsyncIterator[bytes], count: int | None = None) -> list[str]:
    """The frames of a stream, or its first ones; a loop that ends here takes its connection with it."""
    frames: list[str] = []
    async for frame in source:
        frames.append(frame.decode())
        if count is not None and len(frames) == count:
            break
    await stream.reader_client().aclose()
    return frames


def events_of(frames: list[str]) -> list[tuple[str, str, dict[str, object]]]:
    """(id, type, data) of each frame that is an event."""
    events = []
    for frame in frames:
        fields = dict(line.split(": ", 1) for line in frame.strip().splitlines() if ": " in line)
        if "event" in fields:
            events.append((fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return events


def test_it_replays_every_event_in_order_and_ends() -> None:
    turn_id = uuid.uuid4()
    stream.publish_event(turn_id, "stage", name="parsed", detail="3 keywords")
    for number in range(150):
        stream.publish_event(turn_id, "token", text=f"t{number}\n")
    stream.publish_event(turn_id, "done")
    events = events_of(asyncio.run(frames_of(stream.follow(turn_id, "0", is_ended=False, may_go_on=always))))
    assert [event[1] for event in events] == ["stage", *["token"] * 150, "done"]
    assert [event[2]["text"] for event in events[1:-1]] == [f"t{number}\n" for number in range(150)]


def test_it_continues_exactly_after_the_last_event_seen() -> None:
    turn_id = uuid.uuid4()
    for number in range(10):
        stream.publish_event(turn_id, "token", text=str(number))
    stream.publish_event(turn_id, "done")
    seen = events_of(asyncio.run(frames_of(stream.follow(turn_id, "0", is_ended=False, may_go_on=always), count=5)))
    rest = events_of(asyncio.run(frames_of(stream.follow(turn_id, seen[-1][0], is_ended=False, may_go_on=always))))
    assert [event[2].get("text") for event in seen + rest] == [*map(str, range(10)), None]


def test_it_reads_what_is_written_while_it_waits() -> None:
    turn_id = uuid.uuid4()

    async def write_and_read() -> list[str]:
        reading = asyncio.create_task(frames_of(stream.follow(turn_id, "0", is_ended=False, may_go_on=always)))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(stream.publish_event, turn_id, "token", text="late")
        await asyncio.to_thread(stream.publish_event, turn_id, "done")
        return await asyncio.wait_for(reading, 60)

    assert [event[1] for event in events_of(asyncio.run(write_and_read()))] == ["token", "done"]


def test_it_ends_whenever_its_reader_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """At each turn of the loop: `asyncio.wait_for` loses what is cancelled in one of them."""
    monkeypatch.setattr(stream, "READ_COUNT", 1)
    turn_id = uuid.uuid4()
    for _ in range(TICKS):
        stream.publish_event(turn_id, "token", text="word ")

    async def leave_after(ticks: int) -> bool:
        reading = asyncio.create_task(frames_of(stream.follow(turn_id, "0", is_ended=False, may_go_on=always)))
        for _ in range(ticks):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait({reading}, timeout=PATIENCE_S)
        return reading.cancelled()

    async def leave() -> int:
        ticks = 0
        while ticks < TICKS and await leave_after(ticks):
            ticks += 1
        await stream.reader_client().aclose()
        return ticks

    assert asyncio.run(leave()) == TICKS


def test_it_pings_while_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PING_MS", 20)
    frames = asyncio.run(frames_of(stream.follow(uuid.uuid4(), "0", is_ended=False, may_go_on=always), count=3))
    assert frames[1:] == [": ping\n\n", ": ping\n\n"]


def test_it_says_done_when_the_stream_of_an_ended_turn_is_gone() -> None:
    events = events_of(asyncio.run(frames_of(stream.follow(uuid.uuid4(), "0", is_ended=True, may_go_on=always))))
    assert events == [("", "done", {})]


def test_it_ends_when_the_ending_was_seen_already() -> None:
    turn_id = uuid.uuid4()
    stream.publish_event(turn_id, "done")
    seen = events_of(asyncio.run(frames_of(stream.follow(turn_id, "0", is_ended=True, may_go_on=always))))
    again = events_of(asyncio.run(frames_of(stream.follow(turn_id, seen[-1][0], is_ended=True, may_go_on=always))))
    assert [event[1] for event in seen + again] == ["done", "done"]


def test_it_closes_a_connection_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PING_MS", 10)
    monkeypatch.setattr(stream, "CONNECTION_S", 30)
    clock = itertools.count()  # a second later each time it is looked at
    monkeypatch.setattr(stream, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    frames = asyncio.run(frames_of(stream.follow(uuid.uuid4(), "0", is_ended=False, may_go_on=always)))
    assert set(frames[1:]) == {": ping\n\n"} and len(frames) < stream.CONNECTION_S


@pytest.mark.parametrize("header", ["", "x", "1", "1-", "-1", "1-1\nevent: x", "9" * 21 + "-0", "$", "1-1 "])
def test_it_takes_no_other_form_of_an_id(header: str) -> None:
    assert stream.last_event_id(header) == "0"
    assert stream.last_event_id("1795217132857-0") == "1795217132857-0"


def test_it_keeps_a_stream_for_an_hour() -> None:
    turn_id = uuid.uuid4()
    stream.publish_event(turn_id, "done")
    assert 3500 < stream.shared_client().ttl(stream.stream_key(turn_id)) <= 3600


def test_it_loses_nothing_but_the_event_when_redis_is_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("redis.retry.sleep", waits.append)
    monkeypatch.setattr(stream, "_shared", [])
    settings.EVENTS_REDIS_URL = "redis://127.0.0.1:1/0"
    for turn_id in (uuid.uuid4(), uuid.uuid4()):
        for event in ("stage", "token", "token", "done"):
            stream.publish_event(turn_id, event)
    assert caplog.text.count("was not told") == 2, "once a turn"
    assert not stream._untold and waits == [], "an answer must not wait for each event"


@pytest.mark.parametrize(
    "error", [ValueError("I/O operation on closed file"), AttributeError("_sock"), OSError(28, "")]
)
def test_no_fault_of_telling_ends_a_turn(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(stream, "shared_client", fail)
    turn_id = uuid.uuid4()
    for event in ("stage", "token", "done"):
        stream.publish_event(turn_id, event)
    assert caplog.text.count("was not told") == 1
    monkeypatch.undo()
    stream.publish_event(turn_id, "token", text=object())
    assert "not JSON serializable" in caplog.text and not silence.lasts()


def test_threads_that_tell_at_once_share_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first events of a worker are told by several threads, and no thread may lose its connection to another."""
    monkeypatch.setattr(stream, "_shared", [], raising=False)
    from_url = redis.Redis.from_url
    made: list[int] = []
    together = threading.Barrier(4, timeout=60)

    def make_slowly(url: str, **options: Any) -> "redis.Redis":
        time.sleep(0.1)
        made.append(1)
        return from_url(url, **options)

    def tell(turn_id: uuid.UUID) -> None:
        together.wait()
        stream.publish_event(turn_id, "done")

    monkeypatch.setattr(redis.Redis, "from_url", make_slowly)
    turns = [uuid.uuid4() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tell, turns))
    assert len(made) == 1
    assert [stream.shared_client().xlen(stream.stream_key(turn_id)) for turn_id in turns] == [1] * 4
