"""What the exports share: a file that is there once it is whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.management.base import CommandError

from ledger.management.refusals import explain_database_error


@contextmanager
def new_file(out: Path, what: str, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A file that has its name once the block has written all of it. Raises CommandError."""
    fresh = out.with_name(f"{out.name}.{os.getpid()}")
    try:
        with (
            explain_database_error("The records cannot be read"),
            open(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode), "w+b") as file,
        ):
            yield file
        fresh.replace(out)
    except OSError as error:
        raise CommandError(f"The {what} cannot be written to {out}: {error.strerror}.") from error
    finally:
        fresh.unlink(missing_ok=True)
