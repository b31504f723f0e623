"""A test that asks another machine is refused in a sentence; this one answers as ever."""

import asyncio
import socket

import pytest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_another_machine_is_refused(host: str) -> None:
    with pytest.raises(ConnectionRefusedError, match=f"tests reach no machine but this one, not {host}"):
        socket.create_connection((host, 80), timeout=60)
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(asyncio.open_connection(host, 80))


def test_a_name_is_not_looked_up() -> None:
    with pytest.raises(socket.gaierror, match="tests reach no machine but this one, not example.org"):
        socket.create_connection(("example.org", 80), timeout=60)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_answers(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection((host, server.getsockname()[1]), timeout=60).close()
