"""How commands end on an error that is for people: with one sentence, and exit code 1."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import DatabaseError


@contextmanager
def explain_error(*kinds: type[Exception]) -> Iterator[None]:
    """Say an error of these kinds in its own words. Raises CommandError."""
    try:
        yield
    except kinds as error:
        raise CommandError(str(error)) from error


@contextmanager
def explain_database_error(what: str) -> Iterator[None]:
    """Say what failed, with the first line of what the database says. Raises CommandError."""
    try:
        yield
    except DatabaseError as error:
        raise CommandError(f"{what}: {str(error).splitlines()[0]}") from error
