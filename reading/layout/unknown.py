"""Glyphs without a usable character: those with ink become U+FFFD, so that no sign is lost, the others blanks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

UNKNOWN = "\ufffd"
UNMAPPED_FLAG = 128  # a glyph of the span has no character; its number in the font stands in the text
# Controls, also those that part words, lone surrogates, and what is no character.
UNUSABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufffd-\uffff]")
SOFT_MINUS = re.compile(r"(?<![^\W\d_])\u00ad(?=[$€£¥(]?\s?\d)")  # a hyphen that was given the wrong character
OWN_CODE_LETTERS = 8  # a font without any known character that draws so many is one of text in a code of its own

Block = dict[str, Any]


def mark_unknown(blocks: Sequence[Block], read_characters: Callable[[], Sequence[Block]]) -> None:
    """Replace what cannot be read in the spans of a page, in place.

    `read_characters` gives the same blocks with each character and the box of its ink, U+FFFD for unmapped ones, which
    takes as long as reading the page; one page in a hundred needs it.
    """
    lines = [line for block in blocks for line in block["lines"]]
    doubtful = [any(map(is_doubtful, line["spans"])) for line in lines]
    if not any(doubtful):
        return
    seen = [characters_of(line) for block in read_characters() for line in block["lines"]]
    coded = fonts_with_own_code(seen)
    for number, line in enumerate(lines):
        if not doubtful[number]:
            continue
        length = sum(len(span["text"]) for span in line["spans"])
        is_same = number < len(seen) and len(seen[number]) == length
        characters = iter(seen[number]) if is_same else None
        for span in line["spans"]:
            span["text"] = "".join(
                replacement(sign, next(characters) if characters else None, coded) for sign in span["text"]
            )


def is_doubtful(span: dict[str, Any]) -> bool:
    """A quick check that dismisses nearly every span; it mends a minus that is a soft hyphen."""
    text = span["text"]
    if span["char_flags"] & UNMAPPED_FLAG:
        return True
    if text.isprintable() and UNKNOWN not in text:
        return False
    if "\u00ad" in text:
        span["text"] = text = SOFT_MINUS.sub("-", text)
    return UNUSABLE.search(text) is not None


def characters_of(line: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """The characters of a line, each with its font and whether it has ink."""
    return [
        (each["c"], span["font"], min(x1 - x0, y1 - y0) > 0)
        for span in line["spans"]
        for each in span["chars"]
        for x0, y0, x1, y1 in [each["bbox"]]
    ]


def fonts_with_own_code(seen: Sequence[Sequence[tuple[str, str, bool]]]) -> frozenset[str]:
    """The fonts that name no character and draw many glyphs: their numbers are a code of letters."""
    unmapped: dict[str, int] = defaultdict(int)
    mapped: set[str] = set()
    for sign, font, has_ink in (each for line in seen for each in line):
        if sign != UNKNOWN:
            mapped.update([font] if has_ink else [])
        elif has_ink:
            unmapped[font] += 1
    return frozenset(font for font, count in unmapped.items() if count >= OWN_CODE_LETTERS and font not in mapped)


def replacement(sign: str, seen: tuple[str, str, bool] | None, coded: frozenset[str]) -> str:
    """What stands for a character: itself where it is one, U+FFFD for ink that nobody can name, else a blank."""
    is_usable = UNUSABLE.match(sign) is None
    if seen is None:
        return sign if is_usable else UNKNOWN
    known, font, has_ink = seen
    if is_usable and (known != UNKNOWN or font in coded):
        return sign
    return UNKNOWN if has_ink else " "
