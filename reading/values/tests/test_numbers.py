"""Numbers in words: each from 1 to 999 in four languages, and no rest, range or choice taken for the number."""

import re

import pytest

from reading.values.numbers import ENDINGS, NUMBERS, number_before

ENDING = re.compile(rf"(?:^|\b)(?:{'|'.join(ENDINGS.values())})$")


def test_every_number_below_a_thousand_has_names() -> None:
    assert set(NUMBERS.values()) == set(range(1, 1000))
    assert len(NUMBERS) > 4 * 999  # some have two: "one hundred one", "one hundred and one"
    others = ("once", "cent", "cents")  # English too
    assert [name for name in NUMBERS if not ENDING.search(name) and not name.endswith(others)] == []


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("one", 1),
        ("nineteen", 19),
        ("ninety nine", 99),
        ("a hundred", 100),
        ("one hundred and one", 101),
        ("nine hundred ninety nine", 999),
        ("soixante et onze", 71),
        ("soixante dix neuf", 79),
        ("quatre vingts", 80),
        ("quatre vingt un", 81),
        ("quatre vingt dix sept", 97),
        ("septante et un", 71),
        ("deux cents", 200),
        ("trois cent soixante cinq", 365),
        ("einundzwanzig", 21),
        ("sechsunddreissig", 36),
        ("dreihundertfunfundsechzig", 365),
        ("hundertundeins", 101),
        ("veintidos", 22),
        ("treinta y una", 31),
        ("ciento ochenta", 180),
        ("quinientas", 500),
    ],
)
def test_a_number_in_words(name: str, count: int) -> None:
    assert NUMBERS[name] == count


@pytest.mark.parametrize(
    "word", ["once", "hundert", "cent", "hundreds", "y", "et", "and", "sixth", "teen", "hunderte", "funfte"]
)
def test_no_number(word: str) -> None:
    assert word not in NUMBERS
    assert not any(re.fullmatch(ending, word) for ending in ENDINGS.values())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("within thirty", (30, 7)),
        ("within 30", (30, 7)),
        ("Vingt-quatre", (24, 0)),
        ("one hundred\nand twenty", (120, 0)),
        ("on page 2 five", (5, 10)),
        ("a two", (2, 2)),
        ("the year 2024 180", (180, 14)),
        ("five thousand and five", None),
        ("ten to twenty", None),
        ("3 or 4", None),
        ("between 3 and 4", None),
        ("1.5", None),
        ("1/2", None),
        ("3–4", None),
        ("10 000", None),
        ("sub-three", None),
        ("once thirty", (30, 5)),
        ("two five", (5, 4)),  # renewals of five years each
        ("March 1, 2025 or thirty", (30, 17)),
        ("Section 5 or 30", (30, 13)),
        ("$500 or 30", (30, 8)),
        ("CHAPTER TWENTY\nSix", (6, 15)),
        ("thirty-\nfive", (35, 0)),
        ("page 12\n180", (180, 8)),
        ("Period—thirty", (30, 7)),
        ("3 Jahre/5", (5, 8)),
        ("pour cent trente", (30, 10)),
        ("one hundred  and twenty", (120, 0)),
        ("three (3) to six", None),
        ("3 – 6", None),
        ("60 and 90", None),
        ("2:30", None),
        ("10'000", None),
        ("de 3 a 6", None),
        ("contrat 12 a six", (6, 13)),
        ("many", None),
        ("", None),
        ("6½", None),
        ("three, four", (4, 7)),
    ],
)
def test_the_number_before_a_place(text: str, found: tuple[int, int] | None) -> None:
    assert number_before(text, len(text)) == found


def test_what_is_far_before_is_not_read() -> None:
    assert number_before("one " * 100 + "five", 404) == (5, 400)
    assert number_before("x" * 200 + " five", 205) == (5, 201)
