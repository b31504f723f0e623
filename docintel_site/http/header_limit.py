"""Requests whose head does not come whole: uvicorn waits for one without end, and each holds a descriptor.

`uvicorn --http docintel_site.http.header_limit:HeaderLimit`, as bin/run and the image start it.
"""

import asyncio
import resource

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 20.0  # times the patience of the settings, from the connection or the first byte of the next request
WAITING_MAX = 400  # heads that are waited for at once
FILES_OPEN = 4096  # above the --limit-concurrency of the same commands; many systems allow 1,024 unless asked

# Oldest first. A head that is being sent is here for a moment, one of a flood until others push it out.
_waiting: "dict[HeaderLimit, asyncio.TimerHandle]" = {}


def allow_connections() -> None:
    """Have this process open as many files and connections as it may, up to what it is given to hold."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_OPEN if hard == resource.RLIM_INFINITY else min(FILES_OPEN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class HeaderLimit(HttpToolsProtocol):
    """uvicorn's protocol, which closes the connection of a head that is late, or is the oldest of too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        if self.timeout_keep_alive_task is not None:  # the next head begins with whatever is sent, also an empty line
            self._wait_for_head()
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        # Whoever looks after this process must not end one that has too much to do.
        self.limit_concurrency = None if self.url == b"/healthz" else self.config.limit_concurrency
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self in _waiting:
            return
        if len(_waiting) >= WAITING_MAX:
            next(iter(_waiting))._give_up()
        _waiting[self] = self.loop.call_later(HEAD_S * settings.PATIENCE, self._give_up)

    def _give_up(self) -> None:
        self._stop_waiting()
        self.transport.close()

    def _stop_waiting(self) -> None:
        if late := _waiting.pop(self, None):
            late.cancel()
