"""Write the archive of a base: its originals, its settings and words, and its records with the chain they are in."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TypedDict

from django.utils import timezone

from audit.carrying.belongings import carried_documents, describe_base, describe_conversations, describe_document
from audit.carrying.checker import BROUGHT, EXPORTED, FORMAT, MANIFEST, ORIGINALS, RECORDS, WITH_BROUGHT
from audit.carrying.keeping import NotKept, import_of, open_kept, path_of
from audit.carrying.records import read_entries, record_line, subjects_of_base, subjects_of_run
from audit.keeping.stored_files import sha256_of_file
from audit.models import CarriedArchive
from audit.proof.evidence import VERIFIER, write_chain
from documents.access import actor_of
from documents.models import Document, KnowledgeBase
from ledger.chain import digest_of, time_text
from ledger.events import record
from ledger.models import Entry
from retrieval.models import RetrievalRun
from retrieval.version import program_version

CHECKER = Path(__file__).with_name("checker.py")
SHARED = "from audit.proof.verifier import StampClock, add_stamp_options, chosen_stamps\n"  # of the checker
PIECE = 1_048_576
PACKED_ALREADY = zipfile.ZIP_STORED  # PDFs are
README = """\
A base of DocIntel, as it was exported.

base.json             its name, settings, expert dictionary, rules of reading and guidance for the model
documents.jsonl       the documents: title, tags, card, file name, SHA-256, and which one replaced which
files/                the original files, named by the document's id
conversations.jsonl   the conversations, with the ids of runs and answers
records/              one file for each run, with all that was recorded of it, and base.jsonl with the rest; "content"
                      of each line is, byte for byte, what the ledger vouches for
brought/              what it had itself brought along from other installations, in the same form without originals
manifest.json         the SHA-256 of every file above
export.json           what the ledger recorded when this archive was made, with the SHA-256 of manifest.json
ledger.jsonl          the entries of the ledger from the first of these records to that one, or a little further

Into another installation:  manage.py import_base ARCHIVE.zip --head HEADS.jsonl
To check it without one:    python3 verify.py ARCHIVE.zip --head HEADS.jsonl
or with time stamps:        python3 verify.py ARCHIVE.zip --stamps HEADS.jsonl --authority ROOT.pem

Take verify.py from the DocIntel project rather than from here if you do not trust who made the archive, and the heads
from where they were kept out of reach of whoever runs the installation it is from. Stamped heads (ledger-heads.jsonl of
that installation) may come from anybody; the root certificate is that of the time-stamping authority, from itself.
"""


class CannotExport(Exception):
    """The base cannot be exported as it is; the message is for people."""


class ArchiveWriter:
    """Writes a zip and collects its manifest and the first entry of the chain it needs."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self.zip = file
        self.files: dict[str, str] = {}
        self.first: int | None = None

    def add(self, name: str, pieces: Iterable[bytes], packing: int = zipfile.ZIP_DEFLATED) -> None:
        digest, about = hashlib.sha256(), zipfile.ZipInfo(name, timezone.now().timetuple()[:6])
        about.compress_type = packing
        with self.zip.open(about, "w", force_zip64=True) as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
        self.files[name] = digest.hexdigest()

    def add_records(self, name: str, entries: list[Entry]) -> None:
        self.add(name, map(record_line, entries))
        if entries:
            self.first = min(self.first or entries[0].sequence, entries[0].sequence)


class ArchiveTold(TypedDict):
    """What the ledger says of an archive: the digest of its manifest, and how many of each are in it."""

    manifest: str
    documents: int
    questions: int
    brought: int
    lost: int  # of what came from elsewhere
    left_out: int


def write_archive(base: KnowledgeBase, out: IO[bytes]) -> ArchiveTold:
    """Write and record the archive of a base; return what the ledger says of it. Raises CannotExport, Altered.

    1. settings, words, documents  2. the records of each run and of the base  3. the manifest of all these  4. the
    record that this archive was made, which names the manifest's digest  5. the chain from the first record to that one

    What is recorded while it is written may be in it or not. Nothing is in one transaction, which could take hours.
    """
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        archive = ArchiveWriter(file)
        archive.add("README.txt", [README.encode()])
        archive.add("verify.py", [write_checker().encode()])
        archive.add("base.json", [json.dumps(describe_base(base), ensure_ascii=False, indent=1).encode()])
        documents = carried_documents(base)
        for document in documents:
            archive.add(f"{ORIGINALS}{document.pk}", read_original(document), PACKED_ALREADY)
        archive.add("documents.jsonl", json_lines_of(map(describe_document, documents)))
        archive.add("conversations.jsonl", json_lines_of(describe_conversations(base)))
        runs, left_out = add_runs(archive, base)
        carried = list(CarriedArchive.objects.filter(base=base, removed_at=None).order_by("created_at"))
        whole = [brought for brought in carried if add_brought(archive, brought)]
        lost = [f"carried_archive:{brought.pk}" for brought in carried if brought not in whole]
        manifest = {
            "format": WITH_BROUGHT if whole else FORMAT,
            "base": {"id": str(base.pk), "name": base.name},
            "exported_at": time_text(timezone.now()),
            "program": program_version(),
            "documents": len(documents),
            "runs": runs,
            "left_out": left_out + lost,  # records without a ledger entry, which nobody could vouch for, and lost files
            "files": archive.files,
        }
        written = json.dumps(manifest, indent=1, sort_keys=True).encode()
        file.writestr(MANIFEST, written)
        told: ArchiveTold = {
            "manifest": digest_of(written),
            "documents": len(documents),
            "questions": runs,
            "brought": len(whole),
            "lost": len(lost),
            "left_out": len(left_out),
        }
        event = record(EXPORTED, actor_of(None), f"base:{base.pk}", told)
        recorded = Entry.objects.get(kind="event", subject_id=str(event.pk))
        write_chain(file, recorded, min(archive.first or recorded.sequence, recorded.sequence))
    return told


def write_checker() -> str:
    """The checker as a file that stands alone: the stamps of the verifier of packs stand in it, with their imports."""
    program, verifier = CHECKER.read_text(), VERIFIER.read_text()
    imports, _, rest = program.partition(SHARED)
    stamps = verifier.partition("# ---- stamps")[2].partition("# ---- the verdict")[0]
    needed = [line for line in verifier.splitlines(keepends=True) if line.startswith("import ")]
    added = "".join(line for line in needed if line not in imports)
    return f"{imports}{added}\n# ---- stamps{stamps.rstrip()}\n\n\n# ---- the archive\n{rest}"


def add_runs(archive: ArchiveWriter, base: KnowledgeBase) -> tuple[int, list[str]]:
    """Add the records; return the number of runs, and what has no ledger entry."""
    entries, missing = read_entries(subjects_of_base(base))
    archive.add_records(f"{RECORDS}base.jsonl", entries)
    runs, order = 0, RetrievalRun.objects.filter(base=base).order_by("created_at", "pk")
    for run_id in list(order.values_list("pk", flat=True)):
        run = RetrievalRun.objects.only("parsed", "plan").get(pk=run_id)
        entries, without = read_entries(subjects_of_run(run))
        missing += without
        if ("run", run_id) in without:
            continue
        archive.add_records(f"{RECORDS}{run_id}.jsonl", entries)
        runs += 1
    return runs, [f"{kind}:{pk}" for kind, pk in missing]


def add_brought(archive: ArchiveWriter, brought: CarriedArchive) -> bool:
    """Add what is kept of an archive from elsewhere; False if it is gone or is not what came. Raises CannotExport."""
    try:
        if sha256_of_file(path_of(brought)) != import_of(brought).get("kept"):
            return False
    except OSError:
        return False
    try:
        with open_kept(brought) as kept:
            for name in kept.namelist():
                with kept.open(name) as packed:
                    archive.add(f"{BROUGHT}{brought.pk}/{name}", iter(partial(packed.read, PIECE), b""))
    except NotKept as error:  # since it was looked at above
        raise CannotExport(f"The records that came with “{brought.from_name}” cannot be read.") from error
    return True


def read_original(document: Document) -> Iterator[bytes]:
    """The bytes of a document's file. Raises CannotExport if they are gone or are not those that were stored."""
    digest = hashlib.sha256()
    try:
        with document.file.open("rb") as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                yield piece
    except OSError as error:
        raise CannotExport(f"The file of “{document.title}” cannot be read: {error.strerror}.") from error
    if digest.hexdigest() != document.sha256:
        raise CannotExport(f"The file of “{document.title}” is not the one that was stored.")


def json_lines_of(values: Iterable[dict[str, object]]) -> Iterator[bytes]:
    return (json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)
