"""Packs of evidence forged by somebody without the database, and the script that judges them as a stranger runs it."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

from ledger import chain

Files = dict[str, bytes]
Row = dict[str, Any]
OK, BAD, UNREADABLE, CONSISTENT = 0, 1, 2, 3
ROLE = re.compile(rb'"role"\s*:\s*"(?:discarded|tangential|unjudged|primary)"')  # of a candidate


def read(content: bytes) -> Files:
    """The files of a pack, from its bytes."""
    with zipfile.ZipFile(BytesIO(content)) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


def write(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w") as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return path


def check(script: Path, pack: Path, *options: str | Path, path: str = "") -> tuple[int, str]:
    """Run a verifier as a stranger would: an empty environment, no site packages, another directory."""
    command = [sys.executable, "-I", "-S", str(script), str(pack), *map(str, options)]
    environment = {"PATH": path} if path else {}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=pack.parent, env=environment)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def rows(content: bytes) -> list[Row]:
    return [json.loads(line) for line in content.splitlines()]


def lines(entries: list[Row]) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def rechained(entries: list[Row], first: int, **changes: Any) -> list[Row]:
    """The entries with one changed and every hash from it on computed anew."""
    entries = [*entries[:first], entries[first] | changes, *entries[first + 1 :]]
    for index in range(first, len(entries)):
        before = {"previous_hash": entries[index - 1]["hash"]} if index else {}
        entry = entries[index] | before
        names = ("sequence", "kind", "subject_id", "payload_digest", "previous_hash", "time")
        hashed = "".join(f"{part}\n" for part in (chain.FORMAT, *(entry[name] for name in names)))
        entries[index] = entry | {"hash": chain.digest_of(hashed.encode())}
    return entries


def appended(entries: list[Row], kind: str, subject_id: str, payload: bytes) -> list[Row]:
    """The entries and a well-formed one more, dated like the last."""
    last = entries[-1]
    fresh = {"sequence": last["sequence"] + 1, "kind": kind, "subject_id": subject_id}
    digest = {
        "payload_digest": chain.digest_of(payload),
        "previous_hash": last["hash"],
        "time": last["time"],
        "hash": "",
    }
    return rechained([*entries, fresh | digest], len(entries))


def mended(files: Files, **manifest: Any) -> Files:
    """The files with a manifest that fits them: of what is gone it says nothing any more."""
    known = json.loads(files["manifest.json"]) | manifest
    known["subjects"] = [subject for subject in known["subjects"] if subject["file"] in files]
    own = ("manifest.json", "export.json") + (("ledger.jsonl",) if known["format"].endswith("-2") else ())
    known["files"] = {name: chain.digest_of(content) for name, content in files.items() if name not in own}
    return files | {"manifest.json": json.dumps(known, indent=2, sort_keys=True).encode()}


def as_first_form(files: Files, **manifest: Any) -> Files:
    """A pack as programs made it before they recorded its making: this one without that record."""
    left = {name: content for name, content in files.items() if name != "export.json"}
    return mended(left, format="docintel-evidence-1", **manifest)


def without(files: Files, *names: str) -> Files:
    return {name: content for name, content in files.items() if name not in names}


def record_of(files: Files, name: str) -> Row:
    record: Row = json.loads(files[name].partition(b"\n")[2])
    return record


@dataclass(frozen=True)
class Forger:
    """One genuine pack, what else can be had without the database, and the heads that are out of reach."""

    files: Files
    heads: Path
    other: Files  # the pack of another run, asked earlier; its chain reaches further on both sides

    @property
    def entries(self) -> list[Row]:
        return rows(self.files["ledger.jsonl"])

    @property
    def review(self) -> str:
        return next(name for name in self.files if name.startswith("reviews/"))

    @property
    def image(self) -> str:
        return next(name for name in self.files if name.startswith("pages/"))

    def index_of(self, kind: str) -> int:
        return next(index for index, entry in enumerate(self.entries) if entry["kind"] == kind)


Forge = Callable[[Forger], Files]
REPORT = b"<!doctype html><title>All is well</title>"


def another_report(f: Forger) -> Files:
    return f.files | {"report.html": REPORT}


def another_report_recorded(f: Forger, rechain: bool = False) -> Files:
    """The report replaced, and manifest, record and (with `rechain`) chain made to fit."""
    files = mended(another_report(f))
    record = files["export.json"].replace(
        chain.digest_of(f.files["manifest.json"]).encode(), chain.digest_of(files["manifest.json"]).encode()
    )
    files |= {"export.json": record}
    if not rechain:
        return files
    at = f.index_of("audit_event")
    return files | {"ledger.jsonl": lines(rechained(f.entries, at, payload_digest=chain.digest_of(record)))}


def invented_run(f: Forger, keep_last: bool = True, first_form: bool = True) -> Files:
    """A run nobody asked, as the entry after the last genuine one, dated like that; and a record of the pack to it."""
    made = record_of(f.files, "run.json")
    made["run"]["id"], made["run"]["question"] = str(uuid4()), "Is all of it in order?"
    content = b"salt " + b"0" * 32 + b"\n" + json.dumps(made).encode()
    chained = appended(f.entries, "run", made["run"]["id"], content)
    subject = {"kind": "run", "subject_id": made["run"]["id"], "sequence": chained[-1]["sequence"], "file": "run.json"}
    gone = ("answer.json", f.review, "calls/answer-request.json", "calls/answer-reply.txt")
    files = without(f.files, *gone) | {"run.json": content, "report.html": REPORT}
    from_here = chained[-2:] if keep_last else chained[-1:]
    if first_form:
        files |= {"ledger.jsonl": lines(from_here)}
        return as_first_form(files, run=made["run"]["id"], subjects=[subject])
    files = mended(files, run=made["run"]["id"], subjects=[subject])
    record = record_of(f.files, "export.json") | {"id": str(uuid4()), "run_id": made["run"]["id"]}
    record["detail"] = {"manifest": chain.digest_of(files["manifest.json"])}
    recorded = b"salt " + b"0" * 32 + b"\n" + json.dumps(record).encode()
    whole = appended(from_here, "audit_event", record["id"], recorded)
    return files | {"export.json": recorded, "ledger.jsonl": lines(whole)}


def forged_review(f: Forger, first_form: bool = False) -> Files:
    made = record_of(f.files, f.review) | {"id": str(uuid4()), "outcome": "agree", "reason": "All of it is right."}
    content = b"salt " + b"0" * 32 + b"\n" + json.dumps(made).encode()
    chained = appended(f.entries, "review", made["id"], content)
    name = f"reviews/{made['id']}.json"
    subject = {"kind": "review", "subject_id": made["id"], "sequence": chained[-1]["sequence"], "file": name}
    subjects = [*json.loads(f.files["manifest.json"])["subjects"], subject]
    files = f.files | {name: content, "ledger.jsonl": lines(chained)}
    return as_first_form(files, subjects=subjects) if first_form else mended(files, subjects=subjects)


def changed(f: Forger, name: str, old: bytes, new: bytes) -> Files:
    assert old in f.files[name]
    return mended(f.files | {name: f.files[name].replace(old, new)})


def another_role(f: Forger) -> Files:
    """What is of another weight supports the answer now."""
    content = ROLE.sub(b'"role":"supporting"', f.files["run.json"])
    assert content != f.files["run.json"]
    return mended(f.files | {"run.json": content})


def another_answer(f: Forger) -> Files:
    """The answer's first long word says something else."""
    [word] = re.findall(r"[A-Za-z]{6,}", record_of(f.files, "answer.json")["text"])[:1]
    return changed(f, "answer.json", word.encode(), b"un" + word.encode())


def fitted_throughout(f: Forger, altered: Files) -> Files:
    """Altered files with manifest, record of the pack and whole chain made to fit: consistent through and through."""
    files, entries = mended(altered), f.entries
    record = record_of(f.files, "export.json")
    record["detail"] = {"manifest": chain.digest_of(files["manifest.json"])}
    recorded = json.dumps(record).encode()
    at = {entry["sequence"]: index for index, entry in enumerate(entries)}
    for subject in json.loads(files["manifest.json"])["subjects"]:
        digest = chain.digest_of(files[subject["file"]])
        entries = rechained(entries, at[subject["sequence"]], payload_digest=digest)
    entries = rechained(entries, f.index_of("audit_event"), payload_digest=chain.digest_of(recorded))
    return files | {"export.json": recorded, "ledger.jsonl": lines(entries)}


def invented(f: Forger) -> Files:
    """Another role, in a chain and a record of the pack made to fit."""
    return fitted_throughout(f, another_role(f))


OWN = ("manifest.json", "export.json", "ledger.jsonl")  # the files of a pack that tell of the others
LEVELS: dict[str, Callable[[Forger, Files], Files]] = {
    "bytes alone": lambda f, altered: altered,
    "manifest made to fit": lambda f, altered: mended(altered),
    "all made to fit": fitted_throughout,
}


def each_file_forged(f: Forger) -> Iterator[tuple[str, Files]]:
    """The pack with each of its files in turn changed, then left out, at each level."""
    for name in sorted(f.files.keys() - set(OWN)):
        for what, altered in (
            ("changed", f.files | {name: f.files[name][:-1] + b"?" + f.files[name][-1:]}),
            ("left out", without(f.files, name)),
        ):
            for level, fit in LEVELS.items():
                yield f"{name} {what}, {level}", fit(f, altered)


def review_of_another_run(f: Forger) -> Files:
    """A genuine verdict, and a genuine entry of it, of another run."""
    name = next(name for name in f.other if name.startswith("reviews/"))
    subject = next(each for each in json.loads(f.other["manifest.json"])["subjects"] if each["file"] == name)
    subjects = [*json.loads(f.files["manifest.json"])["subjects"], subject]
    files = f.files | {name: f.other[name], "ledger.jsonl": f.other["ledger.jsonl"]}
    return mended(files, subjects=subjects)


def chain_from(f: Forger, change: Callable[[list[Row]], list[Row]]) -> Files:
    return f.files | {"ledger.jsonl": lines(change(f.entries))}


FORGERIES: dict[str, tuple[Forge, int, tuple[str, ...]]] = {
    "report replaced": (another_report, BAD, ("report.html was changed",)),
    "report replaced, manifest made to fit": (
        lambda f: mended(another_report(f)),
        BAD,
        ("manifest.json is not the one ledger entry", "report.html"),
    ),
    "report replaced, record of the pack made to fit": (
        another_report_recorded,
        BAD,
        ("no ledger entry vouches for export.json", "report.html"),
    ),
    "report replaced, chain made to fit": (
        lambda f: another_report_recorded(f, rechain=True),
        BAD,
        ("the chain was rewritten",),
    ),
    "report replaced, in a pack of the first form": (
        lambda f: as_first_form(another_report(f)),
        CONSISTENT,
        ("only the manifest vouches for", "report.html"),
    ),
    "answer left out": (
        lambda f: mended(without(f.files, "answer.json", "calls/answer-request.json", "calls/answer-reply.txt")),
        BAD,
        ("no answer and no review was left out", "(answer)"),
    ),
    "answer left out, in a pack of the first form": (
        lambda f: as_first_form(without(f.files, "answer.json", "calls/answer-request.json", "calls/answer-reply.txt")),
        CONSISTENT,
        ("no answer and no review was left out", "(answer)"),
    ),
    "answer left out of the files alone": (lambda f: without(f.files, "answer.json"), BAD, ("answer.json is missing",)),
    "invented run behind the head": (invented_run, BAD, ("which is not that of the run", "run.json (entry")),
    "invented run behind the head, alone in its chain": (
        lambda f: invented_run(f, keep_last=False),
        CONSISTENT,
        ("none of the heads you gave lies within",),
    ),
    "invented run behind the head, with a record of the pack": (
        lambda f: invented_run(f, first_form=False),
        BAD,
        ("which is not that of the run", "run.json (entry", "export.json (entry"),
    ),
    "invented review behind the head": (forged_review, BAD, ("manifest.json is not the one", "reviews/", "(entry")),
    "invented review behind the head, in a pack of the first form": (
        lambda f: forged_review(f, first_form=True),
        CONSISTENT,
        ("after entry", "reviews/", "(entry"),
    ),
    "run changed": (
        another_role,
        BAD,
        ("run.json is not what ledger entry",),
    ),
    "answer changed": (
        another_answer,
        BAD,
        ("answer.json is not what ledger entry",),
    ),
    "entry dropped from the middle": (
        lambda f: chain_from(f, lambda entries: entries[:2] + entries[3:]),
        BAD,
        ("the chain has a hole",),
    ),
    "two entries swapped": (
        lambda f: chain_from(f, lambda entries: [entries[0], entries[2], entries[1], *entries[3:]]),
        BAD,
        ("the chain has a hole",),
    ),
    "two entries swapped and numbered anew": (
        lambda f: chain_from(
            f,
            lambda e: [e[0], e[2] | {"sequence": e[1]["sequence"]}, e[1] | {"sequence": e[2]["sequence"]}, *e[3:]],
        ),
        BAD,
        ("its hash does not fit",),
    ),
    "entry of another run put first": (
        lambda f: f.files | {"ledger.jsonl": f.other["ledger.jsonl"]},
        BAD,
        ("begins with entry 1 (run), which is not that of the run",),
    ),
    "review left out": (
        lambda f: mended(without(f.files, f.review)),
        BAD,
        ("no answer and no review was left out", "(review)"),
    ),
    "review of another run": (review_of_another_run, BAD, ("belongs to another run",)),
    "page image replaced": (
        lambda f: mended(f.files | {f.image: b"another picture"}),
        BAD,
        ("manifest.json is not the one", "pages/"),
    ),
    "file added": (lambda f: f.files | {"more.txt": b"x"}, BAD, ("more.txt is not in the manifest",)),
    "file added, manifest made to fit": (
        lambda f: mended(f.files | {"more.txt": b"x"}),
        BAD,
        ("manifest.json is not the one", "more.txt"),
    ),
    "manifest altered": (
        lambda f: mended(f.files, exported_at="2020-01-01T00:00:00.000000Z"),
        BAD,
        ("manifest.json is not the one",),
    ),
    "record of the pack left out": (lambda f: without(f.files, "export.json"), BAD, ("export.json is missing",)),
    "record of another run's pack": (
        lambda f: (
            f.files
            | {
                "export.json": f.other["export.json"],
                "ledger.jsonl": b"".join(f.other["ledger.jsonl"].splitlines(True)[2:]),
            }
        ),
        BAD,
        ("export.json is not of a pack of this run",),
    ),
    "chain cut before the record of the pack": (
        lambda f: chain_from(f, lambda entries: entries[: f.index_of("audit_event")]),
        BAD,
        ("no ledger entry vouches for export.json",),
    ),
    "invented from beginning to end": (invented, BAD, ("the chain was rewritten",)),
}
