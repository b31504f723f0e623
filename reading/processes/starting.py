"""Starting processes that open files, by a server of this process (`server.py`), which is started at first use.

There is one server for each process that has files opened: with one thread, started again when it dies, gone when its
process goes, replaced after 500 files.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SERVER = ("-m", "reading.processes.server")
COPIES_MAX = 500  # then another server takes over, whose memory is laid out anew
EXIT_S = 10.0  # for the last copies of a process that ends itself; then they are killed
LAST_LOOK_S = 1.0  # at how a child ended that closed its output just before its time was over


class NoServer(Exception):
    """The server of this process cannot be started, or ended before it said how a child ended."""


class NotEnded(Exception):
    """A child has closed its output and goes on."""


@dataclass
class ReaderProcess:
    """A process that opens a file: what it says, and the leash that ends it."""

    output: int
    leash: socket.socket
    wall_s: float  # what the job may take: the server, which needs milliseconds, gets no less

    def wait(self, deadline: float) -> tuple[int, float]:
        """Its exit code, and the CPU seconds of it and its own children. Raises NotEnded or NoServer."""
        told = b""
        while not told.endswith(b"\n"):
            self.leash.settimeout(max(LAST_LOOK_S, deadline - time.monotonic()))
            try:
                got = self.leash.recv(1024)
            except TimeoutError as error:
                raise NotEnded from error
            if not got:
                raise NoServer("the process that starts readers has ended")
            told += got
        values = json.loads(told)
        return int(values["exit"]), float(values["cpu_s"])

    def end(self) -> None:
        """Kill it, if it still runs, and wait until it is gone."""
        with suppress(OSError):
            self.leash.shutdown(socket.SHUT_WR)
            self.leash.settimeout(self.wall_s)
            while self.leash.recv(1024):
                pass


class ReaderServer:
    """The server of this process, seen from here."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, *SERVER, str(theirs.fileno())],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self.copies = 0

    def start(self, descriptors: Sequence[int]) -> None:
        """Have a copy started with these descriptors. Raises OSError if the server is gone."""
        socket.send_fds(self.control, [b"x"], list(descriptors))
        self.copies += 1

    def is_usable(self) -> bool:
        return self.process.poll() is None and self.copies < COPIES_MAX


class _Starter:
    """The one server, under a lock; those that still wait for their last copies are kept until they have ended."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.server: ReaderServer | None = None
        self.leaving: list[ReaderServer] = []

    def start(self, descriptors: Sequence[int]) -> None:
        """Have a copy started, by another server if this one is gone. Raises NoServer."""
        with self.lock:
            if self.server and not self.server.is_usable():
                self.dismiss()
            for _ in range(2):
                self.server = self.server or ReaderServer()
                try:
                    self.server.start(descriptors)
                    return
                except OSError as error:
                    problem = error
                    self.server.process.kill()
                    self.dismiss()
        raise NoServer(f"the process that starts readers does not run: {problem}")

    def dismiss(self) -> None:
        """Let the server go; it ends by itself when its last copy has ended."""
        if self.server:
            self.server.control.close()
            self.leaving.append(self.server)
        self.server = None
        self.leaving = [server for server in self.leaving if server.process.poll() is None]

    def forget(self) -> None:
        """In a forked copy of this process: the server is its parent's, this one starts its own."""
        for server in filter(None, (self.server, *self.leaving)):
            server.control.close()
            server.process.returncode = 0  # nobody here waits for it
        self.lock, self.server, self.leaving = threading.Lock(), None, []


_starter = _Starter()
os.register_at_fork(after_in_child=_starter.forget)


@atexit.register
def stop() -> None:
    """End the server of this process, and wait until it is gone."""
    with _starter.lock:
        _starter.dismiss()
        for server in _starter.leaving:
            with suppress(subprocess.TimeoutExpired):
                server.process.wait(EXIT_S)
            server.process.kill()
            server.process.wait()
        _starter.leaving = []


@contextmanager
def start_reader(arguments: Sequence[str], errors: Any, said: bytes, wall_s: float) -> Iterator[ReaderProcess]:
    """A child that does a job within `wall_s`, killed with all it started when the block ends. Raises NoServer."""
    leash, their_leash = socket.socketpair()
    job, job_end = os.pipe()
    output, output_end = os.pipe()
    with closing(leash):
        try:
            try:
                _starter.start([their_leash.fileno(), job, output_end, errors.fileno()])
            finally:
                their_leash.close()
                os.close(job)
                os.close(output_end)
            child = ReaderProcess(output, leash, wall_s)
            try:
                with suppress(BrokenPipeError), open(job_end, "wb") as pipe:  # it may have ended at once
                    job_end = -1
                    pipe.write(json.dumps(list(arguments)).encode() + b"\n" + said)
                yield child
            finally:
                child.end()
        finally:
            os.close(output)
            if job_end >= 0:
                os.close(job_end)
