"""Check the archive of a base of DocIntel with nothing but Python's standard library.

    python3 verify.py ARCHIVE.zip --head HEADS.jsonl
    python3 verify.py ARCHIVE.zip --stamps HEADS.jsonl --authority ROOT.pem

HEADS.jsonl holds heads of the exporter's ledger: for --head they were kept where nobody who could alter the archive can
write; for --stamps they may come from anybody, since only those count that a time-stamping authority (RFC 3161) has
stamped. Its root certificate is ROOT.pem; have it from the authority. Stamps are checked with the program openssl. The
exit code says the verdict:

0  OK               everything fits, and heads or stamps vouch for every record and for the archive as it was made
1  BAD              something does not fit, or may not be unpacked; the first such thing is named
2                   a file that was given cannot be read
3  CONSISTENT ONLY  nothing contradicts the rest, but nobody outside vouches for all of it: an archive that was invented
                    from beginning to end looks the same

What is checked:

1. the archive has only files that belong in one, none twice, and does not unpack to more than it may
2. every file has the SHA-256 its manifest gives, none is missing and none was added; an archive that an importing
   installation kept has neither originals nor what was brought along before it
3. the ledger entries follow one another without a hole, and each hash fits
4. each record has the digest its ledger entry holds, or, once its words were erased, the digest the erasure recorded
5. the manifest is the one the ledger recorded when the archive was made
6. with --head, the chain holds the entries of these heads, and one of them is at or after every entry that is needed.
   A head may be of the chain of an archive within (8.) instead; one that fits none of the chains it could be of is a
   fault
7. with --stamps, the first stamp at or after each entry is of at most 24 hours (--within) after the time the entry
   bears, and stamps go on without a longer pause. Nobody gets a stamp of yesterday: whoever rewrote what is older, with
   all hashes and signatures after it, has no stamp in time for it. --stamped-since says from when on this is so: what
   is older than that is vouched for by no stamp
8. what the base had itself brought along from elsewhere fits by 1. to 5., none of it is there twice, and a record of
   the base names its manifest. It is vouched for by a head of its own ledger that you gave, or else by the word of the
   exporter, whose record says up to where such a head vouched for it when it came
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from audit.proof.verifier import StampClock, add_stamp_options, chosen_stamps

FORMAT = "docintel-base-1"
WITH_BROUGHT = "docintel-base-2"  # the same with archives within, which programs before it do not know
LEDGER = "docintel-ledger-1"
MANIFEST, CHAIN, EXPORT = "manifest.json", "ledger.jsonl", "export.json"
UNLISTED = {MANIFEST, CHAIN, EXPORT}  # they prove themselves
ORIGINALS, BROUGHT, RECORDS = "files/", "brought/", "records/"
ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
KEPT = (
    r"manifest\.json|export\.json|ledger\.jsonl|base\.json|documents\.jsonl|conversations\.jsonl|verify\.py|README\.txt"
    rf"|records/base\.jsonl|records/{ID}\.jsonl"
)
NAME = re.compile(rf"(?:brought/{ID}/)?(?:{KEPT})|files/{ID}")
HASHED = ("sequence", "kind", "subject_id", "payload_digest", "previous_hash", "time")
EXPORTED, IMPORTED, ERASED = "base_exported", "base_imported", "erased"  # kinds of events
FILES_MAX = 2_000_000
BROUGHT_MAX = 200  # archives within: a move adds one
NAMED_MAX = 5  # of what is not in it
UNPACKED_MAX = 50_000_000_000  # bytes, of all files
WHOLE_MAX = 500_000_000  # bytes of a file that is read at once
LINE_MAX = 100_000_000
RATIO_MAX = 200  # unpacked bytes for a packed one, of a file over RATIO_FROM: text of ours comes to 50
RATIO_FROM = 10_000_000
PIECE = 1_048_576
OK, BAD, UNREADABLE, CONSISTENT = 0, 1, 2, 3


class BadArchive(Exception):
    """The archive is refused; the message says why."""


class BadHeads(Exception):
    """A file that was given with it is not what it should be."""


@dataclass(frozen=True)
class RecordClaim:
    """What a record says of itself: which ledger entry vouches for it, and the digest of its content."""

    kind: str
    subject_id: str
    digest: str
    time: str  # that the record says it is of; empty where it says none


@dataclass
class CheckedArchive:
    """What was learned of an archive without a fault."""

    manifest: dict[str, Any]
    manifest_sha256: str
    records: int = 0
    has_originals: bool = True
    first: int = 0
    last: int = 0
    head: str = ""  # the hash of the last entry
    exported: int = 0  # the entry that vouches for the manifest
    vouched_to: int = 0  # the last entry that a given head vouches for
    told_to: int = 0  # of an archive within: the last one that the exporter says a head vouched for
    stamps: StampClock | None = None
    met: set[tuple[int, str]] = field(default_factory=set)  # the given heads that are entries of its chain
    contradicted: set[tuple[int, str]] = field(default_factory=set)  # those in whose place it has another entry
    brought: dict[str, CheckedArchive] = field(default_factory=dict)  # by folder, what the base was itself made from

    @property
    def is_vouched(self) -> bool:
        return self.vouched_to >= self.exported > 0 or self.is_stamped

    @property
    def vouched_by(self) -> str:
        """Who vouches for it: a head (or stamp), the installation it came through, or nobody ("")."""
        return "head" if self.is_vouched else "installation" if self.told_to >= self.exported > 0 else ""

    @property
    def is_stamped(self) -> bool:
        """Whether the stamps that were given vouch for all of it."""
        if self.stamps is None or self.stamps.pauses:
            return False
        return self.stamps.vouches_for(self.first) and self.stamps.vouches_for(self.exported)


@dataclass
class RecordClaims:
    """All that records claim, by the sequence of the entry, and what erasures left."""

    by_sequence: dict[int, list[RecordClaim]] = field(default_factory=dict)
    left: dict[tuple[str, str], int] = field(default_factory=dict)  # (subject, digest) by the sequence of the erasure
    imports: dict[str, int] = field(default_factory=dict)  # the last entry vouched for, by the digest of the manifest


class Archive(Protocol):
    """A zip file, or what stands in a folder of one."""

    def namelist(self) -> list[str]: ...

    def getinfo(self, name: str) -> zipfile.ZipInfo: ...

    def open(self, name: str) -> IO[bytes]: ...

    def read(self, name: str) -> bytes: ...


class ArchiveWithin:
    """An archive in a folder of another."""

    def __init__(self, file: zipfile.ZipFile, folder: str) -> None:
        self.file, self.folder = file, folder
        self.names: list[str] = []

    def namelist(self) -> list[str]:
        return self.names

    def getinfo(self, name: str) -> zipfile.ZipInfo:
        return self.file.getinfo(self.folder + name)

    def open(self, name: str) -> IO[bytes]:
        return self.file.open(self.folder + name)

    def read(self, name: str) -> bytes:
        return self.file.read(self.folder + name)


def archives_within(file: zipfile.ZipFile) -> dict[str, ArchiveWithin]:
    """By their folders, in one walk over the names."""
    within: dict[str, ArchiveWithin] = {}
    for name in file.namelist():
        if name.startswith(BROUGHT):
            folder = name[: name.index("/", len(BROUGHT)) + 1]
            within.setdefault(folder, ArchiveWithin(file, folder)).names.append(name.removeprefix(folder))
    return within


def check_archive(
    file: Archive,
    heads: list[dict[str, Any]],
    unpacked_max: int = UNPACKED_MAX,
    stamps: StampClock | None = None,
) -> CheckedArchive:
    """What an archive holds, if nothing in it contradicts the rest. Raises BadArchive at the first fault."""
    try:
        sizes = check_names(file, unpacked_max)
        raw = read_whole(file, MANIFEST)
        found = CheckedArchive(parse_json(MANIFEST, raw), hashlib.sha256(raw).hexdigest(), stamps=stamps)
        check_listed_files(file, found, sizes)
        claims = read_claims(file, found, sizes)
        check_archive_chain(file, found, claims, heads)
        if isinstance(file, zipfile.ZipFile):
            check_brought(file, found, claims, heads)
            refuse_contradicted(found)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        raise BadArchive(f"it cannot be unpacked: {error}") from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadArchive(f"a part of it does not have the form it should have ({error!r})") from error
    return found


# ---- the files


def check_names(file: Archive, unpacked_max: int) -> dict[str, int]:
    """1. The size of every file by its name."""
    names = file.namelist()
    if len(names) > FILES_MAX:
        raise BadArchive(f"it holds {len(names):,} files; at most {FILES_MAX:,} are read")
    sizes: dict[str, int] = {}
    for name in names:
        entry = file.getinfo(name)
        if not NAME.fullmatch(name):
            raise BadArchive(f"{name[:80]!r} is no name of a file of such an archive")
        if name in sizes:
            raise BadArchive(f"{name} is in it twice")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadArchive(f"{name} is encrypted or packed in an unknown way")
        if entry.file_size > RATIO_FROM and entry.file_size > RATIO_MAX * entry.compress_size:
            raise BadArchive(f"{name} unpacks to {entry.file_size:,} bytes from {entry.compress_size:,}")
        sizes[name] = entry.file_size
    if sum(sizes.values()) > unpacked_max:
        raise BadArchive(f"it unpacks to {sum(sizes.values()):,} bytes; at most {unpacked_max:,} are read")
    if missing := sorted(UNLISTED - {*sizes}):
        raise BadArchive(f"{missing[0]} is missing")
    return sizes


def check_listed_files(file: Archive, found: CheckedArchive, sizes: dict[str, int]) -> None:
    """2. The manifest and the files."""
    if found.manifest.get("format") not in (FORMAT, WITH_BROUGHT):
        known = f"known are {FORMAT} and {WITH_BROUGHT}"
        raise BadArchive(f"it is of the format {str(found.manifest.get('format'))[:40]!r}; {known}")
    listed = found.manifest["files"]
    originals = {name for name in listed if name.startswith((ORIGINALS, BROUGHT))}
    found.has_originals = not originals or not originals.isdisjoint(sizes)
    if {"base.json", "documents.jsonl", f"{RECORDS}base.jsonl"} - {*listed}:
        raise BadArchive(f"{MANIFEST} does not list what every archive has")
    expected = {*listed} - (set() if found.has_originals else originals)
    if missing := sorted(expected - {*sizes}):
        raise BadArchive(f"{missing[0]} is missing")
    if added := sorted({*sizes} - expected - UNLISTED):
        raise BadArchive(f"{added[0]} is not in the manifest: it was added")
    for name in sorted(expected):
        if digest_of_file(file, name) != listed[name]:
            raise BadArchive(f"{name} was changed: its SHA-256 is not the one in the manifest")


def digest_of_file(file: Archive, name: str) -> str:
    digest = hashlib.sha256()
    with file.open(name) as packed:
        while piece := packed.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def read_whole(file: Archive, name: str) -> bytes:
    if file.getinfo(name).file_size > WHOLE_MAX:
        raise BadArchive(f"{name} is larger than {WHOLE_MAX:,} bytes")
    return file.read(name)


def read_lines(file: Archive, name: str) -> Iterator[Any]:
    """The values of a file of JSON Lines."""
    with file.open(name) as packed:
        number = 0
        while line := packed.readline(LINE_MAX):
            number += 1
            if not line.endswith(b"\n"):
                raise BadArchive(f"{name} line {number} is too long, or does not end")
            yield parse_json(f"{name} line {number}", line)


def parse_json(where: str, content: bytes | str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadArchive(f"{where} is not JSON: {error}") from error


# ---- the records


def read_claims(file: Archive, found: CheckedArchive, sizes: dict[str, int]) -> RecordClaims:
    claims = RecordClaims()
    for name in sorted(name for name in sizes if name.startswith(RECORDS)):
        kinds = set()
        for record in read_lines(file, name):
            take_claim(claims, record, found.stamps is not None)
            kinds.add(record["kind"])
            found.records += 1
            if record["kind"] == "run":
                run = without_salt(record)["run"]
                if f"{RECORDS}{run['id']}.jsonl" != name or run["base_id"] != found.manifest["base"]["id"]:
                    raise BadArchive(f"{name} holds another run, or one of another base")
        if name != f"{RECORDS}base.jsonl" and "run" not in kinds:
            raise BadArchive(f"{name} holds no run")
    return claims


def take_claim(claims: RecordClaims, record: Any, has_stamps: bool) -> None:
    digest = hashlib.sha256(record["content"].encode()).hexdigest()
    claim = RecordClaim(record["kind"], record["id"], digest, time_told(record) if has_stamps else "")
    known = claims.by_sequence.setdefault(int(record["sequence"]), [])
    if claim not in known:
        known.append(claim)
    if claim.kind == "event":
        event = without_salt(record)
        if event["kind"] == ERASED:
            claims.left[event["subject"], event["details"]["left"]] = int(record["sequence"])
        elif event["kind"] == IMPORTED:
            claims.imports[event["details"].get("manifest", "")] = int(event["details"].get("vouched_to", 0))


def time_told(record: Any) -> str:
    """The time a record says it is of; empty where it says none."""
    content = without_salt(record)
    row = content["run"] if record["kind"] == "run" else content
    return str(row.get("created_at") or "")


def without_salt(record: Any) -> Any:
    """The content of a record as a value."""
    text = record["content"]
    text = text.partition("\n")[2] if text.startswith("salt ") else text
    return parse_json(f"the {record['kind']} {record['id']}", text)


# ---- the chain


def check_archive_chain(
    file: Archive, found: CheckedArchive, claims: RecordClaims, heads: list[dict[str, Any]]
) -> None:
    """3. to 6. The chain, and what its entries vouch for."""
    given: dict[int, set[str]] = {}
    for head in heads:
        given.setdefault(head["sequence"], set()).add(head["hash"])
    waiting = dict(claims.by_sequence)
    export = read_whole(file, EXPORT)
    for entry in walk_chain(file):
        sequence = entry["sequence"]
        found.first, found.last, found.head = found.first or sequence, sequence, entry["hash"]
        for claim in waiting.pop(sequence, ()):
            check_claim(entry, claim, claims)
            if found.stamps and claim.time and found.stamps.is_late(claim.time, entry):
                where = f"the {claim.kind} {claim.subject_id}"
                raise BadArchive(f"{where} says it is of {claim.time}, long before its ledger entry {sequence}")
        if found.stamps:
            found.stamps.take(entry)
            if found.stamps.faults:
                raise BadArchive(found.stamps.faults[0])
        for kept in given.get(sequence, ()):
            (found.met if kept == entry["hash"] else found.contradicted).add((sequence, kept))
        if (entry["kind"], entry["payload_digest"]) == ("event", hashlib.sha256(export).hexdigest()):
            found.exported = sequence
    found.vouched_to = max((sequence for sequence, _ in found.met), default=0)
    if waiting:
        raise BadArchive(f"ledger entry {min(waiting)}, which a record names, is not in it")
    if not found.exported:
        raise BadArchive(f"no ledger entry vouches for {EXPORT}")
    event = without_salt({"kind": "event", "id": EXPORT, "content": export.decode()})
    if (event["kind"], event["details"]["manifest"]) != (EXPORTED, found.manifest_sha256):
        raise BadArchive(f"{MANIFEST} is not the one the ledger vouches for: it was altered or replaced")


def check_claim(entry: Any, claim: RecordClaim, claims: RecordClaims) -> None:
    where = f"the {claim.kind} {claim.subject_id}"
    if (entry["kind"], entry["subject_id"]) != (claim.kind, claim.subject_id):
        raise BadArchive(f"ledger entry {entry['sequence']} vouches for something else than {where}")
    is_left = (f"{claim.kind}:{claim.subject_id}", claim.digest) in claims.left
    if claim.digest != entry["payload_digest"] and not is_left:
        raise BadArchive(f"{where} is not what ledger entry {entry['sequence']} vouches for")


def walk_chain(file: Archive) -> Iterator[Any]:
    """The entries, each continuing the one before."""
    previous: Any = None
    for entry in read_lines(file, CHAIN):
        where = f"ledger entry {entry['sequence']}"
        hashed = "".join(f"{part}\n" for part in (LEDGER, *(entry[name] for name in HASHED)))
        if hashlib.sha256(hashed.encode()).hexdigest() != entry["hash"]:
            raise BadArchive(f"{where} was changed: its hash does not fit its content")
        if previous is not None and entry["sequence"] != previous["sequence"] + 1:
            raise BadArchive(f"{where} does not follow entry {previous['sequence']}: the chain has a hole")
        if previous is not None and entry["previous_hash"] != previous["hash"]:
            raise BadArchive(f"{where} does not continue entry {previous['sequence']}")
        yield entry
        previous = entry


# ---- what the base had brought along itself


def check_brought(
    file: zipfile.ZipFile, found: CheckedArchive, claims: RecordClaims, heads: list[dict[str, Any]]
) -> None:
    """8. What vouched for it when it came is vouched for with this archive."""
    within = archives_within(file)
    folders: dict[str, str] = {}  # by the digest of the manifest
    if len(within) > BROUGHT_MAX:
        raise BadArchive(f"it holds {len(within):,} archives that were brought along; at most {BROUGHT_MAX} are read")
    for folder, archive in sorted(within.items()):
        try:
            kept = check_archive(archive, heads)
        except BadArchive as error:
            raise BadArchive(f"in {folder}, {error}") from error
        if kept.manifest_sha256 not in claims.imports:
            raise BadArchive(f"no record of the base says that {folder} was brought along")
        if (first := folders.setdefault(kept.manifest_sha256, folder)) != folder:
            raise BadArchive(f"{folder} holds the same archive as {first}")
        kept.told_to = claims.imports[kept.manifest_sha256] if found.is_vouched else 0
        found.brought[folder] = kept


def refuse_contradicted(found: CheckedArchive) -> None:
    """6. A head bears no name of its ledger: it is of this one or of one within, and must fit where it could."""
    met = found.met.union(*(kept.met for kept in found.brought.values()))
    for folder, archive in {"": found, **found.brought}.items():
        if wrong := archive.contradicted - met:
            where = f"in {folder}, ledger" if folder else "ledger"
            told = "is not the one of the head you gave: the chain was rewritten"
            raise BadArchive(f"{where} entry {min(wrong)[0]} {told}")


def read_kept_heads(path: pathlib.Path) -> list[dict[str, Any]]:
    """The heads of a file, one a line. Raises BadHeads."""
    try:
        heads = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        if not heads or any(head["format"] != LEDGER for head in heads):
            raise ValueError("it holds no exported head")
        return [head | {"sequence": int(head["sequence"]), "hash": str(head["hash"])} for head in heads]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadHeads(f"{path} is not a file of heads ({error})") from error


def verdict(found: CheckedArchive) -> tuple[int, str]:
    """The exit code and what to print."""
    more = sum(kept.records for kept in found.brought.values())
    within = f" and {more:,} in what it had brought along" if more else ""
    chain = f"{found.records:,} records{within}, ledger entries {found.first} to {found.last}, head {found.head}"
    doubts = doubt_of(found)
    if doubts:
        return CONSISTENT, f"CONSISTENT ONLY: {chain}. Nothing contradicts the rest, but {doubts}.{absence_in(found)}"
    by = f"stamp of entry {found.stamps.vouched_to}" if found.stamps else f"head of entry {found.vouched_to}"
    told = f"OK: {chain}. The {by} vouches for all of it"
    if through := [folder for folder, kept in found.brought.items() if not kept.is_vouched]:
        told += f"; that {', '.join(through)} was vouched for when it came is the word of the exporter"
    return OK, f"{told}.{absence_in(found)}"


def absence_in(found: CheckedArchive) -> str:
    """What is not in it, as a sentence; empty where all is."""
    told = ""
    if not found.has_originals:
        brought = sum(name.startswith(BROUGHT) for name in found.manifest["files"])
        gone = "The originals are not in it"
        if brought:
            gone = f"Neither the originals nor what had been brought along ({brought:,} files) are in it"
        told = f" {gone}, as in what an importing installation keeps."
    if left := [str(name)[:80] for name in found.manifest.get("left_out") or ()]:
        more = f" and {len(left) - NAMED_MAX:,} more" if len(left) > NAMED_MAX else ""
        told += f" Its exporter left out {', '.join(left[:NAMED_MAX])}{more}."
    return told


def doubt_of(found: CheckedArchive) -> str:
    """What nobody vouches for; empty where all is vouched for."""
    if found.stamps and not found.is_stamped:
        return doubt_of_stamps(found, found.stamps)
    if not found.is_vouched:
        return f"no head that you gave is at or after entry {found.exported}, so all of it may be invented"
    if doubtful := [folder for folder, kept in found.brought.items() if not kept.vouched_by]:
        return f"nobody vouched for {', '.join(doubtful)} when it was brought along, so all of that may be invented"
    return ""


def doubt_of_stamps(found: CheckedArchive, stamps: StampClock) -> str:
    """What the stamps that were given do not vouch for."""
    if not stamps.openssl:
        return "no stamp was checked: there is no openssl of version 1.1 or later here to do it with"
    if stamps.pauses:
        return f"nobody outside vouches for {stamps.pauses[0]}"
    if stamps.vouched_to < found.exported:
        return f"no stamp is at or after entry {found.exported}, so all after entry {stamps.vouched_to} may be new"
    return f"up to entry {stamps.unjudged_to} it is from before the day you gave with --stamped-since"


# ---- the command


def main() -> int:
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=about)
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--head", type=pathlib.Path, metavar="HEADS", help="heads of the ledger kept elsewhere")
    add_stamp_options(parser)
    chosen = parser.parse_args()
    try:
        heads = read_kept_heads(chosen.head) if chosen.head else []
        stamps = chosen_stamps(chosen, read_kept_heads(chosen.stamps)) if chosen.stamps else None
        with zipfile.ZipFile(chosen.archive) as file:
            code, told = verdict(check_archive(file, heads, stamps=stamps))
    except BadArchive as error:
        code, told = BAD, f"BAD: {error}."
    except (OSError, ValueError, zipfile.BadZipFile, BadHeads) as error:
        code, told = UNREADABLE, f"This cannot be read: {error}."
    print("".join(each if " " <= each <= "~" else ascii(each)[1:-1] for each in told))
    return code


if __name__ == "__main__":
    sys.exit(main())
