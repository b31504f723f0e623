"""Which pages were probably not read well (R11), and why.

Each flag asks for a heavier reader, but for three or more columns: none that may be installed orders lines better.
"""

import re
from collections.abc import Iterator, Sequence

from reading.layout.lines import PageLine
from reading.registry.references import named_at
from reading.rows import UNSEARCHED_KINDS, ImageRow, LineRow

# A table whose cells came out one by one: a caption, and ten pieces shorter than five characters and narrower than
# 30 points, which no running text has (R11).
FLAT_LINES, FLAT_CHARS, FLAT_WIDTH = 10, 5, 30.0
COLUMNS_MIN = 3  # of running text: two are usual and read reliably
FIGURE_SIDE_PT = 72.0  # an inch: a smaller picture is a logo, a signature or a symbol
FIGURE_SHARE = 0.03  # of the page: a sixth of it wide and high
READ_LINES = 1  # a line of text inside the picture: what it shows is written there

DOUBTFUL = ("flattened_table", "opaque_figure", "many_columns", "no_text", "unreadable")


def quality_flags(
    lines: Sequence[PageLine], images: Sequence[ImageRow], column_count: int, width: float, height: float
) -> Iterator[str]:
    """The flags of a page with text; a page without any has the flag `no_text` already."""
    if not lines:
        return
    if is_table_flattened(lines):
        yield "flattened_table"
    if any(is_opaque(image, lines, width, height) for image in images):
        yield "opaque_figure"
    if column_count >= COLUMNS_MIN:
        yield "many_columns"


def is_table_flattened(lines: Sequence[PageLine]) -> bool:
    """Whether a page has a caption of a table and many cells that stand alone on a line."""
    short = [line for line in lines if is_cell_alone(line)]
    return len(short) >= FLAT_LINES and any(is_table_caption(line) for line in lines)


def is_cell_alone(line: PageLine) -> bool:
    is_short = len(line.text) < FLAT_CHARS and line.x1 - line.x0 < FLAT_WIDTH
    return is_short and line.kind not in UNSEARCHED_KINDS and bool(re.search(r"\w", line.text))


def is_table_caption(line: PageLine) -> bool:
    named = named_at(line.text) if line.kind == "caption" else None
    return named is not None and named[0] == "table"


def is_opaque(image: ImageRow, lines: Sequence[PageLine | LineRow], width: float, height: float) -> bool:
    """Whether a picture is large enough to show something and has no text inside it."""
    wide, high = image.x1 - image.x0, image.y1 - image.y0
    if min(wide, high) < FIGURE_SIDE_PT or wide * high < FIGURE_SHARE * width * height:
        return False
    return sum(line.kind != "watermark" and is_in_picture(line, image) for line in lines) < READ_LINES


def is_in_picture(line: PageLine | LineRow, image: ImageRow) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return image.x0 <= x <= image.x1 and image.y0 <= y <= image.y1
