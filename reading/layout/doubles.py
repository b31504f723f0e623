"""Words that are drawn twice at one place, as programs do to make them bold: kept once, as bold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from reading.layout.extracted import Span, SpanBlock

BOLD_FLAG, PAINTED_FLAGS = 16, 16 | 32  # what the library says of a font; filled or stroked
OFFSET = 0.12  # of the font size: a second copy is set this far from the first at most


def drop_doubles(blocks: list[SpanBlock]) -> None:
    """Take out of the blocks each span that draws a span before it, or a part of it, once more at the same place."""
    levels: dict[int, list[Span]] = defaultdict(list)
    for block in blocks:
        is_thinned = False
        for line in block["lines"]:
            kept = [span for span in line["spans"] if not is_double(span, levels)]
            if len(kept) < len(line["spans"]):
                line["spans"], is_thinned = kept, True
        if is_thinned:
            block["lines"] = [line for line in block["lines"] if line["spans"]]


def is_double(span: Span, levels: dict[int, list[Span]]) -> bool:
    """Whether a span is a copy; one that is none is kept for comparison at the height of its baseline."""
    text = span["text"].strip()
    if not text:
        return False
    level = round(span["origin"][1])
    copied = next((other for other in near(level, levels) if is_copy(span, text, other)), None)
    if copied is None:
        levels[level].append(span)
        return False
    if span["char_flags"] & PAINTED_FLAGS and 2 * len(text) > len(copied["text"].strip()):
        copied["flags"] |= BOLD_FLAG
    return True


def near(level: int, levels: dict[int, list[Span]]) -> Iterator[Span]:
    return (span for height in (level - 1, level, level + 1) if height in levels for span in levels[height])


def is_copy(span: Span, text: str, other: Span) -> bool:
    """Whether a span has the text of another, or a part of it, where the other has it."""
    slack = OFFSET * other["size"]
    (x0, y0, x1, y1), (left, top, right, bottom) = span["bbox"], other["bbox"]
    whole = other["text"]
    if text not in whole or not (left - slack <= x0 and x1 <= right + slack):
        return False
    is_painted, was_painted = (bool(each["char_flags"] & PAINTED_FLAGS) for each in (span, other))
    if abs(y0 - top) > slack or abs(y1 - bottom) > slack or is_painted != was_painted:
        return False
    if text == whole.strip():
        return bool(abs((x1 - x0) - (right - left)) <= 2 * slack + other["size"])
    return any(abs(place - x0) <= other["size"] for place in places_of_span(text, whole, left, right))


def places_of_span(text: str, whole: str, left: float, right: float) -> Iterator[float]:
    """About where a text begins, each time it stands in another that lies between two edges."""
    start = whole.find(text)
    while start >= 0:
        yield left + (right - left) * start / len(whole)
        start = whole.find(text, start + 1)
