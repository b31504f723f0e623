"""Who is woken for a job, and when."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from jobs import waking
from jobs.conftest import Errand, Make

LONG_AGO = timedelta(hours=1)


@shared_task(name="jobs.tests.run_errand")
def run_errand(errand_id: str) -> None: ...


@pytest.fixture
def swept(make: Make, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Errand]]:
    sent: list[str] = []
    monkeypatch.setattr(run_errand, "apply_async", lambda arguments, **_: sent.append(arguments[0]))

    def sweep() -> list[Errand]:
        sent.clear()
        waking.sweep(Errand.objects.all(), lambda _: run_errand)
        return [Errand.objects.get(pk=errand_id) for errand_id in sent]

    return sweep


@pytest.fixture
def queue() -> Iterator[Any]:
    """The broker's list of messages for errands, which no worker empties here."""
    with run_errand.app.connection_for_write() as link:
        channel: Any = link.default_channel
        channel.client.delete("ingest")
        yield lambda: channel.client.lrange("ingest", 0, -1)
        channel.client.delete("ingest")


def test_it_wakes_after_the_commit_alone(make: Make) -> None:
    woken: list[Errand] = []
    with transaction.atomic():
        waking.wake_after_commit(job := make(), woken.append)
        assert woken == []
    assert woken == [job]


def test_it_wakes_nobody_for_what_was_rolled_back(make: Make) -> None:
    woken: list[Errand] = []
    with pytest.raises(RuntimeError), transaction.atomic():
        waking.wake_after_commit(make(), woken.append)
        raise RuntimeError("a fault")
    assert woken == []


def test_a_broker_that_is_away_undoes_nothing(make: Make, swept: Callable[[], list[Errand]]) -> None:
    def refuse(job: Errand) -> None:
        raise OperationalError("Connection refused")

    with transaction.atomic():
        waking.wake_after_commit(make(), refuse)
    Errand.objects.update(created_at=Now() - LONG_AGO)
    assert swept() == [Errand.objects.get()]


def test_it_sends_the_key_of_the_job_without_retries(make: Make) -> None:
    class Recorder:
        def apply_async(self, *args: Any, **options: Any) -> None:
            self.sent = (args, options)

    task, job = Recorder(), make()
    waking.send(task, job)  # type: ignore[arg-type]
    assert task.sent == (((str(job.pk),),), {"retry": False})


def test_the_sweeper_wakes_a_forgotten_job_once_in_a_while(make: Make, swept: Callable[[], list[Errand]]) -> None:
    job = make()
    assert swept() == []
    Errand.objects.update(created_at=Now() - timedelta(seconds=settings.SWEEP_EVERY_S + 1))
    assert swept() == [job]
    assert swept() == [], "it was woken for just now"
    Errand.objects.update(heartbeat_at=Now() - timedelta(seconds=settings.SWEEP_EVERY_S + 1))
    assert swept() == [job]


def test_the_sweeper_wakes_for_a_dead_worker_and_leaves_the_living_alone(
    make: Make, swept: Callable[[], list[Errand]]
) -> None:
    dead = make(state="running", lease_owner="dead", heartbeat_at=Now() - LONG_AGO)
    make(state="running", lease_owner="alive", heartbeat_at=Now())
    assert swept() == [dead]
    dead.refresh_from_db()
    assert (dead.state, dead.lease_owner) == ("running", "dead"), "it is the next worker who takes the job over"


@pytest.mark.parametrize("state", ["done", "failed", "stopped"])
def test_the_sweeper_leaves_ended_jobs_alone(make: Make, swept: Callable[[], list[Errand]], state: str) -> None:
    make(state=state, created_at=Now() - LONG_AGO, heartbeat_at=Now() - LONG_AGO)
    assert swept() == []


def test_the_sweeper_wakes_the_oldest_first_and_not_too_many(
    make: Make, swept: Callable[[], list[Errand]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waking, "WOKEN_AT_ONCE", 2)
    ages = [timedelta(hours=hours) for hours in (1, 3, 2)]
    young, old, middle = (make(created_at=Now() - age) for age in ages)
    assert swept() == [old, middle]
    assert swept() == [young]


def test_sweeps_do_not_fill_a_queue_that_nobody_empties(make: Make, queue: Callable[[], list[bytes]]) -> None:
    jobs = [make() for _ in range(100)]
    for job in jobs:
        waking.send(run_errand, job)
    assert len(queue()) == 100
    for _ in range(20):
        Errand.objects.update(created_at=Now() - LONG_AGO, heartbeat_at=Now() - LONG_AGO)
        waking.sweep(Errand.objects.all(), lambda _: run_errand)
    assert len(queue()) == 100


def test_a_sweep_brings_back_what_the_broker_lost(make: Make, queue: Callable[[], list[bytes]]) -> None:
    """T5."""
    jobs = [make(created_at=Now() - LONG_AGO) for _ in range(30)]
    for _ in range(20):
        waking.sweep(Errand.objects.all(), lambda _: run_errand)
        Errand.objects.update(heartbeat_at=Now() - LONG_AGO)
    assert len(queue()) == waking.WOKEN_AT_ONCE
    with run_errand.app.connection_for_write() as link:
        channel: Any = link.default_channel
        channel.client.delete("ingest")
    waking.sweep(Errand.objects.all(), lambda _: run_errand)
    assert len(queue()) == 30
    assert all(any(str(job.pk) in message.decode() for message in queue()) for job in jobs)
