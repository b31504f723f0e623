"""Words that are struck on a page a little aslant, as scanners and pens leave it.

The library tells the box of what is drawn and no slope, and marks no such words itself: where a box may be that of a
rule through words, the drawn lines and the places of the characters are asked for. A line strikes if both its ends
stand in the middle of the letters and not past the words.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from reading.layout.strikes import COVERED_MIN, PAST_MAX, RULE_HEIGHT_MAX, RULE_LENGTH_MIN, STRAIGHT, Edges

ASLANT = 0.004  # the sine of a quarter of a degree
SLOPE_MAX = 0.15
LOOKS_MAX = 300_000  # a map has more
ABOVE = (0.2, 0.5)  # of the font size: how far above its foot a line strikes a word
TILT_MAX = 1.5  # points by which one end of the line may be further above the foot than the other
WHITE = (1.0, 1.0, 1.0)

Block = dict[str, Any]
Span = dict[str, Any]


class Stroke(NamedTuple):
    """A straight line that is drawn, from one end to the other."""

    x0: float
    y0: float
    x1: float
    y1: float


class Reach(NamedTuple):
    """From where to where something goes along a line of text."""

    begin: float
    end: float


def mark_struck_aslant(
    blocks: Sequence[Block],
    drawn: Sequence[Edges],
    read_drawings: Callable[[], list[dict[str, Any]]],
    read_characters: Callable[[], list[Block]],
) -> None:
    """Cut the spans of lines a little aslant at the words that are struck, in place; these have the key "struck"."""
    lines = [line for block in blocks for line in block["lines"] if is_aslant(line)] if drawn else []
    if len(lines) * len(drawn) > LOOKS_MAX:
        return
    near = [line for line in lines if any(may_strike(box, line["bbox"]) for box in drawn)]
    strokes = [stroke for drawing in read_drawings() for stroke in strokes_of(drawing)] if near else []
    characters = {
        (span["bbox"], span["origin"]): span["chars"]
        for block in (read_characters() if strokes else ())
        for line in block["lines"]
        for span in line["spans"]
    }
    for line in near if strokes else ():
        line["spans"] = [
            part
            for span in line["spans"]
            for part in cut_struck(span, characters.get((span["bbox"], span["origin"]), ()), line, strokes)
        ]


def is_aslant(line: Mapping[str, Any]) -> bool:
    dx, dy = line["dir"]
    return bool(dx > STRAIGHT and abs(dy) > ASLANT)


def may_strike(box: Edges, line: Edges) -> bool:
    """Whether a box may be that of a rule along a line, in it."""
    width, height = box[2] - box[0], box[3] - box[1]
    return (
        width >= RULE_LENGTH_MIN
        and height <= RULE_HEIGHT_MAX + SLOPE_MAX * width
        and (box[0] < line[2] and line[0] < box[2] and box[1] < line[3] and line[1] < box[3])
    )


def strokes_of(drawing: Mapping[str, Any]) -> Iterator[Stroke]:
    """The thin lines of a drawing that are seen; one that goes on in another line is part of a shape or a curve."""
    items = drawing["items"]
    is_seen = drawing.get("stroke_opacity", 1) > 0 and drawing.get("color") != WHITE
    if drawing["type"] != "s" or not is_seen or (drawing.get("width") or 0) > RULE_HEIGHT_MAX:
        return
    if any(item[0] != "l" for item in items) or any(before[2] == after[1] for before, after in pairwise(items)):
        return
    for _, begin, end in items:
        yield Stroke(*begin, *end)


def cut_struck(
    span: Span, characters: Sequence[dict[str, Any]], line: Mapping[str, Any], strokes: Sequence[Stroke]
) -> Iterator[Span]:
    """A span in parts: the words that are struck, and what is between them."""
    text, (dx, _), (ox, oy), (x0, y0, x1, y1) = span["text"], line["dir"], span["origin"], span["bbox"]
    struck_reaches = list(reaches_of(span, line, strokes)) if len(characters) == len(text) else []
    if span.get("struck") or not struck_reaches:
        yield span
        return
    lefts = [*(character["origin"][0] for character in characters), x1]
    is_struck = [False] * len(text)
    for is_blank, signs in groupby(range(len(text)), key=lambda at: text[at].isspace()):
        places = list(signs)
        word = Reach((lefts[places[0]] - ox) / dx, (lefts[places[-1] + 1] - ox) / dx)
        if not is_blank and any(text[at].isalnum() for at in places) and is_covered(word, struck_reaches):
            is_struck[places[0] : places[-1] + 1] = [True] * len(places)
    for found, signs in groupby(range(len(text)), key=is_struck.__getitem__):
        places = list(signs)
        left, right = lefts[places[0]], lefts[places[-1] + 1]
        part = {
            **span,
            "text": text[places[0] : places[-1] + 1],
            "bbox": (left if places[0] else x0, y0, right, y1),
            "origin": (left, characters[places[0]]["origin"][1]) if places[0] else (ox, oy),
        }
        yield {**part, "struck": True} if found else part


def is_covered(word: Reach, reaches: Sequence[Reach]) -> bool:
    lengths = (max(0.0, min(reach.end, word.end) - max(reach.begin, word.begin)) for reach in reaches)
    return sum(lengths) >= COVERED_MIN * (word.end - word.begin)


def reaches_of(span: Span, line: Mapping[str, Any], strokes: Sequence[Stroke]) -> Iterator[Reach]:
    """From where to where strokes go through the middle of a span's letters, if they end with the words of its line."""
    (dx, dy), (ox, oy), size = line["dir"], span["origin"], span["size"]
    left, right = ((edge - ox) / dx for edge in (line["bbox"][0], line["bbox"][2]))
    for x0, y0, x1, y1 in strokes:
        ends = [((x - ox) * dx + (y - oy) * dy, (x - ox) * dy - (y - oy) * dx) for x, y in ((x0, y0), (x1, y1))]
        (begin, below), (end, above) = sorted(ends)
        is_middle = all(ABOVE[0] * size <= height <= ABOVE[1] * size for height in (below, above))
        is_along = end - begin >= RULE_LENGTH_MIN and abs(above - below) <= TILT_MAX
        if is_middle and is_along and begin >= left - PAST_MAX and end <= right + PAST_MAX:
            yield Reach(begin, end)
