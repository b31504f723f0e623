"""A turn that waits for a silent database: it ends as failed, and its thread comes back for others."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from chat import stream
from chat.conftest import RENT_QUESTION, Ask
from chat.models import Answer, Turn
from chat.turns import conductor, stopping
from chat.turns.conductor import AnsweringFailed, answer_turn
from chat.turns.stopping import StoppableLease
from jobs.lease import LEAVE_WITHIN_S, Lease
from retrieval.corpus import retrieve_among

HANGS = "Who hangs here?"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def silent_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The database never answers while one of the questions is searched for, which may take a second."""

    def wait_or_retrieve(question: str, *given: Any, **more: Any) -> Any:
        if question == HANGS:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(3600)")
        return retrieve_among(question, *given, **more)

    monkeypatch.setattr(conductor, "retrieve_among", wait_or_retrieve)
    monkeypatch.setattr(stopping, "limit_of", lambda turn: 1.0 if turn.question == HANGS else 3600.0)
    yield
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()"
        )


def run(turn: Turn) -> None:
    try:
        answer_turn(turn.pk)
    except AnsweringFailed:
        pass
    finally:
        connection.close()


def test_a_turn_that_hangs_ends_as_failed_with_its_reason_and_is_not_renewed(ask: Ask) -> None:
    turn = ask(HANGS)
    worker = threading.Thread(target=run, args=(turn,))
    worker.start()
    worker.join()
    turn.refresh_from_db()
    assert (turn.state, turn.lease_owner, turn.attempts) == ("failed", "", 1)
    assert "not answered within 1 minutes" in turn.error_for_people and "TookTooLong" in turn.error_for_admins
    assert turn.run is not None and turn.run.status == "failed" and turn.run.failure.startswith("TookTooLong")
    entries: Any = stream.shared_client().xrange(stream.stream_key(turn.pk))
    assert entries[-1][1]["type"] == "error"
    assert not Answer.objects.exists()


def test_a_statement_that_is_cut_is_a_recorded_failure_with_its_reason(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait_within_a_limit(*_: Any, **__: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 10")  # of the settings it is minutes
            try:
                cursor.execute("SELECT pg_sleep(3600)")
            finally:
                cursor.execute("RESET statement_timeout")

    monkeypatch.setattr(conductor, "retrieve_among", wait_within_a_limit)
    turn = ask(RENT_QUESTION)
    run(turn)
    turn.refresh_from_db()
    assert turn.state == "failed" and turn.error_for_people.startswith("The database took too long")
    assert turn.run is not None and "statement timeout" in turn.run.failure
    assert "statement timeout" in turn.error_for_admins


def test_five_turns_that_hang_do_not_stop_a_sixth(ask: Ask) -> None:
    turns = [*(ask(HANGS) for _ in range(5)), ask(RENT_QUESTION)]
    with ThreadPoolExecutor(4) as threads:  # as many as the worker has
        list(threads.map(run, turns))
    states = [Turn.objects.get(pk=turn.pk).state for turn in turns]
    assert states == [*["failed"] * 5, "done"]


def test_stop_ends_a_turn_that_hangs(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "limit_of", lambda turn: 3600.0)
    monkeypatch.setattr(stopping, "STOP_LIMIT_S", 0.5)
    turn = ask(HANGS)
    worker = threading.Thread(target=run, args=(turn,))
    worker.start()
    for _ in range(1_000):
        if Turn.objects.get(pk=turn.pk).state == "running":
            break
        threading.Event().wait(0.1)
    Turn.objects.filter(pk=turn.pk).update(stop_requested=True)
    worker.join()
    turn.refresh_from_db()
    assert turn.state == "stopped" and turn.run is not None and turn.run.status == "failed"


def press_stop(turn: Turn) -> None:
    Turn.objects.filter(pk=turn.pk).update(stop_requested=True)
    connection.close()


def test_what_is_written_is_stored_though_stop_was_pressed(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    monkeypatch.setattr(stopping, "STOP_LIMIT_S", 0.0)
    hold = StoppableLease.hold

    def press_stop_before_the_answer_is_stored(lease: StoppableLease[Turn]) -> Turn:
        is_heartbeat = threading.current_thread() is lease._heart
        if not is_heartbeat and lease.rows().exclude(run=None).exists():
            person = threading.Thread(target=press_stop, args=(lease.job,))
            person.start()
            person.join()
            assert lease._stop_requested.wait(60)
            lease._ended.wait(2 * stopping.STOP_POLL_S)
        return hold(lease)

    monkeypatch.setattr(StoppableLease, "hold", press_stop_before_the_answer_is_stored)
    turn = ask(RENT_QUESTION)
    run(turn)
    turn.refresh_from_db()
    assert turn.state == "stopped" and Answer.objects.get().ended == "stopped"
    client.force_login(turn.conversation.user)
    page = client.get(f"/ask/{turn.conversation_id}/").content.decode()
    assert "12,500 euros" in page and "You stopped this answer" in page


def test_a_worker_whose_thread_cannot_be_ended_is_replaced(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    over, left = threading.Event(), threading.Event()
    monkeypatch.setattr(conductor, "retrieve_among", lambda *_, **__: over.wait(120))
    monkeypatch.setattr("jobs.lease.LEAVE_WITHIN_S", 0.1)
    monkeypatch.setattr(Lease, "on_stuck", left.set)
    turn = ask(HANGS)
    worker = threading.Thread(target=run, args=(turn,))
    worker.start()
    assert left.wait(120) and worker.is_alive()
    assert Turn.objects.get(pk=turn.pk).state == "failed"
    over.set()
    worker.join()
    assert Turn.objects.get(pk=turn.pk).state == "failed", "what came of it later is not stored"


def test_a_turn_may_take_longer_than_all_its_inner_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    usual = Turn()
    assert LEAVE_WITHIN_S >= settings.DETECTION_DEADLINE_S + 10
    inner = 2 * settings.ARBITER_DEADLINE_S + settings.ANSWER_DEADLINE_S
    assert stopping.answer_limit_s() > inner
    assert (stopping.SPARE_S, stopping.FULL_SEARCH_S) == (300 * settings.PATIENCE, 3600 * settings.PATIENCE)
    assert stopping.StoppableLease(usual)._left_s() > inner
    assert stopping.StoppableLease(Turn(is_full_search=True))._left_s() > inner + stopping.FULL_SEARCH_S
