"""The database of the tests behaves like the real one, and is empty again after each of them."""

import pytest
from django.db import DatabaseError, connection, transaction

from ledger.chain import append
from ledger.models import Entry

TABLE = Entry._meta.db_table


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [1, 2])
def test_insert_only_tables_are_emptied_between_transactional_tests(turn: int) -> None:
    assert Entry.objects.count() == 0
    with transaction.atomic():
        append("trial", str(turn), b"")
    assert Entry.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [1, 2])
def test_a_transactional_test_has_a_session_that_is_as_new(turn: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT current_setting('TimeZone'), current_setting('session_replication_role'),
                (SELECT setting = reset_val FROM pg_settings WHERE name = 'lock_timeout'),
                to_regclass('pg_temp.scratch'),
                (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
        """)
        assert cursor.fetchone() == ("UTC", "origin", True, None, 0)
        cursor.execute("SET TIME ZONE 'Asia/Tokyo'; SET lock_timeout = 1; SET session_replication_role = replica")
        cursor.execute("CREATE TEMP TABLE scratch (); SELECT pg_advisory_lock(1)")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement", [f"UPDATE {TABLE} SET kind = 'x'", f"DELETE FROM {TABLE}", f"TRUNCATE {TABLE} CASCADE"]
)
def test_a_test_meets_the_same_refusals_as_the_application(statement: str) -> None:
    append("trial", "1", b"")
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute(statement)
