"""Who works on a turn: claimed in one statement, renewed by a thread, and handed on when a worker died.

The row is the truth and the broker only a wake-up call (T3, T5): a message that comes twice claims nothing.
"""

import os
import socket
import threading
import uuid
from datetime import timedelta
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import OperationalError, connection
from django.db.models import F, Q
from django.db.models.functions import Now

from chat.models import Turn

HEARTBEAT_S = 15.0  # T1
STOP_POLL_S = 0.5  # a stop button that takes longer feels broken


class LeaseLost(Exception):
    """Another worker has taken the turn over; what this one found must not be stored."""


def new_owner() -> str:
    """A name no other claim has: host and process for people, the rest for certainty."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def expired() -> Q:
    """Turns whose worker has not been heard of for a whole lease."""
    oldest = Now() - timedelta(seconds=settings.LEASE_S)
    return Q(state=Turn.State.RUNNING) & (Q(heartbeat_at__lt=oldest) | Q(heartbeat_at=None))


def claim(turn_id: uuid.UUID | str) -> "Lease | None":
    """Take a turn that waits, or whose worker died; None when it has ended or someone is at work on it."""
    owner = new_owner()
    free = Turn.objects.filter(pk=turn_id, attempts__lt=settings.ATTEMPTS_MAX)
    claimed = free.filter(Q(state=Turn.State.QUEUED) | expired()).update(
        state=Turn.State.RUNNING, lease_owner=owner, heartbeat_at=Now(), attempts=F("attempts") + 1
    )
    return Lease(turn_id, owner) if claimed else None


class Lease:
    """Keeps a claimed turn alive while the block runs, and knows whether it was asked to stop or was taken over."""

    def __init__(self, turn_id: uuid.UUID | str, owner: str) -> None:
        self.turn_id = turn_id
        self.owner = owner
        self._ended = threading.Event()
        self._stop_requested = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="turn-lease", daemon=True)

    def __enter__(self) -> Self:
        self._look()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def stop_requested(self) -> bool:
        return self._stop_requested.is_set()

    def check(self) -> None:
        """Raise LeaseLost when another worker has the turn."""
        if self._lost.is_set():
            raise LeaseLost(f"Turn {self.turn_id} was taken over by another worker.")

    def locked_turn(self) -> Turn:
        """The row, locked for this transaction, if it is still ours; else LeaseLost."""
        turn = Turn.objects.select_for_update(of=("self",)).filter(pk=self.turn_id, lease_owner=self.owner).first()
        if turn is None:
            raise LeaseLost(f"Turn {self.turn_id} was taken over by another worker.")
        return turn

    def _keep(self) -> None:
        """Look at the row twice a second, renew the lease every quarter of a minute, until the block has ended."""
        try:
            since_renewal = 0.0
            while not self._ended.wait(STOP_POLL_S):
                since_renewal += STOP_POLL_S
                try:
                    self._look()
                    if since_renewal >= HEARTBEAT_S:
                        self._renew()
                        since_renewal = 0.0
                except OperationalError:
                    # The database is away for a moment; the lease outlives it or the sweeper decides.
                    connection.close()
        finally:
            connection.close()

    def _look(self) -> None:
        row = Turn.objects.filter(pk=self.turn_id).values_list("stop_requested", "lease_owner").first()
        if row is None or row[1] != self.owner:
            self._lost.set()
        elif row[0]:
            self._stop_requested.set()

    def _renew(self) -> None:
        Turn.objects.filter(pk=self.turn_id, lease_owner=self.owner).update(heartbeat_at=Now())
