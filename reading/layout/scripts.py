"""Small raised or lowered pieces that stand inside a larger one: "1/260 of", where "th" has been left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from reading.layout.extracted import Character, Span, SpanBlock, SpanLine

SCRIPT_SIZE = 0.85  # a piece this much smaller than its neighbour may be its sub- or superscript
SCRIPT_REACH = 0.75  # of the neighbour's size: maximum distance of a script's baseline
SCRIPT_GAP = 0.3  # of the neighbour's size: a script is at most this far from what it touches
INSIDE_SLACK = 0.1  # of the neighbour's size: a script overlaps what it stands between by no more
SCRIPT_CHARS = 8
NEAR_MAX = 40  # lines looked at for one script, and scripts of one line; pages have far fewer


class ScriptEdges(NamedTuple):
    """The left and right edge of a script."""

    x0: float
    x1: float


def cut_at_scripts(blocks: list[SpanBlock], read_characters: Callable[[], list[SpanBlock]]) -> None:
    """Cut the spans that a script stands inside at the blank left for it, in place.

    `read_characters` gives the same blocks with a place for each character, which takes longer; few pages need it.
    """
    # What was printed twice has been dropped from a line, perhaps all of it.
    lines = [line for block in blocks for line in block["lines"] if line["spans"] and line["dir"][0] > 0.99]
    inside = {id(line): places for line, places in scripts_inside(lines)}
    cut_lines(
        [line for line in lines if id(line) in inside],
        lambda line, span, characters: cut_span(span, characters, inside[id(line)]),
        read_characters,
    )


def cut_lines(
    lines: Sequence[SpanLine],
    parts_of: Callable[[SpanLine, Span, Sequence[Character]], Iterable[Span]],
    read_characters: Callable[[], Sequence[SpanBlock]],
) -> None:
    """Cut the spans of some lines as `parts_of` says of each span and its characters, in place."""
    if not lines:
        return
    characters = {
        (span["bbox"], span["origin"]): span["chars"]
        for block in read_characters()
        for line in block["lines"]
        for span in line["spans"]
    }
    for line in lines:
        line["spans"] = [
            part
            for span in line["spans"]
            for part in parts_of(line, span, characters.get((span["bbox"], span["origin"]), ()))
        ]


def scripts_inside(lines: Sequence[SpanLine]) -> Iterator[tuple[SpanLine, list[ScriptEdges]]]:
    """The lines that have scripts inside a span, with these."""
    small = [
        line["spans"][0]
        for line in lines
        if len(line["spans"]) == 1 and 0 < len(line["spans"][0]["text"].strip()) <= SCRIPT_CHARS
    ]
    if not small:
        return
    ordered = sorted(lines, key=lambda line: line["spans"][0]["origin"][1])
    baselines = [line["spans"][0]["origin"][1] for line in ordered]
    found: dict[int, tuple[SpanLine, list[ScriptEdges]]] = {}
    for script in small:
        baseline = script["origin"][1]
        reach = 2 * SCRIPT_REACH * script["size"] / SCRIPT_SIZE
        begin = bisect_left(baselines, baseline - reach)
        x0, _, x1, _ = script["bbox"]
        for line in islice(ordered, begin, begin + NEAR_MAX):
            if any(stands_inside(script, span) for span in line["spans"]):
                places = found.setdefault(id(line), (line, []))[1]
                places += [ScriptEdges(x0, x1)] if len(places) < NEAR_MAX else []
    yield from found.values()


def stands_inside(script: Span, span: Span) -> bool:
    size = span["size"]
    return bool(
        script["size"] < SCRIPT_SIZE * size
        and abs(script["origin"][1] - span["origin"][1]) <= SCRIPT_REACH * size
        and span["bbox"][0] + SCRIPT_GAP * size < script["bbox"][0]
        and script["bbox"][2] < span["bbox"][2] - SCRIPT_GAP * size
    )


def cut_span(span: Span, characters: Sequence[Character], places: Sequence[ScriptEdges]) -> Iterator[Span]:
    """A span in parts: before each gap that holds a script, the blank in it if there is one, and after it."""
    text = span["text"]
    start, left = 0, span["bbox"][0]
    seen = [at for at, sign in enumerate(text) if not sign.isspace()] if len(characters) == len(text) else []
    for before, after in pairwise(seen):
        x0, x1 = characters[before]["bbox"][2], characters[after]["bbox"][0]
        if any(is_room(place, x0, x1, span["size"]) for place in places):
            yield part_of_span(span, text[start : before + 1], left, x0)
            if after > before + 1:
                yield part_of_span(span, " ", x0, x1)
            start, left = after, x1
    yield part_of_span(span, text[start:], left, span["bbox"][2]) if start else span


def is_room(script: ScriptEdges, x0: float, x1: float, size: float) -> bool:
    """Whether the gap from x0 to x1 was left for a script."""
    slack = INSIDE_SLACK * size
    return x0 - slack <= script.x0 and script.x1 <= x1 + slack


def part_of_span(span: Span, text: str, left: float, right: float) -> Span:
    _, top, _, bottom = span["bbox"]
    return {**span, "text": text, "bbox": (left, top, right, bottom), "origin": (left, span["origin"][1])}
