"""One page of a document (R85): an image below, boxes and selectable text above, all in PDF points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from reading.boxes import StoredBox, box_of_line, text_width, turn_of_line
from reading.rows import ASIDE_KINDS, LineRow
from reading.tables import spans_by_cell

# A box may be "picture" of itself.
MarkKind = Literal["anchor", "context", "other", "found", "line", "furniture", "word"]

CLASSES: dict[str, str] = {
    "anchor": "hl-anchor",
    "context": "hl-context",
    "other": "hl-other",
    "found": "hl-found",
    "word": "hl-word",
    "line": "linebox",
    "furniture": "linebox furniture",
    "picture": "hl-picture",
}
PICTURE_WORDS = {
    "not_read": gettext_lazy("picture, not read"),
    "read": gettext_lazy("picture, read by text recognition"),
}
# Points around a box, so that a highlight does not cut letters; a context is set off from the anchor inside it.
MARGINS = {"anchor": 0.6, "context": 2.5, "other": 0.6, "found": 0.6}
DRAWN_FIRST = ("context", "line", "furniture", "found", "other", "anchor", "word")
TAG_HEIGHT, TAG_PADDING, TAG_BASELINE = 10.0, 8.0, 7.8
TAG_SIZE = 8.5  # as in site.css
TAG_BOLD = 1.12  # of regular letters, whose widths are known: bold Helvetica is 1.00 to 1.14 times as wide
SECTION_TAGS_MIN = 2  # minimum width of a section's box in tag widths, or the tag would cover the heading
TAG_GAP = 22.0  # points; line numbers are in between
SHORT_TAG = 9  # letters: a citation's number, A or C, "line 1234"
BASELINE = 0.22  # share of a line's height below its baseline
NUMBER_GAP = 5.0  # points between a line number and its line
MARKDOWN_SIZE = 1.08  # of a line's height: serif letters are narrower than those that were measured


@dataclass(frozen=True)
class Mark:
    """Boxes that belong together, [{page, x0, y0, x1, y1}] in PDF points, and their tag.

    One with `picture` is a region of its own, named for what it is, and has no part in the tag.
    """

    kind: MarkKind
    boxes: list[StoredBox]
    tag: str = ""


class SheetBox(NamedTuple):
    """A rectangle for SVG, rounded to a tenth of a point."""

    x: float
    y: float
    width: float
    height: float
    css: str


class Tag(NamedTuple):
    """A tag's frame and its letters, which fill `length` in whatever font a browser has."""

    box: SheetBox
    text_x: float
    text_y: float
    length: float
    text: str


class SheetPiece(NamedTuple):
    """A stretch of a line that is printed without a gap. `length` is its width; `space` follows it in the line."""

    text: str
    x: float
    length: float
    space: str


class SheetLine(NamedTuple):
    """A positioned line of text. `size` is its font size."""

    number: int
    number_x: float
    pieces: list[SheetPiece]
    y: float
    size: float
    kind: str


@dataclass(frozen=True)
class Sheet:
    """The data for `documents/_sheet.html`."""

    document_id: str
    page_number: int
    page_label: str
    page_count: int
    width: float
    height: float
    image_url: str | None
    alt: str
    boxes: list[SheetBox] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    lines: list[SheetLine] = field(default_factory=list)

    @property
    def has_picture(self) -> bool:
        return any(box.css == CLASSES["picture"] for box in self.boxes)

    @property
    def has_words(self) -> bool:
        return any(box.css == CLASSES["word"] for box in self.boxes)

    @property
    def has_printed_label(self) -> bool:
        """Whether the page's printed label differs from its number in the file."""
        return bool(self.page_label) and self.page_label != str(self.page_number)


def build_sheet(
    *,
    document_id: UUID | str,
    page_number: int,
    page_label: str,
    width: float,
    height: float,
    marks: Iterable[Mark],
    lines: Sequence[LineRow],
    image: bool,
    page_count: int,
) -> Sheet:
    """The sheet of one page; boxes of other pages are skipped. Without an image its lines are shown as text."""
    drawn = sorted(marks, key=lambda mark: DRAWN_FIRST.index(mark.kind))
    marked = [(mark, [box for box in mark.boxes if box["page"] == page_number]) for mark in drawn]
    here = [(mark, [box for box in boxes if not box.get("picture")]) for mark, boxes in marked]
    pictures: list[StoredBox] = []
    for box in (box for _, boxes in marked for box in boxes if box.get("picture")):
        if box not in pictures:  # cited twice
            pictures.append(box)
    printed = [line for line in lines if line.page_number == page_number]
    return Sheet(
        document_id=str(document_id),
        page_number=page_number,
        page_label=page_label,
        page_count=page_count,
        width=round(width, 1),
        height=round(height, 1),
        image_url=reverse("documents:page_image", args=[document_id, page_number]) if image else None,
        alt=alt_of(page_number, page_label, page_count),
        boxes=[
            *(box_of("picture", box) for box in pictures),
            *(box_of(mark.kind, box) for mark, boxes in here for box in boxes),
        ],
        tags=[
            *(tag_of_picture(box) for box in pictures),
            *(tag_of(mark, boxes, printed) for mark, boxes in here if mark.tag and boxes),
        ],
        lines=[sheet_line(line) for line in printed],
    )


def line_marks(lines: Sequence[LineRow]) -> list[Mark]:
    """The boxes of a page's lines, page furniture separately."""
    return [Mark("furniture" if line.kind in ASIDE_KINDS else "line", [box_of_line(line).as_dict()]) for line in lines]


def boxes_around(lines: Sequence[LineRow]) -> list[StoredBox]:
    """One box per page around its lines."""
    boxes: dict[int, StoredBox] = {}
    for line in lines:
        box = boxes.setdefault(line.page_number, box_of_line(line).as_dict())
        box["x0"], box["y0"] = min(box["x0"], line.x0), min(box["y0"], line.y0)
        box["x1"], box["y1"] = max(box["x1"], line.x1), max(box["y1"], line.y1)
    return list(boxes.values())


def alt_of(page_number: int, page_label: str, page_count: int) -> str:
    words = gettext("Page %(page)s of %(count)s") % {"page": page_number, "count": page_count}
    is_printed = page_label and page_label != str(page_number)
    return f"{words}, " + gettext("printed %(label)s") % {"label": page_label} if is_printed else words


def box_of(kind: str, box: StoredBox) -> SheetBox:
    kind = "picture" if box.get("picture") else kind
    margin = MARGINS.get(kind, 0.0)
    return SheetBox(
        round(box["x0"] - margin, 1),
        round(box["y0"] - margin, 1),
        round(max(box["x1"] - box["x0"], 0) + 2 * margin, 1),
        round(max(box["y1"] - box["y0"], 0) + 2 * margin, 1),
        CLASSES[kind],
    )


def tag_of(mark: Mark, boxes: Sequence[StoredBox], lines: Sequence[LineRow]) -> Tag:
    """A short tag left of the first box and of what is printed before it, clear of the line numbers; a long one on its
    corner.

    A section's name is inside its box at the right, where headings rarely reach, if the box is wide enough.
    """
    frame = box_of(mark.kind, boxes[0])
    width = tag_width(mark.tag)
    left = round(free_left(boxes, lines, width), 1)
    is_beside = len(mark.tag) <= SHORT_TAG and left >= 0
    if mark.kind == "context" and not is_beside and frame.width >= SECTION_TAGS_MIN * width:
        x, y = round(frame.x + max(frame.width - width, 0), 1), max(frame.y, 0.0)
    else:
        x, y = left if is_beside else frame.x, round(max(frame.y - (0 if is_beside else TAG_HEIGHT), 0), 1)
    css = "tagbox ctx" if mark.kind == "context" else "tagbox"
    return tag_in(SheetBox(x, y, width, TAG_HEIGHT, css), mark.tag)


def tag_width(text: str) -> float:
    return round(TAG_BOLD * TAG_SIZE * text_width(text) / 1000 + TAG_PADDING, 1)


def tag_in(box: SheetBox, text: str) -> Tag:
    middle, baseline = round(box.x + box.width / 2, 1), round(box.y + TAG_BASELINE, 1)
    return Tag(box, middle, baseline, round(box.width - TAG_PADDING, 1), text)


def free_left(boxes: Sequence[StoredBox], lines: Sequence[LineRow], width: float) -> float:
    """Where a tag covers no letter of the lines at its height: a quote may begin in the middle of a line."""
    top = boxes[0]["y0"]
    level = [line for line in lines if line.y0 < top + TAG_HEIGHT and line.y1 > top]
    left: float = min(box["x0"] for box in boxes) - width - TAG_GAP
    for line in sorted(level, key=lambda line: line.x0, reverse=True):
        if line.x0 < left + width and line.x1 > left:
            left = line.x0 - width - TAG_GAP
    return left


def tag_of_picture(box: StoredBox) -> Tag:
    """What a picture is, in its upper left corner."""
    words = str(PICTURE_WORDS[box["picture"]])
    x, y = round(box["x0"], 1), round(box["y0"], 1)
    return tag_in(SheetBox(x, y, tag_width(words), TAG_HEIGHT, "tagbox pic"), words)


def sheet_line(line: LineRow) -> SheetLine:
    height = line.y1 - line.y0
    return SheetLine(
        number=line.number,
        number_x=round(line.x0 - NUMBER_GAP, 1),
        pieces=printed_pieces(line),
        y=round(line.y1 - BASELINE * height, 1),
        size=round(max(MARKDOWN_SIZE * height, 1), 1),
        kind=line.kind,
    )


def printed_pieces(line: LineRow) -> list[SheetPiece]:
    """The line cut where its cells stand apart: letters stretched over a gap would be selected beside their print."""
    if not line.spans or turn_of_line(line):
        return [sheet_piece(line.text, line.x0, line.x1)]
    cells = spans_by_cell(line)
    starts = [0, *(spans[0].start for spans in cells[1:]), len(line.text)]
    return [
        sheet_piece(line.text[start:end], spans[0].x0, spans[-1].x1)
        for spans, (start, end) in zip(cells, pairwise(starts), strict=True)
    ]


def sheet_piece(text: str, x0: float, x1: float) -> SheetPiece:
    printed = text.rstrip()
    return SheetPiece(printed, round(x0, 1), round(max(x1 - x0, 1), 1), text[len(printed) :])
