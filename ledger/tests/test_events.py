"""A recorded change: one row and one entry, together or not at all, and no later change of it."""

import pytest
from django.db import DatabaseError, connection, transaction

from ledger.chain import add_salt, digest_of
from ledger.events import EVENT, record
from ledger.models import Entry, Event, Salt

pytestmark = pytest.mark.django_db


def test_it_keeps_who_changed_what_and_chains_it() -> None:
    event = record(
        "role_changed", "Olga Owner", "user:7", {"base": "Governance", "before": "viewer", "after": "auditor"}
    )
    entry = Entry.objects.get(kind="event", subject_id=str(event.pk))
    stored = Event.objects.get(pk=event.pk)
    assert (stored.kind, stored.actor, stored.subject) == ("role_changed", "Olga Owner", "user:7")
    assert stored.details == {"base": "Governance", "before": "viewer", "after": "auditor"}
    assert entry.payload_digest == digest_of(
        add_salt(EVENT.read([event.pk])[event.pk], Salt.objects.get(subject=entry.subject).salt)
    )


def test_a_change_that_is_rolled_back_leaves_neither() -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        record("document_purged", "console", "document:1", {})
        raise RuntimeError
    assert (Event.objects.count(), Entry.objects.count()) == (0, 0)


@pytest.mark.parametrize("statement", ["UPDATE ledger_event SET actor = 'nobody'", "DELETE FROM ledger_event"])
def test_it_cannot_be_changed_afterwards(statement: str) -> None:
    record("setting_changed", "Olga", "base:1", {"pool_max": [40, 60]})
    with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("kind", ["", "Role changed", "role\nchanged", "x" * 41])
def test_a_kind_is_one_lower_case_word(kind: str) -> None:
    with pytest.raises(ValueError, match="lower-case word"):
        record(kind, "console", "base:1", {})


def test_long_names_are_cut_and_the_rest_kept() -> None:
    event = record("token_made", "n" * 300, "s" * 300, {})
    assert (len(event.actor), len(event.subject)) == (254, 120)
