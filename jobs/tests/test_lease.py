"""The lease of a job on real rows: taken once, renewed, lost, taken over, used up."""

import os
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.db import Error, connection, transaction
from django.db.models.functions import Now

from jobs import lease as lease_module
from jobs.conftest import Errand, Make
from jobs.lease import Lease, LeaseLost, TookTooLong, claim, is_exhausted, is_expired, is_free

LONG_AGO = timedelta(hours=1)
AT_ONCE = 8


def claimed(job: Errand) -> Errand:
    taken = claim(Errand.objects.all(), job.pk)
    assert taken is not None
    return taken


def in_threads(work: Callable[[], None], count: int) -> None:
    def work_and_close() -> None:
        work()
        connection.close()

    threads = [threading.Thread(target=work_and_close) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def age(job: Errand) -> None:
    """Have a job's last heartbeat be longer ago than a lease."""
    Errand.objects.filter(pk=job.pk).update(heartbeat_at=Now() - timedelta(seconds=site_settings.LEASE_S + 1))


def wait_for_beat(lease: Lease[Errand]) -> None:
    """Wait until its heart has beaten again."""
    before = lease.rows().get().heartbeat_at
    for _ in range(2_000):
        if lease.rows().get().heartbeat_at != before:
            return
        threading.Event().wait(0.05)
    pytest.fail("it was not renewed")


# ---- taking it


def test_a_claim_takes_the_job_and_counts_the_attempt(make: Make) -> None:
    taken = claimed(make())
    assert (taken.state, taken.attempts) == ("running", 1)
    assert taken.lease_owner.split(":")[1] == str(os.getpid())
    assert taken.heartbeat_at is not None


def test_one_of_many_at_once_has_it(make: Make) -> None:
    job, together, taken = make(), threading.Barrier(AT_ONCE, timeout=60), []

    def take() -> None:
        together.wait()
        taken.append(claim(Errand.objects.all(), job.pk))

    in_threads(take, AT_ONCE)
    assert len(taken) == AT_ONCE
    [winner] = [each for each in taken if each]
    job.refresh_from_db()
    assert (job.lease_owner, job.attempts) == (winner.lease_owner, 1)


def test_a_claim_writes_fields_with_it_and_takes_only_from_its_query(make: Make) -> None:
    job = make(note="letter")
    assert claim(Errand.objects.filter(note="parcel"), job.pk) is None
    taken = claim(Errand.objects.filter(note="letter"), job.pk, ended_at=Now())
    assert taken is not None and taken.ended_at is not None


@pytest.mark.parametrize("state", ["done", "failed"])
def test_an_ended_job_is_not_to_be_had(make: Make, state: str) -> None:
    assert claim(Errand.objects.all(), make(state=state).pk) is None


def test_a_job_without_attempts_left_is_not_to_be_had(make: Make, settings: Any) -> None:
    job = make(attempts=settings.ATTEMPTS_MAX)
    assert claim(Errand.objects.all(), job.pk) is None
    assert Errand.objects.get(is_exhausted()) == job
    Errand.objects.update(attempts=settings.ATTEMPTS_MAX - 1)
    assert not Errand.objects.filter(is_exhausted()).exists()
    assert claimed(job).attempts == settings.ATTEMPTS_MAX


# ---- its end by time


@pytest.mark.parametrize(
    ("age_s", "is_dead"), [(0, False), (site_settings.LEASE_S - 60, False), (site_settings.LEASE_S + 1, True)]
)
def test_a_lease_expires_when_its_worker_is_silent(make: Make, age_s: float, is_dead: bool) -> None:
    job = make(state="running", lease_owner="another", attempts=1, heartbeat_at=Now() - timedelta(seconds=age_s))
    assert Errand.objects.filter(is_expired()).exists() is is_dead
    assert Errand.objects.filter(is_free()).exists() is is_dead
    taken = claim(Errand.objects.all(), job.pk)
    assert (taken is not None) is is_dead
    if taken:
        assert (taken.attempts, taken.lease_owner != "another") == (2, True)


def test_a_running_job_that_never_beat_is_free(make: Make) -> None:
    make(state="running", heartbeat_at=None)
    assert Errand.objects.filter(is_expired()).exists()


def test_it_is_renewed_while_the_work_is_silent(make: Make, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """T1."""
    job = claimed(make())
    with Lease(job) as lease:
        assert lease.beat_every_s() == settings.LEASE_S / 4
    monkeypatch.setattr(lease_module, "renew_every_s", lambda: 0.05)
    age(job)
    assert Errand.objects.filter(is_expired()).exists()
    with Lease(job) as lease:
        wait_for_beat(lease)
        assert not Errand.objects.filter(is_expired()).exists()


def test_it_is_not_renewed_after_the_block(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "renew_every_s", lambda: 0.05)
    with Lease(claimed(make())) as lease:
        wait_for_beat(lease)
    age(lease.job)
    threading.Event().wait(0.5)
    assert not lease._heart.is_alive() and Errand.objects.filter(is_expired()).exists()


def test_it_outlives_a_database_that_was_away(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "renew_every_s", lambda: 0.05)
    with Lease(claimed(make())) as lease:
        wait_for_beat(lease)  # the heartbeat has a connection now
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
            [[ended]] = cursor.fetchall()
        wait_for_beat(lease)
    assert ended, "the heartbeat had no connection to cut"


# ---- writing under it


def test_it_writes_the_outcome_and_lets_go(make: Make) -> None:
    with Lease(claimed(make())) as lease:
        lease.end(state="done", note="delivered")
        assert not lease.rows().exists()
    job = Errand.objects.get()
    assert (job.state, job.note, job.lease_owner) == ("done", "delivered", "")


@pytest.mark.parametrize("taken_by", ["a successor", "nobody"])
def test_a_lease_that_was_taken_over_refuses_to_write(make: Make, taken_by: str) -> None:
    first = Lease(claimed(make()))
    Errand.objects.update(heartbeat_at=Now() - LONG_AGO)
    if taken_by == "nobody":
        Errand.objects.all().delete()
    else:
        second = claimed(first.job)
    with transaction.atomic(), pytest.raises(LeaseLost, match="taken over"):
        first.hold()
    first.renew()
    first.end(state="done", note="by the first")
    assert not Errand.objects.filter(note="by the first").exists()
    if taken_by == "a successor":
        job = Errand.objects.get()
        assert (job.state, job.lease_owner, job.heartbeat_at) == ("running", second.lease_owner, second.heartbeat_at)


def test_nobody_takes_a_job_over_while_it_is_held(make: Make) -> None:
    """A worker that went silent comes back to store: whoever wants the job waits for the end of its transaction."""
    lease = Lease(claimed(make()))
    Errand.objects.update(heartbeat_at=Now() - LONG_AGO)
    successors: list[Errand | None] = []

    def take_over() -> None:
        successors.append(claim(Errand.objects.all(), lease.job.pk))
        connection.close()

    thread = threading.Thread(target=take_over)
    with transaction.atomic():
        lease.hold()
        thread.start()
        thread.join(0.5)
        assert successors == [] and thread.is_alive()
        lease.end(state="done")
    thread.join()
    assert successors == [None]


def test_the_block_ends_its_heartbeat_when_the_work_fails(make: Make) -> None:
    lease = Lease(claimed(make()))
    with pytest.raises(RuntimeError), lease:
        raise RuntimeError("a fault")
    assert not lease._heart.is_alive()
    assert Errand.objects.get().state == "running"  # the sweeper's, unless the app gave it back


# ---- past its limit


def test_work_that_takes_too_long_is_ended_and_not_renewed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    def end_late(lease: Lease[Errand], error: TookTooLong) -> None:
        ended.append(str(error))
        raise ValueError("a fault of ours")

    monkeypatch.setattr(lease_module, "LEAVE_WITHIN_S", 0.05)
    lease = Lease(claimed(make()), 0.5, end_late)
    with pytest.raises(Error), lease:
        lease._heart.join()
        Errand.objects.get()
    assert ended == ["It was not done within 0 s."]
    connection.close()  # it was cut, and another takes its place
    age(lease.job)
    assert Errand.objects.get(is_expired()) == lease.job


def test_a_block_that_hangs_with_its_row_locked_is_ended_too(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    monkeypatch.setattr(lease_module, "renew_every_s", lambda: 0.05)
    monkeypatch.setattr(lease_module, "WAIT_FOR_ROW_S", 0.2)
    monkeypatch.setattr(lease_module, "LEAVE_WITHIN_S", 0.05)
    lease = Lease(claimed(make()), 1.0, lambda _, error: ended.append(str(error)))
    with pytest.raises(Error), transaction.atomic(), lease:
        lease.hold()
        lease._heart.join()
        lease.renew()
    assert ended == ["It was not done within 1 s."]
    connection.close()
