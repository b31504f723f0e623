"""Telling that the database is away from what is wrong with a request: the one passes, and is answered with 503."""

from collections.abc import Iterator

from django.db import InterfaceError, OperationalError

RETRY_AFTER_S = 5  # an embedded PostgreSQL is back after about two seconds, a managed one that moves after some more
# SQLSTATEs of a server that ends, starts, or has no connection left; none at all: there is no connection to it.
AWAY = frozenset({"", "57P01", "57P02", "57P03", "57P05", "53300"})
AWAY_CLASS = "08"  # connection exceptions


def is_database_away(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, says that the database cannot be reached at the moment."""
    return any(
        isinstance(cause, OperationalError | InterfaceError) and says_away(sqlstate_of(cause))
        for cause in causes_of(error)
    )


def says_away(sqlstate: str) -> bool:
    return sqlstate in AWAY or sqlstate.startswith(AWAY_CLASS)


def sqlstate_of(error: BaseException) -> str:
    """The code the server gave the driver's error; "" when it did not get to answer."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """An error, then what it was raised from or meanwhile: Django says of a session it cannot save that it is gone."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
