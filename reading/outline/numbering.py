"""The printed numbers of headings: which one follows which, and which count up."""

from collections.abc import Sequence

from reading.layout.kinds import numbering_of
from reading.layout.lines import PageLine

NUMBER_SKIP = 2  # one heading of a series may have been missed
SERIES_MIN = 4  # headings that count up


def series_of(lines: Sequence[PageLine]) -> set[int]:
    """Headings that count up one by one with the same word before the number ("Note 1", "Note 2", …)."""
    runs: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    series: set[int] = set()
    for index, line in enumerate(lines):
        if line.kind != "heading":
            continue
        word, _, number = numbering_of(line.text)[0].lower().rpartition(" ")
        if not number.isdigit():
            continue
        step = int(number) - last.get(word, 0)
        if step == 1 and word in runs or 1 < step <= NUMBER_SKIP and len(runs.get(word, ())) > 1:
            runs[word].append(index)
        elif number == "1":
            runs[word] = [index]
        else:
            continue
        last[word] = int(number)
        if len(runs[word]) >= SERIES_MIN:
            series.update(runs[word])
    return series


def number_key(number: str) -> tuple[str, ...]:
    """The parts of a printed number without the word before it; () if there is none."""
    words = number.lower().split()
    return tuple(part for part in words[-1].split(".") if part) if words else ()


def is_next(key: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether a number may follow another: deeper with a first part, or the next one (or one further) of a level."""
    steps = [int(part) if part.isdigit() else -1 for part in key]
    before = [int(part) if part.isdigit() else -1 for part in last]
    for depth, (step, was) in enumerate(zip(steps, before, strict=False)):
        if step != was:
            return depth > 0 and 0 < step - was <= NUMBER_SKIP and len(steps) == depth + 1
    return len(steps) == len(before) + 1 and steps[-1] in (0, 1)
