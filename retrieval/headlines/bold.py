"""Which words of a sentence that is said first are bold: all of a short one, of a longer one the clauses that answer.

Nothing is cut off: the whole sentence is shown and cited, and what is not bold stands beside it in normal weight.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from reading.matching import match_form
from retrieval.candidates.shown import LEFT_OUT

WORDS_MAX = 40
WORDS_MIN = 6  # fewer are the end of an enumeration
CLAUSE_ENDS, STOPS = ";:,.", ";."
BEGUN = 0.1  # of the worth: of what begins where a sentence or a longer clause does
ASIDE_WORDS = 4  # brackets with no more are part of their clause: "six (6) months"
# English, German, French, Spanish: what hangs on the words before it, and what begins another main clause.
HANGS = re.compile(
    r"that|which|who|whom|whose|nor|than|dass|welche[rsn]?|noch|que|qui|dont|ni|cuy[oa]s?", re.IGNORECASE
)
GOES_ON = re.compile(r"and|und|et|y|e", re.IGNORECASE)
WORD = re.compile(r"\S+")
ITEM = re.compile(r"\(?(?:[a-z]|[ivx]{2,5})\)")
INITIAL = re.compile(r"\W{0,3}\w\.")  # of a name


def is_short_enough(text: str) -> bool:
    return len(text.split()) <= WORDS_MAX


def find_bold(
    text: str, worth: Callable[[str], float], is_able: Callable[[str], bool], *, is_of_value: bool
) -> tuple[int, int] | None:
    """Where the neighbouring clauses of WORDS_MAX words at most begin and end that are worth most, of those that are
    able to be read alone, and of several the shortest. They end a main clause; only a value may be told by less, where
    none that do are able. None where none is worth more than 0 and able.
    """
    windows = sorted(
        (not is_end, -own - begun, last - first, first, last)
        for first, last, begun, is_end in windows_of(text)
        if (is_end or is_of_value) and (own := worth(text[first:last])) > 0
    )
    return next(((first, last) for *_, first, last in windows if is_able(text[first:last])), None)


def windows_of(text: str) -> Iterator[tuple[int, int, float, bool]]:
    """The places of all neighbouring clauses that are neither too long nor too short, what speaks for where they begin,
    and whether they end a main clause.

    A clause begins after a sign that ends one, the letter of an item or a long bracket, but with no word that hangs on
    those before it. It ends at a sign, a main clause where that is no comma, or another one follows.
    """
    words = [(found.start(), found.end()) for found in WORD.finditer(text)]
    printed = [text[start:end] for start, end in words]
    for first, (begin, _) in enumerate(words):
        if (first and not begins_clause(printed, first)) or text.startswith(LEFT_OUT, begin):
            continue
        begun = BEGUN if not first or is_stop(printed[first - 1]) else 0.0
        for last in range(first + WORDS_MIN - 1, min(first + WORDS_MAX, len(words))):
            is_last = last == len(words) - 1
            if (is_last or printed[last][-1] in CLAUSE_ENDS) and has_whole_brackets(text[begin : words[last][1]]):
                is_end = is_last or is_stop(printed[last]) or GOES_ON.fullmatch(printed[last + 1]) is not None
                yield begin, words[last][1], begun, is_end


def begins_clause(words: Sequence[str], at: int) -> bool:
    """Whether a clause begins with this word, which is not the first one."""
    before = words[at - 1]
    is_after_aside = before.endswith(")") and "(" not in "".join(words[max(at - ASIDE_WORDS, 0) : at])
    is_parted = before[-1] in CLAUSE_ENDS or is_after_aside or ITEM.fullmatch(before) is not None
    return is_parted and not HANGS.fullmatch(match_form(words[at]))


def is_stop(word: str) -> bool:
    return word[-1] in STOPS and INITIAL.fullmatch(word) is None


def has_whole_brackets(text: str) -> bool:
    return text.count("(") == text.count(")")
