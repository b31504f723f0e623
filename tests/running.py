"""One real bin/run on a home and a port of its own, for the tests that need the whole thing."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import requests

from embedded import postgres, redis
from launch.check import REPORTS, STARTED
from launch.children import commands
from tests import schema

ROOT = Path(__file__).resolve().parent.parent
ARRIVED = re.compile(r":\d+/(?:bases/|audit/queue/)?$")  # where somebody is who has just signed in
START_S = PATIENCE_S = 180.0  # a machine that does much else; an idle one takes five
GRACE_S = 10.0  # for a web server that was told to stop; then it is killed
PASSWORD = "quiet-harbour-91"
NEW_PERSON = """
from accounts.models import Scope, User
from accounts.tokens import make_token
user = User.objects.create_superuser("EMAIL", "PASSWORD", name="NAME")
print("token", make_token(user, "Tests", Scope.values, 1)[1])
"""
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
# None that the system hands out, so that no connection takes it before its server has started; browsers refuse 10080.
PORTS = range(11_000, 32_000)
chance = random.SystemRandom()  # no test's seed makes two processes choose the same port
living_logs: list[Path] = []  # files and folders of logs of what runs now, or ended by a failure


class Person(NamedTuple):
    """Somebody who can sign in; `token` is one of every right, "" where none was made."""

    email: str
    token: str = ""
    name: str = "Ada Osei"
    password: str = PASSWORD


ADA = Person("ada@example.org")  # the first owner of the installation that is shared


class Running:
    """One bin/run with a home and a port of its own."""

    def __init__(self, home: Path, **extra: str) -> None:
        self.home = home
        self.port = free_port()
        self.output = Path(f"{home}.{self.port}.out")
        self.environment = environment(home) | extra
        count_start(home)
        command = [sys.executable, "-m", "launch.start", "--port", str(self.port)]
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )
        living_logs.extend((self.output, home / "logs", postgres._root(home) / "log"))
        try:
            self.wait_for(lambda: "Ctrl-C stops everything" in self.printed)
        except BaseException:
            self.process.terminate()  # nobody else will, and it would slow down all that follows
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=PATIENCE_S)
            raise

    @property
    def address(self) -> str:
        """Of the site, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def welcome(self) -> str:
        """The link that it printed, which makes the first owner once."""
        link = re.search(r"http://\S+/welcome/\S+", self.printed)
        assert link is not None, self.printed
        return link[0]

    @property
    def printed(self) -> str:
        """Everything it has said so far."""
        return self.output.read_text()

    def wait_for(self, condition: Callable[[], bool], pause_s: float = 0.1) -> None:
        until = time.monotonic() + PATIENCE_S
        while not condition():
            assert self.process.poll() is None, self.printed
            assert time.monotonic() < until, self.printed
            time.sleep(pause_s)

    def child(self, word: str) -> psutil.Process:
        """The process whose command line has this word, such as the queue of a worker."""
        found = self.children(word)
        assert len(found) == 1, self.printed
        return found[0]

    def children(self, word: str) -> list[psutil.Process]:
        return [child for child in psutil.Process(self.process.pid).children() if word in child.cmdline()]

    def wait_until_ok(self, *parts: str) -> None:
        """Wait until *Status* says so of these parts. Each look is a process, which takes from them what they need."""
        self.wait_for(lambda: self.status().items() >= {(part, "ok") for part in parts}, pause_s=1)

    def status(self) -> dict[str, str]:
        done = manage(self.environment, "status", "--json")
        return {check["name"]: check["state"] for check in json.loads(done.stdout)["checks"]}

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Stop it."""
        self.process.send_signal(number)
        assert self.process.wait(timeout=PATIENCE_S) == 0, self.printed


def count_start(home: Path) -> None:
    """Note that an installation is started, for bin/test to tell."""
    if reports := os.environ.get(REPORTS):
        with open(Path(reports) / STARTED, "a", encoding="utf-8") as file:
            file.write(f"{home.name}\n")


@contextmanager
def web_server(
    environment: dict[str, str], log: Path, module: str = "docintel_site.asgi"
) -> Iterator[tuple[str, psutil.Process]]:
    """uvicorn as somebody starts it by hand: its address and its process."""
    port = free_port()
    command = ["uvicorn", f"{module}:application", "--port", str(port), "--lifespan", "off"]
    with program(command, environment, log, GRACE_S) as server:  # a connection that is still open keeps it
        until = time.monotonic() + START_S
        while "Uvicorn running on" not in log.read_text():
            assert server.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", psutil.Process(server.pid)


@contextmanager
def program(
    command: list[str], environment: dict[str, str], log: Path, grace_s: float = PATIENCE_S
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the product that is starting; afterwards it is told to stop, and killed if it does not."""
    living_logs.append(log)
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *command], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield process
        living_logs.remove(log)
    finally:
        process.terminate()
        try:
            process.wait(timeout=grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def processes(environment: dict[str, str], home: Path) -> Iterator[str]:
    """The web server, workers and schedule of a home whose servers run, without bin/run; the address of its site."""
    told = commands(0)
    told = {"ask": told["ask"], "rest": [*told["ingest"], "-Q", "ingest,sweep,embed,search"], "beat": told["beat"]}
    with ExitStack() as stack:
        for name, command in told.items():
            stack.enter_context(program(command, environment, home / f"{name}.txt"))
        yield stack.enter_context(web_server(environment, home / "web.txt"))[0]


def free_port() -> int:
    while True:
        port = chance.choice(PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def environment(home: Path) -> dict[str, str]:
    """That of a newcomer: no servers named, nothing of the test session."""
    ours = ("DATABASE_URL", "REDIS_URL", "DOCINTEL_", "OPENAI_", "DJANGO_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | {
        "DOCINTEL_HOME": str(home)
    }


def new_person(running: Running, email: str, name: str = "Ada Osei") -> Person:
    """A new administrator of an installation, for the tests of one file."""
    program = NEW_PERSON.replace("EMAIL", email).replace("PASSWORD", PASSWORD).replace("NAME", name)
    [token] = re.findall(r"^token (\S+)", shell(running, program), re.MULTILINE)
    return Person(email, str(token), name)


def make_first_owner(running: Running, person: Person) -> None:
    """Follow the link that was printed, as a newcomer does."""
    with requests.Session() as session:
        token = CSRF.search(session.get(running.welcome, timeout=PATIENCE_S).text)
        assert token is not None
        form = {"name": person.name, "email": person.email, "password": person.password}
        form["csrfmiddlewaretoken"] = token[1]
        made = session.post(running.welcome, data=form, allow_redirects=False, timeout=PATIENCE_S)
    assert made.status_code == 302, made.text


def shell(running: Running, program: str) -> str:
    """What a program within an installation prints."""
    done = manage(running.environment, "shell", "-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout


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
def filled_home(*, for_tests: bool = False) -> Iterator[Path]:
    """A fresh home whose database runs and has its tables, so that nothing is left to migrate."""
    with fresh_home() as home:
        schema.fill(postgres.ensure(home, for_tests=for_tests))
        yield home


@contextmanager
def started(home: Path, **extra: str) -> Iterator[Running]:
    """A running instance with more in its environment, ended afterwards if the test has not done so."""
    instance = Running(home, **extra)
    try:
        yield instance
    finally:
        if instance.process.poll() is None:
            instance.end()
