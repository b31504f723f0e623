"""The table of contents of a document and the line-exact start of each entry (R5-R7, R13): cheapest source first."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from documents.kinds import HEADING_SCORE, BodyStyle, heading_score, numbering_of
from documents.lines import PageLine
from documents.matching import NOT_WORD, identifier_form
from documents.rows import FRONT_INDEX, TocOrigin, TocRow

HEADING_LINES = 3  # a heading may run over this many lines
TITLE_CHARS = 250
FUZZY_RATIO = 0.86  # how alike a title and its heading must be when they are not equal
USABLE_ENTRIES = 4  # R10: fewer entries do not help
ENTRIES_MAX = 1_000
FRONT_TITLE, WHOLE_TITLE = "Front matter", "Whole document"

# How sure a start line is, by how it was found.
EXACT, PREFIX, BY_TYPOGRAPHY, CONTAINED, FUZZY, BY_HEIGHT, BY_PAGE = 1.0, 0.9, 0.8, 0.75, 0.7, 0.4, 0.3
VERIFIED = 0.7  # from here on the start line carries the title


class Target(NamedTuple):
    """A title and where its source says it stands; `y` is 0 when it only names the page."""

    level: int
    title: str
    page_number: int
    y: float


@dataclass(slots=True)
class Start:
    """An entry with the line (index into all lines) it was found on."""

    level: int
    number: str
    title: str
    line_index: int
    page_number: int
    origin: TocOrigin
    confidence: float


class Forms(dict[int, str]):
    """Line index → its letters and digits, made when asked for: most lines are never compared with a title."""

    def __init__(self, lines: Sequence[PageLine]) -> None:
        super().__init__()
        self.lines = lines

    def __missing__(self, index: int) -> str:
        self[index] = form = NOT_WORD.sub("", self.lines[index].match)
        return form


# ---- finding the line of a title


def starts_of(targets: Sequence[Target], lines: Sequence[PageLine], origin: TocOrigin) -> list[Start]:
    """Each target with its start line; targets in document order keep it."""
    pages = page_ranges(lines)
    forms = Forms(lines)
    starts: list[Start] = []
    after = 0
    for target in targets:
        number, title = numbering_of(target.title)
        place = place_of(target, number, title, lines, forms, pages, after)
        if place is None:
            continue
        index, confidence = place
        printed = number or printed_number(lines, forms, index, target.title)
        shown = " ".join(target.title.split())
        starts.append(Start(target.level, printed, shown, index, lines[index].page_number, origin, confidence))
        after = index
    return starts


def page_ranges(lines: Sequence[PageLine]) -> dict[int, tuple[int, int]]:
    """Page number → its lines as [first, end) indexes."""
    firsts: dict[int, int] = {}
    for index, line in enumerate(lines):
        if line.page_number not in firsts:
            firsts[line.page_number] = index
    ends = [*list(firsts.values())[1:], len(lines)]
    return {number: (first, end) for (number, first), end in zip(firsts.items(), ends, strict=True)}


def place_of(
    target: Target,
    number: str,
    title: str,
    lines: Sequence[PageLine],
    forms: Forms,
    pages: dict[int, tuple[int, int]],
    after: int,
) -> tuple[int, float] | None:
    """The line index and confidence of a target: on its page, else on the next or the previous one."""
    wanted = {identifier_form(target.title), identifier_form(title)} - {""}
    best: tuple[float, int, float] | None = None
    for offset in (0, 1, -1):
        first, end = pages.get(target.page_number + offset, (0, 0))
        for index in range(first, end):
            sureness = sureness_of(wanted, identifier_form(number), index, end, lines, forms)
            if not sureness:
                continue
            merit = sureness + merit_of_place(target, lines[index], is_after=index >= after, is_near=offset == 0)
            if best is None or merit > best[0]:
                best = (merit, index, sureness)
        if best is not None and best[2] >= FUZZY:
            return best[1], best[2]
    if best is not None:
        return best[1], best[2]
    return place_without_title(target, lines, pages)


def sureness_of(wanted: set[str], number: str, index: int, end: int, lines: Sequence[PageLine], forms: Forms) -> float:
    """How well the title is carried by the line, or by it and the next ones."""
    form = forms[index]
    if not form or lines[index].kind == "contents":
        return 0.0
    bare = form.removeprefix(number) if number else strip_number(lines[index], form)
    best = 0.0
    for title in wanted:
        if title in (form, bare):
            return EXACT
        if len(title) > 3 and (form.startswith(title) or bare.startswith(title)):
            best = max(best, PREFIX)
        elif (title.startswith(form) and len(form) > 1) or (title.startswith(bare) and len(bare) > 1):
            best = max(
                best,
                continued(
                    title, form, bare, [forms[after] for after in range(index + 1, min(end, index + HEADING_LINES))]
                ),
            )
        elif len(title) > 7 and title in form:
            best = max(best, CONTAINED if len(form) < 2 * len(title) else 0.5)
        elif (
            best < FUZZY and abs(len(title) - len(bare)) <= 0.2 * len(title) and len(title) > 7 and title[0] == bare[:1]
        ):
            best = max(best, FUZZY * (SequenceMatcher(None, title, bare, autojunk=False).ratio() >= FUZZY_RATIO))
    return best


def continued(title: str, form: str, bare: str, following: Sequence[str]) -> float:
    """A heading that runs on: the following lines must complete the title."""
    for start in (form, bare):
        joined = start
        for part in following:
            if not title.startswith(joined):
                break
            joined += part
            if joined == title or joined.startswith(title):
                return EXACT if joined == title else PREFIX
    return 0.0


def strip_number(line: PageLine, form: str) -> str:
    number, rest = numbering_of(line.text)
    return identifier_form(rest) if number and rest else form


def merit_of_place(target: Target, line: PageLine, *, is_after: bool, is_near: bool) -> float:
    """Nearer to the given height, on the given page, after the previous entry, set like a heading, not furniture."""
    merit = 0.3 * is_after + 0.3 * is_near - 0.6 * (line.kind == "furniture") + 0.15 * line.is_bold
    if target.y > 0 and is_near:
        merit -= min(0.5, abs(line.y0 - target.y) / 400)
    return merit


def place_without_title(
    target: Target, lines: Sequence[PageLine], pages: dict[int, tuple[int, int]]
) -> tuple[int, float] | None:
    """Only the page and perhaps the height are known: the first line from there on."""
    number = target.page_number
    while number not in pages and number - target.page_number < 3:
        number += 1
    if number not in pages:
        return None
    first, end = pages[number]
    candidates = [index for index in range(first, end) if lines[index].kind != "furniture"] or [first]
    if number == target.page_number and target.y > 0:
        below = [index for index in candidates if lines[index].y1 > target.y]
        if below:
            return below[0], BY_HEIGHT
    return candidates[0], BY_PAGE


def printed_number(lines: Sequence[PageLine], forms: Forms, index: int, title: str) -> str:
    """The number the page prints before a title whose source leaves it out."""
    number, rest = numbering_of(lines[index].text)
    if not number:
        return ""
    return number if identifier_form(rest).startswith(identifier_form(title)[:12]) or not rest else ""


# ---- sources


LinkBox = tuple[int, float, float, float, float, int, float]  # page, x0, y0, x1, y1, target page, target y


def targets_of_links(links: Sequence[LinkBox], lines: Sequence[PageLine]) -> list[Target]:
    """The entries of contents pages whose lines are internal links; the lines become kind "contents"."""
    pages = page_ranges(lines)
    found: dict[int, tuple[int, float]] = {}
    for page_number, x0, y0, x1, y1, target_page, target_y in links:
        first, end = pages.get(page_number, (0, 0))
        for index in range(first, end):
            line = lines[index]
            middle = (line.y0 + line.y1) / 2
            if y0 <= middle <= y1 and line.x0 < x1 and line.x1 > x0 and target_page != page_number:
                known = found.get(index)
                if known is None or target_page < known[0]:
                    found[index] = (target_page, target_y)
                break
    return contents_targets(found, lines)


def contents_targets(found: dict[int, tuple[int, float]], lines: Sequence[PageLine]) -> list[Target]:
    """Linked lines as targets, levelled by their indentation; pages with few linked lines are no contents pages."""
    per_page: dict[int, list[int]] = {}
    for index in sorted(found):
        per_page.setdefault(lines[index].page_number, []).append(index)
    kept = [index for indexes in per_page.values() if len(indexes) >= USABLE_ENTRIES for index in indexes]
    targets: list[Target] = []
    for index in kept:
        title = entry_title(lines[index].text)
        if not title or lines[index].kind == "furniture":
            continue
        lines[index].kind = "contents"
        page_number, y = found[index]
        targets.append(Target(0, title, page_number, y))
    return levelled(targets, [lines[index].x0 for index in kept if entry_title(lines[index].text)])


TRAILING_PAGE = re.compile(r"[\s.·_…-]*\b(?:[A-Za-z]{1,2}-?)?\d{0,4}(?:\s*[-–]\s*\d{1,4})?\s*$")


def entry_title(text: str) -> str:
    """The title of a contents line: without leaders and page number; "" when nothing with letters is left."""
    title = TRAILING_PAGE.sub("", text).strip(" .·_…")
    return " ".join(title.split())[:TITLE_CHARS] if sum(map(str.isalpha, title)) >= 3 else ""


PART = re.compile(r"(?:part|teil|partie)\s+[ivx\d]+\b", re.IGNORECASE)
ITEM = re.compile(r"(?:item|chapter|article|section|note|appendix|annex)\s+[\da-z]", re.IGNORECASE)


def levelled(targets: Sequence[Target], lefts: Sequence[float]) -> list[Target]:
    """Levels by "Part", "Item" and printed depth, else by indentation."""
    has_parts = any(PART.match(target.title) for target in targets)
    has_items = any(ITEM.match(target.title) for target in targets)
    margin = min(lefts, default=0.0)
    leveled: list[Target] = []
    item_left = margin
    for target, left in zip(targets, lefts, strict=False):
        if PART.match(target.title):
            level = 1
        elif ITEM.match(target.title):
            level, item_left = 1 + has_parts, left
        else:
            number = numbering_of(target.title)[0]
            depth = number.count(".") if number[:1].isdigit() else 0
            indent = 1 if left > item_left + 8 else 0
            level = 1 + has_parts + has_items * max(indent, 0) + max(depth, indent * (not has_items))
        leveled.append(target._replace(level=max(1, level)))
    return leveled


def starts_by_typography(lines: Sequence[PageLine], style: BodyStyle) -> list[Start]:
    """Headings by R13's score, levelled by numbering depth, then by how they are set."""
    found: list[int] = []
    previous: PageLine | None = None
    for index, line in enumerate(lines):
        if line.kind in ("body", "heading"):
            if heading_score(line, previous, style) >= HEADING_SCORE:
                found.append(index)
            previous = line
    if len(found) > ENTRIES_MAX:
        found = sorted(sorted(found, key=lambda index: -lines[index].size)[:ENTRIES_MAX])
    headings = [lines[index] for index in found]
    numbers = [numbering_of(line.text)[0] for line in headings]
    levels = typographic_levels(headings, numbers)
    return [
        Start(level, number, line.text[:TITLE_CHARS], index, line.page_number, "headings", BY_TYPOGRAPHY)
        for level, number, line, index in zip(levels, numbers, headings, found, strict=True)
    ]


def typographic_levels(lines: Sequence[PageLine], numbers: Sequence[str]) -> list[int]:
    """One level per (size, bold) from the largest down; within one setting, by the depth of the numbering."""
    settings = [(round(line.size), line.is_bold) for line in lines]
    depths = [number.count(".") if number[:1].isdigit() else 0 for number in numbers]
    least: dict[tuple[int, bool], int] = {}
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
