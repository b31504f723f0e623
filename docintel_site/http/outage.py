"""What is temporary and no fault of the program: a database that is away gets a 503, a full disk a 507."""

from django.db import InterfaceError, InternalError, OperationalError

from documents.storage.whole import says_full
from jobs.silence import causes_of

# SQLSTATEs of a server that stops, starts, has no connection left, ended one that was idle in its transaction, or has a
# lock that somebody else holds for too long; "" means no connection at all.
AWAY = frozenset({"", "57P01", "57P02", "57P03", "57P05", "53300", "25P03", "55P03"})
AWAY_CLASS = "08"  # connection exceptions


def is_database_away(error: BaseException | None) -> bool:
    """Whether an error, or one that caused it, says that the database is currently unavailable."""
    return any(
        isinstance(cause, OperationalError | InterfaceError | InternalError) and says_away(cause)
        for cause in causes_of(error)
    )


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error, or one that caused it, says that a disk is full, here or the database's."""
    return any(says_full(cause) for cause in causes_of(error))


def says_away(error: Exception) -> bool:
    """By the server's code in the driver's error; it has none if the server did not answer."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    return state in AWAY or state.startswith(AWAY_CLASS)
