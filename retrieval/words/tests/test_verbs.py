"""Forms of German verbs that the stemmer does not bring together."""

import pytest

from retrieval.tests.builders import content_of_lines
from retrieval.words.forms import verb_forms
from retrieval.words.lexicon import lexicon_of


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("zahlt", "zahlen"),
        ("zahlen", "gezahlt"),
        ("gekundigt", "kundigen"),
        ("angekundigt", "anzukundigen"),
        ("ankundigen", "ankundigung"),
        ("meldung", "gemeldet"),
        ("abgerechnet", "abrechnung"),
        ("gelangt", "gelangen"),
    ],
)
def test_forms_of_one_verb_are_found_by_each_other(asked: str, said: str) -> None:
    assert said in set(verb_forms(asked, "de"))
    assert asked in set(verb_forms(said, "de"))


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("gehalt", "halten"),
        ("zahl", "zahlung"),
        ("rat", "raten"),
        ("miete", "mit"),
        ("gelangt", "lange"),
        ("lange", "gelangt"),
        ("gesprache", "sprache"),
    ],
)
def test_other_words_are_not(word: str, other: str) -> None:
    assert other not in set(verb_forms(word, "de"))


@pytest.mark.parametrize("language", ["en", "fr", "es", "und"])
def test_other_languages_have_none(language: str) -> None:
    assert list(verb_forms("paying", language)) == []


def test_a_document_has_only_forms_that_stand_in_it() -> None:
    lexicon = lexicon_of(content_of_lines(["Der Mieter hat den Schaden anzukündigen."], language="de"))
    assert lexicon.inflections("angekundigt") == ("anzukundigen",)
    assert lexicon.inflections("zahlt") == ()
