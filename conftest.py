"""Servers and settings of the tests, made before Django reads its settings; never the developer's own.

pyproject.toml names no settings module on purpose: pytest-django would read the settings before this file is imported.
One PostgreSQL for the whole session (with pytest-xdist each worker gets its own database in it), and a Redis and a
data directory for each process. DOCINTEL_TEST_SERVERS marks the processes whose parent has started PostgreSQL.
"""

import atexit
import gc
import itertools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import django
import hypothesis
import pytest
from django.conf import settings
from django.utils import translation

from embedded import patience, postgres, redis
from tests import alarm, emptying, loopback, midnight, schema, stages

_minutes = itertools.count(int(time.time() // 60))
STARTED = "DOCINTEL_TEST_SERVERS"


def _prepare() -> None:
    home = Path(tempfile.mkdtemp(prefix="docintel-test-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    is_worker = os.environ.get(STARTED) == "yes"
    # What a developer has set for himself must not decide a test, and no test may reach a paid model.
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "DOCINTEL_", "VOYAGE_")) or name == "REDIS_URL":
            del os.environ[name]
    os.environ["DOCINTEL_HOME"] = str(home)
    # A machine that stands still for a while fails no test; what waits in vain on purpose says how long itself.
    os.environ["DOCINTEL_PATIENCE"] = "20"
    patience.be_patient(20)  # before the settings say so
    os.environ["DOCINTEL_PING_S"] = "0.05"  # no worker answers here
    # The threads of numpy's matrix library spin against each other on a busy machine: 40 s for 0.8 s of work.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if not is_worker:
        atexit.register(postgres.remove, home)
        os.environ["DATABASE_URL"] = postgres.ensure(home, for_tests=True)
        schema.make_template(os.environ["DATABASE_URL"])
    os.environ[STARTED] = "yes"
    atexit.register(redis.remove, home)
    os.environ["REDIS_URL"] = redis.ensure(home)


def _read_settings() -> None:
    if settings.configured:
        pytest.exit(
            "Unset DJANGO_SETTINGS_MODULE: the settings were read before the servers of the tests were made.", 1
        )
    os.environ["DJANGO_SETTINGS_MODULE"] = "docintel_site.settings"
    settings.DATABASES["default"]["TEST"] = {"TEMPLATE": schema.TEMPLATE}
    # The conftest.py of an app imports models, and pytest reads it before pytest-django has set Django up.
    django.setup()
    # The product's hashing is slow on purpose, and most tests make people with a password.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # The workers of pytest-xdist inherit the environment and have to come through here themselves.
    del os.environ["DJANGO_SETTINGS_MODULE"]


_prepare()
_read_settings()
# As in a process of the product (docintel_site/apps.py), and among what pytest collects: a sixth of the time of tests.
gc.disable()
# An example that takes long to make or to try on a busy machine is no fault of the code.
hypothesis.settings.register_profile(
    "docintel",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("docintel")


pytest_timeout_set_timer = alarm.pytest_timeout_set_timer


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "whole: starts a server, a worker, an installation or a browser")
    config.addinivalue_line("markers", "clock: sleeps, watches time or kills")


# Before pytest leaves out what -m does not name.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    stages.mark(items)
    items[:] = stages.in_order(items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    time.sleep(midnight.seconds_to_wait(time.time()))


@pytest.fixture(autouse=True, scope="session")
def _only_loopback() -> Iterator[None]:
    with loopback.only_loopback():
        yield


@pytest.fixture(autouse=True, scope="session")
def _empty_quickly() -> Iterator[None]:
    with emptying.emptied_after_tests():
        yield


@pytest.fixture(autouse=True, scope="session")
def _find_static_files_once() -> Iterator[None]:
    """Each client has middleware of its own, which would look at every static file again."""
    from whitenoise.middleware import WhiteNoiseMiddleware

    found: dict[str, dict[str, Any]] = {}
    find = WhiteNoiseMiddleware.add_files_from_finders

    def add_files(middleware: Any) -> None:
        if middleware.static_prefix not in found:
            find(middleware)
            found[middleware.static_prefix] = dict(middleware.files)
        middleware.files.update(found[middleware.static_prefix])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add_files)
        yield


@pytest.fixture(scope="session")
def _broker() -> Iterator[Any]:
    from docintel_site.celery import app

    with app.connection_for_write() as link:
        channel: Any = link.default_channel
        yield channel.client


@pytest.fixture(autouse=True)
def _empty_queues(_broker: Any) -> None:
    """No worker empties them here: what tests have sent would fill them, and a full queue is sent nothing more."""
    _broker.delete(*settings.QUEUES)


@pytest.fixture(autouse=True)
def _within_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Request limits count by minutes of the clock: each test has one of its own, which does not end meanwhile."""
    from docintel_site.http import limits

    moment = 60.0 * next(_minutes)
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: moment))


@pytest.fixture(autouse=True)
def _speak_english() -> Iterator[None]:
    """A page asked for in French must not leave its language to the next test of the process."""
    yield
    translation.deactivate()
