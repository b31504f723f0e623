"""Words that say how long a list is, and those that do not."""

import pytest

from retrieval.question.parse import parse_question
from retrieval.words.counts import counted_pattern, counts_stated, read_count


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("there are six csf functions: govern and others.", [6]),
        ("the following 4 functions apply", [4]),
        ("les six fonctions du cadre", [6]),
        ("die sechs funktionen des rahmens", [6]),
        ("las seis funciones del marco", [6]),
        ("las otras seis funciones", []),
        ("a los seis meses las funciones terminan", []),
        ("once functions end", []),
        ("the other five functions", []),
        ("at least two functions", []),
        ("after six months the functions end", []),
        ("six tiers. functions follow", []),
        ("on august 30, 2023 functions end", []),
    ],
)
def test_it_reads_how_many_there_are(text: str, counts: list[int]) -> None:
    assert counts_stated(text, {"functions", "fonctions", "funktionen", "funciones"}) == counts


def test_a_number_counts_a_list() -> None:
    assert [read_count(word) for word in ("two", "douze", "zwolf", "12", "1", "99", "2023", "many")] == [
        *(2, 12, 12, 12, 0, 0, 0, 0)
    ]


def test_a_digit_of_another_script_is_no_count() -> None:
    assert read_count("፩") == 0, "one in Ethiopic, which int() cannot read"
    assert read_count("६") == 6


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("we had approximately 83,700 employees worldwide", "83,700"),
        ("10 full-time and temporary employees", "10"),
        ("in 2023 employees were trained", ""),
        ("section 6. the employees clearly", ""),
        ("employees 5 and 6", ""),
    ],
)
def test_what_is_counted_follows_its_number(text: str, count: str) -> None:
    pattern = counted_pattern(parse_question("How many employees are there?", []))
    found = pattern.search(text) if pattern else None
    assert (found["count"] if found else "") == count
    assert counted_pattern(parse_question("Which employees are there?", [])) is None
