"""The pack proves itself by its own script, without DocIntel; one flipped byte anywhere makes it fail and say where."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.translation import override

from accounts.models import User
from audit.evidence import VERIFIER, write_evidence
from audit.models import AuditEvent
from audit.reviewing import Opinion, review
from audit.tests.conftest import House, MakeAnswer, MakeRun, Tamper, run_fields
from ledger import chain
from ledger.chain import Head
from ledger.heads import write_head
from retrieval.models import RetrievalRun
from retrieval.record import READING

Files = dict[str, bytes]
LINES_MAX = 200


@pytest.fixture
def run(house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any) -> RetrievalRun:
    """A run with calls, answer, two reviews and a foreign run in between, as a chain has."""
    reading = make_call(purpose="question")
    parsed = run_fields(house)["parsed"] | {"reading_call": str(reading.pk)}
    run = make_run(arbiter="model", llm_call=make_call(), parsed=parsed)
    READING.vouch(reading.pk)
    make_run(question="Something else")
    make_answer(run, llm_call=make_call(purpose="answer"))
    review(
        run, run.candidates.all()[0], house.auditor, Opinion("overrule", "discarded", "It says <b>nothing</b> of it.")
    )
    review(run, None, house.owner, Opinion("incomplete", reason="The second half is missing."))
    return run


def pack_of(run: RetrievalRun) -> Files:
    out = BytesIO()
    write_evidence(run, out)
    with zipfile.ZipFile(out) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


def write(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w") as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return path


def check(path: Path, *options: str) -> tuple[int, str]:
    """Run the verifier as a stranger would: an empty environment, no site packages, another directory."""
    command = [sys.executable, "-I", "-S", str(VERIFIER), str(path), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent, env={})
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def test_it_passes_in_an_empty_environment(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    code, said = check(write(tmp_path / "pack.zip", files))
    assert (code, said[:3]) == (0, "OK:"), said
    with zipfile.ZipFile(tmp_path / "pack.zip") as pack:
        pack.extractall(tmp_path / "unpacked")
    assert check(tmp_path / "unpacked")[0] == 0
    assert files["verify.py"] == VERIFIER.read_bytes()
    assert len(VERIFIER.read_text().splitlines()) <= LINES_MAX


def test_a_pack_made_in_another_language_passes_too(run: RetrievalRun, tmp_path: Path) -> None:
    with override("fr"):
        files = pack_of(run)
    assert {"reading.json", "calls/question-reply.txt", "calls/arbiter-request.json"} <= files.keys()
    assert check(write(tmp_path / "pack.zip", files))[0] == 0


def test_one_flipped_byte_in_any_file_is_found_and_named(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    for name, content in files.items():
        for place in {0, len(content) // 2, len(content) - 1}:
            flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
            code, said = check(write(tmp_path / "bad.zip", files | {name: flipped}))
            assert code == 1, (name, place)
            assert name in said or name == "manifest.json", (name, said)


def remade(files: Files, **changed: bytes) -> Files:
    """The pack with files changed and the manifest made to fit: what a forger would do."""
    changes = {name.replace("__", "/").replace("_json", ".json"): content for name, content in changed.items()}
    manifest = json.loads(files["manifest.json"])
    for name, content in changes.items():
        manifest["files"][name] = chain.digest(content)
    return files | changes | {"manifest.json": json.dumps(manifest).encode()}


def test_a_forger_who_mends_the_manifest_is_found_by_the_ledger(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    forged = files["run.json"].replace(b'"role" : "discarded"', b'"role" : "supporting"')
    code, said = check(write(tmp_path / "bad.zip", remade(files, run_json=forged)))
    assert code == 1
    assert "run.json is not what ledger entry 1 vouches for" in said


def rechained(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A chain with its first entry changed and every hash computed anew."""
    entries = [json.loads(line) for line in content.splitlines()]
    change(entries[0])
    for index, entry in enumerate(entries):
        entry["previous_hash"] = entries[index - 1]["hash"] if index else entry["previous_hash"]
        names = ("sequence", "kind", "subject_id", "payload_digest", "previous_hash", "time")
        entry["hash"] = chain.digest(
            "".join(f"{part}\n" for part in (chain.FORMAT, *(entry[n] for n in names))).encode()
        )
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def test_a_forger_who_mends_everything_is_found_by_a_head_kept_elsewhere(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    write_head(tmp_path / "head.json", chain.head())
    forged = files["run.json"].replace(b'"role" : "discarded"', b'"role" : "supporting"')
    mended = rechained(files["ledger.jsonl"], lambda entry: entry.update(payload_digest=chain.digest(forged)))
    bad = remade(files, run_json=forged)
    manifest = json.loads(bad["manifest.json"])
    manifest["files"]["ledger.jsonl"] = chain.digest(mended)
    path = write(tmp_path / "bad.zip", bad | {"ledger.jsonl": mended, "manifest.json": json.dumps(manifest).encode()})
    assert check(path)[0] == 0, "nothing inside can tell"
    code, said = check(path, "--head", str(tmp_path / "head.json"))
    assert (code, "the chain was rewritten" in said) == (1, True)
    assert check(path, "--manifest", chain.digest(files["manifest.json"]))[0] == 1
    good = write(tmp_path / "good.zip", files)
    assert check(good, "--head", str(tmp_path / "head.json"))[0] == 0
    assert check(good, "--manifest", chain.digest(files["manifest.json"]))[0] == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: lines[:1] + lines[2:], "hole"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "hole"),
        (lambda lines: [lines[0].replace(b'"run"', b'"ran"'), *lines[1:]], "was changed"),
        (lambda lines: [b"no json", *lines[1:]], "line 1 is not JSON"),
        (lambda lines: [b"{}", *lines[1:]], "form"),
        (lambda lines: [], "no entry"),
    ],
)
def test_it_names_the_first_bad_entry(run: RetrievalRun, tmp_path: Path, change: Any, told: str) -> None:
    files = pack_of(run)
    broken = b"\n".join(change(files["ledger.jsonl"].splitlines()))
    manifest = json.loads(files["manifest.json"])
    manifest["files"]["ledger.jsonl"] = chain.digest(broken)
    bad = files | {"ledger.jsonl": broken, "manifest.json": json.dumps(manifest).encode()}
    code, said = check(write(tmp_path / "bad.zip", bad))
    assert (code, told in said) == (1, True), said


def test_it_tells_of_files_missing_added_and_unreadable(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    assert (
        "run.json is missing"
        in check(write(tmp_path / "a.zip", {k: v for k, v in files.items() if k != "run.json"}))[1]
    )
    assert "more.txt is not in the manifest" in check(write(tmp_path / "b.zip", files | {"more.txt": b"x"}))[1]
    (tmp_path / "c.zip").write_bytes(b"no zip")
    assert check(tmp_path / "c.zip")[0] == 2
    assert check(tmp_path / "absent.zip")[0] == 2


def test_the_report_reads_without_scripts_and_escapes(run: RetrievalRun) -> None:
    report = pack_of(run)["report.html"].decode()
    assert "<script" not in report and "style=" not in report
    assert "It says &lt;b&gt;nothing&lt;/b&gt; of it." in report
    for words in ("overruled as discarded", "The second half is missing.", "Reason 4", "Every candidate", "[1]"):
        assert words in report, words


def test_a_tampered_run_makes_a_pack_that_fails(run: RetrievalRun, tmp_path: Path, tamper: Tamper) -> None:
    tamper(f"UPDATE retrieval_runcandidate SET reason = 'forged' WHERE run_id = '{run.pk}' AND position = 2")
    code, said = check(write(tmp_path / "bad.zip", pack_of(run)))
    assert (code, "run.json" in said) == (1, True)


def test_the_button_and_the_command_record_the_manifest(
    run: RetrievalRun, house: House, signed_in: Callable[[User], Client], tmp_path: Path
) -> None:
    response = signed_in(house.auditor).get(f"/audit/runs/{run.pk}/evidence/")
    (tmp_path / "a.zip").write_bytes(b"".join(response))
    out = StringIO()
    call_command("export_evidence", str(run.pk), out=tmp_path / "b.zip", stdout=out)
    events = AuditEvent.objects.filter(action="evidence").order_by("created_at")
    assert [event.person_name for event in events] == ["Auditor", "console"]
    for path, event in zip((tmp_path / "a.zip", tmp_path / "b.zip"), events, strict=True):
        assert check(path, "--manifest", event.detail["manifest"])[0] == 0
    assert events[1].detail["manifest"] in out.getvalue()
    assert signed_in(house.viewer).get(f"/audit/runs/{run.pk}/evidence/").status_code == 404


def test_the_command_refuses_in_one_sentence(run: RetrievalRun, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no run"):
        call_command("export_evidence", "00000000-0000-0000-0000-000000000000")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_evidence", str(run.pk), out=tmp_path / "no" / "pack.zip")
    assert list(tmp_path.iterdir()) == []


def test_the_head_of_a_pack_is_the_ledgers(run: RetrievalRun) -> None:
    last = json.loads(pack_of(run)["ledger.jsonl"].splitlines()[-1])
    assert Head(last["sequence"], last["hash"]) == chain.head()
