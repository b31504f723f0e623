"""One real bin/run on a home and a port of its own, for the tests that need the whole thing."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from embedded import postgres, redis

ROOT = Path(__file__).resolve().parent.parent
ARRIVED = re.compile(r":\d+/(?:bases/|audit/queue/)?$")  # where somebody is who has just signed in
START_S = 180.0  # a machine that does much else; an idle one takes five


class Running:
    """One bin/run with a home and a port of its own."""

    def __init__(self, home: Path, **extra: str) -> None:
        self.home = home
        self.port = free_port()
        self.output = Path(f"{home}.{self.port}.out")
        self.environment = environment(home) | extra
        command = [sys.executable, "-m", "launch.start", "--port", str(self.port)]
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )
        self.wait_for(lambda: "Ctrl-C stops everything" in self.printed, START_S)

    @property
    def printed(self) -> str:
        """Everything it has said so far."""
        return self.output.read_text()

    def wait_for(self, condition: Callable[[], bool], patience_s: float) -> None:
        until = time.monotonic() + patience_s
        while not condition():
            assert self.process.poll() is None, self.printed
            assert time.monotonic() < until, self.printed
            time.sleep(0.1)

    def child(self, word: str) -> psutil.Process:
        """The process whose command line has this word, such as the queue of a worker."""
        found = [child for child in psutil.Process(self.process.pid).children() if word in child.cmdline()]
        assert len(found) == 1, self.printed
        return found[0]

    def status(self) -> dict[str, str]:
        done = manage(self.environment, "status", "--json")
        return {check["name"]: check["state"] for check in json.loads(done.stdout)["checks"]}

    def end(self, number: signal.Signals = signal.SIGTERM) -> float:
        """Stop it and return the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        assert self.process.wait(timeout=30) == 0, self.printed
        return time.monotonic() - began


@contextmanager
def web_server(environment: dict[str, str], log: Path) -> Iterator[tuple[str, psutil.Process]]:
    """uvicorn as somebody starts it by hand: its address and its process."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "docintel_site.asgi:application", "--port", str(port)]
    with open(log, "wb") as output:
        server = subprocess.Popen(
            [*command, "--lifespan", "off"], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + START_S
        while "Uvicorn running on" not in log.read_text():
            assert server.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", psutil.Process(server.pid)
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:  # somebody's connection is still open
            server.kill()
            server.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def environment(home: Path) -> dict[str, str]:
    """That of a newcomer: no servers named, nothing of the test session."""
    ours = ("DATABASE_URL", "REDIS_URL", "DOCINTEL_", "OPENAI_", "DJANGO_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | {
        "DOCINTEL_HOME": str(home)
    }


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@contextmanager
def fresh_home() -> Iterator[Path]:
    """An empty home with a short path; its servers are stopped and everything removed afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="docintel-run-"))
    try:
        yield directory
    finally:
        postgres.remove(directory)
        redis.remove(directory)
        shutil.rmtree(directory, ignore_errors=True)
        for output in directory.parent.glob(f"{directory.name}.*.out"):
            output.unlink()


@contextmanager
def started(home: Path, **extra: str) -> Iterator[Running]:
    """A running instance with more in its environment, ended afterwards if the test has not done so."""
    instance = Running(home, **extra)
    try:
        yield instance
    finally:
        if instance.process.poll() is None:
            instance.end()
