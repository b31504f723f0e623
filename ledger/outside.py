"""Asking somebody outside, within a deadline whatever they do, and without being led elsewhere."""

import urllib.request
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import Any, TypeVar
from urllib.error import HTTPError

from django.conf import settings

T = TypeVar("T")
SILENCE_S = 10.0 * settings.PATIENCE  # between two bytes


class NoReply(Exception):
    """Nobody was done within the deadline; the message is for people."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for the failure it is: the configured address is the only one that is asked."""

    def redirect_request(self, *args: Any) -> None:
        return None


def within(deadline_s: float, does: Callable[..., T], *given: Any) -> T:
    """What a function returns or raises; NoReply past the deadline. A daemon thread does it, so none can hold us up."""
    told: Future[T] = Future()

    def do() -> None:
        try:
            told.set_result(does(*given))
        except Exception as error:  # noqa: BLE001 - raised again below
            told.set_exception(error)

    Thread(target=do, daemon=True).start()
    if not wait([told], deadline_s).done:
        raise NoReply(f"within {deadline_s:g} s")
    return told.result()


def post(url: str, body: bytes, headers: dict[str, str], bytes_max: int) -> bytes:
    """The reply to a request, or its first bytes. Raises OSError (HTTPError among them), HTTPException, ValueError."""
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=SILENCE_S) as reply:
            content: bytes = reply.read(bytes_max + 1)
            return content
    except HTTPError as error:
        error.close()  # it holds the connection
        raise
