# mypy: disallow-untyped-calls=False
"""Sample pages set like papers, contracts and manuals: several columns, small capitals, run-in and centred headings."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

SIZE, LEADING = 10.0, 12.0
TEXT = "the parties to this text wrote more than was needed so that every line of it is filled up with words and"
WORDS = TEXT.split()


def running_text(line_count: int, width: float, *, start: int = 0) -> list[str]:
    """Lines of running text that fill a column of that width; the first begins with a capital."""
    lines: list[str] = []
    place = start
    for _ in range(line_count):
        line = ""
        while pymupdf.get_text_length(f"{line} {WORDS[place % len(WORDS)]}", "tiro", SIZE) < width:
            line = f"{line} {WORDS[place % len(WORDS)]}".strip()
            place += 1
        lines.append(line)
    lines[0] = lines[0].capitalize()
    return lines


class Sample:
    """A document written line by line, in one column or two."""

    def __init__(self, *, columns: int = 1) -> None:
        self.document = pymupdf.open()
        self.width = 468.0 if columns == 1 else 222.0
        self.lefts = [72.0] if columns == 1 else [72.0, 318.0]
        self.column = columns
        self.y = 0.0

    def line(self, text: str, *, font: str = "tiro", size: float = SIZE, x: float = 0.0, gap: float = 0.0) -> None:
        """One line at the next free height; `x` is counted from the column's left edge."""
        self.make_room(gap)
        self.page.insert_text((self.lefts[self.column] + x, self.y), text, fontname=font, fontsize=size)
        self.y += max(LEADING, size * 1.2)

    def text(self, line_count: int, *, gap: float = 6.0) -> None:
        for place, line in enumerate(running_text(line_count, self.width)):
            self.line(line, gap=0.0 if place else gap)

    def small_capitals(self, number: str, title: str) -> None:
        """A centred heading whose first letters are larger than the others, as journals set them."""
        parts = [(f"{number} ", SIZE)]
        for word in title.split():
            parts += [(word[0], SIZE), (f"{word[1:]} ", SIZE * 0.8)]
        parts[-1] = (parts[-1][0].rstrip(), parts[-1][1])
        widths = [pymupdf.get_text_length(text, "tiro", size) for text, size in parts]
        self.make_room(10)
        x = self.lefts[self.column] + (self.width - sum(widths)) / 2
        for (text, size), width in zip(parts, widths, strict=True):
            self.page.insert_text((x, self.y), text, fontname="tiro", fontsize=size)
            x += width
        self.y += LEADING

    def run_in(self, heading: str, rest: str) -> None:
        """A heading that its text follows on the same line, all in one font."""
        filled = running_text(3, self.width, start=5)
        self.line(f"{heading} {rest}", gap=6)
        for line in filled:
            self.line(line.lower())

    def make_room(self, gap: float) -> None:
        self.y += gap
        if self.y == gap or self.y > 720:
            self.column += 1
            if self.column >= len(self.lefts):
                self.page = self.document.new_page(width=612, height=792)
                self.column = 0
            self.y = 90.0

    def new_page(self) -> None:
        self.column, self.y = len(self.lefts), 0.0

    def save(self, path: Path) -> Path:
        self.document.save(path)
        return path


def statement_rows(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Rows of a financial statement: a name and two amounts."""
    return [
        (name, f"{place + 3},{place * 37 % 900 + 100}", f"{place + 2},{place * 53 % 900 + 100}")
        for place, name in enumerate(names)
    ]
