"""Optional parts of a reading, run in a forked copy of the process that ends when its processor time is up.

The PDF library cannot be interrupted, and may take minutes to draw a page. A forked copy has the file open already,
costs a few milliseconds, and isolates the reading from anything that happens in it, even a crash.

What the text can do without is read so: outline, links, drawn pages.
"""

import ctypes
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

PR_SET_PDEATHSIG = 1
READ_BYTES = 65_536
LEAST_S = 0.05  # of patience: with less no copy is begun
LEAST_CPU_S = 0.001  # a timer of zero would never end

OUTSIDE_SIGNALS = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}

Task = TypeVar("Task")


class Patience:
    """The wall clock of a reading, for its optional checks: never more than half of what is left is spent on waiting.

    It ends what waits for nothing. What a check costs is counted in processor time, which does not pass while the
    machine does something else, so that the same file gives the same contents.
    """

    def __init__(self, wall_s: float) -> None:
        self._ends_at = time.monotonic() + wall_s

    def half_left(self) -> float:
        return max(0.0, (self._ends_at - time.monotonic()) / 2)


def run_in_fork(
    tasks: Sequence[Task], work: Callable[[Task], Any], cpu_s: float, patience: Patience, *, each_s: float = 0
) -> dict[Task, Any]:
    """The result of `work` for each task, as JSON; tasks that raised, crashed or cost too much are missing.

    All tasks together may take `cpu_s` seconds of processor time, each of them `each_s`. A task whose copy somebody
    else killed is tried once more, so that a file is not read without its outline for that.
    """
    done: dict[Task, Any] = {}
    patience = Patience(patience.half_left())
    first, again = 0, -1
    while first < len(tasks) and cpu_s > 0 and patience.half_left() > LEAST_S:
        # Each copy ends this round having finished at least one task, or is killed at its first.
        end = collect_from_fork(tasks[first:], work, cpu_s, each_s or cpu_s, patience)
        done |= zip(tasks[first:], end.results, strict=False)
        at = first + len(end.results)
        is_tried_again = end.is_killed and at != again
        first, again = (at, at) if is_tried_again else (at + 1, again)
        cpu_s -= end.used_s
    return done


class CopyEnd(NamedTuple):
    """How a copy ended: what its first tasks came to, its seconds of processor time, and whether somebody killed it."""

    results: list[Any]
    used_s: float
    is_killed: bool


def collect_from_fork(
    tasks: Sequence[Task], work: Callable[[Task], Any], cpu_s: float, each_s: float, patience: Patience
) -> CopyEnd:
    """Collect the results of a fresh copy for the tasks, in their order."""
    reading, writing = os.pipe()
    parent_pid = os.getpid()
    copy_pid = os.fork()
    if not copy_pid:
        os.close(reading)
        work_through(tasks, work, writing, parent_pid, cpu_s, each_s)
    os.close(writing)
    results: list[Any] = []
    buffer, is_over = b"", False
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(reading, selectors.EVENT_READ)
            while selector.select(patience.half_left()):
                got = os.read(reading, READ_BYTES)
                if not got:
                    is_over = True
                    break
                *replies, buffer = (buffer + got).split(b"\n")
                results += map(json.loads, replies)
    finally:
        os.kill(copy_pid, signal.SIGKILL)
        _, status, used = os.wait4(copy_pid, 0)
        os.close(reading)
    # What has ended is not killed by the line above, and a limit of ours has a signal of its own.
    is_killed = is_over and os.WIFSIGNALED(status) and os.WTERMSIG(status) in OUTSIDE_SIGNALS
    return CopyEnd(results, used.ru_utime + used.ru_stime, is_killed)


def work_through(
    tasks: Sequence[Task], work: Callable[[Task], Any], writing: int, parent_pid: int, cpu_s: float, each_s: float
) -> NoReturn:
    """In the copy: write one line of JSON per task; the first error ends it, and so does a task that costs too much."""
    try:
        kill_with_parent(parent_pid)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for descriptor in (0, 1):  # whoever reads this process's output must not wait for the copy
            os.close(descriptor)
        with os.fdopen(writing, "wb") as replies:
            for task in tasks:
                # By the kernel's clock of this process, whose signal ends it inside the library as well.
                signal.setitimer(signal.ITIMER_PROF, max(LEAST_CPU_S, min(each_s, cpu_s - time.process_time())))
                replies.write(json.dumps(work(task)).encode() + b"\n")
                replies.flush()
    finally:
        os._exit(0)


def kill_with_parent(parent_pid: int) -> None:
    """Have this process killed when its parent dies, where the system can; exit at once if it already has."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(0)
