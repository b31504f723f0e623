"""Find running headers, footers and page numbers by repetition and position across pages, not by word lists (R9)."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from operator import itemgetter

from reading.layout.lines import PageLine, cells_of
from reading.matching import match_form
from reading.rows import ASIDE_KINDS

EDGE_LINES = 5  # how many lines from the top and from the bottom may be furniture
NEAR_PAGES = 4  # repetition is searched this many pages around, since chapters change their headers
SAME_HEIGHT_PT = 5.0
COUNT_MIN, COUNT_MIN_SHORT = 3, 2  # pages that must have it, or count on; in documents of up to SHORT_PAGES pages
SHORT_PAGES = 5
PAGE_NUMBER_CHARS, PAGE_NUMBER_DIGITS = 80, 5
CHAPTER_COUNT_MIN, CHAPTER_LETTERS_MIN = 4, 12  # a header that changes on one side needs more pages, and real words
SLOT_SHARE, SLOT_HEIGHT_PT = 0.6, 2.0  # a height with furniture on this share of pages has it on the others too
SLOT_TEXT_MAX = 120
MARGIN_SHARE = 0.12  # of the page width: rotated text this far out is a stamp

FORMER_PAGES_MIN, FORMER_PAGES_SHARE = 4, 0.5  # of the pages there are now
FORMER_PAGE_LINES_MIN = 15  # lines from one number to the next; those of a list or a table are closer
BARE_NUMBER = re.compile(r"[-\u2013\u2014]? ?(?P<number>\d{1,4}) ?[-\u2013\u2014]?")

LARGER = 1.1  # times the usual size: then a numbered heading on every page, not a header with the page number

DIGITS = re.compile(r"\d+")
AT_AN_END = re.compile(r"^\d{1,5}(?= |$)|(?<= )\d{1,5}$")  # a number by itself where a line begins or ends
BARE = "#"  # the key of a line that is nothing but a number
ROMAN_NUMBER = re.compile(r"[ivxlc]{1,7}")

Edge = tuple[int, int, float, str, PageLine]  # page index, depth from the edge, height of it, key, line


def mark_furniture(pages: Sequence[Sequence[PageLine]], widths: Sequence[float]) -> None:
    """Set kind "furniture" on running headers, footers, page numbers and stamps in the margin."""
    for lines, width in zip(pages, widths, strict=True):
        mark_stamps(lines, width)
    large = LARGER * usual_size(pages)
    for edges in (list(edges_of(pages, from_top=True)), list(edges_of(pages, from_top=False))):
        mark_page_numbers(edges, len(pages), large)
        mark_repeated(edges, len(pages), large)
        mark_chapter_headers(edges)
        mark_slots(edges, len(pages))
        mark_at_page_numbers(edges)
        mark_page_numbers(edges, len(pages), large)  # those further in than what is furniture now
    mark_former_page_numbers(pages)


def usual_size(pages: Sequence[Sequence[PageLine]]) -> float:
    sizes = Counter(round(line.size, 1) for lines in pages for line in lines if line.kind != "watermark")
    return sizes.most_common(1)[0][0] if sizes else 0.0


def count_needed(page_count: int) -> int:
    """How many pages of a document must have something for it to be repeated."""
    return COUNT_MIN_SHORT if page_count <= SHORT_PAGES else COUNT_MIN


def mark_stamps(lines: Sequence[PageLine], width: float) -> None:
    for line in lines:
        if (
            line.is_rotated
            and line.kind not in ASIDE_KINDS
            and (line.x1 < width * MARGIN_SHARE or line.x0 > width * (1 - MARGIN_SHARE))
        ):
            line.kind = "furniture"


def edges_of(pages: Sequence[Sequence[PageLine]], *, from_top: bool) -> Iterator[Edge]:
    """The outermost lines of each page, from the edge inwards."""
    for index, lines in enumerate(pages):
        upright = [line for line in lines if not line.is_rotated and line.kind != "watermark"]
        upright.sort(key=(lambda line: line.y0) if from_top else (lambda line: -line.y1))
        for depth, line in enumerate(upright[:EDGE_LINES]):
            yield index, depth, line.y0, repetition_key(line.match), line


def repetition_key(match: str) -> str:
    """The part that stays the same from page to page: not the numbers."""
    return "i" if ROMAN_NUMBER.fullmatch(match) else DIGITS.sub("#", match)


def mark_page_numbers(edges: Sequence[Edge], page_count: int, large: float) -> None:
    """Mark lines at the edge whose number increases with the pages, at any height: some follow the text.

    At the edge is what has only furniture further out.
    """
    count_min = count_needed(page_count)
    numbered = [
        (key, number - index, line)
        for index, depth, _, key, line in edges
        if len(key) <= PAGE_NUMBER_CHARS and (line.size <= large or key == BARE) and is_open(edges, index, depth)
        for number in {int(digits) for digits in DIGITS.findall(line.match) if len(digits) <= PAGE_NUMBER_DIGITS}
    ]
    counts = Counter((key, offset) for key, offset, _ in numbered)
    for key, offset, line in numbered:
        if counts[key, offset] >= count_min:
            line.kind = "furniture"


def mark_at_page_numbers(edges: Sequence[Edge]) -> None:
    """Mark lines of any size that stand where bare page numbers stand, if they have their own page's number, or are
    nothing but the number after the last one: there was a page without one.
    """
    heights: dict[int, list[float]] = defaultdict(list)  # by the difference of number and page
    for index, _, height, key, line in edges:
        if is_bare(key, line) and line.kind == "furniture":
            heights[int(line.match) - index].append(height)
    last, last_height = -1, 0.0
    for index, depth, height, key, line in edges:
        if line.kind != "furniture" and len(key) <= PAGE_NUMBER_CHARS and is_open(edges, index, depth):
            near = [each for said in AT_AN_END.findall(line.match) for each in heights.get(int(said) - index, ())]
            near += [last_height] if is_bare(key, line) and int(line.match) == last + 1 else []
            if any(abs(each - height) <= SAME_HEIGHT_PT for each in near):
                line.kind = "furniture"
        if is_bare(key, line) and line.kind == "furniture":
            last, last_height = int(line.match), height


def is_bare(key: str, line: PageLine) -> bool:
    """Whether a line is nothing but a number that may be a page's."""
    return key == BARE and len(line.match) <= PAGE_NUMBER_DIGITS


def mark_former_page_numbers(pages: Sequence[Sequence[PageLine]]) -> None:
    """Mark bare numbers that count the pages of an earlier form of the text, which now end inside a page."""
    numbered = [
        (position, int(found["number"]), line)
        for position, line in enumerate(line for lines in pages for line in lines)
        if line.kind == "body" and (found := BARE_NUMBER.fullmatch(line.text.strip()))
    ]
    runs: dict[int, list[tuple[int, PageLine]]] = {}  # by the last number of each
    for position, number, line in numbered:
        before = runs.get(number - 1, [])
        is_next = bool(before) and position - before[-1][0] >= FORMER_PAGE_LINES_MIN
        run = [*before, (position, line)] if is_next else [(position, line)]
        if len(run) > len(runs.get(number, ())):
            runs[number] = run
    longest = max(runs.values(), key=len, default=[])
    if len(longest) >= max(FORMER_PAGES_MIN, len(pages) * FORMER_PAGES_SHARE):
        for _, line in longest:
            line.kind = "furniture"


def mark_repeated(edges: Sequence[Edge], page_count: int, large: float) -> None:
    """Mark a line repeated at the same height of nearby pages, if all lines outside it are furniture too."""
    count_min = count_needed(page_count)
    same_key: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        same_key[edge[3]].append(edge)
    for index, depth, height, key, line in edges:
        if depth and not is_open(edges, index, depth):
            continue
        near = {
            other[0]
            for other in nearby(same_key[key], index)
            if abs(other[2] - height) <= SAME_HEIGHT_PT and counts_on(line, other[4], other[0] - index, large)
        }
        if len(near) >= count_min:
            line.kind = "furniture"


def mark_chapter_headers(edges: Sequence[Edge]) -> None:
    """Mark headers of two cells, one constant and one naming the chapter."""
    same_cell: dict[tuple[int, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        for side, cell in enumerate(header_cells(edge[4])):
            same_cell[side, cell].append(edge)
    for (_, cell), alike in same_cell.items():
        if len(alike) < CHAPTER_COUNT_MIN or sum(map(str.isalpha, cell)) < CHAPTER_LETTERS_MIN:
            continue
        for index, depth, height, _, line in alike:
            near = {other[0] for other in nearby(alike, index) if abs(other[2] - height) <= SAME_HEIGHT_PT}
            if len(near) >= CHAPTER_COUNT_MIN and is_open(edges, index, depth):
                line.kind = "furniture"


def header_cells(line: PageLine) -> tuple[str, ...]:
    """The two cells of a possible header; () for another number of cells, or if they contain amounts."""
    if line.kind == "furniture" or len(line.spans) < 2:
        return ()
    cells = cells_of(line.text, line.spans, line.size)
    is_header = len(cells) == 2 and all(any(map(str.isalpha, cell)) for cell in cells)
    return tuple(match_form(cell) for cell in cells) if is_header else ()


def nearby(edges: Sequence[Edge], index: int) -> Iterator[Edge]:
    """The edges of nearby pages (`edges` is in page order)."""
    return takewhile(lambda edge: edge[0] <= index + NEAR_PAGES, edges[first_of(edges, index - NEAR_PAGES) :])


def is_open(edges: Sequence[Edge], index: int, depth: int) -> bool:
    """Whether every line further out on that page is already furniture."""
    return all(edge[4].kind == "furniture" for edge in page_edges(edges, index) if edge[1] < depth)


def page_edges(edges: Sequence[Edge], index: int) -> list[Edge]:
    first = first_of(edges, index)
    return [edge for edge in edges[first : first + EDGE_LINES] if edge[0] == index]


def first_of(edges: Sequence[Edge], index: int) -> int:
    """Where the edges of a page and those after it begin."""
    return bisect_left(edges, index, key=itemgetter(0))


def counts_on(line: PageLine, other: PageLine, pages_on: int, large: float) -> bool:
    """Numbers in a header stay the same or increase with the pages; otherwise it is another line."""
    mine, its = DIGITS.findall(line.match), DIGITS.findall(other.match)
    if mine == its:
        return True
    return line.size <= large and all(
        number == another or int(another) - int(number) == pages_on for number, another in zip(mine, its, strict=True)
    )


def mark_slots(edges: Sequence[Edge], page_count: int) -> None:
    """Mark edge lines at a height where most pages have furniture of that size: headers with changing text."""
    slots: dict[tuple[int, int], set[int]] = defaultdict(set)
    for index, _, height, _, line in edges:
        if line.kind == "furniture":
            slots[slot_of(height, line)].add(index)
    full = {slot for slot, indexes in slots.items() if len(indexes) >= max(COUNT_MIN, page_count * SLOT_SHARE)}
    if not full:
        return
    for index, depth, height, _, line in edges:
        if slot_of(height, line) in full and len(line.text) <= SLOT_TEXT_MAX and is_open(edges, index, depth):
            line.kind = "furniture"


def slot_of(height: float, line: PageLine) -> tuple[int, int]:
    return round(height / SLOT_HEIGHT_PT), round(line.size)
