"""Whether a page's letters are not those it draws: unknown ones, or Latin ones inside Arabic or Hebrew words, or
joined forms of letters in an order that joins nothing.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from reading.characters import RIGHT_TO_LEFT, UNKNOWN

UNKNOWN_SHARE = 0.4  # of the characters that map to no known letter
LATIN = "A-Za-z\u00c0-\u024f"
FOREIGN = f"{LATIN}{UNKNOWN}"  # what a glyph of another code is read as
SCRIPT = re.compile(f"[{RIGHT_TO_LEFT}]")
WORD = re.compile(rf"(?:[^\W\d_]|[{RIGHT_TO_LEFT}{UNKNOWN}])+")
MIXED = re.compile(rf"[{RIGHT_TO_LEFT}][{FOREIGN}]|[{FOREIGN}][{RIGHT_TO_LEFT}]")
MIXED_MIN, MIXED_SHARE = 3, 0.05  # words, and of the words in that script: a name with a Latin ending is one word
JOINED = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]{2,}")
PAIRS_MIN, WRONG_SHARE = 10, 0.3
JOINS_ON, ENDS = ("<initial>", "<medial>"), ("<final>", "<isolated>")


def is_garbled(texts: Iterable[str], chars: int, unknown_chars: int) -> bool:
    """Whether the text of a page, line by line, is not what it shows; of its characters some map to no letter."""
    if unknown_chars > UNKNOWN_SHARE * chars:
        return True
    words = [word for text in texts if not text.isascii() for word in WORD.findall(text) if SCRIPT.search(word)]
    mixed = sum(MIXED.search(word) is not None for word in words)
    return mixed >= max(MIXED_MIN, MIXED_SHARE * len(words)) or is_out_of_order(words)


def is_out_of_order(words: Iterable[str]) -> bool:
    """Whether joined forms stand where they join nothing: the beginning of a word after its end."""
    pairs = [
        (form_of(before), form_of(after))
        for word in words
        for run in JOINED.findall(word)
        for before, after in pairwise(run)
    ]
    known = [(before, after) for before, after in pairs if before and after]
    wrong = sum((before in JOINS_ON) != (after in ("<medial>", "<final>")) for before, after in known)
    return len(known) >= PAIRS_MIN and wrong > WRONG_SHARE * len(known)


def form_of(letter: str) -> str:
    """The joined form of a letter, "" of one that has none."""
    form = unicodedata.decomposition(letter).partition(" ")[0]
    return form if form in (*JOINS_ON, *ENDS) else ""
