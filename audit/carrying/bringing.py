"""Take an archive in: check all of it, make the base, keep its records, then read its files by ordinary ingestion."""

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import User
from audit.carrying.belongings import ToldBase
from audit.carrying.checker import (
    IMPORTED,
    ORIGINALS,
    RECORDS,
    Archive,
    BadArchive,
    CheckedArchive,
    archives_within,
    check_archive,
    parse_json,
    read_lines,
    read_whole,
    without_salt,
)
from audit.carrying.keeping import keep_file, path_of
from audit.carrying.restoring import NAME_MAX, ToldDocument, make_base, restore_document
from audit.models import CarriedArchive, CarriedRun
from chat.models import Answer
from chat.page.outcomes import outcome_of_run
from documents.access import actor_of, clean_base_name
from documents.ingestion.conductor import finish
from documents.ingestion.queueing import queue_again
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage.passwords import awaits_password
from documents.storage.temporary import nameless_file
from documents.storage.uploads import DuplicateDocument, UploadRefused, accept_upload, refusal_of_size
from ledger.events import record
from retrieval.models import RetrievalRun

RUNS_AT_ONCE = 500
WANTED = ("run", "answer")
PIECE = 1_048_576
Tell = Callable[[str], None]


def bring_base(
    path: Path, *, name: str = "", owner: User | None = None, heads: list[dict[str, Any]], tell: Tell
) -> tuple[CarriedArchive, int]:
    """Make a base of an archive; return what is kept of it and how many files could not be read.

    The same archive under the same name goes on where it stopped, and does nothing once it is finished. Raises
    BadArchive or CannotRestore before anything is stored.
    """
    with path.open("rb") as raw, zipfile.ZipFile(raw) as file:
        found = check_archive(file, heads)
        if not found.has_originals:
            raise BadArchive("its originals are not in it: it is what an import kept, and no whole archive")
        name = clean_base_name(name or str(found.manifest["base"]["name"]))[:NAME_MAX]
        read = parse_json("base.json", read_whole(file, "base.json"))
        if not isinstance(read, dict):
            raise BadArchive("base.json does not have the form it should have")
        told = cast("ToldBase", read | {"name": name})
        documents = [ToldDocument.read(each, told) for each in read_lines(file, "documents.jsonl")]
        archive = begin_import(raw, file, found, told, owner)
        failed = 0 if archive.finished_at else read_documents(file, archive, documents, owner, tell)
    return archive, failed


def find_begun(found: CheckedArchive, name: str) -> CarriedArchive | None:
    """The archive as the one that a living base of the name was made of: the first of those it brought along."""
    living = KnowledgeBase.objects.living().filter(name=name)
    rows = CarriedArchive.objects.filter(manifest_sha256=found.manifest_sha256, base__in=living)
    return next((row for row in rows.select_related("base") if row == row.base.carried.last()), None)


def begin_import(
    raw: BufferedReader, file: zipfile.ZipFile, found: CheckedArchive, told: ToldBase, owner: User | None
) -> CarriedArchive:
    """The new base with what is kept of the archive and the entry that says so, or the one that was begun before."""
    kept: list[Path] = []
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:  # of two at once the second finds the first one's base
                cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [found.manifest_sha256])
            if begun := find_begun(found, told["name"]):
                return begun
            base = make_base(told, owner)
            raw.seek(0)
            digest = hashlib.file_digest(raw, "sha256").hexdigest()
            archive = keep_archive(file, found, base, owner, digest, kept)
            files = archives_within(file)
            for folder, brought in found.brought.items():
                within = keep_archive(files[folder], brought, base, owner, digest, kept)
                within.finished_at = timezone.now()  # its documents are those of the base
                within.save(update_fields=["finished_at"])
    except BaseException:
        for path in kept:
            path.unlink(missing_ok=True)
        raise
    return archive


def keep_archive(
    file: Archive, found: CheckedArchive, base: KnowledgeBase, owner: User | None, digest: str, kept: list[Path]
) -> CarriedArchive:
    """Keep the records of an archive and list its runs, on record. `kept` gets the path of the file first."""
    archive = CarriedArchive.objects.create(base=base, **archive_fields(found))
    rows = runs_in(file, archive)
    while batch := list(islice(rows, RUNS_AT_ONCE)):
        CarriedRun.objects.bulk_create(batch)
    kept.append(path_of(archive))
    details = {
        "name": base.name,
        "from": archive.from_name,
        "archive": digest,
        "manifest": archive.manifest_sha256,
        "kept": keep_file(file, path_of(archive)),
        "head": f"{archive.head_sequence} {archive.head_hash}",
        "vouched_to": max(found.vouched_to, found.told_to),
        "vouched_by": found.vouched_by,
        "questions": archive.runs.count(),
    }
    record(IMPORTED, actor_of(owner), f"base:{base.pk}", details)
    return archive


def archive_fields(found: CheckedArchive) -> dict[str, object]:
    said = found.manifest
    try:
        return {
            "from_base": UUID(said["base"]["id"]),
            "from_name": clean_base_name(str(said["base"]["name"]))[:NAME_MAX],
            "exported_at": datetime.fromisoformat(said["exported_at"]),
            "program": str(said["program"])[:80],
            "manifest_sha256": found.manifest_sha256,
            "head_sequence": found.last,
            "head_hash": found.head,
            "is_vouched": found.vouched_by != "",
        }
    except (KeyError, TypeError, ValueError) as error:
        raise BadArchive(f"its manifest does not have the form it should have ({error!r})") from error


# ---- the list of runs


def runs_in(file: Archive, archive: CarriedArchive) -> Iterator[CarriedRun]:
    """One row for each run; its question and outcome are told from the vouched records."""
    for name in file.namelist():
        if not name.startswith(RECORDS) or name == f"{RECORDS}base.jsonl":
            continue
        records = {each["kind"]: without_salt(each) for each in read_lines(file, name) if each["kind"] in WANTED}
        try:
            yield row_of(archive, records["run"]["run"], records.get("answer") or {})
        except (KeyError, TypeError, ValueError) as error:
            raise BadArchive(f"{name} does not have the form it should have ({error!r})") from error


def row_of(archive: CarriedArchive, run: dict[str, Any], answer: dict[str, Any]) -> CarriedRun:
    judged = {name: run[name] for name in ("status", "answerable", "plan", "arbiter", "arbiter_status")}
    given = {"kind": "", "ended": "complete", "items": []} | answer
    told = Answer(kind=given["kind"], ended=given["ended"], items=given["items"])
    outcome = outcome_of_run(RetrievalRun(**judged), told)
    return CarriedRun(
        archive=archive,
        run_id=UUID(run["id"]),
        question=str(run["question"]),
        outcome=outcome[:20],
        asked_by_name=str(run["asked_by_name"])[:254],
        asked_at=datetime.fromisoformat(run["created_at"]),
    )


# ---- the documents


def read_documents(
    file: zipfile.ZipFile, archive: CarriedArchive, documents: list[ToldDocument], owner: User | None, tell: Tell
) -> int:
    """Read the files that are not read yet, one after the other; return how many could not be, locked ones aside."""
    failed = 0
    for told in documents:
        if told.id in archive.documents:
            continue
        try:
            document = read_original_anew(file, archive, told, owner)
        except UploadRefused as refusal:
            failed += 1
            tell(f"{told.file_name}: {refusal.message}")
            continue
        lost = restore_document(document, told, owner)
        if document.current_parse_id:
            outcome = f"is ready, {document.title!r}"
        elif awaits_password(document.jobs.first()):
            outcome = "waits for its password, which its page takes"
        else:
            failed, outcome = failed + 1, "could not be read"
        tell(f"{told.file_name}: {outcome}")
        for name in lost:
            tell(f"{told.file_name}: its value of {name!r}, {told.noted[name]!r}, has no field here to be put in")
        archive.documents[told.id] = str(document.pk)
        archive.save(update_fields=["documents"])
    archive.finished_at = timezone.now()
    archive.save(update_fields=["finished_at"])
    return failed


def read_original_anew(
    file: zipfile.ZipFile, archive: CarriedArchive, told: ToldDocument, owner: User | None
) -> Document:
    """Take one original in and read it here, as `ingest` does; the same bytes give the same document."""
    older = Document.objects.filter(pk=archive.documents.get(told.replaces), trashed_at=None).first()
    if file.getinfo(f"{ORIGINALS}{told.id}").file_size > settings.UPLOAD_MAX_BYTES:
        raise refusal_of_size()
    with nameless_file() as original:
        with file.open(f"{ORIGINALS}{told.id}") as packed:
            shutil.copyfileobj(packed, original, PIECE)
        original.seek(0)
        try:
            uploaded = File(original, name=told.file_name)
            document = accept_upload(
                archive.base,
                owner,
                uploaded,
                replaces=older,
                cutting=told.cutting,
                contents_source=told.contents_source,
            )
        except DuplicateDocument as duplicate:
            document = duplicate.document
    job = document.jobs.filter(state__in=(IngestJob.State.QUEUED, IngestJob.State.RUNNING)).first()
    if job is None and document.current_parse_id is None:
        job = queue_again(document)
    return finish(job) if job else document
