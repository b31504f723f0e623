"""Connections to model servers: one background event loop per process, so that a deadline can interrupt any read.

A blocking client cannot be stopped while a server sends byte by byte; a task on an event loop can. The SDK takes longer
to import than most questions take to answer: here, and in the modules beside this one, that is done where a model is
called.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2

if TYPE_CHECKING:
    import openai

REPLY_MAX_BYTES = 16_000_000  # a streamed reply of 32,000 tokens is about 11 MB of events
API_VERSION = "api-version"
THREADS = 64  # I02: a resolver that keeps silent holds one for longer than the call that asked it lasts
KEY_OF_KEYLESS_SERVERS = "none"  # the SDK insists on a key; local servers ignore it

_Result = TypeVar("_Result")


class ReplyTooLarge(Exception):
    """The server sent more than REPLY_MAX_BYTES, or compressed data, which could exceed it."""


class CappedStream(httpx2.AsyncByteStream):
    """A response body that raises ReplyTooLarge instead of filling memory."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for piece in self._stream:
            received += len(piece)
            if received > REPLY_MAX_BYTES:
                raise ReplyTooLarge
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def cap_response(response: httpx2.Response) -> None:
    """Limit a response before its body is read; compressed ones are refused, since none was asked for."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ReplyTooLarge
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = CappedStream(response.stream)


class Wire:
    """The loop in its thread, and one client per server and key, to reuse connections."""

    def __init__(self) -> None:
        import openai  # in the caller's thread, so that no deadline on the loop has begun

        self._client_of, self._http_of = openai.AsyncOpenAI, openai.DefaultAsyncHttpxClient
        self._trust = httpx2.create_ssl_context()  # of all clients: to read the system's certificates takes 17 ms
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="llm-wire"))
        self._clients: dict[tuple[str, str], openai.AsyncOpenAI] = {}
        threading.Thread(target=self._loop.run_forever, name="llm-wire", daemon=True).start()

    def submit(self, work: Coroutine[Any, Any, _Result]) -> "Future[_Result]":
        """Run a coroutine on the loop; cancelling the future cancels it there."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def client(self, base_url: str, api_key: str) -> "openai.AsyncOpenAI":
        """The client of one server: no redirects (they would defeat the check of the base URL), no retries of its own.

        An address with `?api-version=` is Azure's older form: its query is kept, and the key goes into its own header.
        """
        key = (base_url, api_key)
        if key not in self._clients:
            address, query = split_query(base_url)
            hooks = [with_key_of_azure(api_key)] if API_VERSION in query else []
            self._clients[key] = self._client_of(
                api_key=api_key or KEY_OF_KEYLESS_SERVERS,
                base_url=address,
                max_retries=0,
                default_query=query,
                http_client=self._http_of(
                    follow_redirects=False,
                    verify=self._trust,
                    headers={"Accept-Encoding": "identity"},
                    event_hooks={"request": hooks, "response": [cap_response]},
                ),
            )
        return self._clients[key]


def with_key_of_azure(api_key: str) -> Callable[[httpx2.Request], Awaitable[None]]:
    """A hook that sends the key in the header of Azure's older form, which refuses a bearer token."""

    async def change(request: httpx2.Request) -> None:
        request.headers.pop("Authorization", None)
        request.headers["api-key"] = api_key

    return change


def split_query(base_url: str) -> tuple[str, dict[str, str]]:
    """An address without its query, and the query."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(query="")), dict(parse_qsl(parts.query))


_wires: dict[int, Wire] = {}
_lock = threading.Lock()


def wire() -> Wire:
    """The wire of this process; a forked child gets its own, since threads do not survive a fork."""
    with _lock:
        if os.getpid() not in _wires:
            _wires[os.getpid()] = Wire()
        return _wires[os.getpid()]
