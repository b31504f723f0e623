"""Forms that no stemmer brings together count as one word, in each language that has a list of them."""

import pytest

from reading.wording import LANGUAGES
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.words.compounds import compounds_with
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms
from retrieval.words.tokens import (
    ALGORITHMS,
    STEMMERS,
    base_form,
    generic_words,
    irregular_forms,
    irregular_siblings,
    stem,
    stop_words,
)


@pytest.mark.parametrize(
    ("language", "form", "word"),
    [
        ("en", "sold", "sell"),
        ("en", "borne", "bear"),
        ("en", "appendices", "appendix"),
        ("de", "gilt", "gelten"),
        ("de", "übernommen", "übernehmen"),
        ("de", "abgelaufen", "ablaufen"),
        ("de", "entfällt", "entfallen"),
        ("de", "beschlossen", "beschließen"),
        ("de", "überschritten", "überschreiten"),
        ("fr", "reçues", "recevoir"),
        ("fr", "détient", "détenir"),
        ("es", "devuelto", "devolver"),
        ("es", "requieren", "requerir"),
    ],
)
def test_a_line_is_found_by_another_form_of_its_verb_or_noun(language: str, form: str, word: str) -> None:
    for said, asked in ((form, word), (word, form)):
        content = content_of_lines([f"xx {said} yy"], language=language)
        (term,) = weigh_terms(parse_question(asked, [content]), lexicon_of(content))
        assert term.lines.tolist() == [1]
        assert not term.akin.size, "as the word itself"


@pytest.mark.parametrize(
    ("language", "word", "other"),
    [
        ("en", "bold", "sell"),
        ("en", "sold", "soldier"),
        ("de", "gilt", "geld"),
        ("de", "Umständen", "umstehen"),
        ("de", "Einnahmen", "einnehmen"),
        ("de", "Angaben", "angeben"),
        ("de", "Verbot", "verbieten"),
        ("de", "Betrug", "betragen"),
        ("fr", "produit", "produire"),
        ("fr", "permis", "permettre"),
        ("es", "impuesto", "imponer"),
    ],
)
def test_other_words_stay_what_they_are(language: str, word: str, other: str) -> None:
    assert stem(word.lower(), language) != stem(other, language)


@pytest.mark.parametrize("language", sorted(irregular_forms()))
def test_no_listed_form_is_a_word_that_says_nothing(language: str) -> None:
    """Such a word would say something only in one of its forms; and a list nobody reads is of no use."""
    assert language in ALGORITHMS and language in LANGUAGES
    silent = stop_words()[language] | generic_words()[language]
    listed = {(word, form) for word, forms in irregular_forms()[language].items() for form in forms}
    assert {form for word, form in listed if form in silent and word not in silent} == set()


@pytest.mark.parametrize("language", sorted(irregular_forms()))
def test_every_listed_form_is_needed(language: str) -> None:
    """A form that the stemmer brings to its word anyway has no place in the list."""
    listed = [(word, form) for word, forms in irregular_forms()[language].items() for form in forms]
    alike = [(word, form) for word, form in listed if STEMMERS.stem(form, language) == STEMMERS.stem(word, language)]
    assert alike == []


def test_what_belongs_together_is_told_for_a_search_outside_a_document() -> None:
    assert irregular_siblings("paid", "en") == irregular_siblings("pay", "en") == ("pay", "paid")
    assert irregular_siblings("notice", "en") == ()
    assert base_form("wortlos", "de") == "wortlos"
    assert base_form("sold", "de") == "sold", "each language has its own"


def test_a_form_of_a_verb_is_no_part_of_a_word() -> None:
    assert list(compounds_with("halten", "de", "\nhaushalt\n")) == ["haushalt"]
    assert list(compounds_with("gehalten", "de", "\nhaushalt\n")) == []
