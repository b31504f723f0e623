"""The pack is checked by its own script, without DocIntel: with a head kept elsewhere no forgery of it is called OK."""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.translation import override
from pytest_django import Settings

from accounts.models import User
from audit.conftest import PASSAGE, House, MakeAnswer, MakeRun, Tamper, run_fields
from audit.keeping import tasks
from audit.models import AuditEvent
from audit.proof import verifier
from audit.proof.evidence import VERIFIER, write_evidence
from audit.review.comments import begin_thread
from audit.review.reviewing import Opinion, review
from benchmarks import forging
from benchmarks.forging import (
    BAD,
    CONSISTENT,
    FORGERIES,
    OK,
    OWN,
    UNREADABLE,
    Files,
    Forger,
    as_first_form,
    each_file_forged,
    invented,
    lines,
    read,
    rechained,
    record_of,
    rows,
    without,
    write,
)
from documents.models import Document, Line
from ledger import chain
from ledger.chain import Head
from ledger.heads import write_head
from retrieval.models import RetrievalRun
from retrieval.record.ledger_forms import EXCHANGE, LOOK, READING
from retrieval.types import LineRange

LINES_MAX = 660  # to be read in one sitting by whoever does not trust it
NO_DIGEST = "0" * 64
Genuine = tuple[Files, Files, dict[str, bytes]]


@pytest.fixture
def run(house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any) -> RetrievalRun:
    """A run with calls, answer, two reviews and a foreign run in between, as a chain has."""
    reading, look = make_call(purpose="question"), make_call()
    parsed = run_fields(house)["parsed"] | {"reading_call": str(reading.pk)}
    plan = run_fields(house)["plan"] | {"look_call": str(look.pk)}
    run = make_run(arbiter="model", llm_call=make_call(), parsed=parsed, plan=plan)
    READING.vouch(reading.pk)
    LOOK.vouch(look.pk)
    make_run(question="Something else")
    claims = make_call(purpose="claims")
    written = make_call(purpose="answer", parameters={"temperature": 0, "fragments": ["one fact", "amount"]})
    make_answer(run, llm_call=written, other_calls=[str(claims.pk)])
    EXCHANGE.vouch(claims.pk)
    review(
        run, run.candidates.all()[0], house.auditor, Opinion("overrule", "discarded", "It says <b>nothing</b> of it.")
    )
    review(run, None, house.owner, Opinion("incomplete", reason="The second half is missing."))
    return run


def pack_of(run: RetrievalRun) -> Files:
    out = BytesIO()
    write_evidence(run, out, None)
    return read(out.getvalue())


def check(path: Path, *options: str | Path) -> tuple[int, str]:
    """As a stranger runs it, but in this process: to start another takes ten times as long as a check."""
    out, wrong = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(wrong):
        patch.setattr(sys, "argv", [str(VERIFIER), str(path), *map(str, options)])
        code = verifier.main()
    assert not wrong.getvalue(), wrong.getvalue()
    return code, out.getvalue()


@pytest.fixture
def heads(settings: Settings, tmp_path: Path) -> Callable[[], Path]:
    """What the hourly schedule keeps elsewhere, as it is when this is called."""
    settings.LEDGER_HEADS, settings.LEDGER_KEY = tmp_path / "elsewhere" / "heads.jsonl", None

    def keep() -> Path:
        tasks.export_head()
        return Path(settings.LEDGER_HEADS)

    return keep


def test_it_passes_in_an_empty_environment(run: RetrievalRun, heads: Callable[[], Path], tmp_path: Path) -> None:
    files = pack_of(run)
    path = write(tmp_path / "pack.zip", files)
    kept = heads()
    code, said = forging.check(VERIFIER, path, "--head", kept)
    assert (code, said[:3]) == (OK, "OK:"), said
    assert check(path, "--head", kept) == (code, said)
    with zipfile.ZipFile(path) as pack:
        pack.extractall(tmp_path / "unpacked")
    assert forging.check(VERIFIER, tmp_path / "unpacked", "--head", kept)[0] == OK
    assert files["verify.py"] == VERIFIER.read_bytes()
    assert len(VERIFIER.read_text().splitlines()) <= LINES_MAX


def test_without_a_head_it_is_consistent_only(run: RetrievalRun, tmp_path: Path) -> None:
    code, said = check(write(tmp_path / "pack.zip", pack_of(run)))
    assert (code, said.startswith("CONSISTENT ONLY:")) == (CONSISTENT, True), said
    assert "you gave no head" in said
    assert "report.html" in said and "run.json" not in said.split("files that only")[1].splitlines()[0]


def test_its_help_and_the_pack_explain_every_exit_code(run: RetrievalRun) -> None:
    command = [sys.executable, "-I", "-S", str(VERIFIER), "--help"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for text in (told, pack_of(run)["README.txt"].decode()):
        for words in ("OK", "BAD", "CONSISTENT ONLY", "--head", "--ledger", "--manifest"):
            assert words in text, words


def test_a_pack_made_in_another_language_passes_too(
    run: RetrievalRun, heads: Callable[[], Path], tmp_path: Path
) -> None:
    with override("fr"):
        files = pack_of(run)
    assert {"reading.json", "calls/question-reply.txt", "calls/arbiter-request.json"} <= files.keys()
    assert {"look.json", "calls/other-look-reply.txt", "calls/answer-1-request.json"} <= files.keys()
    assert sum(name.startswith("exchanges/") for name in files) == 1
    assert check(write(tmp_path / "pack.zip", files), "--head", heads())[0] == OK


def test_every_pack_has_its_own_head_among_those_kept(
    run: RetrievalRun, make_run: MakeRun, heads: Callable[[], Path], tmp_path: Path
) -> None:
    """The chain goes on behind a pack, so that the newest head is not in it."""
    heads()
    packs: list[Path] = []
    for _ in range(2):
        packs.append(write(tmp_path / f"{len(packs)}.zip", pack_of(run)))
        make_run(question="Something else")
    kept = heads()
    assert [check(pack, "--head", kept)[0] for pack in packs] == [OK, OK]


def test_a_later_head_is_reached_by_the_ledger_of_a_later_pack(
    run: RetrievalRun, make_run: MakeRun, tmp_path: Path
) -> None:
    files = pack_of(run)
    make_run(question="Something else")
    write_head(tmp_path / "head.json", chain.head())
    later = pack_of(run)["ledger.jsonl"]
    (tmp_path / "later.jsonl").write_bytes(later)
    pack = write(tmp_path / "pack.zip", files)
    code, said = check(pack, "--head", tmp_path / "head.json")
    assert (code, "Give the entries up to your head of entry" in said) == (CONSISTENT, True), said
    assert check(pack, "--head", tmp_path / "head.json", "--ledger", tmp_path / "later.jsonl")[0] == OK
    forged = rechained(rows(later), 0, payload_digest=NO_DIGEST)
    (tmp_path / "later.jsonl").write_bytes(lines(forged))
    code, said = check(pack, "--head", tmp_path / "head.json", "--ledger", tmp_path / "later.jsonl")
    assert (code, "the ledger you gave does not hold" in said) == (BAD, True), said


def test_a_head_from_before_the_pack_and_the_manifests_digest(run: RetrievalRun, tmp_path: Path) -> None:
    write_head(tmp_path / "head.json", chain.head())
    files = pack_of(run)
    pack = write(tmp_path / "pack.zip", files)
    code, said = check(pack, "--head", tmp_path / "head.json")
    assert (code, "export.json (entry " in said, "report.html" in said) == (CONSISTENT, True, True), said
    assert "run.json" not in said
    known = ("--manifest", chain.digest_of(files["manifest.json"]))
    assert check(pack, *known)[0] == CONSISTENT, "it says nothing of the chain"
    assert check(pack, "--head", tmp_path / "head.json", *known)[0] == OK
    code, said = check(pack, "--head", tmp_path / "head.json", "--manifest", NO_DIGEST)
    assert (code, "not the one you gave" in said) == (BAD, True)


def test_one_flipped_byte_in_any_file_is_found_and_named(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    for name, content in files.items():
        for place in {0, len(content) // 2, len(content) - 1}:
            flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
            code, said = check(write(tmp_path / "bad.zip", files | {name: flipped}))
            assert code == BAD, (name, place)
            assert name in said, (name, said)


# ---- what somebody without the database can forge


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the images of pages are kept, so that they are drawn once."""
    return tmp_path_factory.mktemp("page_images")


@pytest.fixture
def house_with_file(house: House, settings: Settings, drawn: Path) -> House:
    """A base whose document has a real file, and so images of its pages."""
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = settings.BASE_DIR / "samples", drawn
    sha256 = hashlib.sha256((settings.MEDIA_ROOT / "annual-report.pdf").read_bytes()).hexdigest()
    Document.objects.filter(pk=house.document.pk).update(file="annual-report.pdf", sha256=sha256)
    house.document.refresh_from_db()
    return house


@pytest.fixture
def genuine(
    house_with_file: House,
    make_run: MakeRun,
    make_answer: MakeAnswer,
    make_call: Any,
    heads: Callable[[], Path],
    tmp_path: Path,
) -> Genuine:
    """The pack of a run, that of an earlier one, and the heads kept before and after."""
    earlier = make_run(question="Asked before")
    review(earlier, None, house_with_file.auditor, Opinion("agree"))
    run = make_run(arbiter="model", llm_call=make_call())
    write_head(tmp_path / "early.json", chain.head())
    make_run(question="Something else")
    make_answer(run, llm_call=make_call(purpose="answer"))
    review(run, None, house_with_file.auditor, Opinion("wrong", reason="It says nothing of it."))
    files = pack_of(run)
    kept = {"heads.jsonl": heads().read_bytes(), "early.json": (tmp_path / "early.json").read_bytes()}
    return files, pack_of(earlier), kept


@pytest.fixture(scope="module")
def made() -> list[Genuine]:
    """What is forged, from the first test on that forges it: none of them needs the database."""
    return []


@pytest.fixture
def forger(made: list[Genuine], request: pytest.FixtureRequest, tmp_path: Path) -> Forger:
    if not made:
        made.append(request.getfixturevalue("genuine"))
    files, earlier, kept = made[0]
    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
    return Forger(dict(files), tmp_path / "heads.jsonl", other=dict(earlier))


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_is_ok(forger: Forger, tmp_path: Path, name: str) -> None:
    forge, expected, words = FORGERIES[name]
    code, said = check(write(tmp_path / "forged.zip", forge(forger)), "--head", forger.heads)
    assert code == expected, said
    assert [word for word in words if word not in said] == [], said
    assert "OK:" not in said


def test_no_file_can_be_changed_or_left_out_however_much_is_made_to_fit(forger: Forger, tmp_path: Path) -> None:
    forged = dict(each_file_forged(forger))
    assert len(forged) == 6 * len(forger.files.keys() - {*OWN}) > 48
    for name, files in forged.items():
        pack = write(tmp_path / "forged.zip", files)
        with_head, alone = check(pack, "--head", forger.heads), check(pack)
        assert with_head[0] == BAD and alone[0] != OK, f"{name}: {with_head}"


def test_the_genuine_pack_beside_the_forgeries_is_ok(forger: Forger, tmp_path: Path) -> None:
    code, said = check(write(tmp_path / "pack.zip", forger.files), "--head", forger.heads)
    assert code == OK, said


def test_a_head_older_than_what_it_should_vouch_for(forger: Forger, tmp_path: Path) -> None:
    code, said = check(write(tmp_path / "pack.zip", forger.files), "--head", tmp_path / "early.json")
    assert code == CONSISTENT
    late = next(line for line in said.splitlines() if "the last of your heads here" in line)
    assert "answer.json (entry 5)" in late and "reviews/" in late and "run.json" not in late
    assert "Take a later head" in late


def test_an_invented_pack_without_a_head_is_consistent_at_most(forger: Forger, tmp_path: Path) -> None:
    code, said = check(write(tmp_path / "pack.zip", invented(forger)))
    assert (code, "all of it may be invented" in said) == (CONSISTENT, True), said


def test_a_pack_of_the_first_form_is_ok_with_the_digest_of_its_manifest(forger: Forger, tmp_path: Path) -> None:
    files = as_first_form(forger.files)
    pack = write(tmp_path / "pack.zip", files)
    code, said = check(pack, "--head", forger.heads)
    assert (code, "report.html" in said) == (CONSISTENT, True)
    known = ("--manifest", chain.digest_of(files["manifest.json"]))
    assert check(pack, "--head", forger.heads, *known)[0] == OK
    assert check(pack, *known)[0] == CONSISTENT


def test_a_name_in_the_pack_writes_no_line_of_its_own(forger: Forger, tmp_path: Path) -> None:
    path = tmp_path / "forged.zip"
    write(path, forger.files | {"x\r\nOK: all of it \x1b[2J\u202e": b""})
    code, said = check(path, "--head", forger.heads)
    assert code == BAD
    assert not [line for line in said.splitlines() if line.startswith("OK")]
    assert said.isascii() and "\x1b" not in said


@pytest.mark.parametrize("pretty", [False, True])
def test_heads_of_older_programs_are_read(forger: Forger, tmp_path: Path, pretty: bool) -> None:
    newest = json.loads(forger.heads.read_text().splitlines()[0])
    (tmp_path / "head.json").write_text(json.dumps(newest, indent=2 if pretty else None) + "\n")
    pack = write(tmp_path / "pack.zip", forger.files)
    assert check(pack, "--head", tmp_path / "head.json")[0] == OK


@pytest.mark.parametrize(
    "content", ["", "no json", "{}", '{"format": "docintel-ledger-1", "sequence": "3"}', "[1]", "["]
)
def test_a_file_that_holds_no_heads_is_said_to_be_none(forger: Forger, tmp_path: Path, content: str) -> None:
    (tmp_path / "head.json").write_text(content)
    pack = write(tmp_path / "pack.zip", forger.files)
    for option in ("--head", "--ledger"):
        code, said = check(pack, option, tmp_path / "head.json")
        assert (code, "head.json" in said) == (UNREADABLE, True), said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda content: content.replace(b'"run"', b'"ran"', 1), "was changed"),
        (lambda content: b"no json\n" + content, "line 1 is not JSON"),
        (lambda content: b"{}\n" + content, "line 1 is no ledger entry"),
        (lambda content: b"[" * 100_000 + b"\n", "line 1 is not JSON"),
        (lambda content: content.replace(b'": ', b'":  ', 1), "not written as DocIntel writes"),
        (lambda content: content[:-1], "does not end with a whole line"),
        (lambda content: b"", "no entry"),
    ],
)
def test_it_names_the_first_bad_entry(run: RetrievalRun, tmp_path: Path, change: Any, told: str) -> None:
    files = pack_of(run)
    bad = files | {"ledger.jsonl": change(files["ledger.jsonl"])}
    code, said = check(write(tmp_path / "bad.zip", bad))
    assert (code, told in said) == (BAD, True), said


def test_it_tells_of_files_missing_and_unreadable(run: RetrievalRun, tmp_path: Path) -> None:
    files = pack_of(run)
    for name in files:
        code, said = check(write(tmp_path / "a.zip", without(files, name)))
        assert (code, f"{name} is missing" in said) == (BAD, True), said
    (tmp_path / "c.zip").write_bytes(b"no zip")
    assert check(tmp_path / "c.zip")[0] == UNREADABLE
    assert check(tmp_path / "absent.zip")[0] == UNREADABLE


def test_the_report_reads_without_scripts_and_escapes(run: RetrievalRun) -> None:
    report = pack_of(run)["report.html"].decode()
    assert "<script" not in report and "style=" not in report
    assert "It says &lt;b&gt;nothing&lt;/b&gt; of it." in report
    assert "Pieces of the prompt for this question: one fact, amount." in " ".join(report.split())
    for words in ("overruled as discarded", "The second half is missing.", "Reason 4", "Every candidate", "[1]"):
        assert words in report, words


def test_struck_words_are_struck_in_the_report(run: RetrievalRun) -> None:
    assert "<s>" not in pack_of(run)["report.html"].decode()
    Line.objects.filter(number=1).update(spans=[[0, 0, 72.0, 90.0], [3, 10, 94.0, 120.0, True]])
    assert "We <s>compute</s> the dot" in pack_of(run)["report.html"].decode()


def test_a_section_named_as_its_document_is_told_once(run: RetrievalRun, tamper: Tamper) -> None:
    [title] = set(run.candidates.values_list("document_title", flat=True))
    tamper("UPDATE retrieval_runcandidate SET breadcrumb = document_title WHERE position = 1")
    told = " ".join(pack_of(run)["report.html"].decode().split())
    assert told.count(f"{title}, page 1") == 2, "in the citation, and by the candidate"
    assert f"{title}, Model Architecture &gt; Section 2, page 1" in told and f"{title}, {title}" not in told


def test_a_pack_holds_every_document_of_the_scope(
    make_run: MakeRun, heads: Callable[[], Path], tmp_path: Path, tamper: Tamper
) -> None:
    run = make_run(states="read " + "counted " * 2 + "unreadable")
    files = pack_of(run)
    listed = record_of(files, "run.json")["documents"]
    assert [each["state"] for each in listed] == ["read", "counted", "counted", "unreadable"]
    told = " ".join(files["report.html"].decode().split())
    assert "4 documents: 1 read, 2 searched for words, 1 not read." in told
    assert "it still waits to be read" in told and "2 of 30" in told
    assert check(write(tmp_path / "pack.zip", files), "--head", heads())[0] == OK
    tamper(f"DELETE FROM retrieval_rundocument WHERE run_id = '{run.pk}' AND position = 4")
    code, said = check(write(tmp_path / "other.zip", pack_of(run)), "--head", heads())
    assert (code, "run.json is not what ledger entry" in said) == (BAD, True), said


def test_a_pack_has_the_pictures_at_the_lines_and_one_without_says_nothing_of_them(
    make_run: MakeRun, heads: Callable[[], Path], tmp_path: Path
) -> None:
    """(R85) Records from before there were pictures are as they were."""
    picture = {"page": 1, "x0": 100.0, "y0": 200.0, "x1": 400.0, "y1": 500.0, "picture": "not_read"}
    for pictures in ([picture], []):
        files = pack_of(make_run("primary", pictures=pictures))
        [candidate] = record_of(files, "run.json")["candidates"]
        assert candidate["boxes"][1:] == pictures
        assert ("picture" in json.dumps(candidate)) == bool(pictures)
        assert check(write(tmp_path / f"{len(pictures)}.zip", files), "--head", heads())[0] == OK


def test_a_tampered_run_makes_a_pack_that_fails(run: RetrievalRun, tmp_path: Path, tamper: Tamper) -> None:
    tamper(f"UPDATE retrieval_runcandidate SET reason = 'forged' WHERE run_id = '{run.pk}' AND position = 2")
    code, said = check(write(tmp_path / "bad.zip", pack_of(run)))
    assert (code, "run.json" in said) == (BAD, True)


def test_the_button_and_the_command_record_the_manifest(
    run: RetrievalRun, house: House, signed_in: Callable[[User], Client], tmp_path: Path
) -> None:
    response = signed_in(house.auditor).get(f"/audit/runs/{run.pk}/evidence/")
    (tmp_path / "a.zip").write_bytes(b"".join(response))
    out = StringIO()
    call_command("export_evidence", str(run.pk), out=tmp_path / "b.zip", stdout=out)
    events = AuditEvent.objects.filter(action="evidence").order_by("created_at")
    assert [event.person_name for event in events] == ["Auditor", "console"]
    write_head(tmp_path / "head.json", chain.head())
    for path, event in zip((tmp_path / "a.zip", tmp_path / "b.zip"), events, strict=True):
        assert check(path, "--manifest", event.detail["manifest"])[0] == CONSISTENT
    assert check(tmp_path / "b.zip", "--head", tmp_path / "head.json")[0] == OK
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


def test_it_has_every_cited_page_the_comments_and_the_verdict(
    house: House, run: RetrievalRun, heads: Callable[[], Path], tmp_path: Path
) -> None:
    """R105: a cited page without a picture is there as text, though its candidate was discarded by the arbiter."""
    about = LineRange(1, 2)
    begin_thread(house.document, house.parse, about, house.viewer, "Is <this> the right page?")
    files = pack_of(run)
    report = files["report.html"].decode()
    assert PASSAGE in files[f"pages/{str(house.document.pk)[:8]}-1.txt"].decode()
    [thread] = json.loads(files["comments.json"])
    assert (thread["lines"], thread["comments"][0]["text"]) == ([1, 2], "Is <this> the right page?")
    assert "Is &lt;this&gt; the right page?" in report
    assert "Judged incomplete:" in report and "The program said:" in report
    assert check(write(tmp_path / "pack.zip", files), "--head", heads())[0] == OK


def test_it_says_the_typed_values_as_the_reader_sees_them(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any
) -> None:
    typed = {"type": "amount", "printed": "EUR 75,000", "value": "75000", "unit": "EUR"}
    run = make_run()
    check = {"sentence": PASSAGE, "markers": [1], "supported": 1.0, "numbers": [], "problems": [], "typed": typed}
    make_answer(run, kind="extractive", checks=[check])
    report = pack_of(run)["report.html"].decode()
    assert "Values as its reader sees them:" in report
    assert re.search(r"Amount:\s+EUR 75,000\s+\[1\]", report)
