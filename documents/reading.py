"""The conductor of reading: a file becomes pages, lines and a table of contents, as plain values."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from documents import markdown, pdf
from documents.contents import linked_targets, printed_targets
from documents.furniture import mark_furniture
from documents.kinds import BodyStyle, body_style, mark_contents, mark_kinds, numbering_of
from documents.language import detect_language, sample_of
from documents.limits import MIB, Limits
from documents.lines import PageLine, PageText, page_lines
from documents.placing import VERIFIED, Start, Target, starts_of
from documents.reasons import refusal
from documents.rows import UNSEARCHED_KINDS, LineRow, PageRow, Reading, TextLayer
from documents.toc import (
    extended,
    first_usable,
    rows_of_starts,
    starts_by_typography,
    strength_of,
    title_from_lines,
    with_numbered_parts,
)

OnProgress = Callable[[int, int], None]
PROGRESS_EVERY = 10  # pages
HIDDEN_SHARE = 0.5  # of a page's characters: its text is what text recognition wrote, not what is drawn
GARBLED_SHARE = 0.4  # of the characters without a known letter


class Clock:
    """Milliseconds per step of a reading."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}
        self.since = time.perf_counter()

    def stop(self, step: str) -> None:
        """Book the time since the last step on this one."""
        now = time.perf_counter()
        self.timings_ms[step] = round((now - self.since) * 1000, 1)
        self.since = now


@dataclass
class Extract:
    """The pages of a file as extracted, and their lines."""

    facts: list[pdf.PageFacts] = field(default_factory=list)
    pages: list[list[PageLine]] = field(default_factory=list)
    column_counts: list[int] = field(default_factory=list)

    def total(self, count: str) -> int:
        """The sum of one of PageText's counts over the pages."""
        return sum(getattr(fact.text, count) for fact in self.facts if fact.text is not None)


def read_pdf(
    path: Path,
    limits: Limits,
    on_progress: OnProgress | None = None,
    recognised: Mapping[int, PageText] | None = None,
) -> Reading:
    """Read a PDF into rows; `language` stays empty for the caller to name. Raises ReadingError.

    `recognised` has the text of pages that hold none of their own.

    1. text pieces of every page → visual lines in reading order
    2. furniture and contents pages
    3. kinds of the remaining lines
    4. table of contents, line-exact
    """
    clock = Clock()
    with pdf.opened(path, limits) as document:
        extract = extract_pages(document, limits, on_progress, recognised or {})
        check_text(extract, limits)
        clock.stop("lines")
        mark_furniture(extract.pages, [fact.width for fact in extract.facts])
        style = body_style(extract.pages)
        mark_contents(extract.pages)
        clock.stop("furniture")
        mark_kinds(extract.pages, style)
        clock.stop("kinds")
        lines = list(chain.from_iterable(extract.pages))
        starts, toc_warnings = find_starts(document, limits, lines, style)
        title = pdf.title_of(document, limits) or title_from_lines(lines) or path.stem
        file_warnings = pdf.file_warnings(document)
    toc = rows_of_starts(starts, lines, title)
    clock.stop("toc")
    mark_headings(starts, lines)
    line_rows = tuple(rows_of_lines(lines))
    clock.stop("rows")
    strength, verified_share = strength_of(starts, len(extract.pages))
    return Reading(
        title=title,
        language="",
        pages=tuple(rows_of_pages(extract, limits)),
        lines=line_rows,
        toc=toc,
        warnings=(*page_warnings(extract, limits), *toc_warnings, *file_warnings),
        report={
            "toc_origin": starts[0].origin if starts else "none",
            "toc_strength": strength,
            "toc_verified_share": round(verified_share, 3),
            "line_kinds": dict(Counter(line.kind for line in lines)),
            "body_size": style.size,
            "chars": extract.total("chars"),
            "removed_chars": extract.total("removed_chars"),
            "hidden_chars": extract.total("hidden_chars"),
        },
        timings_ms=clock.timings_ms,
    )


def read_markdown(text: str, limits: Limits | None = None) -> Reading:
    """Read Markdown into the same rows, on synthetic pages, with its headings as TOC. Raises ReadingError."""
    sources, removed = markdown.source_lines(checked(text, limits or Limits()))
    outline = markdown.read_outline(sources)
    lines, first_of = markdown.laid_out(sources, outline.kinds)
    starts = starts_of_headings(outline.headings, lines, first_of)
    return text_reading(lines, starts, outline.title, removed)


def read_plain_text(text: str, limits: Limits | None = None) -> Reading:
    """Read plain text into the same rows, without a TOC. Raises ReadingError."""
    sources, removed = markdown.source_lines(checked(text, limits or Limits()))
    lines, _ = markdown.laid_out(sources, {})
    return text_reading(lines, [], "", removed)


# ---- pages


def extract_pages(
    document: pdf.Document, limits: Limits, on_progress: OnProgress | None, recognised: Mapping[int, PageText]
) -> Extract:
    """Every page with its lines. Raises ReadingError when the document holds more text than allowed."""
    extract = Extract()
    chars = 0
    for fact in pdf.read_pages(document, limits):
        if fact.number in recognised and not (fact.text and fact.text.chars):
            fact = fact._replace(text=recognised[fact.number])
        lines, column_count = page_lines(fact.number, fact.text, fact.width, fact.height) if fact.text else ([], 1)
        if fact.text and fact.text.is_recognised:
            for line in lines:
                line.method = "ocr"
        extract.facts.append(fact)
        extract.pages.append(lines)
        extract.column_counts.append(column_count)
        chars += fact.text.chars if fact.text else 0
        if chars > limits.document_chars:
            raise refusal("text_too_large", limit=limits.document_chars)
        if on_progress and (fact.number % PROGRESS_EVERY == 0 or fact.number == document.page_count):
            on_progress(fact.number, document.page_count)
    return extract


def check_text(extract: Extract, limits: Limits) -> None:
    """Raise ReadingError when no page gave text, with the reason that stands behind it."""
    if any(extract.pages):
        return
    if any(fact.is_out_of_memory for fact in extract.facts):
        raise refusal("parse_memory", memory_mb=limits.memory_bytes // MIB)
    if any(fact.is_cut for fact in extract.facts):
        raise refusal("text_too_large", limit=limits.page_chars)
    if all(fact.text is None for fact in extract.facts):
        raise refusal("damaged", "no page could be read")
    raise refusal("no_text")


def rows_of_pages(extract: Extract, limits: Limits) -> Iterator[PageRow]:
    """One row a page, with its text layer and flags."""
    for fact, lines, column_count in zip(extract.facts, extract.pages, extract.column_counts, strict=True):
        yield PageRow(
            fact.number,
            fact.label or str(fact.number),
            round(fact.width, 2),
            round(fact.height, 2),
            fact.rotation,
            text_layer(fact),
            column_count,
            tuple(page_flags(fact, lines, limits)),
        )


def text_layer(fact: pdf.PageFacts) -> TextLayer:
    if fact.text and fact.text.is_recognised:
        return "ocr"
    if fact.text is None or not fact.text.chars:
        return "none"
    return "ocr" if fact.text.hidden_chars > HIDDEN_SHARE * fact.text.chars else "text"


def page_flags(fact: pdf.PageFacts, lines: Sequence[PageLine], limits: Limits) -> Iterator[str]:
    if fact.text is None:
        yield "unreadable"
    elif not lines and not fact.is_cut and not fact.text.is_recognised:
        yield "no_text"
    if fact.is_cut:
        yield "text_cut"
    if max(fact.width, fact.height) > limits.page_side_pt:
        yield "huge_page"
    if fact.text and fact.text.is_recognised:
        yield from ["recognised"] * bool(lines)
    elif text_layer(fact) == "ocr":
        yield "hidden_text"


def page_warnings(extract: Extract, limits: Limits) -> Iterator[str]:
    """The warnings that come from pages, each with its count or page numbers."""
    flagged: dict[str, list[int]] = {}
    for fact, lines in zip(extract.facts, extract.pages, strict=True):
        for flag in page_flags(fact, lines, limits):
            flagged.setdefault(flag, []).append(fact.number)
    names = {
        "unreadable": "pages_unreadable",
        "no_text": "pages_without_text",
        "text_cut": "page_text_cut",
        "recognised": "text_recognised",
    }
    for flag, numbers in flagged.items():
        yield f"{names[flag]}({number_ranges(numbers)})" if flag in names else flag
    if removed := extract.total("removed_chars"):
        yield f"characters_removed({removed})"
    if extract.total("unknown_chars") > GARBLED_SHARE * extract.total("chars"):
        yield "garbled_text"


def number_ranges(numbers: Sequence[int]) -> str:
    """Page numbers as people write them: "1-3, 7"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)


# ---- table of contents


def find_starts(
    document: pdf.Document, limits: Limits, lines: list[PageLine], style: BodyStyle
) -> tuple[list[Start], list[str]]:
    """The starts of the first usable source: the file's outline, linked or printed contents pages, headings."""
    outline, warnings = pdf.read_outline(document, limits)

    def from_outline() -> list[Start]:
        targets = [Target(entry.level, entry.title, entry.page_number, entry.y) for entry in outline]
        return starts_of(targets, lines, "outline")

    def from_links() -> list[Start]:
        links, is_skipped = pdf.read_links(document)
        warnings.extend(["contents_links_skipped"] * is_skipped)
        return verified(starts_of(linked_targets(links, lines), lines, "linked_contents"))

    def from_print() -> list[Start]:
        return verified(starts_of(printed_targets(lines), lines, "printed_contents"))

    def from_headings() -> list[Start]:
        return starts_by_typography(lines, style)

    starts = first_usable([from_outline, from_links, from_print, from_headings])
    return extended(with_numbered_parts(starts, lines, style), lines, style), warnings


def verified(starts: Sequence[Start]) -> list[Start]:
    """The starts that carry their title: a contents page also links to what is no section."""
    return [start for start in starts if start.confidence >= VERIFIED]


def mark_headings(starts: Sequence[Start], lines: Sequence[PageLine]) -> None:
    """The start line of an entry whose title it carries is a heading."""
    for start in starts:
        line = lines[start.line_index]
        if start.confidence >= VERIFIED and line.kind not in UNSEARCHED_KINDS:
            line.kind = "heading"


# ---- text files


def checked(text: str, limits: Limits) -> str:
    if not text.strip():
        raise refusal("empty_file")
    if len(text) > limits.document_chars:
        raise refusal("text_too_large", limit=limits.document_chars)
    return text


def starts_of_headings(
    headings: Sequence[markdown.Heading], lines: Sequence[PageLine], first_of: dict[int, int]
) -> list[Start]:
    """Headings as starts; a skipped level does not open a gap in the path."""
    starts: list[Start] = []
    path: list[int] = []
    for heading in headings:
        while path and path[-1] >= heading.level:
            path.pop()
        path.append(heading.level)
        index = first_of[heading.line_index]
        number, _ = numbering_of(heading.title)
        starts.append(Start(len(path), number, heading.title, index, lines[index].page_number, "markdown", 1.0))
    return starts


def text_reading(lines: Sequence[PageLine], starts: Sequence[Start], title: str, removed: int) -> Reading:
    """The Reading of laid-out text."""
    clock = Clock()
    if not lines:
        raise refusal("empty_file")
    toc = rows_of_starts(starts, lines, title)
    rows = tuple(rows_of_lines(lines))
    strength, verified_share = strength_of(starts, lines[-1].page_number)
    clock.stop("rows")
    width, height = markdown.PAGE_WIDTH, markdown.PAGE_HEIGHT
    return Reading(
        title=title,
        language=detect_language(sample_of(rows))[0],
        pages=tuple(
            PageRow(number, str(number), width, height, 0, "text", 1, ())
            for number in range(1, lines[-1].page_number + 1)
        ),
        lines=rows,
        toc=toc,
        warnings=(f"characters_removed({removed})",) if removed else (),
        report={
            "toc_origin": "markdown" if starts else "none",
            "toc_strength": strength,
            "toc_verified_share": verified_share,
            "line_kinds": dict(Counter(line.kind for line in lines)),
            "chars": sum(len(line.text) for line in lines),
            "removed_chars": removed,
        },
        timings_ms=clock.timings_ms,
    )


# ---- rows


def rows_of_lines(lines: Sequence[PageLine]) -> Iterator[LineRow]:
    """Number the lines through the document and within their page."""
    page_number = number_on_page = 0
    for number, line in enumerate(lines, start=1):
        number_on_page = number_on_page + 1 if line.page_number == page_number else 1
        page_number = line.page_number
        yield LineRow(
            number,
            number_on_page,
            page_number,
            line.toc_index,
            line.text,
            line.match,
            round(line.x0, 2),
            round(line.y0, 2),
            round(line.x1, 2),
            round(line.y1, 2),
            line.column,
            line.kind,
            line.method,
            line.spans,
        )
