"""Classify lines: heading, list item, table row, caption, contents, or body."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from reading.layout.amounts import without_side
from reading.layout.lines import CELL_GAP, PageLine, cells_of
from reading.layout.ticks import SIGNS
from reading.rows import ASIDE_KINDS, LineKind, cut_spans
from reading.values.currencies import CURRENCY_WORDS
from reading.values.runs import split_runs
from reading.values.sentences import NOT_ABBREVIATED
from reading.values.units import is_measure

CAPTION = re.compile(
    r"(?:figure|fig\.?|table|chart|graph|exhibit|box|abbildung|abb\.|tabelle|tableau|figura|tabla)"
    r" [a-z]?\d{1,3}(?:[.-]\d{1,3})*(?:[:.|-]|$)"
)
BULLETS = "•●▪■◦‣·○◆►➢✓▶–—"
LIST_ITEM = re.compile(
    rf"(?:[•●▪■◦‣·○◆►➢✓*o–—-]|[{SIGNS}]|\[[x_ ]?\]|\(?(?:[a-z]|[ivx]{{1,5}}|\d{{1,2}})[.)])\s+\S", re.IGNORECASE
)
NUMERIC_CELL = re.compile(
    rf"(?:(?:{CURRENCY_WORDS}) (?=\d))?[\W\d]*(?:\d[\W\d]*(?:x|k|m|bn|pts?|bps|{CURRENCY_WORDS})?|n/?[am]|nm)?[\W\d]*",
    re.IGNORECASE,
)
SHORT_CELL = 30  # characters: a cell of a table, not a column of text

NUMBERING = re.compile(
    r"(?P<word>(?:§{1,2}\s?(?=\d)|(?:item|part|note|section|article|chapter|appendix|annex|schedule|exhibit|clause|"
    r"artikel|kapitel|anhang|abschnitt|chapitre|annexe|titre)\s+(?=[\divxlc]|[a-z]\b)))?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}[a-z]?|[a-z](?:\.\d{1,3}){1,4}|[ivxlc]{1,6}|[a-z])(?P<end>[.:)\s—–-]+|$)",
    re.IGNORECASE,
)

# An article with its title in brackets, or a chapter, of a text in Chinese or Japanese: nothing else is so written.
ARTICLE = re.compile(
    r"第\s?[\d〇一二三四五六七八九十百]{1,4}\s?(?:[条條款](?:の[\d一二三四五六七八九十])?\s*[(【「[].{1,40}[)】」\]]|[章節节編编]\s*[^。、,.]{1,20})"
)

# A heading, its period or colon, and the beginning of a sentence on the same line.
RUN_IN = re.compile(
    r"(?P<title>(?:§+\s?|[^\W\d]+\s)?[\divxlc.()]{1,12}\s*[A-Z](?:[^.:;]|\.(?=[a-z\d])){1,90}?)"
    r"(?<=[\w)”\"'’]{2})"
    rf"{NOT_ABBREVIATED}"
    r"(?:[.:]\s*[-–—]?\s+|\s[-–—]\s|(?<=[a-z)])\.)(?=[A-Z“\"(‘])"
)
# Words a title has without a capital, and those that make a numbered line a sentence.
SMALL_WORDS = frozenset(
    ["with", "from", "upon", "into", "than", "over", "under", "between", "within", "without", "against"]
    + ["this", "that", "such", "each", "their"]
)
SENTENCE_WORDS = re.compile(
    r"\b(?:shall|will|may|must|should|is|are|was|were|has|have|means|mean|agrees?|hereby|sind|ist|wird|werden|est|sont|doit)\b"
)

# R13: what makes a heading, of 5.8; a candidate from 3.0 on.
SIZE_WEIGHT, BOLD_WEIGHT, NUMBER_WEIGHT, SHORT_WEIGHT, LEFT_WEIGHT, GAP_WEIGHT = 1.4, 1.0, 1.6, 0.6, 0.4, 0.8
HEADING_SCORE = 3.0
HEADING_SCORE_SHOWN = 2.6  # enough to be called a heading on the page, but not to begin a section
SIZE_FULL = 1.2  # this ratio to the body size earns the whole size weight
HEADING_CHARS, SHORT_CHARS = 150, 80
HEADING_WORDS = 40  # in all its lines
SMALLER = 0.9  # of the text's size: smaller lines with a number are footnotes
PAGE_TEXT_CHARS = 800  # long lines with as many characters are a page's running text
CENTRED_LEAD, CENTRED_SLACK = 2.0, 1.5  # of the body size: minimum indent, and maximum difference of the sides
UNSET_SCORE = 3.0  # what a line set like running text needs to be a heading: list items are numbered too
EDGE_PT, LONG_LINE = 4.0, 60  # edges are counted this coarsely; lines of this many characters reach the right one
LONG_COLUMN_LINE, COLUMN_LINES_MIN = 35, 20  # the same for one of several columns, known from this many such lines
FULL_SLACK = 4.0  # of the size: how far from the right edge the last word may end before one that found no room
STOPPED_BLANKS = 4  # of a title that ends with a full stop: with more, and words without capitals, it is a sentence
RUN_IN_WORDS, SMALL_WORD = 10, 3  # a run-in heading's most words; and letters of words that need no capital
WRAP_GAP, CELL_SLACK = 0.3, 0.4  # of the size: how close a row's second line follows, how far off its cell it may begin
ROW_SLACK = 0.5  # of the size: how much wider than usual the gap to the next line of a paragraph may be
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
    columns: Mapping[int, tuple[float, float]] = MappingProxyType({})  # column → edges, where pages have several

    def edges_of(self, line: PageLine) -> tuple[float, float]:
        """The left and right edge of the text in the line's column."""
        return self.columns.get(line.column, (self.left, self.right)) if line.column else (self.left, self.right)

    def is_aligned(self, line: PageLine) -> bool:
        """Whether a line begins where the text does, or is centred."""
        return abs(line.x0 - self.edges_of(line)[0]) < self.size * 1.5 or self.is_centred(line)

    def is_centred(self, line: PageLine) -> bool:
        """Whether a line shorter than the text has equal room on both sides."""
        left, right = self.edges_of(line)
        lead, trail = line.x0 - left, right - line.x1
        return lead > CENTRED_LEAD * self.size and abs(lead - trail) < CENTRED_SLACK * self.size

    def is_full(self, line: PageLine) -> bool:
        """Whether a line reaches the right edge of the text, or nearly."""
        return line.x1 > self.edges_of(line)[1] - FULL_SLACK * self.size


def body_style(pages: Sequence[Sequence[PageLine]]) -> BodyStyle:
    """The most common style, by number of characters."""
    sizes: Counter[tuple[float, bool]] = Counter()
    gaps: Counter[float] = Counter()
    lefts: dict[int, Counter[int]] = defaultdict(Counter)
    rights: dict[int, Counter[int]] = defaultdict(Counter)
    for lines in pages:
        previous = None
        for line in lines:
            if line.kind in ASIDE_KINDS or line.is_rotated:
                continue
            sizes[(round(line.size * 2) / 2, line.is_bold)] += len(line.text)
            for column in {0, line.column}:
                lefts[column][round(line.x0 / EDGE_PT)] += 1
                if len(line.text) > (LONG_COLUMN_LINE if column else LONG_LINE):
                    rights[column][round(line.x1 / EDGE_PT)] += 1
            if previous is not None and 0 < line.y0 - previous.y0 < 4 * line.size:
                gaps[round((line.y0 - previous.y1) * 2) / 2] += 1
            previous = line
    (size, is_bold), _ = sizes.most_common(1)[0] if sizes else ((10.0, False), 0)
    gap = gaps.most_common(1)[0][0] if gaps else 2.0
    columns = {
        column: (lefts[column].most_common(1)[0][0] * EDGE_PT, rights[column].most_common(1)[0][0] * EDGE_PT)
        for column in sorted(lefts)
        if column and rights[column].total() >= COLUMN_LINES_MIN
    }
    left = lefts[0].most_common(1)[0][0] * EDGE_PT if lefts[0] else 72.0
    right = rights[0].most_common(1)[0][0] * EDGE_PT if rights[0] else 540.0
    return BodyStyle(size, gap, left, right, is_bold, MappingProxyType(columns))


def style_of_page(lines: Sequence[PageLine], style: BodyStyle) -> BodyStyle:
    """The document's style with the size of a page whose text is larger, as in exhibits: its lines are no headings."""
    sizes: Counter[float] = Counter()
    for line in lines:
        is_long = len(line.text) > LONG_LINE and line.kind != "watermark"
        sizes[round(line.size * 2) / 2] += len(line.text) if is_long else 0
    size, chars = sizes.most_common(1)[0] if sizes else (0.0, 0)
    return style._replace(size=size) if size > style.size and chars >= PAGE_TEXT_CHARS else style


def mark_kinds(pages: Sequence[Sequence[PageLine]], document_style: BodyStyle) -> None:
    """Set the kind of every line that is not furniture, contents or a known heading."""
    for lines in pages:
        style = style_of_page(lines, document_style)
        previous: PageLine | None = None
        for line in lines:
            if line.kind == "body":
                line.kind = classify_line(line, previous, style)
                if line.kind == "body" and previous is not None and is_wrapped_row(line, previous):
                    line.kind = "table_row"
            if line.kind not in ASIDE_KINDS:
                previous = line
        shown = [line for line in lines if line.kind not in ASIDE_KINDS]
        for above, line, below in zip([None, *shown], shown, [*shown[1:], None], strict=False):
            check_heading(line, above, below, style)
        check_paragraphs(shown)


def classify_line(line: PageLine, previous: PageLine | None, style: BodyStyle) -> LineKind:
    match = line.match
    if match[:1] in "fteabcgt" and CAPTION.match(match):
        return "caption"
    if len(line.spans) > 1 and is_table_row(line):
        return "table_row"
    if match[:1] == "第" and ARTICLE.fullmatch(match):
        return "heading"
    is_candidate = line.is_bold or line.size > style.size * 1.05 or numbering_of(line.text)[0]
    needed = HEADING_SCORE_SHOWN if is_candidate and is_set_apart(line, style) else UNSET_SCORE
    if is_candidate and heading_score(line, previous, style) >= needed:
        return "heading"
    if previous is not None and previous.kind == "heading" and is_candidate and continues(line, previous):
        return "heading"
    if LIST_ITEM.match(line.text):
        return "list_item"
    return "body"


def is_heading(line: PageLine) -> bool:
    """Whether a line is a heading or begins with one."""
    return line.kind == "heading" or line.heading_chars > 0


def is_set_apart(line: PageLine, style: BodyStyle) -> bool:
    """Whether a line is bolder or larger than the running text."""
    return line.is_bold and not style.is_bold or line.size > style.size * 1.05


def check_heading(line: PageLine, above: PageLine | None, below: PageLine | None, style: BodyStyle) -> None:
    """Take back what only its number made a heading if it is a list item or a sentence; find run-in headings."""
    if line.kind not in ("heading", "body", "list_item") or line.is_filled:
        return
    if line.kind != "heading" and below is not None and is_first_part(line, below):
        line.kind, line.heading_chars = "heading", len(line.text)
        return
    if line.kind == "heading" and not numbering_of(line.text)[0]:
        return
    if line.kind == "heading" and is_set_apart(line, style) and not (below and is_begun(line, below)):
        return
    line.heading_chars = run_in_chars(line.text)
    if is_set_apart(line, style) and not line.heading_chars:
        return
    if line.kind == "heading" and (line.heading_chars or is_running_on(line, above, below, style)):
        line.kind = "list_item" if LIST_ITEM.match(line.text) and not line.heading_chars else "body"


def is_first_part(line: PageLine, below: PageLine) -> bool:
    """Whether a short numbered line is followed by its first part: "2. Sale of Products." and "2.01. The Seller …"."""
    number, title = numbering_of(line.text)
    part = numbering_of(below.text)[0]
    is_title = 0 < len(title) <= SHORT_CHARS and not SENTENCE_WORDS.search(title)
    return is_title and number.isdigit() and part.removeprefix(f"{number}.") in ("1", "01")


def is_begun(line: PageLine, below: PageLine) -> bool:
    """Whether the line below goes on in lower case, as in a paragraph."""
    return below.text[:1].islower() and 0 <= below.y0 - line.y0 < 2 * line.size


def check_paragraphs(lines: Sequence[PageLine]) -> None:
    """Take back headings that go on for as many lines as only text does."""
    group: list[PageLine] = []
    for line in [*lines, None]:
        if line is not None and group and line.kind == "heading" and continues(line, group[-1]):
            group.append(line)
            continue
        if sum(one.text.count(" ") + 1 for one in group) > HEADING_WORDS:
            for one in group:
                one.kind = "body"
        group = [line] if line is not None and line.kind == "heading" else []


def run_in_chars(text: str) -> int:
    """The length of a numbered heading that its text follows on the same line ("8.3 Survival. The …"); 0 if none."""
    found = RUN_IN.match(text)
    if found is None or not numbering_of(text)[0]:
        return 0
    words = numbering_of(text[: found.end("title")])[1].split()
    return found.end("title") * (0 < len(words) <= RUN_IN_WORDS and is_title_case(words))


def is_title_case(words: Sequence[str]) -> bool:
    """Whether all words but the small ones begin with a capital."""
    letters = [word.strip("\"'“”‘’()[],;/&-–—") for word in words]
    return letters[0][:1].isupper() and all(
        word[:1].isupper() or word[:1].isdigit() or len(word) <= SMALL_WORD or word in SMALL_WORDS for word in letters
    )


def is_running_on(line: PageLine, above: PageLine | None, below: PageLine | None, style: BodyStyle) -> bool:
    """Whether a numbered line set like the text is a sentence, or one item of a list."""
    number, title = numbering_of(line.text)
    if SENTENCE_WORDS.search(title) or title[:1] in "\"“‘'(" or line.text[-1] == ":" and title.count(" ") > 2:
        return True
    if title[-1:] == "." and title.count(" ") > STOPPED_BLANKS and not is_title_case(title.split()):
        return True
    if above is not None and is_item_before(above, number) or below is not None and is_item_after(below, number):
        return True
    if below is None or below.page_number != line.page_number or below.y0 < line.y0:
        return style.is_full(line)
    is_close = below.y0 - line.y1 <= style.gap + ROW_SLACK * style.size and abs(below.size - line.size) < 0.5
    return is_close and not title.isupper() and (below.text[:1].islower() or style.is_full(line))


def is_item_before(above: PageLine, number: str) -> bool:
    return above.kind == "list_item" and counts_on_from(numbering_of(above.text)[0], number)


def is_item_after(below: PageLine, number: str) -> bool:
    return counts_on_from(number, numbering_of(below.text)[0])


def counts_on_from(before: str, after: str) -> bool:
    """Whether two plain numbers follow each other."""
    return before.isdigit() and after.isdigit() and int(after) - int(before) == 1


def continues(line: PageLine, above: PageLine) -> bool:
    """Whether a line continues the heading above it: same style, right below it, without its own number."""
    return (
        above.page_number == line.page_number
        and abs(above.size - line.size) < 0.5
        and above.is_bold == line.is_bold
        and 0 <= line.y0 - above.y0 < 1.5 * line.size
        and not line.text.startswith("(")
        and not numbering_of(line.text)[0]
    )


def is_table_row(line: PageLine) -> bool:
    """Whether a line has at least two cells, most of them after the first numbers or measures ("4 weeks"), or (from
    three cells on) short.
    """
    cells = cells_of(line.text, line.spans, line.size)
    if len(cells) < 2:
        return False
    rest = cells[1:]
    numeric = sum(map(is_numeric, rest))
    if numeric * 2 > len(rest) and not (len(cells) == 2 and LIST_ITEM.match(line.text)):
        return True
    return len(cells) > 2 and sum([len(cell) <= SHORT_CELL for cell in cells]) * 2 > len(cells)


def is_numeric(cell: str) -> bool:
    """Whether a cell is a number, an amount with the side of an account behind it ("80.00 CR"), or a measure."""
    return bool(NUMERIC_CELL.fullmatch(cell) or is_measure(cell) or NUMERIC_CELL.fullmatch(without_side(cell)))


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
    cells = cut_spans(line.spans, CELL_GAP * line.size)
    return [(line.spans[first].x0, line.spans[end - 1].x1) for first, end in cells]


def heading_score(line: PageLine, previous: PageLine | None, style: BodyStyle) -> float:
    """R13's typography score; 0 for lines that cannot be headings: long, a sentence, without letters."""
    text = line.text
    if (
        line.is_filled
        or len(text) > HEADING_CHARS
        or not any(map(str.isalpha, text))
        or text[-1] in ",;"
        or text[:1].islower()
    ):
        return 0.0
    if text[-1] == "." and text.count(" ") > 8 or text[0] == "(" and text[-1] == ")":
        return 0.0
    if is_sign(text[0]) or text.startswith("/s/") or line.size < SMALLER * style.size and not line.is_bold:
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


def is_sign(letter: str) -> bool:
    """Whether a line that begins with it is an item or an option, whatever it looks like: a bullet, a tick, a box."""
    return letter in BULLETS or unicodedata.category(letter) == "So"


def numbering_of(text: str) -> tuple[str, str]:
    """The printed number of a heading ("3.2.1", "Item 1A", "A") and the title without it; "" if it has none."""
    found = NUMBERING.match(text)
    if found is None or not found["end"]:
        return "", text
    number, rest = found["number"], text[found.end() :].strip()
    if not found["word"] and not is_plain_number(number, found["end"], rest):
        return "", text
    return " ".join([*(found["word"] or "").split(), number]), rest


def is_plain_number(number: str, end: str, rest: str) -> bool:
    """Whether a number needs no word such as "Section": "3.1 Scope", "A. Terms", "IV. Results", not "I agree"."""
    if not rest or not rest[0].isalpha() and rest[0] not in "“\"'‘(":
        return False
    if number[0].isdigit():
        return ("." in number or int(re.sub(r"\D", "", number)) < 100) and (rest[0].isupper() or "." in number)
    if len(rest) > 1 and rest[1] == "." and len(number) == 1:
        return False  # initials: "U.S. dollars"
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
    runs = split_runs(entries, lambda run, entry: entry[0] - run[-1][0] <= 4 and entry[1] >= run[-1][1])
    return [(run[0][0], run[-1][0]) for run in runs if len(run) >= CONTENTS_RUN]


def entry_page(line: PageLine, page_count: int) -> int | None:
    """The page number at the end of a contents entry; None if the line is no entry."""
    text = line.text
    if line.kind in ASIDE_KINDS or not text[-1:].isdigit() or len(text) < 5:
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
