"""Check an evidence pack or a technical file of DocIntel with nothing but Python's standard library.

    python3 verify.py PACK.zip --head HEADS.jsonl
    python3 verify.py PACK.zip --stamps HEADS.jsonl --authority ROOT.pem

PACK.zip may also be a directory it was unpacked to; left out, it is the one verify.py lies in. HEADS.jsonl holds heads
of the ledger: for --head they were kept where nobody who could alter the pack can write; for --stamps they may come
from anybody, since only those count that a time-stamping authority (RFC 3161) has stamped. Its root certificate is
ROOT.pem; have it from the authority. Stamps are checked with the program openssl. The verdict is one of four, and the
exit code says which:

0  OK               everything fits, and a head vouches for all of it
1  BAD              something does not fit; all that does not is named
2                   the pack, or a file you gave with it, cannot be read
3  CONSISTENT ONLY  nothing contradicts the rest, but not all of it is vouched for from outside; what is not is named.
                    Without a head that is all there is to learn: a pack invented from beginning to end looks the same.

What is checked:

1. every file of the pack has the SHA-256 its manifest gives, none is missing and none was added
2. the ledger entries follow one another without a hole, beginning with that of the run, and each hash fits
3. run, answer and reviews belong together, and each has the digest its ledger entry holds
4. requests, replies and citations shown apart are those inside the run and the answer
5. the manifest, and with it the report and the page images, is the one the ledger recorded when the pack was made
6. with --head, the chain holds the entries of these heads, and one of them is at or after every entry the pack needs
7. with --stamps, the first stamp at or after each entry is of at most 24 hours (--within) after the time the entry
   bears, and stamps go on without a longer pause. Nobody gets a stamp of yesterday: whoever rewrote what is older, with
   all hashes and signatures after it, has no stamp in time for it. --stamped-since says from when on this is so: what
   is older than that is vouched for by no stamp

When all heads were kept later than the pack was made, --ledger gives the entries between: the ledger.jsonl of a pack
made later. --manifest is the SHA-256 of manifest.json written down when the pack was made, where no head covers that.

A technical file is of a base and a period and has no run: 3 and 4 do not apply to it, and its chain begins anywhere.
"""

from __future__ import annotations

import argparse
import base64
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

TECHNICAL = "docintel-technical-file-1"  # of a base and a period, with no run
FORMATS = ("docintel-evidence-1", "docintel-evidence-2", TECHNICAL)  # the first made no record of the pack itself
MADE_AS = {"docintel-evidence-2": "evidence", TECHNICAL: "technical_file"}  # what the record of the making calls it
LEDGER = "docintel-ledger-1"
MANIFEST, CHAIN, EXPORT = "manifest.json", "ledger.jsonl", "export.json"
HASHED = ("sequence", "kind", "subject_id", "payload_digest", "previous_hash", "time")
KINDS = {
    "run.json": "run",
    "reading.json": "reading",
    "look.json": "look",
    "shared.json": "shared",
    "answer.json": "answer",
    "unstored.json": "event",
}
SHOWN = 5  # entries named of many
OK, BAD, UNREADABLE, CONSISTENT = 0, 1, 2, 3


class Bad(Exception):
    """Something does not fit; the message says where."""


class Unreadable(Exception):
    """A file that was given is not what it should be; nothing can be said of the pack."""


class PackReader:
    """What was read: the files, what they say of themselves, and the heads and stamps to hold them against."""

    def __init__(
        self, files: dict[str, bytes], heads: list[Any], expected: str | None, stamps: StampClock | None = None
    ) -> None:
        self.files = files
        self.heads = heads
        self.expected = expected
        self.stamps = stamps
        self.manifest = read_manifest(files)
        self.has_export = self.manifest["format"] != FORMATS[0]
        self.is_of_run = self.manifest["format"] != TECHNICAL
        self.entries: dict[int, Any] = {}
        self.export: Any = None  # the entry that vouches for the manifest
        self.shown: set[str] = set()  # files that repeat what a vouched record holds

    @property
    def own(self) -> set[str]:
        """The files no manifest lists: they prove themselves."""
        return {MANIFEST, CHAIN, EXPORT} if self.has_export else {MANIFEST}

    @property
    def reached(self) -> list[int]:
        """The entries that are those of a head."""
        kept = {head["sequence"]: head["hash"] for head in self.heads}
        return [sequence for sequence, entry in self.entries.items() if kept.get(sequence) == entry["hash"]]

    @property
    def vouched_to(self) -> int:
        """The last entry a head or a stamp vouches for."""
        return max([*self.reached, self.stamps.vouched_to if self.stamps else 0], default=0)

    def is_vouched(self, sequence: int) -> bool:
        by_stamp = self.stamps is not None and self.stamps.vouches_for(sequence)
        return by_stamp or sequence <= max(self.reached, default=0)


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# ---- reading


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
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise Bad(f"{name} cannot be unpacked: {error}") from error


def read_manifest(files: dict[str, bytes]) -> Any:
    if MANIFEST not in files:
        raise Bad(f"{MANIFEST} is missing")
    manifest = parse(MANIFEST, files[MANIFEST])
    if manifest["format"] not in FORMATS:
        raise Bad(f"{MANIFEST} is of the format {manifest['format']}; this verifier knows {' and '.join(FORMATS)}")
    return manifest


def read_heads(path: pathlib.Path) -> list[Any]:
    """The heads of a file, one a line; a single one may be spread over several, as older programs wrote it."""
    text = path.read_text()
    try:
        heads = [json.loads(text)]
    except (ValueError, RecursionError):
        heads = [
            parse(f"{path} line {number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
    for head in heads:
        if head["format"] != LEDGER or not isinstance(head["sequence"], int) or not isinstance(head["hash"], str):
            raise Bad(f"{path} holds something that is not an exported head")
    if not heads:
        raise Bad(f"{path} holds no head")
    return heads


def read_later(path: pathlib.Path) -> dict[int, Any]:
    return read_chain(path.name, path.read_bytes())


def read_chain(name: str, content: bytes) -> dict[int, Any]:
    """Ledger entries by their sequence, each continuing the one before."""
    entries: dict[int, Any] = {}
    previous: Any = None
    *lines, rest = content.decode().split("\n")
    for number, line in enumerate(lines, 1):
        entry = parse(f"{name} line {number}", line)
        if not isinstance(entry, dict) or {*entry} != {*HASHED, "hash"}:
            raise Bad(f"{name} line {number} is no ledger entry")
        where = f"ledger entry {entry['sequence']} ({name} line {number})"
        hashed = "".join(f"{field}\n" for field in (LEDGER, *(entry[name] for name in HASHED)))
        if sha256_of(hashed.encode()) != entry["hash"]:
            raise Bad(f"{where} was changed: its hash does not fit its content")
        if line != json.dumps({name: entry[name] for name in (*HASHED, "hash")}):
            raise Bad(f"{where} is not written as DocIntel writes an entry")
        if previous is not None and entry["sequence"] != previous["sequence"] + 1:
            raise Bad(f"{where} does not follow entry {previous['sequence']}: the chain has a hole")
        if previous is not None and entry["previous_hash"] != previous["hash"]:
            raise Bad(f"{where} does not continue entry {previous['sequence']}")
        entries[entry["sequence"]] = previous = entry
    if previous is None or rest:
        raise Bad(f"{name} holds no entry" if not rest else f"{name} does not end with a whole line")
    return entries


def read_given(read: Callable[[pathlib.Path], Any], path: pathlib.Path | None) -> Any:
    """What a file beside the pack holds; nothing when none was given."""
    try:
        return read(path) if path else []
    except (Bad, KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unreadable(f"{path} is not what it should be ({error})") from error


# ---- what does not fit


def check_files(pack: PackReader) -> Iterator[str]:
    """1. The manifest and the files."""
    listed = pack.manifest["files"]
    subjects = {subject["file"] for subject in pack.manifest["subjects"]}
    for name in sorted({*listed, *subjects, *pack.own} - {*pack.files}):
        yield f"{name} is missing"
    for name in sorted({*pack.files} - {*listed, *pack.own}):
        yield f"{name} is not in the manifest: it was added"
    for name in sorted({*listed} & {*pack.files}):
        if sha256_of(pack.files[name]) != listed[name]:
            yield f"{name} was changed: its SHA-256 is {sha256_of(pack.files[name])}, the manifest says {listed[name]}"
    if pack.expected and sha256_of(pack.files[MANIFEST]) != pack.expected.lower():
        yield f"{MANIFEST} has the SHA-256 {sha256_of(pack.files[MANIFEST])} and not the one you gave"


def check_chain(pack: PackReader, later: dict[int, Any]) -> Iterator[str]:
    """2. The chain, and that it begins with the run."""
    pack.entries = read_chain(CHAIN, pack.files.get(CHAIN, b""))
    first, last = min(pack.entries), max(pack.entries)
    kinds = ("run", "reading", "look", "shared", "exchange")
    own = {subject["sequence"] for subject in pack.manifest["subjects"] if subject["kind"] in kinds}
    if pack.is_of_run and first not in own:
        yield f"{CHAIN} begins with entry {first} ({pack.entries[first]['kind']}), which is not that of the run"
    if later and later.get(last, {}).get("hash") != pack.entries[last]["hash"]:
        yield f"the ledger you gave does not hold entry {last} as the pack does"
        return
    pack.entries.update({sequence: entry for sequence, entry in later.items() if sequence > last})


def check_subjects(pack: PackReader) -> Iterator[str]:
    """3. What the entries vouch for, and that it is of this run."""
    subjects = {subject["file"]: subject for subject in pack.manifest["subjects"]}
    for name in sorted({*pack.files} - {*subjects}):
        if kind_of_file(name):
            yield f"no ledger entry vouches for {name}"
    if "run.json" not in subjects:
        yield "no ledger entry vouches for run.json"
    for subject in pack.manifest["subjects"]:
        name, entry = subject["file"], pack.entries.get(subject["sequence"])
        if name not in pack.files:
            continue  # said already
        if entry is None:
            yield f"{name}: ledger entry {subject['sequence']} is not in the pack"
        elif (entry["kind"], entry["subject_id"]) != (subject["kind"], subject["subject_id"]):
            yield f"{name}: ledger entry {subject['sequence']} vouches for something else"
        elif sha256_of(pack.files[name]) != entry["payload_digest"]:
            yield f"{name} is not what ledger entry {subject['sequence']} vouches for"
        elif (kind_of_file(name), record_id(pack, name)) != (entry["kind"], entry["subject_id"]):
            yield f"{name} is not the {entry['kind']} that ledger entry {subject['sequence']} is of"


def kind_of_file(name: str) -> str | None:
    folder = {"reviews/": "review", "exchanges/": "exchange"}.get(name[: name.find("/") + 1])
    return folder or KINDS.get(name)


def record_id(pack: PackReader, name: str) -> str:
    record = record_in(pack, name)
    return str((record["run"] if name == "run.json" else record)["id"])


def record_in(pack: PackReader, name: str) -> Any:
    """A record without its salt; None when it is not in the pack."""
    content = pack.files.get(name)
    if content is None:
        return None
    return parse(name, content.partition(b"\n")[2] if content.startswith(b"salt ") else content)


def check_run(pack: PackReader) -> Iterator[str]:
    """3. Answer, reviews and reading are of the run the manifest names."""
    run, answer = record_in(pack, "run.json"), record_in(pack, "answer.json")
    if run["run"]["id"] != pack.manifest["run"]:
        yield f"run.json is not the run {pack.manifest['run']} the manifest names"
    if answer and answer["run"] != run["run"]["id"]:
        yield "answer.json belongs to another run"
    for name, field in (("reading", "parsed"), ("look", "plan"), ("shared", "plan")):
        call = record_in(pack, f"{name}.json")
        if call and call["id"] != run["run"][field].get(f"{name}_call"):
            yield f"{name}.json belongs to another run"
    unstored = record_in(pack, "unstored.json")
    if unstored and unstored["subject"] != f"run:{run['run']['id']}":
        yield "unstored.json belongs to another run"
    others = [*(answer or {}).get("other_calls", []), (answer or {}).get("llm_call"), *unfinished_calls(pack, run)]
    for name in sorted(pack.files):
        if name.startswith("exchanges/") and record_in(pack, name)["id"] not in others:
            yield f"{name} belongs to another run"
        if name.startswith("reviews/") and record_in(pack, name)["run_id"] != run["run"]["id"]:
            yield f"{name} belongs to another run"


def unfinished_calls(pack: PackReader, run: Any) -> list[Any]:
    """The ids of all exchanges of a run that ended without a result, or whose answer could not be stored."""
    unstored = record_in(pack, "unstored.json") or {"details": {}}
    return [*(run["run"].get("plan") or {}).get("calls", []), *unstored["details"].get("calls", [])]


def check_parts(pack: PackReader) -> Iterator[str]:
    """4. What is shown apart is what the vouched records hold."""
    run, answer = record_in(pack, "run.json"), record_in(pack, "answer.json") or {}
    calls = {
        "question": record_in(pack, "reading.json"),
        "other-look": record_in(pack, "look.json"),
        "shared": record_in(pack, "shared.json"),
        "arbiter": run["llm_call"],
        "answer": answer.get("llm_call"),
    }
    if isinstance(calls["answer"], str):  # of an answer with examples: vouched for by itself, or erased with one
        calls["answer"] = record_in(pack, f"exchanges/{calls['answer']}.json")
    others = enumerate(answer.get("other_calls", []), 1)
    calls |= {f"answer-{number}": record_in(pack, f"exchanges/{call_id}.json") for number, call_id in others}
    unfinished = enumerate(unfinished_calls(pack, run), 1)
    calls |= {f"unfinished-{number}": record_in(pack, f"exchanges/{call_id}.json") for number, call_id in unfinished}
    for name, call in calls.items():
        if call:
            request = json.dumps(call["request"], sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
            held = {f"calls/{name}-request.json": request, f"calls/{name}-reply.txt": call["raw_reply"].encode()}
            pack.shown.update(held)
            for file, content in held.items():
                if pack.files.get(file) != content:
                    yield f"{file} is not what the record holds"
            if sha256_of(request) != call["request_sha256"]:
                yield f"calls/{name}-request.json no longer has the digest it was sent with"
    known = {candidate["id"] for candidate in run["candidates"]}
    for citation in answer.get("citations", []):
        if citation["candidate"] not in known:
            yield f"answer.json: citation {citation['marker']} names no candidate of this run"


def check_export(pack: PackReader) -> Iterator[str]:
    """5. The record of the making of this pack names its manifest."""
    if not pack.has_export or EXPORT not in pack.files:
        return
    behind = ("audit_event", sha256_of(pack.files[EXPORT]))
    found = [entry for entry in pack.entries.values() if (entry["kind"], entry["payload_digest"]) == behind]
    if not found:
        yield f"no ledger entry vouches for {EXPORT}"
        return
    row = record_in(pack, EXPORT)
    if (row["action"], row["run_id"]) != (MADE_AS[pack.manifest["format"]], pack.manifest["run"]):
        yield f"{EXPORT} is not of a pack of this run" if pack.is_of_run else f"{EXPORT} is not of a technical file"
    elif row["detail"].get("manifest") != sha256_of(pack.files[MANIFEST]):
        yield f"{MANIFEST} is not the one ledger entry {found[0]['sequence']} vouches for: it was altered or replaced"
    else:
        pack.export = found[0]


def check_heads(pack: PackReader) -> Iterator[str]:
    """6. The chain still holds every head it reaches."""
    first = min(pack.entries)
    for head in pack.heads:
        sequence = head["sequence"]
        if sequence in pack.entries and pack.entries[sequence]["hash"] != head["hash"]:
            yield f"ledger entry {sequence} is not the one of the head you gave: the chain was rewritten"
        if sequence == first - 1 and pack.entries[first]["previous_hash"] != head["hash"]:
            yield f"ledger entry {first} does not continue the head you gave: the chain was rewritten"


def check_stamps(pack: PackReader) -> Iterator[str]:
    """7. The stamps are of this authority and in time, for the entries and for what the records say of their time."""
    if pack.stamps is None:
        return
    for _, entry in sorted(pack.entries.items()):
        pack.stamps.take(entry)
    yield from pack.stamps.faults
    for subject in pack.manifest["subjects"]:
        record, entry = record_in(pack, subject["file"]), pack.entries.get(subject["sequence"])
        told = (record["run"] if subject["kind"] == "run" else record or {}).get("created_at")
        if told and entry and pack.stamps.is_late(told, entry):
            yield f"{subject['file']} says it is of {told}, long before its ledger entry {entry['sequence']}"


# ---- what nobody outside vouches for


def find_unvouched(pack: PackReader) -> Iterator[str]:
    first, last, vouched_to = min(pack.entries), max(pack.entries), pack.vouched_to
    if pack.stamps:
        yield from pack.stamps.pauses
    if pack.stamps and not pack.stamps.openssl:
        yield "what the stamps were to vouch for: there is no openssl of version 1.1 or later here to check them with"
    elif not pack.heads and not pack.stamps:
        yield (
            "all of it may be invented: you gave no head. Ask for one that was kept elsewhere, and give it with --head"
        )
    elif not vouched_to:
        told = "heads you gave" if pack.heads else "stamps you gave"
        yield f"all of it: none of the {told} lies within ledger entries {first} to {last}{remedy(pack)}"
    else:
        needed = [(subject["file"], subject["sequence"]) for subject in pack.manifest["subjects"]]
        needed += [(EXPORT, pack.export["sequence"])] if pack.export and not pack.expected else []
        late = [f"{name} (entry {sequence})" for name, sequence in needed if sequence > vouched_to]
        if late:
            yield f"after entry {vouched_to}, the last of your heads here: {', '.join(late)}{remedy(pack)}"
        early = [name for name, sequence in needed if sequence <= vouched_to and not pack.is_vouched(sequence)]
        if early:
            yield f"from before the day you gave with --stamped-since: {', '.join(early)}"
    if not pack.expected and not (pack.export and pack.is_vouched(pack.export["sequence"])):
        yield f"files that only the manifest vouches for: {', '.join(by_manifest(pack))}"
        if pack.is_of_run:
            yield f"that no answer and no review was left out{left_out(pack)}"


def remedy(pack: PackReader) -> str:
    stamped = [sequence for sequence, _ in pack.stamps.stamped] if pack.stamps else []
    later = [each for each in (*(head["sequence"] for head in pack.heads), *stamped) if each > max(pack.entries)]
    if later:
        return f". Give the entries up to your head of entry {min(later)} with --ledger (ledger.jsonl of a later pack)"
    return ". Take a later head"


def by_manifest(pack: PackReader) -> list[str]:
    proven = {subject["file"] for subject in pack.manifest["subjects"]} | pack.shown | pack.own | {CHAIN}
    return sorted({*pack.files} - proven)


def left_out(pack: PackReader) -> str:
    """The entries an answer or a review of this run could be behind."""
    here = {subject["sequence"] for subject in pack.manifest["subjects"]}
    absent = [e for e in pack.entries.values() if e["kind"] in ("answer", "review") and e["sequence"] not in here]
    named = ", ".join(f"{entry['sequence']} ({entry['kind']})" for entry in absent[:SHOWN])
    more = f" and {len(absent) - SHOWN} more" if len(absent) > SHOWN else ""
    return f"; entries without a file here, of this run or of others: {named}{more}" if absent else ""


# ---- stamps: the checker of an archive has these lines too

WITHIN_H = 24.0  # between an entry and its first stamp: hourly stamps have 23 more tries when an authority is away
CHECKPOINT = "docintel-checkpoint-1"
STAMP_TIME = re.compile(r"^Time stamp: (\w{3} +\d+ \d\d:\d\d:\d\d)(?:\.\d+)? (\d{4}) GMT$", re.MULTILINE)
OPENSSL_S = 60
UTC = datetime.timezone.utc  # noqa: UP017 - older Pythons have no other name


class BadStamp(Exception):
    """A stamp does not hold; the message says why."""


class StampClock:
    """Holds the times of a chain's entries, taken in their order, against the stamps on its heads.

    Nobody gets a stamp of yesterday. Where the chain was rewritten the stamps of before do not fit, and fresh ones come
    too late for the times that entries bear. What bears a time before `since` is not judged, nor vouched for.
    """

    def __init__(self, heads: list[Any], authority: pathlib.Path, within_h: float = WITHIN_H, since: str = "") -> None:
        self.stamped: dict[tuple[int, str], list[Any]] = {}
        for head in heads:
            if "stamp" in head:
                self.stamped.setdefault((head["sequence"], head["hash"]), []).append(head)
        self.authority = authority
        self.within = datetime.timedelta(hours=within_h)
        self.since = moment_of(since) if since else datetime.datetime.min.replace(tzinfo=UTC)
        self.openssl = find_openssl()
        self.faults: list[str] = []
        self.pauses: list[str] = []  # between two stamps, in which something may have been cut off
        self.vouched_to = 0  # the last entry with a stamp at or after it
        self.unjudged_to = 0  # the last entry from before `since`
        self.last: datetime.datetime | None = None  # the newest stamp so far
        self.waiting: list[tuple[datetime.datetime, int]] = []  # times without a stamp so far: the first and the last

    def take(self, entry: Any) -> None:
        """The next entry of the chain: its time waits for a stamp, and a stamp on its head judges all that wait."""
        time, head = moment_of(entry["time"]), (entry["sequence"], entry["hash"])
        if time < self.since:
            self.unjudged_to = entry["sequence"]
        else:
            waiting = [*self.waiting, (time, entry["sequence"])]
            self.waiting = [min(waiting), max(waiting)]
        times = []
        for given in self.stamped.get(head, ()) if self.openssl else ():
            try:
                times.append(self.read_stamp(given))
            except BadStamp as error:
                self.faults.append(f"a stamp on ledger entry {entry['sequence']} is none of this authority's: {error}")
        if times:
            self.judge(entry["sequence"], sorted(times))

    def judge(self, sequence: int, times: list[datetime.datetime]) -> None:
        for time, waiting in self.waiting:
            if abs(times[0] - time) > self.within:
                self.faults.append(
                    f"ledger entry {waiting} bears the time {time:%Y-%m-%d %H:%M} but was first stamped at "
                    f"{times[0]:%Y-%m-%d %H:%M} UTC, more than {hours_of(self.within)} apart: it may have been "
                    "rewritten until then (where stamps began later, or paused so long, it looks the same)"
                )
                break
        for time in times:
            if self.last and self.last >= self.since and time - self.last > self.within:
                pause = f"{self.last:%Y-%m-%d %H:%M} and {time:%Y-%m-%d %H:%M} UTC"
                self.pauses.append(
                    f"that nothing was cut off: there is no stamp for {hours_of(time - self.last)}, {pause}"
                )
            self.last = max(self.last or time, time)
        self.waiting, self.vouched_to = [], sequence

    def vouches_for(self, sequence: int) -> bool:
        return self.unjudged_to < sequence <= self.vouched_to

    def is_late(self, told: str, entry: Any) -> bool:
        """Whether a record bears a time so long before that of its entry that no stamp vouches for it."""
        return self.since <= moment_of(told) < moment_of(entry["time"]) - self.within

    def read_stamp(self, head: Any) -> datetime.datetime:
        """When the authority stamped this head. Raises BadStamp."""
        lines = (CHECKPOINT, head["sequence"], head["hash"], head.get("exported_at"))
        digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
        with tempfile.TemporaryDirectory() as folder:
            token = pathlib.Path(folder, "token")
            try:
                token.write_bytes(base64.b64decode(head["stamp"], validate=True))
            except (ValueError, TypeError):
                raise BadStamp("it is not written in base64") from None
            said = STAMP_TIME.search(self.ask("-reply", "-token_in", "-in", str(token), "-text"))
            if not said:
                raise BadStamp("it names no time")
            time = datetime.datetime.strptime(" ".join(said.groups()), "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
            # A certificate has to be good when it stamped, not today.
            by = ("-CAfile", str(self.authority), "-partial_chain", "-attime", str(int(time.timestamp())))
            self.ask("-verify", "-token_in", "-in", str(token), "-digest", digest, *by)
        return time

    def ask(self, *arguments: str) -> str:
        command = [self.openssl, "ts", *arguments]
        try:
            done = subprocess.run(command, capture_output=True, timeout=OPENSSL_S, check=False)
        except subprocess.TimeoutExpired:
            raise BadStamp("openssl does not come to an end") from None
        if done.returncode:
            raise BadStamp(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or "openssl refuses it")
        return done.stdout.decode("utf-8", "replace")


def moment_of(text: str) -> datetime.datetime:
    text = re.sub(r"\.\d+", "", text)
    moment = datetime.datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def add_stamp_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stamps", type=pathlib.Path, metavar="HEADS", help="stamped heads of the ledger, by anybody")
    parser.add_argument("--authority", type=pathlib.Path, metavar="PEM", help="root certificate of who stamped them")
    parser.add_argument("--stamped-since", default="", metavar="DAY", help="from when on heads were stamped")
    parser.add_argument("--within", type=float, default=WITHIN_H, metavar="HOURS", help="from an entry to its stamp")


def chosen_stamps(chosen: Any, heads: list[Any]) -> StampClock:
    """The clock that was asked for. Raises ValueError, OSError."""
    if not chosen.authority or b"BEGIN CERTIFICATE" not in chosen.authority.read_bytes():
        raise ValueError("--stamps needs --authority with a certificate in PEM")
    return StampClock(heads, chosen.authority, chosen.within, chosen.stamped_since)


def hours_of(span: datetime.timedelta) -> str:
    return f"{round(span / datetime.timedelta(hours=1), 1):g} hours"


def find_openssl() -> str:
    """The path of an OpenSSL that can check stamps; empty where there is none."""
    path = shutil.which("openssl") or ""
    try:
        said = subprocess.run([path, "version"], capture_output=True, timeout=OPENSSL_S, check=False).stdout
    except OSError:
        return ""
    return path if re.match(rb"OpenSSL (?:1\.1|[3-9])", said) else ""


# ---- the verdict


def parse(name: str, content: bytes | str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Bad(f"{name} is not JSON: {error}") from error


def gather_faults(*checks: Iterable[str]) -> Iterator[str]:
    """All that the checks find; one that cannot go on ends with what stopped it."""
    for check in checks:
        try:
            yield from check
        except Bad as error:
            yield str(error)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            yield f"a record does not have the form it should have ({type(error).__name__}: {error})"


def judge_pack(pack: PackReader, later: dict[int, Any]) -> tuple[int, list[str]]:
    """The exit code, and the lines to print."""
    faults = [*gather_faults(check_files(pack), check_chain(pack, later))]
    if pack.entries:
        of_run = (check_subjects, check_run, check_parts) if pack.is_of_run else ()
        faults += gather_faults(*(check(pack) for check in (*of_run, check_export, check_heads, check_stamps)))
    missing = [*gather_faults(find_unvouched(pack))] if pack.entries else []
    if faults:
        lines = ["BAD: this is not what was recorded and packed.", *(f"- {fault}." for fault in faults)]
        return BAD, lines + ["Nobody outside vouches for:"] * bool(missing) + [f"- {each}." for each in missing]
    if missing:
        told = "CONSISTENT ONLY: nothing contradicts the rest, but nobody outside vouches for:"
        return CONSISTENT, [told, *(f"- {each}." for each in missing)]
    first, last = min(pack.entries), max(pack.entries)
    what = f"run {pack.manifest['run']}" if pack.is_of_run else f"technical file of base {pack.manifest['base']}"
    told = f"OK: {len(pack.files)} files, ledger entries {first} to {last}, {what}."
    by = "stamp" if pack.stamps and pack.stamps.vouched_to == pack.vouched_to else "head"
    vouched = f"The {by} of entry {pack.vouched_to} vouches for {'run, answer and reviews' if pack.is_of_run else 'it'}"
    rest = ", and for this pack as it was made" if pack.export else "; the SHA-256 you gave, for the rest"
    return OK, [told, f"{vouched}{rest} ({pack.manifest['exported_at']})."]


def print_line(line: str) -> None:
    """Print a line in ASCII: a name out of the pack moves no cursor and begins no line of its own."""
    print("".join(each if " " <= each <= "~" else ascii(each)[1:-1] for each in line))


def main() -> int:
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=about)
    here = pathlib.Path(sys.argv[0]).resolve().parent
    parser.add_argument("pack", type=pathlib.Path, nargs="?", default=here, help="the folder this lies in, if left out")
    parser.add_argument(
        "--head", type=pathlib.Path, metavar="HEADS", help="heads of the ledger that were kept elsewhere"
    )
    parser.add_argument("--ledger", type=pathlib.Path, help="ledger.jsonl of a later pack, to reach a later head")
    parser.add_argument("--manifest", metavar="SHA256", help="of manifest.json, written down when the pack was made")
    add_stamp_options(parser)
    chosen = parser.parse_args()
    try:
        heads, later = read_given(read_heads, chosen.head), read_given(read_later, chosen.ledger)
        stamps = read_given(lambda path: chosen_stamps(chosen, read_heads(path)), chosen.stamps) or None
        files = read_pack(chosen.pack)
        code, lines = judge_pack(PackReader(files, heads, chosen.manifest, stamps), later or {})
    except (OSError, zipfile.BadZipFile, Unreadable) as error:
        code, lines, files = UNREADABLE, [f"This cannot be read: {error}."], {}
    except Bad as error:
        code, lines, files = BAD, [f"BAD: {error}."], {}
    except (KeyError, TypeError, AttributeError) as error:
        lines = [f"BAD: {MANIFEST} does not have the form it should have ({type(error).__name__}: {error})."]
        code, files = BAD, {}
    for line in lines:
        print_line(line)
    if MANIFEST in files:
        print_line(f"SHA-256 of {MANIFEST}: {sha256_of(files[MANIFEST])}")
    return code


if __name__ == "__main__":
    sys.exit(main())
