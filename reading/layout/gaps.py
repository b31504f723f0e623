"""Gaps between words that the library puts no space in: after a sign such as "−", "☑" or "円", and beside Hebrew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from reading.characters import RIGHT_TO_LEFT
from reading.layout.extracted import Character, Span, SpanBlock
from reading.layout.scripts import cut_lines, part_of_span
from reading.layout.ticks import TICKED, UNTICKED
from reading.matching import WIDE, WIDE_SIGN
from reading.values.currencies import CURRENCY_SIGNS

SIGN_GAP = 0.2  # of the font size: as wide as what the library takes for a space between letters
WIDE_GAP = 0.4  # beside a character of full width, which stands a quarter of its size from a letter
OPENING_GAP = 0.05  # before what can only begin something: the currency of a second amount, a box, "≤"
OPENINGS = rf"(?<=\d)(?=[{CURRENCY_SIGNS}]\d)|(?<=[\w%])(?=[≤≥{TICKED}{UNTICKED}])"
PARTING = re.compile(  # where the library leaves out a space, or may
    rf"(?<=[^\s\x00-\u06ff\u2000-\u20cf])(?=\S)|(?<=[{RIGHT_TO_LEFT}])(?=[^\s{RIGHT_TO_LEFT}])"
    rf"|(?<=[^\s{RIGHT_TO_LEFT}])(?=[{RIGHT_TO_LEFT}])|{OPENINGS}"
)
OPENING, BESIDE_WIDE = re.compile(OPENINGS), re.compile(f"(?<=[{WIDE}])|(?=[{WIDE}])")
READ_LEFTWARD = re.compile(f"[{RIGHT_TO_LEFT}]")
MINUS = "\u2212"
Sides = tuple[float, float]  # left and right


def cut_at_gaps(blocks: Sequence[SpanBlock], read_characters: Callable[[], Sequence[SpanBlock]]) -> None:
    """Cut spans where such a gap parts two words, in place.

    `read_characters` gives the same blocks with a place for each character, which takes longer; few pages need it.
    """
    lines = [line for block in blocks for line in block["lines"] if line["dir"][0] > 0.99]
    doubtful = [line for line in lines if any(PARTING.search(span["text"]) for span in line["spans"])]
    cut_lines(doubtful, lambda line, span, characters: parts_at_gaps(span, characters), read_characters)


def parts_at_gaps(span: Span, characters: Sequence[Character]) -> Iterator[Span]:
    text = span["text"]
    if len(characters) != len(text) or not PARTING.search(text):
        yield span
        return
    edges = [(each["bbox"][0], each["bbox"][2]) for each in characters]
    runs = read_runs(text, edges)
    spacing = letter_spacing(text, edges)
    start = 0
    for after in [found.start() for found in PARTING.finditer(text)]:
        before = after - 1
        is_turn = runs[before] is not runs[after]
        gap = distance(runs[before], runs[after]) if is_turn else distance(edges[before], edges[after])
        if text[before] == MINUS and is_sign_of_next(text, before, edges):
            continue
        if is_gap(text, after, gap - spacing if is_wide_pair(text, after) else gap, span["size"]):
            yield part_of_span(span, text[start:after], *outer_sides(edges[start:after]))
            yield part_of_span(span, " ", *sorted((edges[before][1], edges[after][0])))
            start = after
    yield part_of_span(span, text[start:], *outer_sides(edges[start:])) if start else span


def is_gap(text: str, at: int, gap: float, size: float) -> bool:
    """Whether a gap in points before the character at `at` parts two words that the library leaves joined."""
    if not PARTING.match(text, at):
        return False
    if OPENING.match(text, at):
        return gap > OPENING_GAP * size
    return gap > (WIDE_GAP if BESIDE_WIDE.match(text, at) else SIGN_GAP) * size


def is_parted(before: str, text: str, last: Span, span: Span) -> bool:
    """The same of two spans: the text up to the end of the last one, and that of the next.

    A minus that stands alone before a number is its sign.
    """
    (first, _, end, _), (x0, _, x1, _) = last["bbox"], span["bbox"]
    is_sign = before[-1] == MINUS and text[:1].isdigit() and not before[-2:-1].strip()
    return not is_sign and is_gap(before[-1] + text[:2], 1, distance((first, end), (x0, x1)), span["size"])


def is_sign_of_next(text: str, at: int, edges: Sequence[Sides]) -> bool:
    """Whether a minus stands nearer to the number behind it than to what is before."""
    if not (text[at + 1].isdigit() or text[at + 1] in CURRENCY_SIGNS):
        return False
    before = next((each for each in range(at - 1, -1, -1) if not text[each].isspace()), -1)
    return before < 0 or distance(edges[at], edges[at + 1]) < distance(edges[before], edges[at])


def read_runs(text: str, edges: Sequence[Sides]) -> list[Sides]:
    """For each character the edges of its run: characters one after the other that are read in one direction."""
    runs: list[Sides] = []
    for _, group in groupby(range(len(text)), key=lambda at: bool(READ_LEFTWARD.match(text[at]))):
        places = list(group)
        seen = [edges[at] for at in places if not text[at].isspace()]
        runs += [outer_sides(seen or [edges[places[0]]])] * len(places)
    return runs


def letter_spacing(text: str, edges: Sequence[Sides]) -> float:
    """The smallest gap between two characters of full width, which may be set apart; 0 if there are no two."""
    gaps = (distance(edges[at - 1], edges[at]) for at in range(1, len(text)) if is_wide_pair(text, at))
    return max(0.0, min(gaps, default=0.0))


def is_wide_pair(text: str, at: int) -> bool:
    return bool(WIDE_SIGN.match(text[at - 1]) and WIDE_SIGN.match(text[at]))


def distance(one: Sides, other: Sides) -> float:
    """From one to the other, whichever is left; below 0 where they overlap."""
    return max(other[0] - one[1], one[0] - other[1])


def outer_sides(edges: Sequence[Sides]) -> Sides:
    return min(left for left, _ in edges), max(right for _, right in edges)
