"""What carries a question to documents of another language: the base's dictionary first, then everyday words."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from retrieval.question.across import written_apart
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import ConceptTerm, ConceptTerms, Keyword, Question
from retrieval.words.lexicon import lexicon_of

ENGLISH = content_of_lines(
    ["# 1", "The Agreement runs for a term of 36 months.", "Agreements end by engagement letter."], language="en"
)
GERMAN = content_of_lines(["# 1", "Die Vertragslaufzeit beträgt drei Jahre."], language="de")


def everyday(question: Question, word: str) -> list[Keyword]:
    return [each for each in question.keywords if each.source == "everyday" and each.group == word]


@pytest.mark.parametrize(
    ("asked", "word", "carried"),
    [
        ("Wie viele Verträge gibt es?", "vertrage", ["agreement", "contract"]),
        ("Quelle est la durée du contrat ?", "contrat", ["agreement", "contract"]),
        ("Quelle équipe intervient ?", "equipe", ["team"]),  # no "équipement", which has the same stem
        ("Quelle est la loi ?", "loi", ["law", "statute", "act", "legislation", "legal"]),  # nor "loyer"
        (
            "Welches Recht hat der Kunde?",
            "recht",
            ["law", "statute", "act", "legislation", "legal", "right", "rights"],
        ),  # each sense
        ("Wer muss die Einhaltung der Ausdrücke prüfen?", "ausdrucke", []),  # in no idea
    ],
)
def test_an_everyday_word_is_searched_as_the_documents_have_it(asked: str, word: str, carried: Sequence[str]) -> None:
    found = everyday(parse_question(asked, [ENGLISH]), word)
    assert [each.text for each in found][: len(carried)] == carried
    assert bool(found) is bool(carried)
    assert {each.language for each in found} <= {"en"}


def test_its_inflections_in_the_document_count() -> None:
    agreement = everyday(parse_question("Wie viele Verträge gibt es?", [ENGLISH]), "vertrage")[0]
    assert agreement.forms == ("agreement", "agreements")


def test_english_questions_are_carried_to_german_documents() -> None:
    found = everyday(parse_question("What is the duration of the agreement?", [GERMAN]), "agreement")
    assert "vertragslaufzeit" in found[0].forms, "a part of a word written as one"


@pytest.mark.parametrize("asked", ["What is the agreement?", "Which contracts has the client?"])
def test_a_question_in_the_language_of_a_document_is_searched_as_it_is(asked: str) -> None:
    assert not any(each.source == "everyday" for each in parse_question(asked, [ENGLISH]).keywords)
    assert not any(each.source == "everyday" for each in parse_question(asked, [GERMAN, ENGLISH]).keywords)


def letter(german: str) -> list[ConceptTerms]:
    terms = (ConceptTerm(german, "de"), ConceptTerm("engagement letter", "en"))
    return [ConceptTerms("engagement", terms)]


def test_to_a_language_that_the_list_has_not_nothing_is_carried() -> None:
    question = parse_question("What is the agreement?", [replace(ENGLISH, language="it")])
    assert [(each.text, each.forms) for each in question.keywords] == [("agreement", ("agreement", "agreements"))]


@pytest.mark.parametrize("german", ["Vertrag", "Verträge"])
def test_the_dictionary_of_the_base_overrules_the_list(german: str) -> None:
    question = parse_question("Wo steht der Vertrag?", [ENGLISH], letter(german))
    added = [each.text for each in question.keywords if each.group == "vertrag" and each.language == "en"]
    assert added == ["engagement letter"]


def test_a_row_of_it_that_finds_nothing_gives_way_to_the_list_as_well() -> None:
    terms = (ConceptTerm("Vertrag", "de"), ConceptTerm("treaty", "en"))
    question = parse_question("Wo steht der Vertrag?", [ENGLISH], [ConceptTerms("treaty", terms)])
    added = {each.text: each.source for each in question.keywords if each.group == "vertrag" and not each.is_own}
    assert added == {"treaty": "dictionary", "agreement": "everyday", "contract": "everyday"}


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("Laufzeit?", "de"),
        ("Plazo de pago", "es"),
        ("Was steht in Anlage B?", "de"),  # "was" and "in" are English as well
        ("Que font les praticiens ?", "fr"),  # "que" and "les" are Spanish as well
        ("Agreement?", "en"),  # the document has it
        ("Zebra?", "en"),
        ("What is the Laufzeit?", "en"),
    ],
)
def test_everyday_words_tell_a_language_where_small_ones_do_not(asked: str, language: str) -> None:
    assert parse_question(asked, [ENGLISH]).language == language


def test_a_concept_named_by_another_word_of_the_stem_does_not() -> None:
    """ "Licence" is no "licencié", nor "assurance" "assuré"."""
    dismissed = ConceptTerms("dismissal", (ConceptTerm("licencié", "fr"), ConceptTerm("dismissal", "en")))
    question = parse_question("Quelle licence est accordée ?", [ENGLISH], [dismissed])
    added = [each.text for each in question.keywords if each.group == "licence" and each.language == "en"]
    assert "dismissal" not in added and "license" in added


def test_a_dictionary_that_has_no_word_of_the_documents_overrules_nothing() -> None:
    terms = (ConceptTerm("Vertrag", "de"), ConceptTerm("contrat", "fr"))
    question = parse_question("Wo steht der Vertrag?", [ENGLISH], [ConceptTerms("contrat", terms)])
    assert [each.text for each in everyday(question, "vertrag")] == ["agreement", "contract"]


def test_words_carried_together_are_one_and_none_is_missed_alone() -> None:
    question = parse_question("Was ist die empfangende Partei?", [ENGLISH])
    assert question.topic_words == ("empfangende",)
    assert {each.group for each in question.keywords} == {"empfangende partei"}


def test_a_verb_is_looked_for_as_any_other_word() -> None:
    assert "gekundigt" in parse_question("Wird der Support gekündigt?", [ENGLISH]).topic_words


@pytest.mark.parametrize(
    ("topic", "apart"),
    [
        ("die Vertragspflicht des Kunden", "die Vertrags Pflicht des Kunden"),
        ("die Vertragslaufzeit", "die Vertragslaufzeit"),  # in the list itself
        ("die Wasserpflanze", "die Wasserpflanze"),  # one of its words is not known
        ("der Vertrag", "der Vertrag"),
    ],
)
def test_words_written_as_one_are_looked_for_apart(topic: str, apart: str) -> None:
    assert written_apart(topic, (), "de") == apart
    assert written_apart("contractprice", (), "en") == "contractprice"


@pytest.mark.parametrize(
    ("asked", "text", "met"),
    [
        (
            "Welche Zölle gelten?",
            "The customer pays customs duties and a customs duty.",
            {"customs duty", "customs duties"},
        ),
        (
            "Gilt eine Kündigung?",
            "It is terminated upon terminating events, a terminal.",
            {"terminated", "terminating"},
        ),
        ("La violation doit-elle être notifiée ?", "He notified and notifies the notary.", {"notified", "notifies"}),
        ("Wer zahlt?", "The payer pays and paid the payee.", {"pays", "paid"}),
        ("Quel est le numéro de téléphone ?", "Telephone number: none.", {"telephone"}),
        ("Was wird gespeichert?", "It is stored in the store.", {"stored", "store"}),
        ("Quel est le solde au 31 décembre ?", "On 31 December it is decent.", {"december"}),
        ("Y a-t-il une police ?", "Reported to the police under this policy.", set()),
        ("Gibt es eine Provision?", "General provisions.", set()),
        ("Y a-t-il une clause de non-concurrence ?", "This clause holds, as each clause.", set()),
    ],
)
def test_what_is_carried_is_met_in_its_inflections_and_phrases(asked: str, text: str, met: set[str]) -> None:
    content = content_of_lines(["# 1", text], language="en")
    lexicon = lexicon_of(content)
    forms = {form for each in parse_question(asked, [content]).keywords for form in each.forms}
    assert {form for form in forms if len(lexicon.lines_with(form))} == met
