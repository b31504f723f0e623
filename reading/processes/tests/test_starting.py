"""Readers are copies of one server a process: loaded once, it dies with its process and is replaced when it dies."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reading.limits import Limits
from reading.processes import starting
from reading.processes.sandbox import read_in_child
from reading.processes.starting import ROOT
from reading.reasons import ReadingError
from reading.tests.pdfs import write_pdf

LINE = "The termination clause requires thirty days of notice by either party."
READ = "from pathlib import Path; from reading.processes.sandbox import read_in_child; import os, sys, time\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "notice.pdf", [[LINE] * 3])


@pytest.fixture(autouse=True)
def _apart() -> Iterator[None]:
    starting.stop()
    yield
    starting.stop()


def server_pid() -> int:
    server = starting._starter.server
    assert server is not None
    return server.process.pid


def comes_true(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + 120
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def lives(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_files_are_read_by_copies_of_one_server_with_one_thread(path: Path) -> None:
    servers = set()
    for _ in range(5):
        assert read_in_child(path).lines[0].text == LINE
        servers.add(server_pid())
    assert len(servers) == 1
    assert len(list(Path(f"/proc/{server_pid()}/task").iterdir())) == 1, "a copy of a process with threads may hang"


def test_threads_read_side_by_side(path: Path) -> None:
    alone = read_in_child(path)
    with ThreadPoolExecutor(6) as pool:
        readings = list(pool.map(read_in_child, [path] * 18))
    assert all(reading.lines == alone.lines and reading.report == alone.report for reading in readings)


def test_nothing_stays_open_behind_a_reading(path: Path, tmp_path: Path) -> None:
    def held() -> tuple[int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), len(list(Path(f"/proc/{server_pid()}/fd").iterdir()))

    (tmp_path / "bad.pdf").write_bytes(b"<html>")
    read_in_child(path)
    gc.collect()  # what earlier tests left open is closed now, not meanwhile
    before = held()
    for _ in range(5):
        read_in_child(path)
        with pytest.raises(ReadingError):
            read_in_child(tmp_path / "bad.pdf")
        with pytest.raises(KeyError):
            read_in_child(path, on_progress=stop)
    assert held() == before


def stop(page: int, of: int) -> None:
    raise KeyError


def test_a_server_that_died_is_replaced(path: Path) -> None:
    read_in_child(path)
    first = server_pid()
    os.kill(first, signal.SIGKILL)
    assert comes_true(lambda: not lives(first))
    assert read_in_child(path).lines and server_pid() != first


def test_a_reading_whose_server_dies_was_stopped_from_outside(path: Path) -> None:
    def kill(page: int, of: int) -> None:
        os.kill(server_pid(), signal.SIGKILL)

    with pytest.raises(ReadingError) as caught:
        read_in_child(path, on_progress=kill)
    assert caught.value.code == "parse_killed"
    assert read_in_child(path).lines


def test_a_server_that_cannot_be_started_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "SERVER", ("-c", "raise SystemExit(1)"))
    with pytest.raises(ReadingError) as caught:
        read_in_child(path)
    assert caught.value.code == "parse_killed" and "starts readers" in caught.value.detail


def test_after_many_files_another_server_takes_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "COPIES_MAX", 2)
    servers = []
    for _ in range(5):
        read_in_child(path)
        servers.append(server_pid())
    assert [servers.index(pid) for pid in servers] == [0, 0, 2, 2, 4]
    assert comes_true(lambda: not any(map(lives, servers[:-1])))


def test_a_server_dies_with_its_process(path: Path) -> None:
    program = READ + "read_in_child(Path(sys.argv[1])); from reading.processes import starting\n"
    program += "print(starting._starter.server.process.pid, flush=True); time.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", program, path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert lives(pid)
    parent.kill()
    parent.communicate()
    assert comes_true(lambda: not lives(pid))


def test_a_forked_worker_starts_a_server_of_its_own(path: Path) -> None:
    """As the pool of a worker does."""
    program = READ + (
        "from reading.processes import starting\n"
        "told = lambda: print(starting._starter.server.process.pid, flush=True)\n"
        "read_in_child(Path(sys.argv[1])); told()\n"
        "pid = os.fork()\n"
        "read_in_child(Path(sys.argv[1])); told()\n"
        "os.waitpid(pid, 0) if pid else starting.stop()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    first, *both = map(int, done.stdout.split())
    assert first in both and len(set(both)) == 2 and done.stderr == ""
    assert comes_true(lambda: not any(map(lives, both)))


def test_what_a_reader_leaves_behind_is_ended_with_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import os, sys, time, runpy; from reading.processes import child\n"
        "def work(*arguments):\n"
        "    if os.fork(): raise SystemExit(0)\n"
        "    [os.close(number) for number in (0, 1)]; time.sleep(600)\n"
        "child.do = work; runpy.run_module('reading.processes.server', run_name='__main__')"
    )
    monkeypatch.setattr(starting, "SERVER", ("-c", program))
    with pytest.raises(ReadingError):
        read_in_child(path, limits=Limits(wall_s=20))
    assert comes_true(lambda: not left_by(server_pid()))


def left_by(server: int) -> list[str]:
    """The live processes of a server's program that are not the server itself."""
    listed = subprocess.run(["ps", "-eo", "pid,stat,args", "-ww"], capture_output=True, text=True, check=True).stdout
    rows = [row.split(None, 2) for row in listed.splitlines() if "child.do = work" in row]
    return [pid for pid, state, _ in rows if state[0] != "Z" and int(pid) != server]
