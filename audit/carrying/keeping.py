"""What an installation keeps of an archive it took in: all but the originals, in a file that is only read."""

import hashlib
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from audit.carrying.checker import (
    BROUGHT,
    IMPORTED,
    MANIFEST,
    ORIGINALS,
    RECORDS,
    Archive,
    BadArchive,
    parse_json,
    read_whole,
)
from audit.models import CarriedArchive, CarriedRun
from audit.runs.listing import RUNS_A_PAGE, RunKey
from documents.access import actor_of
from documents.keyset import rows_after
from documents.models import KnowledgeBase
from ledger.chain import digest_of
from ledger.events import record
from ledger.holds import refuse_when_held
from ledger.models import Event

REMOVED = "carried_removed"
ORDER = ("-asked_at", "-run_id")


class NotKept(Exception):
    """The record is not there, or the file is not the one that came; the message is for people."""


def path_of(archive: CarriedArchive) -> Path:
    return Path(settings.CARRIED_ROOT) / f"{archive.pk}.zip"


def keep_file(file: Archive, path: Path) -> str:
    """Copy an archive without its originals, which live on as documents, and without what is kept beside it.

    Returns the SHA-256 of the copy.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as kept:
            for name in file.namelist():
                if name.startswith((ORIGINALS, BROUGHT)):
                    continue
                with file.open(name) as packed, kept.open(name, "w", force_zip64=True) as copy:
                    shutil.copyfileobj(packed, copy)
        out.flush()
        os.fsync(out.fileno())
        out.seek(0)
        return hashlib.file_digest(out, "sha256").hexdigest()


def read_record(archive: CarriedArchive, run_id: UUID) -> bytes:
    """All that came of one run, byte for byte, held against the manifest the ledger names. Raises NotKept."""
    name = f"{RECORDS}{run_id}.jsonl"
    with open_kept(archive) as file:
        content = read_whole(file, name)
        manifest = read_whole(file, MANIFEST)
    listed = (
        parse_json(MANIFEST, manifest)["files"] if digest_of(manifest) == import_of(archive).get("manifest") else {}
    )
    if listed.get(name) != digest_of(content):
        raise NotKept(gettext("This record is not the one that was brought along: the file was changed since."))
    return content


@contextmanager
def open_kept(archive: CarriedArchive) -> Iterator[zipfile.ZipFile]:
    """Raises NotKept for whatever cannot be read."""
    try:
        with zipfile.ZipFile(path_of(archive)) as file:
            yield file
    except (OSError, zipfile.BadZipFile, BadArchive, KeyError, ValueError) as error:
        raise NotKept(gettext("The file with these records cannot be read.")) from error


def import_of(archive: CarriedArchive) -> dict[str, Any]:
    """What the entry of the import has of an archive: the row could be altered."""
    events = Event.objects.filter(kind=IMPORTED, subject=f"base:{archive.base_id}")
    event = events.filter(details__manifest=archive.manifest_sha256).first()
    return event.details if event else {}


def vouched_by(archive: CarriedArchive) -> str:
    """ "head" for one that was given with the import, "installation" for the word of the one it came through, or ""."""
    by: str = import_of(archive).get("vouched_by", "head" if archive.is_vouched else "")  # older events have none
    return by


def list_carried_runs(base: KnowledgeBase, after: RunKey | None) -> tuple[list[CarriedRun], RunKey | None]:
    """A page of the runs a base brought along, newest first, and where the next begins."""
    runs = CarriedRun.objects.filter(archive__base=base).select_related("archive").order_by(*ORDER)
    if after:
        runs = rows_after(runs, ORDER, after)
    rows = list(runs[: RUNS_A_PAGE + 1])
    has_more = len(rows) > RUNS_A_PAGE
    shown = rows[:RUNS_A_PAGE]
    return shown, RunKey(shown[-1].asked_at, shown[-1].run_id) if has_more else None


def remove_records(archive: CarriedArchive, by: User, reason: str) -> None:
    """Delete what was kept of an archive, on record; the base and its documents stay. Raises Held."""
    with transaction.atomic():
        refuse_when_held(f"base:{archive.base_id}")
        told = {"name": archive.from_name, "questions": archive.runs.count(), "reason": reason}
        archive.runs.all().delete()
        archive.removed_at = timezone.now()
        archive.save(update_fields=["removed_at"])
        record(REMOVED, actor_of(by), f"base:{archive.base_id}", told)
        transaction.on_commit(partial(path_of(archive).unlink, missing_ok=True))
