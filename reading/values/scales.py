"""Words of scale beside amounts, as powers of ten and as factors."""

POWERS = {
    "thousand": 3, "million": 6, "millions": 6, "mio": 6, "mn": 6, "billion": 9, "billions": 9, "bn": 9, "mrd": 9,
    "milliard": 9, "milliards": 9,
}  # fmt: skip
SCALES: dict[str, int] = {word: 10 ** POWERS[word] for word in ("thousand", "million", "billion")}
SCALE_WORDS = {factor: word for word, factor in SCALES.items()}
SCALE_WORD = "|".join(SCALES)
