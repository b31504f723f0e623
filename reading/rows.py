"""The rows a document is read into (R1): plain values without database or PDF library, passed between processes."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

LineKind = Literal["body", "heading", "furniture", "contents", "table_row", "list_item", "caption"]
TextLayer = Literal["text", "ocr", "none"]
TocOrigin = Literal["front", "outline", "linked_contents", "printed_contents", "headings", "markdown"]

FRONT_INDEX = 0  # TOC index of the lines before the first entry, and of every line without a TOC
UNSEARCHED_KINDS = frozenset({"furniture", "contents"})  # kept and shown, but never a hit


class PageRow(NamedTuple):
    """One page (R4). Sizes in PDF points after rotation; `label` as printed ("iv"), else the number as text."""

    number: int
    label: str
    width: float
    height: float
    rotation: int
    text_layer: TextLayer
    column_count: int
    flags: tuple[str, ...]


class LineSpan(NamedTuple):
    """A piece of a line with one font: characters [start, end) of the text lie between x0 and x1 points."""

    start: int
    end: int
    x0: float
    x1: float


class LineRow(NamedTuple):
    """One visual line (R2). `number` is document-wide, 1-based, without gaps, and the only one cited (R3).

    The box is in PDF points, top-left origin, after rotation. `match` is the match-only form of `text` (R8).
    """

    number: int
    number_on_page: int
    page_number: int
    toc_index: int
    text: str
    match: str
    x0: float
    y0: float
    x1: float
    y1: float
    column: int
    kind: LineKind
    method: str
    spans: tuple[LineSpan, ...]


class TocRow(NamedTuple):
    """One TOC entry (R5) with the inclusive line and page range of its section, sub-sections included.

    `number` is the printed number ("3.2.1") or "". `confidence` in 0..1 is that of the start line.
    Index 0 is the front matter, present if lines precede the first entry or if there is no TOC.
    """

    index: int  # type: ignore[assignment]  # hides a tuple method nobody calls
    level: int
    parent_index: int | None
    number: str
    title: str
    breadcrumb: str
    first_line: int
    last_line: int
    first_page: int
    last_page: int
    origin: TocOrigin
    confidence: float


class PassageRow(NamedTuple):
    """The unit of search and of embedding (R91): consecutive lines inside one section.

    `context` (its section path) and `annotation` (a model's sentence) are searched, never quoted.
    """

    index: int  # type: ignore[assignment]  # hides a tuple method nobody calls
    first_line: int
    last_line: int
    first_page: int
    last_page: int
    toc_index: int
    kind: str
    text: str
    context: str
    annotation: str = ""


@dataclass(frozen=True)
class Reading:
    """The result of reading a file; stored as a `Parse`."""

    title: str
    language: str
    pages: tuple[PageRow, ...]
    lines: tuple[LineRow, ...]
    toc: tuple[TocRow, ...]
    warnings: tuple[str, ...] = ()
    report: dict[str, Any] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict)
