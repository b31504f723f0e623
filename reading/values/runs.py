"""What follows on each other in a row of things, kept together."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def split_runs(items: Iterable[Item], goes_on: Callable[[list[Item], Item], bool]) -> Iterator[list[Item]]:
    """The items in order, as runs: a run goes on with the next item where that is said of the two; none is empty."""
    run: list[Item] = []
    for item in items:
        if run and not goes_on(run, item):
            yield run
            run = []
        run.append(item)
    if run:
        yield run
