"""The ids of what is being worked on are in each line, as text and as JSON, and go with what they belong to."""

import json
import logging
import threading
from collections.abc import Iterator
from contextvars import Context
from typing import Any

import pytest

from docintel_site.celery import IDS, forget_ids, send_ids, take_ids
from docintel_site.http.log_lines import JsonLine, WithIds
from jobs.conftest import Errand, Make
from jobs.ids import known_ids, note_ids, noted_ids, start_with
from jobs.lease import Lease, claim
from jobs.waking import wake_after_commit


@pytest.fixture(autouse=True)
def _know_nothing() -> Iterator[None]:
    start_with({})
    yield
    start_with({})


def line(message: str = "said", *, error: BaseException | None = None) -> dict[str, Any]:
    failure = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("trial", logging.WARNING, __file__, 1, message, (), failure)
    WithIds().filter(record)
    told: dict[str, Any] = json.loads(JsonLine().format(record))
    assert "\n" not in JsonLine().format(record)
    return told | {"ids": record.__dict__["ids"]}


def test_a_line_names_what_is_known_and_nothing_else() -> None:
    assert line()["ids"] == "" and not {"request", "turn", "job", "run"} & line().keys()
    with noted_ids(request="a1", turn=7):
        note_ids(run="r2")
        told = line("said “é”\nand more")
        assert (told["request"], told["turn"], told["run"], told["ids"]) == ("a1", "7", "r2", "[a1 turn=7 run=r2] ")
        assert (told["level"], told["logger"], told["message"]) == ("WARNING", "trial", "said “é”\nand more")
    assert not known_ids()


def test_a_traceback_stays_in_the_line() -> None:
    try:
        raise ValueError("why")
    except ValueError as error:
        assert "ValueError: why" in line(error=error)["error"]


def test_a_message_carries_the_request_and_a_thread_keeps_nothing_of_the_task_before() -> None:
    headers: dict[str, Any] = {}
    with noted_ids(request="a1", job="j1"):
        send_ids(headers=headers)
    assert headers == {IDS: {"request": "a1"}}
    task = type("Task", (), {"request": type("Request", (), headers)()})()
    note_ids(run="of another task")
    take_ids(task=task)
    assert dict(known_ids()) == {"request": "a1"}
    forget_ids()
    assert not known_ids()
    take_ids(task=type("Task", (), {"request": object()})())
    assert not known_ids(), "a message of an older program has no such header"


def test_a_lease_names_its_job_also_in_its_heartbeat(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    beaten = threading.Event()

    def beat(lease: Lease[Errand]) -> None:
        seen.append(dict(known_ids()))
        beaten.set()

    monkeypatch.setattr(Lease, "beat", beat)
    monkeypatch.setattr(Lease, "beat_every_s", lambda lease: 0.01)
    job = claim(Errand.objects.all(), make().pk)
    assert job is not None
    start_with({"request": "a1"})
    with Lease(job):
        assert dict(known_ids()) == {"request": "a1", "job": str(job.pk)}
        assert beaten.wait(120)
    assert seen[0] == {"request": "a1", "job": str(job.pk)}
    assert dict(known_ids()) == {"request": "a1"}
    start_with({})


def test_whoever_stores_a_job_names_it_unless_at_work_on_another(make: Make) -> None:
    job = make()

    def ask() -> dict[str, str]:
        wake_after_commit(job, lambda _: None)
        return dict(known_ids())

    assert Context().run(ask) == {"job": str(job.pk)}
    with noted_ids(turn="t1"):
        assert ask() == {"turn": "t1"}
