"""How long the detectors of one question may look, whatever stands in the documents."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from django.conf import settings

_Found = TypeVar("_Found")

_ends_at: ContextVar[float | None] = ContextVar("detection_ends_at", default=None)


class DetectionTimeout(Exception):
    """The detectors did not come to an end in the time they have; `seconds` is how long that is."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The detectors did not end within {seconds:g} seconds.")
        self.seconds = seconds


@contextmanager
def detection_limited() -> Iterator[None]:
    """End what happens inside, here and in threads that copy the context, with DetectionTimeout when time is up."""
    seconds = settings.DETECTION_DEADLINE_S
    token = _ends_at.set(time.monotonic() + seconds)
    try:
        yield
    except OutOfTime:
        raise DetectionTimeout(seconds) from None
    finally:
        _ends_at.reset(token)


class OutOfTime(Exception):
    """Raised inside a detector; the outside sees a DetectionTimeout."""


def check_time() -> None:
    """Called by every loop over lines. A single line costs milliseconds, so the end is noticed soon."""
    ends_at = _ends_at.get()
    if ends_at is not None and time.monotonic() > ends_at:
        raise OutOfTime


def wait_for(found: "Future[_Found]") -> _Found:
    """What a detector's thread found; it is not waited for longer than there is time."""
    ends_at = _ends_at.get()
    try:
        return found.result(None if ends_at is None else max(0.0, ends_at - time.monotonic()))
    except FutureTimeout:
        raise OutOfTime from None
