"""The circuit breaker on a clock of its own."""

from llm.breaker import FAILURES_MAX, PAUSE_S, WINDOW_S, Breaker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def opened() -> tuple[Breaker, Clock]:
    clock = Clock()
    breaker = Breaker(clock)
    for _ in range(FAILURES_MAX):
        breaker.failed()
    return breaker, clock


def test_it_stays_closed_below_the_limit() -> None:
    breaker = Breaker(Clock())
    for _ in range(FAILURES_MAX - 1):
        breaker.failed()
    assert breaker.allows()


def test_it_opens_at_the_limit() -> None:
    assert not opened()[0].allows()


def test_it_forgets_failures_that_are_long_past() -> None:
    clock = Clock()
    breaker = Breaker(clock)
    for _ in range(FAILURES_MAX * 2):
        breaker.failed()
        clock.now += WINDOW_S / (FAILURES_MAX - 2)
    assert breaker.allows()


def test_it_forgets_failures_after_a_success() -> None:
    breaker = Breaker(Clock())
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
