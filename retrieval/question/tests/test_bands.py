"""Intervals in labels and numbers in questions: open and closed ends, units, three languages."""

from decimal import Decimal

import pytest

from reading.wording import Wording
from retrieval.question.bands import (
    Band,
    End,
    band_words,
    intervals_in,
    measures_another,
    of_other_quantity,
    quantities_in,
    read_band,
)
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines

HARBOUR = content_of_lines(["# Harbour", "The boats of the harbour go out at dawn, and the nets are mended at night."])


def band(lower: str = "", upper: str = "", unit: str = "", words: tuple[str, ...] = ()) -> Band:
    """An interval; "]5" is an open end at 5."""
    first, last = (End(Decimal(end.strip("]")), not end.startswith("]")) if end else None for end in (lower, upper))
    return Band(first, last, unit, words)


@pytest.mark.parametrize("wording", band_words().alternatives, ids=lambda each: f"{each.language} {each.section}")
def test_each_alternative_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = band_words().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


@pytest.mark.parametrize(
    ("label", "language", "read"),
    [
        ("Not more than 5 t", "en", band(upper="5", unit="tonne")),
        ("More than 5 t but not more than 12 t", "en", band("]5", "12", "tonne")),
        ("At least 30 days but less than 60 days", "en", band("30", "]60", "day")),
        ("£12,571 to £50,270", "en", band("12571", "50270", "pound")),
        ("31-60 days", "en", band("31", "60", "day")),
        ("18–64", "en", band("18", "64")),
        ("65 and over", "en", band("65")),
        ("> 5 ≤ 10", "en", band("]5", "10")),
        ("1 to 10 employees in Paris", "en", band("1", "10", "employee", ("paris",))),
        ("über 5 bis 12 t", "de", band("]5", "12", "tonne")),
        ("bis unter 10 000 €", "de", band(upper="]10000", unit="euro")),
        ("ab 10 Tagen", "de", band("10", unit="day")),
        ("plus de 5 t et jusqu'à 12 t", "fr", band("]5", "12", "tonne")),
        ("de 5 à 12 ans", "fr", band("5", "12", "year")),
        ("de 5 ans", "fr", None),
        ("von 5 bis 12 t", "de", band("5", "12", "tonne")),
        ("von 5 t", "de", None),
        ("over 5 t of waste under 12 t", "en", None),
        ("moins de 3 jours", "fr", band(upper="]3", unit="day")),
        ("más de 5 días", "es", band("]5", unit="day")),
        ("Table 5", "en", None),
        ("Total 2024", "en", None),
        ("Operating expenses", "en", None),
        ("5 t of waste and 3 bins", "en", None),
    ],
)
def test_a_label_is_read_as_an_interval_or_not_at_all(label: str, language: str, read: Band | None) -> None:
    assert read_band(label, language) == read


@pytest.mark.parametrize(("amount", "is_held"), [("5", False), ("5.01", True), ("12", True), ("12.01", False)])
def test_an_open_end_does_not_belong_to_its_interval(amount: str, is_held: bool) -> None:
    assert band("]5", "12").holds(Decimal(amount)) == is_held


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("What is the charge for exactly 37 tonnes of waste in 2026?", [(Decimal(37), "tonne")]),
        ("the charge for 12.5 t", [(Decimal("12.5"), "tonne")]),
        ("a firm of £45,000, with 3 people", [(Decimal(45000), "pound"), (Decimal(3), "person")]),
        (
            "EUR 12.500 for 30.5 square metres",
            [(Decimal(12500), "euro"), (Decimal("30.5"), "square metre")],
        ),
        ("5.5 per cent", [(Decimal("5.5"), "percent")]),
        ("a 17-year-old child", [(Decimal(17), "year")]),
        ("What does clause 4.2.1 say?", []),
    ],
)
def test_the_numbers_of_a_question_have_units(asked: str, read: list[tuple[Decimal, str]]) -> None:
    assert [(each.amount, each.unit) for each in quantities_in(asked, "en")] == read


def test_a_part_of_a_number_in_chinese_numerals_is_none() -> None:
    assert quantities_in("¥5万の場合", "ja") == []


@pytest.mark.parametrize(
    ("label", "asked", "is_another"),
    [
        ("Container 7 m²", "the rent of a container of 14 m²", True),
        ("Container 14 m²", "the rent of a container of 14 m²", False),
        ("Box of 2 to 4 m²", "a box of 3 square metres", False),
        ("Box of 2 to 4 m²", "a box of 5 square metres", True),
        ("Warranty, 2 years", "the warranty after 5 days", False),
        ("Container", "a container of 14 m²", False),
    ],
)
def test_a_label_may_be_of_another_measure_than_the_one_asked_for(label: str, asked: str, is_another: bool) -> None:
    assert measures_another(label, asked, "en") == is_another


@pytest.mark.parametrize(
    ("sentence", "language", "read"),
    [
        (
            "Boats up to 500 kg may go at 10 knots; boats of more than 500 kg and not more than 1,000 kg at 7 knots.",
            "en",
            [
                band("", "500", "kilogram"),
                band("10", "10", "knot"),
                band("]500", "1000", "kilogram"),
                band("7", "7", "knot"),
            ],
        ),
        (
            "A boat of 20 kg or more carries an anchor of 5 kg. Boats under 20 kg carry none.",
            "en",
            [band("20", "", "kilogram"), band("5", "5", "kilogram"), band("", "]20", "kilogram")],
        ),
        (
            "Gruppen von mehr als 15 und bis zu 30 Kindern brauchen 2 Betreuer.",
            "de",
            [band("]15", "30", "kind"), band("2", "2", "betreu")],
        ),
        (
            "Les véhicules de 2 à 5 tonnes paient 9 euros, ceux de plus de 5 tonnes 14 euros.",
            "fr",
            [band("2", "5", "tonne"), band("9", "9", "euro"), band("]5", "", "tonne"), band("14", "14", "euro")],
        ),
        ("Over 50 kg or under 10 kg.", "en", [band("]50", "", "kilogram"), band("", "]10", "kilogram")]),
    ],
)
def test_the_intervals_of_a_sentence_are_told_by_their_units(sentence: str, language: str, read: list[Band]) -> None:
    found = [Band(each.lower, each.upper, each.unit) for each in intervals_in(sentence, language)]
    assert found == read


UP_TO = "Boats up to 500 kg may sail at 10 knots."
OVER = "Boats over 500 kg and under 1,000 kg may sail at 7 knots."
REST = "Heavier boats may sail at 5 knots, boats under 200 kg at 12 knots."
ANCHOR = "Boats over 300 kg carry an anchor."


@pytest.mark.parametrize(
    ("asked", "texts", "others"),
    [
        ("How fast may boats of 500 kg sail?", (UP_TO, OVER), {OVER}),
        ("How fast may boats of 750 kg sail?", (UP_TO, OVER), {UP_TO}),
        ("How fast may boats of 1,000 kg sail?", (UP_TO, OVER), {UP_TO, OVER}),
        ("How fast may boats of 3,000 kg sail?", (UP_TO, OVER, REST), {UP_TO, OVER}),
        ("How fast may boats of 750 kg sail?", (UP_TO,), set()),
        ("How fast may boats of 750 kg sail?", (UP_TO, ANCHOR), set()),
        ("May boats of 750 kg sail at 10 knots?", (UP_TO, OVER), set()),
        ("How fast may boats sail?", (UP_TO, OVER), set()),
    ],
)
def test_texts_are_of_another_quantity_where_others_hold_it_or_all_are_of_one_scale(
    asked: str, texts: tuple[str, ...], others: set[str]
) -> None:
    assert of_other_quantity(texts, parse_question(asked, [HARBOUR])).keys() == others
