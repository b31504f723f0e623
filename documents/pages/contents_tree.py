"""The table of contents beside a page: whole, or folded to the entries around the current section."""

from collections.abc import Sequence
from dataclasses import dataclass

from reading.rows import TocRow

ENTRIES_MAX = 300  # beyond that the tree is heavier than the page, and nobody reads it
DEPTH_MAX = 4


@dataclass(frozen=True)
class Section:
    """A TOC entry in the tree; its `folded` entries are hidden until one is opened."""

    entry: TocRow
    depth: int
    is_current: bool
    folded: int = 0
    name: str = ""  # beside its title, where that alone says nothing

    @property
    def title(self) -> str:
        return self.name or self.entry.title

    @property
    def number(self) -> str:
        """The printed number, unless the title repeats it."""
        return "" if self.entry.title.startswith(self.entry.number) else self.entry.number


@dataclass(frozen=True)
class Tree:
    """The shown sections, the total, and the entries that lead to what is before and after them."""

    sections: tuple[Section, ...]
    count: int
    before: TocRow | None = None
    after: TocRow | None = None


def tree_of(toc: Sequence[TocRow], current: TocRow | None) -> Tree:
    """The whole tree of a document, or of a long one the part around the current section."""
    entries = [entry for entry in toc if entry.origin != "front" or len(toc) == 1]
    place = next((index for index, entry in enumerate(entries) if entry is current), 0)
    open_places = range(len(entries)) if len(entries) <= ENTRIES_MAX else find_open_places(entries, place)
    first, end = window(open_places, place)
    shown = open_places[first:end]
    following = [*open_places[first + 1 : end + 1], len(entries)][: len(shown)]
    return Tree(
        sections=tuple(
            Section(entries[index], min(entries[index].level, DEPTH_MAX), entries[index] is current, after - index - 1)
            for index, after in zip(shown, following, strict=True)
        ),
        count=len(entries),
        before=entries[open_places[first - 1]] if first else None,
        after=entries[open_places[end]] if end < len(open_places) else None,
    )


def find_open_places(entries: Sequence[TocRow], place: int) -> Sequence[int]:
    """The indexes of the top level, the path to `place`, its neighbours and its children."""
    if not entries:
        return ()
    top = min(entry.level for entry in entries)
    open_places = {index for index, entry in enumerate(entries) if entry.level == top}
    open_places |= children(entries, place)
    while entries[place].level > top:
        parent = parent_of(entries, place)
        if parent is None:
            break
        open_places |= children(entries, parent) | {place}
        place = parent
    return sorted(open_places | {place})


def parent_of(entries: Sequence[TocRow], place: int) -> int | None:
    level = entries[place].level
    return next((index for index in range(place - 1, -1, -1) if entries[index].level < level), None)


def children(entries: Sequence[TocRow], place: int) -> set[int]:
    """The indexes of an entry's children: the lowest level inside it, and deeper ones without a parent there."""
    found: set[int] = set()
    level, ceiling = entries[place].level, 0
    for index in range(place + 1, len(entries)):
        if entries[index].level <= level:
            break
        if not found or entries[index].level <= ceiling:
            found.add(index)
            ceiling = entries[index].level
    return found


def window(open_places: Sequence[int], place: int) -> tuple[int, int]:
    """[first, end) of the shown indexes around one; a flat list of thousands of entries has no folds."""
    if len(open_places) <= ENTRIES_MAX:
        return 0, len(open_places)
    nearest = next((index for index, each in enumerate(open_places) if each >= place), len(open_places) - 1)
    first = max(0, min(nearest - ENTRIES_MAX // 2, len(open_places) - ENTRIES_MAX))
    return first, first + ENTRIES_MAX
