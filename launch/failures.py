"""Failed tests of a run: their names with the first line of the error, and which of them fail again alone."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

MOST_STARVED = 3  # more than these in one run, and the machine is no excuse
LINE = 200  # characters of an error that are told
PREPARING = "before the test"  # a fixture failed


def read_failures(report: Path) -> dict[str, str]:
    """The name of each test or file that failed, with the first line of its error.

    `report` has a JSON object a line, as pytest-reportlog writes them; it is absent where pytest could not begin.
    """
    if not report.exists():
        return {}
    lines = report.read_text(encoding="utf-8").splitlines()
    return dict(_failures(json.loads(line) for line in lines))


def _failures(entries: Iterator[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.get("outcome") == "failed":
            told = entry.get("longrepr")
            start = f"{PREPARING}{_place(told)}: " if entry.get("when") == "setup" else ""
            yield entry["nodeid"], start + _first_line(told)


def _place(told: Any) -> str:
    """Where the outermost of the functions that failed stood, which of a fixture is its own line."""
    entries = told["reprtraceback"]["reprentries"] if isinstance(told, dict) else []
    place = entries[0]["data"].get("reprfileloc") if entries else None
    return f", {place['path']}:{place['lineno']}" if place else ""


def _first_line(told: Any) -> str:
    """The message of an exception where pytest says it, else the last line of what it prints."""
    crash = told.get("reprcrash") if isinstance(told, dict) else None
    lines = crash["message"].strip().splitlines()[:1] if crash else str(told).strip().splitlines()[-1:]
    return "".join(lines)[:LINE]


def late_drills(told: Path) -> dict[str, str]:
    """The drills that failed, each as part and name, with what was measured; none if one failed that was in time.

    `told` is what `benchmarks survives --out` has written; it is absent where the drills could not go on.
    """
    if not told.exists():
        return {}
    verdicts = json.loads(told.read_text(encoding="utf-8"))["verdicts"]
    failed = [each for each in verdicts if each["holds"] is False]
    if not all(each["is_late"] for each in failed):
        return {}
    return {f"{each['part']} ({each['drill']})": each["measured"][:LINE] for each in failed}


def by_cause(failed: dict[str, str]) -> list[Sequence[str]]:
    """The names of failed tests: those of one fixture that failed for all of them together, every other alone."""
    causes: dict[str, list[str]] = {}
    for name, error in failed.items():
        causes.setdefault(error if error.startswith(PREPARING) else name, []).append(name)
    return list(causes.values())


def tell_failures(broken: dict[str, str], starved: dict[str, str]) -> Iterator[str]:
    """A line for each cause: the last ones of a run."""
    for names in by_cause(starved):
        yield f"STARVED {_names(names)}: passed alone, after: {starved[names[0]]}"
    if (count := len(by_cause(starved))) > MOST_STARVED:
        yield f"{count} tests were starved; more than {MOST_STARVED} are a failure."
    for names in by_cause(broken):
        yield f"BROKEN {_names(names)}: {broken[names[0]]}"


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more with the same fixture"
