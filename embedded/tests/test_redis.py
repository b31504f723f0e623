"""The embedded Redis: one server on one socket, its data kept over a kill."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from redis import Redis

from embedded import places, redis
from embedded.errors import EmbeddedError, ServerHangs
from embedded.tests.conftest import look_at_stopped


def server_pid(home: Path) -> int:
    with Redis.from_url(redis.url(home)) as client:
        return int(client.info("server")["process_id"])


def test_it_starts_and_knows_its_address_before(home: Path) -> None:
    expected = redis.url(home)
    assert list(home.iterdir()) == []
    assert redis.ensure(home) == expected
    assert redis.answers(home)


def test_it_listens_on_its_socket_alone(home: Path) -> None:
    with Redis.from_url(redis.ensure(home)) as client:
        assert client.config_get("port") == {"port": "0"}
    assert redis._socket(home).parent.stat().st_mode & 0o777 == 0o700


def test_it_attaches_to_a_running_server(home: Path) -> None:
    redis.ensure(home)
    pid = server_pid(home)
    redis.ensure(home)
    assert server_pid(home) == pid


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_it_keeps_what_was_written(home: Path, way: str) -> None:
    with Redis.from_url(redis.ensure(home)) as client:
        client.xadd("turn", {"event": "done"})
    if way == "kill":
        os.kill(server_pid(home), signal.SIGKILL)
    else:
        redis.stop(home)
        redis.stop(home)
    assert not redis.answers(home)
    with Redis.from_url(redis.ensure(home)) as client:
        assert client.xlen("turn") == 1


def test_it_is_started_once_by_three_at_once(home: Path) -> None:
    program = "import sys, pathlib; from embedded import redis; redis.ensure(pathlib.Path(sys.argv[1]))"
    starts = [subprocess.Popen([sys.executable, "-c", program, str(home)]) for _ in range(3)]
    assert [start.wait(timeout=60) for start in starts] == [0, 0, 0]
    log = (home / "redis" / "log").read_text()
    assert log.count("Valkey is starting") == 1


def test_it_never_starts_a_second_server_beside_one_that_hangs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    redis.ensure(home)
    pid = server_pid(home)
    monkeypatch.setattr(redis, "HANGS_AFTER_S", 0.2 / settings.PATIENCE)
    try:
        with pytest.raises(EmbeddedError, match="hangs"):
            look_at_stopped([pid], lambda: redis.ensure(home))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert server_pid(home) == pid


def test_one_that_hangs_is_ended_and_started_again_with_what_was_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Redis.from_url(redis.ensure(home)) as client:
        client.xadd("turn", {"event": "done"})
    pid = server_pid(home)
    monkeypatch.setattr(redis, "HANGS_AFTER_S", 0.2 / settings.PATIENCE)
    with pytest.raises(ServerHangs):
        look_at_stopped([pid], lambda: redis.answers(home))
    redis.end(home)
    monkeypatch.undo()
    with Redis.from_url(redis.ensure(home)) as client:
        assert client.xlen("turn") == 1
    assert server_pid(home) != pid


def test_it_ends_no_process_that_has_the_number_of_an_earlier_server(home: Path) -> None:
    redis.ensure(home)
    redis.stop(home)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        (home / "redis" / "pid").write_text(f"{other.pid}\n")
        redis.end(home)
        assert other.communicate(b"\n")[0] is None and other.returncode == 0


def test_it_finds_a_short_socket_for_a_deep_home(home: Path) -> None:
    deep = home / ("d" * 60) / ("e" * 60)
    try:
        with Redis.from_url(redis.ensure(deep)) as client:
            assert client.ping()
    finally:
        redis.remove(deep)


def test_it_goes_on_with_the_file_of_the_redis_before(home: Path) -> None:
    """An installation that ran Redis 6.2 has one append-only file beside the log; newer servers keep a directory."""
    places.make_private(home / "redis")
    commands = b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$5\r\nLPUSH\r\n$6\r\ningest\r\n$7\r\nmessage\r\n"
    (home / "redis" / "appendonly.aof").write_bytes(commands)
    for _ in range(2):
        with Redis.from_url(redis.ensure(home)) as client:
            assert client.lrange("ingest", 0, -1) == [b"message"]
        redis.stop(home)


def test_it_says_why_it_does_not_start(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis, "ABSENT_MAX_S", 2.0 / settings.PATIENCE)
    redis.ensure(home)
    redis.stop(home)
    [written] = (home / "redis" / "appendonlydir").glob("*.incr.aof")
    written.write_bytes(b"*not a log of commands\r\n")
    with pytest.raises(EmbeddedError, match=r"does not start:\n.*(?s:.)*Bad file format"):
        redis.ensure(home)


def test_it_says_where_it_cannot_write(home: Path) -> None:
    (home / "file").write_text("")
    with pytest.raises(EmbeddedError, match="set DOCINTEL_HOME to a directory you own"):
        redis.ensure(home / "file" / "below")


def test_it_says_that_the_wheel_holds_no_server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis, "package", lambda *_: tmp_path)
    with pytest.raises(EmbeddedError, match="holds no valkey-server; install it again, or set REDIS_URL"):
        redis.ensure(home)


def test_it_names_the_missing_wheel(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    with pytest.raises(EmbeddedError, match="set REDIS_URL"):
        redis.ensure(home)
