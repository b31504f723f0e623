"""The child process by itself: its limits hold before a file is opened, and it says in JSON how it ended."""

import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from reading.limits import MIB, Limits
from reading.processes.child import EXIT_OF_ERROR, limit
from reading.processes.starting import ROOT
from reading.processes.transfer import decode_reading
from reading.recognition import write_page_text
from reading.tests.pdfs import raw_pdf, write_pdf

TEXT = ["The termination clause requires thirty days of notice by either party."] * 3
MAIN = "import sys; from reading.processes.child import main; main(sys.argv[2:], int(sys.argv[1]))"
SHOW_LIMITS = """
import json, resource, sys
from reading.limits import Limits
from reading.processes.child import set_limits
limits = Limits(**json.loads(sys.argv[1]))
set_limits(limits.for_render() if sys.argv[2] == "render" else limits)
names = ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_FSIZE")
print(json.dumps({name: resource.getrlimit(getattr(resource, name)) for name in names}))
"""


def run(*arguments: object, program: str = "") -> tuple[int, list[dict[str, Any]], str]:
    """The exit code, the messages and the standard error of a child that was started by us."""
    command = [
        sys.executable,
        *("-c", program or MAIN),
        *map(str, arguments),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def limits_json(**changes: Any) -> str:
    return json.dumps(asdict(Limits(**changes)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "notice.pdf", [TEXT] * 11, title="Notice")


def test_it_reads_to_a_file_and_tells_how_far_it_is(path: Path, tmp_path: Path) -> None:
    code, messages, errors = run(os.getpid(), "read", path, tmp_path / "out.json", limits_json(), tmp_path, "automatic")
    assert (code, errors) == (0, "") and messages == [{"page": 10, "of": 11}, {"page": 11, "of": 11}]
    reading = decode_reading(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))
    assert reading.title == "Notice" and len(reading.pages) == 11 and reading.language == ""


def test_it_reads_with_the_text_that_was_recognised_before(tmp_path: Path) -> None:
    mixed = write_pdf(tmp_path / "mixed.pdf", [TEXT, []])
    folder = tmp_path / "recognised"
    folder.mkdir()
    line = ["Recognised by an earlier run", 72.0, 90.0, 300.0, 104.0]
    write_page_text(folder / "2.ocr.json", {"engine": "e", "lines": [line], "is_blank": False})
    code, _, _ = run(os.getpid(), "read", mixed, tmp_path / "out.json", limits_json(), folder, "automatic")
    reading = decode_reading(json.loads((tmp_path / "out.json").read_bytes()))
    assert code == 0 and [page.text_layer for page in reading.pages] == ["text", "ocr"]
    assert reading.lines[-1].text == "Recognised by an earlier run" and reading.lines[-1].method == "ocr"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty_file"), (b"<html>", "not_pdf"), (b"%PDF-1.7\n", "damaged"), (raw_pdf(b""), "blank_pages")],
)
@pytest.mark.parametrize("job", ["read", "render"])
def test_it_says_why_a_file_is_refused_and_leaves_nothing(tmp_path: Path, content: bytes, code: str, job: str) -> None:
    (tmp_path / "file.pdf").write_bytes(content)
    tail = [tmp_path, "automatic"] if job == "read" else [1, 72]
    exit_code, messages, _ = run(os.getpid(), job, tmp_path / "file.pdf", tmp_path / "out", limits_json(), *tail)
    if code == "blank_pages" and job == "render":
        assert exit_code == 0, "an empty page can be drawn"
        return
    assert exit_code == EXIT_OF_ERROR and messages[-1]["error"]["code"] == code
    assert messages[-1]["error"]["message"].endswith(".") and not (tmp_path / "out").exists()


def test_it_draws_a_page(path: Path, tmp_path: Path) -> None:
    code, messages, _ = run(os.getpid(), "render", path, tmp_path / "page.webp", limits_json(), 11, 30)
    assert (code, messages) == (0, []) and (tmp_path / "page.webp").read_bytes()[8:12] == b"WEBP"


def test_a_file_without_pages_to_recognise_needs_no_library(path: Path, tmp_path: Path) -> None:
    code, messages, errors = run(os.getpid(), "recognise", path, tmp_path, limits_json(memory_bytes=4096 * MIB))
    assert (code, messages, errors) == (0, [{"page": 0, "of": 0}], "")


def test_a_file_that_is_not_there_is_a_fault_of_ours(tmp_path: Path) -> None:
    code, messages, errors = run(
        os.getpid(), "read", tmp_path / "none.pdf", tmp_path / "out", limits_json(), tmp_path, "automatic"
    )
    assert code != 0 and not (tmp_path / "out").exists()
    assert messages or "none.pdf" in errors


def test_it_does_nothing_when_its_parent_is_gone(path: Path, tmp_path: Path) -> None:
    code, messages, _ = run(os.getpid() + 1, "read", path, tmp_path / "out.json", limits_json(), tmp_path, "automatic")
    assert (code, messages) == (0, []) and not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(("job", "cpu_s"), [("read", 33), ("render", 7)])
def test_its_limits_hold(job: str, cpu_s: int) -> None:
    limits = limits_json(cpu_s=33, render_cpu_s=7, memory_bytes=700 * MIB, open_files=50)
    code, [shown], errors = run(limits, job, program=SHOW_LIMITS)
    assert code == 0, errors
    assert shown["RLIMIT_CPU"] == [cpu_s, cpu_s + 2] and shown["RLIMIT_AS"] == [700 * MIB] * 2
    assert shown["RLIMIT_NOFILE"] == [50, 50] and shown["RLIMIT_CORE"] == [0, 0]
    assert shown["RLIMIT_FSIZE"] == [350 * MIB] * 2


def test_a_hard_limit_of_the_system_is_never_raised() -> None:
    program = (
        "import json, resource; from reading.processes.child import limit\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)); limit(resource.RLIMIT_NOFILE, 64, 90)\n"
        "first = resource.getrlimit(resource.RLIMIT_NOFILE); limit(resource.RLIMIT_NOFILE, 20, 30)\n"
        "print(json.dumps({'first': first, 'then': resource.getrlimit(resource.RLIMIT_NOFILE)}))"
    )
    code, [shown], _ = run(program=program)
    assert code == 0 and shown == {"first": [40, 40], "then": [20, 30]}


def test_a_limit_that_is_there_already_can_be_set_again() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    limit(resource.RLIMIT_CORE, soft, hard)
    assert resource.getrlimit(resource.RLIMIT_CORE) == (soft, hard)
