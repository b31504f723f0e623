"""A Redis that takes connections and does not answer: it is asked once, and then left alone until it answers again.

Otherwise each call of a request or of an answer would wait for it in turn. One that refuses costs no time. What is
owed to either is done once it answers, if this process still lives: nobody has to wait for the next sweep.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import partial

import redis
from django.conf import settings
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswer

ASK_EVERY_S = 1.0
OWED_MAX = 1000  # of the oldest only the rows tell

logger = logging.getLogger(__name__)


class Silence:
    """Whether Redis keeps silent, as this process knows, and what is owed to it. A thread asks it until it answers."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._lasts = False
        self._owed: deque[Callable[[], object]] = deque(maxlen=OWED_MAX)
        self._asking: threading.Thread | None = None

    def lasts(self) -> bool:
        return self._lasts and self._is_asked()

    def note(self, error: BaseException, owed: Callable[[], object] | None = None) -> None:
        """Remember an error of Redis if it is, or was caused by, one of time.

        `owed` is what failed by it, to be done again once Redis answers; an error of another kind is not mended so.
        """
        causes = list(causes_of(error))
        is_silent = any(isinstance(cause, NoAnswer) for cause in causes)
        is_away = is_silent or any(isinstance(cause, NoConnection) for cause in causes)
        if is_silent or (is_away and owed):
            with self._changing:
                self._lasts = self._lasts or is_silent
                self._ask(owed)

    def owe(self, act: Callable[[], object]) -> None:
        """Do this once Redis answers."""
        with self._changing:
            self._ask(act)

    def forget(self) -> None:
        """In a forked copy of this process: who asks, and does what is owed, is a thread of its parent."""
        self._changing, self._lasts, self._asking = threading.Lock(), False, None
        self._owed.clear()

    def _is_asked(self) -> bool:
        return self._asking is not None and self._asking.is_alive()

    def _ask(self, owed: Callable[[], object] | None) -> None:
        if owed:
            self._owed.append(partial(copy_context().run, owed))
        if not self._is_asked():
            self._asking = threading.Thread(target=self._wait_for_answer, name="silence", daemon=True)
            self._asking.start()

    def _wait_for_answer(self) -> None:
        while not self._is_answered():
            time.sleep(ASK_EVERY_S)
        with self._changing:
            owed = list(self._owed)
            self._owed.clear()
            self._lasts, self._asking = False, None
        for act in owed:
            try:
                act()
            except Exception as error:  # noqa: BLE001  # each is told in its own way; the others are still owed
                logger.warning("What was owed to Redis could not be done: %s", error)

    def _is_answered(self) -> bool:
        options = {"retry": settings.REDIS_RETRY, **settings.REDIS_TIMEOUTS}
        try:
            with redis.Redis.from_url(settings.EVENTS_REDIS_URL, **options) as server:
                server.ping()
        except RedisError as error:
            self._lasts = isinstance(error, NoAnswer)
            return False
        return True


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """An error and its causes and contexts: Django reports a session it cannot save as deleted."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


_silence = Silence()
os.register_at_fork(after_in_child=_silence.forget)
lasts, note, owe = _silence.lasts, _silence.note, _silence.owe
