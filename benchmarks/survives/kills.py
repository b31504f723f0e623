"""Processes are killed while documents are read and questions answered, chosen by who holds the lease of the work."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import psutil

from benchmarks.survives.site import ENDED, PATIENCE_S, Site, have_ended, wait_for
from benchmarks.survives.sources import Source, healthy, questions
from benchmarks.survives.verdicts import Verdict, verdict_of

KINDS = ("child", "process", "group")
OF_THREADS = ("process", "group")  # what answers questions has no process for each
PAUSE_S = (0.3, 1.5)  # between two kills
LOOK_EVERY_S = 0.1
STUCK_S = 3600.0
FIRST = 100  # number of the first document
GOAL = "all end by themselves within 180 s of the last kill, none lost, none doubled"


@dataclass
class Killing:
    """The kills among the workers of one kind of job, made by a thread of its own."""

    site: Site
    jobs: Any  # the rows that the drill works on
    expected: int  # how many there will be
    wanted: int
    spread: float  # how much of the work is done when the last kill is made
    kinds: tuple[str, ...]
    chance: random.Random
    has_all: threading.Event = field(default_factory=threading.Event)  # no more jobs come
    made: Counter[str] = field(default_factory=Counter)
    last_at: float = 0.0

    def run(self) -> None:
        from django.db import connection

        until = time.monotonic() + STUCK_S
        try:
            while self.made.total() < self.wanted and time.monotonic() < until:
                if self.has_all.is_set() and have_ended(self.jobs):
                    return
                if self.is_due() and self.kill_one():
                    time.sleep(self.chance.uniform(*PAUSE_S))
                else:
                    time.sleep(LOOK_EVERY_S)
        finally:
            connection.close()

    def is_due(self) -> bool:
        """Kills are spread over the work, so that what is left after the last is what it hit, and little else."""
        ended: int = self.jobs.filter(state__in=ENDED).count()
        return ended >= self.spread * self.expected * self.made.total() / self.wanted

    def kill_one(self) -> bool:
        """Kill what works on one of the jobs; whether there was one.

        What had its last attempt is spared: three kills of one job end it, and that is meant.
        """
        from django.conf import settings

        running = list(self.jobs.filter(state="running").values_list("lease_owner", "attempts"))
        spared = {pid_of(owner) for owner, attempts in running if attempts >= settings.ATTEMPTS_MAX}
        # A lease outlives its process, and the number may be somebody else's by now.
        pids = sorted({pid_of(owner) for owner, _ in running} & self.site.processes())
        self.chance.shuffle(pids)
        kind = self.kinds[self.made.total() % len(self.kinds)]
        for pid in pids:
            with suppress(psutil.NoSuchProcess, ProcessLookupError):
                if not spared & reach_of(pid, kind):
                    kind = strike(pid, kind)
                    self.made[kind] += 1
                    self.last_at = time.time()
                    return True
        return False


def pid_of(owner: str) -> int:
    return int(owner.split(":")[1])


def group_of(pid: int) -> set[int]:
    """The processes of a worker: the launcher gives each a group of its own."""
    group = os.getpgid(pid)
    return {one for one in psutil.pids() if is_in(one, group)}


def is_in(pid: int, group: int) -> bool:
    with suppress(ProcessLookupError):
        return os.getpgid(pid) == group
    return False


def reach_of(pid: int, kind: str) -> set[int]:
    """The processes whose work a kill stops."""
    return group_of(pid) if kind == "group" else {pid}


def strike(pid: int, kind: str) -> str:
    """Kill a process that opens a file for this one, this one, or its whole group; say which it was."""
    copies = psutil.Process(pid).children(recursive=True)
    if kind == "child" and copies:
        copies[-1].kill()
        return kind
    if kind == "group":
        os.killpg(os.getpgid(pid), signal.SIGKILL)
        return kind
    os.kill(pid, signal.SIGKILL)
    return "process"


@dataclass
class Kills:
    """Both drills, begun at once; `verdicts` waits for their end."""

    site: Site
    documents: int
    asked: int
    of_documents: int
    of_questions: int
    spread: float
    seed: int = 1

    def begin(self) -> None:
        """Upload and ask, and kill until all kills are made."""
        from chat.models import Turn
        from documents.models import IngestJob

        self.person, self.base = self.site.person(), self.site.new_base("Kills")
        asked_base = self.site.new_base("Asked under kills")
        for each in healthy(3):
            self.taken(asked_base, each)
        wait_for(lambda: have_ended(IngestJob.objects.filter(document__base=asked_base)))
        chance = random.Random(self.seed)
        jobs = IngestJob.objects.filter(document__base=self.base)
        turns = Turn.objects.filter(conversation__base=asked_base)
        self.killing = [
            Killing(self.site, jobs, self.documents, self.of_documents, self.spread, KINDS, chance),
            Killing(self.site, turns, self.asked, self.of_questions, self.spread, OF_THREADS, chance),
        ]
        threads = [threading.Thread(target=each.run) for each in self.killing]
        for thread in threads:
            thread.start()
        self.turns = [self.person.ask(text, knowledge_base_id=asked_base) for text in questions(self.asked)]
        self.killing[1].has_all.set()
        sources = healthy(self.documents, first=FIRST, is_new_throughout=True)
        self.sources = {self.taken(self.base, each): each for each in sources}
        self.killing[0].has_all.set()
        for thread in threads:
            thread.join()

    def taken(self, base: UUID, source: Source) -> str:
        outcome = self.person.upload(base, source.name, source.content)
        assert outcome["code"] == "accepted", outcome
        return str(outcome["document_id"])

    def verdicts(self) -> Iterator[Verdict]:
        documents, asked = self.killing
        wait_for(lambda: have_ended(documents.jobs) and have_ended(asked.jobs), 3 * PATIENCE_S)
        counts: dict[str, Any] = {"kills": dict(documents.made), "seconds to the end": seconds_to_end(documents)}
        counts |= {"documents": len(self.sources), **faults_of_documents(self.base, self.sources)}
        in_time = counts["seconds to the end"] <= PATIENCE_S and documents.made.total() == documents.wanted
        goal = f"{self.of_documents} kills in {self.documents} documents: {GOAL}, no healthy file fails"
        yield verdict_of("kills while documents are read", goal, counts, *MUST_BE_NONE, in_time=in_time)
        counts = {"kills": dict(asked.made), "seconds to the end": seconds_to_end(asked)}
        found = faults_of_questions(self.turns)
        in_time = counts["seconds to the end"] <= PATIENCE_S and asked.made.total() == asked.wanted
        goal = f"{self.of_questions} kills in {self.asked} questions: {GOAL}, one run each"
        yield verdict_of(
            "kills while questions are answered",
            goal,
            {**counts, "questions": len(self.turns), **found},
            *found,
            in_time=in_time,
        )


MUST_BE_NONE = ("lost", "failed", "still open", "read twice", "rows doubled or missing", "without vectors")


def seconds_to_end(killing: Killing) -> float:
    """From the last kill to the end of the last job, by the database's own clock."""
    ended = [each.timestamp() for each in killing.jobs.exclude(ended_at=None).values_list("ended_at", flat=True)]
    return round(max(max(ended, default=0.0) - killing.last_at, 0.0), 1)


def faults_of_documents(base: UUID, sources: dict[str, Source]) -> dict[str, Any]:
    """What must be none of documents that were read while their readers died."""
    from documents.models import Document, IngestJob, Parse

    documents = Document.objects.filter(base=base)
    parses = Parse.objects.filter(document__base=base)
    kept = [rows_of(parses, relation) for relation in ("lines", "passages", "embeddings")]
    rows: dict[str, Counter[tuple[int, ...]]] = {}
    for parse in parses.select_related("document"):
        counts = [found[parse.pk] for found in kept]
        told = (parse.page_count, parse.line_count, *counts)
        rows.setdefault(sources[str(parse.document_id)].kind, Counter())[told] += 1
    # By kind the pages, lines said and there, passages and vectors of its copies, each with how many copies have it.
    wrong = {
        kind: dict(found) for kind, found in rows.items() if len(found) > 1 or any(told[1] != told[2] for told in found)
    }
    stored = {str(pk) for pk in documents.values_list("pk", flat=True)}
    return {
        "lost": len(set(sources) - stored) + documents.count() - len(stored & set(sources)),
        "failed": documents.exclude(state="ready").count(),
        "still open": IngestJob.objects.filter(document__base=base, state__in=["queued", "running"]).count(),
        "read twice": parses.count() - documents.exclude(current_parse=None).count(),
        "rows doubled or missing": wrong,
        "without vectors": documents.filter(current_parse__embedded_at=None).count(),
    }


def rows_of(parses: Any, relation: str) -> dict[Any, int]:
    from django.db.models import Count

    return dict(parses.order_by().annotate(kept=Count(relation)).values_list("pk", "kept"))


def faults_of_questions(asked: list[str]) -> dict[str, Any]:
    """What must be none of questions whose answerers died, and of the whole record."""
    from benchmarks.faults import counted
    from chat.models import Turn

    stored = {str(pk) for pk in Turn.objects.values_list("pk", flat=True)}
    return {"lost": len(set(asked) - stored), **counted()["must_be_none"]}
