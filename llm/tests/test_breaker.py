"""The circuit breaker on a clock of its own, with its state in the real Redis."""

import os
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from llm.breaker import FAILURES_MAX, PAUSE_S, WINDOW_S, Breaker

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def fresh(clock: Clock | None = None) -> Breaker:
    """The breaker of a server that nobody has asked."""
    return Breaker(f"http://{uuid.uuid4()}.example/v1", clock or Clock())


def opened() -> tuple[Breaker, Clock]:
    clock = Clock()
    breaker = fresh(clock)
    for _ in range(FAILURES_MAX):
        breaker.failed()
    return breaker, clock


def test_it_stays_closed_below_the_limit() -> None:
    breaker = fresh()
    for _ in range(FAILURES_MAX - 1):
        breaker.failed()
    assert breaker.allows()


def test_it_opens_at_the_limit() -> None:
    assert not opened()[0].allows()


def test_it_forgets_failures_that_are_long_past() -> None:
    clock = Clock()
    breaker = fresh(clock)
    for _ in range(FAILURES_MAX * 2):
        breaker.failed()
        clock.now += WINDOW_S / (FAILURES_MAX - 2)
    assert breaker.allows()


def test_it_forgets_failures_after_a_success() -> None:
    breaker = fresh()
    for _ in range(FAILURES_MAX - 1):
        breaker.failed()
    breaker.succeeded()
    breaker.failed()
    assert breaker.allows()


def test_it_lets_one_probe_through_after_the_pause() -> None:
    breaker, clock = opened()
    clock.now += PAUSE_S
    assert [breaker.allows(), breaker.allows()] == [True, False]


def test_it_closes_when_the_probe_succeeds() -> None:
    breaker, clock = opened()
    clock.now += PAUSE_S
    breaker.allows()
    breaker.succeeded()
    assert breaker.allows() and breaker.allows()


def test_it_opens_again_when_the_probe_fails() -> None:
    breaker, clock = opened()
    clock.now += PAUSE_S
    breaker.allows()
    breaker.failed()
    clock.now += PAUSE_S - 1
    assert not breaker.allows()


def test_it_lets_another_probe_through_when_one_was_stopped() -> None:
    breaker, clock = opened()
    clock.now += PAUSE_S
    breaker.allows()
    breaker.abandoned()
    assert breaker.allows()


def test_a_failure_before_a_success_is_not_counted_again() -> None:
    clock = Clock()
    breaker = fresh(clock)
    for _ in range(3):
        for _ in range(FAILURES_MAX - 1):
            breaker.failed()
        assert breaker.allows()
        breaker.succeeded()
        clock.now += 1


# ---- several processes

ELSEWHERE = """
import sys, django
django.setup()
from llm.breaker import Breaker
breaker = Breaker(sys.argv[1], clock=lambda: 1000.0)
for _ in range(int(sys.argv[2])):
    breaker.failed()
print(breaker.allows())
"""


def ask_elsewhere(server: str, failures: int) -> bool:
    """Let a process of its own see a server fail so often; return whether it would ask once more."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    program = [sys.executable, "-c", ELSEWHERE, server, str(failures)]
    told = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return told.stdout.split()[-1] == "True"


def test_what_several_processes_see_is_counted_together() -> None:
    """L8: each sees fewer failures than open a breaker."""
    server = f"http://{uuid.uuid4()}.example/v1"
    here = Breaker(server, clock=lambda: 1000.0)  # a process of its own takes its time to start
    for _ in range(3):
        here.failed()
    assert here.allows() and not ask_elsewhere(server, FAILURES_MAX - 3)
    assert not here.allows()
    here.succeeded()
    assert ask_elsewhere(server, 0)


def test_one_process_alone_sends_the_probe() -> None:
    server, clock = f"http://{uuid.uuid4()}.example/v1", Clock()
    breakers = [Breaker(server, clock) for _ in range(16)]
    for _ in range(FAILURES_MAX):
        breakers[0].failed()
    clock.now += PAUSE_S
    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(lambda breaker: breaker.allows(), breakers)) == 1


def test_an_outage_of_five_minutes_costs_few_calls() -> None:
    """L8: twenty people who ask every five seconds, in four processes, and at most 25 calls."""
    server, clock = f"http://{uuid.uuid4()}.example/v1", Clock()
    processes = [Breaker(server, clock) for _ in range(4)]
    calls = 0
    for _ in range(300 // 5):
        for person in range(20):
            if processes[person % 4].allows():
                calls += 1
                processes[person % 4].failed()
        clock.now += 5
    assert calls == FAILURES_MAX + 300 // 30 - 1
