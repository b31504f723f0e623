"""bin/run, whole: it starts, says where to go, brings back what is killed, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest

from embedded import postgres
from tests.running import ROOT, START_S, Running, environment, free_port, fresh_home, manage, started

STOP_S = 12.0


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
    with fresh_home() as directory:
        yield directory


@pytest.fixture(scope="module")
def running(home: Path) -> Iterator[Running]:
    with started(home) as instance:
        yield instance


def test_it_prints_an_address_and_a_link_that_work(running: Running) -> None:
    address = f"http://127.0.0.1:{running.port}/"
    assert "Open this link; it works once" in running.printed
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
    for word in ("valkey-server", "postgres"):
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


def told(tmp_path: Path, database_url: str, *command: str) -> str:
    given = {"DATABASE_URL": database_url, "REDIS_URL": os.environ["REDIS_URL"]}
    done = manage(environment(tmp_path) | given, *command)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


@pytest.mark.parametrize("command", [("ask", "Why?", "--base", "Demo"), ("ingest", "samples", "--base", "Demo")])
def test_a_command_before_the_tables_says_what_to_do(tmp_path: Path, command: tuple[str, ...]) -> None:
    empty = urlsplit(os.environ["DATABASE_URL"])._replace(path="/postgres").geturl()
    said = told(tmp_path, empty, *command)
    assert said.startswith("The tables are missing") and "manage.py migrate" in said and said.count("\n") == 1


def test_a_database_that_does_not_answer_is_told_in_a_sentence(tmp_path: Path) -> None:
    said = told(tmp_path, "postgresql://app@127.0.0.1:9/docintel", "ask", "Why?", "--base", "Demo")
    assert said.startswith("The database does not answer: ") and "DATABASE_URL" in said and said.count("\n") == 1
