"""What an amendment changes without naming a clause is told by sentence, and only what is changed."""

import pytest

from retrieval.amendments.unplaced import changes_told
from retrieval.tests.builders import content_of_lines


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("The monthly rent is increased to 1,395 euros.", "en"),
        ("As of May 2024 the rent is reduced.", "en"),
        ("The deposit no longer applies.", "en"),
        ("Die Miete wird auf 1.395 Euro erhöht.", "de"),
        ("Die Miete beträgt ab dem 1. Juni 1.395 Euro.", "de"),
        ("Die Kaution ist nicht mehr zu leisten.", "de"),
        ("Le loyer est porté à 1 395 euros.", "fr"),
        ("La renta queda aumentada a 1.395 euros.", "es"),
    ],
)
def test_a_change_without_a_clause_is_told(sentence: str, language: str) -> None:
    assert len(changes_told(content_of_lines(["# Rent", sentence], language=language))) == 1


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("If the rent is increased under the index, the deposit stays.", "en"),
        ("When the rent is increased, the tenant is told.", "en"),
        ("None of the other terms is amended.", "en"),
        ("No other provision is amended.", "en"),
        ("The rent is paid no longer than 30 days after the invoice.", "en"),
        ("Die Miete wird durch diesen Nachtrag nicht geändert.", "de"),
        ("Die Kaution beträgt nicht mehr als drei Monatsmieten.", "de"),
        ("Die Miete gilt ab Übergabe.", "de"),
        ("Wird die Miete erhöht, so ist dies mitzuteilen.", "de"),
        ("Le loyer n’est pas modifié.", "fr"),
        ("Aucune clause n’est modifiée.", "fr"),
        ("La renta no se modifica.", "es"),
    ],
)
def test_what_is_not_or_only_may_be_changed_is_no_change(sentence: str, language: str) -> None:
    assert changes_told(content_of_lines(["# Rent", sentence], language=language)) == ()


def test_a_change_has_the_words_of_its_own_sentence() -> None:
    written = ["# Rent", "The deposit is held by the bank.", "The rent is increased to 1,395 euros."]
    ((lines, words, *_),) = changes_told(content_of_lines(written))
    assert lines == (3, 3) and "rent" in words and "deposit" not in words


@pytest.mark.parametrize(
    ("sentences", "language"),
    [
        ("The rent is 1,250 euros. From 1 July it is increased to 1,395 euros.", "en"),
        ("Die Miete beträgt 1.250 Euro. Ab dem 1. Juli wird sie auf 1.395 Euro erhöht.", "de"),
    ],
)
def test_a_change_of_it_has_the_words_of_the_sentence_before(sentences: str, language: str) -> None:
    ((_, words, *_),) = changes_told(content_of_lines(["# Terms", sentences], language=language))
    assert not words.isdisjoint({"rent", "miet"})


@pytest.mark.parametrize(
    ("text", "language", "beside"),
    [
        ("Clause 4 is deleted. The rent is increased to 1,395 euros.", "en", [False, True]),
        ("The rent is increased to 1,395 euros. Clause 4 is deleted.", "en", [True, False]),
        ("§ 4 wird gestrichen. Die Miete wird auf 1.395 Euro erhöht.", "de", [False, True]),
        ("L’article 4 est supprimé. Le loyer est porté à 1 395 euros.", "fr", [False, True]),
        ("La cláusula 4 queda suprimida. La renta queda aumentada a 1.395 euros.", "es", [False, True]),
        ("Clause 4 is replaced by the following: The rent is due. It is increased in May.", "en", [False, False]),
        ("The rent is increased to 1,395 euros.", "en", [False]),
    ],
)
def test_what_names_no_clause_is_told_beside_what_does(text: str, language: str, beside: list[bool]) -> None:
    told = changes_told(content_of_lines(["# Changes", text], language=language))
    assert [is_beside for _, _, is_beside, _ in told] == beside
