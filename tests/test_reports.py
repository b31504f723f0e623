"""What explains a failed test is kept: the logs of the servers that run, in a folder by its name."""

from pathlib import Path

import pytest

from launch.check import REPORTS
from tests import conftest


def test_logs_are_kept_in_a_folder_by_the_name_of_the_test(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(REPORTS, str(tmp_path))
    logs = tmp_path / "home" / "logs"
    logs.mkdir(parents=True)
    for file in (logs / "web.log", logs / "ask.log", logs.with_name("out")):
        file.write_text(f"said in {file.name}")
    monkeypatch.setattr(conftest, "living_logs", [logs.with_name("out"), logs, tmp_path / "removed"])
    folder = conftest.folder_of(request.node)
    assert folder is not None and folder.parent == tmp_path and request.node.name in folder.name
    conftest.keep_logs(folder)
    kept = {file.name: file.read_text() for file in folder.iterdir()}
    assert kept == {"0-out": "said in out", "1-web.log": "said in web.log", "1-ask.log": "said in ask.log"}


def test_nothing_is_kept_where_nobody_asks_for_it(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REPORTS, raising=False)
    assert conftest.folder_of(request.node) is None
