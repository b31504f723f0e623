"""Read Markdown and plain text into the same pages, lines and contents as a PDF, without any library."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from reading import markdown
from reading.language import name_language
from reading.layout.kinds import body_style, mark_contents, mark_kinds, numbering_of
from reading.layout.lines import PageLine, rows_of_lines
from reading.limits import Limits
from reading.outline.headings import SectionStart
from reading.outline.numbering import without_gaps
from reading.outline.toc import rows_of_starts, strength_of
from reading.outline.typography import USABLE_ENTRIES, starts_by_typography
from reading.processes.clock import Clock
from reading.reasons import number_ranges, refusal
from reading.rows import LineKind, PageRow, Reading
from reading.titles import find_named, find_title

UNDERLINE = re.compile(r"[ \t]{0,99}(([^\w\s])\2{2,200})[ \t]{0,99}")
UNDERLINE_SLACK = 2  # characters by which the row may be longer or shorter than its title: people count by eye
UNDERLINED_MIN = 2  # a single one is the title of the document
SENTENCE_ENDS = ".:,;!?"  # a paragraph of two lines over a rule, and no title
CELLS = re.compile(r"\t| {3}")  # what stands between the columns of a table, whose head is underlined too


def read_markdown(text: str, limits: Limits | None = None, *, with_language: bool = True) -> Reading:
    """Read Markdown into the same rows, on synthetic pages, with its headings as TOC. Raises ReadingError."""
    sources, removed = markdown.source_lines(check_plain_text(text, limits or Limits()))
    outline = markdown.read_markdown_outline(sources)
    lines, first_of = markdown.laid_out(sources, outline.kinds)
    markdown.mark_struck_words(lines, sources, outline, first_of)
    starts = starts_of_headings(outline.headings, lines, first_of)
    reading = text_reading(lines, starts, find_named(lines) or outline.title, removed)
    return name_language(reading) if with_language else reading


def read_plain_text(text: str, limits: Limits | None = None, *, with_language: bool = True) -> Reading:
    """Read plain text into the same rows, with the headings that are typed as such as TOC. Raises ReadingError."""
    sources, removed = markdown.source_lines(check_plain_text(text, limits or Limits()))
    lines, _ = markdown.laid_out(sources, {})
    title, starts = find_title(lines), typed_headings(lines)
    headings, kinds = underlined_headings(sources)
    if len(headings) >= max(UNDERLINED_MIN, len(starts)):
        lines, first_of = markdown.laid_out(sources, kinds)
        starts = starts_of_headings(headings, lines, first_of)
    reading = text_reading(lines, starts, title, removed)
    return name_language(reading) if with_language else reading


# ---- steps


def check_plain_text(text: str, limits: Limits) -> str:
    if not text.strip():
        raise refusal("empty_file")
    if len(text) > limits.document_chars:
        raise refusal("text_too_large", limit=limits.document_chars)
    return text


def starts_of_headings(
    headings: Sequence[markdown.Heading], lines: Sequence[PageLine], first_of: dict[int, int]
) -> list[SectionStart]:
    """Headings as starts; a skipped level leaves no gap in the path."""
    starts: list[SectionStart] = []
    levels = without_gaps([heading.level for heading in headings])
    for level, heading in zip(levels, headings, strict=True):
        index = first_of[heading.line_index]
        number, _ = numbering_of(heading.title)
        starts.append(SectionStart(level, number, heading.title, index, lines[index].page_number, "markdown", 1.0))
    return starts


def underlined_headings(sources: Sequence[str]) -> tuple[list[markdown.Heading], dict[int, LineKind]]:
    """Titles of one or two lines with a row of one sign as long as they are below them, and the kinds of all lines.

    Each sign, with or without such a row above as well, is a level, in the order in which they are met, as in
    reStructuredText.
    """
    headings: list[markdown.Heading] = []
    kinds: dict[int, LineKind] = {}
    styles: list[tuple[str, bool]] = []
    rows = [UNDERLINE.fullmatch(source) for source in sources]
    for last, row in enumerate(rows[1:]):
        first = next((at for at in (last, last - 1) if at == 0 or not sources[at - 1].strip() or rows[at - 1]), -1)
        said = [line.strip() for line in sources[first : last + 1]] if row and first >= 0 else []
        if not row or not all(said) or not any(map(str.isalpha, " ".join(said))) or any(map(CELLS.search, said)):
            continue
        if abs(max(map(len, said)) - len(row[1])) > UNDERLINE_SLACK or said[-1][-1] in ",;":
            continue
        if len(said) > 1 and any(line[-1] in SENTENCE_ENDS for line in said):
            continue
        over = rows[first - 1] if first and first - 1 not in kinds else None
        is_framed = over is not None and over[2] == row[2]
        if (row[2], is_framed) not in styles:
            styles.append((row[2], is_framed))
        level = styles.index((row[2], is_framed)) + 1
        headings.append(markdown.Heading(first, level, " ".join(said)[: markdown.TITLE_CHARS]))
        kinds.update(dict.fromkeys(range(first, last + 1), "heading"))
        kinds.update(dict.fromkeys([first - 1, last + 1] if is_framed else [last + 1], "furniture"))
    return headings, kinds


def typed_headings(lines: Sequence[PageLine]) -> list[SectionStart]:
    """Headings by number, capitals and blank lines, as in PDFs; none where they are too few to be contents."""
    for line in lines:
        line.is_bold = line.text.isupper()  # what a typewriter has for bold
    pages = [[*page] for _, page in groupby(lines, key=lambda line: line.page_number)]
    style = body_style(pages)._replace(gap=markdown.LEADING - markdown.FONT_SIZE)  # a blank line is more
    mark_contents(pages)
    mark_kinds(pages, style)
    starts = starts_by_typography(lines, style)
    if len(starts) >= USABLE_ENTRIES:
        return starts
    for line in lines:
        line.kind = "body"
    return []


def text_reading(lines: Sequence[PageLine], starts: Sequence[SectionStart], title: str, removed: int) -> Reading:
    """The Reading of laid-out text, its language not named yet."""
    clock = Clock()
    if not lines:
        raise refusal("empty_file")
    toc = rows_of_starts(starts, lines, title)
    rows = tuple(rows_of_lines(lines))
    strength, verified_share = strength_of(starts, lines[-1].page_number)
    clock.stop("rows")
    struck = sorted({line.page_number for line in rows if line.struck})
    width, height = markdown.PAGE_WIDTH, markdown.PAGE_HEIGHT
    return Reading(
        title=title,
        language="",
        pages=tuple(
            PageRow(number, str(number), width, height, 0, "text", 1, ("struck",) if number in struck else (), "text")
            for number in range(1, lines[-1].page_number + 1)
        ),
        lines=rows,
        toc=toc,
        warnings=(
            *([f"struck_text({number_ranges(struck)})"] if struck else []),
            *([f"characters_removed({removed})"] if removed else []),
        ),
        report={
            "toc_origin": starts[0].origin if starts else "none",
            "toc_strength": strength,
            "toc_verified_share": verified_share,
            "line_kinds": dict(Counter(line.kind for line in lines)),
            "chars": sum(len(line.text) for line in lines),
            "removed_chars": removed,
        },
        timings_ms=clock.timings_ms,
    )
