"""DocIntel's processes: started, restarted when they die, stopped together."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from launch.progress import say

PR_SET_PDEATHSIG = 1
LOG_MAX_BYTES = 10_000_000
BACKOFF_MAX_S = 30.0
STEADY_AFTER_S = 60.0  # a child that lived this long restarts without delay
# Heads that are late, and connections beyond what a process has descriptors for (503).
LIMITS = ["--http", "docintel_site.http.header_limit:HeaderLimit", "--limit-concurrency", "3500"]
LIBC = ctypes.CDLL(None)  # loaded before any fork: nothing may be loaded between fork and exec


def commands(port: int) -> dict[str, list[str]]:
    """Name and command of every process; queues that must not block each other have their own workers."""
    worker = ["celery", "-A", "docintel_site", "worker", "--without-gossip", "--without-mingle"]
    web = ["uvicorn", "docintel_site.asgi:application", "--host", "127.0.0.1", "--port", str(port), "--lifespan", "off"]
    return {
        # Open streams would delay the stop without end; uvicorn's own request log would contain tokens; whose headers
        # about the client are believed, DOCINTEL_TRUSTED_PROXIES says.
        "web": [*web, "--timeout-graceful-shutdown", "2", "--no-access-log", "--no-proxy-headers", *LIMITS],
        "ingest": [*worker, "-n", "ingest@%h", "-Q", "ingest,sweep", "-c", "2"],
        "embed": [*worker, "-n", "embed@%h", "-Q", "embed", "-c", "1"],
        "ask": [*worker, "-n", "ask@%h", "-Q", "ask", "--pool", "threads", "-c", "4"],
        "search": [*worker, "-n", "search@%h", "-Q", "search", "-c", "1"],
        # The schedule is kept in memory: every entry repeats within seconds, and a kill could damage a file.
        "beat": ["celery", "-A", "docintel_site.schedule", "beat", "-S", "celery.beat:Scheduler", "--pidfile="],
    }


@dataclass
class Child:
    """One process in its own group, so that the terminal's Ctrl-C reaches it only through us."""

    name: str
    command: Sequence[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    starts_again_at: float | None = None
    has_answered: bool = False  # since it was started, as far as it is asked
    silent_since: float | None = None  # the first of the looks in a row that it has not answered
    failures: int = field(default=0)

    def start(self) -> None:
        """Start the process, its output appended to its log."""
        self.turn_log()
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - the launcher has one thread
            )
        self.started_at, self.starts_again_at = time.monotonic(), None
        self.has_answered, self.silent_since = False, None

    def tend(self, now: float) -> None:
        """Keep the log short, and restart a process that has died, with a growing delay if it died soon."""
        self.turn_log()
        if self.process is None or self.process.poll() is None:
            return
        if self.starts_again_at is None:
            self.failures = 0 if now - self.started_at > STEADY_AFTER_S else self.failures + 1
            delay = min(BACKOFF_MAX_S, 2.0**self.failures - 1)
            self.starts_again_at = now + delay
            self.signal(signal.SIGKILL)  # the rest of its group, such as the pool of a killed worker
            say(
                f"{self.name} ended ({ending(self.process.returncode)}), starting again in {delay:.0f} s; see "
                f"{self.log}"
            )
        if now >= self.starts_again_at:
            self.start()

    def turn_log(self) -> None:
        """Move what a long log holds to the old one; the processes that append to it go on at its beginning.

        They all hold the one open file, so it is copied and emptied: what is written between the two is lost, and
        with it the rest of a line that was cut.
        """
        if not self.log.exists() or self.log.stat().st_size <= LOG_MAX_BYTES:
            return
        fresh = self.log.with_suffix(".log.new")
        with suppress(OSError), open(self.log, "rb+") as current:  # on a full disk at least it grows no more
            try:
                with open(fresh, "wb") as copy:
                    shutil.copyfileobj(current, copy)
            finally:
                current.truncate(0)
            fresh.replace(self.log.with_suffix(".log.1"))

    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and all its descendants."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


def stop_children(children: Sequence[Child], patience_s: float) -> None:
    """Ask every child to end and kill those that do not in time; a lost task is recovered by its lease."""
    for child in children:
        if not child.has_ended() and child.process is not None:
            child.process.terminate()
    until = time.monotonic() + patience_s
    while time.monotonic() < until and not all(child.has_ended() for child in children):
        time.sleep(0.05)
    kill(children)


def kill(children: Sequence[Child]) -> None:
    """Kill every child and its descendants at once."""
    for child in children:
        child.signal(signal.SIGKILL)
        if child.process is not None:
            child.process.wait()


def ending(code: int) -> str:
    """How a process ended, in words."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _end_with_parent() -> None:
    """In the child: be ended when the launcher itself is killed, so that nothing keeps the port. Linux alone can."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
