"""Contents pages as a source of entries: their lines are internal links, or end in printed page numbers (R13)."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from reading.layout.kinds import CAPTION, numbering_of
from reading.layout.lines import PageLine, cells_of
from reading.matching import NOT_WORD, identifier_form
from reading.outline.headings import TitleTarget, page_ranges
from reading.rows import ASIDE_KINDS, UNSEARCHED_KINDS
from reading.values.runs import split_runs

TITLE_CHARS = 250
ENTRIES_MIN = 4  # fewer linked lines on a page are cross-references
LIST_GAP = 6  # lines: entries further apart belong to different lists
LINKED_SHARE = 0.4  # of the lines of a list are links: some titles take two lines, some dividers are none
ORDERED_SHARE = 0.6  # of the entries lead at least as far as the one before
INDENT_PT = 8.0
OFFSET_VOTES_MIN = 3
HEADS_MAX = 2  # lines above the first entry of a further page: "Contents (continued)", "Page"
LIST_LINES_MAX = 400  # from the words "Table of contents" to where the first title comes again
ANNOUNCEMENTS = frozenset({"contents", "tableofcontents"})
DIVIDER_LINES, DIVIDER_CHARS = 2, 60  # how far above an entry a divider stands, and how long it may be

TRAILING_PAGE = re.compile(
    r"(?<![\s.·_…-])[\s.·_…-]*(?<!\w)(?<!\d\.)(?P<page>(?:[A-Za-z]{1,2}-?)?\d{1,4})(?:\s*[-–]\s*\d{1,4})?\s*$"
)
TRAILING_ROMAN = re.compile(  # the pages of the front matter, after leaders
    r"(?<![\s.·…_])\s*(?:[.·…_]\s*){3,}[ivxlc]{1,7}\s*$", re.IGNORECASE
)
ROMAN_PAGE = re.compile(r"[ivxlc]{1,7}", re.IGNORECASE)
PART = re.compile(r"(?:part|teil|partie)\s+[ivx\d]+\b", re.IGNORECASE)
ITEM = re.compile(r"(?:item|chapter|article|section|note|appendix|annex)\s+[\da-z]", re.IGNORECASE)

LinkBox = tuple[int, float, float, float, float, int, float]  # page, x0, y0, x1, y1, target page, target y


class ContentsEntry(NamedTuple):
    """A line of a contents page: its text, its indentation, and its target."""

    title: str
    left: float
    page_number: int
    y: float
    line_index: int


def linked_targets(links: Sequence[LinkBox], lines: Sequence[PageLine]) -> list[TitleTarget]:
    """The entries of contents pages whose lines are internal links; the lines become kind "contents"."""
    aims = aims_of_lines(links, lines)
    entries: list[ContentsEntry] = []
    is_open = False  # the entry before has no page number yet: a line with the same target continues it
    for index in chain.from_iterable(linked_runs(aims, lines)):
        line = lines[index]
        title, has_page = entry_title(without_roman_page(line))
        if not title:
            continue
        line.kind = "contents"
        page_number, y = aims[index]
        if is_open and entries and (page_number, y) == entries[-1][2:4] and not is_numbered(title):
            entries[-1] = entries[-1]._replace(title=f"{entries[-1].title} {title}"[:TITLE_CHARS])
        else:
            entries.append(ContentsEntry(title, line.x0, page_number, y, index))
        is_open = not has_page
    entries = [entry for entry in entries if not CAPTION.match(f"{entry.title.lower()}:")]
    return assign_levels(with_dividers(entries, lines))


def linked_runs(aims: Mapping[int, tuple[int, float]], lines: Sequence[PageLine]) -> Iterator[list[int]]:
    """The linked lines of each contents list: close to each other, and in the order of the pages they lead to.

    Links in running text are far apart, and those of an index lead back, and to and fro.
    """
    linked = sorted(index for index in aims if lines[index].kind not in ASIDE_KINDS)

    def goes_on(run: list[int], index: int) -> bool:
        return index - run[-1] <= LIST_GAP and lines[index].page_number == lines[run[-1]].page_number

    return (run for run in split_runs(linked, goes_on) if is_contents_list(run, aims, lines))


def is_contents_list(run: Sequence[int], aims: Mapping[int, tuple[int, float]], lines: Sequence[PageLine]) -> bool:
    if len(run) < ENTRIES_MIN or len(run) < LINKED_SHARE * (run[-1] - run[0] + 1):
        return False
    pages = [lines[run[0]].page_number, *(aims[index][0] for index in run)]
    is_ahead = sum(page >= pages[0] for page in pages[1:]) >= ORDERED_SHARE * len(run)
    return is_ahead and sum(before <= after for before, after in pairwise(pages)) >= ORDERED_SHARE * len(run)


def with_dividers(entries: Sequence[ContentsEntry], lines: Sequence[PageLine]) -> list[ContentsEntry]:
    """The entries with the dividers above them ("Part I"), which have no page and get that of the next entry."""
    known = {entry.line_index for entry in entries}
    divided: list[ContentsEntry] = []
    for entry in entries:
        for index in range(max(0, entry.line_index - DIVIDER_LINES), entry.line_index):
            line = lines[index]
            if index not in known and line.page_number == lines[entry.line_index].page_number:
                title = cells_of(line.text, line.spans, line.size)[0]
                if PART.match(title) and len(title) <= DIVIDER_CHARS:
                    line.kind = "contents"
                    known.add(index)
                    divided.append(ContentsEntry(title, line.x0, entry.page_number, 0.0, index))
        divided.append(entry)
    return divided


def aims_of_lines(links: Sequence[LinkBox], lines: Sequence[PageLine]) -> dict[int, tuple[int, float]]:
    """Line index → (page, y) of its link; the earliest page if a line has several links."""
    pages = page_ranges(lines)
    aims: dict[int, tuple[int, float]] = {}
    for page_number, x0, y0, x1, y1, target_page, target_y in links:
        if target_page == page_number and target_y <= y1:
            continue
        for index in range(*pages.get(page_number, (0, 0))):
            line = lines[index]
            if y0 <= (line.y0 + line.y1) / 2 <= y1 and line.x0 < x1 and line.x1 > x0:
                if index not in aims or target_page < aims[index][0]:
                    aims[index] = (target_page, target_y)
                break
    return aims


def printed_targets(lines: Sequence[PageLine], labels: Mapping[int, str]) -> list[TitleTarget]:
    """The entries of contents lines by printed page number, once these are matched to the file's pages.

    `labels` are the numbers printed on pages: they resolve "F-12", and all entries if too few titles are found.
    """
    printed: list[ContentsEntry] = []
    named: dict[int, str] = {}  # line index → the page number of the contents line
    begun: PageLine | None = None  # a line without a page number, whose title may continue on the next one
    for index, line in enumerate(lines):
        if line.kind != "contents":
            continue
        found = TRAILING_PAGE.search(line.text)
        title, _ = entry_title(line.text)
        if not found or not title:
            begun = line if title and not PART.match(title) else None
            continue
        left = line.x0
        if (
            begun is not None
            and not is_numbered(title)
            and begun.x0 <= line.x0
            and begun.page_number == line.page_number
        ):
            left, title = begun.x0, f"{entry_title(begun.text)[0]} {title}"[:TITLE_CHARS]
        begun = None
        printed.append(ContentsEntry(title, left, int(re.sub(r"\D", "", found["page"])), 0.0, index))
        named[index] = found["page"].upper()
    pages = {label.upper(): number for number, label in reversed(list(labels.items()))}
    offset = page_offset([entry for entry in printed if named[entry.line_index].isdigit()], lines)
    entries: list[ContentsEntry] = []
    for entry in printed:
        name = named[entry.line_index]
        counted = None if offset is None else entry.page_number + offset
        place = counted if counted and name.isdigit() else pages.get(name, counted)
        if place is not None:
            entries.append(entry._replace(page_number=place))
    return assign_levels(with_dividers(entries, lines))


def mark_announced_list(lines: Sequence[PageLine]) -> None:
    """Set kind "contents" on the list after the words "Table of contents", if its titles are printed again below.

    Such a list may have no leaders, and page numbers that do not fit the file.
    """
    forms = [NOT_WORD.sub("", line.match) for line in lines]
    for index, form in enumerate(forms):
        if form in ANNOUNCEMENTS and lines[index].kind not in UNSEARCHED_KINDS:
            entries = list(announced_entries(index + 1, lines, forms))
            if len(entries) >= ENTRIES_MIN:
                for line in lines[index : entries[-1] + 1]:
                    line.kind = line.kind if line.kind in ASIDE_KINDS else "contents"


def announced_entries(first: int, lines: Sequence[PageLine], forms: Sequence[str]) -> Iterator[int]:
    """The indexes of the lines from `first` on that end in a page number or whose title comes again later.

    The list ends where its first title comes again, where no entry follows for some lines, and with a page that the
    next one does not go on.
    """
    titles = [identifier_form(entry_title(line.text)[0]) for line in lines[first : first + LIST_LINES_MAX]]
    again = {form: index for index, form in enumerate(forms[first:], first) if form}  # the last line that says it
    end = next((first + at for at, form in enumerate(titles) if at and form and form == titles[0]), 0)
    if not end:
        return
    repeated = {index for index, title in enumerate(titles[: end - first], first) if again.get(title, 0) >= end}
    entries = [
        index
        for index, title in enumerate(titles[: end - first], first)
        if title and (index in repeated or TRAILING_PAGE.search(lines[index].text))
    ]
    before, last = first, 0
    for index in entries:
        if index - before > LIST_GAP:
            return
        is_further = lines[index].page_number != lines[before].page_number
        number = number_of_entry(lines[index], last)
        if is_further and (number < last or not goes_on_at(index, lines, repeated, entries)):
            return
        before, last = index, number
        yield index


def number_of_entry(line: PageLine, other: int) -> int:
    """The page number that an entry ends in, or the other one if it has none or one with letters."""
    found = TRAILING_PAGE.search(line.text)
    return int(found["page"]) if found and found["page"].isdigit() else other


def goes_on_at(index: int, lines: Sequence[PageLine], repeated: Collection[int], entries: Collection[int]) -> bool:
    """Whether a list goes on with the first entry of a page: at its top, with a title that comes again or a next entry.

    A heading that ends in a number is no entry.
    """
    page = lines[index].page_number
    above = [line for line in lines[max(index - LIST_GAP, 0) : index] if line.page_number == page]
    is_at_top = sum(line.kind not in ASIDE_KINDS for line in above) <= HEADS_MAX
    return is_at_top and (index in repeated or index + 1 in entries)


def page_offset(printed: Sequence[ContentsEntry], lines: Sequence[PageLine]) -> int | None:
    """How many pages precede printed page 1, by where most titles are found again as their own line."""
    pages_of: dict[str, list[int]] = {}
    wanted = {identifier_form(entry.title) for entry in printed}
    for line in lines:
        if line.kind not in UNSEARCHED_KINDS and len(line.text) <= TITLE_CHARS:
            form = NOT_WORD.sub("", line.match)
            if form in wanted:
                pages_of.setdefault(form, []).append(line.page_number)
    votes = Counter(
        page_number - entry.page_number
        for entry in printed
        for page_number in pages_of.get(identifier_form(entry.title), ())
    )
    if not votes:
        return None
    offset, count = votes.most_common(1)[0]
    return offset if count >= min(OFFSET_VOTES_MIN, len(printed)) else None


def entry_title(text: str) -> tuple[str, bool]:
    """The title of a contents line and whether a page number followed; "" if no letters are left."""
    found = TRAILING_PAGE.search(text) or TRAILING_ROMAN.search(text)
    title = (text[: found.start()] if found else text).strip(" .·_…-")
    shown = " ".join(title.split())[:TITLE_CHARS]
    return (shown if sum(map(str.isalpha, shown)) >= 3 else "", found is not None)


def without_roman_page(line: PageLine) -> str:
    """The text of an entry without a Roman page number at the right edge."""
    *cells, last = cells_of(line.text, line.spans, line.size) if len(line.spans) > 1 else [line.text]
    return line.text[: -len(last)] if cells and ROMAN_PAGE.fullmatch(last) else line.text


def is_numbered(title: str) -> bool:
    return bool(PART.match(title) or ITEM.match(title) or numbering_of(title)[0])


def assign_levels(entries: Sequence[ContentsEntry]) -> list[TitleTarget]:
    """Targets with levels: "Part" over "Item" over indented entries, else by number depth or indentation."""
    has_parts = any(PART.match(entry.title) for entry in entries)
    has_items = any(ITEM.match(entry.title) for entry in entries)
    margin = min((entry.left for entry in entries), default=0.0)
    item_left = margin
    targets: list[TitleTarget] = []
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
        targets.append(TitleTarget(level, entry.title, entry.page_number, entry.y))
    return targets
