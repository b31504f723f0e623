"""What tests of the whole share: one installation, the patience of a browser, and what explains a failure.

The installation is for files that only use one: each has people and bases of its own in it. A file that kills, stops or
sets up anything has one of its own.
"""

import os
import re
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from embedded import redis
from launch.check import REPORTS
from tests import browsers
from tests.running import ADA, Running, filled_home, living_logs, make_first_owner, shell, started

# Nothing in it is made to hang, and a machine that stands still for a while must not look as if something did.
PATIENCE = "20"
HAS_FAILED = pytest.StashKey[bool]()
# As if it had been loaded before there was an owner: she has asked nothing in it, and may review all of it.
LOAD_DEMO = f"""
from accounts.models import User
from chat.turns import demo
demo.load(None)
demo.hand_over(User.objects.get(email="{ADA.email}"))
"""


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    """bin/run without a model, shared by all files that use one; Ada is its first owner."""
    with filled_home() as home, started(home, DOCINTEL_PATIENCE=PATIENCE) as instance:
        make_first_owner(instance, ADA)
        yield instance


@pytest.fixture(scope="session")
def demo(running: Running) -> Running:
    """The same with the demonstration, which is Ada's: for files that look at it."""
    shell(running, LOAD_DEMO)
    return running


@pytest.fixture(scope="session")
def servers() -> Iterator[Path]:
    """A home whose PostgreSQL and Redis run, for files that start processes of their own and leave nothing queued."""
    with filled_home(for_tests=True) as home:
        redis.ensure(home)
        yield home


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsers.opened() as browser:
        yield browser


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[HAS_FAILED] = True
        if folder := folder_of(item):
            keep_logs(folder)
    return report


@pytest.fixture(autouse=True)
def _keep_trace(request: pytest.FixtureRequest) -> Iterator[None]:
    """Of a test that fails in a browser: what it did there, for `playwright show-trace`."""
    is_traced = browsers.is_traced() and "browser" in request.fixturenames
    browser = request.getfixturevalue("browser") if is_traced else None
    yield
    if browser is not None:
        folder = folder_of(request.node) if request.node.stash.get(HAS_FAILED, False) else None
        for number, context in enumerate(each for each in browser.contexts if each in browsers.traced):
            context.tracing.stop_chunk(path=folder / f"trace-{number}.zip" if folder else None)
            context.tracing.start_chunk()


def folder_of(item: pytest.Item) -> Path | None:
    """Where a test leaves what explains its failure; None where nobody keeps it."""
    if not (reports := os.environ.get(REPORTS)):
        return None
    folder = Path(reports) / re.sub(r"[^\w.-]+", "-", item.nodeid)[-120:]
    folder.mkdir(exist_ok=True)
    return folder


def keep_logs(folder: Path) -> None:
    """Copy what the servers that run have written so far."""
    for place, log in enumerate(living_logs):
        for file in [log, *log.glob("*")]:
            if file.is_file():
                shutil.copyfile(file, folder / f"{place}-{file.name}")
