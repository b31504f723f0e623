"""The parent of each passage: the whole section around it, up to a size; kept to be read, not embedded (R74, R90, R91).

It has at most 2,048 tokens. A table, list or definition is one passage up to that size.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from reading.rows import FRONT_INDEX, LineRow, TocRow

PARENT_TOKENS = 2_048  # R90

Lines = tuple[int, int]  # first and last line, inclusive


def parents_of(
    groups: Sequence[Sequence[LineRow]],
    toc: Sequence[TocRow],
    lines: Sequence[LineRow],
    tokens_of: Callable[[LineRow], int],
) -> list[Lines]:
    """For each passage the lines of its parent: the widest section around it that has at most PARENT_TOKENS.

    A longer section is divided into parts of its passages. The only section of the first level is the document, and
    no parent. A passage across sections, of a base that is not cut by section, is its own.
    """
    numbers = [line.number for line in lines]
    before = list(accumulate((tokens_of(line) for line in lines), initial=0))

    def size(first: int, last: int) -> int:
        return before[bisect_right(numbers, last)] - before[bisect_left(numbers, first)]

    sections = widest_sections(toc, size)
    parents: list[Lines] = []
    part: list[int] = []  # the passages of the last part of a section that is too long
    for place, group in enumerate(groups):
        first, last = group[0].number, group[-1].number
        section = sections.get(group[0].toc_index)
        if group[-1].toc_index != group[0].toc_index:
            section = (first, last)
        if section:
            parents.append(section)
            part = []
            continue
        is_same = part and groups[part[0]][0].toc_index == group[0].toc_index
        if not (is_same and size(groups[part[0]][0].number, last) <= PARENT_TOKENS):
            part = []
        part.append(place)
        parents.append((first, last))
        for inner in part:
            parents[inner] = (groups[part[0]][0].number, last)
    return parents


def widest_sections(toc: Sequence[TocRow], size: Callable[[int, int], int]) -> dict[int, Lines]:
    """By TOC index, the widest section with that entry that is small enough; those too long themselves are left out."""
    by_index = {entry.index: entry for entry in toc}
    is_alone = sum(entry.level == 1 and entry.index != FRONT_INDEX for entry in toc) == 1
    found: dict[int, Lines] = {}
    for entry in toc:
        around: TocRow | None = entry
        while around is not None and size(around.first_line, around.last_line) <= PARENT_TOKENS:
            if around.level == 1 and is_alone and around is not entry:
                break
            found[entry.index] = (around.first_line, around.last_line)
            around = by_index.get(around.parent_index) if around.parent_index is not None else None
    return found
