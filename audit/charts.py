"""Numbers become rectangles: what `audit/_columns.html` and `audit/_bars.html` draw, in units of their own view box."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

WIDTH, HEIGHT = 720.0, 140.0
FOOT = 18.0  # below the columns, for their labels
HEAD = 14.0  # above them, for the values
GAP = 0.25  # of a column's place stays empty
PLACE_MAX = 72.0  # a few columns stay columns and do not become walls
LABELS_MAX = 12  # more would run into each other
CELL, CELLS_A_ROW = 18.0, 40
BAR_HEIGHT, BAR_GAP, BAR_LEFT = 16.0, 8.0, 220.0
NAME_MAX = 36  # characters that fit beside a bar


class Rect(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    css: str
    title: str


class Label(NamedTuple):
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Chart:
    """`summary` says in words what the drawing shows."""

    width: float
    height: float
    rects: tuple[Rect, ...]
    labels: tuple[Label, ...]
    summary: str


class Point(NamedTuple):
    """One column. `title` is what pointing at it tells."""

    label: str
    value: float
    title: str


def columns(points: Sequence[Point], summary: str, *, most: float = 0.0) -> Chart:
    """Columns side by side; `most` is the value of a full one, by default the greatest."""
    full = most or max((point.value for point in points), default=0.0) or 1.0
    place = min(WIDTH / max(len(points), 1), PLACE_MAX)
    room = HEIGHT - FOOT - HEAD
    step = max(1, -(-len(points) // LABELS_MAX))
    rects, labels = [], []
    for index, point in enumerate(points):
        height = room * min(point.value / full, 1.0)
        left = index * place + place * GAP / 2
        rects.append(rect(left, HEIGHT - FOOT - height, place * (1 - GAP), height, "series-0", point.title))
        if index % step == 0:
            middle = round(left + place * (1 - GAP) / 2, 1)
            labels.append(Label(middle, HEIGHT - 4, point.label))
            labels.append(Label(middle, round(HEIGHT - FOOT - height - 3, 1), f"{point.value:g}"))
    return Chart(WIDTH, HEIGHT, tuple(rects), tuple(labels), summary)


def bars(rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], summary: str) -> Chart:
    """One bar a row, made of its parts in order; each part has a name and a value, and all bars one scale."""
    full = max((sum(value for _, value in parts) for _, parts in rows), default=0.0) or 1.0
    rects, labels = [], []
    for index, (name, parts) in enumerate(rows):
        top, left = index * (BAR_HEIGHT + BAR_GAP), BAR_LEFT
        labels.append(Label(0, top + BAR_HEIGHT - 4, name[:NAME_MAX]))
        for series, (part, value) in enumerate(parts):
            width = (WIDTH - BAR_LEFT) * value / full
            rects.append(rect(left, top, width, BAR_HEIGHT, f"series-{series}", f"{name}, {part}: {value:g}"))
            left += width
    return Chart(WIDTH, max(len(rows), 1) * (BAR_HEIGHT + BAR_GAP), tuple(rects), tuple(labels), summary)


def grid(cells: Sequence[tuple[str, str]], summary: str) -> Chart:
    """One square a cell, row by row; a cell is its class and what pointing at it tells."""
    rects = [
        rect(CELL * (index % CELLS_A_ROW), CELL * (index // CELLS_A_ROW), CELL - 2, CELL - 2, css, title)
        for index, (css, title) in enumerate(cells)
    ]
    return Chart(WIDTH, CELL * max(-(-len(cells) // CELLS_A_ROW), 1), tuple(rects), (), summary)


def rect(x: float, y: float, width: float, height: float, css: str, title: str) -> Rect:
    return Rect(round(x, 1), round(y, 1), round(width, 1), round(height, 1), css, title)
