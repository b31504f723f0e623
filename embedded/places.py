"""Where an embedded server has its files and socket, and the lock for starting and stopping it."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from embedded.errors import EmbeddedError

# sun_path holds 108 bytes; the longest file name in the directory is ".s.PGSQL.5432.lock".
SOCKET_DIRECTORY_MAX = 80


def shorten_path(path: Path) -> str:
    """A short name for a path, the same in every process."""
    return hashlib.sha256(str(path).encode()).hexdigest()[:12]


def socket_directory(home: Path) -> Path:
    """The socket's directory for the server in `home`: beside its data, or in a short one if that path is too long."""
    beside = home / "socket"
    # Not the environment's temporary directory: every process must compute the same path.
    return beside if len(os.fsencode(beside)) <= SOCKET_DIRECTORY_MAX else Path(f"/tmp/docintel-{shorten_path(home)}")


def make_private(directory: Path, owner: int | None = None) -> None:
    """Create a directory only `owner` (else this user) can enter. Raises EmbeddedError if it is somebody else's."""
    owner = os.geteuid() if owner is None else owner
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if directory.is_symlink() or directory.stat().st_uid not in (os.geteuid(), owner):
            raise EmbeddedError(f"{directory} belongs to another user; set DOCINTEL_HOME to a directory you own.")
        directory.chmod(0o700)
        if owner != directory.stat().st_uid:
            os.chown(directory, owner, owner)
    except OSError as error:
        raise EmbeddedError(
            f"DocIntel cannot keep its data in {directory} ({error.strerror}); "
            "set DOCINTEL_HOME to a directory you own."
        ) from error


@contextmanager
def hold_lock(home: Path) -> Iterator[None]:
    """Hold the lock of `home`; the kernel releases it with the process, so it cannot be stale."""
    with open(home / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def package(name: str, wheel: str, variable: str) -> Path:
    """The directory of an installed wheel, found without running its code."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            f"The wheel {wheel} is not installed; use bin/run, or set {variable} to a server of your own."
        )
    return Path(spec.submodule_search_locations[0])


def last_lines(path: Path) -> str:
    """The end of a server's log, for an error message."""
    return "\n".join(path.read_text(errors="replace").splitlines()[-5:]) if path.exists() else ""


def command_of(pid: int) -> bytes:
    """How a process was called. Raises OSError if there is none."""
    if sys.platform == "darwin":
        asked = ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)]
        return subprocess.run(asked, stdout=subprocess.PIPE, check=False).stdout
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, of those that live."""
    if sys.platform == "darwin":
        asked = ["/usr/bin/pgrep", "-P", str(pid)]
        return list(map(int, subprocess.run(asked, stdout=subprocess.PIPE, check=False).stdout.split()))
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(status.parent.name))
    return found
