"""Which program makes a record: the commit of the checkout, or what the file VERSION of an image or an archive says.

`python -m retrieval.version v1.2` writes the file; the build of an image does, because the checkout is not in it.
"""

import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "VERSION"
GIT_S = 5
WRITTEN = re.compile(r"\w[\w.+-]{0,79}")  # what `git describe` and names of releases are made of
NOT_GIVEN = (
    "The image has to know which program it holds. Build it with "
    '--build-arg DOCINTEL_VERSION="$(git describe --always --dirty=+)", '
    'or with DOCINTEL_VERSION="$(git describe --always --dirty=+)" docker compose build.'
)


class VersionUnknown(Exception):
    """No record could name the program that made it; the message says what to do."""


@lru_cache(maxsize=1)
def program_version() -> str:
    """The version of this program. Raises VersionUnknown."""
    missing = f"{ROOT} is no git checkout"
    if (ROOT / ".git").exists():
        try:
            return of_checkout()
        except (OSError, subprocess.SubprocessError) as error:
            said = str(getattr(error, "stderr", "") or error).strip().partition("\n")[0]
            missing = f"git does not tell the commit of {ROOT} ({said})"
    text = FILE.read_text().strip() if FILE.exists() else ""
    if WRITTEN.fullmatch(text):  # not as it is in a checkout, where only an archive has it filled in
        return text
    raise VersionUnknown(
        f"The version of this program is not known, and every record names it: {missing}, and {FILE} holds no version. "
        "Build the image with DOCINTEL_VERSION, or write the file: python -m retrieval.version v1.2"
    )


def of_checkout() -> str:
    """The commit, with "+" when the work tree differs from it. Raises OSError or SubprocessError."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=GIT_S)
    return done.stdout.strip()[:80]


def write(version: str) -> None:
    """Keep the version of an image. Raises VersionUnknown for none, or what is none."""
    if not WRITTEN.fullmatch(version) or version == "unknown":
        raise VersionUnknown(NOT_GIVEN if not version else f"{version!r} is no version. {NOT_GIVEN}")
    FILE.write_text(f"{version}\n")


if __name__ == "__main__":
    try:
        write(" ".join(sys.argv[1:]).strip())
    except VersionUnknown as refusal:
        sys.exit(str(refusal))
