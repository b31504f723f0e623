"""The two addresses for whoever watches a web server: it lives, and it can serve."""

import asyncio
import json
import shutil
import threading
from http import HTTPStatus
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from docintel_site.http import health
from docintel_site.http.asgi_types import Message, Receive, Scope, Send
from docintel_site.http.health import PARTS, Health

ALL_WELL = dict.fromkeys(PARTS, "ok")
NOWHERE = "redis://127.0.0.1:1/0"


class Answered(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    told: dict[str, Any]


async def pages(scope: Scope, receive: Receive, send: Send) -> None:
    await health.send_json(send, HTTPStatus.IM_A_TEAPOT, {"path": scope["path"]})


async def call(application: Health, path: str, method: str = "GET", kind: str = "http") -> Answered:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    # Of a host that is not ours and without a cookie: nobody of Django's is asked.
    headers = [(b"host", b"10.0.0.7:8000")]
    await application({"type": kind, "method": method, "path": path, "headers": headers}, receive, send)
    return Answered(sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"]))


def asked(path: str, method: str = "GET") -> Answered:
    return asyncio.run(call(Health(pages), path, method))


def test_a_process_that_lives_says_so_without_looking_at_anything(settings: Settings) -> None:
    settings.EVENTS_REDIS_URL = NOWHERE
    told = asked("/healthz")
    assert (told.status, told.told) == (200, {"living": True})
    assert told.headers[b"cache-control"] == b"no-store, private"


def test_every_other_address_is_passed_on() -> None:
    for path in ("/", "/healthz/", "/readyz/x", "/api/healthz"):
        assert asked(path).told == {"path": path}
    assert asyncio.run(call(Health(pages), "/healthz", kind="websocket")).told == {"path": "/healthz"}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_nothing_can_be_sent_there(path: str) -> None:
    assert asked(path, "POST").status == 405


def test_it_is_ready_when_every_part_answers(db: None) -> None:
    told = asked("/readyz")
    assert (told.status, told.told) == (200, {"ready": True, "parts": ALL_WELL})
    assert asked("/readyz", "HEAD").status == 200


def test_it_names_the_part_that_does_not_answer_and_nothing_else(db: None, settings: Settings) -> None:
    settings.EVENTS_REDIS_URL = NOWHERE
    told = asked("/readyz")
    assert (told.status, told.told) == (503, {"ready": False, "parts": {**ALL_WELL, "broker": "fail"}})


def test_it_is_not_ready_without_its_tables(transactional_db: None) -> None:
    [newest] = MigrationLoader(connection).graph.leaf_nodes("chat")
    MigrationRecorder(connection).record_unapplied(*newest)
    try:
        assert asked("/readyz").told["parts"] == {**ALL_WELL, "tables": "fail"}
    finally:
        MigrationRecorder(connection).record_applied(*newest)


def test_it_is_not_ready_without_a_database_or_room(
    db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    monkeypatch.setattr(health, "DISK_FULL_BYTES", shutil.disk_usage(settings.HOME).total + 1)
    parts = asked("/readyz").told["parts"]
    assert parts == {"database": "fail", "tables": "fail", "broker": "ok", "disk": "fail"}


def test_a_part_that_hangs_does_not_make_it_hang(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "DEADLINE_S", 0.5)

    over = threading.Event()

    def hang() -> bool:
        over.wait(120)
        return True

    monkeypatch.setitem(PARTS, "broker", hang)
    told: list[Answered] = []

    async def ask() -> None:
        told.append(await call(Health(pages), "/readyz"))
        assert not over.is_set()
        over.set()

    asyncio.run(ask())
    assert told[0].told["parts"]["broker"] == "fail"


def test_a_crowd_asks_each_part_once(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def look() -> bool:
        looks.append(1)
        return True

    monkeypatch.setitem(PARTS, "broker", look)

    async def crowd() -> list[Answered]:
        application = Health(pages)
        return await asyncio.gather(*(call(application, "/readyz") for _ in range(50)))

    assert {one.status for one in asyncio.run(crowd())} == {200}
    assert len(looks) == 1
