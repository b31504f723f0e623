"""What patience is worth (R109): calls to a server that fails now and then, limits the rate, or is away for a while.

Pauses, outages and the breaker run SCALE times as fast, and waiting is told in the seconds of an installation.
"""

import logging
import os
import random
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django

from tests.scripted_llm import ScriptedLLM

SCALE = 20.0
FAILING, LIMITED = "error-500", "rate-limited"
SERVERS: dict[str, tuple[str, float, float]] = {  # what it says when it fails, in what share, and for how long at first
    "1 in 10 fails": (FAILING, 0.1, 0.0),
    "3 in 10 fail": (FAILING, 0.3, 0.0),
    "3 in 10 are limited": (LIMITED, 0.3, 0.0),
    "away for 5 s": (FAILING, 0.0, 5.0),
    "away for 30 s": (FAILING, 0.0, 30.0),
    "limited for 30 s": (LIMITED, 0.0, 30.0),
}
AT_ONCE = 8


class Unsteady(ScriptedLLM):
    """A server that fails a share of the requests by chance, or every one until a time."""

    def __init__(self, told: str, share: float, away_s: float) -> None:
        super().__init__("good")
        self.told_as, self.share, self.away_s, self.since = told, share, away_s, 0.0
        self.chance = random.Random(7)

    def take(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
        super().take(path, headers, body)
        with self._lock:
            self.since = self.since or time.monotonic()
            is_away = time.monotonic() - self.since < self.away_s / SCALE
            return self.told_as if is_away or self.chance.random() < self.share else "good"


def run(calls: int = 200) -> dict[str, Any]:
    """The share of calls that succeed, and the seconds they take, by server and who waits."""
    os.environ |= {"OPENAI_API_KEY": "scripted", "DOCINTEL_MODEL": "scripted-1"}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    django.setup()
    logging.getLogger("docintel_site.cache").setLevel(logging.ERROR)  # there need not be a Redis
    from llm import breaker, call

    call.BACKOFF_S /= SCALE
    breaker.PAUSE_S, breaker.WINDOW_S = breaker.PAUSE_S / SCALE, breaker.WINDOW_S / SCALE
    call.retry_after_s = scaled(call.retry_after_s)
    found: dict[str, Any] = {}
    for name, server in SERVERS.items():
        waited = "away" in name or "for" in name
        for who, persistence, deadline_s in (
            ("somebody waits", call.SOMEBODY_WAITS, 45.0),
            ("nobody waits", call.NOBODY_WAITS, call.UNHURRIED_DEADLINE_S),
        ):
            found[f"{name}; {who}"] = ask_many(server, persistence, deadline_s, AT_ONCE if waited else calls)
    return found


def scaled(asked: Any) -> Any:
    """The wait a server asks for, as fast as everything else."""

    def read(error: Exception) -> float | None:
        seconds = asked(error)
        return None if seconds is None else seconds / SCALE

    return read


def ask_many(server: tuple[str, float, float], persistence: Any, deadline_s: float, calls: int) -> dict[str, Any]:
    from django.conf import settings

    from llm.breaker import Breaker
    from llm.client import complete
    from llm.errors import LLMError
    from llm.prompts import Instructions
    from retrieval.arbiter.model import ArbiterReply

    with Unsteady(*server) as unsteady:
        settings.LLM_BASE_URL, settings.LLM_CONFIGURED = unsteady.base_url, True
        Breaker(unsteady.base_url).succeeded()

        def ask(number: int) -> tuple[bool, float]:
            started = time.monotonic()
            try:
                complete(
                    instructions=Instructions("arbiter", "0", "Judge."),
                    prompt=f"<question>{number}</question>",
                    reply_schema=ArbiterReply,
                    purpose="arbiter",
                    deadline_s=deadline_s / SCALE + 5,
                    persistence=persistence,
                )
            except LLMError:
                return False, SCALE * (time.monotonic() - started)
            return True, SCALE * (time.monotonic() - started)

        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(ask, range(calls)))
    times = sorted(seconds for _, seconds in done)
    return {
        "answered": round(sum(is_ok for is_ok, _ in done) / calls, 3),
        "median_s": round(statistics.median(times), 1),
        "p95_s": round(times[int(0.95 * (calls - 1))], 1),
        "requests": len(unsteady.requests),
    }
