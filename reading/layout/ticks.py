"""Boxes to be ticked, as they stand in text: which line is an option, and whether it is chosen."""

import re
from collections.abc import Sequence
from typing import NamedTuple

TICKED, UNTICKED = "☑☒✓✔◉⦿🗹🗷", "☐⬜"
CIRCLES, SQUARES = "○◯", "□◻❏❐❑❒"  # bullets too: they say that something is not chosen only beside one that is
CROSSED = "✗✘✕✖"  # refused on some forms: chosen only beside squares that are empty
UNREAD = "[?]"  # a drawn box of which the reading does not know what is in it
SIGNS = TICKED + UNTICKED + CIRCLES + SQUARES + CROSSED
BOX = re.compile(rf"(?P<sign>[{SIGNS}])|\[(?P<mark>[xX✓✔✗ _?]?)\](?=\s|$)")
ASKED = re.compile(r"[.?:;]\s+")  # the end of a question, before the labels of its boxes
LABEL_CHARS = 200


class Option(NamedTuple):
    """An option of a line: its label, where both stand in the line, and whether it is chosen; None if that is open."""

    label: str
    start: int
    end: int
    is_ticked: bool | None
    box: str


def options_in(text: str) -> list[Option]:
    """The options of a line, each box with the label after it, or before it where the line ends with a box."""
    boxes = list(BOX.finditer(text)) if has_box(text) else []
    if not boxes or len(boxes) == 1 and boxes[0]["sign"] is None and text[: boxes[0].start()].strip():
        return []  # brackets alone amid a sentence are a blank to be filled in, or a note
    if not text[boxes[-1].end() :].strip() and text[: boxes[0].start()].strip():
        asked = [found.end() for found in ASKED.finditer(text[: boxes[0].start()])]
        edges = [max(asked, default=0), *(box.end() for box in boxes)]  # the label is behind what asks for it
        spans = [(edges[at], box.end(), text[edges[at] : box.start()]) for at, box in enumerate(boxes)]
    else:
        edges = [*(box.start() for box in boxes), len(text)]
        spans = [(box.start(), edges[at + 1], text[box.end() : edges[at + 1]]) for at, box in enumerate(boxes)]
    states = states_together([(box.group(), state_of(box)) for box in boxes])
    return [
        Option(label.strip(), *trim_range(text, start, end), is_ticked, box.group())
        for box, is_ticked, (start, end, label) in zip(boxes, states, spans, strict=True)
        if len(label) <= LABEL_CHARS
    ]


def trim_range(text: str, start: int, end: int) -> tuple[int, int]:
    """The characters [start, end) of a text without the blanks around them."""
    said = text[start:end]
    return end - len(said.lstrip()), start + len(said.rstrip())


def has_box(text: str) -> bool:
    """A quick look that dismisses nearly every line."""
    return "[" in text or not text.isascii() and any(sign in text for sign in SIGNS)


def state_of(box: re.Match[str]) -> bool | None:
    sign = box["sign"]
    if box.group() == UNREAD:
        return None
    if sign is None:
        return bool(box["mark"].strip(" _"))
    return True if sign in TICKED else False if sign in UNTICKED else None


def states_together(boxes: Sequence[tuple[str, bool | None]]) -> list[bool | None]:
    """The states of boxes that stand together, each given with the one it has alone.

    A cross is a choice where a square is empty and nothing is ticked; beside a choice, any box left open is none, but
    for one that could not be read.
    """
    states = [state for _, state in boxes]
    if not any(states) and any(state is False or box in SQUARES for box, state in boxes):
        states = [True if box in CROSSED else state for box, state in boxes]
    if not any(states):
        return states
    return [None if box == UNREAD else bool(state) for (box, _), state in zip(boxes, states, strict=True)]
