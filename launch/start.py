"""bin/run inside the environment: start servers, tables, encoder and processes, then watch over them."""

import argparse
import errno
import fcntl
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from embedded.errors import EmbeddedError, ServerHangs
from embedded.places import make_private
from embedded.servers import EmbeddedServer, embedded_servers
from launch import children
from launch.children import Child
from launch.environment import ROOT, last_line
from launch.errors import LaunchError
from launch.options import parse_run
from launch.progress import say, step

WEB_PATIENCE_S = 60.0
STOP_PATIENCE_S = 6.0  # with the servers' own stop, this stays within ten seconds
DOWN_LOOKS, DOWN_LOOK_S = 200, 0.1  # twenty seconds
TEND_EVERY_S = 0.5
SERVERS_EVERY_S = 5.0
HANGS_AFTER_S = 15.0
ANSWER_S = 5.0  # for one look at the web server


class Command(NamedTuple):
    """A running management command."""

    name: str
    process: subprocess.Popen[str]


def main(arguments: list[str]) -> None:
    """Start DocIntel and stay until Ctrl-C, or stop the running one; every refusal is one sentence and exit code 1."""
    options = parse_run(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        servers = embedded_servers(database_url=settings.DATABASE_URL, redis_url=settings.REDIS_URL)
        if options.command == "down":
            down(settings.HOME, servers)
        else:
            up(settings.HOME, servers, options)
    except (LaunchError, EmbeddedError, ImproperlyConfigured) as error:
        sys.exit(f"{error}")


def up(home: Path, servers: list[EmbeddedServer], options: argparse.Namespace) -> None:
    """Start everything in order, and stop all of it at the end, however it ends."""
    make_private(home)
    (home / "logs").mkdir(exist_ok=True)
    with only_one(home):
        check_port(options.port)
        address = f"http://127.0.0.1:{options.port}/"
        running = [
            Child(name, command, home / "logs" / f"{name}.log")
            for name, command in children.commands(options.port).items()
        ]
        say(f"DocIntel starts; its data is in {home}")
        try:
            for server in servers:
                with step(f"Starting {server.NAME}"):
                    server.ensure(home)
            prepare()
            linking = start_command("first_owner_link", "--address", address.rstrip("/"))
            start_children(running, options.port)
            welcome(address, linking, demo=options.demo)
            watch(home, servers, running, options.port)
        except KeyboardInterrupt:
            say("\nStopping; Ctrl-C once more does it the hard way.")
        finally:
            shut_down(home, servers, running)


def down(home: Path, servers: list[EmbeddedServer]) -> None:
    """Stop the DocIntel running on this home, and its servers."""
    lock = home / "run.lock"
    if lock.exists() and is_locked(lock):
        os.kill(int(lock.read_text()), signal.SIGTERM)
        for _ in range(DOWN_LOOKS):  # not by the clock: this process may sleep as long as that one
            if not is_locked(lock):
                break
            time.sleep(DOWN_LOOK_S)
        else:
            raise LaunchError(f"DocIntel (process {lock.read_text()}) does not stop; end it with kill -9.")
    for server in servers:
        server.stop(home)
    say("DocIntel is stopped.")


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Hold the lock of a running DocIntel; it is released with the process, so it cannot be stale."""
    with open(home / "run.lock", "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise LaunchError(
                f"DocIntel already runs on {home} (process {file.read()}); stop it with bin/run down."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def is_locked(lock: Path) -> bool:
    with open(lock) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def check_port(port: int) -> None:
    """Raise LaunchError if the web server cannot listen on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be opened ({error.strerror})"
            raise LaunchError(f"Port {port} {reason}; choose another with bin/run --port {port + 1}.") from error


def prepare() -> None:
    """Update the tables and the encoder; without an encoder only embeddings are missing."""
    building = start_command("build_encoder")
    with step("Bringing the tables up to date"):
        finish(start_command("migrate", "--no-input", "--verbosity", "0"))
    try:
        with step("Checking the encoder"):
            finish(building)
    except LaunchError as error:
        say(f"  Embeddings are off: {error}")


def start_children(running: list[Child], port: int) -> None:
    """Start the web server, and the workers once it answers. Raises LaunchError with the end of its log."""
    web, *workers = running
    with step("Starting the web"):
        web.start()
        until = time.monotonic() + WEB_PATIENCE_S * settings.PATIENCE
        while not is_answering(port):
            if web.has_ended() or time.monotonic() > until:
                raise LaunchError(f"The web server does not answer; {web.log} ends: {last_line(web.log.read_text())}")
            time.sleep(0.1)
    for worker in workers:
        worker.start()


def welcome(address: str, linking: Command, *, demo: bool) -> None:
    """Print the address, and the first owner's link if there is no owner yet; load the demonstration after that."""
    link = finish(linking).strip()
    if link:
        say("\n  Open this link; it works once and makes you the owner:")
        say(f"  {link}")
    else:
        say(f"\n  Open {address}")
    if demo:
        load_demo()
    say("  Ctrl-C stops everything.\n")


def load_demo() -> None:
    """Load the demonstration and print each of its steps; without it the rest runs on."""
    say("\n  Loading the samples into the base Demo; what is there can be used already:")
    command = start_command("load_demo")
    try:
        for line in command.process.stdout or ():
            say(f"    {line.rstrip()}")
        finish(command)
        say("  The samples and their answers are there.\n")
    except LaunchError as error:
        say(f"  The demonstration is not complete: {error}\n")


def watch(home: Path, servers: list[EmbeddedServer], running: list[Child], port: int) -> None:
    """Until interrupted: restart what has died, servers included, and the web when it hangs."""
    look_at, silent = 0.0, set[str]()
    while True:
        now = time.monotonic()
        if now >= look_at:
            revive(home, servers, silent)
            end_hanging(running[0], port)
            look_at = now + SERVERS_EVERY_S
        for child in running:
            child.tend(now)
        time.sleep(TEND_EVERY_S)


def revive(home: Path, servers: list[EmbeddedServer], silent: set[str]) -> None:
    """Restart a server that was killed or hangs; if that fails, report it and try again later.

    `silent` are those that kept silent at the last look; one that does so again is ended.
    """
    for server in servers:
        try:
            if not is_answered_by(server, home, silent):
                say(f"{server.NAME} does not answer, starting it again.")
                server.ensure(home)
        except EmbeddedError as error:
            say(str(error))


def is_answered_by(server: EmbeddedServer, home: Path, silent: set[str]) -> bool:
    """False if it has to be started again. Once is no proof that it hangs: this process itself may have slept."""
    try:
        is_answering = server.answers(home)
    except ServerHangs:
        if server.NAME not in silent:
            silent.add(server.NAME)
            return True
        say(f"{server.NAME} hangs, ending it.")
        server.end(home)
        is_answering = False
    silent.discard(server.NAME)
    return is_answering


def end_hanging(web: Child, port: int) -> None:
    """End a web server that lives and has not answered for too long; it is started again like any that died."""
    if web.has_ended():
        return
    asked_at = time.monotonic()
    if is_answering(port):
        web.has_answered, web.silent_since = True, None
        return
    web.silent_since = web.silent_since or asked_at  # not since the last answer: this process may have slept meanwhile
    patience_s = (HANGS_AFTER_S if web.has_answered else WEB_PATIENCE_S + HANGS_AFTER_S) * settings.PATIENCE
    if asked_at >= web.silent_since + patience_s:
        say(f"{web.name} does not answer, ending it; see {web.log}")
        web.signal(signal.SIGKILL)


def shut_down(home: Path, servers: list[EmbeddedServer], running: list[Child]) -> None:
    """Stop the processes, then their servers; a second Ctrl-C kills what is left."""
    try:
        children.stop_children(running, STOP_PATIENCE_S * settings.PATIENCE)
        for server in servers:
            server.stop(home)
    except KeyboardInterrupt:
        children.kill(running)
        for server in servers:
            server.stop(home)
    say("DocIntel is stopped.")


def is_answering(port: int) -> bool:
    """Whether the web server answers anything: it does once every page is loaded, and when it has too much to do."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S * settings.PATIENCE)
    try:
        connection.request("GET", "/healthz")
        return bool(connection.getresponse().status)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def start_command(name: str, *arguments: str) -> Command:
    """Start a management command without its checks, which import every page for seconds; bin/test runs them."""
    command = [sys.executable, "manage.py", name, *arguments, "--skip-checks"]
    return Command(name, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))


def finish(command: Command) -> str:
    """Wait for a management command and return its output. Raises LaunchError with the reason."""
    output, errors = command.process.communicate()
    if command.process.returncode:
        raise LaunchError(f"manage.py {command.name} failed: {last_line(errors or output)}")
    return output


if __name__ == "__main__":
    main(sys.argv[1:])
