"""Failed tests of a run: their names with the first line of the error, and which of them fail again alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_STARVED = 3  # more than these in one run, and the machine is no excuse
LINE = 200  # characters of an error that are told


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
            yield entry["nodeid"], _first_line(entry.get("longrepr"))


def _first_line(told: Any) -> str:
    """The message of an exception where pytest says it, else the last line of what it prints."""
    crash = told.get("reprcrash") if isinstance(told, dict) else None
    lines = crash["message"].strip().splitlines()[:1] if crash else str(told).strip().splitlines()[-1:]
    return "".join(lines)[:LINE]


def tell_failures(broken: dict[str, str], starved: dict[str, str]) -> Iterator[str]:
    """A line for each: the last ones of a run."""
    for name, error in starved.items():
        yield f"STARVED {name}: passed alone, after: {error}"
    if len(starved) > MOST_STARVED:
        yield f"{len(starved)} tests were starved; more than {MOST_STARVED} are a failure."
    for name, error in broken.items():
        yield f"BROKEN {name}: {error}"
