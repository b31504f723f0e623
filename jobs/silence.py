"""A Redis that takes connections and does not answer: it is asked once, and then left alone for a while.

Otherwise each call of a request or of an answer would wait for it in turn. One that refuses costs no time.
"""

import time

from redis.exceptions import TimeoutError as NoAnswer

LEFT_ALONE_S = 10.0


class Silence:
    """Whether Redis kept silent a moment ago, as this process knows."""

    def __init__(self) -> None:
        self._until = 0.0

    def lasts(self) -> bool:
        return time.monotonic() < self._until

    def note(self, error: BaseException) -> None:
        """Remember an error of Redis if it is, or was caused by, one of time."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, NoAnswer):
                self._until = time.monotonic() + LEFT_ALONE_S
                return
            cause = cause.__cause__ or cause.__context__


_silence = Silence()
lasts, note = _silence.lasts, _silence.note
