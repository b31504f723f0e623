"""Files that are stored whole or not at all, and what says that there is no room for one."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage
from django.db import OperationalError

from documents.storage.temporary import old_paths, remove

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
DATABASE_FULL = "53100"  # PostgreSQL's SQLSTATE
RETRY_AFTER_S = 60  # somebody has to make room
EVERY_FILE = ("*/*",)


def says_full(error: BaseException) -> bool:
    """Whether an error says that a disk is full: this process's own, or the database's."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    return isinstance(error, OperationalError) and getattr(error.__cause__, "sqlstate", None) == DATABASE_FULL


class WholeFiles(FileSystemStorage):
    """Django's storage, but a write that fails leaves nothing, and a stopped one nothing under the name.

    It is the folder that the setting `root` names, and has what `files.Files` asks for.
    """

    def __init__(self, root: str = "MEDIA_ROOT", **options: Any) -> None:
        super().__init__(**options)
        self._root, self._folder = root, options.get("location")

    @property
    def base_location(self) -> Any:
        return getattr(settings, self._root) if self._folder is None else self._folder

    @property
    def location(self) -> str:
        return str(Path(self.base_location).absolute())

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

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        yield Path(self.path(name))

    @contextmanager
    def local_folder(self, name: str) -> Iterator[Path]:
        yield Path(self.path(name))

    def make(self, name: str, write: Callable[[Path], object]) -> None:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.stem}.{uuid4().hex}.part")
        try:
            write(fresh)
            os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
        with suppress(OSError):
            keep_safe(path.parent)

    def old_names(self, age_s: float, *patterns: str) -> list[str]:
        root = Path(self.location)
        found = (path for pattern in patterns or EVERY_FILE for path in old_paths(root, pattern, age_s))
        return [str(path.relative_to(root)) for path in found]

    def remove(self, name: str) -> Path:
        path = Path(self.path(name))
        remove(path)
        return path


def keep_safe(path: Path) -> None:
    """Wait until a file or the names in a folder are on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
