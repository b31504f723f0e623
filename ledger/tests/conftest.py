"""A short chain with known payloads, and a superuser's way past the triggers."""

from collections.abc import Callable

import pytest
from django.db import connection

from ledger.chain import append
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
def payload_of(payloads: Payloads) -> Callable[[Entry], bytes | None]:
    return lambda entry: payloads.get(entry.subject_id)


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
