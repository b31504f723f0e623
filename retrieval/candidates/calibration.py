"""Cut a quote back to what literally occurs in the source, or refuse it (R65-R70). Text is never invented."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

from documents.storage.content import DocumentContent
from llm.fence import unfence
from reading.layout.amounts import widen_to_signs
from reading.matching import LINE_HYPHENS, is_split_word, loose_map
from reading.rows import STRUCK_MARK, LineRow
from reading.values.minus import LONG_DASH, MINUS
from retrieval.candidates.plain import BULLETS
from retrieval.types import Calibrated, LineRange, QuotePiece, Repair

MINIMUM = 10  # characters a shortened quote must keep: fewer occur in too many places to prove anything
WHOLE_MINIMUM = 3  # a whole quote may be a value ("0.1"); two characters prove nothing
LINES_KEPT = 20_000
# "[9]" is ignored on both sides (R70), and so are the marks around words that are struck through.
NOT_COMPARED = re.compile(rf"\[\d{{1,3}}(?:[,;]\d{{1,3}})*\]|{STRUCK_MARK}")
# Hyphens that touch a word at its one end: "-k", "--quiet", "BBB-". A bullet stands apart, and a rule has more of them.
HYPHENS_BEFORE = re.compile(rf"(?<![^\s(\[{{\"'`|])[{MINUS}]{{1,2}}\Z")
HYPHENS_AFTER = re.compile(rf"(?<=[^\W\d_])[{MINUS}]{{1,2}}(?![{MINUS}{LONG_DASH}\w])")
DASH_ALONE = re.compile(rf"\s{{1,99}}[{MINUS}{LONG_DASH}]{{1,2}}(?!\S)")


class Letters(NamedTuple):
    """A text in match form without white space and hyphens, and the position of each letter: (line index, offset)."""

    text: str
    places: list[tuple[int, int]]


def calibrate(
    raw_anchor: str, content: DocumentContent, near: LineRange, within: LineRange, *, minimum: int = MINIMUM
) -> Calibrated:
    """The longest prefix of a quote that occurs in the lines `within`, preferably in the lines `near`.

    Compared without white space, case, accents, ligatures, typographic signs, reference numbers, bullets and hyphens;
    furniture between two lines is skipped. It begins and ends at a word's end. A whole quote has at least
    WHOLE_MINIMUM, a shortened one at least `minimum` characters. The text is literal, its lines joined by "\\n" as
    `text_between` does.
    """
    wanted = letters_of([raw_anchor])
    if not raw_anchor:
        return refuse_quote("none", raw_anchor, "")
    if not wanted.text:
        return refuse_quote("rejected", raw_anchor, "the quote is empty")
    lines = content.legible_lines(*within)
    source = letters_of([line.text for line in lines])
    for length in word_ends(raw_anchor, wanted, longest_prefix(wanted.text, source.text)):
        is_whole = length == len(wanted.text)
        starts = [
            start
            for start in occurrences(wanted.text[:length], source.text)
            if is_bounded(start, length, source, lines) and (is_whole or not is_split(start + length, source, lines))
        ]
        if starts:
            found = accept_quote(raw_anchor, source, lines, starts, length, near, is_whole)
            if found.repair.final_length >= (WHOLE_MINIMUM if is_whole else minimum):
                return with_signs(found, lines, raw_anchor[wanted.places[-1][1] + 1 :] if is_whole else "")
            return refuse_quote(
                "rejected", raw_anchor, f"only {found.repair.final_length} characters of it stand there"
            )
    return refuse_quote("rejected", raw_anchor, "its beginning does not stand there")


def accept_quote(
    raw_anchor: str,
    source: Letters,
    lines: Sequence[LineRow],
    starts: Sequence[int],
    length: int,
    near: LineRange,
    is_whole: bool,
) -> Calibrated:
    distances = [distance(lines[source.places[start][0]].number, near) for start in starts]
    start = starts[distances.index(min(distances))]
    pieces = pieces_of(source, start, start + length, lines)
    text = text_of_pieces(pieces, lines)
    is_ambiguous = distances.count(min(distances)) > 1 or (len(starts) > 1 and min(distances) > 0)
    reason = "stands there more than once: the first place nearest the cited lines" if is_ambiguous else ""
    return Calibrated(
        text, pieces, Repair("exact" if is_whole else "truncated", read_length(raw_anchor), read_length(text), reason)
    )


def with_signs(found: Calibrated, lines: Sequence[LineRow], behind: str) -> Calibrated:
    """The quote with the signs at its ends that are not compared: of numbers ("25.000,00-" is a credit) and of words
    ("-k"), and a dash alone that was quoted, `behind` the last letter ("tar xf -").
    """
    numbered = {line.number: line.text for line in lines}
    (first, *_), (*_, last) = found.pieces, found.pieces
    start, _ = widen_to_signs(numbered[first.line_number], first.start, first.end)
    hyphens = HYPHENS_BEFORE.search(numbered[first.line_number], 0, start)
    pieces = [replace(first, start=hyphens.start() if hyphens else start), *found.pieces[1:]]
    ending = numbered[last.line_number].rstrip()
    following = (line.text for line in lines if line.number > last.line_number)
    _, end = widen_to_signs(ending, pieces[-1].start, last.end)
    dash = (DASH_ALONE if DASH_ALONE.fullmatch(behind.rstrip()) else HYPHENS_AFTER).match(ending, end)
    if dash and not (dash.end() == len(ending) and is_split_word(ending, next(following, ""))):
        end = dash.end()
    pieces[-1] = replace(pieces[-1], end=end)
    text = text_of_pieces(pieces, lines)
    return replace(found, text=text, pieces=tuple(pieces), repair=replace(found.repair, final_length=read_length(text)))


def text_of_pieces(pieces: Sequence[QuotePiece], lines: Sequence[LineRow]) -> str:
    numbered = {line.number: line.text for line in lines}
    return "\n".join(numbered[piece.line_number][piece.start : piece.end] for piece in pieces)


def refuse_quote(status: Literal["none", "rejected"], raw_anchor: str, reason: str) -> Calibrated:
    return Calibrated("", (), Repair(status, read_length(raw_anchor), 0, reason))


def read_length(text: str) -> int:
    """The length as a reader counts it: white space once, a word split over two lines as one."""
    joined = re.sub(rf"(?<=\w)[{re.escape(LINE_HYPHENS)}]\n(?=\w)", "", text)
    return len(" ".join(joined.split()))


@lru_cache(maxsize=LINES_KEPT)
def line_letters(text: str) -> tuple[str, list[int]]:
    """`loose_map`, cached: the candidates of consecutive questions share most of their lines."""
    return loose_map(text)


def letters_of(texts: Sequence[str]) -> Letters:
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        folded, offsets = line_letters(text)
        parts.append(unfence(folded))
        places.extend((index, offset) for offset in offsets)
    joined = "".join(parts)
    if joined.isascii() and "[" not in joined and STRUCK_MARK not in joined:  # nearly every line
        return Letters(joined, places)
    kept = [letter.isascii() or is_compared(letter) for letter in joined]
    for found in NOT_COMPARED.finditer(joined):
        kept[found.start() : found.end()] = [False] * (found.end() - found.start())
    return Letters(
        "".join(letter for letter, keep in zip(joined, kept, strict=True) if keep),
        [place for place, keep in zip(places, kept, strict=True) if keep],
    )


def is_compared(letter: str) -> bool:
    """Whether a sign that is not ASCII is part of the wording; a bullet is shown as a hyphen, which never is."""
    return letter not in BULLETS and unicodedata.category(letter)[0] != "C"


def longest_prefix(wanted: str, source: str) -> int:
    """The length of the longest prefix of `wanted` in `source`, by bisection: every shorter prefix occurs there too."""
    return bisect_left(range(1, len(wanted) + 1), True, key=lambda length: wanted[:length] not in source)


def word_ends(raw_anchor: str, wanted: Letters, longest: int) -> Iterator[int]:
    """The prefix lengths, longest first, that end where a word of the quote ends."""
    for length in range(longest, 0, -1):
        offset = wanted.places[length - 1][1]
        if length == len(wanted.text) or not continues(raw_anchor, offset):
            yield length


def occurrences(wanted: str, source: str) -> list[int]:
    starts, start = [], source.find(wanted)
    while start >= 0:
        starts.append(start)
        start = source.find(wanted, start + 1)
    return starts


def is_bounded(start: int, length: int, source: Letters, lines: Sequence[LineRow]) -> bool:
    """Whether the match starts and ends at word boundaries: "cap" is not found in "capacity"."""
    first_index, first = source.places[start]
    last_index, last = source.places[start + length - 1]
    before = first > 0 and continues(lines[first_index].text, first - 1)
    return not before and not continues(lines[last_index].text, last)


def is_split(end: int, source: Letters, lines: Sequence[LineRow]) -> bool:
    """Whether the word before `end` continues after a hyphen on the next line; no shortened quote may end inside it."""
    if end >= len(source.places):
        return False
    (index, _), (following, offset) = source.places[end - 1], source.places[end]
    return following > index and is_split_word(lines[index].text.rstrip(), lines[following].text[offset:])


def continues(text: str, offset: int) -> bool:
    """Whether the characters at `offset` and after it are inside the same word."""
    return offset + 1 < len(text) and text[offset].isalnum() and text[offset + 1].isalnum()


def distance(number: int, near: LineRange) -> int:
    return max(near.first - number, number - near.last, 0)


def pieces_of(source: Letters, start: int, end: int, lines: Sequence[LineRow]) -> tuple[QuotePiece, ...]:
    """One piece per line, from the first to the last matched character; the lines in between are whole.

    A line without letters, such as a rule of dashes below a heading, has nothing to match. It still belongs to the
    quote, which would otherwise differ from the text of the page.
    """
    (first_index, first), (last_index, last) = source.places[start], source.places[end - 1]
    return tuple(
        QuotePiece(
            line.number,
            first if index == first_index else 0,
            last + 1 if index == last_index else len(line.text),
        )
        for index, line in enumerate(lines[first_index : last_index + 1], first_index)
    )
