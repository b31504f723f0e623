"""Work that a reading can do without, in a forked copy of the process that is killed when its time is up.

The library that opens PDFs cannot be interrupted, and one page may take it minutes to draw. A copy has the open file
at hand, costs a few milliseconds, and nothing that happens in it, not even a crash, reaches the reading.
"""

import ctypes
import json
import os
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

PR_SET_PDEATHSIG = 1
READ_BYTES = 65_536

Task = TypeVar("Task")


class Patience:
    """How long the optional looks at a file may take: what each is granted, and never half of the time that is left."""

    def __init__(self, wall_s: float) -> None:
        self._ends_at = time.monotonic() + wall_s

    def at_most(self, seconds: float) -> float:
        return max(0.0, min(seconds, (self._ends_at - time.monotonic()) / 2))


def done_apart(
    tasks: Sequence[Task], work: Callable[[Task], Any], seconds: float, *, each_s: float = 0
) -> dict[Task, Any]:
    """What `work` gave for each task, as JSON keeps it; a task that raised, crashed or took too long has no entry.

    All tasks together may take `seconds`, and one of them `each_s`.
    """
    done: dict[Task, Any] = {}
    stop_at = time.monotonic() + seconds
    first = 0
    while first < len(tasks) and time.monotonic() < stop_at:
        # Each turn of the loop ends with the copy, which got past at least one task or is killed at it.
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
    """Collect what a fresh copy makes of the tasks from `first` on; the place of the one it did not come back from."""
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
    """In the copy: one line of JSON a task; the first error ends it."""
    try:
        die_with(parent_pid)
        for descriptor in (0, 1):  # whoever listens to the reading must not wait for its copy
            os.close(descriptor)
        with os.fdopen(writing, "wb") as replies:
            for task in tasks:
                replies.write(json.dumps(work(task)).encode() + b"\n")
                replies.flush()
    finally:
        os._exit(0)


def die_with(parent_pid: int) -> None:
    """Have this process killed when its parent dies; it ends at once when that has happened already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(0)
