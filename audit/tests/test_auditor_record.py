"""What auditors do is stored with its ledger entry or not at all, and its first form has every column, always alike."""

import json
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from audit.auditor_record import PAYLOADS, row_payload, store
from audit.conftest import House, MakeRun
from audit.models import AuditEvent, Review, ReviewSample, SignOff
from ledger.chain import add_salt, digest_of
from ledger.models import Entry, Salt


def event(house: House, **changes: object) -> AuditEvent:
    fields = {
        "action": "list",
        "person": house.auditor,
        "person_name": "Ada",
        "detail": {"q": "é"},
        "created_at": timezone.now(),
    }
    return AuditEvent(**(fields | changes))


def review(house: House, make_run: MakeRun, **changes: object) -> Review:
    fields = {
        "run": make_run(),
        "reviewer": house.auditor,
        "reviewer_name": "Ada",
        "outcome": "agree",
        "created_at": timezone.now(),
    }
    return Review(**(fields | changes))


@pytest.mark.django_db
def test_a_row_and_its_entry_are_stored_together(house: House, make_run: MakeRun) -> None:
    for row, kind in ((event(house), "audit_event"), (review(house, make_run), "review")):
        store(row)
        entry = Entry.objects.get(kind=kind, subject_id=str(row.pk))
        written = PAYLOADS[type(row)].read([row.pk])[row.pk]
        assert entry.payload_digest == digest_of(add_salt(written, Salt.objects.get(subject=entry.subject).salt))


@pytest.mark.django_db
def test_a_row_that_is_refused_leaves_no_entry(house: House, make_run: MakeRun) -> None:
    first = review(house, make_run)
    store(first)
    entries = Entry.objects.count()
    second = Review(run=first.run, reviewer_name="Eve", outcome="wrong", created_at=timezone.now())
    with pytest.raises(DatabaseError), transaction.atomic():
        store(second)
    assert Entry.objects.count() == entries and Review.objects.get() == first


@pytest.mark.django_db
def test_nothing_is_stored_twice_or_over_another(house: House) -> None:
    row = event(house)
    store(row)
    row.action = "trail"
    with pytest.raises(DatabaseError), transaction.atomic():
        store(row)
    assert AuditEvent.objects.get(pk=row.pk).action == "list"


@pytest.mark.django_db
def test_a_row_of_another_kind_is_none_of_ours(house: House) -> None:
    with pytest.raises(KeyError), transaction.atomic():
        store(Salt(subject="x:1", salt="0"))
    assert not Salt.objects.filter(subject="x:1").exists(), "and is not left behind without an entry"


@pytest.mark.parametrize("model", [Review, ReviewSample, SignOff, AuditEvent])
def test_every_column_is_vouched_for(model: type[Model]) -> None:
    text = PAYLOADS[model].text
    for field in model._meta.concrete_fields:
        assert f"'{field.attname}', row.{field.attname}" in text
    assert PAYLOADS[model].table == model._meta.db_table


@pytest.mark.django_db
def test_signatures_from_before_the_digest_was_kept_have_their_bytes(house: House) -> None:
    now = timezone.now()
    about = {"base": house.base, "base_name": "", "since": now, "until": now, "figures": {}, "created_at": now}
    rows = [SignOff(**about, head_sequence=1, statement_digest=digest) for digest in ("", "0" * 64)]
    for row in rows:
        store(row)
    old, new = (json.loads(PAYLOADS[SignOff].read([row.pk])[row.pk]) for row in rows)
    assert (
        [*old] == [*new][:-1]
        and [*new][-1] == "statement_digest"
        and "statement_digest" not in row_payload(rows[0]).decode()
    )
    assert "statement_digest" in row_payload(rows[1]).decode(), "no row of then had one: it was written in later"


@pytest.mark.django_db
def test_an_older_program_signs_while_the_database_is_already_newer() -> None:
    """It names no column that it does not know."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'audit_signoff' "
            "AND is_nullable = 'NO' AND column_default IS NULL"
        )
        required = {name for (name,) in cursor.fetchall()}
    assert "statement_digest" not in required and "figures" in required


def test_the_first_form_is_canonical_with_times_in_full() -> None:
    moment = datetime(2026, 11, 20, 14, 2, 11, 7, tzinfo=UTC)
    row = AuditEvent(action="list", detail={"b": 1, "a": "é"}, created_at=moment, person_name="Ada")
    payload = row_payload(row)
    read = json.loads(payload)
    assert payload == json.dumps(read, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    assert read["created_at"] == "2026-11-20T14:02:11.000007+00:00" and read["detail"] == {"a": "é", "b": 1}
    assert set(read) == {field.attname for field in AuditEvent._meta.concrete_fields}
    assert payload == row_payload(row) and payload != row_payload(AuditEvent(**(vars_of(row) | {"action": "trail"})))


def vars_of(row: Model) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
