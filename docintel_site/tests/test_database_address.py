"""The address that the programs of PostgreSQL are given is the one of the settings."""

import pytest

from docintel_site.backups.programs import address_of
from docintel_site.settings import database_from


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:p%40s%2Fs@db.example:6000/other",
        "postgresql://app@db.example/docintel?sslmode=require",
        "postgresql://app@/docintel?host=%2Fa%20b%2Fsocket&port=5432",
        "postgresql:///docintel?host=%2Frun",
    ],
)
def test_it_says_a_database_as_it_was_named(url: str) -> None:
    assert database_from(address_of(database_from(url))) == database_from(url)
