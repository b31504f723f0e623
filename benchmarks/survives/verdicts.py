"""What a drill was to reach, what it reached, and whether that is enough."""

from dataclasses import asdict, dataclass
from typing import Any

WORDS = {True: "holds", False: "FAILS", None: "not tried"}
TEMPORARY = frozenset({503, 507})  # what a server may say whose database, broker or disk is away


@dataclass(frozen=True)
class Verdict:
    """One drill. `holds` is None where it could not be tried, and `measured` says why.

    `is_late` is of one that fails by the clock alone, which may be the machine's fault. `part` is its name in `--part`.
    """

    drill: str
    goal: str
    measured: str
    holds: bool | None
    is_late: bool = False
    part: str = ""


def verdict_of(
    drill: str, goal: str, counts: dict[str, Any], *must_be_none: str, reached: bool = True, in_time: bool = True
) -> Verdict:
    """Holds if it was `reached` `in_time` and every count that must be none is 0 or empty; all counts are told."""
    told = ", ".join(f"{name}: {count}" for name, count in counts.items())
    is_right = reached and not any(counts[name] for name in must_be_none)
    return Verdict(drill, goal, told, is_right and in_time, is_late=is_right and not in_time)


def server_errors(statuses: list[int]) -> list[int]:
    """The statuses of answers that are a fault of ours, whatever was away."""
    return [status for status in statuses if status >= 500 and status not in TEMPORARY]


def is_any_failed(figures: dict[str, Any]) -> bool:
    return any(verdict["holds"] is False for verdict in figures["verdicts"])


def as_figures(verdicts: list[Verdict]) -> list[dict[str, Any]]:
    return [asdict(verdict) for verdict in verdicts]


def print_verdicts(figures: dict[str, Any]) -> None:
    """A paragraph for each drill: verdict and name, goal, measured."""
    for verdict in figures["verdicts"]:
        print(f"{WORDS[verdict['holds']]:9}  {verdict['drill']}")
        print(f"{'':9}  goal: {verdict['goal']}")
        print(f"{'':9}  measured: {verdict['measured']}\n")
    tried = [verdict["holds"] for verdict in figures["verdicts"]]
    print(f"{tried.count(True)} hold, {tried.count(False)} fail, {tried.count(None)} not tried; {figures['seconds']} s")
