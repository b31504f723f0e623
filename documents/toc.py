"""The table of contents of a document: starts from the first usable source become line-exact sections (R5-R7, R13)."""

from collections.abc import Callable, Sequence

from documents.kinds import HEADING_SCORE, BodyStyle, heading_score, numbering_of
from documents.lines import PageLine
from documents.placing import BY_TYPOGRAPHY, HEADING_LINES, VERIFIED, Start
from documents.rows import FRONT_INDEX, UNSEARCHED_KINDS, TocRow

TITLE_CHARS = 250
USABLE_ENTRIES = 4  # R10: fewer entries do not help
ENTRIES_MAX = 1_000
# Lines an entry: many outlines and contents pages stop at a shallow level, which hides where something stands.
COARSE_LINES = 100
LONG_SECTION = 90  # lines, about two pages
LINES_PER_ENTRY = 50  # the shallowest headings are taken until there is one entry for this many lines
FRONT_TITLE, WHOLE_TITLE = "Front matter", "Whole document"


def starts_by_typography(lines: Sequence[PageLine], style: BodyStyle) -> list[Start]:
    """Headings by R13's score, levelled by numbering depth, then by how they are set."""
    found: list[int] = []
    previous: PageLine | None = None
    for index, line in enumerate(lines):
        if line.kind == "heading" and heading_score(line, previous, style) >= HEADING_SCORE:
            found.append(index)
        if line.kind not in UNSEARCHED_KINDS:
            previous = line
    if len(found) > ENTRIES_MAX:
        found = sorted(sorted(found, key=lambda index: -lines[index].size)[:ENTRIES_MAX])
    whole = Start(0, "", "", 0, 1, "headings", BY_TYPOGRAPHY)
    return parts_of(whole, found, lines)


def extended(starts: Sequence[Start], lines: Sequence[PageLine]) -> list[Start]:
    """In a coarse table of contents the long sections without parts of their own get their headings as parts."""
    if len(lines) <= COARSE_LINES * len(starts) or not starts:
        return list(starts)
    ordered = sorted(starts, key=lambda start: start.line_index)
    taken = {start.line_index for start in ordered}
    bounds = [*(start.line_index for start in ordered[1:]), len(lines)]
    added: list[Start] = []
    for start, end in zip(ordered, bounds, strict=True):
        if end - start.line_index > LONG_SECTION:
            inside = range(start.line_index + 1, end)
            found = [index for index in inside if lines[index].kind == "heading" and index not in taken]
            added += parts_of(start, found, lines)
    room = max(0, len(lines) // LINES_PER_ENTRY - len(ordered))
    added = sorted(added, key=lambda start: start.level)[:room]
    return sorted([*ordered, *added], key=lambda start: start.line_index)


def parts_of(start: Start, found: Sequence[int], lines: Sequence[PageLine]) -> list[Start]:
    """The headings inside one section as starts below its level; a heading's second line belongs to the first."""
    first_lines = [index for index in found if not goes_on(index, lines)]
    headings = [lines[index] for index in first_lines]
    numbers = [numbering_of(line.text)[0] for line in headings]
    levels = typographic_levels(headings, numbers)
    return [
        Start(
            start.level + level,
            number,
            heading_title(index, lines),
            index,
            lines[index].page_number,
            "headings",
            BY_TYPOGRAPHY,
        )
        for level, number, index in zip(levels, numbers, first_lines, strict=True)
    ]


def goes_on(index: int, lines: Sequence[PageLine]) -> bool:
    """Whether a heading line continues the one above it."""
    line, above = lines[index], lines[index - 1]
    return (
        above.kind == "heading"
        and above.page_number == line.page_number
        and abs(above.size - line.size) < 0.5
        and above.is_bold == line.is_bold
        and 0 <= line.y0 - above.y0 < 1.5 * line.size
        and not numbering_of(line.text)[0]
    )


def heading_title(index: int, lines: Sequence[PageLine]) -> str:
    """A heading's text over all its lines."""
    texts = [lines[index].text]
    while index + 1 < len(lines) and lines[index + 1].kind == "heading" and goes_on(index + 1, lines):
        index += 1
        texts.append(lines[index].text)
    return " ".join(" ".join(texts).split())[:TITLE_CHARS]


def typographic_levels(lines: Sequence[PageLine], numbers: Sequence[str]) -> list[int]:
    """One level per (size, bold, capitals) from the largest down; within one setting, by the depth of the numbering."""
    settings = [(round(line.size), line.is_bold, line.text.isupper()) for line in lines]
    depths = [number.count(".") if number[:1].isdigit() else 0 for number in numbers]
    least: dict[tuple[int, bool, bool], int] = {}
    for setting, depth in zip(settings, depths, strict=True):
        least[setting] = min(depth, least.get(setting, depth))
    rank = {setting: min(level, 5) for level, setting in enumerate(sorted(least, reverse=True), start=1)}
    return [rank[setting] + depth - least[setting] for setting, depth in zip(settings, depths, strict=True)]


# ---- rows


def rows_of_starts(starts: Sequence[Start], lines: Sequence[PageLine], document_title: str) -> tuple[TocRow, ...]:
    """Entries with inclusive line and page ranges, front matter first; sets `toc_index` of every line."""
    ordered = sorted(starts, key=lambda start: start.line_index)
    last_line = len(lines)
    if not ordered:
        return (whole_document(lines, document_title),) if lines else ()
    rows: list[TocRow] = []
    if ordered[0].line_index > 0:
        rows.append(front_matter(lines, ordered[0].line_index))
    ancestors: list[TocRow] = []
    ends = section_ends(ordered, last_line)
    for index, (start, end) in enumerate(zip(ordered, ends, strict=True), start=1):
        ancestors = [row for row in ancestors if row.level < start.level]
        row = TocRow(
            index,
            start.level,
            ancestors[-1].index if ancestors else None,
            start.number,
            start.title,
            " > ".join([*(ancestor.title for ancestor in ancestors), start.title]),
            start.line_index + 1,
            end,
            start.page_number,
            lines[end - 1].page_number,
            start.origin,
            start.confidence,
        )
        rows.append(row)
        ancestors.append(row)
    attach(lines, ordered)
    return tuple(rows)


def section_ends(ordered: Sequence[Start], last_line: int) -> list[int]:
    """R6: a section ends before the next entry of the same or a shallower level; never before it began."""
    ends = [last_line] * len(ordered)
    open_entries: list[int] = []
    for index, start in enumerate(ordered):
        while open_entries and ordered[open_entries[-1]].level >= start.level:
            before = open_entries.pop()
            ends[before] = max(start.line_index, ordered[before].line_index + 1)
        open_entries.append(index)
    return ends


def attach(lines: Sequence[PageLine], ordered: Sequence[Start]) -> None:
    """R7: every line belongs to the entry begun last, which is the deepest one that contains it."""
    bounds = [start.line_index for start in ordered[1:]] + [len(lines)]
    for line in lines[: ordered[0].line_index]:
        line.toc_index = FRONT_INDEX
    for index, (start, end) in enumerate(zip(ordered, bounds, strict=True), start=1):
        for line in lines[start.line_index : end]:
            line.toc_index = index


def front_matter(lines: Sequence[PageLine], end: int) -> TocRow:
    page = lines[end - 1].page_number
    return TocRow(FRONT_INDEX, 1, None, "", FRONT_TITLE, FRONT_TITLE, 1, end, lines[0].page_number, page, "front", 1.0)


def whole_document(lines: Sequence[PageLine], title: str) -> TocRow:
    title = title or WHOLE_TITLE
    pages = (lines[0].page_number, lines[-1].page_number)
    return TocRow(FRONT_INDEX, 1, None, "", title, title, 1, len(lines), *pages, "front", 1.0)


def strength_of(starts: Sequence[Start], page_count: int) -> tuple[str, float]:
    """How far a table of contents can be trusted, and the share of titles found on their start line."""
    if not starts:
        return "none", 0.0
    verified = sum(start.confidence >= VERIFIED for start in starts) / len(starts)
    if len(starts) < USABLE_ENTRIES or verified < 0.5:
        return "weak", verified
    is_fine = len(starts) >= page_count / 10
    is_given = starts[0].origin in ("outline", "linked_contents", "markdown")
    return ("strong" if verified >= 0.9 and is_given and is_fine else "medium"), verified


Source = Callable[[], list[Start]]


def first_usable(sources: Sequence[Source]) -> list[Start]:
    """The starts of the first source that has enough of them and finds most titles; else the best there is."""
    tried: list[list[Start]] = []
    for source in sources:
        starts = source()
        verified = sum(start.confidence >= VERIFIED for start in starts)
        if len(starts) >= USABLE_ENTRIES and verified * 2 >= len(starts):
            return starts
        tried.append(starts)
    return max(tried, key=lambda starts: sum(start.confidence for start in starts), default=[])


def title_from_lines(lines: Sequence[PageLine]) -> str:
    """The largest text of the first page, as a title for a file that declares none."""
    first = [line for line in lines if line.page_number == 1 and not line.is_rotated and len(line.text) > 3]
    largest = max((line.size for line in first), default=0.0)
    words = [line.text for line in first if line.size >= largest - 0.5][:HEADING_LINES]
    return " ".join(" ".join(words).split())[:TITLE_CHARS] if words else ""
