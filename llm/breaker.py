"""The circuit breaker: a model server that keeps failing is not asked for a while (L8)."""

import threading
import time
from collections import deque
from collections.abc import Callable

FAILURES_MAX = 5
WINDOW_S = 60.0
PAUSE_S = 30.0


class Breaker:
    """Closed until five failures in 60 s; then open for 30 s; then one probe decides. One per server and process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failed_at: deque[float] = deque(maxlen=FAILURES_MAX)
        self._opened_at: float | None = None
        self._probing = False

    def allows(self) -> bool:
        """Whether a request may be sent; when open, the first caller after the pause is the probe."""
        with self._lock:
            if self._opened_at is None:
                return True
            if self._probing or self._clock() - self._opened_at < PAUSE_S:
                return False
            self._probing = True
            return True

    def succeeded(self) -> None:
        """The server answered, even if with a refusal: it is alive."""
        with self._lock:
            self._failed_at.clear()
            self._opened_at = None
            self._probing = False

    def failed(self) -> None:
        """The server did not answer, or failed itself."""
        with self._lock:
            now = self._clock()
            self._failed_at.append(now)
            is_full = len(self._failed_at) == FAILURES_MAX and now - self._failed_at[0] <= WINDOW_S
            if self._probing or is_full:
                self._opened_at = now
            self._probing = False

    def abandoned(self) -> None:
        """We stopped the request, which says nothing about the server."""
        with self._lock:
            self._probing = False
