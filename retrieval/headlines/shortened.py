"""The clauses of a long sentence that say what was asked, for a short headline; what is left out is marked."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.candidates.shown import LEFT_OUT
from retrieval.candidates.units import Piece

WORDS_MAX = 40
WORDS_MIN = 6  # fewer are the end of an enumeration
CLAUSE_ENDS, STOPS = ";:,.", ";."
BEGUN = 0.1  # of the worth: of what begins where a sentence or a longer clause does
# English, German, French, Spanish: what hangs on the words before it, and what begins another main clause.
HANGS = re.compile(
    r"that|which|who|whom|whose|nor|than|dass|welche[rsn]?|noch|que|qui|dont|ni|cuy[oa]s?", re.IGNORECASE
)
GOES_ON = re.compile(r"and|und|et|y|e", re.IGNORECASE)
WORD = re.compile(r"\S+")
WORD_CHARACTER = re.compile(r"[^\W_]")


class Clauses(NamedTuple):
    """Neighbouring clauses of a sentence: their text, with what is left out marked, and their pieces of lines."""

    text: str
    pieces: tuple[Piece, ...]


def is_short_enough(text: str) -> bool:
    return len(text.split()) <= WORDS_MAX


def shorten(
    text: str,
    pieces: Sequence[Piece],
    content: DocumentContent,
    worth: Callable[[str], float],
    is_able: Callable[[str], bool],
) -> Clauses | None:
    """The neighbouring clauses of WORDS_MAX words at most that are worth most, of those that are able to stand alone.

    `text` is the sentence as it is shown, `pieces` are where it stands. None where no clauses are worth more than 0 and
    able, and where text and pieces cannot be compared.
    """
    printed = "".join(content.lines[each.number - 1].text[each.start : each.end] for each in pieces)
    if letters(text) != letters(printed):
        return None
    windows = sorted(
        (-own - bonus, last - first, first, last)
        for first, last, bonus in windows_of(text)
        if (own := worth(text[first:last])) > 0
    )
    chosen = next(((first, last) for *_, first, last in windows if is_able(text[first:last])), None)
    if chosen is None:
        return None
    first, last = chosen
    ahead = f"{LEFT_OUT} " if first else ""
    behind = f" {LEFT_OUT}" if last < len(text) else ""
    begin = len(letters(text[:first]))
    return Clauses(
        f"{ahead}{text[first:last]}{behind}",
        tuple(cut_pieces(pieces, content, begin, begin + len(letters(text[first:last])))),
    )


def windows_of(text: str) -> Iterator[tuple[int, int, float]]:
    """The places of all neighbouring clauses that are neither too long nor too short, and what speaks for their bounds.

    One begins after a sign that ends a clause, but with no word that hangs on what is left out, and ends with the
    sentence, at a stop, or at a comma before another main clause: what else follows a comma may be a condition.
    """
    words = [(found.start(), found.end()) for found in WORD.finditer(text)]
    signs = [text[end - 1] for _, end in words]
    said = [match_form(text[start:end]) for start, end in words]
    for first, (begin, _) in enumerate(words):
        is_hanging = first and (signs[first - 1] not in CLAUSE_ENDS or HANGS.fullmatch(said[first]))
        if is_hanging or text.startswith(LEFT_OUT, begin):
            continue
        begun = BEGUN if not first or signs[first - 1] in STOPS else 0.0
        for last in range(first + WORDS_MIN - 1, min(first + WORDS_MAX, len(words))):
            is_last = last == len(words) - 1
            if is_last or signs[last] in STOPS or (signs[last] == "," and GOES_ON.fullmatch(said[last + 1])):
                yield begin, words[last][1], begun


def letters(text: str) -> str:
    return "".join(WORD_CHARACTER.findall(text))


def cut_pieces(pieces: Sequence[Piece], content: DocumentContent, begin: int, end: int) -> Iterator[Piece]:
    """What of the pieces holds their letters [begin, end), with the signs that follow them up to the next blank."""
    seen = 0
    for piece in pieces:
        printed = content.lines[piece.number - 1].text
        places = [piece.start + found.start() for found in WORD_CHARACTER.finditer(printed[piece.start : piece.end])]
        mine = [place for at, place in enumerate(places, start=seen) if begin <= at < end]
        seen += len(places)
        if mine:
            yield Piece(piece.number, *with_touching_signs(printed, mine[0], mine[-1] + 1, piece))


def with_touching_signs(printed: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """The place with the signs that touch it: a currency or a bracket before it, a full stop after it."""
    while start > piece.start and not printed[start - 1].isspace():
        start -= 1
    while end < piece.end and not printed[end].isspace():
        end += 1
    return start, end
