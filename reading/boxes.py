"""The page position of a stretch of a line: one box per line (R85), without opening the PDF again."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, NotRequired, Protocol, TypedDict

# Advance widths in thousandths of the font size, between those of Helvetica and Times, since text is set in either.
WIDTHS = {
    " ": 264, "!": 308, '"': 384, "#": 528, "$": 528, "%": 862, "&": 727, "'": 186, "(": 334, ")": 334, "*": 449,
    "+": 575, ",": 264, "-": 334, ".": 264, "/": 279, ":": 279, ";": 279, "<": 575, "=": 575, ">": 575, "?": 498,
    "@": 968, "A": 698, "B": 669, "C": 695, "D": 724, "E": 639, "F": 584, "G": 751, "H": 724, "I": 308, "J": 443,
    "K": 698, "L": 587, "M": 865, "N": 724, "O": 751, "P": 610, "Q": 751, "R": 695, "S": 610, "T": 613, "U": 724,
    "V": 698, "W": 947, "X": 698, "Y": 698, "Z": 613, "[": 308, "]": 308, "_": 528, "a": 498, "b": 528, "c": 472,
    "d": 528, "e": 498, "f": 308, "g": 528, "h": 528, "i": 252, "j": 252, "k": 501, "l": 252, "m": 806, "n": 528,
    "o": 528, "p": 528, "q": 528, "r": 334, "s": 443, "t": 279, "u": 528, "v": 501, "w": 724, "x": 501, "y": 501,
    "z": 472, "—": 1003, "–": 528, "•": 351, "…": 1003, "’": 281, "‘": 281, "“": 393, "”": 393,
}  # fmt: skip
DIGIT_WIDTH, OTHER_WIDTH, WIDE_WIDTH = 528, 528, 1000
FIRST_WIDE = 0x2E80  # East Asian characters begin here, which fill the em square


class StoredBox(TypedDict):
    """A box as it is stored and as programs read it; `picture` is "read" or "not_read" on that of a picture."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    picture: NotRequired[str]


class Box(NamedTuple):
    """A rectangle on a page, in PDF points, top-left origin, after rotation."""

    page_number: int
    x0: float
    y0: float
    x1: float
    y1: float

    def as_dict(self) -> StoredBox:
        return {"page": self.page_number, "x0": self.x0, "y0": self.y0, "x1": self.x1, "y1": self.y1}


class PictureBox(NamedTuple):
    """The rectangle of a picture that cited lines belong to, and whether text recognition read anything in it."""

    page_number: int
    x0: float
    y0: float
    x1: float
    y1: float
    is_read: bool

    def as_dict(self) -> StoredBox:
        """A box that `picture` tells from those of text."""
        return {**Box(*self[:5]).as_dict(), "picture": "read" if self.is_read else "not_read"}


class PlacedLine(Protocol):
    """What is needed to draw on a line: LineRow has it, and so has a stored line."""

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


def box_of_line(line: PlacedLine) -> Box:
    return Box(line.page_number, line.x0, line.y0, line.x1, line.y1)


def box_of(line: PlacedLine, start: int, end: int) -> Box:
    """The box of characters [start, end) of a line; of the whole line if its text has no position of its own."""
    if not line.spans:
        return box_of_line(line)
    turn = turn_of_line(line)
    _, y0, _, y1 = own_edges(line, turn)
    left = left_of(line, start)
    return Box(line.page_number, *in_frame((left, y0, max(left, right_of(line, end)), y1), -turn % 4))


def turn_of_line(line: PlacedLine) -> int:
    """The quarter turns of a line's text: its spans run in the frame in which it reads from left to right.

    That frame has the page's origin: a line read from top to bottom runs along y, one from bottom to top along -y.
    """
    first, last = line.spans[0][2], line.spans[-1][3]
    edges = ((line.x0, line.x1), (line.y0, line.y1), (-line.x1, -line.x0), (-line.y1, -line.y0))
    off = [abs(first - left) + abs(last - right) for left, right in edges]
    return off.index(min(off))


def own_edges(line: PlacedLine, turn: int) -> tuple[float, float, float, float]:
    """The box of a line in the frame in which its text reads from left to right."""
    return in_frame((line.x0, line.y0, line.x1, line.y1), turn)


def in_frame(box: tuple[float, float, float, float], turn: int) -> tuple[float, float, float, float]:
    """A box on the page in the frame of text with so many quarter turns; with as many back to four, the reverse."""
    x0, y0, x1, y1 = box
    return ((x0, y0, x1, y1), (y0, -x1, y1, -x0), (-x1, -y1, -x0, -y0), (-y1, x0, -y0, x1))[turn]


def left_of(line: PlacedLine, start: int) -> float:
    """Where the character at `start` begins; between spans, where the next span begins."""
    for span_start, span_end, x0, x1, *_ in line.spans:
        if start < span_end:
            is_first = start <= span_start
            return x0 if is_first else place_within(line.text, span_start, span_end, x0, x1, start, into=start - 1)
    return line.spans[-1][3]


def right_of(line: PlacedLine, end: int) -> float:
    """Where the character before `end` stops; between spans, where the last span stopped."""
    for span_start, span_end, x0, x1, *_ in reversed(line.spans):
        if end > span_start:
            return x1 if end >= span_end else place_within(line.text, span_start, span_end, x0, x1, end, into=end)
    return line.spans[0][2]


def place_within(text: str, start: float, end: float, x0: float, x1: float, offset: int, *, into: int) -> float:
    """The x before the character at `offset`, the span's width shared out by the widths of its characters.

    The widths only approximate the font's, so an edge beside a space (the character at `into`) is put in its middle.
    """
    whole = text_width(text[int(start) : int(end)])
    if not whole:
        return x0
    before = float(text_width(text[int(start) : offset]))
    if text[into] == " ":
        before += character_width(" ") / 2 if into == offset else -character_width(" ") / 2
    return x0 + (x1 - x0) * before / whole


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
