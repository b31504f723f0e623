"""Boxes of a form that are drawn as squares, empty or with a tick or cross in them, as fields that are ticked or not.

A square that is none is worse than a box nobody reads. One counts only if it stands free, has words near it on its
row, and is no cell of a table or comb and no key of a chart. Where what is in it is no sure tick, it is a box that
could not be read: "[?]".

What is drawn comes with the text (see `reading.layout.strikes`), so a page without such squares costs one look at it:
of 20 filings and contracts no measurable time (9.2 s with and without, the median of three readings). Of 102 shared
files none has a box that is drawn alone, and none was found in their bullets, tables, charts and pictures.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from reading.layout.extracted import Edges, Span, SpanBlock
from reading.layout.ticks import CROSSED, SIGNS, TICKED, UNREAD
from reading.pages.fields import LABEL_GAP, NAMES, TICK, FormField, has_middle_inside

SIDE_MIN, SIDE_MAX = 6.0, 16.0  # points, with its outline
SKEW_MAX = 1.2  # of the longer side to the shorter
BOXES_MAX = 100  # of a page: more squares are a drawing
LINE_MAX = 2.0  # points: how thick an outline may be, and how far apart are two edges that touch
MARK_SHARE = 0.35  # of a box's width and height: a smaller mark is a speck or a stroke
MARK_MAX = 2.0  # times a box: a tick may stand out of it that far
GROUND_MIN = 5.0  # times a box: what goes round it that far is the frame of a part of the form
CORE = 0.2  # of a box's side: what is in it stands this far inside
LIGHT = 0xD8  # the least of red, green and blue in a shade that a box may be filled with
MARK_SIGNS = frozenset(TICKED + CROSSED + "xX×╳●■")
State = Literal["on", "off", "unread"]
Boxes = Sequence[Edges]


def boxes_drawn(
    drawn: Sequence[SpanBlock],
    blocks: Sequence[SpanBlock],
    taken: Boxes,
    pictures: Callable[[], Boxes],
    place: Callable[[Edges], Edges],
) -> Iterator[FormField]:
    """The boxes drawn on a page that are in no field among `taken`; a picture of the page may hide what is in one.

    `place` puts what was extracted where it is on the page as displayed.
    """
    outlines = squares_in(drawn)
    squares = [place(outline["bbox"]) for outline, _ in outlines]
    squares = [box for box in squares if not any(has_middle_inside(box, other) for other in taken)]
    if not squares or len(squares) > BOXES_MAX:
        return
    papers = {id(paper) for _, paper in outlines if paper}
    seen = [block | {"bbox": place(block["bbox"])} for block in drawn if block["alpha"] and id(block) not in papers]
    squares = [box for box in squares if is_free(box, seen, squares) and not is_key(box, seen, squares)]
    spans = [
        span | {"bbox": place(span["bbox"])}
        for block in blocks
        for line in block["lines"]
        for span in line["spans"]
        if span["text"].strip()
    ]
    hidden = pictures() if squares else ()
    for box in squares:
        state = state_of_box(box, seen, spans)
        if state and not has_label(box, spans, is_in_a_row := is_in_row(box, squares)):
            state = "unread" if is_in_a_row and state != "unread" else None  # a heading may say what it means
        if state and any(overlaps(box, picture) for picture in hidden):
            state = "unread"
        if state:
            off = UNREAD if state == "unread" else NAMES["tick"][1]
            yield FormField(TICK, box, (NAMES["tick"][0], off), state == "on")


def squares_in(drawn: Sequence[SpanBlock]) -> list[tuple[SpanBlock, SpanBlock | None]]:
    """The outlines of squares of the size of a box; with a dark square, the lighter one on it that leaves a frame."""
    found: list[tuple[SpanBlock, SpanBlock | None]] = []
    for at, block in enumerate(drawn):
        if not block["isrect"] or not block["alpha"] or not is_square(block["bbox"]) or is_light(block):
            continue
        inner = drawn[at + 1] if at + 1 < len(drawn) and is_paper(drawn[at + 1], block) else None
        is_known = any(lies_in(block["bbox"], other["bbox"], LINE_MAX) for other, _ in found)
        if (block["stroked"] or inner) and not is_known:
            found.append((block, inner))
    return found


def is_paper(inner: SpanBlock, block: SpanBlock) -> bool:
    """Whether what is drawn next leaves only a frame of a square: it is light, or cut out of it."""
    return (
        inner["isrect"]
        and not inner["stroked"]
        and (is_light(inner) or (block["continues"] and not block["stroked"]))
        and lies_in(inner["bbox"], block["bbox"], 0.0)
        and all(0 < abs(one - that) <= LINE_MAX for one, that in zip(inner["bbox"], block["bbox"], strict=True))
    )


def is_square(box: Edges) -> bool:
    wide, high = box[2] - box[0], box[3] - box[1]
    return min(wide, high) >= SIDE_MIN and max(wide, high) <= min(SIDE_MAX, SKEW_MAX * min(wide, high))


def is_light(block: SpanBlock) -> bool:
    """Whether something drawn is white, or nearly: of a box it is the paper, not a mark."""
    return min((block["color"] >> shift) & 0xFF for shift in (0, 8, 16)) >= LIGHT


def lies_in(box: Edges, outer: Edges, past: float) -> bool:
    """Whether a box lies in another, or stands out of it by less than some points."""
    return (
        box[0] >= outer[0] - past
        and box[1] >= outer[1] - past
        and box[2] <= outer[2] + past
        and box[3] <= outer[3] + past
    )


def overlaps(box: Edges, other: Edges, past: float = 0.0) -> bool:
    return (
        box[0] < other[2] + past and other[0] < box[2] + past and box[1] < other[3] + past and other[1] < box[3] + past
    )


def is_free(box: Edges, drawn: Sequence[SpanBlock], squares: Boxes) -> bool:
    """Whether nothing drawn goes on from the edges of a square, as the lines of a table and its other cells do."""
    if any(other is not box and overlaps(box, other, LINE_MAX) for other in squares):
        return False
    for block in drawn:
        other = block["bbox"]
        if is_light(block) or lies_in(other, box, LINE_MAX) or not overlaps(box, other, 0.5):
            continue
        touching = sum(abs(one - that) <= LINE_MAX for one in box[::2] for that in other[::2])
        touching += sum(abs(one - that) <= LINE_MAX for one in box[1::2] for that in other[1::2])
        if block["isrect"] and touching:
            return False
    return True


def is_key(box: Edges, drawn: Sequence[SpanBlock], squares: Boxes) -> bool:
    """Whether a square is filled with a colour, or stands in a row or column with one of its size that is."""
    side = box[2] - box[0]
    for block in drawn:
        other = block["bbox"]
        if block["stroked"] or not block["isrect"] or is_light(block) or abs(other[2] - other[0] - side) > LINE_MAX:
            continue
        if abs(other[3] - other[1] - side) > LINE_MAX or other in squares:
            continue
        is_aligned = abs(other[0] - box[0]) <= LINE_MAX or abs(other[1] - box[1]) <= LINE_MAX
        if is_aligned and not any(lies_in(other, each, 0.0) for each in squares if each != box):
            return True
    return False


def state_of_box(box: Edges, drawn: Sequence[SpanBlock], spans: Sequence[Span]) -> State | None:
    """Whether a square has a tick, by what is drawn and written in it; None if what is written makes it no box."""
    inside = core_of(box)
    written = [span for span in spans if overlaps(inside, span["bbox"])]
    if any(set(span["text"]) & set(SIGNS) - MARK_SIGNS for span in written):
        return None  # the same box as a character
    for span in written:
        if not has_middle_inside(span["bbox"], box):
            return "unread"  # a line of text goes through it
        if len(span["text"].strip()) > 1 or span["text"].strip() not in MARK_SIGNS:
            return None
    marks = [block for block in drawn if is_mark(block, box, inside)]
    if not marks:
        return "on" if written else "off"
    boxes = [block["bbox"] for block in marks]
    x0, y0 = min(each[0] for each in boxes), min(each[1] for each in boxes)
    x1, y1 = max(each[2] for each in boxes), max(each[3] for each in boxes)
    wide, high = box[2] - box[0], box[3] - box[1]
    is_tick = (
        has_middle_inside((x0, y0, x1, y1), box)
        and MARK_SHARE * wide <= x1 - x0 <= MARK_MAX * wide
        and MARK_SHARE * high <= y1 - y0 <= MARK_MAX * high
    )
    return "on" if is_tick else "unread"


def core_of(box: Edges) -> Edges:
    x0, y0, x1, y1 = box
    wide, high = CORE * (x1 - x0), CORE * (y1 - y0)
    return x0 + wide, y0 + high, x1 - wide, y1 - high


def is_mark(block: SpanBlock, box: Edges, inside: Edges) -> bool:
    """Whether something drawn is in a square: neither paper, its own outline, nor what it stands on."""
    other = block["bbox"]
    is_outline = all(abs(one - that) <= LINE_MAX for one, that in zip(box, other, strict=True)) and block["isrect"]
    is_wide = max(other[2] - other[0], other[3] - other[1]) > GROUND_MIN * (box[2] - box[0])
    is_ground = lies_in(box, other, 0.0) and (block["isrect"] or is_wide)
    return not is_light(block) and not is_outline and not is_ground and overlaps(inside, other)


def is_in_row(box: Edges, squares: Boxes) -> bool:
    """Whether another square stands beside or below one."""
    return any(
        other != box and (abs(other[0] - box[0]) <= LINE_MAX or abs(other[1] - box[1]) <= LINE_MAX) for other in squares
    )


def has_label(box: Edges, spans: Sequence[Span], is_in_a_row: bool) -> bool:
    """Whether words stand beside a square; numbers alone are none beside a single one, which may mark a value."""
    for span in spans:
        other = span["bbox"]
        along = int(other[3] - other[1] > other[2] - other[0] and len(span["text"]) > 1)  # of upright text x, else y
        middle = (box[1 - along] + box[3 - along]) / 2
        is_on_row = other[1 - along] < middle < other[3 - along] and not has_middle_inside(other, box)
        is_near = max(other[along] - box[along + 2], box[along] - other[along + 2]) < LABEL_GAP
        if is_on_row and is_near and (is_in_a_row or any(map(str.isalpha, span["text"]))):
            return True
    return False
