"""Tests reach no other machine: what they ask of one is refused in a sentence, as where there is no network."""

import errno
import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

SAYS = "tests reach no machine but this one, not"


@contextmanager
def only_loopback() -> Iterator[None]:
    """Refuse connections and look-ups of names beyond this machine, in this process."""
    look_up = socket.getaddrinfo

    def look_up_here(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not (_is_literal(name) or name in ("localhost", socket.gethostname())):
            raise socket.gaierror(socket.EAI_NONAME, f"{SAYS} {name}")
        return look_up(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", look_up_here)
        patch.setattr(socket.socket, "connect", _guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _guarded(socket.socket.connect_ex))
        yield


def _guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
    def connect_here(line: socket.socket, address: Any) -> Any:
        if line.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
            raise ConnectionRefusedError(errno.ECONNREFUSED, f"{SAYS} {address[0]}")
        return connect(line, address)

    return connect_here


def _is_here(host: str) -> bool:
    if not _is_literal(host):  # looked up by the connection itself
        return host in ("", "localhost", socket.gethostname())
    address = ipaddress.ip_address(host.partition("%")[0])
    return address.is_loopback or address.is_unspecified


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True
