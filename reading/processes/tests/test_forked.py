"""Optional reading steps run in a forked copy of the process: results come back, faults and endless loops do not."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from reading.processes.forked import Patience, done_apart
from reading.processes.starting import ROOT


def doubled(number: int) -> int:
    return 2 * number


def troubled(number: int) -> int:
    """3 raises, 5 dies, 7 never ends."""
    if number == 3:
        raise ValueError("three")
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 7:
        time.sleep(600)
    return number


def slow(number: int) -> int:
    time.sleep(0.05)
    return number


def test_it_gives_what_each_task_gave() -> None:
    assert done_apart(range(1000), doubled, 30) == {number: 2 * number for number in range(1000)}
    assert done_apart([], doubled, 30) == {}
    assert done_apart([1], lambda _: {"long": "x" * 300_000}, 30) == {1: {"long": "x" * 300_000}}


def test_it_works_in_another_process_and_leaves_none_behind() -> None:
    ours: list[int] = []

    def note(number: int) -> int:
        ours.append(number)
        return os.getpid()

    (pid,) = set(done_apart([1, 2], note, 30).values())
    assert ours == [] and pid != os.getpid()
    assert not psutil.pid_exists(pid)


def test_it_leaves_out_what_fails_crashes_or_never_ends() -> None:
    began = time.monotonic()
    done = done_apart(range(10), troubled, 30, each_s=1)
    assert sorted(done) == [0, 1, 2, 4, 6, 8, 9]
    assert 1 <= time.monotonic() - began < 10


def test_it_stops_when_the_time_of_all_is_up() -> None:
    began = time.monotonic()
    done = done_apart(range(1000), slow, 1, each_s=1)
    assert 1 < len(done) < 30
    assert list(done) == list(range(len(done))), "from the front"
    assert time.monotonic() - began < 5
    assert done_apart([1], doubled, 0) == {}


def test_its_copy_dies_with_it() -> None:
    program = (
        "import os, time\nfrom reading.processes.forked import done_apart\n"
        "done_apart([1], lambda _: (open('/dev/stderr', 'w').write(f'{os.getpid()}\\n'), time.sleep(600)), 600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stderr is not None
        copy = psutil.Process(int(parent.stderr.readline()))
        parent.kill()
    psutil.wait_procs([copy], timeout=10)
    assert not copy.is_running() or copy.status() == psutil.STATUS_ZOMBIE


def test_nothing_optional_takes_half_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    patience = Patience(60)
    assert patience.at_most(6) == 6
    now += 54
    assert patience.at_most(6) == 3
    now += 10
    assert patience.at_most(6) == 0
