"""The database keeps questions waiting without end, and Stop is pressed: each ends at once and is on record."""

import time
from collections.abc import Iterator

import psycopg

from benchmarks.survives.site import Site, have_ended, wait_for
from benchmarks.survives.sources import questions
from benchmarks.survives.verdicts import Verdict, verdict_of

AT_WORK = 4  # as many as the worker has threads
GOAL_S = 3.0


def drill(site: Site) -> Iterator[Verdict]:
    """Ask as many as can be worked on while nobody may read a passage, stop them all, and ask once more."""
    from chat.models import Turn
    from documents.models import Passage

    base, person = site.new_base("Kept waiting"), site.person()
    person.fill(base)
    with psycopg.connect(site.extra["DATABASE_URL"]) as other:
        other.execute(f"LOCK TABLE {Passage._meta.db_table}")  # until the block ends nobody else reads one
        asked = [person.ask(question, knowledge_base_id=base) for question in questions(AT_WORK)]
        turns = Turn.objects.filter(pk__in=asked)
        are_at_work = wait_for(lambda: turns.filter(state="running").count() == AT_WORK)
        time.sleep(GOAL_S)  # whatever they do not wait for is behind them
        began = time.monotonic()
        taken = [person.send("POST", f"/api/v1/turns/{turn}/stop").status_code for turn in asked]
        is_over = wait_for(lambda: have_ended(turns))
        seconds = round(time.monotonic() - began, 1)
    last = Turn.objects.filter(pk=person.ask(questions(1)[0], knowledge_base_id=base))
    is_answered = wait_for(lambda: last.filter(state="done").exists())
    states = list(turns.values_list("state", flat=True))
    counts = {
        "seconds": seconds,
        "states": states,
        "without a record": turns.filter(run=None).count(),
        "not taken": [status for status in taken if status != 202],
    }
    goal = f"{AT_WORK} questions that wait for the database end within {GOAL_S:.0f} s of Stop, and the next is answered"
    is_reached = are_at_work and is_over and is_answered and states == ["stopped"] * AT_WORK
    yield verdict_of(
        "stopped", goal, counts, "without a record", "not taken", reached=is_reached, in_time=seconds <= GOAL_S
    )
