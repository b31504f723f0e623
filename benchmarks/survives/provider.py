"""A model's provider that fails in every way, and one that is away while many people ask."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from benchmarks.survives.site import TURN_DEADLINE_S, Person, Site, have_ended, wait_for
from benchmarks.survives.sources import questions
from benchmarks.survives.verdicts import Verdict, verdict_of

FAULTS = (
    *("error-500", "overloaded", "rate-limited", "rate-limited-long", "no-quota", "unauthorized", "redirect"),
    *("html", "garbage", "null", "empty", "huge", "stream-cut", "body-cut", "stream-error"),
    *("hang", "drip", "drip-headers"),
)
USERS, CALLS_MAX = 20, 25
PAUSE_S = 1.0  # of a person between an answer and the next question


def drill(site: Site, outage_s: float) -> Iterator[Verdict]:
    """One question under each fault, then everybody asks while the provider is away."""
    base, person = site.new_base("Provider"), site.person()
    person.fill(base)
    try:
        yield under_faults(site, base, person)
        yield while_away(site, base, outage_s)
    finally:
        site.model.behaviour = "good"
        let_again(site)


def let_again(site: Site) -> None:
    """Let the installation ask its provider again at once, so that every fault is met."""
    from llm.breaker import Breaker

    Breaker(site.model.base_url).succeeded()


def under_faults(site: Site, base: UUID, person: Person) -> Verdict:
    ended: dict[str, float] = {}
    states: Counter[str] = Counter()
    before = len(site.model.requests)
    for fault, question in zip(FAULTS, questions(len(FAULTS)), strict=True):
        let_again(site)
        site.model.behaviour = fault
        turn = person.ask(question, knowledge_base_id=base)
        state, ended[fault] = ending_of(turn)
        states[state] += 1
    met = {request.behaviour for request in site.model.requests[before:]}
    late = [fault for fault, seconds in ended.items() if seconds > TURN_DEADLINE_S]
    counts: dict[str, Any] = {
        "faults": len(FAULTS),
        "states": dict(states),
        "slowest": max(ended.items(), key=lambda each: each[1]),
        "late": late,
        "without an answer": states.total() - states["done"],
        "faults that were not met": sorted(set(FAULTS) - met),
    }
    goal = f"{len(FAULTS)} faults of a provider: every question has an answer within {TURN_DEADLINE_S:.0f} s"
    return verdict_of("faults of the provider", goal, counts, *list(counts)[4:], in_time=not late)


def ending_of(turn_id: str) -> tuple[str, float]:
    """The state in which a question ended, and the seconds from being asked to that."""
    from chat.models import Turn

    turns = Turn.objects.filter(pk=turn_id)
    wait_for(lambda: have_ended(turns), 3 * TURN_DEADLINE_S)
    turn = turns.get()
    return turn.state, round((turn.ended_at - turn.created_at).total_seconds(), 1) if turn.ended_at else float("inf")


def while_away(site: Site, base: UUID, outage_s: float) -> Verdict:
    """Twenty people ask one question after the other as long as the provider is away."""
    site.model.behaviour = "overloaded"
    let_again(site)
    before, until = len(site.model.requests), time.monotonic() + outage_s
    users = [site.new_member(base, f"reader{number}@example.org", "viewer") for number in range(USERS)]
    people = [site.person(user) for user in users]
    ended: list[tuple[str, float]] = []
    threads = [threading.Thread(target=keep_asking, args=(person, base, until, ended)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts: dict[str, Any] = {
        "people": len(people),
        "questions": len(ended),
        "states": dict(Counter(state for state, _ in ended)),
        "slowest": max(seconds for _, seconds in ended),
        "calls": len(site.model.requests) - before,
        "late": sum(seconds > TURN_DEADLINE_S for _, seconds in ended),
        "without an answer": sum(state != "done" for state, _ in ended),
    }
    goal = (
        f"{USERS} people ask for {outage_s:.0f} s of outage: every question has an answer within "
        f"{TURN_DEADLINE_S:.0f} s, at most {CALLS_MAX} calls to the provider"
    )
    is_spared = 0 < counts["calls"] <= CALLS_MAX and len(ended) >= USERS
    in_time = not counts["late"]
    return verdict_of("provider away", goal, counts, "without an answer", reached=is_spared, in_time=in_time)


def keep_asking(person: Person, base: UUID, until: float, ended: list[tuple[str, float]]) -> None:
    from django.db import connection

    try:
        for question in questions(10_000):
            ended.append(ending_of(person.ask(question, knowledge_base_id=base)))
            if time.monotonic() > until:
                return
            time.sleep(PAUSE_S)
    finally:
        connection.close()
