"""The printed address is the one that was given."""

import pytest
from django.core.management import call_command

from docintel_site.management.commands.database_address import address_of
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


def test_the_command_prints_the_one_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("database_address")
    assert capsys.readouterr().out.startswith("postgresql://")
