"""A planted failure, a planted hang and planted starvations: each is told by its name, and decides as it should."""

import sys
from pathlib import Path

import pytest

from launch import check
from launch.failures import read_failures

BROKEN = "def test_planted() -> None:\n    assert 1 + 1 == 3, 'sums are wrong'\n"
HANGS = "import threading\n\ndef test_planted() -> None:\n    threading.Event().wait()\n"
# Fails the first time it runs, as a test does while the machine stands still.
STARVED = """
from pathlib import Path

def test_planted() -> None:
    seen = Path(__file__).with_suffix(".seen")
    was_seen = seen.exists()
    seen.touch()
    assert was_seen, 'too slow'
"""
UNREADABLE = "import no_such_module\n"


@pytest.mark.parametrize(
    ("planted", "is_red", "told"),
    [
        pytest.param({}, False, [], id="nothing"),
        pytest.param({"sum": BROKEN}, True, ["BROKEN test_sum.py::test_planted: AssertionError: sums"], id="broken"),
        pytest.param({"wait": HANGS}, True, ["BROKEN test_wait.py::test_planted: Failed: Timeout"], id="hangs"),
        pytest.param(
            {"slow": STARVED}, False, ["STARVED test_slow.py::test_planted: passed alone, after: Assertion"],
            id="starved",
        ),
        pytest.param({"slow": STARVED, "sum": BROKEN}, True, ["STARVED test_slow", "BROKEN test_su"], id="both"),
        pytest.param(
            {f"slow_{n}": STARVED for n in range(4)}, True, [*["STARVED"] * 4, "4 tests were starved"],
            id="too many starved",
        ),
        pytest.param({"import": UNREADABLE}, True, ["BROKEN test_import.py: "], id="cannot be read"),
    ],
)  # fmt: skip
def test_what_is_planted_is_told_by_its_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    planted: dict[str, str],
    is_red: bool,
    told: list[str],
) -> None:
    for name, source in {"passes": "def test_passes() -> None:\n    pass\n", **planted}.items():
        (tmp_path / f"test_{name}.py").write_text(source)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 2\n")
    monkeypatch.setattr(check, "PYTEST", [sys.executable, "-m", "pytest", "-p", "no:valkey", "-p", "no:django"])
    monkeypatch.setattr(check, "ROOT", tmp_path)
    failed: list[str] = []
    lines = check.run_tests(tmp_path, failed)
    assert bool(failed) is is_red
    assert len(lines) == len(told) and all(line.startswith(start) for line, start in zip(lines, told, strict=True)), (
        lines
    )
    printed = capfd.readouterr().out
    assert ("threading.Event().wait()" in printed) is ("wait" in planted)  # the stack of what hangs


def test_without_a_report_nothing_is_known_to_have_failed(tmp_path: Path) -> None:
    assert read_failures(tmp_path / "absent.jsonl") == {}
