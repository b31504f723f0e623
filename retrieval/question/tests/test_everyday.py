"""The list of everyday words: each line an idea in every language, each word reachable."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from retrieval.question import across
from retrieval.question.across import everyday_ideas
from retrieval.words.concepts import concepts_named
from retrieval.words.tokens import ALGORITHMS, is_stop_word, normalise_words


def test_every_idea_has_a_word_in_every_language_and_none_twice() -> None:
    with (Path(across.__file__).with_name("everyday.csv")).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert {*header} == {*ALGORITHMS}
    assert all(len(row) == len(header) and all(map(str.strip, row)) for row in rows)
    for idea in everyday_ideas():
        said = Counter((term.language, term.text) for term in idea.terms)
        assert said.most_common(1)[0][1] == 1 and all(term.text for term in idea.terms), idea.name
    assert Counter(idea.name for idea in everyday_ideas()).most_common(1)[0][1] == 1


def test_every_idea_is_named_by_a_word_of_every_language() -> None:
    """A stop word among its words is found in documents and names nothing in a question."""
    for idea in everyday_ideas():
        telling = {
            term.language
            for term in idea.terms
            if not all(is_stop_word(word, term.language) for word in normalise_words(term.text))
        }
        assert telling == {*ALGORITHMS}, idea.name


@pytest.mark.parametrize(
    ("asked", "named", "not_named"),
    [
        ("Welche Verträge hat der Kunde gekündigt?", {"agreement", "client", "termination"}, {"bill"}),
        ("Wer trägt die Kosten der Reisen?", {"charge", "journey"}, {"bearer"}),
        ("Quels contrats les clients ont-ils ?", {"agreement", "client"}, {"construction"}),
        ("Quelle est la durée des prestations ?", {"period", "service", "benefit"}, {"hardness"}),
        ("¿Cuál es el plazo de los contratos de arrendamiento?", {"deadline", "agreement", "lease"}, {"plaza"}),
        ("What is the governing law of the lease?", {"governing law", "lease"}, {"law"}),
    ],
)
def test_inflected_words_name_their_ideas(asked: str, named: set[str], not_named: set[str]) -> None:
    found = {each.concept.name for each in concepts_named(asked, everyday_ideas())}
    assert named <= found and found.isdisjoint(not_named), found
