"""The room of one request, shared over its candidates (R42): the best are shown at length, the others in one sentence.

A request stays below 16,000 tokens with fifty candidates, and fits the window of a small model (`arbiter.room`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from documents.storage.content import DocumentContent
from reading.rows import UNSEARCHED_KINDS
from retrieval.arbiter.brief import candidate_block
from retrieval.arbiter.order import order_by_rules
from retrieval.candidates.shown import (
    SNIPPET_CHARS,
    Shown,
    View,
    begins_inside,
    ends_inside,
    find_view,
    show_sentence,
    write_pieces,
)
from retrieval.candidates.units import Piece, introduces, marker_of, units_of
from retrieval.search import WHOLE, Room
from retrieval.told.planned import give_reason
from retrieval.types import ArbiterName, Briefed, Candidate, LeftOut, LineRange, Pool

LIMITS = (700, 1_200, 2_000, 3_200, 5_000)  # characters a brief grows to, beyond SNIPPET_CHARS
EVEN_RANKS = 5  # the higher, the more evenly the room is shared out
TURN_MAX = 40_000  # a brief that far down stays as long as it is, whatever room is left
OWN_SHARE = 0.3  # of what neighbours have to wait: a whole clause is worth more than the one after it
SAVING_CHARS = 27_000  # of contents and candidates where some are shown in a sentence: with all else 8,000 tokens
SAVING_LEAST = 17_000  # of these candidates, however long the contents are
ITEM_MARKERS = frozenset({"bullet", "letter", "roman", "item"})  # a unit with a number is a clause
PASSES = 2  # what is not shown twice makes room once; a third pass moves less than a line


def fit_for(
    arbiter: ArbiterName,
    candidates: tuple[Briefed, ...],
    toc: str,
    contents: Sequence[DocumentContent],
    room: Room = WHOLE,
) -> Pool:
    """The candidates with the briefs their arbiter reads; those that read none keep what they have."""
    if arbiter == "model" or (arbiter == "hybrid" and room.is_small):
        return fit_request(candidates, toc, contents, room)
    return Pool(share_room(candidates, toc, contents, room) if arbiter == "hybrid" else candidates, ())


def fit_request(
    candidates: Sequence[Briefed], toc: str, contents: Sequence[DocumentContent], room: Room = WHOLE
) -> Pool:
    """As many candidates as a request holds: the certain ones, then by RRF. Then the room left is shared out."""
    left = room.chars - len(toc)
    kept: list[Briefed] = []
    by_worth = sorted(candidates, key=lambda each: (not is_pointed_at(each), each.rrf_rank))
    for candidate in by_worth:
        left -= len(candidate_block(candidate.brief)) + 2
        if left < 0 or len(kept) == room.places:
            break
        kept.append(candidate)
    names = {candidate.candidate_id for candidate in kept}
    left_out = tuple(
        LeftOut.of(candidate, give_reason("no room", count=len(kept)))
        for candidate in candidates
        if candidate.candidate_id not in names
    )
    fitted = [each for each in candidates if each.candidate_id in names]
    return Pool(share_room(fitted, toc, contents, room), left_out)


def share_room(
    candidates: Sequence[Briefed], toc: str, contents: Sequence[DocumentContent], room: Room = WHOLE
) -> tuple[Briefed, ...]:
    """The candidates with as much of their place as there is room for beside the contents, the best with most.

    A brief grows step by step, and its turn comes the later the lower its rank and the longer it is already. A clause
    is shown where it is the place itself, under its own section; what is nobody's own, in the best brief it is near.
    Those that are not shown at length have a sentence, and nothing grows into the room that saves.
    """
    content_of = {content.document_id: content for content in contents}
    best_first = sorted(
        order_by_rules(candidates), key=lambda each: ("requested" not in each.methods, not each.statement)
    )
    at_length = [each for rank, each in enumerate(best_first) if rank < room.at_length or is_pointed_at(each)]
    others = [each for each in best_first if each not in at_length]
    told = [with_brief(each, show_sentence(each, content_of[each.document_id])) for each in others]
    chars = room.chars - len(toc)
    if others:
        chars = min(chars, max(SAVING_CHARS - len(toc), SAVING_LEAST))
    left = chars - sum(len(candidate_block(each.brief)) + 2 for each in (*at_length, *told))
    places = [find_place(rank, each, content_of[each.document_id]) for rank, each in enumerate(at_length)]
    for _ in range(PASSES):
        left = grow_briefs(places, left)
        left += drop_repeated(places)
    told += [with_brief(place.candidate, write_pieces(place.shown, place.content)) for place in places]
    by_id = {each.candidate_id: each for each in told}
    return tuple(by_id[each.candidate_id] for each in candidates)


@dataclass
class BriefRoom:
    """What a brief shows of its place, and `least`: what it cannot be read without. `own` are positions of units."""

    rank: int
    candidate: Briefed
    content: DocumentContent
    view: View
    own: frozenset[int]
    least: list[Piece]
    shown: list[Piece]

    def without(self, others: "SeenLines", pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces but for the units that are shown elsewhere; of the place itself what it needs stays."""
        units = units_of(self.content)
        kept: list[Piece] = []
        for position, unit in groupby(sorted(pieces), key=lambda piece: units.position(piece.number)):
            whole = list(unit)
            needed = [each for each in self.least if units.position(each.number) == position]
            kept += needed if others.has_unit(self, position, whole) else whole
        return kept


class SeenLines:
    """Which brief shows what, by line, and which is the best whose own place a unit is."""

    def __init__(self, places: Sequence[BriefRoom]) -> None:
        self.by_line: dict[tuple[str, int], list[tuple[int, Piece]]] = {}
        self.owners: dict[tuple[str, int], int] = {}
        for place in places:
            self.add(place)
            for position in place.own:
                self.owners.setdefault((place.candidate.document_id, position), place.rank)

    def add(self, place: BriefRoom) -> None:
        for piece in place.shown:
            self.by_line.setdefault((place.candidate.document_id, piece.number), []).append((place.rank, piece))

    def has_unit(self, place: BriefRoom, position: int, pieces: Sequence[Piece]) -> bool:
        """Whether these pieces of a unit belong to another brief than that of `place`, or a better one shows them."""
        owner = self.owners.get((place.candidate.document_id, position))
        if owner is not None:
            return owner != place.rank
        better = set(range(place.rank))
        for piece in pieces:
            shown = self.by_line.get((place.candidate.document_id, piece.number), ())
            better &= {rank for rank, other in shown if other.start <= piece.start and piece.end <= other.end}
        return bool(better)


def find_place(rank: int, candidate: Briefed, content: DocumentContent) -> BriefRoom:
    view = find_view(candidate, content)
    lengths = [view.pieces(limit, neighbours=False) for limit in (SNIPPET_CHARS, *LIMITS)]
    whole = (each for each in lengths if not (begins_inside(min(each), content) or ends_inside(max(each), content)))
    return BriefRoom(
        rank,
        candidate,
        content,
        view,
        own_units(candidate, content),
        next(whole, lengths[-1]),
        view.pieces(SNIPPET_CHARS),
    )


def own_units(candidate: Briefed, content: DocumentContent) -> frozenset[int]:
    """The positions of the units of a place, with the one after a heading.

    None in a table, whose rows are read together, and none of a list, whose items are read with their lead-in.
    """
    units, anchor = units_of(content), candidate.anchor
    kinds = {line.kind for line in content.lines_between(*anchor)}
    if "table_row" in kinds or candidate.running:
        return frozenset()
    last = units.position(anchor.last) + (kinds <= {"heading", *UNSEARCHED_KINDS})
    positions = range(units.position(anchor.first), min(last + 1, len(units.starts)))
    return frozenset(each for each in positions if not is_of_list(units.at(each), content))


def is_of_list(lines: LineRange, content: DocumentContent) -> bool:
    """Whether a unit is an item, or introduces items."""
    return marker_of(lines, content) in ITEM_MARKERS or introduces(lines, content)


def grow_briefs(places: Sequence[BriefRoom], room: int) -> int:
    """Let the briefs grow in turns, as far as there is room; the room left."""
    showing = SeenLines(places)
    turns = sorted(
        ((place.rank + EVEN_RANKS) * limit * (1.0 if is_wide else OWN_SHARE), place.rank, limit, is_wide)
        for place in places
        for limit in LIMITS
        for is_wide in (False, True)
    )
    for turn, rank, limit, is_wide in turns:
        if turn > TURN_MAX:
            break
        place = places[rank]
        longer = place.without(showing, place.view.pieces(limit, neighbours=is_wide))
        more = size_of(longer) - size_of(place.shown)
        if 0 < more <= room:
            place.shown, room = longer, room - more
            showing.add(place)
    return room


def drop_repeated(places: Sequence[BriefRoom]) -> int:
    """Take from each brief what a better one has come to show; the room that makes."""
    showing, freed = SeenLines(places), 0
    for place in places:
        before = size_of(place.shown)
        place.shown = place.without(showing, place.shown)
        freed += before - size_of(place.shown)
    return freed


def is_pointed_at(candidate: Candidate) -> bool:
    """Whether a candidate has its room whatever its rank."""
    return bool(candidate.referred or candidate.statement or "requested" in candidate.methods)


def with_brief(candidate: Briefed, shown: Shown) -> Briefed:
    return replace(candidate, brief=shown.write_into(candidate.brief), brief_lines=shown.lines)


def size_of(pieces: Sequence[Piece]) -> int:
    return sum(piece.end - piece.start + 1 for piece in pieces)
