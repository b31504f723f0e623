"""Processes are started again when they die, and none is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from launch import children
from launch.children import Child
from launch.environment import ROOT

SERVE = ["http.server", "0", "--bind", "127.0.0.1"]
STUBBORN = ["launch.tests.stubborn"]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[list[str]], Child]]:
    made: list[Child] = []

    def one(command: list[str]) -> Child:
        made.append(Child("trial", command, tmp_path / f"{len(made)}.log"))
        return made[-1]

    yield one
    children.kill(made)


def pid_of(child: Child) -> int:
    assert child.process is not None
    return child.process.pid


def wait_for(condition: Callable[[], bool], patience_s: float = 120.0) -> None:
    until = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def test_it_starts_a_killed_child_again(make: Callable[[list[str]], Child], capsys: pytest.CaptureFixture[str]) -> None:
    child = make(SERVE)
    child.start()
    first = pid_of(child)
    os.kill(first, signal.SIGKILL)
    wait_for(child.has_ended)
    now = time.monotonic()
    child.tend(now)
    assert pid_of(child) == first
    child.tend(now + 1.1)
    assert pid_of(child) != first
    assert not child.has_ended()
    assert "trial ended (killed by SIGKILL), starting again in 1 s" in capsys.readouterr().out


def test_it_waits_longer_each_time_and_forgets_after_a_steady_while(make: Callable[[list[str]], Child]) -> None:
    child = make(["there_is_no_such_module"])
    delays = []
    now = time.monotonic()
    child.start()
    for _ in range(7):
        wait_for(child.has_ended)
        child.tend(now)
        delays.append((child.starts_again_at or now) - now)
        child.tend(now + 100)
        child.started_at = now
    assert delays == pytest.approx([1, 3, 7, 15, 30, 30, 30])
    wait_for(child.has_ended)
    child.started_at = now
    child.tend(now + children.STEADY_AFTER_S + 1)
    assert child.failures == 0


def test_it_kills_what_does_not_end_in_time(
    make: Callable[[list[str]], Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    polite, stubborn = make(SERVE), make(STUBBORN)
    for child in (polite, stubborn):
        child.start()
    wait_for(lambda: stubborn.log.exists() and b"ready" in stubborn.log.read_bytes())
    # The time is up once the polite one has ended, however long that takes here.
    looks = count()  # at the first one it begins, even if the polite one has ended by then
    clock = SimpleNamespace(monotonic=lambda: 100.0 * (next(looks) > 0 and polite.has_ended()), sleep=time.sleep)
    monkeypatch.setattr(children, "time", clock)
    children.stop_children([polite, stubborn], 0.5)
    assert (polite.process and polite.process.returncode) == -signal.SIGTERM
    assert (stubborn.process and stubborn.process.returncode) == -signal.SIGKILL


def test_a_child_ends_when_its_launcher_is_killed(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time; from launch.children import Child;"
        f"child = Child('trial', {SERVE!r}, pathlib.Path(sys.argv[1])); child.start();"
        "print(child.process.pid, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as launcher:
        assert launcher.stdout is not None
        pid = int(launcher.stdout.readline())
        launcher.kill()
    wait_for(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


def test_it_keeps_one_old_log(make: Callable[[list[str]], Child], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "LOG_MAX_BYTES", 10)
    child = make(SERVE)
    child.log.write_text("more than ten bytes")
    child.start()
    assert child.log.with_suffix(".log.1").read_text() == "more than ten bytes"


def test_a_log_stays_short_while_several_processes_write_it(
    make: Callable[[list[str]], Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "LOG_MAX_BYTES", 10_000)
    child = make(SERVE)
    child.start()
    # Each line is one write, as `logging` writes it: `print` makes several where PYTHONUNBUFFERED is set.
    program = "import os, sys\nfor number in range(5000): os.write(1, f'{sys.argv[1]} {number} .\\n'.encode())"
    with open(child.log, "ab") as log:
        writing = [subprocess.Popen([sys.executable, "-c", program, name], stdout=log) for name in "abc"]
    while any(each.poll() is None for each in writing):
        child.tend(child.started_at)
    assert [each.returncode for each in writing] == [0, 0, 0]
    child.tend(child.started_at)
    assert child.log.stat().st_size <= children.LOG_MAX_BYTES
    told = child.log.with_suffix(".log.1").read_text() + "\n" + child.log.read_text()
    lines = [line.split() for line in told.splitlines() if line.endswith(" .")]
    assert len(lines) > 100 and "\0" not in told
    for name in "abc":
        numbers = [int(line[1]) for line in lines if line[0] == name]
        assert numbers == sorted(set(numbers))


def test_every_queue_has_exactly_one_worker() -> None:
    served = [
        queue
        for command in children.commands(8000).values()
        if "-Q" in command
        for queue in command[command.index("-Q") + 1].split(",")
    ]
    assert sorted(served) == ["ask", "embed", "ingest", "search", "sweep"]
