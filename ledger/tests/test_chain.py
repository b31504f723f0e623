"""Appending: a sequence without holes, hashes over the documented bytes, and nothing outside a transaction."""

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from ledger import chain
from ledger.models import Entry

WRITERS = 8
APPENDS_A_WRITER = 12


@pytest.mark.django_db
def test_it_begins_at_one_and_continues_the_last_hash() -> None:
    assert chain.head() == chain.Head(0, "0" * 64)
    first, second = chain.append("run", "a", b"one"), chain.append("answer", "a", b"two")
    assert (first.sequence, first.previous_hash) == (1, "0" * 64)
    assert (second.sequence, second.previous_hash) == (2, first.hash)
    assert chain.head() == chain.Head(2, second.hash)


@pytest.mark.django_db
def test_it_hashes_the_documented_bytes_of_the_stored_row() -> None:
    chain.append("run", "5b0d", b"payload")
    entry = Entry.objects.get()
    written = (
        "docintel-ledger-1\n1\nrun\n5b0d\n"
        f"{hashlib.sha256(b'payload').hexdigest()}\n{'0' * 64}\n{entry.created_at:%Y-%m-%dT%H:%M:%S.%fZ}\n"
    )
    assert entry.hash == hashlib.sha256(written.encode("ascii")).hexdigest()


def test_it_writes_one_moment_one_way() -> None:
    moment = datetime(2026, 11, 20, 15, 2, 11, tzinfo=timezone(timedelta(hours=1)))
    assert chain.time_text(moment) == chain.time_text(moment.astimezone(UTC)) == "2026-11-20T14:02:11.000000Z"


@pytest.mark.django_db(transaction=True)
def test_it_refuses_to_append_outside_a_transaction() -> None:
    with pytest.raises(chain.OutsideTransaction):
        chain.append("run", "a", b"one")
    assert chain.head().sequence == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "subject_id"), [("", "a"), ("run", ""), ("run\nrun", "a"), ("run", "a\n2"), ("rün", "a")]
)
def test_it_refuses_what_would_blur_the_hashed_lines(kind: str, subject_id: str) -> None:
    with pytest.raises(ValueError, match="kind and a subject id"):
        chain.append(kind, subject_id, b"one")


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_the_disk_once_the_lock_is_free() -> None:
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as done:
        cursor.execute("SET synchronous_commit = on")
        with transaction.atomic():
            chain.append("run", "subject-1", b"payload")
            cursor.execute("SHOW synchronous_commit")
            assert cursor.fetchone() == ("off",)
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on",)
        cursor.execute("RESET synchronous_commit")
    said = [query["sql"] for query in done.captured_queries]
    assert said.index("COMMIT") < said.index(chain.FLUSH)


@pytest.mark.django_db(transaction=True)
def test_it_leaves_no_hole_when_a_transaction_fails() -> None:
    with transaction.atomic():
        chain.append("run", "kept", b"one")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        chain.append("run", "lost", b"two")
        _ = 1 / 0
    with transaction.atomic():
        chain.append("run", "after", b"three")
    assert list(Entry.objects.values_list("sequence", "subject_id")) == [(1, "kept"), (2, "after")]


@pytest.mark.django_db(transaction=True)
def test_it_keeps_the_order_of_many_writers() -> None:
    at_once = threading.Barrier(WRITERS, timeout=60)

    def write(writer: int) -> None:
        at_once.wait()
        try:
            for number in range(APPENDS_A_WRITER):
                with transaction.atomic():
                    chain.append("run", f"{writer}-{number}", b"payload")
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    assert chain.verify(lambda entries: {entry.sequence: chain.digest_of(b"payload") for entry in entries}).ok
    sequences = list(Entry.objects.values_list("sequence", flat=True))
    assert sequences == list(range(1, WRITERS * APPENDS_A_WRITER + 1))
