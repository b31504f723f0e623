"""The connections to model servers: what may come in, which headers go out, and work can be stopped at every wait."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import openai
import pytest

from llm import wire as wiring
from llm.wire import (
    KEY_OF_KEYLESS_SERVERS,
    CappedStream,
    ReplyTooLarge,
    Wire,
    cap_response,
    split_query,
    wire,
    with_key_of_azure,
)

Answer = Callable[[BaseHTTPRequestHandler], None]


class Pieces(httpx2.AsyncByteStream):
    """A body that comes in these pieces and notes how many were taken and that it was closed."""

    def __init__(self, *sizes: int) -> None:
        self.sizes, self.taken, self.is_closed = sizes, 0, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for size in self.sizes:
            self.taken += 1
            yield b"x" * size

    async def aclose(self) -> None:
        self.is_closed = True


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server on a real socket that answers every request so; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def reply_with(
    body: bytes, headers: dict[str, str], seen: list[dict[str, str]] | None = None, status: int = 200
) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        if seen is not None:
            seen.append({"path": handler.path, **{name.lower(): value for name, value in handler.headers.items()}})
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def post(address: str, key: str = "sk-1") -> httpx2.Response:
    client = wire().client(address, key)
    work = client.post("/rerank", body={"a": 1}, cast_to=httpx2.Response)
    return wire().submit(_awaited(work)).result(60)


async def _awaited(work: object) -> httpx2.Response:
    response: httpx2.Response = await work  # type: ignore[misc]
    return response


@pytest.mark.parametrize(
    ("address", "plain", "query"),
    [
        ("https://a.example/v1", "https://a.example/v1", {}),
        ("https://a.example/v1?", "https://a.example/v1", {}),
        (
            "https://a.example/x?api-version=2024-06-01&b=c%20d",
            "https://a.example/x",
            {"api-version": "2024-06-01", "b": "c d"},
        ),
        ("https://a.example/x?a=1&a=2", "https://a.example/x", {"a": "2"}),
        ("https://a.example/x?empty=", "https://a.example/x", {}),
        ("https://u:p@a.example:8443/x?é=ü", "https://u:p@a.example:8443/x", {"é": "ü"}),
        ("", "", {}),
    ],
)
def test_an_address_is_parted_from_its_query(address: str, plain: str, query: dict[str, str]) -> None:
    assert split_query(address) == (plain, query)


@pytest.mark.parametrize(
    ("sizes", "is_whole"),
    [((), True), ((100,), True), ((50, 50), True), ((0, 100, 0), True), ((101,), False), ((50, 51), False)],
)
def test_a_body_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], is_whole: bool) -> None:
    monkeypatch.setattr(wiring, "REPLY_MAX_BYTES", 100)
    body = Pieces(*sizes)

    async def read() -> int:
        stream = CappedStream(body)
        try:
            return sum([len(piece) async for piece in stream])
        finally:
            await stream.aclose()

    if is_whole:
        assert asyncio.run(read()) == sum(sizes)
    else:
        with pytest.raises(ReplyTooLarge):
            asyncio.run(read())
    assert body.is_closed


def test_nothing_is_read_past_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "REPLY_MAX_BYTES", 100)
    body = Pieces(*[60] * 1000)
    with pytest.raises(ReplyTooLarge):
        asyncio.run(_drain(CappedStream(body)))
    assert body.taken == 2


async def _drain(stream: httpx2.AsyncByteStream) -> None:
    async for _ in stream:
        pass


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "gzip, identity", "GZIP", "zstd", "nonsense"])
def test_a_compressed_body_is_refused_before_it_is_read(encoding: str) -> None:
    body = Pieces(10)
    response = httpx2.Response(200, headers={"content-encoding": encoding}, stream=body)
    with pytest.raises(ReplyTooLarge):
        asyncio.run(cap_response(response))
    assert body.taken == 0


@pytest.mark.parametrize("headers", [{}, {"content-encoding": "identity"}, {"content-encoding": "Identity"}])
def test_a_plain_body_is_capped(headers: dict[str, str]) -> None:
    response = httpx2.Response(200, headers=headers, stream=Pieces(10))
    asyncio.run(cap_response(response))
    assert isinstance(response.stream, CappedStream)


def test_the_key_goes_in_the_header_azure_wants_and_in_no_other() -> None:
    request = httpx2.Request("POST", "http://a.example", headers={"Authorization": "Bearer k", "X-Other": "1"})

    async def change() -> None:
        await with_key_of_azure("k")(request)

    asyncio.run(change())
    assert request.headers["api-key"] == "k" and "authorization" not in request.headers
    assert request.headers["x-other"] == "1"


def test_what_goes_out_and_that_nothing_compressed_is_asked_for() -> None:
    seen: list[dict[str, str]] = []
    with answering(reply_with(b"{}", {}, seen)) as address:
        assert post(address).json() == {}
        assert post(f"{address}?api-version=1&x=y").json() == {}
        assert post(address, "").json() == {}
    plain, azure, keyless = seen
    assert plain["path"] == "/v1/rerank" and plain["authorization"] == "Bearer sk-1"
    assert plain["accept-encoding"] == "identity" and "api-key" not in plain
    assert azure["path"] == "/v1/rerank?api-version=1&x=y" and azure["api-key"] == "sk-1"
    assert "authorization" not in azure
    assert keyless["authorization"] == f"Bearer {KEY_OF_KEYLESS_SERVERS}"


@pytest.mark.parametrize(
    ("headers", "size"),
    [({}, 101), ({"Content-Encoding": "gzip"}, 10)],
    ids=["large", "compressed"],
)
def test_a_server_that_sends_too_much_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], size: int
) -> None:
    monkeypatch.setattr(wiring, "REPLY_MAX_BYTES", 100)
    with answering(reply_with(b"x" * size, headers)) as address, pytest.raises(ReplyTooLarge):
        post(address)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(status: int) -> None:
    elsewhere: list[dict[str, str]] = []
    with answering(reply_with(b"{}", {}, elsewhere)) as other:
        moved = reply_with(b"", {"Location": f"{other}/rerank"}, status=status)
        with answering(moved) as address, pytest.raises(openai.APIStatusError) as caught:
            post(address)
    assert caught.value.status_code == status and elsewhere == []


def test_a_client_does_not_try_again_by_itself() -> None:
    seen: list[dict[str, str]] = []
    with answering(reply_with(b"{}", {"Retry-After": "0"}, seen, 503)) as address, pytest.raises(openai.APIStatusError):
        post(address)
    assert len(seen) == 1


def test_a_server_and_key_have_one_client() -> None:
    one = Wire()
    first = one.client("http://a.example/v1", "k")
    assert one.client("http://a.example/v1", "k") is first
    assert one.client("http://a.example/v1", "other") is not first
    assert one.client("http://b.example/v1", "k") is not first


def test_work_is_done_on_one_other_thread_and_its_error_comes_back() -> None:
    async def name() -> str:
        return threading.current_thread().name

    async def fail() -> None:
        raise KeyError("gone")

    assert wire().submit(name()).result(60) == "llm-wire"
    with pytest.raises(KeyError):
        wire().submit(fail()).result(60)


def test_cancelled_work_ends_where_it_waits() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def wait_for_ever() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    future = wire().submit(wait_for_ever())
    assert begun.wait(120)
    future.cancel()
    assert ended.wait(120)
    with pytest.raises(CancelledError):
        future.result(60)


def test_a_process_has_one_wire_and_a_forked_child_its_own() -> None:
    assert wire() is wire()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            parent = wiring._wires[os.getppid()]

            async def answer() -> bytes:
                return b"works"

            os.write(writing, wire().submit(answer()).result(60) if wire() is not parent else b"same")
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        assert told.read() == b"works"
    os.waitpid(child, 0)


# ---- what it costs


def test_the_sdk_is_imported_once_a_model_is_called() -> None:
    said = "print('openai' in sys.modules)"
    parts = "chat.management.commands.ask, docintel_site.urls, docintel_site.celery, llm.wire"
    script = f"import sys, django; django.setup(); import {parts}; {said}; llm.wire.wire(); {said}"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    told = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True"]
