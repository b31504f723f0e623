"""Who is woken for a job, and when."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from jobs import waking
from jobs.conftest import Errand, Make

LONG_AGO = timedelta(hours=1)


@pytest.fixture
def swept(make: Make) -> Callable[[], list[Errand]]:
    def sweep() -> list[Errand]:
        woken: list[Errand] = []
        waking.sweep(Errand.objects.all(), woken.append)
        return woken

    return sweep


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
