"""The clauses of a long sentence that say what was asked, for a short headline; what is left out is marked."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from documents.storage.content import DocumentContent
from retrieval.candidates.shown import LEFT_OUT
from retrieval.candidates.units import Piece

WORDS_MAX = 40
WORDS_MIN = 6  # fewer are the end of an enumeration
# Where what is shown may begin, after what ends a clause or before an item; it may also end at a comma.
BEGINNING = re.compile(r"(?<=[;:.])\s+|(?<=[;:,])\s+(?=\(\w{1,4}\)\s)")
ENDING = re.compile(r"(?<=[;:,.])\s+|(?<!\s)\s+(?=[–—]\s)")
WORD = re.compile(r"\S+\s*")
WORD_CHARACTER = re.compile(r"[^\W_]")


class Clauses(NamedTuple):
    """Neighbouring clauses of a sentence: their text, with what is left out marked, and their pieces of lines."""

    text: str
    pieces: tuple[Piece, ...]


def is_short(text: str) -> bool:
    return len(text.split()) <= WORDS_MAX


def shorten(
    text: str, pieces: Sequence[Piece], content: DocumentContent, worth: Callable[[str], float]
) -> Clauses | None:
    """The neighbouring clauses of WORDS_MAX words at most that are worth most; None if none is worth more than 0.

    `text` is the sentence as it is shown, `pieces` are where it stands. None also where the two cannot be compared.
    """
    printed = "".join(content.lines[each.number - 1].text[each.start : each.end] for each in pieces)
    if letters(text) != letters(printed):
        return None
    windows = [(worth(text[first:last]), first - last, first, last) for first, last in windows_of(text)]
    best = max(windows, default=None)
    if best is None or best[0] <= 0:
        return None
    _, _, first, last = best
    ahead = f"{LEFT_OUT} " if first else ""
    behind = f" {LEFT_OUT}" if last < len(text) else ""
    begin = len(letters(text[:first]))
    return Clauses(
        f"{ahead}{text[first:last].strip()}{behind}",
        tuple(cut_pieces(pieces, content, begin, begin + len(letters(text[first:last])))),
    )


def windows_of(text: str) -> Iterator[tuple[int, int]]:
    """The places of all neighbouring clauses that are neither too long nor too short; a long one is cut at a word."""
    begins = [0, *(found.end() for found in BEGINNING.finditer(text))]
    ends = [*(found.end() for found in ENDING.finditer(text)), len(text)]
    for first in begins:
        if text.startswith(LEFT_OUT, first):
            continue
        words = [found.end() for found in WORD.finditer(text, first)]
        whole = [end for end in ends if end in words[WORDS_MIN - 1 : WORDS_MAX]]
        yield from ((first, end) for end in whole or words[WORDS_MAX - 1 : WORDS_MAX])


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
            yield Piece(piece.number, *with_signs(printed, mine[0], mine[-1] + 1, piece))


def with_signs(printed: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """The place with the signs that touch it: a currency or a bracket before it, a full stop after it."""
    while start > piece.start and not printed[start - 1].isspace():
        start -= 1
    while end < piece.end and not printed[end].isspace():
        end += 1
    return start, end
