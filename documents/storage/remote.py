"""Files where no path leads: whoever needs one is given a copy, which is gone when it is done."""

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.files import File
from django.core.files.storage import Storage
from django.utils import timezone

from documents.storage.temporary import nameless_file, temporary_folder
from documents.storage.whole import EVERY_FILE

FOLDER = "folder.zip"  # the files of a local folder in one: a page asks what is in it


class FilesAway(OSError):
    """What keeps the files does not answer or refuses us; the same may be asked again later."""


class RemoteFiles(Storage):
    """What `files.Files` asks for, of a storage without paths that says which names it has."""

    def listed(self, prefix: str = "") -> Iterator[tuple[str, datetime]]:
        """The names that begin so, each with when it was written."""
        raise NotImplementedError

    def put(self, name: str, content: "File[Any]") -> None:
        """Keep a file in place of what was there."""
        raise NotImplementedError

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        with temporary_folder("copy") as folder:
            path = folder / PurePosixPath(name).name  # readers name a text by its file
            with suppress(FileNotFoundError), self.open(name) as stored, path.open("wb") as copy:
                shutil.copyfileobj(stored, copy)
            yield path

    @contextmanager
    def local_folder(self, name: str) -> Iterator[Path]:
        with temporary_folder("folder") as folder:
            self._unpack(name, folder)
            there = set(folder.iterdir())
            try:
                yield folder
            finally:
                if set(folder.iterdir()) - there:
                    self._pack(name, folder)

    def _unpack(self, name: str, folder: Path) -> None:
        with suppress(FileNotFoundError), self.open(f"{name}/{FOLDER}") as stored, zipfile.ZipFile(stored) as packed:
            for entry in packed.namelist():
                path = folder / PurePosixPath(entry).name
                if not path.exists():
                    path.write_bytes(packed.read(entry))

    def _pack(self, name: str, folder: Path) -> None:
        self._unpack(name, folder)  # another worker may have added its own meanwhile
        with nameless_file() as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
                for path in sorted(folder.iterdir()):
                    packed.write(path, path.name)
            file.seek(0)
            self.put(f"{name}/{FOLDER}", File(file))

    def make(self, name: str, write: Callable[[Path], object]) -> None:
        with temporary_folder("made") as folder:
            path = folder / PurePosixPath(name).name
            write(path)
            with path.open("rb") as file:
                self.put(name, File(file))

    def old_names(self, age_s: float, *patterns: str) -> list[str]:
        limit = timezone.now() - timedelta(seconds=age_s)
        old = [name for name, written in self.listed() if written < limit]
        return [name for name in old if any(fnmatch(name, pattern) for pattern in patterns or EVERY_FILE)]

    def remove(self, name: str) -> Path:
        for each in {name, *(below for below, _ in self.listed(f"{name}/"))}:
            self.delete(each)
        return Path(name)
