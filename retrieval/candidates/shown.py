"""What a brief shows of a document: whole clauses with their lead-in, whole rows with the heading of their table.

The same place can be shown at any length: what belongs to it comes first, its neighbours as far as there is room.

It is a unit that somebody would quote; what is left out between is marked as “[…]”. The writer's context has all of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_by_key
from reading.rows import UNSEARCHED_KINDS, LineRow
from reading.values.sentences import ITEM_CLAUSE, LINE_ENDS_SENTENCE, SENTENCE, split_at
from retrieval.candidates.plain import plain_text
from retrieval.candidates.shown_rows import Rows, find_rows
from retrieval.candidates.units import (
    Piece,
    Prose,
    cut_around,
    lead_in_of,
    prose_of,
    units_of,
)
from retrieval.types import Brief, Briefed, LineRange
from retrieval.words.tokens import normalise_words, stem

LEFT_OUT = "[…]"
LEAD_IN_CHARS = 400
LOOKED_FOR_ITEMS = 6  # lines: a page's foot and head may part two items
SNIPPET_CHARS = 300  # R42: about three to five lines around the anchor
SENTENCE_CHARS = 160  # of a place that is shown in one sentence or row


class Shown(NamedTuple):
    """The text of a brief, the lines it comes from, the first to the last, whether words of it are struck, and whether
    it is a sentence of the place.
    """

    text: str
    lines: LineRange
    is_struck: bool
    is_sentence: bool = False

    def write_into(self, brief: Brief) -> Brief:
        return replace(brief, snippet=self.text, is_struck=self.is_struck, is_sentence=self.is_sentence)


def show(candidate: Briefed, content: DocumentContent, limit: int = SNIPPET_CHARS) -> Shown:
    """The candidate's place in about `limit` characters; more only where what belongs together is longer."""
    view = find_marked(candidate, content)
    return write_pieces(view.pieces(limit), content) if view else show_text((candidate.anchor, limit), content)


@kept_by_key
def show_text(place: tuple[LineRange, int], content: DocumentContent) -> Shown:
    """The text of an anchor in about so many characters."""
    anchor, limit = place
    return write_pieces(find_text(anchor, content).pieces(limit), content)


def show_sentence(candidate: Briefed, content: DocumentContent) -> Shown:
    """The sentence or row of the candidate's place with most of the words it was found by; of a long one a clause.

    The place as usual where none has any of them, as below a title that was found.
    """
    own = candidate.sentences.lines if candidate.sentences and candidate.sentences.text else None
    best, language = candidate.best_line or candidate.anchor.first, content.language
    prose = prose_of(own or LineRange(best, best), content)
    words = stems_said(" ".join(candidate.matched_keywords), language)
    part = (0, len(prose.text))
    for ends in (SENTENCE, ITEM_CLAUSE):
        if part[1] - part[0] > SENTENCE_CHARS:
            parts = [(part[0] + start, part[0] + end) for start, end in split_at(prose.text[slice(*part)], ends)]
            texts = {each: prose.text[slice(*each)] for each in parts}
            part = max(parts, key=lambda each: (len(words & stems_said(texts[each], language)), len(texts[each])))
    if candidate.running or candidate.shown or (words and words.isdisjoint(stems_said(prose.text, language))):
        return show(candidate, content)
    pieces = prose.pieces(*cut_around(prose.text, part, SENTENCE_CHARS))
    return write_pieces(pieces, content)._replace(is_sentence=True)


def stems_said(text: str, language: str) -> set[str]:
    return {stem(word, language) for word in normalise_words(text)}


def write_pieces(pieces: Sequence[Piece], content: DocumentContent) -> Shown:
    """The pieces in order of the document, one line each.

    What is left out between them is marked, and so are words that are struck through, and an end inside a sentence that
    is too long to be shown whole.
    """
    ordered = list(join_parts_of_lines(pieces))
    parts: list[str] = []
    if begins_inside(ordered[0], content):
        parts.append(LEFT_OUT)
    for at, piece in enumerate(ordered):
        if at and is_gap(ordered[at - 1], piece, content):
            parts.append(LEFT_OUT)
        parts.append(content.lines[piece.number - 1].marked(piece.start, piece.end))
    if ends_inside(ordered[-1], content) or (is_text(ordered[-1], content) and is_list_open(ordered[-1], content)):
        parts.append(LEFT_OUT)
    is_struck = any(content.lines[piece.number - 1].has_struck(piece.start, piece.end) for piece in ordered)
    return Shown(plain_text("\n".join(parts)), LineRange(ordered[0].number, ordered[-1].number), is_struck)


def join_parts_of_lines(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces in order, those of one line that overlap as one: a lead-in may be cut, and a neighbour as well."""
    joined: Piece | None = None
    for piece in sorted(pieces):
        if joined and joined.number == piece.number and piece.start <= joined.end:
            joined = joined._replace(end=max(joined.end, piece.end))
        else:
            if joined:
                yield joined
            joined = piece
    if joined:
        yield joined


def is_text(piece: Piece, content: DocumentContent) -> bool:
    return content.lines[piece.number - 1].kind not in UNSEARCHED_KINDS


def begins_inside(first: Piece, content: DocumentContent) -> bool:
    """Whether a sentence goes on before the piece."""
    return is_text(first, content) and is_inside(text_before(first, content))


def ends_inside(last: Piece, content: DocumentContent) -> bool:
    """Whether a sentence goes on after the piece."""
    text = content.lines[last.number - 1].text[last.start : last.end]
    return is_text(last, content) and bool(text_after(last, content)) and is_inside(text)


def is_list_open(last: Piece, content: DocumentContent) -> bool:
    """Whether further items of a list follow what is shown of it."""
    line, end = content.lines[last.number - 1], units_of(content).around(last.number).last
    following = next(
        (each for each in content.lines_between(end + 1, end + LOOKED_FOR_ITEMS) if each.kind not in UNSEARCHED_KINDS),
        None,
    )
    is_in_list = line.kind == "list_item" or line.text.rstrip().endswith(":")
    return is_in_list and following is not None and following.kind == "list_item"


def is_inside(text: str) -> bool:
    """Whether a sentence goes on after the text."""
    return bool(text) and not LINE_ENDS_SENTENCE.search(text.rstrip())


def text_before(piece: Piece, content: DocumentContent) -> str:
    """The text of the same unit right before a piece: on its line, else on the line above; "" if it begins there."""
    above = text_lines(LineRange(units_of(content).around(piece.number).first, piece.number - 1), content)
    return content.lines[piece.number - 1].text[: piece.start].strip() or (above[-1].text if above else "")


def text_after(piece: Piece, content: DocumentContent) -> str:
    """The text of the same unit right after a piece: on its line, else on the line below; "" if it ends there."""
    below = text_lines(LineRange(piece.number + 1, units_of(content).around(piece.number).last), content)
    return content.lines[piece.number - 1].text[piece.end :].strip() or (below[0].text if below else "")


def text_lines(lines: LineRange, content: DocumentContent) -> list[LineRow]:
    return [line for line in content.lines_between(*lines) if line.kind not in UNSEARCHED_KINDS]


def is_gap(above: Piece, piece: Piece, content: DocumentContent) -> bool:
    """Whether text is left out between two pieces."""
    if above.number == piece.number:
        return bool(content.lines[above.number - 1].text[above.end : piece.start].strip())
    end, start = content.lines[above.number - 1].text[above.end :], content.lines[piece.number - 1].text[: piece.start]
    between = content.lines_between(above.number + 1, piece.number - 1)
    return bool(end.strip() or start.strip()) or any(line.kind not in UNSEARCHED_KINDS for line in between)


def find_view(candidate: Briefed, content: DocumentContent) -> "View":
    """How the candidate's place can be shown."""
    return find_marked(candidate, content) or find_text(candidate.anchor, content)


def find_marked(candidate: Briefed, content: DocumentContent) -> "Fixed | Rows | None":
    """The same of what is no running text."""
    if candidate.running:
        return Fixed(whole_pieces(LineRange(*content.heads_around(candidate.anchor.first)), content))
    if candidate.shown:  # a passage of a document that is passed whole
        return Fixed(whole_pieces(candidate.anchor.union(candidate.shown), content))
    return find_rows(candidate.anchor, candidate.best_line, candidate.needed_rows, content)


def whole_pieces(lines: LineRange, content: DocumentContent) -> list[Piece]:
    return [Piece(line.number, 0, len(line.text)) for line in content.legible_lines(*lines)]


@dataclass(frozen=True)
class Fixed:
    """A place that is shown whole at any limit."""

    own: list[Piece]

    def pieces(self, limit: int, *, neighbours: bool = True) -> list[Piece]:
        return self.own


@dataclass(frozen=True)
class Text:
    """The units of an anchor with what introduces them. `anchor` are the characters of `prose` that it covers."""

    content: DocumentContent
    first: int  # positions of units
    last: int
    led: list[Piece]
    prose: Prose
    anchor: tuple[int, int]

    def pieces(self, limit: int, *, neighbours: bool = True) -> list[Piece]:
        """The unit after its lead-in, then its neighbours; whole sentences of it, if it is too long."""
        room = limit - sum(piece.end - piece.start for piece in self.led)
        if len(self.prose.text) > room:
            return self.led + self.prose.pieces(*cut_around(self.prose.text, self.anchor, max(room, limit // 2)))
        if not neighbours:
            return self.led + self.prose.pieces(0, len(self.prose.text))
        return self.led + whole_pieces(self.take_neighbours(room - len(self.prose.text)), self.content)

    def take_neighbours(self, room: int) -> LineRange:
        """As many whole units around as there is room for, those of the same section first."""
        units, first, last = units_of(self.content), self.first, self.last
        section = units.sections[first]
        for is_anywhere in (False, True):
            is_open = {1: True, -1: True}
            while any(is_open.values()):
                for step in (1, -1):
                    position = last + 1 if step > 0 else first - 1
                    is_there = is_open[step] and 0 <= position < len(units.starts)
                    size = units.sizes[position] if is_there else 0
                    is_open[step] = 0 < size <= room and (is_anywhere or units.sections[position] == section)
                    if is_open[step]:
                        room -= size
                        first, last = min(first, position), max(last, position)
        return LineRange(units.at(first).first, units.at(last).last)


View = Fixed | Text | Rows


def find_text(anchor: LineRange, content: DocumentContent) -> Text:
    units = units_of(content)
    first, last = units.position(anchor.first), units.position(anchor.last)
    prose = prose_of(LineRange(units.at(first).first, units.at(last).last), content)
    lead_in = lead_in_of(units.at(first), content)
    led = list(pieces_of_lead_in(lead_in, content)) if lead_in else []
    return Text(content, first, last, led, prose, prose.stretch(anchor))


def pieces_of_lead_in(lines: LineRange, content: DocumentContent) -> Iterator[Piece]:
    """The lead-in of a list; of a long one its last sentence."""
    prose = prose_of(lines, content)
    end = len(prose.text)
    is_short = end <= LEAD_IN_CHARS
    yield from prose.pieces(*((0, end) if is_short else cut_around(prose.text, (end - 1, end), LEAD_IN_CHARS)))
