"""How long each step of a piece of work takes."""

import time


class Clock:
    """Milliseconds of each step."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}
        self._since = time.perf_counter()

    def stop(self, step: str) -> None:
        """Record the time since the last step under this name."""
        now = time.perf_counter()
        self.timings_ms[step] = round(1000 * (now - self._since), 3)
        self._since = now

    def leave_out(self, seconds: float) -> None:
        """Count so much of the time since the last step for nothing: other work was done in it."""
        self._since += seconds
