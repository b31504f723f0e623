"""Optional reading steps run in a forked copy of the process: results come back, faults and endless loops do not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from reading.processes.forked import Patience, run_in_fork
from reading.processes.starting import ROOT
from reading.processes.tests.standing import stand_still

PATIENT = Patience(1_000_000)  # from when this file is read, which may be hours before its tests run


def doubled(number: int) -> int:
    return 2 * number


def troubled(number: int) -> int:
    """3 raises, 5 dies, 7 never ends."""
    if number == 3:
        raise ValueError("three")
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    while number == 7:
        pass
    return number


def costly(number: int) -> int:
    """Take 50 ms of processor time."""
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    return number


def test_it_gives_what_each_task_gave() -> None:
    assert run_in_fork(range(1000), doubled, 30, PATIENT) == {number: 2 * number for number in range(1000)}
    assert run_in_fork([], doubled, 30, PATIENT) == {}
    assert run_in_fork([1], lambda _: {"long": "x" * 300_000}, 30, PATIENT) == {1: {"long": "x" * 300_000}}


def test_it_works_in_another_process_and_leaves_none_behind() -> None:
    ours: list[int] = []

    def note(number: int) -> int:
        ours.append(number)
        return os.getpid()

    (pid,) = set(run_in_fork([1, 2], note, 30, PATIENT).values())
    assert ours == [] and pid != os.getpid()
    assert not psutil.pid_exists(pid)


def test_it_leaves_out_what_fails_crashes_or_never_ends() -> None:
    done = run_in_fork(range(10), troubled, 30, PATIENT, each_s=0.5)
    assert done == {number: number for number in (0, 1, 2, 4, 6, 8, 9)}


def test_what_somebody_else_killed_is_tried_once_more(tmp_path: Path) -> None:
    def killed_at_first(number: int) -> int:
        killed = tmp_path / str(number)
        if number in (2, 3) and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    def killed_each_time(number: int) -> int:
        (tmp_path / "tries").open("a").write("x")
        os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert run_in_fork([1, 2, 3, 4], killed_at_first, 60, PATIENT) == {1: 1, 2: 2, 3: 3, 4: 4}
    assert run_in_fork([1], killed_each_time, 60, PATIENT) == {}
    assert (tmp_path / "tries").read_text() == "xx"


def test_it_stops_when_the_processor_time_of_all_is_up() -> None:
    done = run_in_fork(range(1000), costly, 1, PATIENT, each_s=1)
    assert 1 < len(done) <= 20
    assert list(done) == list(range(len(done))), "from the front"
    assert run_in_fork([1], doubled, 0, PATIENT) == {}


def test_a_copy_that_stands_still_loses_nothing() -> None:
    """Longer than it may work: what the machine does meanwhile costs it no processor time."""

    def stand_at_the_third(number: int) -> int:
        if number == 2:
            stand_still(3 * EACH_S)
        return number

    EACH_S = 0.5
    assert run_in_fork(range(5), stand_at_the_third, 2 * EACH_S, PATIENT, each_s=EACH_S) == {n: n for n in range(5)}


def test_a_copy_that_waits_for_nothing_is_ended_by_the_wall_clock() -> None:
    def wait(number: int) -> int:
        if number == 1:
            time.sleep(600)
        return os.getpid()

    done = run_in_fork([0, 1], wait, 30, Patience(8))
    assert 1 not in done and not any(map(psutil.pid_exists, done.values()))


def test_its_copy_dies_with_it() -> None:
    program = (
        "import os, time\nfrom reading.processes.forked import Patience, run_in_fork\n"
        "wait = lambda _: (open('/dev/stderr', 'w').write(f'{os.getpid()}\\n'), time.sleep(600))\n"
        "run_in_fork([1], wait, 600, Patience(600))"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stderr is not None
        copy = psutil.Process(int(parent.stderr.readline()))
        parent.kill()
    psutil.wait_procs([copy], timeout=120)
    assert not copy.is_running() or copy.status() == psutil.STATUS_ZOMBIE


def test_nothing_optional_takes_half_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    patience = Patience(60)
    assert patience.half_left() == 30
    now += 54
    assert patience.half_left() == 3
    now += 10
    assert patience.half_left() == 0
    assert run_in_fork([1], doubled, 30, patience) == {}
