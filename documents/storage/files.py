"""Where files are kept: below DOCINTEL_HOME on a disk, or in a bucket of S3 (DOCINTEL_FILES_URL).

Nobody opens, writes, looks for or deletes a stored file but through one of these three. Names are the same in both.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, Protocol, cast

from django.core.files import File
from django.core.files.storage import storages


class Files(Protocol):
    """Django's storage, with what programs need that only know paths. Raises OSError, FilesAway among them."""

    def open(self, name: str, mode: str = "rb") -> "File[Any]": ...
    def save(self, name: str, content: "IO[Any] | File[Any]") -> str:
        """Keep a file under a name, or another where that is taken: whole or not at all."""

    def exists(self, name: str) -> bool: ...
    def delete(self, name: str) -> None: ...
    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """A path at which the file can be read in the block; nothing is there where the file is missing."""

    def local_folder(self, name: str) -> AbstractContextManager[Path]:
        """A folder, which need not exist yet, with the files kept in it; what the block adds is kept as well."""

    def make(self, name: str, write: Callable[[Path], object]) -> None:
        """Keep what `write` writes to a path, whole or not at all, in place of what was there."""

    def old_names(self, age_s: float, *patterns: str) -> list[str]:
        """The files, or folders of a disk, that have not been changed for that long; by default in one folder each."""

    def remove(self, name: str) -> Path:
        """Delete a file, or a folder with all that is in it; return where it was."""


def originals() -> Files:
    """The files of documents: what was uploaded, and copies without a password."""
    return cast("Files", storages["default"])


def drawn_pages() -> Files:
    """What is made of the pages of a file, in a folder of its digest: images, and text that was recognised."""
    return cast("Files", storages["page_images"])


def carried_records() -> Files:
    """The records of bases that were brought along from elsewhere."""
    return cast("Files", storages["carried"])
