"""Words and boxes that stand in a line as pictures become U+FFFD, so that no sign is lost.

In 4,422 pages of public files 56 pictures stood so: two names in another script, and the boxes of three filings. None
was a bullet, a logo or a rule.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from reading.boxes import in_frame
from reading.characters import UNKNOWN
from reading.layout.lines import PAINTED_FLAGS
from reading.layout.strikes import Block, Edges, straight_lines

HEIGHT = (0.7, 1.6)  # of the font size: a bullet is lower, a figure higher
NEAR = 3.0  # of the font size: how far from the words of its line
INTO = 0.3  # of the font size: words that reach further into a picture stand on it


class Words(NamedTuple):
    """The words of a line, in the frame in which it reads from left to right."""

    line: dict[str, Any]
    quarter: int
    box: Edges
    spans: list[dict[str, Any]]
    size: float

    def gaps_to(self, picture: Edges) -> Iterator[float]:
        """The gap between a picture and each span, less than zero where they share some room."""
        x0, _, x1, _ = in_frame(picture, self.quarter)
        for span in self.spans:
            left, _, right, _ = in_frame(span["bbox"], self.quarter)
            yield max(left - x1, x0 - right)

    def is_level_with(self, picture: Edges) -> bool:
        _, top, _, bottom = in_frame(picture, self.quarter)
        return self.box[1] < (top + bottom) / 2 < self.box[3]

    def is_as_high_as(self, picture: Edges) -> bool:
        _, top, _, bottom = in_frame(picture, self.quarter)
        return HEIGHT[0] * self.size <= bottom - top <= HEIGHT[1] * self.size


def put_pictures(blocks: Sequence[Block], pictures: Sequence[Edges]) -> None:
    """Put U+FFFD where a picture stands in a line, in place, as a line of its own of the same block."""
    lines = list(painted_words(blocks)) if pictures else []
    signs: dict[int, tuple[Words, list[Edges]]] = {}
    for picture in pictures:
        if words := words_beside(picture, lines):
            signs.setdefault(id(words.line), (words, []))[1].append(picture)
    for block in blocks if signs else ():
        block["lines"] = [
            part
            for line in block["lines"]
            for part in (cut_at_pictures(*signs[id(line)]) if id(line) in signs else [line])
        ]


def painted_words(blocks: Iterable[Block]) -> Iterator[Words]:
    """The lines whose words are drawn; over what was recognised of a scan its tiles are no signs."""
    for quarter, line in straight_lines(blocks):
        spans = [span for span in line["spans"] if span["text"].strip() and span["char_flags"] & PAINTED_FLAGS]
        if spans:
            yield Words(line, quarter, in_frame(line["bbox"], quarter), spans, max(span["size"] for span in spans))


def words_beside(picture: Edges, lines: Sequence[Words]) -> Words | None:
    """The nearest words at the height of a picture that is as high as they are; None if some stand on it."""
    level = [(min(words.gaps_to(picture)), words) for words in lines if words.is_level_with(picture)]
    gap, words = min(level, key=lambda each: each[0], default=(0.0, None))
    is_beside = words is not None and -INTO * words.size <= gap <= NEAR * words.size
    return words if words and is_beside and words.is_as_high_as(picture) else None


def cut_at_pictures(words: Words, pictures: Sequence[Edges]) -> Iterator[dict[str, Any]]:
    """The line cut where pictures stand, with the sign of each between the parts."""
    rest = words.line["spans"]
    x, y = words.spans[0]["origin"]
    for picture in sorted(pictures, key=lambda box: middle_of(box, words.quarter)):
        middle = middle_of(picture, words.quarter)
        before = [span for span in rest if middle_of(span["bbox"], words.quarter) < middle]
        rest = [span for span in rest if middle_of(span["bbox"], words.quarter) >= middle]
        origin = (x, picture[1]) if words.quarter % 2 else (picture[0], y)
        sign = {**words.spans[0], "text": UNKNOWN, "bbox": picture, "origin": origin}
        yield from (part_with(words.line, spans) for spans in (before, [sign]) if spans)
    if rest:
        yield part_with(words.line, rest)


def middle_of(box: Edges, quarter: int) -> float:
    left, _, right, _ = in_frame(box, quarter)
    return (left + right) / 2


def part_with(line: dict[str, Any], spans: Sequence[dict[str, Any]]) -> dict[str, Any]:
    lefts, tops, rights, bottoms = zip(*(span["bbox"] for span in spans), strict=True)
    return {**line, "bbox": (min(lefts), min(tops), max(rights), max(bottoms)), "spans": list(spans)}
