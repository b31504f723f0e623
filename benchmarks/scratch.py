"""Temporary servers and tables for a measurement, set up like an installation."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import django
from django.core.management import call_command

from embedded import postgres, redis

ROOT = Path(__file__).resolve().parent.parent
WATCH = """
import shutil, sys
from pathlib import Path
from embedded import postgres, redis
home, end = Path(sys.argv[1]), sys.argv[2]
if not sys.stdin.read():
    for server in (redis, postgres):
        getattr(server, end)(home)
    if end == "remove":
        shutil.rmtree(home, ignore_errors=True)
"""


@contextmanager
def guarded(home: Path, end: Literal["stop", "remove"]) -> Iterator[None]:
    """While entered, the servers of `home` end with this process, however it ends: a killed one cannot stop them."""
    watch = [sys.executable, "-c", WATCH, str(home), end]
    with subprocess.Popen(watch, stdin=subprocess.PIPE, cwd=ROOT, start_new_session=True, text=True) as watcher:
        try:
            yield
        finally:
            watcher.communicate("ended by itself")


@contextmanager
def installation() -> Iterator[None]:
    """A new data directory with PostgreSQL, Redis and migrated tables; enter it before Django is set up."""
    with (
        tempfile.TemporaryDirectory(prefix="docintel-measure-", ignore_cleanup_errors=True) as folder,
        guarded(home := Path(folder), "remove"),
    ):
        os.environ["DOCINTEL_HOME"] = str(home)
        try:
            os.environ["DATABASE_URL"] = postgres.ensure(home)
            os.environ["REDIS_URL"] = redis.ensure(home)
            django.setup()
            call_command("migrate", verbosity=0)
            yield
        finally:
            redis.remove(home)
            postgres.remove(home)
