"""Boxes to be ticked that are drawn as lines and are no fields of a form: which of them have a mark in them.

A page none of whose boxes has a mark is left as it is: bullets and keys of charts are drawn in the same way.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from reading.layout.strikes import is_drawn
from reading.layout.ticks import CROSSED, TICKED
from reading.pages.fields import LABEL_GAP, TICK, FormField, has_middle_inside

Edges = tuple[float, float, float, float]

SIDE_MIN, SIDE_MAX = 5.0, 16.0  # points
SQUARE = 0.15  # of the longer side: by how much the other may be shorter
INNER = (0.25, 0.85)  # of the side of a box: what is filled in it
CROSS_MIN, CROSS_PAST = 0.4, 3.0  # of the side; points by which a pen stands out
FRAMES_MAX = 120  # a page with more has a chart
WHITE = 0xFFFFFF
WRITTEN = frozenset(f"xX{TICKED}{CROSSED}")
SQUARES, CIRCLES = ("☒", "□"), ("◉", "○")


class Shape(NamedTuple):
    box: Edges
    is_rect: bool
    is_stroked: bool

    @property
    def sides(self) -> tuple[float, float]:
        return self.box[2] - self.box[0], self.box[3] - self.box[1]


def boxes_drawn(
    everything: Sequence[dict[str, Any]],
    blocks: Sequence[dict[str, Any]],
    fields: Sequence[FormField],
    turn_box: Callable[[Edges], Edges],
) -> list[FormField]:
    """The drawn boxes of a page with a label beside them, if one of them has a mark; those of `fields` are known.

    `blocks` have the text, `everything` what is drawn as well.
    """
    shapes = [shape for block in everything if is_drawn(block) and (shape := small_shape(block))]
    frames = [
        frame
        for frame in frames_of(shapes)
        if not any(has_middle_inside(turn_box(frame.box), field.box) for field in fields)
    ]
    if not frames or len(frames) > FRAMES_MAX:
        return []
    spans = (span for block in blocks for line in block["lines"] for span in line["spans"])
    texts = [(span["bbox"], span["text"].strip()) for span in spans if span["text"].strip()]
    found = [
        (frame, is_marked(frame, shapes, written))
        for frame in frames
        if (written := {text for box, text in texts if has_middle_inside(box, frame.box)}) <= WRITTEN
        and any(has_label_at(frame.box, box) and any(map(str.isalpha, text)) for box, text in texts)
    ]
    if not any(is_on for _, is_on in found):
        return []
    return [
        FormField(TICK, turn_box(frame.box), SQUARES if frame.is_rect else CIRCLES, is_on) for frame, is_on in found
    ]


def small_shape(block: dict[str, Any]) -> Shape | None:
    """What is drawn, if it is as small as a box and seen."""
    shape = Shape(block["bbox"], block["isrect"], block["stroked"])
    is_seen = block["alpha"] > 0 and (block["color"] != WHITE or shape.is_stroked)
    return shape if is_seen and max(shape.sides) <= SIDE_MAX + 2 * CROSS_PAST else None


def frames_of(shapes: Sequence[Shape]) -> list[Shape]:
    """The outlines that are squares or circles; what is drawn in one of them is none."""
    frames: list[Shape] = []
    outlines = [shape for shape in shapes if shape.is_stroked and is_square(shape)]
    for shape in sorted(outlines, key=lambda each: (not each.is_rect, -max(each.sides))):
        if len(frames) <= FRAMES_MAX and not any(has_middle_inside(shape.box, each.box) for each in frames):
            frames.append(shape)
    return frames


def is_square(shape: Shape) -> bool:
    short, long = sorted(shape.sides)
    return short >= SIDE_MIN and long <= SIDE_MAX and long - short <= SQUARE * long


def is_marked(frame: Shape, shapes: Sequence[Shape], written: set[str]) -> bool:
    """Whether something is written in a box, drawn through it or filled in."""
    side = max(frame.sides)
    inside = (each for each in shapes if each is not frame and has_middle_inside(each.box, frame.box))
    return bool(written) or any(is_mark(each, side, frame) for each in inside)


def is_mark(shape: Shape, side: float, frame: Shape) -> bool:
    short, long = sorted(shape.sides)
    if frame.is_rect and not shape.is_rect and short >= CROSS_MIN * side:
        return long <= side + 2 * CROSS_PAST
    return not shape.is_stroked and short >= INNER[0] * side and long <= INNER[1] * side


def has_label_at(frame: Edges, label: Edges) -> bool:
    """Whether a text stands on the row of a box, on its right or left."""
    x0, top, x1, bottom = frame
    is_on_row = label[1] <= (top + bottom) / 2 <= label[3]
    return is_on_row and (-1 <= label[0] - x1 < LABEL_GAP or -1 <= x0 - label[2] < LABEL_GAP)
