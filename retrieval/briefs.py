"""The room of one request, shared out over its candidates: the best are shown at length, the last in a clause or row.

A request stays below 16,000 tokens with fifty candidates.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from documents.storage.content import DocumentContent
from retrieval.arbiter.brief import candidate_block
from retrieval.arbiter.rules import order_by_rules
from retrieval.candidates.shown import SNIPPET_CHARS, Shown, find_view, write_pieces
from retrieval.candidates.units import Piece
from retrieval.types import ArbiterName, Briefed, Candidate, LeftOut

REQUEST_CHARS_MAX = 56_000  # contents and candidates; with all else 16,000 tokens, even of rows of figures
LIMITS = (700, 1_200, 2_000, 3_200, 5_000)  # characters a brief grows to, beyond SNIPPET_CHARS
EVEN_RANKS = 5  # the higher, the more evenly the room is shared out
TURN_MAX = 40_000  # a brief that far down stays as long as it is, whatever room is left
OWN_SHARE = 0.3  # of what neighbours have to wait: a whole clause is worth more than the one after it
SEEN_SHARE = 0.5  # of the lines a brief would gain: better ones show them already


class Fitted(NamedTuple):
    """The candidates of a request with briefs that fit, and those for which it has no room."""

    candidates: tuple[Briefed, ...]
    left_out: tuple[LeftOut, ...]


def fit_for(
    arbiter: ArbiterName, candidates: tuple[Briefed, ...], toc: str, contents: Sequence[DocumentContent]
) -> Fitted:
    """The candidates with the briefs their arbiter reads; those that read none keep what they have."""
    if arbiter == "model":
        return fit_request(candidates, toc, contents)
    return Fitted(share_room(candidates, toc, contents) if arbiter == "hybrid" else candidates, ())


def fit_request(candidates: Sequence[Briefed], toc: str, contents: Sequence[DocumentContent]) -> Fitted:
    """As many candidates as a request holds: the certain ones, then by RRF. Then the room left is shared out."""
    room = REQUEST_CHARS_MAX - len(toc)
    kept: list[Briefed] = []
    by_worth = sorted(candidates, key=lambda each: (not is_pointed_at(each), each.rrf_rank))
    for candidate in by_worth:
        room -= len(candidate_block(candidate.brief)) + 2
        if room < 0:
            break
        kept.append(candidate)
    names = {candidate.candidate_id for candidate in kept}
    left_out = tuple(
        LeftOut.of(candidate, f"the request to the model holds {len(kept)} places")
        for candidate in candidates
        if candidate.candidate_id not in names
    )
    fitted = [each for each in candidates if each.candidate_id in names]
    return Fitted(share_room(fitted, toc, contents), left_out)


def share_room(candidates: Sequence[Briefed], toc: str, contents: Sequence[DocumentContent]) -> tuple[Briefed, ...]:
    """The candidates with as much of their place as there is room for beside the contents, the best with most.

    A brief grows step by step, and its turn comes the later the lower its rank and the longer it is already. One that
    would mostly show what others show keeps its length.
    """
    room = REQUEST_CHARS_MAX - len(toc) - sum(len(candidate_block(each.brief)) + 2 for each in candidates)
    content_of = {content.document_id: content for content in contents}
    best_first = sorted(
        order_by_rules(candidates), key=lambda each: ("requested" not in each.methods, not each.statement)
    )
    views = [find_view(each, content_of[each.document_id]) for each in best_first]
    shown = [view.pieces(SNIPPET_CHARS) for view in views]
    by_line: dict[tuple[str, int], int] = {}  # the best rank that shows a line
    turns = sorted(
        ((rank + EVEN_RANKS) * limit * (1.0 if is_wide else OWN_SHARE), rank, limit, is_wide)
        for rank in range(len(views))
        for limit in LIMITS
        for is_wide in (False, True)
    )
    for turn, rank, limit, is_wide in turns:
        if turn > TURN_MAX:
            break
        document, before = best_first[rank].document_id, {piece.number for piece in shown[rank]}
        longer = views[rank].pieces(limit, neighbours=is_wide)
        added = [(document, piece.number) for piece in longer if piece.number not in before]
        if is_wide and sum(by_line.get(key, rank) < rank for key in added) > SEEN_SHARE * len(added):
            continue
        more = size_of(longer) - size_of(shown[rank])
        if 0 < more <= room:
            shown[rank], room = longer, room - more
            for piece in longer:
                key = document, piece.number
                by_line[key] = min(by_line.get(key, rank), rank)
    written = {
        each.candidate_id: write_pieces(pieces, content_of[each.document_id])
        for each, pieces in zip(best_first, shown, strict=True)
    }
    return tuple(with_brief(each, written[each.candidate_id]) for each in candidates)


def is_pointed_at(candidate: Candidate) -> bool:
    """Whether a candidate has its room whatever its rank."""
    return bool(candidate.referred or candidate.statement or "requested" in candidate.methods)


def with_brief(candidate: Briefed, shown: Shown) -> Briefed:
    return replace(candidate, brief=replace(candidate.brief, snippet=shown.text), brief_lines=shown.lines)


def size_of(pieces: Sequence[Piece]) -> int:
    return sum(piece.end - piece.start + 1 for piece in pieces)
