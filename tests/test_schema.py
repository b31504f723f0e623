"""The tables that tests copy are those that the migrations make."""

import os
import re
from urllib.parse import urlsplit

import psycopg

from tests import schema


def test_a_database_filled_by_the_dump_is_the_one_that_was_migrated() -> None:
    address = os.environ["DATABASE_URL"]
    copied = urlsplit(address)._replace(path="/copied").geturl()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE DATABASE copied")
        try:
            schema.fill(copied)
            dump = schema.read_dump(copied)
        finally:
            connection.execute("DROP DATABASE copied WITH (FORCE)")
    assert dump.count("CREATE TABLE") > 50 and "django_migrations" in dump
    assert without_casts(dump) == without_casts(schema.dump_path().read_text(encoding="utf-8"))


def without_casts(dump: str) -> str:
    """Once it was read, PostgreSQL says a cast of a list as one of each of its members."""
    return re.sub(r"::(character varying|text)(\[\])?|[()]", "", dump)
