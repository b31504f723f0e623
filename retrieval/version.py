"""The program version recorded with every run: the checkout's commit, or the VERSION file of an image or archive.

`python -m retrieval.version v1.2` writes the file when an image is built, since an image has no checkout.
"""

import hashlib
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "VERSION"
GIT_S = 60
WRITTEN = re.compile(r"\w[\w.+-]{0,79}")  # characters of `git describe` and release names
CODE = (
    "*.py",
    "*.html",
    "*.csv",
    "*.toml",
    "*.txt",
)  # the code that decides how a question is answered, and how its record is shown
DIGITS = 12
NOT_GIVEN = (
    "The image has to know which program it holds. Build it with "
    '--build-arg DOCINTEL_VERSION="$(git describe --always --dirty=+)", '
    'or with DOCINTEL_VERSION="$(git describe --always --dirty=+)" docker compose build.'
)


class VersionMissing(Exception):
    """An image was built without a version; the message says what to do."""


@lru_cache(maxsize=1)
def program_version() -> str:
    """The commit, else VERSION; if a copy of the files has neither, a digest of the code."""
    text = FILE.read_text().strip() if FILE.exists() else ""
    is_written = bool(WRITTEN.fullmatch(text))  # in a checkout it is a placeholder, which only an archive fills in
    return of_checkout() or (text if is_written else f"code-{digest_of_code()}")


def of_checkout() -> str:
    """The commit, with "+" if the work tree differs; "" if git cannot tell."""
    if not (ROOT / ".git").exists():
        return ""
    # The checkout may belong to another account, which git refuses by default.
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "describe", "--always", "--dirty=+"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=GIT_S)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()[:80]


def digest_of_code() -> str:
    """The first digits of a SHA-256 over all code files, by name and content."""
    hashed = hashlib.sha256()
    folders = sorted(path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "var")))
    for path in sorted(found for folder in folders for kind in CODE for found in folder.rglob(kind)):
        hashed.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return hashed.hexdigest()[:DIGITS]


def write_version(version: str) -> None:
    """Write the version of an image. Raises VersionMissing if it is empty or invalid."""
    if not WRITTEN.fullmatch(version) or version == "unknown":
        raise VersionMissing(NOT_GIVEN if not version else f"{version!r} is no version. {NOT_GIVEN}")
    FILE.write_text(f"{version}\n")


if __name__ == "__main__":
    try:
        write_version("".join(sys.argv[1:]))
    except VersionMissing as refusal:
        sys.exit(str(refusal))
