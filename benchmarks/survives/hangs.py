"""Servers are stopped where they are (SIGSTOP), so that they live and answer nobody, while people upload and ask."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial

import psutil
import psycopg
import redis as client

from benchmarks.survives import servers, stops
from benchmarks.survives.site import Site, have_ended, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of
from tests.running import START_S

WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND backend_type = 'client backend'"


def drill(site: Site, away_s: float) -> Iterator[Verdict]:
    """Each hangs that a question waits for, with and without Stop; then each hangs under a load of its own."""
    yield from stops.drill(site, "stopped while their backends hang", partial(hanging, backends))
    yield from stops.drill(site, "stopped while Redis hangs", partial(hanging, broker))
    yield left_alone(site)
    yield from servers.drill(site, away_s, FAULTS)


def left_alone(site: Site) -> Verdict:
    """The backends of questions hang, and nobody presses Stop."""
    from chat.turns.stopping import answer_limit_s

    patience_s = answer_limit_s() + servers.LATE_S
    with stops.kept_waiting(site) as kept, hanging(backends, site):
        is_over = wait_for(lambda: have_ended(kept.turns), 2 * patience_s)
    lasted = [turn.ended_at - turn.created_at for turn in kept.turns if turn.ended_at]
    counts = {
        "limit": answer_limit_s(),
        "slowest": round(max(lasted, default=timedelta()).total_seconds()),
        "states": list(kept.turns.values_list("state", flat=True)),
        "without a record": kept.turns.filter(run=None).count(),
    }
    is_reached = kept.are_at_work and is_over and kept.is_next_answered()
    goal = f"{stops.AT_WORK} questions whose backends hang end by their limit and 30 s, and the next is answered"
    is_in_time = counts["slowest"] <= patience_s
    return verdict_of("hanging backends", goal, counts, "without a record", reached=is_reached, in_time=is_in_time)


@contextmanager
def hanging(find: Callable[[Site], Iterable[int]], site: Site) -> Iterator[None]:
    """These processes do nothing during the block."""
    stopped = list(find(site))
    try:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):  # it was ended meanwhile
                os.kill(pid, signal.SIGCONT)


def backends(site: Site) -> list[int]:
    """Of the statements that wait for a lock."""
    with psycopg.connect(site.extra["DATABASE_URL"]) as connection:
        return [pid for (pid,) in connection.execute(WAITING)]


def database(site: Site) -> list[int]:
    """The whole server: what takes connections, and all it has started."""
    with psycopg.connect(site.extra["DATABASE_URL"]) as connection:
        first = psutil.Process(connection.info.backend_pid).parent()
    assert first is not None
    return [first.pid, *(each.pid for each in first.children())]


def broker(site: Site) -> list[int]:
    with client.Redis.from_url(site.extra["REDIS_URL"]) as server:
        return [int(server.info("server")["process_id"])]


def hang(find: Callable[[Site], Iterable[int]], site: Site, away_s: float) -> None:
    with hanging(find, site):
        time.sleep(away_s)


def hang_web(site: Site, away_s: float) -> None:
    """The web process hangs until bin/run ends it and starts another."""
    web = site.running.child("uvicorn").pid
    os.kill(web, signal.SIGSTOP)
    wait_for(lambda: not psutil.pid_exists(web), START_S)
    site.running.wait_for(lambda: bool(site.running.children("uvicorn")))


FAULTS: dict[str, Callable[[Site, float], None]] = {
    "database hangs": partial(hang, database),
    "broker hangs": partial(hang, broker),
    "web process hangs": hang_web,
}
