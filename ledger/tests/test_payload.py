"""The bytes an entry vouches for: written by the database, the same each time, with their own salt, never empty."""

import json
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from ledger.chain import OutsideTransaction, add_salt, digest_of
from ledger.models import Entry, Event, Salt
from ledger.payload import PAIRS_MAX, SALT_BYTES, Payload, Vanished, object_of

EVENT = Payload("thing", "ledger_event", object_of("row", ("id", "kind", "details"), format="'thing-1'"))


def event(**details: object) -> Event:
    return Event.objects.create(kind="tried", actor="Ada", subject="x:1", details=details, created_at=timezone.now())


@pytest.mark.parametrize(
    ("columns", "more", "sql"),
    [
        ((), {}, "json_build_object()"),
        (("a",), {}, "json_build_object('a', row.a)"),
        (("b", "a"), {"c": "1 + 1"}, "json_build_object('b', row.b, 'a', row.a, 'c', 1 + 1)"),
        (("a",), {"a": "lower(row.a)"}, "json_build_object('a', lower(row.a))"),
    ],
)
def test_columns_become_an_object_in_their_order(columns: tuple[str, ...], more: dict[str, str], sql: str) -> None:
    assert object_of("row", columns, **more) == sql


@pytest.mark.parametrize(("count", "is_possible"), [(PAIRS_MAX, True), (PAIRS_MAX + 1, False)])
def test_more_columns_than_the_database_takes_are_refused(count: int, is_possible: bool) -> None:
    columns = [f"c{number}" for number in range(count)]
    if is_possible:
        assert object_of("row", columns).count("row.") == count
    else:
        with pytest.raises(ValueError, match=f"{count} columns are more than {PAIRS_MAX}"):
            object_of("row", columns)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "details",
    [{}, {"b": 1, "a": [None, True, 1.5]}, {"é": "保証金 “%s” \\ \u2028"}, {"a": "x" * 100_000}],
    ids=range(4),
)
def test_the_bytes_hold_the_row_and_are_the_same_each_time(details: dict[str, object]) -> None:
    row = event(**details)
    written = EVENT.read([row.pk])[row.pk]
    assert json.loads(written) == {"id": str(row.pk), "kind": "tried", "details": details, "format": "thing-1"}
    assert EVENT.read([row.pk, row.pk]) == {row.pk: written}


@pytest.mark.django_db
def test_rows_that_are_gone_are_left_out() -> None:
    row = event()
    assert set(EVENT.read([uuid4(), row.pk])) == {row.pk} and EVENT.read([]) == {}


@pytest.mark.django_db
def test_an_entry_vouches_for_the_bytes_behind_a_salt_of_its_own() -> None:
    entries = [EVENT.vouch(event(same=True).pk) for _ in range(2)]
    salts = [Salt.objects.get(subject=entry.subject).salt for entry in entries]
    assert salts[0] != salts[1] and {len(salt) for salt in salts} == {2 * SALT_BYTES}
    for entry, salt in zip(entries, salts, strict=True):
        [written] = EVENT.read([Event.objects.get(pk=entry.subject_id).pk]).values()
        assert entry.kind == "thing" and entry.payload_digest == digest_of(add_salt(written, salt))
        assert entry.payload_digest != digest_of(written)


@pytest.mark.django_db
def test_nothing_is_vouched_for_that_is_not_there() -> None:
    with pytest.raises(Vanished, match="There is no thing"):
        EVENT.vouch(uuid4())
    assert not Entry.objects.exists() and not Salt.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_row_is_vouched_for_in_its_own_transaction() -> None:
    with transaction.atomic():
        row = event()
    with pytest.raises(OutsideTransaction):
        EVENT.vouch(row.pk)
    assert not Entry.objects.exists()
