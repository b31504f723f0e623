"""Contents pages as a source of entries: their lines are internal links, or end in printed page numbers (R13)."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from documents.kinds import CAPTION, numbering_of
from documents.lines import PageLine
from documents.matching import NOT_WORD, identifier_form
from documents.placing import Target, page_ranges
from documents.rows import UNSEARCHED_KINDS

TITLE_CHARS = 250
ENTRIES_MIN = 4  # fewer linked lines on a page are references in a text
INDENT_PT = 8.0
OFFSET_VOTES_MIN = 3

TRAILING_PAGE = re.compile(r"[\s.·_…-]*(?<!\w)(?<!\d\.)(?P<page>(?:[A-Za-z]{1,2}-?)?\d{1,4})(?:\s*[-–]\s*\d{1,4})?\s*$")
PART = re.compile(r"(?:part|teil|partie)\s+[ivx\d]+\b", re.IGNORECASE)
ITEM = re.compile(r"(?:item|chapter|article|section|note|appendix|annex)\s+[\da-z]", re.IGNORECASE)

LinkBox = tuple[int, float, float, float, float, int, float]  # page, x0, y0, x1, y1, target page, target y


class Entry(NamedTuple):
    """A line of a contents page: what it says, where it is indented, and where it points."""

    title: str
    left: float
    page_number: int
    y: float


def linked_targets(links: Sequence[LinkBox], lines: Sequence[PageLine]) -> list[Target]:
    """The entries of contents pages whose lines are internal links; the lines become kind "contents"."""
    aims = aims_of_lines(links, lines)
    per_page = Counter(lines[index].page_number for index in aims)
    entries: list[Entry] = []
    is_open = False  # the entry before has shown no page number yet: a line of the same aim goes on with it
    for index in sorted(aims):
        line = lines[index]
        if per_page[line.page_number] < ENTRIES_MIN or line.kind == "furniture":
            continue
        title, has_page = entry_title(line.text)
        if not title:
            continue
        line.kind = "contents"
        page_number, y = aims[index]
        if is_open and entries and page_number == entries[-1].page_number and not is_numbered(title):
            entries[-1] = entries[-1]._replace(title=f"{entries[-1].title} {title}"[:TITLE_CHARS])
        else:
            entries.append(Entry(title, line.x0, page_number, y))
        is_open = not has_page
    return levelled([entry for entry in entries if not CAPTION.match(f"{entry.title.lower()}:")])


def aims_of_lines(links: Sequence[LinkBox], lines: Sequence[PageLine]) -> dict[int, tuple[int, float]]:
    """Line index → (page, y) its link leads to; the earliest page when a line holds several links."""
    pages = page_ranges(lines)
    aims: dict[int, tuple[int, float]] = {}
    for page_number, x0, y0, x1, y1, target_page, target_y in links:
        if target_page == page_number:
            continue
        for index in range(*pages.get(page_number, (0, 0))):
            line = lines[index]
            if y0 <= (line.y0 + line.y1) / 2 <= y1 and line.x0 < x1 and line.x1 > x0:
                if index not in aims or target_page < aims[index][0]:
                    aims[index] = (target_page, target_y)
                break
    return aims


def printed_targets(lines: Sequence[PageLine]) -> list[Target]:
    """The entries of contents lines by their printed page numbers, once these are tied to the file's pages."""
    printed: list[tuple[str, float, int]] = []
    for line in lines:
        if line.kind == "contents":
            found = TRAILING_PAGE.search(line.text)
            title, _ = entry_title(line.text)
            if found and title:
                printed.append((title, line.x0, int(re.sub(r"\D", "", found["page"]))))
    offset = page_offset(printed, lines)
    if offset is None:
        return []
    return levelled([Entry(title, left, page + offset, 0.0) for title, left, page in printed])


def page_offset(printed: Sequence[tuple[str, float, int]], lines: Sequence[PageLine]) -> int | None:
    """How many pages lie before printed page 1: where most titles are found again as a line of their own."""
    pages_of: dict[str, list[int]] = {}
    wanted = {identifier_form(title) for title, _, _ in printed}
    for line in lines:
        if line.kind not in UNSEARCHED_KINDS and len(line.text) <= TITLE_CHARS:
            form = NOT_WORD.sub("", line.match)
            if form in wanted:
                pages_of.setdefault(form, []).append(line.page_number)
    votes = Counter(
        page_number - page for title, _, page in printed for page_number in pages_of.get(identifier_form(title), ())
    )
    if not votes:
        return None
    offset, count = votes.most_common(1)[0]
    return offset if count >= min(OFFSET_VOTES_MIN, len(printed)) else None


def entry_title(text: str) -> tuple[str, bool]:
    """The title of a contents line and whether a page number ended it; "" when nothing with letters is left."""
    found = TRAILING_PAGE.search(text)
    title = (text[: found.start()] if found else text).strip(" .·_…-")
    shown = " ".join(title.split())[:TITLE_CHARS]
    return (shown if sum(map(str.isalpha, shown)) >= 3 else "", found is not None)


def is_numbered(title: str) -> bool:
    return bool(PART.match(title) or ITEM.match(title) or numbering_of(title)[0])


def levelled(entries: Sequence[Entry]) -> list[Target]:
    """Targets with levels: "Part" over "Item" over what is indented below it, else by printed depth or indentation."""
    has_parts = any(PART.match(entry.title) for entry in entries)
    has_items = any(ITEM.match(entry.title) for entry in entries)
    margin = min((entry.left for entry in entries), default=0.0)
    item_left = margin
    targets: list[Target] = []
    for entry in entries:
        if PART.match(entry.title):
            level = 1
        elif ITEM.match(entry.title):
            level, item_left = 1 + has_parts, entry.left
        else:
            number = numbering_of(entry.title)[0]
            depth = number.count(".") if number[:1].isdigit() else 0
            is_indented = entry.left > item_left + INDENT_PT
            level = 1 + (has_parts + has_items if is_indented and has_items else max(depth, is_indented))
        targets.append(Target(level, entry.title, entry.page_number, entry.y))
    return targets
