"""A planted failure, a planted hang and planted starvations: each is told by its name, and decides as it should."""

import json
import os
import signal
import sys
import tempfile
from concurrent.futures import Future
from pathlib import Path

import pytest

from launch import check
from launch.failures import read_failures
from tests.running import count_start
from tests.stages import read_order

BROKEN = "def test_planted() -> None:\n    assert 1 + 1 == 3, 'sums are wrong'\n"
# It alone has a bound: a machine that stands still would break the others' on the way.
HANGS = """
import threading
import pytest

@pytest.mark.timeout(5)
def test_planted() -> None:
    threading.Event().wait()
"""
# Fails the first time it runs, as a test does while the machine stands still.
STARVED = """
from pathlib import Path

def test_planted() -> None:
    seen = Path(__file__).with_suffix(".seen")
    was_seen = seen.exists()
    seen.touch()
    assert was_seen, 'too slow'
"""
# What many share fails the first time: an installation, on a machine that stands still.
SHARED = """
from pathlib import Path
import pytest

@pytest.fixture(scope="session")
def shared() -> None:
    seen = Path(__file__).with_suffix(".seen")
    was_seen = seen.exists()
    seen.touch()
    assert was_seen, 'too slow'

@pytest.mark.parametrize("number", range(30))
def test_planted(shared: None, number: int) -> None:
    pass
"""
# Fixtures of their own, which say the same.
OWN = "from pathlib import Path\nimport pytest\n" + "".join(
    f"""
@pytest.fixture(scope="session")
def own_{number}() -> None:
    seen = Path(__file__).with_suffix(".{number}")
    was_seen = seen.exists()
    seen.touch()
    if not was_seen:
        raise TimeoutError

def test_planted_{number}(own_{number}: None) -> None:
    pass
"""
    for number in range(4)
)
PLUGINS = ("xdist", "pytest_timeout", "pytest_reportlog", "tests.alarm")
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
        pytest.param(
            {"own": OWN}, True, [*["STARVED"] * 4, "4 tests were starved"],
            id="one error of several fixtures",
        ),
        pytest.param({"shared": SHARED}, False, ["STARVED test_shared.py::test_planted[0] and 29 more"], id="shared"),
        pytest.param(
            {f"sum_{n}": BROKEN for n in range(26)}, True, ["BROKEN test_sum_"] * 26, id="too many to look again",
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
    project, reports = tmp_path / "project", tmp_path / "reports"
    for folder in (project, reports):
        folder.mkdir()
    for name, source in {"passes": "def test_passes() -> None:\n    pass\n", **planted}.items():
        (project / f"test_{name}.py").write_text(source)
    (project / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # what is not needed takes long to load
    monkeypatch.setenv("PYTHONPATH", str(check.ROOT))  # of our own plugin
    plugins = [part for name in PLUGINS for part in ("-p", name)]
    monkeypatch.setattr(check, "PYTEST", [sys.executable, "-m", "pytest", *plugins])
    monkeypatch.setattr(check, "ROOT", project)
    monkeypatch.setattr(check, "DRILLS", [sys.executable, "-c", "pass"])
    monkeypatch.setattr(check, "BESIDE_S", 5)
    failed: list[str] = []
    with check.in_background() as begin:
        lines = check.run_tests(reports, failed, begin)
    assert bool(failed) is is_red
    assert len(lines) == len(told) and all(line.startswith(start) for line, start in zip(lines, told, strict=True)), (
        lines
    )
    printed = capfd.readouterr().out
    assert ("threading.Event().wait()" in printed) is ("wait" in planted)  # the stack of what hangs


def test_the_alarm_rings_until_it_is_heard() -> None:
    assert signal.getitimer(signal.ITIMER_REAL)[1] > 0


LATE = {"part": "fairness", "drill": "fair turns", "measured": "seconds: 31", "holds": False, "is_late": True}
LOST = {"part": "disk", "drill": "disk full", "measured": "lost: 1", "holds": False, "is_late": False}
HOLDS = LOST | {"holds": True}


@pytest.mark.parametrize(
    ("first", "second", "is_red", "told"),
    [
        pytest.param([HOLDS], None, False, [], id="all hold"),
        pytest.param([HOLDS, LATE], 0, False, ["fairness (fair turns)"], id="late, then in time"),
        pytest.param([HOLDS, LATE], 1, True, [], id="late twice"),
        pytest.param([LATE, LOST], None, True, [], id="lost something"),
        pytest.param(None, None, True, [], id="could not go on"),
    ],
)
def test_drills_that_were_only_late_are_looked_at_once_more(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: list[dict[str, object]] | None,
    second: int | None,
    is_red: bool,
    told: list[str],
) -> None:
    asked: list[tuple[str, list[str]]] = []

    def run_stage(name: str, command: list[str]) -> int:
        asked.append((name, command))
        if name == "late drills, alone":
            assert second is not None
            return second
        if name != "survives":
            return 0
        if first is None:
            return 1
        Path(command[-1]).write_text(json.dumps({"verdicts": first}))
        return int(any(each["holds"] is False for each in first))

    class Beside(Future[int]):
        def result(self, timeout: float | None = None) -> int:
            asked.append(("waited", []))  # nothing runs alone before
            return 0

    monkeypatch.setattr(check, "run_stage", run_stage)
    failed: list[str] = []
    lines = check.run_tests(tmp_path, failed, lambda name, command: Beside())
    assert [line.partition(": passed alone, after: seconds: 31")[0] for line in lines] == [
        f"STARVED {one}" for one in told
    ]
    assert failed == ["survives"] * is_red
    names = ["tests one by one", "survives", "waited", "late drills, alone"]
    assert [name for name, _ in asked] == names[: 3 + (second is not None)]
    assert second is None or asked[-1][1][-2:] == ["--part", "fairness"]
    files = list(read_order())
    assert asked[0][1][-len(files) :] == files, "no other file is looked through"


@pytest.mark.parametrize("is_wrong", [False, True])
def test_wrong_types_are_told_and_make_the_run_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_wrong: bool
) -> None:
    monkeypatch.setenv(check.REPORTS, "")
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    monkeypatch.setattr(check, "CHECKS", {})
    monkeypatch.setattr(check, "TYPES", [sys.executable, "-c", f"print('a type'); raise SystemExit({is_wrong:d})"])
    monkeypatch.setattr(check, "run_tests", lambda reports, failed, begin: [])
    assert check.main([]) == is_wrong
    printed = capsys.readouterr().out
    assert printed.startswith(f"\n== mypy\na type\n== mypy: {'failed' if is_wrong else 'passed'} in ")
    assert printed.endswith("Failed: mypy.\n" if is_wrong else "Everything passed.\n")


@pytest.mark.parametrize("lines", [[], ["STARVED test_slow.py::test_planted: passed alone, after: too slow"]])
def test_what_explains_a_starved_test_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str]
) -> None:
    monkeypatch.setenv(check.REPORTS, "")
    reports = tmp_path / "reports"
    reports.mkdir()
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(reports))
    monkeypatch.setattr(check, "CHECKS", {})
    monkeypatch.setattr(check, "TYPES", [sys.executable, "-c", ""])
    monkeypatch.setattr(check, "run_tests", lambda reports, failed, begin: list(lines))
    assert check.main([]) == 0
    assert reports.exists() is bool(lines) is (f"Reports of the tests: {reports}" in capsys.readouterr().out)


def test_how_often_an_installation_was_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / check.STARTED
    assert check.tell_starts(told) == "Installations: 0, started 0 times."
    monkeypatch.setenv(check.REPORTS, str(tmp_path))
    for name in ("one", "other", "one"):
        count_start(Path(name))
    assert check.tell_starts(told) == "Installations: 2, started 3 times."


def test_with_arguments_only_what_they_name_is_run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    told = "import sys; print(sys.argv[1:]); raise SystemExit(3)"
    monkeypatch.setattr(check, "PYTEST", [sys.executable, "-c", told])
    monkeypatch.setattr(check, "CHECKS", {"none": [sys.executable, "-c", "print('a stage')"]})
    assert check.main(["tests/test_names.py", "-k", "verbs"]) == 3
    assert capfd.readouterr().out == "['tests/test_names.py', '-k', 'verbs']\n"


def test_what_runs_beside_runs_in_turn_and_gives_way(capsys: pytest.CaptureFixture[str]) -> None:
    told = "import os; print('has', os.getpriority(os.PRIO_PROCESS, 0), os.getsid(0) == os.getpid())"
    with check.in_background() as begin:
        first = begin("first", [sys.executable, "-c", f"{told}; raise SystemExit(3)"])
        second = begin("second", [sys.executable, "-c", told])
    assert (first.result(), second.result()) == (3, 0)
    niceness = min(19, os.getpriority(os.PRIO_PROCESS, 0) + check.NICENESS)
    lines = [line.partition(" in ")[0] for line in capsys.readouterr().out.split("\n") if line]
    has = f"has {niceness} True"
    assert lines == ["== first", has, "== first: failed", "== second", has, "== second: passed"]


@pytest.mark.parametrize(("told", "niceness"), [("/autogroup-7 nice 5\n", 5), ("", 0), (None, 0)])
def test_the_niceness_of_a_session_is_0_where_none_is_told(tmp_path: Path, told: str | None, niceness: int) -> None:
    group = tmp_path / "autogroup"
    if told is not None:
        group.write_text(told)
    assert check.niceness_of(group) == niceness


@pytest.mark.parametrize("ends_by", [signal.SIGINT, signal.SIGKILL])
def test_what_runs_beside_ends_with_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends_by: signal.Signals
) -> None:
    """Also what was begun where interrupts are ignored, as a shell does for what it runs in the background."""
    os.mkfifo(begun := tmp_path / "begun")
    how = "SIG_IGN" if ends_by == signal.SIGKILL else "SIG_DFL"
    waits = f"import signal, threading; signal.signal(signal.SIGINT, signal.{how}); "
    waits += f"open({str(begun)!r}, 'w').close(); threading.Event().wait()"
    monkeypatch.setattr(check, "GRACE_S", 0.5 if ends_by == signal.SIGKILL else 600)
    with pytest.raises(KeyboardInterrupt), check.in_background() as begin:
        first = begin("first", [sys.executable, "-c", waits])
        second = begin("second", [sys.executable, "-c", waits])
        begun.read_text()
        raise KeyboardInterrupt
    assert first.result() == -ends_by
    assert second.cancelled()


def test_without_a_report_nothing_is_known_to_have_failed(tmp_path: Path) -> None:
    assert read_failures(tmp_path / "absent.jsonl") == {}
