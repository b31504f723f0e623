"""Empty the tables after a transactional test: few rows are deleted, many are left to Django's flush.

Django truncates every table there is and makes content types and permissions again, a third of a second for the dozen
rows of most tests. Insert-only tables refuse both; a replica's session fires no ordinary trigger, and the role of the
tests is a superuser and may say so.

It closes the connection too, so that nothing a test has set is there for the next. A new one is a process of PostgreSQL
that looks up every table anew; what it would not have is taken back instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from django.db import transaction
from psycopg.pq import TransactionStatus

LARGE = 8 << 20  # bytes of a table above which deleted rows would slow down every later look at it
KEPT = {"auth_permission", "django_content_type"}  # what Django's flush would make again
AS_REPLICA = "SET session_replication_role = replica"
AS_ORIGIN = "RESET session_replication_role"
AS_NEW = "RESET ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP; UNLISTEN *; CLOSE ALL"


@contextmanager
def emptied_after_tests() -> Iterator[None]:
    """Within, Django's transactional tests empty the tables this way."""
    from django.db import connection
    from django.db.backends.postgresql.operations import DatabaseOperations
    from django.test import TransactionTestCase

    flush, teardown = DatabaseOperations.execute_sql_flush, TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def flush_as_replica(operations: Any, statements: list[str]) -> None:
        flush(operations, [AS_REPLICA, *statements, AS_ORIGIN])

    def empty(case: TransactionTestCase) -> None:
        if not delete_rows(connection):
            teardown(case)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "execute_sql_flush", flush_as_replica)
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        patch.setattr(TransactionTestCase, "_should_reload_connections", lambda case: not made_as_new(connection))
        yield


@contextmanager
def kept_between_tests() -> Iterator[None]:
    """Within, a transactional test leaves all rows to the next: for files whose tests read what took long to make."""
    from django.test import TransactionTestCase

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: None)
            yield
    finally:
        TransactionTestCase()._fixture_teardown()  # type: ignore[attr-defined]


def delete_rows(connection: Any) -> bool:
    """Delete every row, unless a table has grown large: then nothing is done, and said."""
    tables = _tables(connection.settings_dict["NAME"])
    names = ", ".join(f'"{table}"' for table in tables)
    with transaction.atomic(), connection.cursor() as cursor:
        # What a thread of the test has not yet committed must not come after the rows are gone.
        cursor.execute(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")
        # Prepared: to plan a look into a hundred tables takes longer than the look.
        sizes = dict(connection.connection.execute(_filled(tables), prepare=True).fetchall())
        if any(size > LARGE for size in sizes.values()):
            return False
        cursor.execute(";".join([AS_REPLICA, *(f'DELETE FROM "{table}"' for table in sizes), AS_ORIGIN]))
    return True


def made_as_new(connection: Any) -> bool:
    """Take back what a test has set in its session; whether it could be, or there is none."""
    link = connection.connection
    if link is None:
        return True
    if not connection.get_autocommit() or link.info.transaction_status != TransactionStatus.IDLE:
        return False  # a lost one too
    with connection.cursor() as cursor:
        cursor.execute(AS_NEW)
    connection.ensure_timezone()
    return True


@cache
def _tables(database: str) -> tuple[str, ...]:
    """Of the models, in the one database of a process whose tables stay as they are."""
    from django.db import connection

    return tuple(sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT))


@cache
def _filled(tables: tuple[str, ...]) -> str:
    """SQL for the tables that hold rows, each with its size in bytes."""
    return " UNION ALL ".join(
        f"SELECT '{table}', pg_table_size('\"{table}\"') WHERE EXISTS (SELECT FROM \"{table}\")" for table in tables
    )
