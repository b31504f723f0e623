"""/metrics for whoever has the token, in front of Django: Prometheus asks by an address and without a session."""

import asyncio
import hmac
import logging
from http import HTTPStatus

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections
from prometheus_client import CONTENT_TYPE_LATEST

from docintel_site.http.access_log import METRICS
from docintel_site.http.asgi_types import Application, Receive, Scope, Send
from docintel_site.http.headers import send_bare
from docintel_site.metrics import write_metrics

KEPT_S = 15.0  # however many ask, and how often

logger = logging.getLogger(__name__)


class Metrics:
    """An ASGI application that answers the metrics itself and passes everything else on, also who has no token."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.counting: asyncio.Task[bytes] | None = None
        self.counted_at = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != METRICS or scope["method"] != "GET" or not may_read(scope):
            await self.application(scope, receive, send)
            return
        try:
            status, body = HTTPStatus.OK, await self.count()
        except Exception:  # whatever is away, the next scrape may find it again
            logger.exception("The metrics could not be counted")
            status, body = HTTPStatus.SERVICE_UNAVAILABLE, b""
        await send_bare(send, status, CONTENT_TYPE_LATEST, body)

    async def count(self) -> bytes:
        """The metrics; one count for everybody who asks meanwhile and for some seconds afterwards."""
        now = asyncio.get_running_loop().time()
        if self.counting is None or (
            self.counting.done() and (now > self.counted_at + KEPT_S or has_failed(self.counting))
        ):
            self.counting, self.counted_at = (
                asyncio.create_task(sync_to_async(count_metrics, thread_sensitive=False)()),
                now,
            )
        return await asyncio.shield(self.counting)


def has_failed(task: "asyncio.Task[bytes]") -> bool:
    return task.cancelled() or task.exception() is not None


def count_metrics() -> bytes:
    try:
        return write_metrics()
    finally:
        close_old_connections()


def may_read(scope: Scope) -> bool:
    """Whether the request has the token; without one in the settings nobody may."""
    token = settings.METRICS_TOKEN.encode()
    said = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    return bool(token) and hmac.compare_digest(said, b"Bearer " + token)
