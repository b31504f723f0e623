"""Servers go away, and the program is started anew, while people upload and ask: what was accepted is kept."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, Self
from uuid import UUID

import requests

from benchmarks.survives.site import Person, Site, have_ended, wait_for
from benchmarks.survives.sources import healthy, questions
from benchmarks.survives.verdicts import Verdict, server_errors, verdict_of
from embedded import postgres, redis

GOAL = "nothing that was accepted is lost, no answer of 5xx but 503 and 507, every question ends by its limit and 30 s"
BEFORE_S, AFTER_S = 2.0, 3.0  # of load around each fault
UPLOAD_EVERY_S, ASK_EVERY_S = 1.5, 0.7
NUMBERS = count(10_000)  # of the documents, which all differ
PATIENCE_S = 300.0
LATE_S = 30.0  # after its limit
NONE = ("lost", "not read", "without an answer", "refused for good", "other 5xx")


@dataclass
class Load:
    """People who upload, ask and look around until they are told to stop; what was accepted of them."""

    site: Site
    base: UUID
    people: list[Person] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        doing: list[tuple[Callable[[Person], None], float]] = [
            (self.upload, UPLOAD_EVERY_S),
            (self.ask, ASK_EVERY_S),
            (self.look, ASK_EVERY_S),
        ]
        self.people = [self.site.person() for _ in doing]
        self.threads = [
            threading.Thread(target=self.go_on, args=(*each, person))
            for each, person in zip(doing, self.people, strict=True)
        ]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def go_on(self, act: Callable[[Person], None], every_s: float, person: Person) -> None:
        while not self.ended.wait(every_s):
            act(person)

    def upload(self, person: Person) -> None:
        [source] = healthy(1, first=next(NUMBERS))
        outcome = person.upload(self.base, source.name, source.content)
        (self.documents if outcome["code"] == "accepted" else self.refused).append(
            outcome["document_id"] or outcome["code"]
        )

    def ask(self, person: Person) -> None:
        [question] = questions(1)
        turn = person.ask(question, knowledge_base_id=self.base)
        (self.turns if turn else self.refused).append(turn or "question")

    def look(self, person: Person) -> None:
        """Requests that nobody sends again: what they are told while a server is away is what counts."""
        with suppress(requests.RequestException):  # the program is being started again
            person.send("GET", f"/api/v1/bases/{self.base}/documents")

    def found(self) -> dict[str, Any]:
        """What became of what was accepted, and what people were told."""
        from chat.models import Turn
        from documents.models import Document

        found = Document.objects.filter(pk__in=self.documents)
        asked = Turn.objects.filter(pk__in=self.turns)
        lasted = [turn.ended_at - turn.created_at for turn in asked if turn.ended_at]
        statuses = [status for each in self.people for status in each.statuses]
        return {
            "uploads": len(self.documents),
            "questions": len(self.turns),
            "slowest question": round(max(lasted, default=timedelta()).total_seconds(), 1),
            "statuses": dict(sorted(Counter(statuses).items())),
            "lost": len(set(self.documents)) + len(set(self.turns)) - found.count() - asked.count(),
            "not read": len(self.documents) - found.filter(state="ready").count(),
            "without an answer": [why_unanswered(turn) for turn in asked.exclude(state="done", run__isnull=False)],
            "refused for good": len(self.refused),
            "other 5xx": len(server_errors(statuses)),
        }


def why_unanswered(turn: Any) -> str:
    """How a question that was taken ended without an answer: its state, its attempts and the last line of its error."""
    reason = turn.error_for_admins.strip().rpartition("\n")[2]
    return f"{turn.state} after {turn.attempts} attempts: {reason or 'no reason is recorded'}"


def flush(site: Site, away_s: float) -> None:
    import redis as client

    with client.Redis.from_url(site.extra["REDIS_URL"]) as server:
        server.flushall()


def without_database(site: Site, away_s: float) -> None:
    postgres.stop(site.home)
    time.sleep(away_s)
    postgres.ensure(site.home)


def without_broker(site: Site, away_s: float) -> None:
    redis.stop(site.home)
    time.sleep(away_s)
    redis.ensure(site.home)


def deploy(site: Site, away_s: float) -> None:
    site.deploy()


FAULTS: dict[str, Callable[[Site, float], None]] = {
    "Redis emptied": flush,
    "database away": without_database,
    "broker away": without_broker,
    "stopped and started again": deploy,
}


def drill(site: Site, away_s: float, faults: Mapping[str, Callable[[Site, float], None]] = FAULTS) -> Iterator[Verdict]:
    """Each fault under a load of its own; at the end everything accepted is looked for."""
    from django.db import connection

    from chat.models import Turn
    from chat.turns.stopping import answer_limit_s
    from documents.models import IngestJob

    base, person = site.new_base("Servers"), site.person()
    person.fill(base)
    loads: dict[str, Load] = {}
    for name, strike in faults.items():
        connection.close()  # ours would be cut too
        with Load(site, base) as loads[name]:
            time.sleep(BEFORE_S)
            strike(site, away_s)
            time.sleep(AFTER_S)
    jobs, turns = IngestJob.objects.filter(document__base=base), Turn.objects.filter(conversation__base=base)
    is_over = wait_for(lambda: have_ended(jobs) and have_ended(turns), PATIENCE_S)
    for name, load in loads.items():
        away = f" for {away_s:.0f} s" if name.startswith(("database", "broker")) else ""
        counts = load.found()
        is_in_time = counts["slowest question"] <= answer_limit_s() + LATE_S
        yield verdict_of(f"{name}{away} under load", GOAL, counts, *NONE, reached=is_over, in_time=is_in_time)
