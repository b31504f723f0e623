"""Years, scales, abbreviations and ends of sentences are written once; whoever needs one takes it from here."""

import re
from itertools import pairwise

import pytest

from reading.values.months import MONTH, MONTH_STEM, MONTHS, NAMES
from reading.values.scales import SCALE_WORDS, SCALES
from reading.values.sentences import (
    ABBREVIATION,
    ABBREVIATION_CHARS,
    LINE_ENDS_CLAUSE,
    OPENING_ABBREVIATION,
    SENTENCE,
)
from reading.values.years import YEAR, YEAR_WORD, years_in
from tests.product import APPS, ROOT, sources

# Where an expression, or a list in one, is written; data files name it by a slot, see reading.wording.VALUES.
WRITTEN_ONCE = {
    "19|20": "reading/values/years.py",
    "thousand|million": "reading/values/scales.py",
    "jan|feb": "reading/values/months.py",
    "$€£¥": "reading/values/currencies.py",
    "Inc|Ltd": "reading/values/sentences.py",
    " inc ltd ": "reading/values/sentences.toml",
    "[.!?])": "reading/values/sentences.py",
    "[.?!])": "reading/values/sentences.py",
    "[.;!?]": "reading/values/sentences.py",
}


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("from 2019 to 1998", ["2019", "1998"]),
        ("FY2024, FY 23 and FY'22", ["2024", "2023", "2022"]),
        ("account 120245", []),
        ("in 1834", []),
        ("", []),
    ],
)
def test_years_are_named_with_four_digits(text: str, years: list[str]) -> None:
    assert years_in(text) == years


def test_a_year_is_told_from_longer_numbers() -> None:
    assert YEAR.fullmatch("2024") and not YEAR.fullmatch("20245") and not YEAR.fullmatch("2524")
    assert YEAR_WORD.findall("2024, 20245 and 12024") == ["2024"]


def test_every_month_has_names_and_is_known_by_the_whole_of_each() -> None:
    assert {len(months) for months in NAMES.values()} == {12} and set(MONTHS.values()) == set(range(1, 13))
    assert all(re.fullmatch(MONTH, name) for name in MONTHS)
    assert all(re.match(MONTH_STEM, name) for name in ("march", "dezember", "août", "oktober"))


def test_each_scale_has_a_word() -> None:
    assert SCALES == {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
    assert {SCALE_WORDS[factor] for factor in SCALES.values()} == set(SCALES)


@pytest.mark.parametrize(
    "text",
    [
        "see e.g.",
        "Acme Inc.",
        "Mr.",
        "in Sec.",
        "John F.",
        "approx.",
        "rund 16 Mio.",
        "nach Abs.",
        "Anlage Nr.",
        "z. B.",
    ]
    + ["endet zum 30.", "am 1.", "das 18.", "im 4.", "el apdo.", "la pág."],  # "zum 30. Juni", "das 18. Lebensjahr"
)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert ABBREVIATION.search(text[-ABBREVIATION_CHARS:])


@pytest.mark.parametrize("text", ["Smith et al.", "Miete usw.", "avec la sté.", "gem. Abs.", "d. h."])
def test_an_abbreviation_of_the_opening_ends_no_sentence_there(text: str) -> None:
    assert OPENING_ABBREVIATION.search(text) and not OPENING_ABBREVIATION.search("It is so.")


@pytest.mark.parametrize(
    "text", ["The end.", "It was sold.", "in 2024.", "Es sind 16.", "im Jahr 2024.", "der Betrag."]
)
def test_a_sentence_ends_where_no_abbreviation_does(text: str) -> None:
    assert not ABBREVIATION.search(text)


@pytest.mark.parametrize("pattern", WRITTEN_ONCE)
def test_it_is_written_once(pattern: str) -> None:
    files = [*sources(), *(path for app in APPS for path in (ROOT / app).rglob("*.toml"))]
    written = {str(path.relative_to(ROOT)) for path in files if pattern in path.read_text(encoding="utf-8")}
    assert written <= {WRITTEN_ONCE[pattern]}


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("L'article 6 est remplacé par : « Payable à trente jours. » Article 2. Fin.",
         ["L'article 6 est remplacé par : « Payable à trente jours. » ", "Article 2. ", "Fin."]),
        ("Il écrit. « Le prix est fixé. »\u00a0Puis il signe.",
         ["Il écrit. ", "« Le prix est fixé. »\u00a0", "Puis il signe."]),
        ("Le mot « net. » est défini.", ["Le mot « net. » est défini."]),
        ("It ends. “Then” it goes on.", ["It ends. ", "“Then” it goes on."]),
        ("**It ends.** **Then** it goes on.", ["**It ends.** ", "**Then** it goes on."]),
        ("It is here. `make` runs a.b_ and `a.b` now.", ["It is here. ", "`make` runs a.b_ and `a.b` now."]),
        ("Not tested.</sup><br> <sup>**2** No.", ["Not tested.</sup><br> ", "<sup>**2** No."]),
        ("It is *not.* so", ["It is *not.* so"]),
    ],
)  # fmt: skip
def test_a_sentence_ends_behind_the_marks_that_close_it(text: str, sentences: list[str]) -> None:
    edges = [0, *(found.end() for found in SENTENCE.finditer(text)), len(text)]
    assert [text[start:end] for start, end in pairwise(edges)] == sentences


@pytest.mark.parametrize(
    "line",
    [
        "à compter de leur réception. »",
        "dans les dix jours.\u00a0»",
        "as follows:",
        "due.”",
        "in our CI.</sup><br>",
        "**Note:**",
    ],
)
def test_a_clause_ends_on_such_a_line(line: str) -> None:
    assert LINE_ENDS_CLAUSE.search(line) and not LINE_ENDS_CLAUSE.search(f"{line} et")
