"""What strangers can have the log written by the thousand is told a few times a minute, then counted."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from docintel_site.http import access_log

TOLD_MAX = 20  # lines of a kind within a window
WINDOW_S = 60.0
WORDS_MAX = 300  # characters of a message in which a stranger's words stand, such as a wrong host name

Kind = tuple[str, ...]

logger = logging.getLogger(__name__)


@dataclass
class Flood:
    """How often a kind of line was told and left out since a moment."""

    began: float
    told: int = 0
    left_out: int = 0


class Floods(logging.Filter):
    """A log filter that lets the first lines of a kind pass in each window, and says how many more there were.

    The number comes with the next line of the log, whatever that is about, after the window has ended.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._lock = clock, threading.Lock()
        self._floods: dict[Kind, Flood] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind, now = kind_of(record), self._clock()
        with self._lock:
            ended = {each: window for each, window in self._floods.items() if now >= window.began + WINDOW_S}
            for each in ended:
                del self._floods[each]
            is_told = kind is None or self._counts(kind, now)
        for each, window in ended.items():
            if window.left_out:
                logger.warning("%d more lines like “%s” within %.0f s", window.left_out, " ".join(each), WINDOW_S)
        return is_told

    def _counts(self, kind: Kind, now: float) -> bool:
        window = self._floods.setdefault(kind, Flood(now))
        if window.told < TOLD_MAX:
            window.told += 1
            return True
        window.left_out += 1
        return False


def kind_of(record: logging.LogRecord) -> Kind | None:
    """What lines that a stranger causes have in common; None of all others, which are always told.

    There are only so many: routes, kinds of refusals, and the server's own sentences.
    """
    if record.name == access_log.logger.name and isinstance(record.args, tuple):
        _, route, status, _ = record.args
        is_refused = (
            str(status)[:1] == "4"
            or str(status) == access_log.UNANSWERED
            or status == str(HTTPStatus.SERVICE_UNAVAILABLE.value)
        )
        return (str(route), str(status)) if is_refused else None
    if record.name.startswith("django.security."):
        record.exc_info = record.exc_text = None  # a refusal is no fault of the program
        record.msg, record.args = record.getMessage()[:WORDS_MAX], None
        return (record.name,)
    if record.name == "uvicorn.error" and record.levelno == logging.WARNING:
        return (record.name, record.msg)
    return None
