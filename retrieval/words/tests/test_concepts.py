"""Which concepts a question names: whole words, inflected, the longest name first, other languages."""

import pytest

from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.load import concepts_of, pack_concepts
from retrieval.dictionary.packs import PACKS
from retrieval.words.concepts import concepts_named, searched_terms

CONCEPTS = concepts_of(
    (
        WordRow("premium", "en", "premium"),
        WordRow("premium", "fr", "prime"),
        WordRow("premium", "fr", "prime annuelle"),
        WordRow("premium", "en", "pay each month"),
        WordRow("revenue", "en", "sales"),
        WordRow("revenue", "en", "net sales"),
        WordRow("cost of sales", "en", "cost of sales"),
        WordRow("cost of sales", "", "COGS"),
        WordRow("gross margin", "en", "gross margin"),
        WordRow("gross margin", "", "revenue", "secondary", 0.5),
        WordRow("gross margin", "", "Cost of sales"),
        WordRow("research", "", "R&D"),
        WordRow("exclusion", "en", "we will not pay"),
        WordRow("claims", "en", "receivables"),
        WordRow("assignment", "en", "assignment"),
        WordRow("management", "fr", "exécutif"),
        WordRow("deductible", "en", "deductible"),
        WordRow("duty", "en", "responsible"),
        WordRow("tax", "de", "steuerbar"),
        WordRow("operations", "de", "operativ"),
    )
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is the premium?", ["premium"]),
        ("Are the premiums due?", ["premium"]),
        ("Is it a premiumless plan?", []),
        ("How much do I pay every month?", ["premium"]),
        ("Quelle est la prime ?", ["premium"]),
        ("What is the prime rate?", []),  # a French word in an English question
        ("How high is the prime annuelle?", ["premium"]),  # two words are no accident
        ("prime?", ["premium"]),  # no small word tells the language
        ("What was the cost of sales?", ["cost of sales"]),  # and not sales
        ("What were costs and sales?", ["revenue"]),
        ("Cost of sales over net sales?", ["revenue", "cost of sales"]),
        ("COGS in 2022", ["cost of sales"]),
        ("Did gross margins improve?", ["gross margin"]),
        ("What was spent on R & D?", ["research"]),
        ("What will we not pay for?", []),
        ("When do I have to pay?", []),  # one word of four names nothing
        ("For what does it say we will not pay?", ["exclusion"]),
        ("What does the Receiving Party receive?", []),
        ("Is a receivable written off?", ["claims"]),
        ("Are receivables assignable?", ["claims", "assignment"]),
        ("Qui peut exécuter le contrat ?", []),
        ("Qui est au conseil exécutif ?", ["management"]),
        ("What is deducted from each claim?", ["deductible"]),
        ("Who has the responsibility?", ["duty"]),
        ("Wann gilt ein steuerbarer Umsatz?", ["tax"]),
        ("Wie hoch ist das operative Ergebnis?", ["operations"]),
        ("Wo steht operatives Ergebnis?", ["operations"]),
        ("What is revenue?", []),  # a concept's name is a term only where it is written as one
        ("", []),
    ],
)
def test_it_names_concepts(text: str, names: list[str]) -> None:
    assert [concept.name for concept, *_ in concepts_named(text, CONCEPTS)] == names


def test_an_empty_dictionary_names_nothing() -> None:
    assert concepts_named("What is the premium?", ()) == []


def test_a_concept_pulls_in_those_it_is_computed_from() -> None:
    margin = next(concept for concept in CONCEPTS if concept.name == "gross margin")
    pulled = {(term.text, term.pulled_from, term.priority, term.weight) for term in margin.terms}
    assert ("net sales", "revenue", "secondary", 0.5) in pulled
    assert ("COGS", "cost of sales", "primary", 1.0) in pulled
    assert ("gross margin", "", "primary", 1.0) in pulled


def test_a_term_inside_another_is_searched_once() -> None:
    revenue = next(concept for concept in CONCEPTS if concept.name == "revenue")
    assert [phrase for _, phrase in searched_terms(revenue)] == ["sales"]


def test_concepts_that_pull_in_each_other_end() -> None:
    rows = [WordRow("a side", "", "a side"), WordRow("a side", "", "b side"), WordRow("b side", "", "a side")]
    first, second = concepts_of((*rows, WordRow("b side", "", "b side", weight=0.5)))
    assert [(term.text, term.weight) for term in first.terms] == [("a side", 1.0), ("b side", 0.5)]
    assert [term.text for term in second.terms] == ["b side", "a side"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("What is the working capital?", {"total current assets", "total current liabilities"}),
        ("How large was capex?", {"purchases of property and equipment", "capital expenditures"}),
        ("quick ratio", {"total current liabilities", "accounts receivable", "cash and cash equivalents"}),
        ("cash conversion cycle", {"inventories", "accounts payable", "accounts receivable", "cost of goods sold"}),
        ("return on assets", {"net income", "total assets"}),
        ("effective tax rate", {"provision for income taxes", "income before income taxes"}),
        ("free cash flow", {"net cash provided by operating activities", "purchases of property and equipment"}),
        ("Quel est le fonds de roulement ?", {"total current assets", "total current liabilities"}),
        ("Quelle est la franchise ?", {"deductible", "excess"}),
        ("How is overtime paid?", {"overtime", "heures supplémentaires"}),
    ],
)
def test_the_packs_know_what_a_measure_is_computed_from(text: str, lines: set[str]) -> None:
    terms = {term.text for concept, *_ in concepts_named(text, pack_concepts()) for term in concept.terms}
    assert lines <= terms


def test_each_pack_can_be_taken_alone() -> None:
    by_pack = {name: pack_concepts(name) for name in PACKS}
    assert len(by_pack["finance"]) >= 120
    names = [concept.name for concepts in by_pack.values() for concept in concepts]
    assert len(names) == len(set(names)) == len(pack_concepts())


@pytest.mark.parametrize(
    ("name", "languages"),
    [("finance", {"en", "fr", "de"}), ("contracts", {"en", "fr", "de"}), ("insurance_hr", {"en", "fr"})],
)
def test_each_concept_of_a_pack_has_words_in_its_languages(name: str, languages: set[str]) -> None:
    for concept in pack_concepts(name):
        assert languages <= {term.language for term in concept.terms}, concept.name


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Wie hoch ist die Eigenkapitalrendite?", {"net income", "equity", "Jahresüberschuss"}),
        ("Welche Kündigungsfrist gilt?", {"notice period", "préavis"}),
    ],
)
def test_a_german_question_finds_the_words_of_other_languages(question: str, words: set[str]) -> None:
    assert words <= {term.text for concept, *_ in concepts_named(question, pack_concepts()) for term in concept.terms}
