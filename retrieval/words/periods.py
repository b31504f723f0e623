"""Starts and ends: which of two dates a text or a question calls which, and whether they are the wrong way round (R82).

Which words make a date a start or an end is data (`periods.*.toml`). Two dates are compared only where they are surely
of one thing: a start and then an end in one clause, or two questions that differ in nothing else.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from reading.values.sentences import PERIOD_CLAUSE
from reading.values.years import YEAR_WORD
from reading.wording import read_once
from retrieval.words.printed import Value, dates_in, values_in
from retrieval.words.tokens import is_stop_word, normalise_words

FRAMES = {section: rf"\b(?:{{{section}}})(?!\w)" for section in ("start", "end", "whole", "instrument")}
FRAMES["signed"] = r"\b(?:{signed})$"  # right before a date
FRAMES["made"] = r"\b(?:{signed})(?!\w)"
FRAMES["beyond"] = r"\b(?:{beyond})\s+(?:[\w'’()]+\s+){0,6}$"  # right before a start or an end
FRAMES["another"] = r"\b(?:{another})(?!\w)"
FRAMES["within"] = r"\b(?:{within})\Z"  # right before a duration: by when
FRAMES["counting"] = r"\A\s?(?:{counting})(?!\w)"  # right after one: from when
period_words = read_once(__name__, "periods", FRAMES)
BEYOND_MAX = 200  # characters before a start or an end: seven words
OTHERS = {("start", "end"), ("end", "start"), ("end", "signed")}  # as asked, and as printed
BETWEEN_MAX = 80  # characters between the two dates of one clause: farther apart they are of two things


class Reversed(NamedTuple):
    """A start that is later than its end, both as printed."""

    start: str
    end: str


class NamedDate(NamedTuple):
    """A date that was asked for by a name, with the documents and the citations it stands in."""

    asked: str
    value: str  # ISO
    printed: str
    documents: frozenset[str]
    markers: tuple[int, ...]


def side_of(text: str) -> str:
    """What the last word for it makes of the date after a text: "start", "end", "signed", or "" without one."""
    text = text.strip()
    found = [(word.end(), side) for side in ("start", "end", "signed") for word in period_words()[side].finditer(text)]
    return max(found, default=(0, ""))[1]


def find_reversed(text: str) -> list[Reversed]:
    """The starts of a text that are later than the end right after them."""
    text = " ".join(text.split())
    dates = sorted(dates_in(text), key=lambda date: date.start)
    begins = [0, *(date.end for date in dates)]
    sides = [side_of(clause_before(text, begin, date)) for begin, date in zip(begins, dates, strict=False)]
    return [
        Reversed(text[one.start : one.end], text[two.start : two.end])
        for (one, start), (two, end) in pairwise(zip(dates, sides, strict=True))
        if (start, end) == ("start", "end") and one.value > two.value
        if two.start - one.end <= BETWEEN_MAX and not PERIOD_CLAUSE.search(text[one.end : two.start])
    ]


def clause_before(text: str, begin: int, date: Value) -> str:
    return PERIOD_CLAUSE.split(text[begin : date.start])[-1]


def is_other_side(asked: str, text: str, date: Value) -> bool:
    """Whether a text calls a date of it the start of what a question asks the end of, or the other way round.

    Things often start on the day they are signed, and never end then.
    """
    return (side_asked(asked), side_called(text, date)) in OTHERS


def side_called(text: str, date: Value) -> str:
    """What a text calls a date of it, see `side_of`."""
    begin = max((each.end for each in dates_in(text) if each.end <= date.start), default=0)
    return side_of(clause_before(text, begin, date))


def counts_from_side(asked: str, text: str) -> bool:
    """Whether a text only counts from a start or an end that is asked for, or supposes it: "nine months after its
    expiration", "if it is ended", "may be ended".
    """
    words = period_words()
    sides = [found.start() for side in ("start", "end") for found in words[side].finditer(text)]
    before = (text[max(at - BEYOND_MAX, 0) : at] for at in sides if side_asked(asked))
    return any(words["beyond"].search(each) for each in before)


def tells_own_day(text: str) -> bool:
    """Whether a text says before a year that something was made or begins then, and of no certain other agreement."""
    words = period_words()
    before = [PERIOD_CLAUSE.split(text[: year.start()])[-1] for year in YEAR_WORD.finditer(text)]
    told = (each for each in before if not words["another"].search(each))
    return any(words["made"].search(each) or words["start"].search(each) for each in told)


def tells_other_side(asked: str, text: str) -> bool:
    """Whether a text has words for a start or a signing where an end is asked for and none for that, or words for an
    end where a start is.
    """
    words, side = period_words(), side_asked(asked)
    others = {"start": ("end",), "end": ("start", "made")}.get(side, ())
    return bool(others) and words[side].search(text) is None and any(words[other].search(text) for other in others)


def is_only_length(text: str, language: str) -> bool:
    """Whether a text has durations and does not place one of them in time: "six months' notice", not "within six
    months" nor "six months after delivery".
    """
    words, lengths = period_words().of_language(language), list(values_in(text, "duration"))
    return bool(lengths) and not all(
        words["within"].search(text[: each.start].rstrip()) or words["counting"].match(text[each.end :])
        for each in lengths
    )


# ---- dates that were asked for by name


def find_reversed_pairs(dates: Sequence[NamedDate]) -> Iterator[tuple[NamedDate, NamedDate]]:
    """Each start with the end of the same thing before which it should be."""
    starts, ends = ([date for date in dates if side_asked(date.asked) == side] for side in ("start", "end"))
    for start in starts:
        for end in ends:
            is_same = thing_asked(start.asked) == thing_asked(end.asked) and start.documents == end.documents
            if is_same and start.value > end.value:
                yield start, end


def side_asked(asked: str) -> str:
    """Whether a question or name asks for a start or an end; "" for neither and both."""
    found = [side for side in ("start", "end") if period_words()[side].search(asked)]
    return found[0] if len(found) == 1 else ""


def names_whole(text: str) -> bool:
    """Whether a text names what has a start and an end as a whole: the agreement, its term."""
    return period_words()["instrument"].search(text) is not None


def thing_asked(asked: str) -> frozenset[str]:
    """The words that say of what: none of the document as a whole."""
    for section in ("start", "end", "whole", "instrument"):
        asked = period_words()[section].sub(" ", asked)
    return frozenset(
        word
        for word in normalise_words(asked)
        if not any(is_stop_word(word, each) for each in ("en", "fr", "de", "es"))
    )
