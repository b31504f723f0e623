"""What bin/run refuses, each in one sentence, and what it does with a web server that hangs."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from embedded.errors import ServerHangs
from launch import start
from launch.children import Child, kill
from launch.errors import LaunchError
from launch.options import parse_run
from launch.tests.test_children import wait_for
from tests.running import free_port


def test_it_names_a_busy_port_and_the_next_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LaunchError, match=f"Port {port} is in use; choose another with bin/run --port {port + 1}."):
            start.check_port(port)
    start.check_port(port)


def test_it_runs_once_in_a_home(tmp_path: Path) -> None:
    with start.only_one(tmp_path):
        assert start.is_locked(tmp_path / "run.lock")
        with (
            pytest.raises(LaunchError, match=f"already runs on .* \\(process {os.getpid()}\\)"),
            start.only_one(tmp_path),
        ):
            pass
    assert not start.is_locked(tmp_path / "run.lock")


def test_a_lock_file_left_behind_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "run.lock").write_text("99999999")
    with start.only_one(tmp_path):
        assert (tmp_path / "run.lock").read_text() == str(os.getpid())


def test_it_reads_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (parse_run([]).port, parse_run([]).demo, parse_run([]).command) == (8000, False, "up")
    monkeypatch.setenv("DOCINTEL_PORT", "9000")
    assert parse_run(["--demo"]).port == 9000
    assert parse_run(["--port", "8001", "down"]).port == 8001


@pytest.mark.parametrize("arguments", [["--port", "0"], ["--port", "http"], ["--port", "70000"], ["sideways"]])
def test_it_refuses_wrong_options(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_run(arguments)
    assert "usage: bin/run" in capsys.readouterr().err


def test_a_wrong_setting_stops_the_start_in_one_sentence(tmp_path: Path) -> None:
    environment = {**os.environ, "DOCINTEL_HOME": str(tmp_path), "DOCINTEL_HTTPS": "perhaps"}
    command = [sys.executable, "-m", "launch.start"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "DOCINTEL_HTTPS is 'perhaps'; it must be true or false.\n"


def test_down_without_anything_running_is_no_fault(tmp_path: Path) -> None:
    environment = {**os.environ, "DOCINTEL_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "launch.start", "down"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "DocIntel is stopped.\n")


def test_a_failed_command_is_told_by_its_last_line() -> None:
    with pytest.raises(LaunchError, match="manage.py migrate failed: .*unrecognized arguments: --sideways"):
        start.finish(start.start_command("migrate", "--sideways"))


def run_instead(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have a small program stand for every management command."""

    def begin(name: str, *_: str) -> start.Command:
        command = [sys.executable, "-c", program]
        return start.Command(name, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))

    monkeypatch.setattr(start, "start_command", begin)


def test_the_link_is_printed_before_the_samples_are_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_instead(monkeypatch, "print('http://127.0.0.1:8000/welcome/x/')")
    linking = start.start_command("first_owner_link")
    run_instead(monkeypatch, "print('a.pdf is read'); print('asked: Why?')")
    start.welcome("http://127.0.0.1:8000/", linking, demo=True)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines == [
        "Open this link; it works once and makes you the owner:",
        "http://127.0.0.1:8000/welcome/x/",
        "Loading the samples into the base Demo; what is there can be used already:",
        "a.pdf is read",
        "asked: Why?",
        "The samples and their answers are there.",
        "Ctrl-C stops everything.",
    ]


def test_a_demonstration_that_fails_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_instead(monkeypatch, "raise SystemExit('The disk is full.')")
    start.load_demo()
    told = capsys.readouterr().out
    assert "The demonstration is not complete: manage.py load_demo failed: The disk is full." in told
    assert "are there" not in told


class Sleeping:
    """A server that hangs until it is ended."""

    NAME = "PostgreSQL"

    def __init__(self, looks: str) -> None:
        self.looks, self.did = list(looks), ""

    def answers(self, home: Path) -> bool:
        look = self.looks.pop(0)
        if look == "h":
            raise ServerHangs("PostgreSQL hangs.")
        return look == "y"

    def ensure(self, home: Path) -> str:
        self.did += "s"
        return ""

    def stop(self, home: Path) -> None: ...

    def end(self, home: Path) -> None:
        self.did += "e"


@pytest.mark.parametrize(
    ("looks", "did"), [("yy", ""), ("n", "s"), ("hy", ""), ("hyhy", ""), ("hh", "es"), ("hhhh", "eses"), ("hnh", "s")]
)
def test_a_server_that_hangs_twice_in_a_row_is_ended_and_started_again(tmp_path: Path, looks: str, did: str) -> None:
    server, silent = Sleeping(looks), set[str]()
    for _ in looks:
        start.revive(tmp_path, [server], silent)
    assert server.did == did


def test_a_look_that_took_long_is_no_proof_that_the_web_server_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]

    def look(port: int) -> bool:
        now[0] += 60  # the machine stands still meanwhile
        return False

    web = Child("web", [], tmp_path / "web.log", has_answered=True)
    signals: list[int] = []
    monkeypatch.setattr(web, "has_ended", lambda: False)
    monkeypatch.setattr(web, "signal", signals.append)
    monkeypatch.setattr(start, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(start, "is_answering", look)
    monkeypatch.setattr(start, "HANGS_AFTER_S", 15.0 / settings.PATIENCE)
    start.end_hanging(web, 1)
    assert not signals
    start.end_hanging(web, 1)
    assert signals == [signal.SIGKILL]


def test_a_web_server_that_hangs_is_ended_and_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    web = Child("web", ["http.server", str(port), "--bind", "127.0.0.1"], tmp_path / "web.log")
    monkeypatch.setattr(start, "HANGS_AFTER_S", 0.0)
    try:
        web.start()
        start.end_hanging(web, port)
        assert not web.has_ended(), "it is still starting"
        wait_for(lambda: start.is_answering(port))
        start.end_hanging(web, port)
        assert web.has_answered and not web.has_ended() and web.process

        monkeypatch.setattr(start, "ANSWER_S", 1.0 / settings.PATIENCE)

        def hang() -> bool:
            """Stop it and look. Anew, since who lets a frozen machine go on lets this go on too."""
            web.signal(signal.SIGSTOP)
            start.end_hanging(web, port)
            return web.has_ended()

        wait_for(hang)
        assert web.process.wait() == -signal.SIGKILL
        assert "web does not answer, ending it" in capsys.readouterr().out
        start.end_hanging(web, port)
        web.tend(web.started_at)
        web.tend(web.starts_again_at or 0)
        wait_for(lambda: start.is_answering(port))
    finally:
        kill([web])
