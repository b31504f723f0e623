"""Where on the page a stretch of a line stands: one box per line, without opening the PDF again."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

# Advance widths of Helvetica in thousandths of the font size; other text faces keep nearly the same proportions.
WIDTHS = {
    " ": 278, "!": 278, '"': 355, "#": 556, "$": 556, "%": 889, "&": 667, "'": 191, "(": 333, ")": 333, "*": 389,
    "+": 584, ",": 278, "-": 333, ".": 278, "/": 278, ":": 278, ";": 278, "<": 584, "=": 584, ">": 584, "?": 556,
    "@": 1015, "A": 667, "B": 667, "C": 722, "D": 722, "E": 667, "F": 611, "G": 778, "H": 722, "I": 278, "J": 500,
    "K": 667, "L": 556, "M": 833, "N": 722, "O": 778, "P": 667, "Q": 778, "R": 722, "S": 667, "T": 611, "U": 722,
    "V": 667, "W": 944, "X": 667, "Y": 667, "Z": 611, "[": 278, "]": 278, "_": 556, "a": 556, "b": 556, "c": 500,
    "d": 556, "e": 556, "f": 278, "g": 556, "h": 556, "i": 222, "j": 222, "k": 500, "l": 222, "m": 833, "n": 556,
    "o": 556, "p": 556, "q": 556, "r": 333, "s": 500, "t": 278, "u": 556, "v": 500, "w": 722, "x": 500, "y": 500,
    "z": 500, "—": 1000, "–": 556, "•": 350, "…": 1000, "’": 222, "‘": 222, "“": 333, "”": 333,
}  # fmt: skip
DIGIT_WIDTH, OTHER_WIDTH, WIDE_WIDTH = 556, 556, 1000
FIRST_WIDE = 0x2E80  # from here on: East Asian signs, which fill the em square


class Box(NamedTuple):
    """A rectangle on a page, in PDF points, top-left origin, after rotation."""

    page_number: int
    x0: float
    y0: float
    x1: float
    y1: float


class PlacedLine(Protocol):
    """What a line must know to be drawn on: LineRow does, and so does a stored line."""

    @property
    def page_number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def x0(self) -> float: ...
    @property
    def y0(self) -> float: ...
    @property
    def x1(self) -> float: ...
    @property
    def y1(self) -> float: ...
    @property
    def spans(self) -> Sequence[Sequence[float]]: ...


def boxes_of(pieces: Iterable[tuple[int, int, int]], lines: Mapping[int, PlacedLine]) -> list[Box]:
    """One box for each piece (line number, start, end) of the lines given by number; unknown lines give none."""
    return [box_of(lines[number], start, end) for number, start, end in pieces if number in lines and start < end]


def box_of(line: PlacedLine, start: int, end: int) -> Box:
    """The box of characters [start, end) of a line; of the whole line when its text has no horizontal place."""
    if not line.spans:
        return Box(line.page_number, line.x0, line.y0, line.x1, line.y1)
    return Box(line.page_number, left_of(line, start), line.y0, max(left_of(line, start), right_of(line, end)), line.y1)


def left_of(line: PlacedLine, start: int) -> float:
    """Where the character at `start` begins; between spans, where the next one begins."""
    for span_start, span_end, x0, x1 in line.spans:
        if start < span_end:
            return x0 if start <= span_start else place_within(line.text, span_start, span_end, x0, x1, start)
    return line.x1


def right_of(line: PlacedLine, end: int) -> float:
    """Where the character before `end` stops; between spans, where the last one stopped."""
    for span_start, span_end, x0, x1 in reversed(line.spans):
        if end > span_start:
            return x1 if end >= span_end else place_within(line.text, span_start, span_end, x0, x1, end)
    return line.x0


def place_within(text: str, start: float, end: float, x0: float, x1: float, offset: int) -> float:
    """The x before the character at `offset`, the span's width shared out by the widths of its characters."""
    whole = text_width(text[int(start) : int(end)])
    return x0 + (x1 - x0) * text_width(text[int(start) : offset]) / whole if whole else x0


@lru_cache(maxsize=4096)
def text_width(text: str) -> int:
    """The width of a text in thousandths of its font size, as Helvetica would set it."""
    return sum(map(character_width, text))


def character_width(character: str) -> int:
    known = WIDTHS.get(character)
    if known is not None:
        return known
    if character.isdigit():
        return DIGIT_WIDTH
    return WIDE_WIDTH if ord(character) >= FIRST_WIDE else OTHER_WIDTH
