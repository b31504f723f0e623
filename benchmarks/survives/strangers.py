"""What somebody who is not signed in can do to everybody else: hold connections, and fill the logs."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import psutil
import requests

from benchmarks.survives.site import Site
from benchmarks.survives.verdicts import Verdict, verdict_of

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half:"
FILES = 1024  # as many as many systems let a process open
HELD = 1_500
PAGE_GOAL_S = 1.0
LOOKS = 5
REQUESTS = 2_000
LOG_GOAL = 100_000  # bytes; each of these requests left 2,000 once


def drill(site: Site) -> Iterator[Verdict]:
    yield half_heads(site)
    yield wrong_hosts(site)


def half_heads(site: Site) -> Verdict:
    """Hold more connections than the web process may open files, and ask for a page."""
    web = next(process for process in map(psutil.Process, site.processes()) if "uvicorn" in process.cmdline())
    before = web.rlimit(psutil.RLIMIT_NOFILE)
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2 * HELD, own[1]), own[1]))
    web.rlimit(psutil.RLIMIT_NOFILE, (FILES, before[1]))
    seconds, statuses = [], []
    try:
        with ExitStack() as stack:
            for _ in range(HELD):
                link = stack.enter_context(socket.create_connection(("127.0.0.1", site.running.port), timeout=30))
                link.sendall(HALF)
            for _ in range(LOOKS):
                began = time.monotonic()
                statuses.append(requests.get(f"{site.address}/accounts/login/", timeout=60).status_code)
                seconds.append(round(time.monotonic() - began, 2))
    finally:
        web.rlimit(psutil.RLIMIT_NOFILE, before)
        resource.setrlimit(resource.RLIMIT_NOFILE, own)
    counts = {"half heads": HELD, "files of the process": FILES, "seconds of a page": seconds, "statuses": statuses}
    goal = f"a page within {PAGE_GOAL_S:.0f} s while a stranger holds {HELD} half requests"
    is_shown = statuses == [200] * LOOKS
    return verdict_of("half requests", goal, counts, reached=is_shown, in_time=max(seconds) <= PAGE_GOAL_S)


def wrong_hosts(site: Site) -> Verdict:
    """Send requests that are refused, and see how much longer the logs are."""
    before = len(site.logs())
    with requests.Session() as session:
        headers = {"Host": "stranger.example"}
        statuses = {session.get(f"{site.address}/", headers=headers, timeout=60).status_code for _ in range(REQUESTS)}
    grown = len(site.logs()) - before
    counts = {"requests": REQUESTS, "statuses": sorted(statuses), "characters in the logs": grown}
    goal = f"{REQUESTS} refused requests leave at most {LOG_GOAL} characters in the logs"
    return verdict_of("refused requests", goal, counts, reached=statuses == {400} and grown <= LOG_GOAL)
