"""A time limit for the detectors of one question, whatever the documents contain."""

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
    """The detectors exceeded their time limit of `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The detectors did not end within {seconds:g} seconds.")
        self.seconds = seconds


@contextmanager
def detection_limited() -> Iterator[None]:
    """Raise DetectionTimeout when the block, or a thread that copies its context, runs out of time."""
    seconds = settings.DETECTION_DEADLINE_S
    token = _ends_at.set(time.monotonic() + seconds)
    try:
        yield
    except OutOfTime:
        raise DetectionTimeout(seconds) from None
    finally:
        _ends_at.reset(token)


class OutOfTime(Exception):
    """Raised inside a detector; callers get a DetectionTimeout."""


def check_time() -> None:
    """Raise OutOfTime after the deadline. Every loop over lines calls it; a single line takes milliseconds."""
    ends_at = _ends_at.get()
    if ends_at is not None and time.monotonic() > ends_at:
        raise OutOfTime


def wait_for(found: "Future[_Found]") -> _Found:
    """The result of a detector's thread, waited for until the deadline."""
    ends_at = _ends_at.get()
    try:
        return found.result(None if ends_at is None else max(0.0, ends_at - time.monotonic()))
    except FutureTimeout:
        raise OutOfTime from None
