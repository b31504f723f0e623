"""No test begins in the last minute of a day: what many make as of today, they look for by the day a moment later."""

DAY_S, LAST_S = 86_400, 60


def seconds_to_wait(now: float) -> float:
    """Until a test may begin that would at this moment of Unix time."""
    left = DAY_S - now % DAY_S
    return left if left <= LAST_S else 0.0
