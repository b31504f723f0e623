"""Heads that never come whole keep nobody away: uvicorn itself, with half heads sent to it."""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import uvicorn
import yaml

from docintel_site.http import header_limit
from docintel_site.http.asgi_types import Receive, Scope, Send
from launch.children import commands

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half:"
PATIENCE_S = 120.0
ROOT = Path(__file__).resolve().parents[3]


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port() -> Iterator[int]:
    """Where a server with our protocol listens."""
    config = uvicorn.Config(
        page, http="docintel_site.http.header_limit:HeaderLimit", lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


def send_half(port: int) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    link.sendall(HALF)
    return link


def status_of_page(port: int) -> int:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        link.request("GET", "/")
        return link.getresponse().status
    finally:
        link.close()


def read_answer(link: socket.socket) -> bytes:
    """What the page answers, whose head and body are sent one after the other."""
    answer = b""
    while not answer.endswith(b"\r\n\r\nok"):
        piece = link.recv(4096)
        assert piece, answer
        answer += piece
    return answer


def is_closed(link: socket.socket) -> bool:
    """Whether the server has closed a connection, or closes it before our patience ends."""
    try:
        return link.recv(1) == b""
    except ConnectionResetError:
        return True


def test_the_oldest_of_too_many_half_heads_is_closed_and_a_page_is_answered(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(header_limit, "WAITING_MAX", 20)
    with ExitStack() as stack:
        links = [stack.enter_context(send_half(port)) for _ in range(100)]
        assert status_of_page(port) == 200
        assert all(is_closed(link) for link in links[:80])
        links[-1].sendall(b" now whole\r\n\r\n")
        assert links[-1].recv(12) == b"HTTP/1.1 200", "what is not among the oldest may still come whole"


def test_a_half_head_is_closed_when_its_time_is_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_limit, "HEAD_S", 0.01)
    with send_half(port) as link:
        assert is_closed(link)
    monkeypatch.setattr(header_limit, "HEAD_S", PATIENCE_S)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as link:
        for _ in range(2):  # the second request of a connection has its own time
            link.sendall(HALF)
            link.sendall(b" now whole\r\n\r\n")
            assert read_answer(link).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(header_limit, "HEAD_S", 0.01)
        link.sendall(HALF)
        assert is_closed(link)


def test_every_way_to_start_the_web_has_the_limits() -> None:
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8").rpartition("CMD ")[2]
    chart = yaml.safe_load((ROOT / "deploy/docintel/processes.yaml").read_text(encoding="utf-8"))["web"]["command"]
    for command in (commands(8000)["web"], yaml.safe_load(image), chart):
        assert command[command.index("--http") + 1] == "docintel_site.http.header_limit:HeaderLimit"
        assert command[command.index("--limit-concurrency") + 1] == "3500"
