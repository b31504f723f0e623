"""Optional parts of a reading, run in a forked copy of the process that is killed when its time is up.

The PDF library cannot be interrupted, and may take minutes to draw a page. A forked copy has the file open already,
costs a few milliseconds, and isolates the reading from anything that happens in it, even a crash.
"""

import ctypes
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

PR_SET_PDEATHSIG = 1
READ_BYTES = 65_536

Task = TypeVar("Task")


class Patience:
    """The time for optional checks of a file: a fixed amount each, and never more than half of what is left."""

    def __init__(self, wall_s: float) -> None:
        self._ends_at = time.monotonic() + wall_s

    def at_most(self, seconds: float) -> float:
        return max(0.0, min(seconds, (self._ends_at - time.monotonic()) / 2))


def done_apart(
    tasks: Sequence[Task], work: Callable[[Task], Any], seconds: float, *, each_s: float = 0
) -> dict[Task, Any]:
    """The result of `work` for each task, as JSON; tasks that raised, crashed or took too long are missing.

    All tasks together may take `seconds`, each of them `each_s`.
    """
    done: dict[Task, Any] = {}
    stop_at = time.monotonic() + seconds
    first = 0
    while first < len(tasks) and time.monotonic() < stop_at:
        # Each copy ends this round having finished at least one task, or is killed at its first.
        first = follow_copy(tasks, first, work, done, stop_at, each_s or seconds) + 1
    return done


def follow_copy(
    tasks: Sequence[Task],
    first: int,
    work: Callable[[Task], Any],
    done: dict[Task, Any],
    stop_at: float,
    each_s: float,
) -> int:
    """Collect the results of a fresh copy for the tasks from `first` on; return the index of the task it died at."""
    reading, writing = os.pipe()
    parent_pid = os.getpid()
    copy_pid = os.fork()
    if not copy_pid:
        os.close(reading)
        work_through(tasks[first:], work, writing, parent_pid)
    os.close(writing)
    place, buffer, task_ends_at = first, b"", min(stop_at, time.monotonic() + each_s)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(reading, selectors.EVENT_READ)
            while selector.select(max(0.0, task_ends_at - time.monotonic())):
                got = os.read(reading, READ_BYTES)
                if not got:
                    break
                *replies, buffer = (buffer + got).split(b"\n")
                for reply in replies:
                    done[tasks[place]] = json.loads(reply)
                    place += 1
                    task_ends_at = min(stop_at, time.monotonic() + each_s)
    finally:
        os.kill(copy_pid, signal.SIGKILL)
        os.waitpid(copy_pid, 0)
        os.close(reading)
    return place


def work_through(tasks: Sequence[Task], work: Callable[[Task], Any], writing: int, parent_pid: int) -> NoReturn:
    """In the copy: write one line of JSON per task; the first error ends it."""
    try:
        die_with(parent_pid)
        for descriptor in (0, 1):  # whoever reads this process's output must not wait for the copy
            os.close(descriptor)
        with os.fdopen(writing, "wb") as replies:
            for task in tasks:
                replies.write(json.dumps(work(task)).encode() + b"\n")
                replies.flush()
    finally:
        os._exit(0)


def die_with(parent_pid: int) -> None:
    """Have this process killed when its parent dies, where the system can; exit at once if it already has."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(0)
