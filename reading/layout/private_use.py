"""Characters of the private use area beside numbers: nobody can see a minus in a code that only its font knows."""

import re
from collections.abc import Sequence

from reading.characters import UNKNOWN
from reading.layout.extracted import Span, SpanLine
from reading.values.currencies import CURRENCY_SIGNS
from reading.values.runs import split_runs

OWN = "\ue000-\uf8ff"
OWN_CODE = re.compile(f"[{OWN}]")
# Up to two, as a sign has: more of them in a row are leaders. A number may begin with its currency or a bracket.
BEFORE = re.compile(rf"(?<![{OWN}])[{OWN}]{{1,2}}(?![{OWN}])(?P<gap>\s?)(?=[{CURRENCY_SIGNS}(]?\s?[.,]?\d)")
BEHIND = re.compile(rf"(?<=[\d)%{CURRENCY_SIGNS}])\s?[{OWN}]{{1,2}}(?![{OWN}])")
WORD = re.compile(r"[^\W\d_]{2,}")
BULLET_WORDS = 2  # that follow on the line: "3 months' notice" is an entry of a list, "614 EUR" an amount
ICON_FONT = re.compile(r"awesome|icon|emoji", re.IGNORECASE)
JOINED_EM = 0.3  # between two spans that are read as one


def doubt_private_use(lines: Sequence[SpanLine]) -> None:
    """Make U+FFFD of the private characters beside a number, in place; those of fonts of icons and bullets stay."""
    for line in lines:
        if any(not span["text"].isprintable() and OWN_CODE.search(span["text"]) for span in line["spans"]):
            runs = list(split_runs(line["spans"], lambda run, span: is_joined(run[-1], span)))
            for at, spans in enumerate(runs):
                mark_beside_numbers(spans, begins=at == 0, ends=at == len(runs) - 1)


def is_joined(before: Span, after: Span) -> bool:
    if "bbox" not in before or "bbox" not in after:
        return False
    return abs(after["bbox"][0] - before["bbox"][2]) <= JOINED_EM * after.get("size", 0.0)


def mark_beside_numbers(spans: Sequence[Span], *, begins: bool, ends: bool) -> None:
    text = "".join(span["text"] for span in spans)
    places = {
        at
        for found in (*BEFORE.finditer(text), *BEHIND.finditer(text))
        if not (begins and ends and is_bullet(found, text))
        for at in range(*found.span())
        if OWN_CODE.match(text[at])
    }
    begin = 0
    for span in spans if places else ():
        own = span["text"]
        if not ICON_FONT.search(span.get("font", "")):
            span["text"] = "".join(UNKNOWN if begin + at in places else sign for at, sign in enumerate(own))
        begin += len(own)


def is_bullet(found: re.Match[str], text: str) -> bool:
    """Whether what is found begins a line of words: after a blank, as a sign of a list stands."""
    begins = not text[: found.start()].strip() and bool(found.groupdict().get("gap"))
    return begins and sum(1 for _ in WORD.finditer(text, found.end())) >= BULLET_WORDS
