"""Marks that are printed over the text of several pages: the same words at the same place, across other lines."""

from collections import defaultdict
from collections.abc import Sequence

from reading.layout.furniture import count_needed
from reading.layout.lines import PageLine

PLACE_PT = 2.0  # copies are set at the same place, to so many points
WIDTH_SHARE = 0.2  # of the narrower one: that much of two lines lies one above the other


def mark_overprinted(pages: Sequence[Sequence[PageLine]]) -> None:
    """Set kind "watermark" on lines that return at one place and lie across other lines on most of their pages.

    Of two that return, as on a form, the larger is the mark.
    """
    count_min = count_needed(len(pages))
    returning = [alike for alike in copies_of(pages) if len(alike) >= count_min]
    known = {id(line) for alike in returning for line in alike.values()}
    for alike in returning:
        crossed = sum(
            any(lies_across(line, other) for other in pages[index] if id(other) not in known or other.size < line.size)
            for index, line in alike.items()
        )
        if 2 * crossed > len(alike) and crossed >= count_min:
            for line in alike.values():
                line.kind = "watermark"


def copies_of(pages: Sequence[Sequence[PageLine]]) -> list[dict[int, PageLine]]:
    """The lines with the same text at the same place, by the index of their page."""
    copies: dict[tuple[str, int, int], dict[int, PageLine]] = defaultdict(dict)
    for index, lines in enumerate(pages):
        for line in lines:
            if line.kind == "body":
                copies[line.text, round(line.x0 / PLACE_PT), round(line.y0 / PLACE_PT)].setdefault(index, line)
    return list(copies.values())


def lies_across(line: PageLine, other: PageLine) -> bool:
    """Whether another line is printed through a line: the middle of its letters within it, and over some width."""
    middle = (other.y0 + other.y1) / 2
    if other is line or other.kind == "watermark" or not line.y0 < middle < line.y1:
        return False
    shared = min(line.x1, other.x1) - max(line.x0, other.x0)
    return shared > WIDTH_SHARE * min(line.x1 - line.x0, other.x1 - other.x0)
