"""The tree beside a page: whole while it is short, folded around the current section when it is long."""

import pytest

from documents.pages.contents_tree import ENTRIES_MAX, Tree, tree_of
from reading.rows import TocRow


def toc_with(levels: list[int]) -> list[TocRow]:
    fields = dict.fromkeys(TocRow._fields, 0)
    titled = {"title": "", "number": "", "breadcrumb": "", "origin": "outline"}
    return [
        TocRow(**(fields | titled | {"index": index, "level": level, "title": f"Entry {index}"}))  # type: ignore[arg-type]
        for index, level in enumerate(levels)
    ]


def shown(tree: Tree) -> list[int]:
    return [section.entry.index for section in tree.sections]


BOOK = [1, *([2, *[3] * 9] * 10)] * 20  # 20 chapters of 10 sections of 9 parts: 2,020 entries


def test_a_short_tree_is_whole() -> None:
    toc = toc_with([1, 2, 2, 1])
    tree = tree_of(toc, toc[2])
    assert shown(tree) == [0, 1, 2, 3] and tree.count == 4 and tree.before is tree.after is None
    assert [section.is_current for section in tree.sections] == [False, False, True, False]
    assert all(section.folded == 0 for section in tree.sections)


def test_a_long_tree_is_folded_around_the_current_section() -> None:
    toc = toc_with(BOOK)
    current = toc[5 * 101 + 2 * 10 + 4]  # chapter 6, section 3, a part of it
    tree = tree_of(toc, current)
    levels = [section.entry.level for section in tree.sections]
    assert (levels.count(1), levels.count(2), levels.count(3)) == (20, 10, 9)
    assert [section.entry for section in tree.sections if section.is_current] == [current]
    assert sum(section.folded for section in tree.sections) + len(tree.sections) == tree.count == 2020


def test_a_chapter_opens_what_it_holds() -> None:
    toc = toc_with(BOOK)
    levels = [section.entry.level for section in tree_of(toc, toc[101]).sections]
    assert (levels.count(1), levels.count(2), levels.count(3)) == (20, 10, 0)


@pytest.mark.parametrize("place", [0, 7, 1500, 2999])
def test_a_flat_list_shows_a_window_with_ways_on(place: int) -> None:
    toc = toc_with([1] * 3000)
    tree = tree_of(toc, toc[place])
    assert len(tree.sections) == ENTRIES_MAX and toc[place] in [section.entry for section in tree.sections]
    assert (tree.before is None) == (shown(tree)[0] == 0) and (tree.after is None) == (shown(tree)[-1] == 2999)


@pytest.mark.parametrize("levels", [[], [3, 1, 2], [2] * 400 + [1], [4, 3, 2, 1] * 100])
def test_it_takes_every_order_of_levels(levels: list[int]) -> None:
    toc = toc_with(levels)
    for current in (None, *toc[::97]):
        tree = tree_of(toc, current)
        assert len(tree.sections) <= ENTRIES_MAX and tree.count == len(levels)
