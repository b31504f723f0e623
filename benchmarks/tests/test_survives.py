"""The parts of the drills that need no installation: verdicts, hostile files, what is killed with what."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import requests

from benchmarks.forging import BAD, CONSISTENT, FORGERIES
from benchmarks.survives import PARTS
from benchmarks.survives.files import Ending, Found, exceptions_in, from_folder
from benchmarks.survives.kills import group_of, pid_of, reach_of, strike
from benchmarks.survives.mutations import DAMAGES, READ, SAMPLES, Hostile, damaged, handmade, laid_open
from benchmarks.survives.packs import FOUND_BY_A_HEAD, FOUND_BY_ITSELF
from benchmarks.survives.parallel import differences, different
from benchmarks.survives.payloads import PAYLOADS, Canary
from benchmarks.survives.sinks import is_formula, planted
from benchmarks.survives.site import is_refused
from benchmarks.survives.sources import KINDS, healthy
from benchmarks.survives.tampering import is_found
from benchmarks.survives.verdicts import Verdict, is_any_failed, print_verdicts, server_errors, verdict_of
from documents.tests.test_spreadsheet import FORMULAS


@pytest.mark.parametrize(
    ("counts", "reached", "in_time", "holds", "is_late"),
    [
        ({"files": 3, "lost": 0, "untrue": []}, True, True, True, False),
        ({"files": 3, "lost": 1, "untrue": []}, True, True, False, False),
        ({"files": 3, "lost": 0, "untrue": ["a.pdf"]}, True, True, False, False),
        ({"files": 3, "lost": 0, "untrue": []}, False, True, False, False),
        ({"files": 3, "lost": 0, "untrue": []}, True, False, False, True),
        ({"files": 3, "lost": 1, "untrue": []}, True, False, False, False),
        ({"files": 3, "lost": 0, "untrue": []}, False, False, False, False),
    ],
)
def test_a_drill_holds_when_nothing_is_left_that_must_not_be(
    counts: dict[str, Any], reached: bool, in_time: bool, holds: bool, is_late: bool
) -> None:
    found = verdict_of("drill", "none", counts, "lost", "untrue", reached=reached, in_time=in_time)
    assert (found.holds, found.is_late) == (holds, is_late)
    assert found.measured.startswith("files: 3, lost: ")


def test_a_drill_that_was_not_tried_fails_nothing_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = [{"drill": "disk", "goal": "507", "measured": "no disk can be mounted", "holds": None}]
    figures = {"verdicts": told, "seconds": 3}
    assert not is_any_failed(figures)
    assert is_any_failed({"verdicts": [*told, told[0] | {"holds": False}]})
    print_verdicts(figures)
    printed = capsys.readouterr().out
    assert "not tried  disk" in printed and "0 hold, 0 fail, 1 not tried" in printed


def test_only_what_is_away_may_be_an_error_of_the_server() -> None:
    assert server_errors([200, 404, 429, 500, 502, 503, 507]) == [500, 502]


def test_a_verdict_is_one_row_of_the_figures() -> None:
    assert Verdict("a", "b", "c", True).holds
    assert len(set(PARTS)) == len(PARTS)


def test_hostile_files_are_the_same_for_the_same_seed() -> None:
    count = 2 * len(DAMAGES)
    assert damaged(count, 1) == damaged(count, 1)
    assert handmade() == handmade()
    others = zip(damaged(count, 1), damaged(count, 2), strict=True)
    assert sum(one.content != other.content for one, other in others) > count // 2


@pytest.mark.parametrize("kind", DAMAGES)
def test_every_damage_changes_the_file(kind: str) -> None:
    made = [file for file in damaged(4 * len(DAMAGES), 1) if file.name.startswith(kind)]
    wholes = {laid_open(SAMPLES / name) for name in ("outsourcing-agreement.pdf", "annual-report.pdf")}
    assert len(made) == 4
    assert not wholes & {file.content for file in made}


def test_hostile_files_have_different_names_and_contents() -> None:
    files = [*handmade(), *damaged(24, 1)]
    assert len({file.name for file in files}) == len(files)
    filled = [file.content for file in files if file.content]
    assert len(set(filled)) == len(filled)


def test_a_state_is_named_by_a_reason_with_words_that_is_no_fault_of_ours() -> None:
    file = handmade()[0]
    assert Ending(file, "encrypted", "Locked.").is_named and Ending(file, "encrypted", "Locked.").is_true
    assert Ending(file, READ, "").is_named and not Ending(file, READ, "").is_true
    assert not Ending(file, "encrypted", "").is_named
    assert not Ending(file, "internal", "Something went wrong.").is_named


def test_an_exception_in_the_logs_is_named_by_its_last_line() -> None:
    before = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    f()\nValueError: known\nINFO: on\n'
    after = 'ERROR: gone\nTraceback (most recent call last):\n  File "b.py", line 1, in g\n\n    g()\nKeyError: 1\n'
    assert exceptions_in(before) == ["ValueError: known"]
    assert exceptions_in(before + after + before, exceptions_in(before)) == ["KeyError: 1", "ValueError: known"]
    assert exceptions_in(
        '{"error": "Traceback (most recent call last):\\n  File"}\nTraceback (most recent call last)'
    ) == ["", ""]


def test_healthy_documents_differ_and_are_made_alike() -> None:
    sources = healthy(2 * len(KINDS), is_new_throughout=True)
    assert len({source.content for source in sources}) == len({source.name for source in sources}) == len(sources)
    for first, second in zip(sources[: len(KINDS)], sources[len(KINDS) :], strict=True):
        assert first.kind == second.kind
        assert lines_of(first.name, first.content) == lines_of(second.name, second.content)


def lines_of(name: str, content: bytes) -> int:
    if name.endswith(".md"):
        return len(content.splitlines())
    with pymupdf.open(stream=content) as document:
        return sum(len(page.get_text().splitlines()) for page in document)


def test_formulas_are_told_from_plain_numbers() -> None:
    assert all(any(formula in text for text in planted()) for formula in FORMULAS)
    assert is_formula(" =1+1") and is_formula("＠SUM(A1)")
    assert not is_formula("-1.5") and not is_formula("'=1+1") and not is_formula("words")


def test_a_kill_reaches_the_process_that_holds_the_lease_its_child_or_its_group() -> None:
    sleeping = "print(flush=True); import time; time.sleep(600)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {sleeping!r}])"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        assert pid_of(f"host:{worker.pid}:0a1b2c") == worker.pid
        assert len(group_of(worker.pid)) == 2 and os.getpid() not in group_of(worker.pid)
        assert reach_of(worker.pid, "child") == {worker.pid}
        assert strike(worker.pid, "child") == "child"
        assert worker.wait(timeout=60) == 0, "only its child was killed"
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True) as lone:
        assert strike(lone.pid, "child") == "process", "it has no child"
        assert lone.wait(timeout=60) == -9


def test_two_records_differ_where_they_do() -> None:
    one = {"run": {"status": "found", "hits": [1]}, "candidates": [{"role": "primary"}]}
    assert differences(one, one) == []
    assert differences(one, one | {"run": {"status": "weak", "hits": [1]}}) == ["run.status"]
    assert differences(one, one | {"candidates": []}) == ["candidates"]
    assert differences(one, {}) == ["run.status", "run.hits", "candidates"]
    assert len(set(different(200))) == 200


def test_a_pack_is_forged_in_twelve_kinds_that_anybody_finds() -> None:
    assert len(set(FOUND_BY_ITSELF)) == 12
    assert all(FORGERIES[name][1] == BAD for name in (*FOUND_BY_ITSELF, *FOUND_BY_A_HEAD))


def test_only_an_end_that_was_cut_off_may_leave_nothing_wrong() -> None:
    gone = "that nothing was cut off: there is no stamp for 20 hours"
    assert is_found("the end cut off", CONSISTENT, gone) and not is_found("an entry removed", CONSISTENT, gone)
    assert is_found("an entry removed", BAD, "entry 3 was first stamped on") and not is_found("x", BAD, "a hole")


def test_each_payload_acts_or_asks_and_is_known_by_its_number() -> None:
    canary = Canary()
    canary.server.server_close()
    told = [canary.payload(number, "title") for number in range(len(PAYLOADS))]
    assert len(set(PAYLOADS)) == 30
    assert all(canary.host in each for each in told)
    assert [each.rpartition(" ")[2] for each in told] == [f"title-{number}-" for number in range(len(PAYLOADS))]


def test_a_request_goes_to_the_next_process_only_where_nobody_listened() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        cut = threading.Thread(target=lambda: server.accept()[0].close())
        cut.start()
        with pytest.raises(requests.ConnectionError) as error:
            requests.get(address, timeout=60)
        cut.join()
        assert not is_refused(error.value), "it may have been heard"
    with pytest.raises(requests.ConnectionError) as error:
        requests.get(address, timeout=60)
    assert is_refused(error.value)


def test_what_was_not_read_is_told_by_name_and_only_what_is_not_named_counts() -> None:
    codes = {"a.pdf": READ, "b.pdf": "drawn_text", "c.pdf": "internal"}
    endings = [Ending(Hostile(name, b""), code, "Why not.") for name, code in codes.items()]
    counts = Found(endings, asked=["turn 1", "not_found", ""], answered=["done"]).counts()
    assert counts["not read"] == [("b.pdf", "drawn_text"), ("c.pdf", "internal")]
    assert counts["without a named state"] == [("c.pdf", "internal")] and counts["untrue"] == []
    assert counts["questions"] == {"done": 1, "not_found": 1, "": 1} and counts["questions without an end"] == 1


def test_the_files_of_a_folder_are_opened_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("deep/a.PDF", "b.md", "c.png"):
        (tmp_path / name).write_bytes(name.encode())
    files = from_folder(tmp_path)
    (tmp_path / "b.md").write_bytes(b"later")
    assert [(each.name, each.content) for each in files] == [("b.md", b"later"), ("a.PDF", b"deep/a.PDF")]
