"""What PyMuPDF extracts of a page: blocks of lines of spans, each a dictionary of the library's with these keys.

They are passed on and changed as they are: a page has thousands, and the library's own are the quickest there are.
"""

from typing import TypedDict

Edges = tuple[float, float, float, float]
Point = tuple[float, float]


class Character(TypedDict, total=False):
    c: str
    origin: Point
    bbox: Edges


class Span(TypedDict, total=False):
    """Text in one font and size; where the characters were asked for, these in place of the text."""

    text: str
    chars: list[Character]
    font: str
    size: float
    flags: int  # of the font: bold, raised
    char_flags: int  # of its characters: filled or stroked, struck, without a character in the font
    color: int
    alpha: int
    origin: Point  # where its baseline begins
    bbox: Edges
    struck: bool  # ours: a rule goes through it
    is_named: bool  # ours: the signs of a symbol font were replaced


class SpanLine(TypedDict, total=False):
    spans: list[Span]
    dir: Point  # in which it is read: the cosine and sine
    bbox: Edges


class SpanBlock(TypedDict, total=False):
    type: int  # text, or something drawn, which has no lines
    lines: list[SpanLine]
    bbox: Edges
    stroked: bool  # of something drawn: an outline, not filled
    isrect: bool
    continues: bool  # the next block is of the same path
    color: int
    alpha: int
