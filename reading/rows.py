"""The rows a document is read into (R1): plain values without database or PDF library, passed between processes.

Visual lines with page and box, entries of the contents with exact line ranges, every line attached to its deepest
entry. What is chosen in a form stands in its lines: ☑, ☐, ◉ or ○ where the box is, before its label, the value of a
list, whether a place is signed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypedDict, get_args

LineKind = Literal["body", "heading", "furniture", "contents", "table_row", "list_item", "caption", "watermark"]
TextLayer = Literal["text", "ocr", "none"]
TocOrigin = Literal["front", "outline", "linked_contents", "printed_contents", "headings", "markdown", "model"]
ContentsSource = Literal["automatic", "outline", "linked_contents", "printed_contents", "headings"]
PageKind = Literal["", "text", "scan", "form", "blank", "image_heavy"]  # "" in readings older than the kinds

CONTENTS_SOURCES: tuple[ContentsSource, ...] = get_args(ContentsSource)
FRONT_INDEX = 0  # TOC index of the lines before the first entry, and of every line without a TOC
STRUCK_MARK = "~~"  # around what is struck through in the name of a section and in what a model reads, as in Markdown
STRUCK_NAME = re.compile(r"~~[^~]*(?:~(?!~)[^~]*)*~~")
STRUCK_TOLD = f"what stands between {STRUCK_MARK} is struck through on the page, and not in force"
ASIDE_KINDS = frozenset({"furniture", "watermark"})  # beside, under or over the text of a page
UNSEARCHED_KINDS = ASIDE_KINDS | {"contents"}  # kept and shown, but never a hit


class PageRow(NamedTuple):
    """One page (R4). Sizes in PDF points after rotation; `label` as printed ("iv"), "" of a page without one
    among others; where the file names none, the number as text.

    `flags` say what is unusual about it (R11), see `reading.pages.quality`.
    """

    number: int
    label: str
    width: float
    height: float
    rotation: int
    text_layer: TextLayer
    column_count: int
    flags: tuple[str, ...]
    kind: PageKind = ""

    @property
    def called(self) -> str:
        """What a page is cited by: its label, else its number."""
        return self.label or str(self.number)


def page_row(stored: Sequence[Any]) -> PageRow:
    """A page of the database or of JSON, whose flags come as a list."""
    page = PageRow._make(stored)
    return page._replace(flags=tuple(page.flags))


def unreadable_pages(pages: Sequence[PageRow]) -> list[int]:
    """The numbers of the pages with something on them that nobody could read; a blank page has nothing to read."""
    return [page.number for page in pages if page.text_layer == "none" and page.kind != "blank"]


class ImageRow(NamedTuple):
    """A picture on a page (R1), numbered from 1 on each page: its box in PDF points, and its own size in pixels."""

    page_number: int
    number_on_page: int
    x0: float
    y0: float
    x1: float
    y1: float
    width_px: int
    height_px: int


class LineSpan(NamedTuple):
    """A piece of a line with one font: characters [start, end) of the text lie between x0 and x1 points.

    `struck` words are crossed out on the page: they are kept and shown, and not searched. Readings before it lack it.
    """

    start: int
    end: int
    x0: float
    x1: float
    struck: bool = False


def cut_spans(spans: Sequence[LineSpan], gap: float) -> list[tuple[int, int]]:
    """Which spans [first, last) no gap wider than this parts; none where there are no spans."""
    wide = [at for at, (before, after) in enumerate(pairwise(spans), 1) if after.x0 - before.x1 > gap]
    return list(pairwise([0, *wide, len(spans)])) if spans else []


def without_struck(text: str, spans: Sequence[LineSpan]) -> str:
    """The text with blanks for what is struck through."""
    for span in spans:
        if span.struck:
            text = f"{text[: span.start]}{' ' * (span.end - span.start)}{text[span.end :]}"
    return text


def struck_stretches(text: str, spans: Sequence[LineSpan]) -> list[tuple[int, int]]:
    """The characters [start, end) of a text that are struck through; pieces side by side are one."""
    found: list[tuple[int, int]] = []
    for span in spans:
        if span.struck:
            is_one = found and not text[found[-1][1] : span.start].strip()
            start = found.pop()[0] if is_one else span.start
            found.append((start, span.end))
    return found


def marked_text(
    text: str, spans: Sequence[LineSpan], start: int, end: int, marks: tuple[str, str] = (STRUCK_MARK, STRUCK_MARK)
) -> str:
    """Characters [start, end) of a text, with marks around what is struck through of them."""
    shown, at = "", start
    for first, last in struck_stretches(text, spans):
        if struck := text[max(first, at) : min(last, end)].replace(STRUCK_MARK, "").strip():
            shown += f"{text[at:first]}{marks[0]}{struck}{marks[1]}"
            at = min(last, end)
    return shown + text[at:end]


def name_in_force(name: str) -> str:
    """The name of a section without what is struck through in it, which stands between double tildes."""
    return " ".join(STRUCK_NAME.sub(" ", name).split()) if STRUCK_MARK in name else name


class LineRow(NamedTuple):
    """One visual line (R2). `number` is document-wide, 1-based, without gaps, and the only one cited (R3).

    The box is in PDF points, top-left origin, after rotation. `match` is the match-only form of `text` (R8), without
    what is struck through.
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

    @property
    def text_in_force(self) -> str:
        """The text with blanks for what is struck through: what values, cells, options and passages are read from."""
        return without_struck(self.text, self.spans)

    @property
    def struck(self) -> str:
        """What is struck through on the line; "" on nearly every one."""
        return " ".join(self.text[start:end] for start, end in struck_stretches(self.text, self.spans))

    def has_struck(self, start: int, end: int) -> bool:
        """Whether any of the characters [start, end) is struck through."""
        return any(span.struck and span.start < end and start < span.end for span in self.spans)

    def marked(self, start: int = 0, end: int | None = None) -> str:
        """Characters [start, end) of the text, with marks around what is struck through of them."""
        return marked_text(self.text, self.spans, start, len(self.text) if end is None else end)


def stored_line(values: Sequence[Any]) -> LineRow:
    """A line from the values of its fields as they are stored and sent, with its pieces as lists."""
    return LineRow._make((*values[:-1], tuple(LineSpan(*span) for span in values[-1])))


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

    `context` (its section path) and `annotation` (a model's sentence) are searched, never quoted. Characters
    [char_start, char_end) of the document's text are its lines; the text is every line, joined by line feeds. Its
    parent is the section, or part of a long one, that is read instead of several of its passages (R74). Passages of
    readings before these were kept have None.
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
    char_start: int | None = None
    char_end: int | None = None
    parent_first_line: int | None = None
    parent_last_line: int | None = None


class ObjectRow(NamedTuple):
    """A thing the text has a name for (R14): kind and label ("table", "3"), the line of its caption or heading.

    The box in PDF points is that of the table or picture with its caption where it is known, else of that line.
    """

    index: int  # type: ignore[assignment]  # hides a tuple method nobody calls
    kind: str
    label: str
    title: str
    page_number: int
    line_number: int
    x0: float
    y0: float
    x1: float
    y1: float


class ReferenceRow(NamedTuple):
    """A place in the text that names a thing (R14): characters [start, end) of a line, and the line it leads to.

    `target_line` is 0 if the document has no such thing; `row` is "(e)" where a row of a table is meant.
    """

    line_number: int
    start: int
    end: int
    kind: str
    label: str
    row: str
    target_line: int


class ReadingReport(TypedDict, total=False):
    """What is said of a reading beside its rows, as JSON; its lower half is noted by the stages after it.

    A stage that cannot be run says why in place of its figures, and nothing ("") where it still may.
    """

    toc_origin: str  # where the contents are from, how sure they are, and the share of them found in the text
    toc_strength: str
    toc_verified_share: float
    contents_sources: list[list[str | int]]  # what the file has beside it, each with its entries
    line_kinds: dict[str, int]
    body_size: float
    chars: int  # in lines; and what is none, nobody sees, is white or tiny, or stands beside the page
    removed_chars: int
    hidden_chars: int
    concealed_chars: int
    off_page_chars: int
    declared: dict[str, str]  # by the file, of itself
    attached: list[list[str]]  # name and digest of each file in it
    read_again: dict[str, list[int]]  # pages by the reader that read them again

    contents: dict[str, Any]  # `documents.ingestion.contents.ContentsOutcome`
    recognition: str  # why pages have no text
    embeddings: str
    vectors: dict[str, Any]  # their model, and how many were computed and copied
    annotation: str | dict[str, Any]  # how many passages were described, of how many, and what it cost
    card: str | dict[str, Any]  # of the model's version: what was left out, and its call


@dataclass(frozen=True)
class Reading:
    """The result of reading a file; stored as a `Parse`."""

    title: str
    language: str
    pages: tuple[PageRow, ...]
    lines: tuple[LineRow, ...]
    toc: tuple[TocRow, ...]
    warnings: tuple[str, ...] = ()
    report: ReadingReport = field(default_factory=ReadingReport)
    timings_ms: dict[str, float] = field(default_factory=dict)
    images: tuple[ImageRow, ...] = ()
