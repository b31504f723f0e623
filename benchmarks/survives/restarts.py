"""The worker that answers starts again and again with questions waiting: all it makes at first use is made at once."""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import psutil

from benchmarks.survives.parallel import as_bytes, different, ended, recorded
from benchmarks.survives.site import Site, have_ended, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of

AT_ONCE = 8


def drill(site: Site, rounds: int) -> Iterator[Verdict]:
    """Ask each question alone, then all of them of each new worker, before it starts."""
    from chat.models import Turn
    from documents.models import KnowledgeBase

    base, person = site.new_base("Asked of a new worker"), site.person()
    KnowledgeBase.objects.filter(pk=base).update(settings={"ranking": "rules"})  # as in `parallel`
    person.fill(base)
    asked = different(AT_ONCE)
    alone = [recorded(ended(person, base, question)) for question in asked]
    turns: list[str] = []
    is_over = True
    with workers_of_our_own(site) as command:
        for _ in range(rounds):
            waiting = [person.ask(question, knowledge_base_id=base) for question in asked]
            with new_worker(command):
                is_over &= wait_for(partial(have_ended, Turn.objects.filter(pk__in=waiting)))
            turns += waiting
    records = [recorded(turn) for turn in turns]
    of_drill = Turn.objects.filter(pk__in=turns)
    counts = {
        "restarts": rounds,
        "questions": len(turns),
        "failed": of_drill.exclude(state="done").count(),
        "tried more than once": of_drill.filter(attempts__gt=1).count(),
        "other than alone": sum(as_bytes(one) != as_bytes(alone[at % AT_ONCE]) for at, one in enumerate(records)),
    }
    goal = f"{rounds} starts of the worker with {AT_ONCE} questions waiting: all answered, with the bytes of one alone"
    none = ("failed", "tried more than once", "other than alone")
    yield verdict_of("started with questions waiting", goal, counts, *none, reached=is_over and all(alone))


@contextmanager
def workers_of_our_own(site: Site) -> Iterator[list[str]]:
    """End the worker of bin/run, which waits longer each time before it starts one again, and have it wait.

    Yields how it was started.
    """
    program = psutil.Process(site.running.process.pid)
    program.send_signal(signal.SIGSTOP)
    try:
        [worker] = [each for each in program.children() if "ask@%h" in each.cmdline()]
        command = worker.cmdline()
        worker.kill()
        yield command
    finally:
        program.send_signal(signal.SIGCONT)


@contextmanager
def new_worker(command: Sequence[str]) -> Iterator[None]:
    """A worker that is killed at the end."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as made:
        try:
            yield
        finally:
            os.killpg(made.pid, signal.SIGKILL)
