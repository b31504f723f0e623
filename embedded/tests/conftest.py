"""A home of its own for a test, its servers stopped and deleted afterwards."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedded import postgres, redis


@pytest.fixture
def home() -> Iterator[Path]:
    """Not pytest's own directory, which is deeper than a socket may lie and would hide the usual case."""
    directory = Path(tempfile.mkdtemp(prefix="docintel-embedded-"))
    yield directory
    postgres.remove(directory)
    redis.remove(directory)
    shutil.rmtree(directory, ignore_errors=True)
