"""What strangers send by the thousand leaves a few lines and their number; everything else is told as it comes."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.test import Client

from docintel_site.http import access_log, floods


class Lines(logging.Handler):
    """A handler with the filter, as the console has it, and a clock that is set."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.told: list[str] = []
        self.addFilter(floods.Floods(lambda: self.now))

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(self.format(record))


@pytest.fixture
def lines() -> Iterator[Lines]:
    root, handler = logging.getLogger(), Lines()
    # The console has a filter of its own, whose summaries of other tests' floods are no lines of this one.
    usual = [each for each in root.handlers if any(isinstance(of, floods.Floods) for of in each.filters)]
    for each in usual:
        root.removeHandler(each)
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)
    for each in usual:
        root.addHandler(each)


def note(route: str, status: str) -> None:
    access_log.logger.info("%s %s %s %.0f ms", "GET", route, status, 1.0)


@pytest.fixture(autouse=True)
def _told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log.logger, "level", logging.INFO)


def test_a_flood_of_addresses_that_are_none_is_counted(lines: Lines) -> None:
    for _ in range(1000):
        note(access_log.NO_ROUTE, "404")
    note("/bases/", "200")
    assert len(lines.told) == floods.TOLD_MAX + 1
    lines.now = floods.WINDOW_S
    note("/bases/", "200")
    assert lines.told[-2:] == ["980 more lines like “(no such address) 404” within 60 s", "GET /bases/ 200 1 ms"]
    note(access_log.NO_ROUTE, "404")
    assert lines.told[-1] == "GET (no such address) 404 1 ms", "another minute, other lines"


def test_each_kind_is_counted_by_itself_and_what_is_no_refusal_not_at_all(lines: Lines) -> None:
    for _ in range(100):
        note("/bases/", "200")
        note("/accounts/login/", "429")
        note("/ask/", "500")
    told = [line.split()[2] for line in lines.told]
    assert (told.count("200"), told.count("429"), told.count("500")) == (100, floods.TOLD_MAX, 100)


@pytest.mark.django_db
def test_a_flood_of_wrong_hosts_leaves_a_few_short_lines(lines: Lines) -> None:
    client = Client(raise_request_exception=False)
    for number in range(100):
        assert client.get("/", headers={"host": f"{number}{'x' * 5000}.example"}).status_code == 400
    told = [line for line in lines.told if "HTTP_HOST" in line]
    assert len(told) == floods.TOLD_MAX and sum(map(len, told)) <= floods.TOLD_MAX * floods.WORDS_MAX
    assert "Traceback" not in "".join(told)


def test_what_the_server_says_of_requests_is_counted_and_faults_are_not(lines: Lines) -> None:
    server = logging.getLogger("uvicorn.error")
    for _ in range(100):
        server.warning("Invalid HTTP request received.")
        server.error("Exception in ASGI application")
    assert lines.told.count("Invalid HTTP request received.") == floods.TOLD_MAX
    assert lines.told.count("Exception in ASGI application") == 100


def test_the_log_leaves_paths_out_before_it_writes_a_message_out() -> None:
    handlers: Any = settings.LOGGING["handlers"]
    assert all(handler["filters"][:2] == ["route", "floods"] for handler in handlers.values())
    assert floods.kind_of(logging.makeLogRecord({"name": "django.security.DisallowedHost", "msg": DisallowedHost()}))
