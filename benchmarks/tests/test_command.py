"""The command line of the benchmarks: what it writes, and started where something is missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.commands import COMMANDS, OUT, Command
from benchmarks.printing import Figures

ROOT = Path(__file__).resolve().parent.parent.parent


def without(package: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m benchmarks` in an environment that lacks a package."""
    (folder / f"{package}.py").write_text(
        f"raise ModuleNotFoundError(\"No module named '{package}'\", name='{package}')\n"
    )
    command = [sys.executable, "-m", "benchmarks", *arguments]
    environment = os.environ | {"PYTHONPATH": str(folder), "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("package", "command"),
    [("rank_bm25", "retrieval"), ("rank_bm25", "speed"), ("schemathesis", "api")],
)
def test_a_package_of_development_that_is_missing_is_one_sentence(tmp_path: Path, package: str, command: str) -> None:
    files = [] if command == "api" else ["--data", str(tmp_path), "--questions", str(tmp_path / "questions.jsonl")]
    done = without(package, tmp_path, command, *files)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"The benchmarks need the development packages (No module named '{package}'). "
        f"In {ROOT}: {sys.executable} -m pip install -r requirements-dev.txt"
    )
    assert "Traceback" not in done.stderr


def test_a_module_of_our_own_that_is_missing_stays_a_fault(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['benchmarks.retrieval'] = None\n")
    files = ["--data", str(tmp_path), "--questions", str(tmp_path / "questions.jsonl")]
    done = without("nothing", tmp_path, "retrieval", *files)
    assert done.returncode == 1 and "Traceback" in done.stderr


def test_a_missing_file_of_questions_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    done = without(
        "nothing", tmp_path, "retrieval", "--data", str(tmp_path), "--questions", str(tmp_path / "none.jsonl")
    )
    assert done.returncode == 1 and "The questions cannot be read" in done.stderr


@pytest.mark.parametrize(("figures", "code"), [({"leaks": 0}, 0), ({"leaks": 2, "where": ROOT}, 1), (None, 1)])
def test_figures_are_written_and_printed_and_decide_the_exit_code(
    figures: Figures | None,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    probe = Command("probe", (OUT,), lambda options: figures, is_failed=lambda found: bool(found["leaks"]))
    monkeypatch.setitem(COMMANDS, "probe", probe)
    out = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "probe", "--out", str(out)])
    assert main() == code
    assert out.exists() is (figures is not None)
    if figures is not None:
        assert json.loads(out.read_text())["leaks"] == figures["leaks"]
        assert f"leaks                 {figures['leaks']}" in capsys.readouterr().out
