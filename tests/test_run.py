"""bin/run, whole: it starts, says where to go, brings back what is killed, and leaves nothing behind."""

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
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from embedded import postgres, redis

ROOT = Path(__file__).resolve().parent.parent
START_S = 60.0
STOP_S = 12.0


class Running:
    """One bin/run with a home and a port of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port()
        self.output = Path(f"{home}.{self.port}.out")
        self.environment = environment(home)
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


def left_behind(home: Path) -> list[str]:
    """Processes that still work for this home."""
    found = []
    for process in psutil.process_iter(["environ", "cmdline"]):
        words = f"{process.info['environ']} {process.info['cmdline']}"
        if str(home) in words and process.pid != os.getpid():
            found.append(" ".join(process.info["cmdline"] or []))
    return found


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="docintel-run-"))
    yield directory
    postgres.remove(directory)
    redis.remove(directory)
    shutil.rmtree(directory, ignore_errors=True)
    for output in directory.parent.glob(f"{directory.name}.*.out"):
        output.unlink()


@pytest.fixture(scope="module")
def running(home: Path) -> Iterator[Running]:
    instance = Running(home)
    yield instance
    if instance.process.poll() is None:
        instance.end()


def test_it_prints_an_address_and_a_link_that_work(running: Running) -> None:
    address = f"http://127.0.0.1:{running.port}/"
    assert f"Open {address}" in running.printed
    link = re.search(rf"{address}welcome/\S+", running.printed)
    assert link is not None, running.printed
    with urllib.request.urlopen(link[0]) as page:
        assert page.status == 200
        assert b"csrfmiddlewaretoken" in page.read()


def test_every_part_works_once_it_is_up(running: Running) -> None:
    running.wait_for(lambda: running.status()["Workers"] == "ok", 30)
    assert {name for name, state in running.status().items() if state == "fail"} == set()


def test_a_second_one_is_refused_in_one_sentence(running: Running) -> None:
    command = [sys.executable, "-m", "launch.start", "--port", str(free_port())]
    done = subprocess.run(command, cwd=ROOT, env=running.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"DocIntel already runs on {running.home} (process {running.process.pid}); stop it with bin/run down.\n"
    )
    assert running.process.poll() is None


def test_a_killed_worker_is_started_again(running: Running) -> None:
    worker = running.child("ingest,sweep")
    pool = worker.children()
    worker.kill()
    running.wait_for(lambda: "ingest ended (killed by SIGKILL), starting again" in running.printed, 10)
    running.wait_for(lambda: running.status()["Workers"] == "ok", 30)
    assert running.child("ingest,sweep").pid != worker.pid
    assert not any(process.is_running() for process in pool)


def test_killed_servers_are_started_again(running: Running) -> None:
    for word in ("redis-server", "postgres"):
        for process in psutil.process_iter(["cmdline"]):
            command = process.info["cmdline"] or [""]
            if word in command[0] and str(running.home) in " ".join(command):
                process.kill()
    running.wait_for(lambda: "Redis does not answer, starting it again" in running.printed, 20)
    running.wait_for(lambda: "PostgreSQL does not answer, starting it again" in running.printed, 20)
    running.wait_for(lambda: running.status()["Workers"] == "ok", 60)
    assert running.status()["Database"] == "ok"


def test_ctrl_c_stops_everything_and_the_next_start_is_quick_and_keeps_the_rows(running: Running) -> None:
    with psycopg.connect(postgres.url(running.home)) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    assert running.end(signal.SIGINT) < STOP_S
    assert "DocIntel is stopped." in running.printed
    assert left_behind(running.home) == []

    began = time.monotonic()
    again = Running(running.home)
    took = time.monotonic() - began
    try:
        assert took < START_S / 2, again.printed
        with psycopg.connect(postgres.url(running.home)) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (7,)
    finally:
        done = subprocess.run(
            [sys.executable, "-m", "launch.start", "down"], cwd=ROOT, env=again.environment, check=False
        )
    assert done.returncode == 0
    assert again.process.wait(timeout=STOP_S) == 0
    assert left_behind(running.home) == []


def test_with_servers_of_your_own_nothing_embedded_starts(tmp_path: Path) -> None:
    given = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
    done = manage(environment(tmp_path) | given, "showmigrations", "--plan")
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret_key"]
