"""Fields of a form as they are shown: ticked or not, what was chosen of a list, signed or not."""

# mypy: disallow-untyped-calls=False
# The library annotates only part of its functions.

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import pymupdf

from reading.boxes import text_width
from reading.layout.extracted import SpanBlock
from reading.layout.lines import HIDDEN_SHARE, PAINTED_FLAGS, PageText, TextPiece, upright
from reading.matching import match_form
from reading.rows import LineSpan

FIELDS_MAX = 2_000  # of a page; forms have up to some hundreds
HIDDEN = 2 | 32  # as the flags of an annotation say: never shown, or not on a screen
SEVERAL = 1 << 21  # a flag of fields
What = Literal["tick", "list", "value", "signature"]
TICK: What = "tick"
LIST: What = "list"
VALUE: What = "value"
SIGNATURE: What = "signature"
NAMES = {"tick": ("☑", "☐"), "radio": ("◉", "○")}
SIGNED, UNSIGNED = "[signed]", "[not signed]"
LABEL_GAP = 40.0  # points: a label stands no farther from its box
SAME_ROW = 0.6  # of the height of the lower one of two: how far apart the middles of a box and its label are
WIDE_BLANK = "  "


class FormField(NamedTuple):
    """A field on its page as displayed: what it is, its box in points, the signs for chosen and not, and its state."""

    what: What
    box: tuple[float, float, float, float]
    signs: tuple[str, str]
    is_on: bool
    chosen: tuple[str, ...] = ()

    def turned(self, quarter: int, width: float, height: float) -> "FormField":
        """The field in the coordinates where text of that direction reads left to right."""
        x0, y0, x1, y1 = self.box
        (ax, ay), (bx, by) = upright(x0, y0, quarter, width, height), upright(x1, y1, quarter, width, height)
        return self._replace(box=(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)))


def fields_on(page: pymupdf.Page) -> list[FormField]:
    """The fields of a page that are shown, in its order; buttons and text that is typed are none of them."""
    mupdf = pymupdf.mupdf
    found: list[FormField] = []
    annotation = mupdf.pdf_first_widget(mupdf.pdf_page_from_fz_page(page.this))
    for _ in range(FIELDS_MAX):
        if not annotation.m_internal:
            break
        if not mupdf.pdf_annot_flags(annotation) & HIDDEN and (field := read_field(annotation)):
            found.append(field)
        annotation = mupdf.pdf_next_widget(annotation)
    return found


def read_field(annotation: Any) -> FormField | None:
    mupdf = pymupdf.mupdf
    kind, flags = mupdf.pdf_widget_type(annotation), mupdf.pdf_annot_field_flags(annotation)
    bound = mupdf.pdf_bound_widget(annotation)
    box = (bound.x0, bound.y0, bound.x1, bound.y1)
    if kind in (mupdf.PDF_WIDGET_TYPE_CHECKBOX, mupdf.PDF_WIDGET_TYPE_RADIOBUTTON):
        is_radio = kind == mupdf.PDF_WIDGET_TYPE_RADIOBUTTON
        state = mupdf.pdf_to_name(mupdf.pdf_dict_gets(mupdf.pdf_annot_obj(annotation), "AS"))
        return FormField(TICK, box, NAMES["radio" if is_radio else "tick"], state not in ("", "Off"))
    if kind == mupdf.PDF_WIDGET_TYPE_SIGNATURE:
        return FormField(SIGNATURE, box, (SIGNED, UNSIGNED), bool(mupdf.pdf_widget_is_signed(annotation)))
    value = mupdf.pdf_dict_gets_inheritable(mupdf.pdf_annot_obj(annotation), "V")
    if kind == mupdf.PDF_WIDGET_TYPE_LISTBOX:
        return FormField(LIST, box, NAMES["tick" if flags & SEVERAL else "radio"], False, tuple(texts_of(value)))
    if kind in (mupdf.PDF_WIDGET_TYPE_COMBOBOX, mupdf.PDF_WIDGET_TYPE_TEXT):
        return FormField(VALUE, box, ("", ""), False, tuple(texts_of(value)))
    return None


def texts_of(value: Any) -> Iterator[str]:
    """The texts of a field's value, which is one or a list of them."""
    mupdf = pymupdf.mupdf
    if mupdf.pdf_is_array(value):
        for at in range(min(mupdf.pdf_array_len(value), FIELDS_MAX)):
            yield from texts_of(mupdf.pdf_array_get(value, at))
    elif mupdf.pdf_is_string(value) and (text := mupdf.pdf_to_text_string(value).strip()):
        yield text


# ---- in the text of the page


def drop_drawn(blocks: Sequence[SpanBlock], fields: Sequence[FormField], page: pymupdf.Page) -> None:
    """Take what is drawn in boxes and in places nobody has signed out of the extraction; it is told in signs.

    What is not drawn in a place to sign was recognised on the paper below.
    """
    told = [field for field in fields if is_told_in_signs(field)]
    turned = [(field.what, pymupdf.Rect(field.box) * page.derotation_matrix) for field in told]
    for block in blocks if turned else ():
        for line in block["lines"]:
            line["spans"] = [
                span
                for span in line["spans"]
                if not any(
                    has_middle_inside(span["bbox"], box) and (what == TICK or span["char_flags"] & PAINTED_FLAGS)
                    for what, box in turned
                )
            ]
        block["lines"] = [line for line in block["lines"] if line["spans"]]


def is_told_in_signs(field: FormField) -> bool:
    return field.what == TICK or (field.what == SIGNATURE and not field.is_on)


def has_middle_inside(box: Sequence[float], outer: Sequence[float]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def put_fields(text: PageText, fields: Sequence[FormField], width: float, height: float) -> None:
    """Put the state of each field among the pieces of a page that has some; of a scan they are what was recognised.

    Of a scan only boxes are told in signs: a place that nobody has signed as a file may be signed on its paper.
    """
    boxes: list[tuple[float, float, float, float]] = []
    if text.is_recognised or text.hidden_chars > HIDDEN_SHARE * text.chars:
        fields = [field for field in fields if field.what == TICK or not is_told_in_signs(field)]
        boxes = [field.box for field in fields if field.what == TICK]
    if fields and text.pieces:
        quarter = max(text.pieces, key=lambda turned: len(text.pieces[turned]))
        seen = [
            piece
            for piece in text.pieces[quarter]
            if not any(has_middle_inside((piece.x0, piece.y0, piece.x1, piece.y1), box) for box in boxes)
        ]
        text.pieces[quarter] = with_fields(seen, [field.turned(quarter, width, height) for field in fields])


def with_fields(pieces: Sequence[TextPiece], fields: Sequence[FormField]) -> list[TextPiece]:
    """The pieces of a page of one direction with the state of each field, before its label or where the field is."""
    placed = list(pieces)
    for field in fields:
        if field.what == TICK:
            put_tick(field, placed)
        elif field.what == LIST:
            put_choices(field, placed)
        elif field.what == SIGNATURE:
            placed.append(piece_in(field, field.signs[not field.is_on], piece_on_row(field, placed)))
        elif missing := values_not_drawn(field, placed):
            placed.append(piece_in(field, " ".join(missing), piece_on_row(field, placed)))
    return placed


def put_tick(field: FormField, pieces: list[TextPiece]) -> None:
    """Put the sign of a box before its label: the nearer of what stands on its right and on its left."""
    sign, (x0, _, x1, _) = field.signs[not field.is_on], field.box
    row = [(piece, place_in(piece, field)) for piece in pieces if is_on_row(piece, field)]
    rights = [(piece, at, edge_from(piece, at) - x1) for piece, at in row if at < len(piece.text)]
    lefts = [(piece, at, x0 - edge_to(piece, at)) for piece, at in row if at > 0]
    right = min((each for each in rights if each[2] < LABEL_GAP), key=lambda each: each[2], default=None)
    left = min((each for each in lefts if each[2] < LABEL_GAP), key=lambda each: each[2], default=None)
    if right and (left is None or right[2] <= left[2]):
        piece, at, _ = right
    elif left:
        piece, at = left[0], label_start(left[0], left[1])
    else:
        pieces.append(piece_in(field, sign, piece_on_row(field, pieces)))
        return
    pieces[pieces.index(piece)] = with_sign(piece, at, sign, (x0, x1))


def is_on_row(piece: TextPiece, field: FormField) -> bool:
    _, top, _, bottom = field.box
    apart = abs((piece.y0 + piece.y1) - (top + bottom)) / 2
    return apart < SAME_ROW * min(piece.y1 - piece.y0, max(bottom - top, piece.size))


def place_in(piece: TextPiece, field: FormField) -> int:
    """The place among the characters of a piece where a field stands; the nearest blank where it is inside a span."""
    middle = (field.box[0] + field.box[2]) / 2
    for span in piece.spans:
        if middle < span.x0:
            return span.start
        if middle < span.x1:
            blanks = [place for place in range(span.start, span.end) if piece.text[place] == " "]
            ends = [span.start, *(place + 1 for place in blanks), span.end]
            return min(ends, key=lambda place: abs(x_of(piece, span, place) - middle))
    return len(piece.text)


def edge_from(piece: TextPiece, at: int) -> float:
    """Where the first character from a place on begins."""
    span = next(span for span in piece.spans if span.end > at)
    first = next((place for place in range(max(at, span.start), span.end) if piece.text[place] != " "), span.start)
    return x_of(piece, span, first)


def edge_to(piece: TextPiece, at: int) -> float:
    """Where the last character before a place ends."""
    end = len(piece.text[:at].rstrip())
    span = next(span for span in reversed(piece.spans) if span.start < end or span is piece.spans[0])
    return x_of(piece, span, min(end, span.end))


def x_of(piece: TextPiece, span: LineSpan, at: int) -> float:
    """Where the character at a place of a span begins, its width shared out by the usual widths of its characters."""
    whole = text_width(piece.text[span.start : span.end])
    return span.x0 + (span.x1 - span.x0) * text_width(piece.text[span.start : at]) / whole if whole else span.x0


def label_start(piece: TextPiece, end: int) -> int:
    """Where the label begins that ends at a place: after a sign, a wide blank or the gap between two spans."""
    text = piece.text[:end].rstrip()
    starts = [span.start for span in piece.spans if span.start < len(text)]
    return max([starts[-1] if starts else 0, text.rfind(WIDE_BLANK) + len(WIDE_BLANK) if WIDE_BLANK in text else 0])


def with_sign(piece: TextPiece, at: int, sign: str, edges: tuple[float, float]) -> TextPiece:
    """The piece with a sign before the character at a place, and a blank after it; the sign has a span of its own."""
    added = len(sign) + 1
    before = piece.text[:at]
    gap = " " if before and before[-1] != " " else ""
    spans: list[LineSpan] = []
    for span in piece.spans:
        start, end = span.start + len(gap) + added, span.end + len(gap) + added
        if span.end <= at:
            spans.append(span)
        elif span.start >= at:
            spans.append(span._replace(start=start, end=end))
        else:
            cut = x_of(piece, span, at)
            spans += [span._replace(end=at, x1=cut), span._replace(start=at + len(gap) + added, end=end, x0=cut)]
    first = next((number for number, span in enumerate(spans) if span.start >= at), len(spans))
    spans.insert(first, LineSpan(at + len(gap), at + len(gap) + len(sign), *edges))
    return piece._replace(
        text=f"{before}{gap}{sign} {piece.text[at:]}",
        x0=min(piece.x0, edges[0]),
        x1=max(piece.x1, edges[1]),
        spans=tuple(spans),
    )


def put_choices(field: FormField, pieces: list[TextPiece]) -> None:
    """Put a sign before each choice of a list that is seen; what was chosen and is not seen is put there."""
    chosen, seen = {match_form(text) for text in field.chosen}, set()
    for number, piece in enumerate(pieces):
        if has_middle_inside((piece.x0, piece.y0, piece.x1, piece.y1), field.box):
            is_on = match_form(piece.text) in chosen
            seen.add(match_form(piece.text))
            pieces[number] = with_sign(piece, 0, field.signs[not is_on], (piece.x0, piece.x0))
    if missing := [text for text in field.chosen if match_form(text) not in seen]:
        pieces.append(piece_in(field, f"{field.signs[0]} {', '.join(missing)}", piece_on_row(field, pieces)))


def values_not_drawn(field: FormField, pieces: Sequence[TextPiece]) -> list[str]:
    """The values of a field of which not a word is drawn in it."""
    if not field.chosen:
        return []
    is_drawn = any(has_middle_inside((piece.x0, piece.y0, piece.x1, piece.y1), field.box) for piece in pieces)
    return [] if is_drawn else [" ".join(text.split()) for text in field.chosen]


def piece_on_row(field: FormField, pieces: Sequence[TextPiece]) -> TextPiece | None:
    """The nearest piece left of a field on its row, with whose text it stands in a line."""
    _, top, _, bottom = field.box
    left = [piece for piece in pieces if piece.x1 <= field.box[0] + 1 and top <= (piece.y0 + piece.y1) / 2 <= bottom]
    return max(left, key=lambda piece: piece.x1, default=None)


def piece_in(field: FormField, text: str, beside: TextPiece | None) -> TextPiece:
    """A piece of text at a field, on the baseline of what it stands beside."""
    x0, top, x1, bottom = field.box
    size = beside.size if beside else min(bottom - top, 12.0)
    baseline = beside.baseline if beside else (top + bottom) / 2 + size / 3
    right = min(x1, x0 + size * len(text))
    return TextPiece(text, x0, top, right, bottom, baseline, size, False, (LineSpan(0, len(text), x0, right),))
