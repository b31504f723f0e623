"""Make an installation of a backup: check all of it, then files, database, tables of this program, and prove both."""

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from audit.keeping.selfcheck import describe_finding, fault_of_file
from audit.keeping.stored_files import CARRIED, FILES, sha256_of_file, stored_files
from audit.proof.verification import verify
from docintel_site.backups import programs
from docintel_site.backups.making import copy_file
from docintel_site.backups.manifest import DATABASE, HEADS, KEY, BadBackup, Manifest, read_backup
from documents.storage.whole import keep_safe
from ledger.chain import digest_of
from ledger.heads import BadHeadFile, last_head, read_heads

Tell = Callable[[str], None]


class NotRestored(Exception):
    """The backup was not restored, or what was restored is not what was backed up; the message is for people."""


@dataclass(frozen=True)
class Restored:
    """What a restored installation has, and what somebody still has to do."""

    sentences: list[str]
    to_do: list[str]


def restore_backup(folder: Path, tell: Tell) -> Restored:
    """Restore a backup into an empty database; all of it is checked before anything is written.

    Raises BadBackup or NotRestored.
    """
    if tables := tables_in_database():
        raise NotRestored(
            f"The database has tables already ({', '.join(tables[:3])}, …). A backup is restored into an empty one: "
            "set DOCINTEL_HOME to a new folder, or DATABASE_URL to a new database."
        )
    tell(f"Checking every file of {folder} …")
    manifest = read_backup(folder)
    refuse_if_newer(manifest)
    key = key_in_environment()
    targets = {name: target_of(name) for name in manifest.files if name != DATABASE}
    refuse_other_files(manifest, targets)
    tell(f"Writing {len(targets):,} files …")
    try:
        for name, target in targets.items():
            place_file(folder / name, target, manifest.files[name])
        tell("Writing the database …")
        programs.load_dump(folder / DATABASE)
    except programs.NoProgram as error:
        raise NotRestored(f"The database is as empty as before. {error}") from error
    except OSError as error:
        raise NotRestored(f"{error.filename or folder} cannot be written: {error.strerror}.") from error
    tell("Bringing the tables up to date …")
    call_command("migrate", interactive=False, verbosity=0)
    tell("Verifying the ledger and every file …")
    return prove(manifest, key)


def tables_in_database() -> list[str]:
    return sorted(connection.introspection.table_names())


def refuse_if_newer(manifest: Manifest) -> None:
    """An older program has no way back over the migrations of a newer one."""
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if unknown := sorted(set(manifest.migrations) - known):
        raise NotRestored(
            f"A newer program made this backup ({manifest.program}): its tables have {unknown[0]}, which this one "
            "does not know. Restore it with that program or a newer one."
        )


def target_of(name: str) -> Path:
    if name.startswith(FILES):
        return Path(settings.MEDIA_ROOT) / name.removeprefix(FILES)
    if name.startswith(CARRIED):
        return Path(settings.CARRIED_ROOT) / name.removeprefix(CARRIED)
    if name == HEADS:
        return Path(settings.LEDGER_HEADS)
    if name == KEY:
        return Path(settings.HOME) / KEY
    raise BadBackup(f"{name} belongs nowhere.")


def key_in_environment() -> str:
    """The secret key, if it is named by DOCINTEL_SECRET_KEY and not by the file that each installation makes."""
    file = Path(settings.HOME) / KEY
    is_from_file = file.exists() and file.read_text().strip() == settings.SECRET_KEY
    return "" if is_from_file else settings.SECRET_KEY


def refuse_other_files(manifest: Manifest, targets: dict[str, Path]) -> None:
    """Nothing that stands here is written over, but for the key that this command itself has made."""
    for name, target in targets.items():
        if name not in (HEADS, KEY) and target.exists() and sha256_of_file(target) != manifest.files[name]:
            raise NotRestored(f"{target} exists and is another file; set DOCINTEL_HOME to a new folder.")


def place_file(source: Path, target: Path, sha256: str) -> None:
    """Copy a file, whole or not at all; heads of the ledger that are here already stay."""
    if target.exists() and (source.name == HEADS or sha256_of_file(target) == sha256):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if copy_file(source, part) != sha256:
            raise NotRestored(f"{source} was changed while it was restored; the database is as empty as before.")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    keep_safe(target.parent)


# ---- what was restored is what was backed up


def prove(manifest: Manifest, key: str) -> Restored:
    """Hold ledger and files against the manifest and the rows. Raises NotRestored."""
    try:
        here = read_heads(settings.LEDGER_HEADS) if settings.LEDGER_HEADS.exists() else []
        newest = last_head(settings.LEDGER_HEADS)
    except BadHeadFile as error:
        raise NotRestored(f"The backup is restored, and its ledger not verified. {error}") from error
    head = manifest.head
    expected = [each for each in (head, *here) if 0 < each.sequence <= head.sequence]
    report = verify(expected=expected)
    if not report.ok:
        raise NotRestored(f"The backup is restored, and its ledger does not verify. {report.sentence}")
    stored = list(stored_files())
    faults = {each.name: describe_finding(asdict(fault)) for each in stored if (fault := fault_of_file(each))}
    known, head_text = {*manifest.missing, *manifest.changed}, f"#{head.sequence} {head.hash}"
    if new := [fault for name, fault in faults.items() if name not in known]:
        raise NotRestored(f"The backup is restored, and {len(new):,} files are not as recorded. First: {new[0]}.")
    return Restored(
        [
            f"The database as of {manifest.created_at}, by program {manifest.program}; its tables are up to date.",
            f"{report.verification.checked:,} entries of the ledger verified. Head of the backup: {head_text}",
            f"{len(stored) - len(faults):,} of {len(stored):,} files are as recorded.",
            *(f"{fault}. So it was when the backup was made." for fault in faults.values()),
        ],
        list(what_to_do(manifest, newest.sequence if newest else 0, key)),
    )


def what_to_do(manifest: Manifest, newest: int, key: str) -> Iterator[str]:
    if newest > manifest.head.sequence:
        yield (
            f"{settings.LEDGER_HEADS} reaches to entry {newest:,}: what was recorded after entry "
            f"{manifest.head.sequence:,} is not in this backup. Keep that file elsewhere as proof and move it away, or "
            "the hourly check will rightly say that the end of the record is missing."
        )
    if KEY not in manifest.files:
        yield (
            f"Put the secret key of the old installation into {Path(settings.HOME) / KEY}, or DOCINTEL_SECRET_KEY. "
            "Without it second factors have to be set up anew, and everybody signs in again."
        )
    elif key and digest_of(key.encode()) != manifest.files[KEY]:
        yield "DOCINTEL_SECRET_KEY is not the key of the backup: set it to that one, or unset it."
    if settings.DATABASE_URL:
        yield "Run manage.py restrict_database if the program works as a role of its own; compose's `prepare` does."
    yield "Start with bin/run or docker compose up, and look at Status. Page images and the encoder are made again."
