"""A short chain with known payloads, and a superuser's way past the triggers."""

from collections.abc import Callable, Sequence

import pytest
from django.db import connection

from ledger.chain import DigestsOf, append, digest_of
from ledger.models import Entry

Tamper = Callable[..., None]
Payloads = dict[str, bytes]


@pytest.fixture
def payloads(db: None) -> Payloads:
    """Nine entries and what each vouches for."""
    payloads = {f"subject-{number}": f"payload {number}".encode() for number in range(1, 10)}
    for subject_id, payload in payloads.items():
        append("run", subject_id, payload)
    return payloads


@pytest.fixture
def digests_of(payloads: Payloads) -> DigestsOf:
    def read(entries: Sequence[Entry]) -> dict[int, str | None]:
        kept = [entry for entry in entries if entry.subject_id in payloads]
        return {entry.sequence: digest_of(payloads[entry.subject_id]) for entry in kept}

    return read


@pytest.fixture
def tamper(db: None) -> Tamper:
    """Run statements as the database's administrator would, with the triggers out of the way."""

    def run(*statements: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            for statement in statements:
                cursor.execute(statement)
            cursor.execute("SET LOCAL session_replication_role = origin")

    return run
