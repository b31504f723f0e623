"""Write a backup while the site runs: the database, the files its rows name, and what proves both."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from audit.keeping.stored_files import sha256_of_file, stored_files
from docintel_site.backups import programs
from docintel_site.backups.manifest import DATABASE, HEADS, KEY, Manifest, write_file
from documents.storage.whole import keep_safe
from ledger import chain
from ledger.chain import Head, time_text
from ledger.events import record
from ledger.heads import BadHeadFile, check_head_line, read_head_lines
from retrieval.version import program_version

PIECE = 1_048_576
MADE = "backup_made"


class CannotBackUp(Exception):
    """The backup was not made and nothing is left of it; the message is for people."""


def make_backup(folder: Path, *, with_key: bool) -> tuple[Manifest, str]:
    """Write a backup to a new folder, whole or not at all; return its manifest and that one's SHA-256."""
    if folder.exists():
        raise CannotBackUp(f"{folder} exists; name a new folder.")
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        part.mkdir(mode=0o700)
        manifest = fill(part, with_key=with_key)
        digest = manifest.write(part)
        for inside in (part, *(path for path in part.rglob("*") if path.is_dir())):
            keep_safe(inside)
        part.rename(folder)
        keep_safe(folder.parent)
        # After its own head, so that only this installation knows of it: what is restored of it has no backup yet.
        record(MADE, "console", "installation", {"head": manifest.head.sequence, "manifest": digest})
    except OSError as error:
        raise CannotBackUp(f"The backup cannot be written to {folder}: {error.strerror} ({error.filename}).") from error
    except (programs.NoProgram, BadHeadFile) as error:
        raise CannotBackUp(str(error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return manifest, digest


def fill(part: Path, *, with_key: bool) -> Manifest:
    files: dict[str, str] = {}
    missing: dict[str, str] = {}
    changed: dict[str, str] = {}
    with snapshot() as name:
        head, migrations, stored = chain.head(), applied_migrations(), list(stored_files())
        programs.write_dump(part / DATABASE, name)
    os.chmod(part / DATABASE, 0o600)
    keep_safe(part / DATABASE)
    files[DATABASE] = sha256_of_file(part / DATABASE)
    for each in stored:
        try:
            files[each.name] = copy_file(each.path, part / each.name)
        except FileNotFoundError:
            if each.has_row():  # otherwise it was deleted for good meanwhile
                missing[each.name] = each.subject
            continue
        if each.sha256 and files[each.name] != each.sha256:
            changed[each.name] = each.subject
    if heads := heads_until(head):
        files[HEADS] = write_file(part / HEADS, heads)
    if with_key:
        files[KEY] = write_file(part / KEY, settings.SECRET_KEY.encode())
    return Manifest(time_text(timezone.now()), program_version(), head, migrations, files, missing, changed)


@contextmanager
def snapshot() -> Iterator[str]:
    """One state of the database for everything that is read, by pg_dump too, whatever is written meanwhile."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]


def applied_migrations() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def copy_file(source: Path, target: Path) -> str:
    """Copy a file, wait until it is on the disk, and return its SHA-256. Raises OSError."""
    hashed = hashlib.sha256()
    with source.open("rb") as file:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
            while piece := file.read(PIECE):
                hashed.update(piece)
                copy.write(piece)
            copy.flush()
            os.fsync(copy.fileno())
    return hashed.hexdigest()


def heads_until(head: Head) -> bytes:
    """The exported heads, with their time stamps, that the dumped chain reaches to; later ones it could not hold."""
    path: Path = settings.LEDGER_HEADS
    if not path.exists():
        return b""
    lines = [(check_head_line(line, str(path), None), line) for _, line in read_head_lines(path)]
    kept = [line for each, line in lines if each.sequence <= head.sequence]
    return "".join(f"{' '.join(line.splitlines())}\n" for line in kept).encode()
