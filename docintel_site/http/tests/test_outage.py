"""What says that the database is away, and what only says that a request went wrong."""

from collections.abc import Callable

import psycopg
import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import RequestFactory

from docintel_site.http import problems
from docintel_site.http.outage import is_database_away

pytestmark = pytest.mark.django_db(transaction=True)


def ended_by_the_server() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def used_after_its_end() -> None:
    with connection.cursor() as cursor:
        connection.connection.close()
        cursor.execute("SELECT 1")


def too_slow() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 10")
        cursor.execute("SELECT pg_sleep(5)")


def wrong() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1/0")


@pytest.mark.parametrize(
    ("work", "is_away"), [(ended_by_the_server, True), (used_after_its_end, True), (too_slow, False), (wrong, False)]
)
def test_it_tells_a_server_that_went_from_one_that_refuses(work: Callable[[], None], is_away: bool) -> None:
    try:
        with pytest.raises((DatabaseError, InterfaceError)) as caught:
            work()
    finally:
        connection.close()
    assert is_database_away(caught.value) == is_away


def test_it_tells_a_server_that_is_not_there_or_is_full() -> None:
    nowhere = {**connection.settings_dict, "HOST": "/nowhere"}
    with pytest.raises(OperationalError) as caught:
        DatabaseWrapper(nowhere).ensure_connection()
    assert is_database_away(caught.value)
    full, starting, disk = OperationalError(), OperationalError(), OperationalError()
    full.__cause__, starting.__cause__ = psycopg.errors.TooManyConnections(), psycopg.errors.CannotConnectNow()
    disk.__cause__ = psycopg.errors.DiskFull()
    assert [is_database_away(error) for error in (full, starting, disk)] == [True, True, False]
    assert not is_database_away(None) and not is_database_away(ValueError())


def test_a_session_that_could_not_be_saved_is_not_said_to_be_deleted() -> None:
    try:
        try:
            raise OperationalError("connection refused")
        except DatabaseError:
            raise UpdateError  # noqa: B904  # as Django does it
    except UpdateError as error:
        interrupted = SessionInterrupted("The session was deleted.")
        interrupted.__context__ = error
    page = problems.bad_request(RequestFactory().post("/ask/"), interrupted)
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
