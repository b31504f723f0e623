"""A process that opens a hostile file reaches nothing: what it tries is refused by the system it runs on."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reading.limits import Limits
from reading.processes import starting
from reading.processes.jail import ARCHITECTURES, PARTS, REFUSED, filter_of
from reading.processes.sandbox import isolation_in_force, read_in_child
from reading.processes.starting import ROOT
from reading.reasons import ReadingError
from reading.tests.pdfs import write_pdf

TRY = """
import json, os, socket, subprocess, sys, threading
from pathlib import Path
from reading.processes.jail import shut_in
own, folder, port, listening = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
home = folder.parent
inherited = open(home / "secret_key")
told = {"in force": shut_in([own], [folder])}

def tried(name, attempt):
    try:
        attempt()
        told[name] = "done"
    except OSError as error:
        told[name] = type(error).__name__

def by_path():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(listening)

tried("connect", lambda: socket.create_connection(("127.0.0.1", port), timeout=5))
tried("connect by path", by_path)
tried("read its file", own.read_bytes)
tried("read the home", lambda: (home / "secret_key").read_bytes())
tried("list the home", lambda: os.listdir(home))
tried("read its environment", lambda: Path("/proc/self/environ").read_bytes())
tried("read its parent", lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes())
tried("write outside", lambda: (home / "new").write_bytes(b"x"))
tried("overwrite its file", lambda: own.write_bytes(b"x"))
tried("empty its file", lambda: os.truncate(own, 0))
tried("delete its file", own.unlink)
tried("write to its folder", lambda: (folder / "part").write_bytes(b"x"))
tried("replace in its folder", lambda: os.replace(folder / "part", folder / "whole"))
tried("move out of its folder", lambda: os.replace(folder / "whole", home / "moved"))
tried("start a program", lambda: subprocess.run(["/bin/true"]))
tried("replace itself", lambda: os.execv("/bin/true", ["true"]))
tried("leave its group", os.setsid)
tried("signal its parent", lambda: os.kill(os.getppid(), 0))
tried("fork", lambda: os.waitpid(os.fork() or os._exit(0), 0))
tried("start a thread", lambda: threading.Thread(target=lambda: None).start())
tried("load a module", lambda: __import__("markdown_it"))
print(json.dumps(told))
"""
ALLOWED = {
    *("read its file", "write to its folder", "replace in its folder", "fork", "start a thread", "load a module"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "secret_key").write_text("secret")
    (tmp_path / "own").mkdir()
    (tmp_path / "file.pdf").write_bytes(b"%PDF")
    return tmp_path


def run(program: str, *arguments: object) -> Any:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_a_shut_in_process_tries_is_refused(home: Path) -> None:
    """U3."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server, closing(socket.socket(socket.AF_UNIX)) as by_path:
        by_path.bind(str(home / "server"))
        by_path.listen()
        told = run(TRY, home / "file.pdf", home / "own", server.getsockname()[1], home / "server")
    assert told.pop("in force") == list(PARTS)
    assert {name for name, how in told.items() if how == "done"} == ALLOWED
    assert set(told.values()) == {"done", "PermissionError"}, told
    assert (home / "file.pdf").read_bytes() == b"%PDF" and sorted(path.name for path in home.iterdir()) == [
        *("file.pdf", "own", "secret_key", "server")
    ]


@pytest.mark.parametrize(
    ("without", "in_force"),
    [("refuse_calls", ["files"]), ("restrict_files", ["network", "programs"]), ("both", [])],
)
def test_what_is_in_force_is_found_by_trying(without: str, in_force: list[str]) -> None:
    names = ("refuse_calls", "restrict_files") if without == "both" else (without,)
    lines = [f"jail.{name} = lambda *arguments: None" for name in names]
    program = "\n".join(
        ["import json; from reading.processes import jail", *lines, "print(json.dumps(jail.shut_in()))"]
    )
    assert run(program) == in_force


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_a_filter_refuses_each_call_by_its_number(machine: str) -> None:
    column, architecture = ARCHITECTURES[machine]
    numbers = [pair[column] for pair in REFUSED.values()]
    assert len(set(numbers)) == len(numbers)
    written = filter_of(column, architecture)
    assert len(written) % 8 == 0 and architecture.to_bytes(4, sys.byteorder) in written
    assert all(number.to_bytes(4, sys.byteorder) in written for number in numbers)


def test_a_child_says_what_shuts_it_in() -> None:
    assert isolation_in_force() == list(PARTS)


def test_where_isolation_is_required_and_missing_nothing_is_read(
    tmp_path: Path, weak_child: Callable[[], None]
) -> None:
    path = write_pdf(tmp_path / "a.pdf", [["The termination clause requires thirty days of notice."]])
    assert read_in_child(path, limits=Limits(isolation_required=True)).lines
    weak_child()
    assert isolation_in_force() == ["network", "programs"]
    assert read_in_child(path).lines
    with pytest.raises(ReadingError) as caught:
        read_in_child(path, limits=Limits(isolation_required=True))
    assert (caught.value.code, caught.value.detail) == ("not_isolated", "not to be had here: files")


@pytest.fixture
def weak_child(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Have children run on a system without Landlock: the same program, but for that one call."""

    def weaken() -> None:
        program = "from reading.processes import jail; jail.restrict_files = lambda *arguments: None\n"
        program += "import runpy; runpy.run_module('reading.processes.server', run_name='__main__')"
        starting.stop()
        monkeypatch.setattr(starting, "SERVER", ("-c", program))

    yield weaken
    starting.stop()


def test_a_file_is_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path = write_pdf(tmp_path / "elsewhere" / "own.pdf", [["One line of text."]])
    (tmp_path / "link.pdf").symlink_to(path)
    assert read_in_child(tmp_path / "link.pdf").lines[0].text == "One line of text."
