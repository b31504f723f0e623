"""A body that is too large or too slow is refused while it arrives, whatever its announced length says.

The clock is the event loop's and moves only while everybody waits, so that a busy machine changes nothing.
"""

import asyncio
import json
import selectors
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path

import pytest
from pytest_django import Settings

from docintel_site.http import body_limit
from docintel_site.http.asgi_types import Application, Message, Receive, Scope, Send
from docintel_site.http.body_limit import Allowance, BodyLimit
from docintel_site.http.problems import problem

LIMIT = 1_000_000
MORE = 3_000_000
Headers = list[tuple[bytes, bytes]]


async def echo_size(scope: Scope, receive: Receive, send: Send) -> None:
    """Like Django: the whole body first, and no answer to somebody who is gone."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def keep(path: Path, body: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        file.write(body)


async def keep_on_full_disk(scope: Scope, receive: Receive, send: Send) -> None:
    """Like Django with a large body, on a disk that is full."""
    keep(Path("/dev/full"), (await receive())["body"])


async def fail_in_the_middle(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await keep_on_full_disk(scope, receive, send)


class IdleClock(selectors.SelectSelector):
    """Waits for nothing: the time that was to be waited passes at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0
        return super().select(0)


def idle_loop() -> asyncio.AbstractEventLoop:
    clock = IdleClock()
    loop = asyncio.SelectorEventLoop(clock)
    loop.time = lambda: clock.now  # type: ignore[method-assign]
    return loop


class Sender:
    """Somebody who sends pieces to the application, and what they were answered."""

    def __init__(
        self,
        pieces: Iterable[bytes],
        headers: Headers,
        path: str = "/",
        pause_s: float = 0,
        application: Application = echo_size,
    ) -> None:
        self.arriving = iter(pieces)
        self.pause_s = pause_s
        self.taken = 0
        self.asked = 0
        self.sent: list[Message] = []
        scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
        with asyncio.Runner(loop_factory=idle_loop) as runner:
            runner.run(BodyLimit(application, LIMIT, self.allowance)(scope, self.receive, self.send))
            self.seconds = runner.get_loop().time()

    async def allowance(self, scope: Scope) -> Allowance:
        self.asked += 1
        return Allowance(MORE if scope["path"] == "/upload/" else LIMIT, "At most so much.")

    async def receive(self) -> Message:
        await asyncio.sleep(self.pause_s)
        piece = next(self.arriving, None)
        self.taken += len(piece or b"")
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])


@pytest.fixture(autouse=True)
def _usual_machine(settings: Settings) -> None:
    settings.PATIENCE = 1


def pieces_of(size: int) -> list[bytes]:
    return [b"x" * 1000] * (size // 1000) + [b"x" * (size % 1000)]


@pytest.mark.parametrize(
    ("path", "size", "headers", "status"),
    [
        ("/", LIMIT, [], 200),
        ("/", LIMIT, [(b"content-length", b"1000000")], 200),
        ("/", LIMIT + 1, [], 413),
        ("/", LIMIT + 1, [(b"content-length", b"10")], 413),
        ("/", LIMIT + 1, [(b"content-length", b"1000001")], 413),
        ("/", 5, [(b"content-length", b"99999999999")], 413),
        ("/", 5, [(b"content-length", b"-1")], 200),
        ("/upload/", MORE, [], 200),
        ("/upload/", MORE, [(b"content-length", b"3000000")], 200),
        ("/upload/", MORE + 1, [], 413),
        ("/upload/", 5, [(b"content-length", b"3000001")], 413),
    ],
)
def test_it_counts_what_arrives(path: str, size: int, headers: Headers, status: int) -> None:
    sender = Sender(pieces_of(size), headers, path)
    assert sender.status == status
    assert sender.body == str(size).encode() if status == 200 else b"At most so much." in sender.body


def test_it_asks_only_about_a_body_that_is_larger_than_a_form() -> None:
    assert [Sender(pieces_of(size), [], "/upload/").asked for size in (10, LIMIT, LIMIT + 1, MORE)] == [0, 0, 1, 1]


def test_it_reads_nothing_of_a_body_that_is_announced_too_large() -> None:
    sender = Sender([], [(b"content-length", b"1000001")])
    assert sender.status == 413
    assert (b"connection", b"close") in sender.sent[0]["headers"]


def test_it_listens_only_for_a_moment_to_what_it_refused() -> None:
    endless = iter(lambda: b"x" * 1000, None)
    sender = Sender(endless, [], pause_s=0.0001)
    assert sender.status == 413
    assert sender.seconds == pytest.approx(LIMIT / 1000 * 0.0001 + body_limit.LINGER_S, abs=0.01)


def test_a_body_that_stops_arriving_is_refused() -> None:
    sender = Sender([b"x"] * 100, [], pause_s=5)
    assert (sender.status, sender.taken) == (408, 4)


def test_a_body_that_keeps_arriving_has_its_time() -> None:
    sender = Sender([b"x" * 50_000] * 9, [], pause_s=10)  # 5,000 bytes a second
    assert (sender.status, sender.body) == (200, b"450000")


def test_a_body_that_finds_no_room_is_refused() -> None:
    sender = Sender([b"x"], [], "/api/v1/bases", application=keep_on_full_disk)
    assert (sender.status, json.loads(sender.body)["code"]) == (507, "storage_full")
    assert (b"retry-after", b"60") in sender.sent[0]["headers"]
    assert b"disk is full" in Sender([b"x"], [], application=keep_on_full_disk).body


def test_an_answer_that_has_begun_is_not_begun_again() -> None:
    with pytest.raises(OSError, match="No space"):
        Sender([b"x"], [], application=fail_in_the_middle)


def test_it_tells_a_program_in_the_form_of_every_problem() -> None:
    refused = Sender([b"x"] * 2, [(b"content-length", b"1000001")], "/api/v1/bases")
    as_answered = json.loads(problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "At most so much.").content)
    assert (refused.status, json.loads(refused.body)) == (413, as_answered)
    script = Sender([], [(b"content-length", b"1000001"), (b"accept", b"application/json")])
    assert json.loads(script.body)["detail"] == "At most so much."


def test_it_tells_a_person_in_their_language() -> None:
    too_large = [(b"content-length", b"1000001")]
    assert b"That is too much at once" in Sender([], too_large).body
    french = Sender([], [*too_large, (b"accept-language", b"fr")]).body.decode()
    assert '<html lang="fr">' in french and "C’est trop" in french
    assert b"&lt;" not in Sender([], [*too_large, (b"accept-language", b"<script>")]).body
