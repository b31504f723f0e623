"""The image: its build by hand in a copy of the context, and how the program is named elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docintel_site.requirements import PAGE, read_rules
from retrieval import version
from retrieval.version import of_checkout, program_version
from tests.running import ROOT

GIVEN = "v1.2-7-g1a2b3c4"


def steps() -> list[str]:
    """The RUN lines of the Dockerfile, each as one command."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return re.findall(r"^RUN (.*)$", text, re.MULTILINE)


def step(words: str) -> str:
    [found] = [line for line in steps() if words in line]
    return found


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """What `COPY . .` takes."""
    left_out = [line.rpartition("/")[2] for line in (ROOT / ".dockerignore").read_text().split()]
    assert {".git", ".env", "var"} <= set(left_out)
    copied = tmp_path / "app"
    shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns(*left_out))
    return copied


def run(command: list[str], context: Path, **more: str) -> subprocess.CompletedProcess[str]:
    places = {
        "DOCINTEL_HOME": str(context.parent / "home"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    return subprocess.run(
        command, cwd=context, env=os.environ | places | more, capture_output=True, text=True, timeout=120, check=False
    )


def built(context: Path) -> None:
    done = run(["sh", "-c", step("retrieval.version")], context, DOCINTEL_VERSION=GIVEN)
    assert done.returncode == 0, done.stderr


def test_the_build_keeps_the_version_it_is_given(context: Path) -> None:
    built(context)
    collected = run(["sh", "-c", step("collectstatic").replace("/tmp/build", str(context.parent / "build"))], context)
    assert collected.returncode == 0, collected.stderr
    assert (context / "staticfiles" / "site.css").exists()
    said = "from retrieval.version import program_version; print(program_version())"
    shown = run([sys.executable, "manage.py", "shell", "--no-imports", "-c", said], context)
    assert shown.stdout.split()[-1:] == [GIVEN], shown.stderr
    assert run([sys.executable, "manage.py", "check"], context).returncode == 0


def test_the_page_of_the_requirements_finds_rules_and_tests_in_it(context: Path) -> None:
    told = "from docintel_site.requirements import *; print(len(read_rules(PAGE)), *find_test_citations()['G1'])"
    shown = run([sys.executable, "manage.py", "shell", "--no-imports", "-c", told], context)
    count, *tests = shown.stdout.split()
    assert int(count) == len(read_rules(PAGE)), shown.stderr
    assert any(test.startswith("retrieval/tests/test_absence.py::test_") for test in tests)


@pytest.mark.parametrize("given", ["", "unknown", "two words", "$Format:%h$", "x" * 81, "-v"])
def test_a_build_without_a_version_ends_in_a_sentence(context: Path, given: str) -> None:
    before = (context / "VERSION").read_text()
    refused = run(["sh", "-c", step("retrieval.version")], context, DOCINTEL_VERSION=given)
    assert refused.returncode == 1
    assert '--build-arg DOCINTEL_VERSION="$(git describe --always --dirty=+)"' in refused.stderr
    assert "Traceback" not in refused.stderr and (context / "VERSION").read_text() == before


@pytest.mark.parametrize("changed", ["version.py", "words/stop_words.en.txt", "question/phrasing.fr.toml"])
def test_a_copy_of_the_files_is_told_by_its_code_and_its_words(
    context: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setattr(version, "ROOT", context)
    monkeypatch.setattr(version, "FILE", context / "VERSION")
    first = program_version.__wrapped__()
    assert re.fullmatch(r"code-[0-9a-f]{12}", first) and program_version.__wrapped__() == first
    with (context / "retrieval" / changed).open("a") as file:
        file.write("# changed")
    assert program_version.__wrapped__() != first


@pytest.mark.skipif(not of_checkout(), reason="this is no checkout")
def test_an_archive_carries_its_commit(tmp_path: Path) -> None:
    """`git archive`, and the archives of hosts, fill the file in."""
    archive = subprocess.run(["git", "archive", "HEAD", "VERSION"], cwd=ROOT, capture_output=True, check=True).stdout
    unpacked = subprocess.run(["tar", "-xO", "VERSION"], input=archive, cwd=tmp_path, capture_output=True, check=True)
    written = unpacked.stdout.decode().strip()
    assert version.WRITTEN.fullmatch(written) and of_checkout().startswith(written)


def test_where_git_cannot_read_the_checkout_the_file_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(version, "ROOT", tmp_path)
    monkeypatch.setattr(version, "FILE", tmp_path / "VERSION")
    version.write_version(GIVEN)
    assert program_version.__wrapped__() == GIVEN


@pytest.mark.parametrize(("given", "installed"), [("0", ""), ("1", "install --require-hashes -r requirements-ocr.txt")])
def test_text_recognition_is_chosen_at_the_build(tmp_path: Path, given: str, installed: str) -> None:
    pip = tmp_path / "pip"
    pip.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/called\n')
    pip.chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", step("requirements-ocr.txt")], env={"PATH": f"{tmp_path}:/usr/bin:/bin", "OCR": given}, check=False
    )
    called = tmp_path / "called"
    assert (done.returncode, called.read_text().strip() if called.exists() else "") == (0, installed)
    assert re.search(r"^COPY .*requirements-ocr\.txt", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_another_word_for_text_recognition_ends_the_build() -> None:
    refused = subprocess.run(
        ["sh", "-c", step("requirements-ocr.txt")], env={"OCR": "yes"}, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert refused.stderr == "OCR is 'yes'; it must be 1, to recognise the text of scanned pages, or 0.\n"
