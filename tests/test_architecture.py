"""The import contracts of pyproject.toml hold; they are the architecture of docs/architecture.md."""

import os
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent


def test_imports_point_back(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    outcome = lint_imports(cache_dir=None)
    assert outcome == os.EX_OK, capsys.readouterr().out


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty_words = {"utils", "util", "helpers", "common", "base", "core", "misc", "manager", "services"}
    own = [path for path in ROOT.glob("*/**/*.py") if not {".venv", "var"} & {*path.relative_to(ROOT).parts}]
    assert [str(path) for path in own if path.stem in empty_words] == []
