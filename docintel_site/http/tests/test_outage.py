"""What says that the database is away, and what only says that a request went wrong."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import RequestFactory

from docintel_site.http import problems
from docintel_site.http.outage import is_database_away, is_disk_full
from tests.small_disk import small_disk

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


@pytest.fixture
def small_tablespace() -> Iterator[str]:
    """A tablespace on a disk of a megabyte."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        data = Path(cursor.fetchone()[0])
        with small_disk(data.parent / f"small-{uuid4().hex[:8]}") as directory:
            os.chown(directory, data.stat().st_uid, data.stat().st_gid)
            name = f"small_{uuid4().hex[:8]}"
            cursor.execute(f"CREATE TABLESPACE {name} LOCATION '{directory}'")
            try:
                yield name
            finally:
                cursor.execute(f"DROP TABLE IF EXISTS filled_{name}")
                cursor.execute(f"DROP TABLESPACE {name}")


def test_it_tells_a_database_whose_disk_is_full(small_tablespace: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE filled_{small_tablespace} (n int, words text) TABLESPACE {small_tablespace}")
    with pytest.raises(OperationalError) as caught, connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO filled_{small_tablespace} SELECT n, md5(n::text) FROM generate_series(1, 50000) n")
    assert is_disk_full(caught.value) and not is_database_away(caught.value)
    told = problems.handle(caught.value, {})
    assert told is not None and (told.status_code, told.headers["Retry-After"]) == (507, "60")


def test_it_tells_a_disk_of_our_own_that_is_full() -> None:
    with pytest.raises(OSError) as caught, open("/dev/full", "wb", buffering=0) as full:
        full.write(b"x")
    wrapped = SessionInterrupted("The session was deleted.")
    wrapped.__cause__ = caught.value
    assert is_disk_full(caught.value) and is_disk_full(wrapped)
    assert not is_disk_full(None) and not is_disk_full(FileNotFoundError(2, "x")) and not is_disk_full(ValueError())
    page = problems.bad_request(RequestFactory().post("/ask/"), wrapped)
    assert (page.status_code, page.headers["Retry-After"]) == (507, "60")
    told = problems.bad_request(RequestFactory().post("/api/v1/bases"), wrapped)
    assert (told.status_code, told.headers["Content-Type"]) == (507, "application/problem+json")


@pytest.mark.parametrize(("path", "kind"), [("/ask/", "text/html"), ("/api/v1/bases", "application/problem+json")])
def test_a_page_that_finds_the_disk_full_ends_with_507(path: str, kind: str) -> None:
    request = RequestFactory().post(path)
    try:
        with open("/dev/full", "wb", buffering=0) as full:
            full.write(b"x")
    except OSError:
        told = problems.report_failure(request)
    assert (told.status_code, told.headers["Retry-After"]) == (507, "60")
    assert told.headers["Content-Type"].startswith(kind)


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
