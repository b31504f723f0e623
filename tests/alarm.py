"""The alarm of pytest-timeout rings until it is heard.

Where the whole process was stopped as it rang, another thread may take the signal, and the main one waits on.
"""

import signal
from collections.abc import Generator
from types import FrameType

import pytest

EVERY_S = 10


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer() -> Generator[None, object, object]:
    is_set = yield
    heard = signal.getsignal(signal.SIGALRM)
    seconds, _ = signal.getitimer(signal.ITIMER_REAL)
    if seconds and callable(heard):

        def hear(number: int, frame: FrameType | None) -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            heard(number, frame)

        signal.signal(signal.SIGALRM, hear)
        signal.setitimer(signal.ITIMER_REAL, seconds, EVERY_S)
    return is_set
