"""A home of its own for a test, its servers stopped and deleted afterwards."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from embedded import postgres, redis

LOOKS_MAX = 20  # far more often than a machine is let go on while one is looked at


@pytest.fixture
def home() -> Iterator[Path]:
    """Not pytest's own directory, which is deeper than a socket may lie and would hide the usual case."""
    directory = Path(tempfile.mkdtemp(prefix="docintel-embedded-"))
    yield directory
    postgres.remove(directory)
    redis.remove(directory)
    shutil.rmtree(directory, ignore_errors=True)


def look_at_stopped(pids: list[int], look: Callable[[], object]) -> None:
    """Stop servers and look, until that fails. Anew, since who lets a frozen machine go on lets these go on too."""
    for _ in range(LOOKS_MAX):
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        look()
