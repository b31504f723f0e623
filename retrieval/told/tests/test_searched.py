"""A question in another language than the documents says so, and what its words were searched as."""

from typing import Any

import pytest
from django.utils import translation

from documents.storage.content import DocumentContent
from retrieval.models import RetrievalRun
from retrieval.pipeline import retrieve
from retrieval.record.as_json import result_json
from retrieval.tests.builders import SETTINGS
from retrieval.told.columns import StoredQuestion, StoredWord
from retrieval.told.searched import foreign_told, searched_told, words_searched

OWN = {"text": "préavis", "source": "direct", "language": "fr"}
ADDED = {"text": "notice", "source": "dictionary", "language": "en", "group": "préavis"}


def parsed(*keywords: Any, language: str = "fr", form: str = "") -> StoredQuestion:
    return {"language": language, "form": form, "keywords": list(keywords)}


def counted(**counts: int) -> list[dict[str, Any]]:
    return [{"text": text, "count": count} for text, count in counts.items()]


def told(question: StoredQuestion, languages: list[str], searched: Any = ()) -> str:
    return foreign_told(RetrievalRun(parsed=question, searched=searched, plan={"told": {"languages": languages}}))


@pytest.mark.parametrize(
    ("question", "languages", "searched", "is_told"),
    [
        (parsed(OWN), ["en"], counted(préavis=0), True),
        (parsed(OWN, ADDED), ["en"], counted(préavis=0), True),
        (parsed(OWN), ["de", "en"], [], True),
        (parsed(OWN, ADDED), ["en"], counted(préavis=3), True),  # the dictionary carried it across
        (parsed(OWN), ["en"], counted(préavis=2), True),  # the word is the same in both
        (parsed(OWN), ["en", "fr"], counted(préavis=0), False),
        (parsed(OWN), ["en", "und"], counted(préavis=0), False),  # of one document nobody knows
        (parsed(OWN), [], counted(préavis=0), False),  # a run from before this was recorded
        (parsed(OWN, language="en"), ["en"], counted(préavis=0), False),
        (parsed(OWN, form="outline"), ["en"], counted(préavis=0), False),  # no word is looked for
        (parsed(), ["en"], [], False),
        ({}, ["en"], [], False),
    ],
)
def test_it_is_told_where_the_languages_differ(
    question: StoredQuestion, languages: list[str], searched: list[StoredWord], is_told: bool
) -> None:
    assert bool(told(question, languages, searched)) is is_told


def test_what_was_carried_across_is_no_word_that_the_dictionary_lacks() -> None:
    several = [OWN | {"text": text, "group": "secrecy"} for text in ("informations", "confidentielles")]
    secret = ADDED | {"text": "confidential information", "group": "secrecy"}
    lost, verb = OWN | {"text": "durée"}, OWN | {"text": "coûte", "priority": "secondary"}
    said = told(parsed(OWN, *several, lost, verb, ADDED, secret), ["en"], counted(préavis=3, durée=0, coûte=0))
    assert said.endswith(
        "of the documents: English. Searched as: préavis (notice), informations confidentielles (confidential "
        "information). The dictionary and the list of everyday words had none for “durée”. Ask in the language of the "
        "documents, or add the words to the dictionary."
    )


def test_the_words_searched_are_shown_as_they_were_typed() -> None:
    keywords = [{"text": "prufungsunterlagen", "source": "direct", "language": "de"}]
    searched = [
        {"text": "prufungsunterlagen", "forms": ["prufungsunterlagen"], "count": 0},
        {"text": "aufbewahren", "forms": [], "count": 2},
        {"text": "retention", "forms": [], "count": 1},
    ]
    question = "Wie lange sind die Prüfungsunterlagen AUFZUBEWAHREN, aufbewahren?"
    run = RetrievalRun(question=question, searched=searched, parsed={"keywords": keywords})
    texts = ["Prüfungsunterlagen", "aufbewahren", "retention"]
    assert [each["text"] for each in words_searched(run)] == [each["text"] for each in searched_told(run)] == texts
    assert run.searched == searched, "what is recorded stays"
    erased = RetrievalRun(question="", searched=searched)
    assert words_searched(erased)[0]["text"] == "prufungsunterlagen"


def test_both_languages_are_named_in_that_of_the_reader() -> None:
    both = told(parsed(OWN), ["de", "en"])
    assert both.startswith("Language of the question: French; of the documents: German and English.")
    with translation.override("fr"):
        assert "Anglais" in told(parsed(OWN), ["en"])
    with translation.override("de"):
        assert "Französisch" in told(parsed(OWN), ["en"])


def test_a_french_question_to_an_english_document_says_what_to_do(policy: DocumentContent) -> None:
    asked = "Quel est le chiffre d’affaires de la fromagerie ?"
    result = retrieve(asked, [policy], settings=SETTINGS, arbiter="rules")
    assert (result.question.language, policy.language) == ("fr", "en")
    assert "add the words to the dictionary" in result_json(result)["language_note"]
    same = retrieve("What is covered by the policy?", [policy], settings=SETTINGS, arbiter="rules")
    assert result_json(same)["language_note"] is None
