"""Glyphs without a usable character: those with ink become U+FFFD, so that no sign is lost, the others blanks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from reading.characters import UNKNOWN
from reading.layout.extracted import Character, Point, Span, SpanBlock, SpanLine
from reading.layout.private_use import doubt_private_use
from reading.values.currencies import CURRENCY_SIGNS

UNMAPPED_FLAG = 128  # a glyph of the span has no character; its number in the font stands in the text
# Controls, also those that part words, lone surrogates, and what is no character.
UNUSABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufffd-\uffff]")
# White space among them is drawn as a blank nearly always; beside a digit it is looked at.
DOUBTFUL = re.compile(r"(?![\t\n\r])" + UNUSABLE.pattern + r"|[\t\n\r](?=[(\d])|(?<=[)\d])[\t\n\r]")
SOFT_MINUS = re.compile(  # a hyphen that was given the wrong character, before a number or behind one
    rf"(?<![^\W\d_])\u00ad(?=[{CURRENCY_SIGNS}(]?\s?\d)"
    rf"|(?:(?<=[\d%{CURRENCY_SIGNS}])|(?<=\d\)))\u00ad(?![^\W\d_])|(?<=\d\s)\u00ad(?=\s*\Z)"
)
OWN_CODE_LETTERS = 8  # a font without any known character that draws so many is one of text in a code of its own


class Glyph(NamedTuple):
    """What is drawn for a character: the character itself, U+FFFD if the font does not say; whether it has ink."""

    sign: str
    font: str
    has_ink: bool


BLANK = Glyph(" ", "", False)


def mark_unknown(blocks: Sequence[SpanBlock], read_characters: Callable[[bool], Sequence[SpanBlock]]) -> None:
    """Replace what cannot be read in the spans of a page, in place; of signs that have their names only what is none.

    `read_characters` gives the same blocks with each character or, if asked for their ink, with the box of what is
    drawn and U+FFFD for unmapped glyphs, where blanks may be missing. Each takes as long as reading the page; one page
    in a hundred needs it.
    """
    lines = [line for block in blocks for line in block["lines"]]
    doubt_private_use(lines)
    doubtful = [any(map(is_doubtful, line["spans"])) for line in lines]
    if not any(doubtful):
        return
    drawn = glyphs_drawn(read_characters(True))
    coded = fonts_with_own_code(drawn.values())
    seen = [characters_of(line) for block in read_characters(False) for line in block["lines"]]
    for number, line in enumerate(lines):
        if not doubtful[number]:
            continue
        length = sum(len(span["text"]) for span in line["spans"])
        is_same = number < len(seen) and len(seen[number]) == length
        characters = iter(seen[number] if is_same else [])
        for span in line["spans"]:
            places = [next(characters, None) for _ in span["text"]]
            span["text"] = "".join(
                sign
                if span.get("is_named") and not UNUSABLE.match(sign)
                else replacement(sign, place and (drawn.get(place) or BLANK), coded)
                for sign, place in zip(span["text"], places, strict=True)
            )


def is_doubtful(span: Span) -> bool:
    """A quick check that dismisses nearly every span; it mends a minus that is a soft hyphen."""
    text = span["text"]
    if span["char_flags"] & UNMAPPED_FLAG and not span.get("is_named"):
        return True
    if text.isprintable() and UNKNOWN not in text:
        return False
    if "\u00ad" in text:
        span["text"] = text = SOFT_MINUS.sub("-", text)
    return DOUBTFUL.search(text) is not None


def characters_of(line: SpanLine) -> list[Point]:
    return [origin_of(each) for span in line["spans"] for each in span["chars"]]


def origin_of(character: Character) -> Point:
    x, y = character["origin"]
    return round(x, 2), round(y, 2)


def glyphs_drawn(blocks: Sequence[SpanBlock]) -> dict[Point, Glyph]:
    """What is drawn of each character, by its origin."""
    return {
        origin_of(each): Glyph(each["c"], span["font"], min(x1 - x0, y1 - y0) > 0)
        for block in blocks
        for line in block["lines"]
        for span in line["spans"]
        for each in span["chars"]
        for x0, y0, x1, y1 in [each["bbox"]]
    }


def fonts_with_own_code(drawn: Iterable[Glyph]) -> frozenset[str]:
    """The fonts that name no character and draw many glyphs: their numbers are a code of letters."""
    unmapped: dict[str, int] = defaultdict(int)
    mapped: set[str] = set()
    for glyph in drawn:
        if glyph.has_ink and glyph.sign != UNKNOWN:
            mapped.add(glyph.font)
        elif glyph.has_ink:
            unmapped[glyph.font] += 1
    return frozenset(font for font, count in unmapped.items() if count >= OWN_CODE_LETTERS and font not in mapped)


def replacement(sign: str, glyph: Glyph | None, coded: frozenset[str]) -> str:
    """What stands for a character: itself where it is one, U+FFFD for ink that nobody can name, else a blank.

    Of one that could not be looked at (None), white space is blank.
    """
    is_usable = UNUSABLE.match(sign) is None
    if glyph is None:
        return sign if is_usable else " " if sign.isspace() else UNKNOWN
    if is_usable and (glyph.sign != UNKNOWN or glyph.font in coded or not glyph.has_ink):
        return sign
    return UNKNOWN if glyph.has_ink else " "
