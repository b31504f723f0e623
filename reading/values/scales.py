"""Words of scale beside amounts, as powers of ten and as factors."""

import re

POWERS = {
    "thousand": 3, "million": 6, "millions": 6, "mio": 6, "mn": 6, "billion": 9, "billions": 9, "bn": 9, "mrd": 9,
    "milliard": 9, "milliards": 9,
}  # fmt: skip
SCALES: dict[str, int] = {word: 10 ** POWERS[word] for word in ("thousand", "million", "billion")}
SCALE_WORDS = {factor: word for word, factor in SCALES.items()}
SCALE_WORD = "|".join(SCALES)
SCALE_NAMES = {"m": SCALES["million"], "mn": SCALES["million"], "bn": SCALES["billion"]} | SCALES  # beside a number
WIDE_SCALES = {"万": 4, "億": 8}
ASKED_SCALE = re.compile(rf"\b({SCALE_WORD})s\b")  # "in millions"


def scale_asked(text: str) -> int | None:
    """The smallest scale in which a text in lower case asks for an amount: "in thousands"."""
    return next((scale for scale, word in SCALE_WORDS.items() if f"{word}s" in text), None)
