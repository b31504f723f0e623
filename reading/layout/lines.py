"""Turn the text pieces of a page into visual lines in reading order: rows on a baseline, columns, rotated text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from reading.characters import ACCENT_FONT, RIGHT_TO_LEFT, UNKNOWN, clean_text, join_accents
from reading.layout.extracted import Span, SpanBlock
from reading.layout.gaps import is_gap, is_parted
from reading.layout.scripts import SCRIPT_GAP, SCRIPT_REACH, SCRIPT_SIZE, ScriptEdges, is_room
from reading.matching import match_form
from reading.rows import LineKind, LineRow, LineSpan, cut_spans, without_struck

READ_LEFTWARD = re.compile(f"[{RIGHT_TO_LEFT}]")
Turn = Callable[[float, float], tuple[float, float]]

BOLD_FLAG, SUPERSCRIPT_FLAG = 16, 1
PAINTED_FLAGS = 16 | 32  # filled or stroked; other text is invisible, such as a text recognition layer
HIDDEN_SHARE = 0.5  # of a page's characters: above it, the text is a recognition layer, not what is drawn
BOLD_NAMES = ("bold", "black", "heavy", "medi", "semibd", "demi")

BASELINE_TOLERANCE = 0.3  # of the font size: cells set in another size still share the row
RAISED = 0.2  # of the neighbour's size: a script this far above its baseline is raised
GLUED_GAP = 0.13  # of the font size: pieces closer than this are one word
STACKED_OVERLAP = 0.4  # of the font size: a sub- and a superscript one above the other are two words
LABEL_SIZE = 0.05  # how much the size of a label may differ from that of its values
CELL_GAP = 0.9  # of the font size: a gap this wide separates two cells
WORDY_CHARS, WORDY_SPACES = 20, 2  # a piece of running text, rather than a cell
COLUMN_PAIRS_MIN = 4  # this many side-by-side pieces of running text make two columns
RUNNING_SHARE = 0.25  # of the lines of running text begin in lower case
TABLE_COLUMNS_MIN, TABLE_CUTS_MIN = 3, 2
LABEL_SHARE, LABEL_LETTERS_MIN = 0.5, 3  # labels are fewer than what they label, and words, not list markers
ROW_GAP = 0.25  # of the font size: a gap of this height through all columns may separate two table rows
COLUMN_DEPTH = 2  # at most four columns
SLANT = 0.087  # the sine of five degrees: text further from the edges of a page is laid over it
LINE_CHARS = (
    1_000  # longer lines are split: in 4,007 pages of filings drawn lines have at most 240, a scan's text 2,603
)
LAST_WORD_CHARS = 100  # a line is split before its last word, unless that word is longer than this


class TextPiece(NamedTuple):
    """Text on one baseline without a wide gap. Boxes run left to right in the text's own frame."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    is_bold: bool
    spans: tuple[LineSpan, ...]


@dataclass(slots=True)
class PageLine:
    """A visual line during reading; becomes a LineRow once kinds and sections are known."""

    page_number: int
    text: str
    match: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    is_bold: bool
    column: int
    spans: tuple[LineSpan, ...]
    kind: LineKind = "body"
    method: str = "text"
    is_rotated: bool = False
    is_divided: bool = False  # a part of a line longer than LINE_CHARS
    is_filled: bool = False  # on the row of a field of a form
    toc_index: int = 0
    heading_chars: int = 0  # of a run-in heading, which the text follows on the same line
    number: int = 0  # in the document, of a line that is read back


class WhiteSpan(NamedTuple):
    """White text on a page: its box in points, and its number of characters."""

    x0: float
    y0: float
    x1: float
    y1: float
    chars: int


@dataclass(slots=True)
class PageText:
    """The pieces of one page by text direction (0 upright, then quarter turns), with observations."""

    pieces: dict[int, list[TextPiece]]
    chars: int = 0
    hidden_chars: int = 0
    unknown_chars: int = 0
    removed_chars: int = 0
    concealed_chars: int = 0  # painted but not visible
    struck_chars: int = 0  # crossed out; they stay in their pieces
    off_page_chars: int = 0  # outside the page's edges; they are in no piece
    white: list[WhiteSpan] = field(default_factory=list)  # painted white; the background is not known yet
    concealed: list[WhiteSpan] = field(default_factory=list)  # what is not seen: tiny, transparent, white on white
    is_recognised: bool = False  # by us, from the page's image
    slanted: list[tuple[int, TextPiece]] = field(default_factory=list)  # with the nearest quarter turn


def page_lines(page_number: int, text: PageText, width: float, height: float) -> tuple[list[PageLine], int]:
    """The visual lines of a page in reading order, and how many columns its text has."""
    lines: list[PageLine] = []
    column_count = 1
    main_turn = max(text.pieces, key=lambda turn: len(text.pieces[turn]), default=0)
    for turn in sorted(text.pieces, key=lambda turn: (turn != main_turn, turn)):
        rows, columns = arrange_rows(text.pieces[turn])
        if turn == main_turn:
            column_count = columns
        for column, row in rows:
            line = join_row(page_number, row, column)
            if turn:
                turn_back(line, turn, width, height)
                line.is_rotated = turn != main_turn
            lines += [line] if len(line.text) <= LINE_CHARS else split_long_line(line)
    lines += [watermark_line(page_number, piece, turn, width, height) for turn, piece in text.slanted]
    return lines, column_count


def watermark_line(page_number: int, piece: TextPiece, turn: int, width: float, height: float) -> PageLine:
    """Slanted text as a line of its own kind, which takes no part in the rows of a page."""
    line = join_row(page_number, [piece], 0)
    if turn:
        turn_back(line, turn, width, height)
    line.kind, line.is_rotated, line.spans = "watermark", True, ()
    return line


# ---- pieces


def pieces_of(blocks: Sequence[SpanBlock], width: float, height: float, turn: Turn | None = None) -> PageText:
    """The pieces of a page's extraction dictionary; `turn` maps a point to the page as displayed."""
    page = PageText({})
    bold_fonts: dict[str, bool] = {}
    for block in blocks:
        for line in block["lines"]:
            spans = line["spans"]
            direction = line["dir"]
            quarter = 0
            if turn is not None or direction[0] < 0.99:
                quarter, spans = turn_spans(spans, direction, width, height, turn)
            piece = piece_of(spans, page, bold_fonts)
            if piece is not None and min(map(abs, direction)) > SLANT:
                page.slanted.append((quarter, piece))
            elif piece is not None:
                page.pieces.setdefault(quarter, []).append(piece)
    take_slanted_text(page)
    return page


def take_slanted_text(page: PageText) -> None:
    """Where a page says more in slanted words than in others, copies counted once, it was scanned askew."""
    said = sum(map(len, {piece.text for _, piece in page.slanted}))
    if said > sum(len(piece.text) for pieces in page.pieces.values() for piece in pieces):
        for quarter, piece in page.slanted:
            page.pieces.setdefault(quarter, []).append(piece)
        page.slanted = []


def piece_of(spans: Sequence[Span], page: PageText, bold_fonts: dict[str, bool]) -> TextPiece | None:
    """One extraction line as a piece, with page-wide character offsets; None if it is blank."""
    text = ""
    places: list[LineSpan] = []
    kept: list[Span] = []
    bold_chars = 0
    for span in spans:
        raw: str = span["text"]
        if ACCENT_FONT.match(span["font"]):
            raw = join_accents(raw)
        if not raw.isprintable():
            raw, removed = clean_text(raw)
            page.removed_chars += removed
        shown = raw.strip()
        if text and text[-1] != " " and (raw[:1] == " " or is_apart(shown, span, kept[-1], text)):
            text += " "
        if not shown:
            continue
        start, end = len(text), len(text) + len(shown)
        left, right = trim_span(span["bbox"], raw, shown)
        places.append(LineSpan(start, end, left, right, span.get("struck", False)))
        kept.append(span)
        text += shown if len(raw) == len(shown) or raw[-1] != " " else shown + " "
        count_characters(page, span, shown)
        if is_bold(span, bold_fonts):
            bold_chars += end - start
    if not kept:
        return None
    _, y0, _, y1 = kept[0]["bbox"]
    size, baseline = kept[0]["size"], kept[0]["origin"][1]
    if len(kept) > 1:
        y0, y1 = min([span["bbox"][1] for span in kept]), max([span["bbox"][3] for span in kept])
        size = max([span["size"] for span in kept])
        # Characters such as a root hang from above, so the baseline is that of the longest large span, else the lowest.
        baseline = max([(len(span["text"]), span["origin"][1]) for span in kept if span["size"] > size - 0.5])[1]
    right = max([place.x1 for place in places])
    left = places[0].x0 if text.isascii() else min([place.x0 for place in places])
    return TextPiece(text.rstrip(), left, y0, right, y1, baseline, size, bold_chars * 2 > len(text), tuple(places))


def trim_span(box: Sequence[float], raw: str, shown: str) -> tuple[float, float]:
    """The left and right edge of a span without the white space at its ends."""
    if len(raw) == len(shown):
        return box[0], box[2]
    advance = (box[2] - box[0]) / len(raw)
    lead = len(raw) - len(raw.lstrip())
    return box[0] + lead * advance, box[2] - (len(raw) - lead - len(shown)) * advance


def count_characters(page: PageText, span: Span, shown: str) -> None:
    page.chars += len(shown)
    if "struck" in span:
        page.struck_chars += len(shown)
    if not span["char_flags"] & PAINTED_FLAGS:
        page.hidden_chars += len(shown)
    if UNKNOWN in shown:
        page.unknown_chars += shown.count(UNKNOWN)


def is_bold(span: Span, bold_fonts: dict[str, bool]) -> bool:
    """Whether a span is bold by its font's flag or name; `bold_fonts` caches names."""
    if span["flags"] & BOLD_FLAG:
        return True
    font = span["font"]
    known = bold_fonts.get(font)
    if known is None:
        known = bold_fonts[font] = any(name in font.lower() for name in BOLD_NAMES)
    return known


def is_apart(text: str, span: Span, last: Span, before: str) -> bool:
    """Whether two spans need a space between them; a footnote mark does not belong to the word or number before."""
    if is_footnote_mark(text, span, last, before) or (text and is_parted(before, text, last, span)):
        return True
    rise = span["origin"][1] - last["origin"][1]
    is_small = last["size"] < span["size"] * SCRIPT_SIZE and rise > RAISED * span["size"]
    return is_small and before.isdigit() and text[:1].isalpha()


def is_footnote_mark(text: str, span: Span, last: Span, before: str) -> bool:
    """Whether it is a raised number after a number or word; joined to it, it would change what is read."""
    is_raised = span["flags"] & SUPERSCRIPT_FLAG and span["size"] < last["size"] * SCRIPT_SIZE
    return bool(is_raised) and is_number_after(text, before)


def is_number_after(text: str, before: str) -> bool:
    return text.strip("()[],* ").isdigit() and (before[-1].isdigit() or (len(before) > 2 and before[-3:].isalpha()))


def is_mark_after(piece: TextPiece, last: TextPiece) -> bool:
    """The same of a raised number that is a piece of its own."""
    is_raised = piece.size < last.size * SCRIPT_SIZE and last.baseline - piece.baseline > RAISED * last.size
    return is_raised and is_number_after(piece.text, last.text)


def turn_spans(
    spans: Sequence[Span], direction: tuple[float, float], width: float, height: float, turn: Turn | None
) -> tuple[int, list[Span]]:
    """Spans in the displayed page, rotated to read left to right, and the number of quarter turns."""
    dx, dy = direction
    if turn is not None:
        (ax, ay), (bx, by) = turn(0.0, 0.0), turn(dx, dy)
        dx, dy = bx - ax, by - ay
    quarter = round(math.atan2(dy, dx) / (math.pi / 2)) % 4 if math.isfinite(dx + dy) else 0
    moved: list[Span] = []
    for span in spans:
        x0, y0, x1, y1 = span["bbox"]
        points = [(x0, y0), (x1, y1), span["origin"]]
        if turn is not None:
            points = [turn(x, y) for x, y in points]
        points = [upright(x, y, quarter, width, height) for x, y in points]
        (ax, ay), (bx, by), origin = points
        box = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
        moved.append({**span, "bbox": box, "origin": origin})
    return quarter, moved


def upright(x: float, y: float, quarter: int, width: float, height: float) -> tuple[float, float]:
    """A point of the page in the coordinates where text of that direction reads left to right, top to bottom."""
    if quarter == 1:  # read from top to bottom
        return y, width - x
    if quarter == 2:
        return width - x, height - y
    if quarter == 3:  # read from bottom to top
        return height - y, x
    return x, y


def turn_back(line: PageLine, quarter: int, width: float, height: float) -> None:
    """Give a line of turned text its box on the page.

    Its spans stay in its own frame, see `reading.boxes.turn_of_line`.
    """
    x0, y0, x1, y1 = line.x0, line.y0, line.x1, line.y1
    origin = {1: 0.0, 2: width, 3: height}[quarter]
    line.spans = tuple(one._replace(x0=one.x0 - origin, x1=one.x1 - origin) for one in line.spans)
    if quarter == 1:
        line.x0, line.y0, line.x1, line.y1 = width - y1, x0, width - y0, x1
    elif quarter == 2:
        line.x0, line.y0, line.x1, line.y1 = width - x1, height - y1, width - x0, height - y0
    else:
        line.x0, line.y0, line.x1, line.y1 = y0, height - x1, y1, height - x0


# ---- rows and columns

Row = list[TextPiece]


def arrange_rows(pieces: list[TextPiece]) -> tuple[list[tuple[int, Row]], int]:
    """Rows in reading order, each with its column (0 across the page, else 1…), and the column count."""
    regions = regions_of(pieces, 0)
    is_leftward = is_read_leftward(pieces)
    rows = [(column, row) for column, region in regions for row in joined_rows(region, is_leftward=is_leftward)]
    return rows, max((column for column, _ in regions), default=0) or 1


def regions_of(pieces: list[TextPiece], depth: int) -> list[tuple[int, list[TextPiece]]]:
    """Cut the page into regions in reading order: bands across the page, and columns side by side."""
    gutter = gutter_of(pieces) if depth < COLUMN_DEPTH else None
    if gutter is None:
        return [(0, pieces)]
    regions: list[tuple[int, list[TextPiece]]] = []
    for is_split, band in bands_of(pieces, gutter):
        if not is_split:
            regions.append((0, band))
            continue
        left = regions_of([piece for piece in band if piece.x0 < gutter], depth + 1)
        right = regions_of([piece for piece in band if piece.x0 >= gutter], depth + 1)
        last = max(column or 1 for column, _ in left)
        columns = [(column or 1, region) for column, region in left]
        columns += [(last + (column or 1), region) for column, region in right]
        regions += row_by_row(columns) if depth == 0 else columns
    return regions


def row_by_row(columns: list[tuple[int, list[TextPiece]]]) -> list[tuple[int, list[TextPiece]]]:
    """Three or more columns whose texts begin at the same heights are a table: its rows in order, cell by cell."""
    cells = with_label_columns(columns)
    cuts = row_cuts(cells) if len({column for column, _ in cells}) >= TABLE_COLUMNS_MIN else []
    if len(cuts) < TABLE_CUTS_MIN:
        return columns
    rows: list[tuple[int, list[TextPiece]]] = []
    for top, bottom in pairwise([-math.inf, *cuts, math.inf]):
        for column, region in cells:
            cell = [piece for piece in region if top <= piece.baseline < bottom]
            if cell:
                rows.append((column, cell))
    return rows


def with_label_columns(columns: list[tuple[int, list[TextPiece]]]) -> list[tuple[int, list[TextPiece]]]:
    """The columns, with a narrow column of labels at the left of the first one ("Tier 1") separated."""
    (first, region), *others = columns
    region = [part for piece in region for part in split_at_gaps(piece)]
    edge = label_edge(region)
    if first != 1 or edge is None:
        return columns
    labels = [piece for piece in region if piece.x1 <= edge]
    text = [piece for piece in region if piece.x1 > edge]
    return [(1, labels), (2, text), *((column + 1, other) for column, other in others)]


def split_at_gaps(piece: TextPiece) -> list[TextPiece]:
    """Cut a piece where a gap inside it is as wide as between two cells."""
    if len(piece.spans) < 2:
        return [piece]
    return [part_of_piece(piece, *spans) for spans in cut_spans(piece.spans, CELL_GAP * piece.size)]


def label_edge(region: list[TextPiece]) -> float | None:
    """Where the text right of a column of labels begins; None if there is no such column."""
    wordy = [piece.x0 for piece in region if is_wordy(piece.text)]
    if len(wordy) < COLUMN_PAIRS_MIN:
        return None
    edge = sorted(wordy)[len(wordy) // 10]
    labels = [piece for piece in region if piece.x0 < edge - CELL_GAP * piece.size]
    is_narrow = 2 <= len(labels) <= LABEL_SHARE * len(region) and all(piece.x1 <= edge for piece in labels)
    words = sum(sum(map(str.isalpha, piece.text)) >= LABEL_LETTERS_MIN for piece in labels)
    return edge if is_narrow and words * 2 > len(labels) else None


def row_cuts(columns: list[tuple[int, list[TextPiece]]]) -> list[float]:
    """The heights where no column has text, and the first and most other columns begin a cell right below."""
    pieces = sorted((piece for _, region in columns for piece in region), key=lambda piece: piece.y0)
    count = len({column for column, _ in columns})
    column_of = {id(piece): column for column, region in columns for piece in region}
    cuts: list[float] = []
    bottom = pieces[0].y1
    for piece in pieces[1:]:
        if piece.y0 - bottom > ROW_GAP * piece.size:
            beginning = {
                column_of[id(other)] for other in pieces if abs(other.y0 - piece.y0) <= BASELINE_TOLERANCE * piece.size
            }
            if 1 in beginning and len(beginning) > count / 2:
                cuts.append(piece.y0)
        bottom = max(bottom, piece.y1)
    return cuts


def gutter_of(pieces: list[TextPiece]) -> float | None:
    """The x that separates side-by-side running text; None if the page has one column."""
    wordy = sorted((piece for piece in pieces if is_wordy(piece.text)), key=lambda piece: piece.y0)
    if len(wordy) < 2 * COLUMN_PAIRS_MIN:
        return None
    # A number alone on the row makes it a table's row.
    table_rows = {round(piece.baseline) for piece in pieces if len(piece.text) < 14 and is_amount(piece.text)}
    wordy = [piece for piece in wordy if round(piece.baseline) not in table_rows]
    gaps: list[tuple[float, float]] = []
    for index, piece in enumerate(wordy):
        for other in wordy[index + 1 : index + 6]:
            if other.y0 > piece.y1 - 0.4 * piece.size:
                break
            left, right = (piece, other) if piece.x0 < other.x0 else (other, piece)
            if left.x1 < right.x0:
                gaps.append((left.x1, right.x0))
    if len(gaps) < COLUMN_PAIRS_MIN:
        return None
    best, votes = widest_agreement(gaps)
    if votes < COLUMN_PAIRS_MIN or not all(map(is_running, sides_of(wordy, best))):
        return None
    return best


def sides_of(pieces: list[TextPiece], gutter: float) -> tuple[list[TextPiece], list[TextPiece]]:
    return [piece for piece in pieces if piece.x1 <= gutter], [piece for piece in pieces if piece.x0 >= gutter]


def is_running(side: list[TextPiece]) -> bool:
    """Whether the pieces are running text: enough of them continue a sentence of the line before."""
    firsts = [piece.text[0] for piece in side]
    going_on = sum(first.islower() for first in firsts)
    cased = going_on + sum(first.isupper() for first in firsts)
    return bool(side) and going_on >= RUNNING_SHARE * cased


def is_amount(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text)) and text[-1] not in ".:"


def is_wordy(text: str) -> bool:
    return len(text) >= WORDY_CHARS and text.count(" ") >= WORDY_SPACES and not text[-12:].isdigit()


def widest_agreement(gaps: list[tuple[float, float]]) -> tuple[float, int]:
    """The point covered by most gaps (near their left ends, where a ragged right column cannot reach)."""
    events = sorted([(start, 0) for start, _ in gaps] + [(end, 1) for _, end in gaps])
    best, votes, open_gaps = 0.0, 0, 0
    for index, (x, is_end) in enumerate(events):
        open_gaps += -1 if is_end else 1
        if open_gaps > votes:
            votes = open_gaps
            best = (x + events[index + 1][0]) / 2 if index + 1 < len(events) else x
    return best, votes


def bands_of(pieces: list[TextPiece], gutter: float) -> list[tuple[bool, list[TextPiece]]]:
    """Cut the pieces into bands from top to bottom; True marks a band with two parallel sides."""
    bands: list[tuple[bool, list[TextPiece]]] = []
    band: list[TextPiece] = []
    crossing: list[TextPiece] = []
    for piece in sorted(pieces, key=lambda piece: piece.baseline):
        if piece.x0 < gutter - 2 and piece.x1 > gutter + 2:
            labels = [other for other in band if is_label_of(other, piece)]
            band = [other for other in band if not is_label_of(other, piece)]
            if band:
                bands.append((has_sides(band, gutter), band))
                band = []
            crossing += [*labels, piece]
            continue
        if crossing and not band and piece.baseline - crossing[-1].baseline <= BASELINE_TOLERANCE * piece.size:
            crossing.append(piece)  # on the row of a line that runs across
            continue
        if crossing:
            bands.append((False, crossing))
            crossing = []
        band.append(piece)
    if crossing:
        bands.append((False, crossing))
    if band:
        bands.append((has_sides(band, gutter), band))
    return bands


def is_label_of(piece: TextPiece, values: TextPiece) -> bool:
    """Whether a piece stands left of another on its row, set alike: a label may be a hair above its values."""
    is_alike = abs(piece.size - values.size) <= LABEL_SIZE * values.size
    return is_alike and piece.x1 <= values.x0 and values.baseline - piece.baseline <= BASELINE_TOLERANCE * values.size


def has_sides(band: list[TextPiece], gutter: float) -> bool:
    """Whether running text is on both sides of the gutter; table cells on one side do not count."""
    left = sum(piece.x0 < gutter and is_wordy(piece.text) for piece in band)
    right = sum(piece.x0 >= gutter and is_wordy(piece.text) for piece in band)
    return left > 0 and right > 0 and left + right >= COLUMN_PAIRS_MIN - 1


def joined_rows(pieces: list[TextPiece], *, is_leftward: bool) -> list[Row]:
    """The pieces of one region as rows from top to bottom, each in the order it is read in.

    On a page that is read leftward a row is so too if a word of such a script is at its right end, as a label is.
    """
    rows: list[Row] = []
    row: Row = []
    level = size = 0.0
    for piece in sorted(pieces, key=lambda piece: piece.baseline):
        if row and piece.baseline - level <= BASELINE_TOLERANCE * max(size, piece.size) and fits(piece, row):
            row.append(piece)
            if piece.size > size:
                size, level = piece.size, piece.baseline
        else:
            row = [piece]
            rows.append(row)
            level, size = piece.baseline, piece.size
    rows = with_scripts(rows) if len(rows) > 1 else rows
    for row in rows:
        if len(row) > 1:
            row.sort(key=lambda piece: piece.x0)
            if is_right_to_left("".join([piece.text for piece in row])) or (is_leftward and is_labelled_right(row)):
                row[:] = right_to_left(row)
    return rows


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text are of a script that is written from right to left."""
    return not text.isascii() and 2 * len(READ_LEFTWARD.findall(text)) > sum(map(str.isalpha, text))


def is_read_leftward(pieces: list[TextPiece]) -> bool:
    """Whether most pieces of a page that are of one script, long or short, are of one written from right to left."""
    leftward = [piece.text for piece in pieces if READ_LEFTWARD.search(piece.text)]
    if not leftward:
        return False
    rightward = sum(any(map(str.isalpha, piece.text)) for piece in pieces) - len(leftward)
    return sum(all(READ_LEFTWARD.match(sign) for sign in text if sign.isalpha()) for text in leftward) > rightward


def is_labelled_right(row: Row) -> bool:
    last = next((piece.text for piece in reversed(row) if any(map(str.isalpha, piece.text))), "")
    return is_right_to_left(last)


def right_to_left(row: Row) -> Row:
    """The pieces of a row in the order they are read in; words of another script in a cell go from left to right."""
    cells: list[Row] = []
    for piece in reversed(row):
        is_turned = not READ_LEFTWARD.search(piece.text)
        last = cells[-1][0] if cells else None
        if last and is_turned and not READ_LEFTWARD.search(last.text) and last.x0 - piece.x1 <= CELL_GAP * piece.size:
            cells[-1].insert(0, piece)
        else:
            cells.append([piece])
    return [
        piece
        for cell in cells
        for piece in (cell if any(map(str.isalpha, "".join([each.text for each in cell]))) else reversed(cell))
    ]


def fits(piece: TextPiece, row: Row) -> bool:
    """Whether a piece belongs beside a row; pieces that overlap sideways are set above each other."""
    for other in row:
        overlap = min(piece.x1, other.x1) - max(piece.x0, other.x0)
        if overlap > 0 and overlap > 0.3 * min(piece.x1 - piece.x0, other.x1 - other.x0):
            return False
    return True


def with_scripts(rows: list[Row]) -> list[Row]:
    """Join rows made only of sub- or superscripts to the row they belong to."""
    kept: list[Row] = []
    for index, row in enumerate(rows):
        following = rows[index + 1] if index + 1 < len(rows) else None
        if following is not None and is_script_of(row, following):
            rows[index + 1] = [part for piece in following for part in part_at(piece, row)] + row
        elif kept and is_script_of(row, kept[-1]):
            kept[-1] = [part for piece in kept[-1] for part in part_at(piece, row)] + row
        else:
            kept.append(row)
    return kept


def is_script_of(row: Row, other: Row) -> bool:
    """Whether every piece of the row is small, close in height and touches a larger piece of the other row."""
    return len(row) <= 4 and all(
        any(
            piece.size < SCRIPT_SIZE * larger.size
            and abs(piece.baseline - larger.baseline) <= SCRIPT_REACH * larger.size
            and (abs(piece.x0 - larger.x1) <= SCRIPT_GAP * larger.size or gap_for(piece, larger))
            for larger in other
        )
        for piece in row
    )


def gap_for(script: TextPiece, larger: TextPiece) -> int:
    """The number of the span of a piece before which room is left for a script; 0 if there is none."""
    for number, (before, after) in enumerate(pairwise(larger.spans), start=1):
        is_near = script.x0 - before.x1 <= SCRIPT_GAP * larger.size
        if is_near and is_room(ScriptEdges(script.x0, script.x1), before.x1, after.x0, larger.size):
            return number
    return 0


def part_at(piece: TextPiece, scripts: Row) -> list[TextPiece]:
    """Cut a piece where scripts stand inside it."""
    cuts = sorted({gap_for(script, piece) for script in scripts if script.size < SCRIPT_SIZE * piece.size} - {0})
    return [part_of_piece(piece, first, last) for first, last in pairwise([0, *cuts, len(piece.spans)])]


def part_of_piece(piece: TextPiece, first: int, last: int) -> TextPiece:
    """The spans [first, last) of a piece as a piece."""
    group = piece.spans[first:last]
    start, end = group[0].start, group[-1].end
    spans = tuple(one._replace(start=one.start - start, end=one.end - start) for one in group)
    return piece._replace(text=piece.text[start:end], x0=spans[0].x0, x1=spans[-1].x1, spans=spans)


# ---- lines


def join_row(page_number: int, row: Row, column: int) -> PageLine:
    """One row as a line: its text with single spaces between cells, its box and the position of each span."""
    first = row[0]
    if len(row) == 1:
        box = (first.x0, first.y0, first.x1, first.y1)
        text, spans, size, is_bold = first.text, first.spans, first.size, first.is_bold
    else:
        text, spans = joined_text(row)
        box = (
            min([piece.x0 for piece in row]),
            min([piece.y0 for piece in row]),
            max([piece.x1 for piece in row]),
            max([piece.y1 for piece in row]),
        )
        size = max([piece.size for piece in row])
        is_bold = sum([len(piece.text) for piece in row if piece.is_bold]) * 2 > len(text)
    return PageLine(page_number, text, match_form(without_struck(text, spans)), *box, size, is_bold, column, spans)


def split_long_line(line: PageLine) -> list[PageLine]:
    """Split an overlong line into lines of at most LINE_CHARS, so that no later step or pattern gets a longer one."""
    parts = []
    start = 0
    while start < len(line.text):
        end = min(start + LINE_CHARS, len(line.text))
        if end < len(line.text) and (space := line.text.rfind(" ", end - LAST_WORD_CHARS, end)) > start:
            end = space
        parts.append(part_of(line, start, end))
        start = end + (line.text[end : end + 1] == " ")
    return parts


def part_of(line: PageLine, start: int, end: int) -> PageLine:
    """The characters [start, end) of a line as a line; a cut span is divided evenly."""
    spans = []
    for span in line.spans:
        first, last = max(span.start, start), min(span.end, end)
        if first < last:
            width = (span.x1 - span.x0) / (span.end - span.start)
            left, right = span.x0 + width * (first - span.start), span.x0 + width * (last - span.start)
            spans.append(span._replace(start=first - start, end=last - start, x0=left, x1=right))
    text = line.text[start:end]
    x0 = min((span.x0 for span in spans), default=line.x0)
    x1 = max((span.x1 for span in spans), default=line.x1)
    return replace(
        line,
        text=text,
        match=match_form(without_struck(text, spans)),
        x0=x0,
        x1=x1,
        spans=tuple(spans),
        is_divided=True,
    )


def joined_text(row: Row) -> tuple[str, tuple[LineSpan, ...]]:
    parts: list[str] = []
    spans: list[LineSpan] = []
    length = 0
    right = 0.0
    for last, piece in zip((None, *row), row, strict=False):
        beside = last.x0 - piece.x1 if last and piece.x1 <= last.x0 else piece.x0 - right  # read from right to left
        gap = beside / piece.size if piece.size else 1.0
        is_beside = gap > GLUED_GAP or gap < -STACKED_OVERLAP
        if last and (is_beside or is_mark_after(piece, last) or is_gap(parts[-1][-1] + piece.text[:2], 1, gap, 1.0)):
            parts.append(" ")
            length += 1
        spans += [span._replace(start=length + span.start, end=length + span.end) for span in piece.spans]
        parts.append(piece.text)
        length += len(piece.text)
        right = piece.x1
    return "".join(parts), tuple(spans)


def cells_of(text: str, spans: Sequence[LineSpan], size: float) -> list[str]:
    """The cells of a line: its text cut where a gap between spans is as wide as a letter or more."""
    cells: list[str] = []
    start = 0
    for before, after in pairwise(spans):
        if after.x0 - before.x1 > CELL_GAP * size:
            cells.append(text[start : before.end].strip())
            start = after.start
    cells.append(text[start:].strip())
    return [cell for cell in cells if cell]


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
