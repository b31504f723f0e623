"""What is asked in German, French and Spanish: yes or no, values and lists, each with what only looks like it."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from documents.storage.content import DocumentContent
from retrieval.question.kinds import SHIPPED, answer_rules
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines

ASKED = tomllib.loads(Path(__file__).with_name("asked.toml").read_text("utf-8"))
CASES = [
    pytest.param(language, *case, id=f"{language} {case[0]}")
    for language, kinds in ASKED.items()
    for cases in kinds.values()
    for case in cases
]
LEASES = {
    "de": "Der Mieter zahlt die Miete an den Vermieter und die Frist ist drei Monate.",
    "fr": "Le locataire paie le loyer au bailleur et le préavis est de trois mois.",
    "es": "El inquilino paga la renta al arrendador y el plazo es de tres meses.",
}


def lease_in(language: str) -> DocumentContent:
    return replace(content_of_lines([LEASES[language]]), language=language)


def is_wanted(wanted: str, found: str) -> bool:
    """ "*" is anything, "!boolean" anything else."""
    return wanted == "*" or (found != wanted[1:] if wanted.startswith("!") else found == wanted)


@pytest.mark.parametrize(("language", "text", "answer_type", "shape"), CASES)
def test_a_question_is_read_as_its_language_asks(language: str, text: str, answer_type: str, shape: str) -> None:
    """(R19, R20)"""
    read = parse_question(text, [lease_in(language)])
    assert is_wanted(answer_type, read.answer_type), read.answer_type
    assert is_wanted(shape, read.shape), read.shape


@pytest.mark.parametrize("language", ASKED)
def test_every_kind_has_as_many_questions_that_only_look_like_it(language: str) -> None:
    kinds = ASKED[language]
    looking = sum(len(cases) for kind, cases in kinds.items() if kind.startswith("not_"))
    assert 2 * looking > 0.8 * sum(map(len, kinds.values()))


def test_words_of_another_language_do_not_count_where_the_language_is_told() -> None:
    """The German "Rate" is an instalment, the English one a number."""
    assert SHIPPED.type_of("Die Rate ist fällig, was nun?") == "number"
    assert SHIPPED.type_of("Die Rate ist fällig, was nun?", "de") == "text"
    assert SHIPPED.type_of("Rate?", "de", is_told=False) == "number"


def test_english_stands_in_for_what_a_language_has_nothing_for() -> None:
    rules = answer_rules()
    assert rules.in_language("iban", "de").search("Wie lautet die IBAN?")
    assert rules.in_language("rate", "it") is rules["rate"]
