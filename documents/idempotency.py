"""Requests that a program repeats because it does not know whether the first one arrived: done once, answered twice.

A program makes a key for each request. What the first request made is stored under its key in the same transaction;
a constraint of the table decides which was first.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

from django.db import DatabaseError, connection
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from accounts.models import User
from documents.models import IdempotencyKey, KnowledgeBase

KEPT_DAYS = 7  # programs repeat within minutes; a week covers one that was down over the holidays


class KeyReused(Exception):
    """A key was reused for a different request."""

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key belongs to another request. Make a new key for each request.")


@dataclass(frozen=True)
class Keyed:
    """A request with its key: its user, its base, and a digest of its content."""

    user: User
    base: KnowledgeBase
    key: UUID
    digest: str

    @property
    def lock(self) -> tuple[int, int]:
        """Two numbers for PostgreSQL's advisory locks; a collision only delays somebody."""
        place = uuid5(self.key, f"{self.user.pk}\n{self.base.pk}").bytes
        return int.from_bytes(place[:4], signed=True), int.from_bytes(place[4:8], signed=True)


def make_keyed(user: User, base: KnowledgeBase, key: UUID | None, **said: Any) -> Keyed | None:
    """A request with content `said`; None if it has no key."""
    if key is None:
        return None
    # Keyed with our secret, since the plain digest of a short question could be guessed.
    text = json.dumps(said, sort_keys=True, default=str)
    return Keyed(user, base, key, salted_hmac("documents.idempotency", text, algorithm="sha256").hexdigest())


def made_before(request: Keyed | None) -> dict[str, Any] | None:
    """What the first request with this key made, None if there was none. Raises KeyReused if its content differed."""
    if request is None:
        return None
    first = IdempotencyKey.objects.filter(user=request.user, base=request.base, key=request.key).first()
    if first is None:
        return None
    if first.digest != request.digest:
        raise KeyReused
    made: dict[str, Any] = first.made
    return made


def remember(request: Keyed | None, **made: Any) -> None:
    """Store what a request made, in the same transaction. Raises IntegrityError if another one was first."""
    if request:
        IdempotencyKey.objects.create(
            user=request.user, base=request.base, key=request.key, digest=request.digest, made=made
        )


@contextmanager
def one_at_a_time(request: Keyed | None) -> Iterator[None]:
    """Serialise requests with the same key, where work is done before anything can be stored."""
    if request is None:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", request.lock)
    try:
        yield
    finally:
        with suppress(DatabaseError), connection.cursor() as cursor:  # a lost connection has released it
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", request.lock)


def forget_keys(what: str, ids: Iterable[UUID]) -> None:
    """Delete the keys of turns, retrievals or extractions that are being erased."""
    IdempotencyKey.objects.filter(**{f"made__{what}__in": [str(pk) for pk in ids]}).delete()


def forget_old_keys() -> None:
    IdempotencyKey.objects.filter(created_at__lt=Now() - timedelta(days=KEPT_DAYS)).delete()
