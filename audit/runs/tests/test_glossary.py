"""The glossary: terms in order whatever their capitals, the ones asked for, each a sentence and in French as well."""

import pytest
from django.utils import translation

from audit.pages.figure_views import TERMS_USED
from audit.runs.glossary import NAMES, TERMS, terms_in_order


def test_all_terms_come_in_the_order_of_the_alphabet() -> None:
    names = [term.key for term in terms_in_order()]
    assert set(names) == set(TERMS) == set(NAMES) and names == sorted(names, key=str.casefold)
    assert names.index("role") < names.index("RRF") < names.index("SHA-256")


@pytest.mark.parametrize(
    ("asked", "given"),
    [(["verdict", "anchor"], ["anchor", "verdict"]), (["RRF"], ["RRF"]), (["hit", "hit"], ["hit"] * 2)],
)
def test_only_the_terms_asked_for_are_given(asked: list[str], given: list[str]) -> None:
    assert [term.key for term in terms_in_order(*asked)] == given


@pytest.mark.parametrize("name", ["", "rrf", "Anchor", "unheard of"])
def test_a_term_that_is_none_is_a_fault_of_the_page(name: str) -> None:
    with pytest.raises(KeyError):
        terms_in_order(name)


def test_the_page_of_figures_asks_for_terms_that_exist() -> None:
    assert [term.key for term in terms_in_order(*TERMS_USED)] == list(TERMS_USED)


@pytest.mark.parametrize("name", sorted(TERMS))
def test_a_term_is_explained_in_whole_sentences_and_in_french(name: str) -> None:
    english = str(TERMS[name])
    with translation.override("fr"):
        french = str(TERMS[name])
    for words in (english, french):
        assert words[0].isupper() and words[-1] in ".?" and len(words) > len(name)
    assert french != english


def test_the_terms_are_named_and_ordered_in_the_language_of_the_reader() -> None:
    with translation.override("de"):
        german = {term.key: term.name for term in terms_in_order()}
        names = list(german.values())
    assert german["anchor"] == "Anker" and german["evidence pack"] == "Nachweispaket"
    assert names == sorted(names, key=str.casefold)
