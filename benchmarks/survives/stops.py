"""The database keeps questions waiting without end, and Stop is pressed: each ends at once and is on record."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from benchmarks.survives.site import Person, Site, have_ended, wait_for
from benchmarks.survives.sources import questions
from benchmarks.survives.verdicts import Verdict, verdict_of

AT_WORK = 4  # as many as the worker has threads
GOAL_S = 3.0


class KeptWaiting(NamedTuple):
    """As many questions as can be worked on, each of which waits for the database."""

    person: Person
    base: UUID
    turns: Any
    are_at_work: bool

    def is_next_answered(self) -> bool:
        from chat.models import Turn

        last = Turn.objects.filter(pk=self.person.ask(questions(1)[0], knowledge_base_id=self.base))
        return wait_for(lambda: last.filter(state="done").exists())


@contextmanager
def kept_waiting(site: Site) -> Iterator[KeptWaiting]:
    """Ask as many as can be worked on while nobody else may read a passage, until the block ends."""
    from chat.models import Turn
    from documents.models import Passage

    base, person = site.new_base("Kept waiting"), site.person()
    person.fill(base)
    with psycopg.connect(site.extra["DATABASE_URL"]) as other:
        other.execute(f"LOCK TABLE {Passage._meta.db_table}")
        turns = Turn.objects.filter(pk__in=[person.ask(each, knowledge_base_id=base) for each in questions(AT_WORK)])
        are_at_work = wait_for(lambda: turns.filter(state="running").count() == AT_WORK)
        time.sleep(GOAL_S)  # whatever they do not wait for is behind them
        yield KeptWaiting(person, base, turns, are_at_work)


def drill(
    site: Site, name: str = "stopped", beside: Callable[[Site], AbstractContextManager[object]] = nullcontext
) -> Iterator[Verdict]:
    """Stop questions that wait, `beside` something that is wrong meanwhile, and ask once more."""
    with kept_waiting(site) as kept, beside(site):
        began = time.monotonic()
        stop = [f"/api/v1/turns/{key}/stop" for key in kept.turns.values_list("pk", flat=True)]
        taken = [kept.person.send("POST", each).status_code for each in stop]
        is_over = wait_for(lambda: have_ended(kept.turns))
        seconds = round(time.monotonic() - began, 1)
    asked_at = time.monotonic()
    is_answered = kept.is_next_answered()
    states = list(kept.turns.values_list("state", flat=True))
    counts = {
        "seconds": seconds,
        "until the next is answered": round(time.monotonic() - asked_at, 1),
        "states": states,
        "without a record": kept.turns.filter(run=None).count(),
        "not taken": [status for status in taken if status != 202],
    }
    goal = f"{AT_WORK} questions that wait for the database end within {GOAL_S:.0f} s of Stop, and the next is answered"
    is_reached = kept.are_at_work and is_over and is_answered and states == ["stopped"] * AT_WORK
    yield verdict_of(name, goal, counts, "without a record", "not taken", reached=is_reached, in_time=seconds <= GOAL_S)
