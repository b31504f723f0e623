"""How far a full search is: told in the turn's row and to the browser, a step a second at most."""

import time
from collections.abc import Callable

from chat.models import Turn
from chat.stream import publish_event
from chat.turns.stopping import StoppableLease

PROGRESS_EVERY_S = 1.0  # more would only be entries in a stream


class SearchProgress:
    """Called before each document and after the last one; `check` raises where nobody wants the search any more."""

    def __init__(self, lease: StoppableLease[Turn], check: Callable[[], None]) -> None:
        self._lease, self._check = lease, check
        self._told_at = float("-inf")

    def __call__(self, done: int, of: int) -> None:
        self._check()
        now = time.monotonic()
        if now - self._told_at < PROGRESS_EVERY_S and done != of:
            return
        self._told_at = now
        self._lease.rows().update(documents_done=done, documents_total=of)
        publish_event(self._lease.job.pk, "stage", name="parsed", begins=True, done=done, of=of)
