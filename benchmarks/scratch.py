"""Temporary servers and tables for a measurement, set up like an installation."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.core.management import call_command

from embedded import postgres, redis


@contextmanager
def installation() -> Iterator[None]:
    """A new data directory with PostgreSQL, Redis and migrated tables; enter it before Django is set up."""
    with tempfile.TemporaryDirectory(prefix="docintel-measure-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
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
