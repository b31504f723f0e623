"""Turn numbers into the rectangles of `audit/_chart.html` and `audit/_bar.html`: x in per cent, y in pixels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma

HEIGHT = 116.0
FOOT = 18.0  # below the columns, for their labels
HEAD = 16.0  # above them, for the values
GAP = 0.25  # share of a column's slot left empty
PLACE_MAX = 10.0  # so that a few columns do not become walls
LABELS_MAX = 8  # more would overlap on a phone
BAR_MAX = 60.0  # the rest of a bar's cell is for the number at its end


class LegendKey(NamedTuple):
    css: str
    words: str


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
    """`summary` describes the drawing in words; the columns rise from `foot`."""

    height: float
    foot: float
    rects: tuple[Rect, ...]
    labels: tuple[Label, ...]
    keys: tuple[LegendKey, ...]
    summary: str


class Point(NamedTuple):
    """One column. `title` is its tooltip."""

    label: str
    value: float
    title: str


def columns(points: Sequence[Point], key: LegendKey, summary: str, *, unit: str = "", most: float = 0.0) -> Chart:
    """Columns side by side; `most` is the value of a full one, drawn pale behind each, by default the greatest."""
    full = most or max((point.value for point in points), default=0.0) or 1.0
    place = min(100 / max(len(points), 1), PLACE_MAX)
    foot, room = HEIGHT - FOOT, HEIGHT - FOOT - HEAD
    step = max(1, -(-len(points) // LABELS_MAX))
    rects, labels = [], []
    for index, point in enumerate(points):
        height = room * min(point.value / full, 1.0)
        left, width = (index + GAP / 2) * place, place * (1 - GAP)
        if most:
            rects.append(rect(left, HEAD, width, room, "track", point.title))
        rects.append(rect(left, foot - height, width, height, key.css, point.title))
        if index % step == 0:
            middle = round(left + width / 2, 2)
            labels.append(Label(middle, HEIGHT - 4, point.label))
            labels.append(Label(middle, round(foot - height - 4, 2), f"{number(point.value)}{unit}"))
    return Chart(HEIGHT, foot, tuple(rects), tuple(labels), (key,), summary)


class Series(NamedTuple):
    """One part of every bar: its colour, its name, and its value in a row."""

    css: str
    words: str
    value_of: Callable[[Any], float]


class Bar(NamedTuple):
    """`value` is written at the end of the bar; `words` describe its parts."""

    rects: tuple[Rect, ...]
    end: float
    value: str
    words: str


class Bars(NamedTuple):
    """Rows with their bars, all on one scale."""

    keys: tuple[LegendKey, ...]
    rows: tuple[tuple[Any, Bar], ...]


def bars(rows: Iterable[Any], *series: Series, unit: str = "") -> Bars:
    """One bar per row, made of its series in order."""
    found = [(row, [each.value_of(row) for each in series]) for row in rows]
    full = max((sum(values) for _, values in found), default=0.0) or 1.0
    keys = tuple(LegendKey(each.css, each.words) for each in series)
    return Bars(keys, tuple((row, bar(values, keys, full, unit)) for row, values in found))


def bar(values: Sequence[float], keys: Sequence[LegendKey], full: float, unit: str) -> Bar:
    parts, left = [], 0.0
    for value, key in zip(values, keys, strict=True):
        width = BAR_MAX * value / full
        parts.append(rect(left, 0, width, 1, key.css, f"{key.words}: {number(value)}{unit}"))
        left += width
    return Bar(
        tuple(part for part in parts if part.width),
        round(left, 2),
        f"{number(sum(values))}{unit}",
        ", ".join(part.title for part in parts),
    )


def number(value: float) -> str:
    """A number as people write it: grouped, without a zero fraction."""
    return str(intcomma(int(value) if value == int(value) else round(value, 4)))


def rect(x: float, y: float, width: float, height: float, css: str, title: str) -> Rect:
    return Rect(round(x, 2), round(y, 2), round(width, 2), round(height, 2), css, title)
