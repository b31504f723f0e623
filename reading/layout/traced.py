"""Running text that knows the lines it was made of: what is read in it can be shown where it stands (R15)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from reading.layout.lines import PageLine
from reading.rows import LineRow

DIVIDED = re.compile(r"(?<=\w-) (?=[a-z])")  # between the parts of a word that a line's end divides


class Stretch(NamedTuple):
    """Characters [start, end) of a line, and what they are on the page."""

    number: int
    page_number: int
    start: int
    end: int
    text: str


class TracedValue(NamedTuple):
    """A value as it is told, and the stretches of lines it was read from; none if it was not read from lines."""

    value: str
    stretches: tuple[Stretch, ...] = ()


class TracedLine(NamedTuple):
    number: int
    page_number: int
    text: str


@dataclass(frozen=True)
class TracedText:
    """A text made of lines, with single blanks. `starts` are where each line begins in it before `removed` blanks."""

    text: str
    lines: tuple[TracedLine, ...]
    starts: tuple[int, ...]
    removed: tuple[int, ...]  # each as the place in the text of what follows the blank

    def cut(self, chars: int) -> "TracedText":
        """The same up to so many characters."""
        return replace(self, text=self.text[:chars])

    def whole(self) -> TracedValue:
        return self.printed(0, len(self.text))

    def printed(self, start: int, end: int, strip: str = " ") -> TracedValue:
        """The characters [start, end) without these signs at their edges, and where they stand."""
        value = self.text[start:end]
        start += len(value) - len(value.lstrip(strip))
        value = value.strip(strip)
        return TracedValue(value, self.stretches(start, start + len(value)))

    def stretches(self, start: int, end: int) -> tuple[Stretch, ...]:
        """Where the characters [start, end) stand, a stretch for each line."""
        if start >= end:
            return ()
        first, last = self.joined_place(start), self.joined_place(end - 1)
        lines = range(bisect_right(self.starts, first) - 1, bisect_right(self.starts, last))
        pieces = (stretch_of(self.lines[at], first - self.starts[at], last + 1 - self.starts[at]) for at in lines)
        return tuple(piece for piece in pieces if piece)

    def joined_place(self, at: int) -> int:
        return at + bisect_right(self.removed, at)


def stretch_of(line: TracedLine, start: int, end: int) -> Stretch | None:
    """The stretch of a line by the places in its text with single blanks; None where nothing of it stands there."""
    places: list[int] = []
    for word in re.finditer(r"\S+", line.text):
        places += [word.start() - 1] * bool(places)
        places += range(word.start(), word.end())
    within = places[max(start, 0) : max(end, 0)]
    if not within:
        return None
    first, last = within[0], within[-1] + 1
    return Stretch(line.number, line.page_number, first, last, line.text[first:last])


def trace(
    lines: Iterable[PageLine | LineRow],
    *,
    joint: str = " ",
    ending: Callable[[PageLine], str] | None = None,
    joins_words: bool = False,
) -> TracedText:
    """The text of lines without what is struck, in one: a joint between two lines, and what an ending gives after one.

    `joins_words` leaves no blank in a word that a line's end divides; its hyphen stays.
    """
    traced: list[TracedLine] = []
    texts: list[str] = []
    for line in lines:
        text = line.text_in_force if isinstance(line, LineRow) else line.text
        said = " ".join(text.split())
        said += ending(line) if ending and isinstance(line, PageLine) else ""
        if said or joint == "\n":
            traced.append(TracedLine(line.number, line.page_number, text))
            texts.append(said)
    joined = joint.join(texts)
    starts = tuple(accumulate((len(text) + len(joint) for text in texts), initial=0))[:-1]
    blanks = [found.start() for found in DIVIDED.finditer(joined)] if joins_words else []
    removed = tuple(place - count for count, place in enumerate(blanks))
    return TracedText(DIVIDED.sub("", joined) if joins_words else joined, tuple(traced), starts, removed)
