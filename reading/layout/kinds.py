"""Classify lines: heading, list item, table row, caption, contents, or body."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from reading.layout.lines import CELL_GAP, PageLine, cells_of
from reading.rows import LineKind

CAPTION = re.compile(
    r"(?:figure|fig\.?|table|chart|graph|exhibit|box|abbildung|abb\.|tabelle|tableau|figura|tabla)"
    r" [a-z]?\d{1,3}(?:[.-]\d{1,3})*(?:[:.|-]|$)"
)
LIST_ITEM = re.compile(r"(?:[•●▪■◦‣·○◆►➢✓*o–—-]|\(?(?:[a-z]|[ivx]{1,5}|\d{1,2})[.)])\s+\S", re.IGNORECASE)
NUMERIC_CELL = re.compile(r"[\W\d]*(?:\d[\W\d]*(?:x|k|m|bn|pts?|bps)?|n/?[am]|nm)?[\W\d]*", re.IGNORECASE)
SHORT_CELL = 30  # characters: a cell of a table, not a column of text

NUMBERING = re.compile(
    r"(?P<word>(?:item|part|note|section|article|chapter|appendix|annex|schedule|exhibit|clause|"
    r"artikel|kapitel|anhang|abschnitt|chapitre|annexe|titre)\s+(?=[\divxlc]|[a-z]\b))?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}[a-z]?|[a-z](?:\.\d{1,3}){1,4}|[ivxlc]{1,6}|[a-z])(?P<end>[.:)\s—–-]+|$)",
    re.IGNORECASE,
)

# R13: what makes a heading, of 5.8; a candidate from 3.0 on.
SIZE_WEIGHT, BOLD_WEIGHT, NUMBER_WEIGHT, SHORT_WEIGHT, LEFT_WEIGHT, GAP_WEIGHT = 1.4, 1.0, 1.6, 0.6, 0.4, 0.8
HEADING_SCORE = 3.0
HEADING_SCORE_SHOWN = 2.6  # enough to be called a heading on the page, but not to begin a section
SIZE_FULL = 1.2  # this ratio to the body size earns the whole size weight
HEADING_CHARS, SHORT_CHARS = 150, 80
CENTRED_LEAD, CENTRED_SLACK = 2.0, 1.5  # of the body size: minimum indent, and maximum difference of the sides
UNSET_SCORE = 3.0  # what a line set like running text needs to be a heading: list items are numbered too
EDGE_PT, LONG_LINE = 4.0, 60  # edges are counted this coarsely; lines of this many characters reach the right one
WRAP_GAP, CELL_SLACK = 0.3, 0.4  # of the size: how close a row's second line follows, how far off its cell it may begin
GAP_FULL = 0.8  # of the body size, above the usual gap

CONTENTS_RUN = 5  # consecutive entries that end in increasing page numbers
# The end of a contents entry: a number ("12", "-12") after its last letter, else one with letters ("F-12").
ENTRY_PAGES = tuple(
    re.compile(rf"[a-z][^a-z]*?(?P<page>\b{letters}-?\d{{1,4}})\Z", re.IGNORECASE) for letters in ("", "[a-z]{1,2}")
)


class BodyStyle(NamedTuple):
    """How a document's running text is set: font size, usual line gap, edges, all bold or not."""

    size: float
    gap: float
    left: float
    right: float
    is_bold: bool

    def is_aligned(self, line: PageLine) -> bool:
        """Whether a line begins where the text does, or is centred."""
        return abs(line.x0 - self.left) < self.size * 1.5 or self.is_centred(line)

    def is_centred(self, line: PageLine) -> bool:
        """Whether a line shorter than the text has equal room on both sides."""
        lead, trail = line.x0 - self.left, self.right - line.x1
        return lead > CENTRED_LEAD * self.size and abs(lead - trail) < CENTRED_SLACK * self.size


def body_style(pages: Sequence[Sequence[PageLine]]) -> BodyStyle:
    """The most common style, by number of characters."""
    sizes: Counter[tuple[float, bool]] = Counter()
    gaps: Counter[float] = Counter()
    lefts: Counter[int] = Counter()
    rights: Counter[int] = Counter()
    for lines in pages:
        previous = None
        for line in lines:
            if line.kind == "furniture" or line.is_rotated:
                continue
            sizes[(round(line.size * 2) / 2, line.is_bold)] += len(line.text)
            lefts[round(line.x0 / EDGE_PT)] += 1
            if len(line.text) > LONG_LINE:
                rights[round(line.x1 / EDGE_PT)] += 1
            if previous is not None and 0 < line.y0 - previous.y0 < 4 * line.size:
                gaps[round((line.y0 - previous.y1) * 2) / 2] += 1
            previous = line
    (size, is_bold), _ = sizes.most_common(1)[0] if sizes else ((10.0, False), 0)
    gap = gaps.most_common(1)[0][0] if gaps else 2.0
    left = lefts.most_common(1)[0][0] * EDGE_PT if lefts else 72.0
    right = rights.most_common(1)[0][0] * EDGE_PT if rights else 540.0
    return BodyStyle(size, gap, left, right, is_bold)


def mark_kinds(pages: Sequence[Sequence[PageLine]], style: BodyStyle) -> None:
    """Set the kind of every line that is not furniture, contents or a known heading."""
    for lines in pages:
        previous: PageLine | None = None
        for line in lines:
            if line.kind == "body":
                line.kind = classify_line(line, previous, style)
                if line.kind == "body" and previous is not None and is_wrapped_row(line, previous):
                    line.kind = "table_row"
            if line.kind != "furniture":
                previous = line


def classify_line(line: PageLine, previous: PageLine | None, style: BodyStyle) -> LineKind:
    match = line.match
    if match[:1] in "fteabcgt" and CAPTION.match(match):
        return "caption"
    if len(line.spans) > 1 and is_table_row(line):
        return "table_row"
    is_candidate = line.is_bold or line.size > style.size * 1.05 or line.text[:1].isdigit()
    if is_candidate and heading_score(line, previous, style) >= score_needed(line, style):
        return "heading"
    if previous is not None and previous.kind == "heading" and continues(line, previous):
        return "heading"
    if LIST_ITEM.match(line.text):
        return "list_item"
    return "body"


def is_set_apart(line: PageLine, style: BodyStyle) -> bool:
    """Whether a line is bolder or larger than the running text."""
    return line.is_bold and not style.is_bold or line.size > style.size * 1.05


def score_needed(line: PageLine, style: BodyStyle) -> float:
    """The score a line needs to be a heading; more if only its words distinguish it."""
    return HEADING_SCORE_SHOWN if is_set_apart(line, style) else UNSET_SCORE


def continues(line: PageLine, above: PageLine) -> bool:
    """Whether a line continues the heading above it: same style, right below it, without its own number."""
    return (
        above.page_number == line.page_number
        and abs(above.size - line.size) < 0.5
        and above.is_bold == line.is_bold
        and (line.is_bold or above.kind == line.kind)
        and 0 <= line.y0 - above.y0 < 1.5 * line.size
        and not line.text.startswith("(")
        and not numbering_of(line.text)[0]
    )


def is_table_row(line: PageLine) -> bool:
    """Whether a line has at least two cells, most of them after the first numeric or (from three cells on) short."""
    cells = cells_of(line.text, line.spans, line.size)
    if len(cells) < 2:
        return False
    rest = cells[1:]
    numeric = sum([NUMERIC_CELL.fullmatch(cell) is not None for cell in rest])
    if numeric * 2 > len(rest) and not (len(cells) == 2 and LIST_ITEM.match(line.text)):
        return True
    return len(cells) > 2 and sum([len(cell) <= SHORT_CELL for cell in cells]) * 2 > len(cells)


def is_wrapped_row(line: PageLine, above: PageLine) -> bool:
    """Whether a line has the second lines of cells of the row above, each within the width of its cell."""
    if above.kind != "table_row" or (line.page_number, line.column) != (above.page_number, above.column):
        return False
    if not -WRAP_GAP * line.size < line.y0 - above.y1 < WRAP_GAP * line.size or not line.spans:
        return False
    cells = cell_edges(above)
    rooms = [(left, right) for (left, _), (right, _) in pairwise([*cells, (above.x1 + line.size, 0.0)])]
    return all(
        any(abs(x0 - left) < CELL_SLACK * line.size and x1 < right for left, right in rooms)
        for x0, x1 in cell_edges(line)
    )


def cell_edges(line: PageLine) -> list[tuple[float, float]]:
    """The left and right edge of each cell of a line."""
    edges: list[tuple[float, float]] = []
    for span in line.spans:
        if edges and span.x0 - edges[-1][1] <= CELL_GAP * line.size:
            edges[-1] = (edges[-1][0], span.x1)
        else:
            edges.append((span.x0, span.x1))
    return edges


def heading_score(line: PageLine, previous: PageLine | None, style: BodyStyle) -> float:
    """R13's typography score; 0 for lines that cannot be headings: long, a sentence, without letters."""
    text = line.text
    if len(text) > HEADING_CHARS or not any(map(str.isalpha, text)) or text[-1] in ",;" or text[:1].islower():
        return 0.0
    if text[-1] == "." and text.count(" ") > 8 or text[0] == "(" and text[-1] == ")":
        return 0.0
    number = numbering_of(text)[0]
    if len(line.spans) > 1 and len(cells_of(text, line.spans, line.size)) > (2 if number else 1):
        return 0.0
    ratio = line.size / style.size if style.size else 1.0
    score = SIZE_WEIGHT * min(1.0, max(0.0, (ratio - 1) / (SIZE_FULL - 1)))
    score += BOLD_WEIGHT * (line.is_bold and not style.is_bold)
    score += NUMBER_WEIGHT * bool(number)
    score += SHORT_WEIGHT * (len(text) <= SHORT_CHARS)
    score += LEFT_WEIGHT * style.is_aligned(line)
    if previous is None or line.y0 < previous.y0 or line.y0 - previous.y1 > style.gap + GAP_FULL * style.size:
        score += GAP_WEIGHT
    return score


def numbering_of(text: str) -> tuple[str, str]:
    """The printed number of a heading ("3.2.1", "Item 1A", "A") and the title without it; "" if it has none."""
    found = NUMBERING.match(text)
    if found is None or not found["end"]:
        return "", text
    number, rest = found["number"], text[found.end() :].strip()
    if not found["word"] and not is_plain_number(number, found["end"], rest):
        return "", text
    return " ".join(((found["word"] or "") + number).split()), rest


def is_plain_number(number: str, end: str, rest: str) -> bool:
    """Whether a number needs no word such as "Section": "3.1 Scope", "A. Terms", "IV. Results", not "I agree"."""
    if not rest or not rest[0].isalpha() and rest[0] not in "“\"'‘(":
        return False
    if number[0].isdigit():
        return ("." in number or int(re.sub(r"\D", "", number)) < 100) and (rest[0].isupper() or "." in number)
    return (end.strip() in (".", ")", ":", "—", "–") or "." in number) and number.isupper()


# ---- contents pages


def mark_contents(pages: Sequence[Sequence[PageLine]]) -> None:
    """Set kind "contents" on contents pages: consecutive entries that end in increasing page numbers."""
    for lines in pages:
        for first, last in contents_runs(lines, len(pages)):
            for line in lines[first : last + 1]:
                if line.kind == "body":
                    line.kind = "contents"


def contents_runs(lines: Sequence[PageLine], page_count: int) -> list[tuple[int, int]]:
    """Ranges (first index, last index) of a page's lines that are contents entries."""
    entries = [(index, page) for index, line in enumerate(lines) if (page := entry_page(line, page_count)) is not None]
    runs: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    for index, page in entries:
        if run and (index - run[-1][0] > 4 or page < run[-1][1]):
            runs += [(run[0][0], run[-1][0])] if len(run) >= CONTENTS_RUN else []
            run = []
        run.append((index, page))
    return runs + ([(run[0][0], run[-1][0])] if len(run) >= CONTENTS_RUN else [])


def entry_page(line: PageLine, page_count: int) -> int | None:
    """The page number at the end of a contents entry; None if the line is no entry."""
    text = line.text
    if line.kind == "furniture" or not text[-1:].isdigit() or len(text) < 5:
        return None
    found = next(filter(None, (pattern.search(text) for pattern in ENTRY_PAGES)), None)
    if found is None or sum(map(str.isalpha, text[: found.start("page")])) < 3:
        return None
    has_leaders = "...." in text or ". . ." in text or "…" in text
    cells = cells_of(text, line.spans, line.size) if len(line.spans) > 1 else [text]
    if not has_leaders and (len(cells) < 2 or cells[-1] != found["page"]):
        return None
    if len(cells) > 2 and NUMERIC_CELL.fullmatch(cells[-2]):
        return None
    page = int(re.sub(r"\D", "", found["page"]))
    return page if 0 < page <= page_count + 20 else None
