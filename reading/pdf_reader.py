"""The conductor of reading (R1, R4): turns a file into pages, lines and a table of contents, as plain values."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from reading import pdf
from reading.characters import UNKNOWN
from reading.heavier import add_lines
from reading.layout.amounts import has_unread_sign
from reading.layout.furniture import mark_furniture
from reading.layout.kinds import BodyStyle, body_style, mark_contents, mark_kinds
from reading.layout.lines import HIDDEN_SHARE, PageLine, PageText, page_lines, rows_of_lines
from reading.layout.page_numbers import printed_numbers
from reading.layout.ticks import UNREAD
from reading.layout.watermarks import mark_overprinted
from reading.limits import Limits
from reading.outline.contents_pages import linked_targets, mark_announced_list, printed_targets
from reading.outline.extension import extend_starts, with_numbered_parts, with_unlisted
from reading.outline.headings import VERIFIED, SectionStart, TitleTarget, starts_of
from reading.outline.siblings import with_siblings
from reading.outline.statements import with_statements
from reading.outline.toc import Source, mark_struck_names, rows_of_starts, strength_of, take_source
from reading.outline.typography import starts_by_typography
from reading.pages.attachments import Attached, list_attached
from reading.pages.fields import FormField, put_fields
from reading.pages.garbled import is_garbled
from reading.pages.kinds import covered_share, kind_of_page
from reading.pages.quality import quality_flags
from reading.pages.without_text import why_no_text
from reading.processes.clock import Clock
from reading.processes.forked import Patience
from reading.reasons import number_ranges, refusal
from reading.rows import UNSEARCHED_KINDS, ContentsSource, PageRow, Reading, ReadingReport, TextLayer
from reading.titles import find_title

OnProgress = Callable[[int, int], None]
PROGRESS_EVERY = 10  # pages
CONCEALED_MIN = 10  # characters per page; fewer are specks that design programs leave
IMAGES_MAX = 20_000  # ten on each page of the longest document that is read
ATTACHED_NAMED = 10  # in the warning


@dataclass
class Extract:
    """The pages of a file as extracted, and their lines."""

    facts: list[pdf.PageFacts] = field(default_factory=list)
    pages: list[list[PageLine]] = field(default_factory=list)
    column_counts: list[int] = field(default_factory=list)
    blank: set[int] = field(default_factory=set)  # pages that were drawn and have nothing on them

    def total(self, count: str) -> int:
        """Sum one of PageText's counts over the pages."""
        return sum(getattr(fact.text, count) for fact in self.facts if fact.text is not None)


def read_pdf(
    path: Path,
    limits: Limits,
    on_progress: OnProgress | None = None,
    recognised: Mapping[int, PageText] | None = None,
    added: Mapping[int, Sequence[PageLine]] | None = None,
    tried: Collection[int] = (),
    contents_source: ContentsSource = "automatic",
) -> Reading:
    """Read a PDF into rows; `language` stays empty for the caller to set. Raises ReadingError.

    `recognised` is the recognised text of pages that have none, `added` what a heavier reader found on others;
    `tried` are the pages that recognition looked at, in vain or not. The contents are taken from `contents_source`
    where that is usable, else from the first source that is.

    1. text pieces of every page → visual lines in reading order
    2. furniture and contents pages
    3. kinds of the remaining lines
    4. table of contents, line-exact
    """
    clock, patience = Clock(), Patience(limits.wall_s)
    with pdf.open_pdf(path, limits) as document:
        extract = extract_pages(document, limits, on_progress, recognised or {})
        if not any(extract.pages):
            look_for_blank_pages(document, extract, patience)
            raise why_no_text(extract.facts, extract.blank, tried, limits)
        clock.stop("lines")
        mark_overprinted(extract.pages)
        mark_furniture(extract.pages, [fact.width for fact in extract.facts])
        style = body_style(extract.pages)
        mark_contents(extract.pages)
        declared = pdf.read_declared(document, limits, patience)
        unchecked = {"white_unchecked": look_for_white_on_white(document, extract, patience)}
        labels = labels_of(extract, declared.labels)
        clock.stop("furniture")
        mark_kinds(extract.pages, style)
        add_lines(extract.pages, added or {})
        clock.stop("kinds")
        lines = list(chain.from_iterable(extract.pages))
        contents = find_contents(document, declared.outline, patience, lines, style, labels, contents_source)
        starts = contents.starts
        title = find_title(lines, pdf.declared_title(document, limits)) or path.stem
        file_warnings = pdf.file_warnings(document, has_fields=any(fact.fields for fact in extract.facts))
        warnings = (*declared.warnings, *contents.warnings, *file_warnings)
        mark_struck_names(starts, lines)
        toc = rows_of_starts(starts, lines, title)
        clock.stop("toc")
        unchecked["blank_unchecked"] = look_for_blank_pages(document, extract, patience)
        declared_facts = pdf.declared_facts(document, limits)
        attached = list_attached(document, limits, patience)
        clock.stop("white")
    mark_headings(starts, lines)
    line_rows = tuple(rows_of_lines(lines))
    clock.stop("rows")
    return Reading(
        title=title,
        language="",
        pages=tuple(rows_of_pages(extract, labels, limits)),
        lines=line_rows,
        toc=toc,
        warnings=(*page_warnings(extract, limits, unchecked), *warnings, *warn_of(attached)),
        report={
            **report_of(extract, starts, lines, style),
            "contents_sources": contents.sources,
            "declared": declared_facts,
            "attached": [list(each) for each in attached],
            "read_again": methods_added(added or {}),
        },
        timings_ms=clock.timings_ms,
        images=tuple(islice(chain.from_iterable(fact.images for fact in extract.facts), IMAGES_MAX)),
    )


def report_of(
    extract: Extract, starts: Sequence[SectionStart], lines: Sequence[PageLine], style: BodyStyle
) -> ReadingReport:
    """What is counted of a reading: where its contents are from, the kinds of its lines, and its characters."""
    strength, verified_share = strength_of(starts, len(extract.pages))
    return {
        "toc_origin": starts[0].origin if starts else "none",
        "toc_strength": strength,
        "toc_verified_share": round(verified_share, 3),
        "line_kinds": dict(Counter(line.kind for line in lines)),
        "body_size": style.size,
        "chars": extract.total("chars"),
        "removed_chars": extract.total("removed_chars"),
        "hidden_chars": extract.total("hidden_chars"),
        "concealed_chars": extract.total("concealed_chars"),
        "off_page_chars": extract.total("off_page_chars"),
    }


# ---- pages


def extract_pages(
    document: pdf.PdfDocument, limits: Limits, on_progress: OnProgress | None, recognised: Mapping[int, PageText]
) -> Extract:
    """Every page with its lines. Raises ReadingError if the document has more text than allowed."""
    extract = Extract()
    chars = 0
    for fact in pdf.read_pages(document, limits):
        if fact.number in recognised and not (fact.text and fact.text.chars):
            seen = recognised[fact.number]
            seen.off_page_chars = fact.text.off_page_chars if fact.text else 0
            put_fields(seen, fact.shown_fields, fact.width, fact.height)
            fact = fact._replace(text=seen)
        lines, column_count = page_lines(fact.number, fact.text, fact.width, fact.height) if fact.text else ([], 1)
        if fact.text and fact.text.is_recognised:
            for line in lines:
                line.method = "ocr"
        mark_filled(lines, fact.shown_fields)
        extract.facts.append(fact)
        extract.pages.append(lines)
        extract.column_counts.append(column_count)
        chars += fact.text.chars if fact.text else 0
        if chars > limits.document_chars:
            raise refusal("text_too_large", limit=limits.document_chars)
        if on_progress and (fact.number % PROGRESS_EVERY == 0 or fact.number == document.page_count):
            on_progress(fact.number, document.page_count)
    return extract


def mark_filled(lines: Sequence[PageLine], fields: Sequence[FormField]) -> None:
    """Mark the lines beside or in a field of a form: a label with its value is no heading, whatever its number."""
    for line in lines if fields else ():
        boxes = (field.box for field in fields)
        line.is_filled = any(
            line.y0 < (y0 + y1) / 2 < line.y1 or y0 < (line.y0 + line.y1) / 2 < y1 for _, y0, _, y1 in boxes
        )


def look_for_white_on_white(document: pdf.PdfDocument, extract: Extract, patience: Patience) -> list[int]:
    """Count white text on white as concealed; return the pages that could not be checked in time."""
    white = {fact.number: fact.text for fact in extract.facts if fact.text and fact.text.white}
    found = pdf.white_on_white(document, {number: text.white for number, text in white.items()}, patience)
    for number, concealed in found.items():
        spans = [white[number].white[index] for index in concealed]
        white[number].concealed_chars += sum(span.chars for span in spans)
        white[number].concealed += spans
    return [number for number in white if number not in found]


def look_for_blank_pages(document: pdf.PdfDocument, extract: Extract, patience: Patience) -> list[int]:
    """Note the pages without text and pictures that are empty when drawn; return those not drawn in time.

    Of a page that was recognised it is known.
    """
    empty = [fact for fact in extract.facts if fact.text and not fact.text.chars]
    seen = {fact.number for fact in empty if fact.text and fact.text.is_recognised}
    bare = [fact.number for fact in empty if fact.number not in seen and not fact.images]
    drawn = pdf.pages_without_ink(document, bare, patience) if bare else {}
    extract.blank = seen | {number for number, is_even in drawn.items() if is_even}
    return [number for number in bare if number not in drawn]


def labels_of(extract: Extract, declared: Mapping[int, str]) -> Mapping[int, str]:
    """Page number → label: the file's, else the printed number; nothing of a page that has none."""
    if any(label != str(number) for number, label in declared.items()):
        return declared
    concealed = {fact.number: fact.text.concealed for fact in extract.facts if fact.text and fact.text.concealed}
    return printed_numbers(extract.pages, concealed)


def rows_of_pages(extract: Extract, labels: Mapping[int, str], limits: Limits) -> Iterator[PageRow]:
    """One row per page, with its text layer, flags and kind."""
    for fact, lines, column_count in zip(extract.facts, extract.pages, extract.column_counts, strict=True):
        yield PageRow(
            fact.number,
            labels.get(fact.number, "" if labels else str(fact.number)),
            round(fact.width, 2),
            round(fact.height, 2),
            fact.rotation,
            text_layer(fact),
            column_count,
            (
                *page_flags(fact, lines, limits, is_blank=fact.number in extract.blank),
                *quality_flags(lines, fact.images, column_count, fact.width, fact.height),
            ),
            kind_of_page(
                text_layer(fact),
                covered_share(fact.images, fact.width, fact.height),
                fact.fields,
                is_without_ink=fact.number in extract.blank,
            ),
        )


def text_layer(fact: pdf.PageFacts) -> TextLayer:
    if fact.text and fact.text.is_recognised:
        return "ocr"
    if fact.text is None or not fact.text.chars:
        return "none"
    return "ocr" if fact.text.hidden_chars > HIDDEN_SHARE * fact.text.chars else "text"


def page_flags(
    fact: pdf.PageFacts, lines: Sequence[PageLine], limits: Limits, *, is_blank: bool = False
) -> Iterator[str]:
    """What is unusual about a page, for its row, the warnings and the coverage (R11)."""
    if fact.text is None:
        yield "unreadable"
    elif not lines and not fact.is_cut and not fact.text.is_recognised and not is_blank:
        yield "no_text"
    if fact.is_cut:
        yield "text_cut"
    if fact.text and is_garbled((line.text for line in lines), fact.text.chars, fact.text.unknown_chars):
        yield "garbled"
    if any(line.is_divided for line in lines):
        yield "long_lines"
    if max(fact.width, fact.height) > limits.page_side_pt:
        yield "huge_page"
    if fact.text and fact.text.concealed_chars >= CONCEALED_MIN:
        yield "concealed"
    if fact.text and fact.text.struck_chars:
        yield "struck"
    if any(field.signs[1] == UNREAD and not field.is_on for field in fact.shown_fields):
        yield "boxes_unread"
    if fact.text and fact.text.off_page_chars >= CONCEALED_MIN:
        yield "off_page"
    if fact.text and fact.text.is_recognised:
        yield from ["recognised"] * bool(lines)
    elif text_layer(fact) == "ocr":
        yield "hidden_text"


def page_warnings(extract: Extract, limits: Limits, unchecked: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """The warnings about pages, each with its count or page numbers; `unchecked` are those not drawn in time."""
    flagged: dict[str, list[int]] = {}
    for fact, lines in zip(extract.facts, extract.pages, strict=True):
        for flag in page_flags(fact, lines, limits, is_blank=fact.number in extract.blank):
            flagged.setdefault(flag, []).append(fact.number)
    names = {
        "unreadable": "pages_unreadable",
        "no_text": "pages_without_text",
        "text_cut": "page_text_cut",
        "long_lines": "long_lines_divided",
        "recognised": "text_recognised",
        "concealed": "concealed_text",
        "struck": "struck_text",
        "boxes_unread": "boxes_unread",
        "off_page": "off_page_text",
        "garbled": "garbled_pages",
    }
    for flag, numbers in flagged.items():
        yield f"{names[flag]}({number_ranges(numbers)})" if flag in names else flag
    for warning, missed in unchecked.items():
        if missed:
            yield f"{warning}({number_ranges(missed)})"
    marks = [line.page_number for line in chain.from_iterable(extract.pages) if line.kind == "watermark"]
    if marks:
        yield f"watermarks({number_ranges(sorted(set(marks)))}; {len(marks)})"
    if removed := extract.total("removed_chars"):
        yield f"characters_removed({removed})"
    yield from warnings_about_unknown(extract, flagged.get("garbled", ()))


def warnings_about_unknown(extract: Extract, garbled: Collection[int]) -> Iterator[str]:
    """Where glyphs have no known character: beside numbers, of which they may be the minus, and elsewhere.

    Of pages that are garbled more is told.
    """
    numbered, others = [], []
    for fact, lines in zip(extract.facts, extract.pages, strict=True):
        texts = [line.text for line in lines if UNKNOWN in line.text and fact.number not in garbled]
        if any(map(has_unread_sign, texts)):
            numbered.append(fact.number)
        elif texts:
            others.append(fact.number)
    if numbered:
        yield f"signs_unread({number_ranges(numbered)})"
    if others:
        yield f"characters_unread({number_ranges(others)})"


def warn_of(attached: Sequence[Attached]) -> Iterator[str]:
    """The warning that files are attached, with their number and the first names."""
    if attached:
        more = [f"… {len(attached) - ATTACHED_NAMED} more"] if len(attached) > ATTACHED_NAMED else []
        names = ", ".join([*(each.name for each in attached[:ATTACHED_NAMED]), *more])
        yield f"attached_files({len(attached)}: {names})"


def methods_added(added: Mapping[int, Sequence[PageLine]]) -> dict[str, list[int]]:
    """The pages to which a heavier reader added lines, by its method."""
    pages: dict[str, list[int]] = {}
    for number, lines in sorted(added.items()):
        for method in sorted({line.method for line in lines}):
            pages.setdefault(method, []).append(number)
    return pages


# ---- table of contents


class FoundContents(NamedTuple):
    """Where the sections start; `sources` are those that are usable, the automatic one first, with their entries."""

    starts: list[SectionStart]
    sources: list[list[str | int]]
    warnings: list[str]


def find_contents(
    document: pdf.PdfDocument,
    outline: Sequence[pdf.OutlineItem],
    patience: Patience,
    lines: list[PageLine],
    style: BodyStyle,
    labels: Mapping[int, str],
    wanted: ContentsSource,
) -> FoundContents:
    """The starts of the wanted or the first usable source: the file's outline, linked or printed contents, headings."""
    warnings: list[str] = []

    def from_outline() -> list[SectionStart]:
        targets = [TitleTarget(entry.level, entry.title, entry.page_number, entry.y) for entry in outline]
        return with_unlisted(starts_of(targets, lines, "outline"), lines, style)

    def from_links() -> list[SectionStart]:
        links, is_skipped = pdf.read_links(document, patience)
        warnings.extend(["contents_links_skipped"] * is_skipped)
        return select_verified(starts_of(linked_targets(links, lines), lines, "linked_contents"), lines)

    def from_print() -> list[SectionStart]:
        return select_verified(starts_of(printed_targets(lines, labels), lines, "printed_contents"), lines)

    def from_headings() -> list[SectionStart]:
        mark_announced_list(lines)
        return starts_by_typography(lines, style)

    sources: dict[ContentsSource, Source] = {
        "outline": from_outline,
        "linked_contents": from_links,
        "printed_contents": from_print,
        "headings": from_headings,
    }
    taken, usable = take_source(sources, lines, wanted)
    if usable and taken.name == "outline":
        warnings.clear()  # no link was needed
    if wanted not in ("automatic", *(each.name for each in usable)):
        warnings.append("contents_source_unusable")
    extended = extend_starts(with_numbered_parts(taken.starts, lines, style), lines, style)
    starts = with_siblings(with_statements(extended, lines), lines, style)
    return FoundContents(starts, [[each.name, len(each.starts)] for each in usable], warnings)


def select_verified(starts: Sequence[SectionStart], lines: Sequence[PageLine]) -> list[SectionStart]:
    """The starts whose line has their title; contents pages also link to figures and other things without sections."""
    return [start for start in starts if start.confidence >= VERIFIED and lines[start.line_index].kind != "caption"]


def mark_headings(starts: Sequence[SectionStart], lines: Sequence[PageLine]) -> None:
    """Mark start lines that contain their entry's title as headings."""
    for start in starts:
        line = lines[start.line_index]
        if start.confidence >= VERIFIED and line.kind not in UNSEARCHED_KINDS and not line.heading_chars:
            line.kind = "heading"
