"""What this program writes for a moment: in one folder of its home, held while it is in use, swept when it is not.

A process that is killed tidies nothing away. The kernel lets go of its locks, so the sweep knows what nobody holds.

It is swept each hour, and by each worker that starts.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler


def temporary_root() -> Path:
    """The folder of everything temporary, made when it is needed, for this program's user alone."""
    root = Path(settings.TEMPORARY_ROOT)
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A folder that is gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix=f"{kind}-", dir=temporary_root()) as folder:
        held = os.open(folder, os.O_RDONLY)
        try:
            hold(held)
            yield Path(folder)
        finally:
            os.close(held)


def spooled_file(in_memory_max: int) -> "tempfile.SpooledTemporaryFile[bytes]":
    """A file in memory, which goes to the disk without a name once it is larger."""
    return tempfile.SpooledTemporaryFile(max_size=in_memory_max, dir=str(temporary_root()))


def nameless_file() -> IO[bytes]:
    """A file on the disk that is gone with the process that has it open."""
    return tempfile.TemporaryFile(dir=temporary_root())


class HeldUpload(TemporaryFileUploadHandler):
    """Django's handler of larger files of a request, which has a name on the disk; held while it is open."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        temporary_root()
        super().new_file(*args, **kwargs)
        hold(self.file.fileno())


def hold(descriptor: int) -> None:
    with suppress(OSError):  # a file system of a network may know no locks; there the age alone decides
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def is_held(path: Path) -> bool:
    """Whether a process uses it, or it is gone."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(opened)
    return False


def old_paths(root: Path, pattern: str, age_s: float) -> list[Path]:
    """Paths below a folder that have not been changed for that long."""
    limit, found = time.time() - age_s, []
    for path in root.glob(pattern):
        with suppress(FileNotFoundError):  # its process has just removed it
            if path.lstat().st_mtime < limit:
                found.append(path)
    return found


def remove_unused(age_s: float) -> list[Path]:
    """Remove what is that old and in nobody's use; return what was removed."""
    unused = [path for path in old_paths(Path(settings.TEMPORARY_ROOT), "*", age_s) if not is_held(path)]
    for path in unused:
        remove(path)
    return unused


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
