"""/metrics is there for whoever has the token, and nowhere for anybody else."""

import asyncio
from typing import Any

import pytest
from pytest_django import Settings

from docintel_site.http import scraping
from docintel_site.http.asgi_types import Message, Receive, Scope, Send
from docintel_site.http.scraping import Metrics

TOKEN = "a-token-of-the-operator"


async def pages(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"nothing here"})


async def call(
    application: Metrics, token: str | None, path: str = "/metrics", method: str = "GET"
) -> tuple[int, bytes]:
    sent: list[Any] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"10.0.0.7")] + ([(b"authorization", token.encode())] if token is not None else [])
    await application({"type": "http", "method": method, "path": path, "headers": headers}, receive, send)
    return sent[0]["status"], sent[1]["body"]


def asked(token: str | None, path: str = "/metrics", method: str = "GET") -> tuple[int, bytes]:
    return asyncio.run(call(Metrics(pages), token, path, method))


@pytest.fixture
def with_token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.mark.django_db
def test_whoever_has_the_token_reads_them(with_token: None) -> None:
    status, body = asked(f"Bearer {TOKEN}")
    assert status == 200 and b"docintel_queue_messages{" in body


@pytest.mark.parametrize("token", [None, "", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN])
def test_nobody_else_learns_that_they_are_there(with_token: None, token: str | None) -> None:
    assert asked(token) == (404, b"nothing here")


def test_nothing_can_be_sent_there(with_token: None) -> None:
    assert asked(f"Bearer {TOKEN}", method="POST")[0] == 404
    assert asked(f"Bearer {TOKEN}", path="/metrics/")[0] == 404


@pytest.mark.parametrize("token", [None, "", "Bearer ", "Bearer"])
def test_without_a_token_in_the_settings_there_are_none(settings: Settings, token: str | None) -> None:
    settings.METRICS_TOKEN = ""
    assert asked(token)[0] == 404


def test_a_crowd_counts_once_and_a_failure_is_tried_again(with_token: None, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []

    def counted() -> bytes:
        counts.append(1)
        if len(counts) == 1:
            raise OSError("the database is away")
        return b"counted"

    monkeypatch.setattr(scraping, "write_metrics", counted)

    async def crowd() -> list[list[tuple[int, bytes]]]:
        application = Metrics(pages)
        return [
            list(await asyncio.gather(*(call(application, f"Bearer {TOKEN}") for _ in range(20)))) for _ in range(3)
        ]

    first, second, third = asyncio.run(crowd())
    assert set(first) == {(503, b"")} and set(second) == set(third) == {(200, b"counted")}
    assert len(counts) == 2
