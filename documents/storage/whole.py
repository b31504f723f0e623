"""Files that are stored whole or not at all, and what says that there is no room for one."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import FileSystemStorage
from django.db import OperationalError

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
DATABASE_FULL = "53100"  # PostgreSQL's SQLSTATE
RETRY_AFTER_S = 60  # somebody has to make room


def says_full(error: BaseException) -> bool:
    """Whether an error says that a disk is full: this process's own, or the database's."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    return isinstance(error, OperationalError) and getattr(error.__cause__, "sqlstate", None) == DATABASE_FULL


class WholeFiles(FileSystemStorage):
    """Django's storage, but a write that fails leaves nothing, and a stopped one nothing under the name."""

    def _save(self, name: str, content: "File[Any]") -> str:
        part = f"{name}.{uuid4().hex}.part"
        try:
            super()._save(part, content)  # type: ignore[misc]  # the stubs leave it out
            keep_safe(Path(self.path(part)))
            os.replace(self.path(part), self.path(name))
        except BaseException:
            Path(self.path(part)).unlink(missing_ok=True)
            raise
        with suppress(OSError):  # a file system of a network may not know this of folders
            keep_safe(Path(self.path(name)).parent)
        return name


def keep_safe(path: Path) -> None:
    """Wait until a file or the names in a folder are on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
