"""The circuit breaker: a model server that keeps failing is not asked for a while (L8).

One that failed five times within a minute is asked by nobody for 30 s, then by one call that decides. What each process
saw of it is counted in Redis.
"""

import hashlib
import time
from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache

FAILURES_MAX = 5
WINDOW_S = 60.0
PAUSE_S = 30.0
# Longer than any deadline; a probe whose process died stands in the way of no other for longer.
PROBE_S = int(240 * settings.PATIENCE)
KEPT_S = 3600  # a server that nobody has asked since is asked like any other


class Breaker:
    """Closed until five failures in 60 s; then open for 30 s; then one probe decides. One per server.

    All processes share its state, which is in the cache: in Redis, or while that is away in each process for itself.
    """

    def __init__(self, server: str, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        name = f"breaker:{hashlib.sha256(server.encode()).hexdigest()[:32]}"
        self._opened_at, self._probe, self._failures = f"{name}:opened_at", f"{name}:probe", f"{name}:failures"

    def allows(self) -> bool:
        """Whether a request may be sent; when open, the first caller after the pause is the probe."""
        opened_at = cache.get(self._opened_at)
        if opened_at is None:
            return True
        if self._clock() - opened_at < PAUSE_S or not cache.add(self._probe, True, PROBE_S):
            return False
        if cache.get(self._opened_at) == opened_at:
            return True
        cache.delete(self._probe)  # another probe began and ended between our two looks
        return False

    def succeeded(self) -> None:
        """The server answered, even if with a refusal: it is alive."""
        for key in (self._failures, self._opened_at, self._probe):
            cache.delete(key)

    def failed(self) -> None:
        """The server did not answer, or failed itself."""
        if self._is_full(self._clock()) or cache.get(self._probe):
            cache.set(self._opened_at, self._clock(), KEPT_S)
        cache.delete(self._probe)

    def abandoned(self) -> None:
        """We stopped the request, which says nothing about the server."""
        cache.delete(self._probe)

    def _is_full(self, now: float) -> bool:
        """Count a failure; return whether it and those before it are too many within the window."""
        cache.add(self._failures, 0, KEPT_S)
        try:
            number = cache.incr(self._failures)
        except ValueError:  # it went in between, by a success or with Redis
            return False
        # Each has a key of its own, so that failures of several processes at once are all counted.
        cache.set(f"{self._failures}:{number}", now, KEPT_S)
        first_at = cache.get(f"{self._failures}:{number - FAILURES_MAX + 1}") if number >= FAILURES_MAX else None
        return first_at is not None and now - first_at <= WINDOW_S
