"""The lease of a turn, which also polls whether Stop was pressed."""

import threading
import time
from typing import Self

from chat.models import Turn
from jobs.lease import Lease, LeaseLost, renew_every_s

STOP_POLL_S = 0.5  # a slower stop button feels broken


class TurnLease(Lease[Turn]):
    """Keeps a claimed turn alive during the block, and knows whether it was stopped or taken over."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(turn)
        self._stop_requested = threading.Event()
        self._lost = threading.Event()
        self._renewed_at = time.monotonic()

    def __enter__(self) -> Self:
        self.look()
        return super().__enter__()

    def stop_requested(self) -> bool:
        return self._stop_requested.is_set()

    def check(self) -> None:
        """Raise LeaseLost when another worker has the turn."""
        if self._lost.is_set():
            raise LeaseLost(f"Turn {self.job.pk} was taken over by another worker.")

    def look(self) -> None:
        stop_requested = self.rows().values_list("stop_requested", flat=True).first()
        if stop_requested is None:
            self._lost.set()
        elif stop_requested:
            self._stop_requested.set()

    def beat_every_s(self) -> float:
        return STOP_POLL_S

    def beat(self) -> None:
        self.look()
        if time.monotonic() - self._renewed_at >= renew_every_s():
            self.renew()
            self._renewed_at = time.monotonic()
