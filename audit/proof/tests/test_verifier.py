"""The verifier's parts on packs made by hand: what can be read, what fits, what is named, and no input crashes it."""

import hashlib
import io
import json
import pathlib
import subprocess
import sys
import zipfile
from typing import Any

import pytest

from audit.proof import verifier
from audit.proof.verifier import (
    BAD,
    CONSISTENT,
    FORMATS,
    OK,
    Bad,
    PackReader,
    Unreadable,
    gather_faults,
    judge_pack,
    kind_of_file,
    parse,
    print_line,
    read_chain,
    read_given,
    read_heads,
    read_later,
    read_manifest,
    read_pack,
)

RUN_ID = "5d8f0a7e-0000-4000-8000-000000000000"
HEAD = {"format": verifier.LEDGER, "sequence": 3, "hash": "a" * 64}
DEEP = b"[" * 200_000


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def chain_of(*subjects: tuple[str, str, bytes], first: int = 1) -> bytes:
    """The lines of a chain that vouches for these kinds, ids and contents."""
    lines, previous = [], "0" * 64
    for sequence, (kind, subject_id, content) in enumerate(subjects, first):
        time = "2026-11-20T14:02:11.000000Z"
        fields: list[Any] = [sequence, kind, subject_id, sha(content), previous, time]
        previous = sha("".join(f"{field}\n" for field in (verifier.LEDGER, *fields)).encode())
        lines.append(json.dumps(dict(zip((*verifier.HASHED, "hash"), (*fields, previous), strict=True))))
    return "".join(f"{line}\n" for line in lines).encode()


WHOLE_RUN: dict[str, Any] = {"run": {"id": RUN_ID, "parsed": {}}, "candidates": [], "llm_call": None}


def pack_of(run: Any = WHOLE_RUN) -> dict[str, bytes]:
    """A whole pack of the first format: a run, its chain and a manifest over them."""
    content = json.dumps(run).encode()
    files = {"run.json": content, "ledger.jsonl": chain_of(("run", RUN_ID, content))}
    subject = {"file": "run.json", "kind": "run", "subject_id": RUN_ID, "sequence": 1}
    manifest = {"format": FORMATS[0], "run": RUN_ID, "exported_at": "2026", "subjects": [subject]}
    digests = {name: sha(each) for name, each in files.items()}
    return files | {"manifest.json": json.dumps(manifest | {"files": digests}).encode()}


def judged(files: dict[str, bytes], heads: list[Any] | None = None, expected: str | None = None) -> tuple[int, str]:
    code, lines = judge_pack(PackReader(files, heads or [], expected), {})
    return code, "\n".join(lines)


def head_of(files: dict[str, bytes]) -> dict[str, Any]:
    last = json.loads(files["ledger.jsonl"].splitlines()[-1])
    return HEAD | {"sequence": last["sequence"], "hash": last["hash"]}


# ---- verdicts


def test_without_an_argument_it_checks_the_folder_it_lies_in(tmp_path: pathlib.Path) -> None:
    files = pack_of()
    folder, heads = tmp_path / "pack", tmp_path / "heads.jsonl"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    program = folder / "verify.py"
    program.write_bytes(pathlib.Path(verifier.__file__).read_bytes())
    manifest = json.loads(files["manifest.json"])
    manifest["files"]["verify.py"] = sha(program.read_bytes())
    (folder / "manifest.json").write_text(json.dumps(manifest))
    heads.write_text(json.dumps(head_of(files)))

    def check(*options: str) -> tuple[int, str]:
        command = [sys.executable, "verify.py", *options]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert not done.stderr
        return done.returncode, done.stdout

    code, told = check()
    assert code == CONSISTENT and "SHA-256 of manifest.json" in told
    assert check("--head", str(heads), "--manifest", sha((folder / "manifest.json").read_bytes()))[0] == OK
    (folder / "run.json").write_text("{}")
    assert check()[0] == BAD


def test_with_a_head_and_the_manifests_digest_it_is_ok() -> None:
    files = pack_of()
    code, told = judged(files, [head_of(files)], sha(files["manifest.json"]).upper())
    assert code == OK and f"run {RUN_ID}" in told and "3 files" in told


@pytest.mark.parametrize(("has_head", "told"), [(False, "you gave no head"), (True, "files that only the manifest")])
def test_without_all_of_it_vouched_for_it_is_consistent_only(has_head: bool, told: str) -> None:
    files = pack_of()
    code, said = judged(files, [head_of(files)] if has_head else [])
    assert code == CONSISTENT and told in said


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"run.json": b"{}"}, "run.json was changed"),
        ({"run.json": None}, "run.json is missing"),
        ({"ledger.jsonl": None}, "ledger.jsonl is missing"),
        ({"extra.txt": b"x"}, "extra.txt is not in the manifest: it was added"),
        ({"../../etc/passwd": b"x"}, "it was added"),
        ({"ledger.jsonl": b""}, "ledger.jsonl"),
        ({"ledger.jsonl": b"not json\n"}, "is not JSON"),
        ({"ledger.jsonl": DEEP + b"\n"}, "is not JSON"),
        ({"answer.json": b"{}"}, "no ledger entry vouches for answer.json"),
        ({"reviews/1.json": b"{}"}, "no ledger entry vouches for reviews/1.json"),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, bytes | None], told: str) -> None:
    files = pack_of()
    altered = {name: content for name, content in (files | changes).items() if content is not None}
    code, said = judged(altered, [head_of(files)], sha(files["manifest.json"]))
    assert code == BAD and told in said


def test_all_faults_are_named_and_not_only_the_first() -> None:
    files = pack_of()
    _, said = judged(files | {"run.json": b"[]", "b.txt": b"", "a.txt": b""})
    assert said.index("a.txt is not") < said.index("b.txt is not") and "run.json was changed" in said


@pytest.mark.parametrize(
    "run", [[], {"run": {}}, {"run": None}, {"run": {"id": 7, "parsed": None}, "candidates": 1}, "x"]
)
def test_a_record_of_another_form_is_bad_and_no_crash(run: Any) -> None:
    code, _ = judged(pack_of(run))
    assert code == BAD


def test_another_digest_than_the_one_written_down_is_bad() -> None:
    files = pack_of()
    assert judged(files, [head_of(files)], "0" * 64)[0] == BAD


@pytest.mark.parametrize(("sequence", "told"), [(1, "the chain was rewritten"), (0, "does not continue the head")])
def test_a_head_the_chain_no_longer_holds_is_bad(sequence: int, told: str) -> None:
    files = pack_of()
    code, said = judged(files, [HEAD | {"sequence": sequence, "hash": "b" * 64}])
    assert code == BAD and told in said


# ---- the chain


def test_entries_are_read_by_their_sequence() -> None:
    content = chain_of(("run", "a", b"1"), ("answer", "b", b"2"), first=7)
    entries = read_chain("l", content)
    assert list(entries) == [7, 8] and entries[8]["previous_hash"] == entries[7]["hash"]


def altered(content: bytes, line: int, **changes: Any) -> bytes:
    lines = content.decode().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | changes)
    return "".join(f"{each}\n" for each in lines).encode()


CHAIN = chain_of(("run", "a", b"1"), ("run", "b", b"2"), ("run", "c", b"3"))
FIRST, SECOND, THIRD = CHAIN.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "holds no entry"),
        (FIRST.rstrip(b"\n"), "does not end with a whole line"),
        (FIRST + SECOND[:20], "does not end with a whole line"),
        (FIRST + THIRD, "the chain has a hole"),
        (SECOND + FIRST, "the chain has a hole"),
        (FIRST + FIRST, "the chain has a hole"),
        (FIRST + chain_of(("run", "b", b"2"), first=2), "does not continue entry 1"),
        (altered(CHAIN, 1, kind="answer"), "its hash does not fit"),
        (altered(CHAIN, 1, time="now"), "its hash does not fit"),
        (altered(CHAIN, 1, extra="x"), "is no ledger entry"),
        (FIRST.replace(b", ", b","), "is not written as DocIntel writes"),
        (b"[]\n", "is no ledger entry"),
        (b"null\n", "is no ledger entry"),
        (b"\n", "is not JSON"),
        (b"{}\n", "is no ledger entry"),
        (FIRST + b"\n", "is not JSON"),
    ],
)
def test_a_chain_that_is_none_is_told(content: bytes, told: str) -> None:
    with pytest.raises(Bad, match=told):
        read_chain("ledger.jsonl", content)


# ---- files


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (json.dumps(HEAD), 1),
        (json.dumps(HEAD, indent=2), 1),
        (f"{json.dumps(HEAD)}\n\n{json.dumps(HEAD | {'sequence': 4})}\n", 2),
    ],
)
def test_heads_are_read_one_a_line(tmp_path: pathlib.Path, text: str, count: int) -> None:
    path = tmp_path / "heads.jsonl"
    path.write_text(text)
    assert len(read_heads(path)) == count


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"null",
        b"[]",
        b"7",
        b'"head"',
        b"{}",
        json.dumps(HEAD | {"format": "other"}).encode(),
        json.dumps(HEAD | {"sequence": "3"}).encode(),
        json.dumps(HEAD | {"hash": None}).encode(),
        b"\xff\xfe",
        DEEP,
    ],
    ids=["empty", "blank", "null", "list", "number", "text", "object", "format", "sequence", "hash", "bytes", "deep"],
)
def test_a_file_that_holds_no_heads_cannot_be_read(tmp_path: pathlib.Path, content: bytes) -> None:
    path = tmp_path / "heads.jsonl"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="is not what it should be"):
        read_given(read_heads, path)


def test_nothing_given_is_nothing_read() -> None:
    assert read_given(read_heads, None) == [] and read_given(read_later, None) == []


@pytest.mark.parametrize(
    "content", [None, b"", b"[", b"{}", b'{"format": "docintel-evidence-9"}', b"[]", DEEP], ids=range(7)
)
def test_a_pack_without_a_manifest_of_ours_is_bad(content: bytes | None) -> None:
    with pytest.raises((Bad, KeyError, TypeError)):
        read_manifest({} if content is None else {"manifest.json": content})


def test_a_folder_is_read_as_the_zip_it_came_from(tmp_path: pathlib.Path) -> None:
    files = {"manifest.json": b"{}", "reviews/1.json": b"a", "pages/p.png": b"\x00"}
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    with zipfile.ZipFile(tmp_path / "pack.zip") as made:
        made.extractall(tmp_path / "unpacked")
    assert read_pack(tmp_path / "pack.zip") == read_pack(tmp_path / "unpacked") == files


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_in_the_zip_twice_is_bad(tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as made:
        made.writestr("run.json", b"true one")
        made.writestr("run.json", b"other one")
    with pytest.raises(Bad, match=r"run\.json is in the pack twice"):
        read_pack(tmp_path / "pack.zip")


def test_a_file_that_cannot_be_unpacked_is_bad(tmp_path: pathlib.Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as made:
        made.writestr("run.json", b"what was stored")
    (tmp_path / "pack.zip").write_bytes(out.getvalue().replace(b"what was stored", b"what was forged"))
    with pytest.raises(Bad, match=r"run\.json cannot be unpacked"):
        read_pack(tmp_path / "pack.zip")


# ---- small parts


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("run.json", "run"),
        ("answer.json", "answer"),
        ("reading.json", "reading"),
        ("look.json", "look"),
        ("reviews/7.json", "review"),
        ("reviews/", "review"),
        ("exchanges/7.json", "exchange"),
        ("review.json", None),
        ("calls/run.json", None),
        ("", None),
    ],
)
def test_the_name_says_what_a_file_is(name: str, kind: str | None) -> None:
    assert kind_of_file(name) == kind


@pytest.mark.parametrize("content", ["", "{", "[1,]", "NaN x", DEEP.decode()], ids=range(5))
def test_what_is_no_json_is_told_by_its_name(content: str) -> None:
    with pytest.raises(Bad, match=r"run\.json is not JSON"):
        parse("run.json", content)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("plain", "plain"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("a\nOK: all fits", r"a\nOK: all fits"),
        ("é 保", r"\xe9 \u4fdd"),
        ("\u202eKO", r"\u202eKO"),
        ("\udcff", r"\udcff"),
    ],
)
def test_a_name_out_of_the_pack_moves_no_cursor(line: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_line(line)
    assert capsys.readouterr().out == f"{printed}\n"


def test_a_check_that_cannot_go_on_ends_with_what_stopped_it() -> None:
    def first() -> Any:
        yield "one"
        raise Bad("two")

    def second() -> Any:
        yield dict[str, str]()["three"]

    found = list(gather_faults(first(), second(), ["four"]))
    assert found[:2] == ["one", "two"] and "KeyError" in found[2] and found[3] == "four"
