"""Which embedded servers an installation uses; both of them are asked for and stopped in the same words."""

from pathlib import Path
from typing import Protocol

from embedded import postgres, redis


class EmbeddedServer(Protocol):
    """What the modules postgres and redis have in common."""

    NAME: str

    def ensure(self, home: Path) -> str: ...
    def answers(self, home: Path) -> bool: ...
    def stop(self, home: Path) -> None: ...


def embedded_servers(*, database_url: str, redis_url: str) -> list[EmbeddedServer]:
    """The servers to run ourselves: each one for which no address was given."""
    servers: list[EmbeddedServer] = []
    if not database_url:
        servers.append(postgres)
    if not redis_url:
        servers.append(redis)
    return servers
