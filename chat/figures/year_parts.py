"""Parts of a year as words: halves, quarters and the whole, abbreviated or not; which words are data."""

from reading.wording import read_once

HALVES = ("first_half", "second_half")
QUARTERS = ("first_quarter", "second_quarter", "third_quarter", "fourth_quarter")
FRAMES = {name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in (*HALVES, *QUARTERS, "months", "whole")}
part_words = read_once(__name__, "year_parts", FRAMES)


def parts_named(text: str) -> frozenset[str]:
    """The parts of a year that a text names: "first_half", "months" for a run of months, "whole" for all of it."""
    return frozenset(name for name in FRAMES if part_words()[name].search(text))


def without_parts(text: str) -> str:
    """A text without the words that name a part of a year."""
    for name in FRAMES:
        text = part_words()[name].sub(" ", text)
    return text
