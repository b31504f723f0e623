"""Two web processes behind one database and Redis: each is stopped once, as it should be, while people work at both."""

import time
from collections.abc import Iterator
from contextlib import suppress

import requests

from benchmarks.survives.servers import AFTER_S, BEFORE_S, NONE, PATIENCE_S, Load
from benchmarks.survives.site import Site, have_ended, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of
from tests.running import START_S, web_server

GOAL = (
    "two web processes, one stopped and started again, then the other stopped: nothing that was accepted is lost or "
    "doubled, no answer of 5xx but 503 and 507"
)


def drill(site: Site) -> Iterator[Verdict]:
    from chat.models import Turn
    from documents.models import Document, IngestJob

    base, person = site.new_base("Deployed"), site.person()
    person.fill(base)
    documents, jobs = Document.objects.filter(base=base), IngestJob.objects.filter(document__base=base)
    turns = Turn.objects.filter(conversation__base=base)
    before = documents.count()
    first = site.running.child("uvicorn")
    log = site.home / "logs" / "second-web.log"
    try:
        with web_server(site.running.environment, log) as (address, second):
            wait_for(lambda: is_ready(address), START_S)
            site.second_web = address
            with Load(site, base) as load:
                time.sleep(BEFORE_S)
                began = time.monotonic()
                first.terminate()  # bin/run starts it again
                first.wait()
                is_back = wait_for(lambda: is_ready(site.address), START_S)
                away_s = time.monotonic() - began
                time.sleep(BEFORE_S)
                second.terminate()
                time.sleep(AFTER_S)
    finally:
        site.second_web = ""
    is_over = wait_for(lambda: have_ended(jobs) and have_ended(turns), PATIENCE_S)
    doubled = documents.count() - before - len(load.documents) + turns.count() - len(load.turns)
    counts = {**load.found(), "doubled": doubled, "seconds until the first is ready again": round(away_s, 1)}
    yield verdict_of("webs deployed one by one under load", GOAL, counts, *NONE, "doubled", reached=is_back and is_over)


def is_ready(address: str) -> bool:
    with suppress(requests.RequestException):
        return requests.get(f"{address}/readyz", timeout=5).ok
    return False
