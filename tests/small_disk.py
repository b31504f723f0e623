"""A disk of a megabyte, to be filled for real. Only root may mount one; elsewhere these tests are skipped."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SIZE = 1_000_000  # bytes


@contextmanager
def small_disk(directory: Path) -> Iterator[Path]:
    """A file system in memory, mounted on a directory and gone afterwards."""
    directory.mkdir(mode=0o700, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", str(directory)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def files_on(disk: Path) -> list[Path]:
    return [path for path in disk.rglob("*") if path.is_file()]
