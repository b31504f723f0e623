"""How long each step of a reading takes."""

import time


class Clock:
    """Milliseconds per step of a reading."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}
        self.since = time.perf_counter()

    def stop(self, step: str) -> None:
        """Book the time since the last step on this one."""
        now = time.perf_counter()
        self.timings_ms[step] = round((now - self.since) * 1000, 1)
        self.since = now
