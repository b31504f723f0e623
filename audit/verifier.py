"""Check an evidence pack of DocIntel with nothing but Python's standard library.

    python3 verify.py PACK.zip [--head HEAD.json] [--manifest SHA256]

PACK.zip may also be a directory it was unpacked to. Exit code 0: everything fits. 1: something does not, and where.
2: it could not be read. What is checked:

1. every file of the pack has the SHA-256 its manifest gives, none is missing and none was added
2. the ledger entries follow one another without a hole, and each hash is that of its entry and the one before
3. run, answer and reviews have the digest their ledger entry holds
4. requests, replies and citations shown apart are those inside the run and the answer
5. with --head, heads of the ledger that were kept elsewhere: the chain in the pack holds exactly those entries
6. with --manifest, the SHA-256 of manifest.json that was written down when the pack was made

Without 5 and 6 the pack is proved to be consistent; whoever holds a head from outside also knows nobody rewrote it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import sys
import zipfile
import zlib
from typing import Any

FORMAT = "docintel-evidence-1"
LEDGER = "docintel-ledger-1"
MANIFEST = "manifest.json"


class Bad(Exception):
    """Something does not fit; the message says where."""


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_pack(path: pathlib.Path) -> dict[str, bytes]:
    """Every file of the pack by its name."""
    if path.is_dir():
        return {p.relative_to(path).as_posix(): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
    with zipfile.ZipFile(path) as pack:
        names = [entry.filename for entry in pack.infolist()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise Bad(f"{twice[0]} is in the pack twice")
        return {name: read_member(pack, name) for name in names}


def read_member(pack: zipfile.ZipFile, name: str) -> bytes:
    try:
        return pack.read(name)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise Bad(f"{name} cannot be unpacked: {error}") from error


def check_files(files: dict[str, bytes], expected: str | None) -> dict[str, Any]:
    """1. The manifest and the files."""
    if MANIFEST not in files:
        raise Bad(f"{MANIFEST} is missing")
    if expected and digest(files[MANIFEST]) != expected.lower():
        raise Bad(f"{MANIFEST} has the SHA-256 {digest(files[MANIFEST])} and not the one you gave")
    manifest: dict[str, Any] = parse(MANIFEST, files[MANIFEST])
    if manifest.get("format") != FORMAT:
        raise Bad(f"{MANIFEST} is not of the format {FORMAT}")
    for name, sha256 in manifest["files"].items():
        if name not in files:
            raise Bad(f"{name} is missing")
        if digest(files[name]) != sha256:
            raise Bad(f"{name} was changed: its SHA-256 is {digest(files[name])}, the manifest says {sha256}")
    for name in files:
        if name != MANIFEST and name not in manifest["files"]:
            raise Bad(f"{name} is not in the manifest")
    return manifest


def check_chain(content: bytes) -> dict[int, Any]:
    """2. The ledger entries, by their sequence."""
    entries: dict[int, Any] = {}
    previous: Any = None
    for number, line in enumerate(content.decode().splitlines(), 1):
        entry = parse(f"ledger.jsonl line {number}", line)
        where = f"ledger entry {entry.get('sequence')} (line {number})"
        names = ("sequence", "kind", "subject_id", "payload_digest", "previous_hash", "time")
        hashed = "".join(f"{field}\n" for field in (LEDGER, *(entry[name] for name in names)))
        if digest(hashed.encode()) != entry["hash"]:
            raise Bad(f"{where} was changed: its hash does not fit its content")
        if previous is not None and entry["sequence"] != previous["sequence"] + 1:
            raise Bad(f"{where} does not follow entry {previous['sequence']}: the chain has a hole")
        if previous is not None and entry["previous_hash"] != previous["hash"]:
            raise Bad(f"{where} does not continue entry {previous['sequence']}")
        entries[entry["sequence"]] = previous = entry
    if previous is None:
        raise Bad("ledger.jsonl holds no entry")
    return entries


def check_subjects(manifest: dict[str, Any], files: dict[str, bytes], entries: dict[int, Any]) -> None:
    """3. What the entries vouch for. A run must be among it, the one the manifest names."""
    for subject in manifest["subjects"]:
        name, entry = subject["file"], entries.get(subject["sequence"])
        if entry is None:
            raise Bad(f"{name}: ledger entry {subject['sequence']} is not in the pack")
        if (entry["kind"], entry["subject_id"]) != (subject["kind"], subject["subject_id"]):
            raise Bad(f"{name}: ledger entry {subject['sequence']} vouches for something else")
        if digest(files.get(name, b"")) != entry["payload_digest"]:
            raise Bad(f"{name} is not what ledger entry {subject['sequence']} vouches for")
    vouched = {subject["file"]: subject for subject in manifest["subjects"]}
    for name in files:
        if (name in ("run.json", "reading.json", "answer.json") or name.startswith("reviews/")) and name not in vouched:
            raise Bad(f"no ledger entry vouches for {name}")
    run = vouched.get("run.json", {})
    if (run.get("kind"), run.get("subject_id")) != ("run", manifest["run"]):
        raise Bad(f"no ledger entry vouches for run.json as the run {manifest['run']}")


def check_parts(files: dict[str, bytes]) -> None:
    """4. What is shown apart is what stands in the vouched records."""
    run = parse("run.json", unsalted(files["run.json"]))
    answer = parse("answer.json", unsalted(files["answer.json"])) if "answer.json" in files else {}
    if answer and answer["run"] != run["run"]["id"]:
        raise Bad("answer.json belongs to another run")
    reading = parse("reading.json", unsalted(files["reading.json"])) if "reading.json" in files else None
    for name, call in (("question", reading), ("arbiter", run["llm_call"]), ("answer", answer.get("llm_call"))):
        if call:
            same(files, f"calls/{name}-request.json", canonical(call["request"]))
            same(files, f"calls/{name}-reply.txt", call["raw_reply"].encode())
            if digest(canonical(call["request"])) != call["request_sha256"]:
                raise Bad(f"calls/{name}-request.json no longer has the digest it was sent with")
    known = {candidate["id"] for candidate in run["candidates"]}
    for citation in answer.get("citations", []):
        if citation["candidate"] not in known:
            raise Bad(f"answer.json: citation {citation['marker']} names no candidate of this run")


def unsalted(content: bytes) -> bytes:
    return content.partition(b"\n")[2] if content.startswith(b"salt ") else content


def same(files: dict[str, bytes], name: str, expected: bytes) -> None:
    if files.get(name) != expected:
        raise Bad(f"{name} is not what the record holds")


def check_head(path: pathlib.Path, entries: dict[int, Any]) -> None:
    """5. The chain still holds every head kept elsewhere that it reaches, and it reaches one."""
    heads = [parse(str(path), line) for line in path.read_bytes().splitlines() if line.strip()]
    reached = [head for head in heads if head["sequence"] in entries]
    if not reached:
        raise Bad(f"none of the heads you gave lies within entries {min(entries)} to {max(entries)}; take another")
    for head in reached:
        if entries[head["sequence"]]["hash"] != head["hash"]:
            raise Bad(f"ledger entry {head['sequence']} is not the one of the head you gave: the chain was rewritten")


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def parse(name: str, content: bytes | str) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise Bad(f"{name} is not JSON: {error}") from error


def main() -> int:
    parser = argparse.ArgumentParser(description="Check an evidence pack of DocIntel.")
    parser.add_argument("pack", type=pathlib.Path)
    parser.add_argument("--head", type=pathlib.Path, help="heads written by verify_ledger --write-head")
    parser.add_argument("--manifest", help="the SHA-256 of manifest.json, as written down when the pack was made")
    chosen = parser.parse_args()
    try:
        files = read_pack(chosen.pack)
        manifest = check_files(files, chosen.manifest)
        entries = check_chain(files.get("ledger.jsonl", b""))
        check_subjects(manifest, files, entries)
        check_parts(files)
        if chosen.head:
            check_head(chosen.head, entries)
    except Bad as error:
        print(f"BAD: {error}.")
        return 1
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        print(f"BAD: a record does not have the form it should have ({type(error).__name__}: {error}).")
        return 1
    except (OSError, zipfile.BadZipFile) as error:
        print(f"The pack cannot be read: {error}.")
        return 2
    print(f"OK: {len(files)} files, ledger entries {min(entries)} to {max(entries)}, run {manifest['run']}.")
    print(f"SHA-256 of {MANIFEST}: {digest(files[MANIFEST])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
