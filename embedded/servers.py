"""Which embedded servers an installation uses, behind one interface."""

from pathlib import Path
from typing import Protocol

from embedded import postgres, redis


class EmbeddedServer(Protocol):
    """The common interface of the modules postgres and redis."""

    NAME: str

    def ensure(self, home: Path) -> str: ...
    def answers(self, home: Path) -> bool: ...
    def stop(self, home: Path) -> None: ...
    def end(self, home: Path) -> None: ...


def embedded_servers(*, database_url: str, redis_url: str) -> list[EmbeddedServer]:
    """The servers to run ourselves: those without a configured address."""
    servers: list[EmbeddedServer] = []
    if not database_url:
        servers.append(postgres)
    if not redis_url:
        servers.append(redis)
    return servers
