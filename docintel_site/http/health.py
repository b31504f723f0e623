"""Whether this process lives, and whether it can serve, for whoever watches it.

In front of Django: no host name, redirect, session or person is needed, and names of parts are all that is told.
"""

import asyncio
import json
import shutil
from collections.abc import Callable
from http import HTTPStatus

import redis
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections, connection

from docintel_site.http.access_log import LIVING, READY
from docintel_site.http.asgi_types import Application, Receive, Scope, Send
from docintel_site.http.headers import send_bare
from docintel_site.status import DISK_FULL_BYTES, open_migrations

DEADLINE_S = 2.0 * settings.PATIENCE  # for all parts together, which are looked at side by side
KEPT_S = 1.0  # however many ask


def has_database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def has_tables() -> bool:
    return not open_migrations()


def has_broker() -> bool:
    with redis.Redis.from_url(
        settings.EVENTS_REDIS_URL, retry=settings.REDIS_RETRY, **settings.REDIS_TIMEOUTS
    ) as client:
        return bool(client.ping())


def has_room() -> bool:
    return shutil.disk_usage(settings.HOME).free >= DISK_FULL_BYTES


PARTS: dict[str, Callable[[], bool]] = {
    "database": has_database,
    "tables": has_tables,
    "broker": has_broker,
    "disk": has_room,
}


class Health:
    """An ASGI application that answers the two addresses itself and passes everything else on."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.looking: asyncio.Task[dict[str, bool]] | None = None
        self.looked_at = 0.0
        self.has_tables = False  # once they are up to date they stay so, and to look takes long

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in (LIVING, READY):
            await self.application(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await send_json(send, HTTPStatus.METHOD_NOT_ALLOWED, {"allowed": ["GET", "HEAD"]})
        elif scope["path"] == LIVING:
            await send_json(send, HTTPStatus.OK, {"living": True})
        else:
            parts = await self.look()
            is_ready = all(parts.values())
            told = {"ready": is_ready, "parts": {name: "ok" if fine else "fail" for name, fine in parts.items()}}
            await send_json(send, HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE, told)

    async def look(self) -> dict[str, bool]:
        """What works; one look for everybody who asks meanwhile and for a second afterwards."""
        now = asyncio.get_running_loop().time()
        if self.looking is None or (self.looking.done() and now > self.looked_at + KEPT_S):
            self.looking, self.looked_at = asyncio.create_task(self.look_at_parts()), now
        return await asyncio.shield(self.looking)

    async def look_at_parts(self) -> dict[str, bool]:
        names = [name for name in PARTS if not (name == "tables" and self.has_tables)]
        found = dict(zip(names, await asyncio.gather(*(look_at(PARTS[name]) for name in names)), strict=True))
        self.has_tables = self.has_tables or found["tables"]
        return {name: found.get(name, True) for name in PARTS}


async def look_at(part: Callable[[], bool]) -> bool:
    """Whether a part works; what does not say so in time does not."""

    def look() -> bool:
        try:
            return part()
        finally:
            close_old_connections()

    try:
        async with asyncio.timeout(DEADLINE_S):
            return await sync_to_async(look, thread_sensitive=False)()
    except Exception:  # noqa: BLE001  # whatever it is, the part does not work; its own users log the reason
        return False


async def send_json(send: Send, status: HTTPStatus, told: dict[str, object]) -> None:
    await send_bare(send, status, "application/json", json.dumps(told).encode())
