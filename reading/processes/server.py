"""The server that starts the processes which open files, as copies of itself: what they need is loaded once.

usage: python -m reading.processes.server CONTROL

It runs in one thread, opens no file itself, reads nothing of what it passes on, and ends with the process that started
it. CONTROL is the number of its end of a socket. Each byte that comes there brings four descriptors: the leash of a new
copy, its standard input (with its job), output and errors. When the other end of the leash is closed the copy is killed
with all it started; when the copy ends, one line of JSON on the leash says how.
"""

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from reading.processes import child

PRELOADED = (
    "reading.heavier", "reading.pdf_reader", "reading.plain_text", "reading.processes.transfer", "PIL.Image",
    "PIL.WebPImagePlugin",
)  # fmt: skip
DESCRIPTORS = 4
DESCRIPTORS_END = 65_536


@dataclass(frozen=True)
class ReaderCopy:
    """A running copy: its process and its leash."""

    pid: int
    ended: int  # a descriptor that can be read when it has ended
    leash: socket.socket


def serve(control: socket.socket) -> None:
    """Start copies until the control is closed, then wait for those that run."""
    running: set[ReaderCopy] = set()
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ, None)
        while running or control.fileno() >= 0:
            for key, _ in selector.select():
                if key.data is None:
                    if copy := start_copy(control):
                        running.add(copy)
                        selector.register(copy.ended, selectors.EVENT_READ, copy)
                        selector.register(copy.leash, selectors.EVENT_READ, copy)
                    elif control.fileno() < 0:
                        selector.unregister(key.fd)
                elif key.fd == key.data.ended:
                    end_copy(selector, key.data)
                    running.discard(key.data)
                elif key.data in running:
                    selector.unregister(key.data.leash)
                    kill_group(key.data.pid)


def start_copy(control: socket.socket) -> ReaderCopy | None:
    """Take one order and fork; None if it was no order, and the control is closed if there will be no more."""
    message, descriptors, _, _ = socket.recv_fds(control, 1, DESCRIPTORS)
    if not message:
        control.close()
    server_pid, pid = os.getpid(), -1
    if len(descriptors) == DESCRIPTORS:
        with suppress(OSError):  # no process more, or no memory: the closed leash says that there is no copy
            pid = os.fork()
    if not pid:
        become_child(descriptors[1:], server_pid)
    for descriptor in descriptors[1:] if pid > 0 else descriptors:
        os.close(descriptor)
    return ReaderCopy(pid, os.pidfd_open(pid), socket.socket(fileno=descriptors[0])) if pid > 0 else None


def become_child(streams: Sequence[int], server_pid: int) -> NoReturn:
    """In the copy: let go of the server's descriptors, and do the job that comes on standard input."""
    code: object = 1
    try:
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(len(streams), DESCRIPTORS_END)
        child.main(json.loads(sys.stdin.buffer.readline()), server_pid)
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - it must never go on as a second server
        traceback.print_exc()
    os._exit(code if isinstance(code, int) else 1)


def end_copy(selector: selectors.BaseSelector, copy: ReaderCopy) -> None:
    """Kill what a copy that has ended left behind, and say how it ended."""
    kill_group(copy.pid)  # before its number is given to another process
    _, status, usage = os.wait4(copy.pid, 0)
    told = {"exit": os.waitstatus_to_exitcode(status), "cpu_s": usage.ru_utime + usage.ru_stime}
    with suppress(OSError):  # nobody may be there to hear it
        copy.leash.sendall(json.dumps(told).encode() + b"\n")
    for end in (copy.ended, copy.leash):
        with suppress(KeyError):
            selector.unregister(end)
    os.close(copy.ended)
    copy.leash.close()


def kill_group(pid: int) -> None:
    for kill in (os.kill, os.killpg):  # a copy that has just begun leads no group yet
        with suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    for name in PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # the copies share what is there
    serve(socket.socket(fileno=int(sys.argv[1])))
