"""What is in a backup: a folder with a database, files, and a manifest that has the SHA-256 of each."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from audit.keeping.stored_files import sha256_of_file
from ledger.chain import Head

FORMAT = "docintel-backup-1"
MANIFEST, MANIFEST_SUM = "manifest.json", "manifest.sha256"
DATABASE, HEADS, KEY = "database.dump", "ledger-heads.jsonl", "secret_key"


class BadBackup(Exception):
    """The folder is not a whole, unchanged backup; the message is for people."""


@dataclass(frozen=True)
class Manifest:
    """When and of what a backup was made."""

    created_at: str
    program: str
    head: Head
    migrations: list[str]  # that were applied, as "app.name"
    files: dict[str, str]  # the SHA-256 of each by its name in the folder
    missing: dict[str, str] = field(default_factory=dict)  # files that a row named and that were not there
    changed: dict[str, str] = field(default_factory=dict)  # files whose bytes were not those on record

    def write(self, folder: Path) -> str:
        """Write it with its own digest beside it, as sha256sum reads it; return that digest."""
        content = json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False).encode()
        digest = write_file(folder / MANIFEST, content)
        write_file(folder / MANIFEST_SUM, sum_line(digest))
        return digest


def sum_line(digest: str) -> bytes:
    return f"{digest}  {MANIFEST}\n".encode()


def write_file(path: Path, content: bytes) -> str:
    """Write a new file, wait until it is on the disk, and return its SHA-256."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return hashlib.sha256(content).hexdigest()


def read_backup(folder: Path) -> Manifest:
    """The manifest of a backup, once every byte of the folder was held against it. Raises BadBackup."""
    try:
        content = (folder / MANIFEST).read_bytes()
        told = (folder / MANIFEST_SUM).read_bytes()
        names = set(files_inside(folder))
    except OSError as error:
        raise BadBackup(f"{folder} is not a whole backup: {error.strerror} ({error.filename}).") from error
    if told != sum_line(hashlib.sha256(content).hexdigest()):
        raise BadBackup(f"{MANIFEST} is not as it was written: its SHA-256 is not the one in {MANIFEST_SUM}.")
    manifest = parse_manifest(content)
    listed = manifest.files.keys() | {MANIFEST, MANIFEST_SUM}
    for name in sorted(names ^ listed):
        what = "is not named in its manifest" if name in names else "is missing"
        raise BadBackup(f"{name} {what}: {folder} is not the folder that was written.")
    for name, sha256 in manifest.files.items():
        if digest_in(folder, name) != sha256:
            raise BadBackup(f"{name} is not as it was written: its SHA-256 is not the one in {MANIFEST}.")
    return manifest


def parse_manifest(content: bytes) -> Manifest:
    try:
        told: dict[str, Any] = json.loads(content)
        if told.pop("format") != FORMAT:
            raise BadBackup(f"The backup is of another form than {FORMAT}: an older or newer program made it.")
        return Manifest(**{**told, "head": Head(*told["head"])})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadBackup(f"{MANIFEST} is not the manifest of a backup.") from error


def files_inside(folder: Path) -> Iterator[str]:
    """The files of the folder by name. Raises BadBackup for anything else: links lead elsewhere."""
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            yield str(path.relative_to(folder))
        elif not stat.S_ISDIR(mode):
            raise BadBackup(f"{path} is neither a file nor a folder.")


def digest_in(folder: Path, name: str) -> str:
    try:
        return sha256_of_file(folder / name)
    except OSError as error:
        raise BadBackup(f"{name} cannot be read: {error.strerror}.") from error
