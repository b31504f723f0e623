"""A question in another language than the documents says so, and what its words were searched as."""

from typing import Any

import pytest
from django.utils import translation

from documents.storage.content import DocumentContent
from retrieval.dictionary.load import pack_concepts
from retrieval.models import RetrievalRun
from retrieval.pipeline import retrieve
from retrieval.record.as_json import result_json
from retrieval.record.storing import result_row
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.told.columns import StoredQuestion, StoredWord
from retrieval.told.searched import foreign_told, searched_told, words_searched

OWN = {"text": "préavis", "forms": ["préavis"], "source": "direct", "language": "fr"}
ADDED = {"text": "notice", "source": "dictionary", "language": "en", "group": "préavis"}


def parsed(*keywords: Any, language: str = "fr", form: str = "") -> StoredQuestion:
    return {"language": language, "form": form, "keywords": list(keywords)}


def counted(*carried: str, **counts: int) -> list[dict[str, Any]]:
    return [
        {"text": text, "forms": [text, *carried], "count": count, "carried": [*carried] if count else []}
        for text, count in counts.items()
    ]


def told(question: StoredQuestion, languages: list[str], searched: Any = ()) -> str:
    return foreign_told(RetrievalRun(parsed=question, searched=searched, plan={"told": {"languages": languages}}))


@pytest.mark.parametrize(
    ("question", "languages", "searched", "is_told"),
    [
        (parsed(OWN), ["en"], counted(préavis=0), True),
        (parsed(OWN, ADDED), ["en"], counted(préavis=0), True),
        (parsed(OWN), ["de", "en"], counted(préavis=0), True),
        (parsed(OWN, ADDED), ["en"], counted("notice", préavis=3), True),  # the dictionary carried it across
        (parsed(OWN, ADDED), ["en"], counted("notice", préavis=0), True),  # in vain
        (parsed(OWN), ["en"], counted(préavis=2), False),  # the word is the same in both
        (parsed(OWN | {"priority": "secondary"}), ["en"], counted(préavis=0), False),  # it only frames the question
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


SERVICES = (
    *("# 1. Termination", "Either party may terminate this Agreement by giving ninety (90) days written notice."),
    *("# 2. Software", "The licence is granted for 20 users. Confidential information is not disclosed."),
)
SECRET = "informations confidentielles (Confidential information)"
NONE = "The dictionary and the list of everyday words had none for"
ADVICE = "Ask in the language of the documents, or add the words to the dictionary."


@pytest.mark.parametrize(
    ("asked", "rows", "said"),
    [
        (
            "Welche Kündigungsfrist gilt?",
            ["Kündigungsfrist (written notice)", "gilt"],  # no "notice period" stands there
            "Searched as: Kündigungsfrist (written notice).",
        ),
        (
            "Wird die Software bestrichen?",
            ["Software", "bestrichen"],
            f"{NONE} “bestrichen”. {ADVICE}",
        ),
        (
            "Qui teint les informations confidentielles ?",
            ["teint", SECRET],
            f"Searched as: {SECRET}. {NONE} “teint”. {ADVICE}",
        ),
        (
            "Wird die Software verlängert?",
            ["Software", "verlängert"],
            "Nothing that stands for “verlängert” was found.",
        ),
        (
            "Wann kann ein Vertragspartner kündigen?",
            ["Vertragspartner (party)", "kündigen (Termination, terminate)"],
            "Searched as: Vertragspartner (party), kündigen (Termination, terminate).",
        ),
        (
            "Was gilt bei höherer Gewalt?",
            ["gilt", "höherer Gewalt"],
            "Nothing that stands for “höherer Gewalt” was found.",
        ),
    ],
)
def test_it_is_told_what_stands_for_each_word_and_which_had_none(asked: str, rows: list[str], said: str) -> None:
    content = content_of_lines(list(SERVICES), language="en")
    run = result_row(retrieve(asked, [content], settings=SETTINGS, arbiter="rules", dictionary=pack_concepts()))
    assert [each["text"] for each in searched_told(run)] == rows
    assert foreign_told(run).partition("of the documents: English.")[2].strip() == said


def test_only_what_stands_is_told_for_a_word_and_the_word_itself_needs_nothing() -> None:
    content = content_of_lines(list(SERVICES), language="en")
    asked = "Qui reçoit la licence ?"  # a French name of a dismissal, too
    run = result_row(retrieve(asked, [content], settings=SETTINGS, arbiter="rules", dictionary=pack_concepts()))
    assert [each["text"] for each in searched_told(run)] == ["reçoit", "licence"]


def test_what_stands_for_a_word_is_told_as_the_document_spells_it() -> None:
    content = content_of_lines(
        ["# 1", "Die Räumlichkeiten liegen in der Stadt. Rauchen ist unzulässig."], language="de"
    )
    run = result_row(retrieve("Is smoking prohibited in the premises?", [content], settings=SETTINGS, arbiter="rules"))
    told = [each["text"] for each in searched_told(run)]
    assert told == ["smoking", "prohibited (unzulässig)", "premises (Räumlichkeiten)"]


def test_of_an_older_run_no_word_is_told_as_lost() -> None:
    several = [OWN | {"text": text} for text in ("informations", "confidentielles")]
    secret = ADDED | {"text": "confidential information", "group": "secrecy"}
    searched = [{"text": each["text"], "forms": [], "count": 0} for each in several]
    searched.append({"text": "confidential information", "forms": [], "count": 4})
    assert told(parsed(*several, secret), ["en"], searched).endswith("of the documents: English.")
    bare = {"text": "préavis", "source": "direct"}  # the language was not always recorded
    assert told(parsed(bare), ["en"], [{"text": "préavis", "forms": [], "count": 0}])


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


def test_words_that_count_as_one_are_shown_as_they_stand_in_the_question() -> None:
    keywords = [{"text": text, "group": "chiffre d affaires", "source": "direct"} for text in ("chiffre", "affaires")]
    searched = [{"text": "chiffre", "forms": ["revenue"], "count": 3, "carried": ["Revenue"]}]
    run = RetrievalRun(question="Quel chiffre d'affaires ?", searched=searched, parsed={"keywords": keywords})
    assert [each["text"] for each in words_searched(run)] == ["chiffre d'affaires (Revenue)"]


def test_both_languages_are_named_in_that_of_the_reader() -> None:
    both = told(parsed(OWN), ["de", "en"], counted(préavis=0))
    assert both.startswith("Language of the question: French; of the documents: German and English.")
    with translation.override("fr"):
        assert "anglais" in told(parsed(OWN), ["en"], counted(préavis=0))
    with translation.override("de"):
        assert "Französisch" in told(parsed(OWN), ["en"], counted(préavis=0))


def test_a_french_question_to_an_english_document_says_what_to_do(policy: DocumentContent) -> None:
    asked = "Quel est le chiffre d’affaires de la fromagerie ?"
    result = retrieve(asked, [policy], settings=SETTINGS, arbiter="rules")
    assert (result.question.language, policy.language) == ("fr", "en")
    assert "add the words to the dictionary" in result_json(result)["language_note"]
    same = retrieve("What is covered by the policy?", [policy], settings=SETTINGS, arbiter="rules")
    assert result_json(same)["language_note"] is None
