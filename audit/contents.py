"""The table of contents as the arbiter saw it, with how many candidates lie in each section."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.models import RetrievalRun, RunCandidate

ENTRY = re.compile(r"(?P<indent> *)\[(?P<index>\d+)\] (?P<text>.+)")
INDENT = 2  # spaces a level
LEVEL_MAX = 3  # deeper entries are set like the third level


@dataclass(frozen=True)
class Entry:
    """One line of it. `candidates` lie in this section itself, not in its sub-sections."""

    text: str
    level: int
    candidates: int


@dataclass(frozen=True)
class Contents:
    entries: tuple[Entry, ...]
    why_none: str = ""


def read_contents(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Contents:
    """The stored text line by line; a line that names no section is shown as it is."""
    if not run.toc_shown.strip():
        return Contents((), "no table of contents was found, or the arbiter was not asked")
    counts = Counter(candidate.toc_index for candidate in candidates)
    return Contents(tuple(read_entry(line, counts) for line in run.toc_shown.splitlines() if line.strip()))


def read_entry(line: str, counts: Counter[int]) -> Entry:
    found = ENTRY.fullmatch(line)
    if found is None:
        return Entry(line, 1, 0)
    level = min(len(found["indent"]) // INDENT + 1, LEVEL_MAX)
    return Entry(found["text"], level, counts[int(found["index"])])
