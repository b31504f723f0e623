"""Insert-only: the database refuses every change of an entry, through whichever door it comes."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction

from ledger.models import Entry
from ledger.tests.conftest import Payloads


def raw(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def change_and_save() -> None:
    entry = Entry.objects.get(sequence=3)
    entry.kind = "answer"
    entry.save()


def change_in_bulk() -> None:
    entry = Entry.objects.get(sequence=3)
    entry.kind = "answer"
    Entry.objects.bulk_update([entry], ["kind"])


ATTEMPTS: dict[str, Callable[[], object]] = {
    "save": change_and_save,
    "update": lambda: Entry.objects.filter(sequence=3).update(kind="answer"),
    "bulk_update": change_in_bulk,
    "delete": lambda: Entry.objects.get(sequence=3).delete(),
    "queryset_delete": lambda: Entry.objects.all().delete(),
    "raw_update": lambda: raw("UPDATE ledger_entry SET hash = repeat('f', 64) WHERE sequence = 3"),
    "raw_delete": lambda: raw("DELETE FROM ledger_entry"),
    "truncate": lambda: raw("TRUNCATE ledger_entry"),
    "truncate_cascade": lambda: raw("TRUNCATE ledger_entry CASCADE"),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_it_refuses(payloads: Payloads, attempt: Callable[[], object]) -> None:
    before = list(Entry.objects.values())
    with pytest.raises(DatabaseError, match="Cannot (update|delete|truncate)"), transaction.atomic():
        attempt()
    assert list(Entry.objects.values()) == before
