"""German words are found in the words written as one with them, and taken apart where a document has their parts."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.words.compounds import Parts, compounds_with, joins_words, split_word
from retrieval.words.lexicon import lexicon_of

LISTED = "\ngastherme\naufsichtsbehorde\nfrauenanteil\ngrundmieten\nuntermieter\nmietverhaltnis\nhaushalt\n"


@pytest.fixture
def lease() -> DocumentContent:
    return content_of_lines(
        [
            "Die jährliche Wartung der Gastherme veranlasst der Vermieter.",
            "Hunde sind im Treppenhaus an der Leine zu führen.",
            "Schäden durch Wasser sind sofort zu melden.",
            "Die monatliche Grundmiete beträgt 742,00 EUR.",
        ],
        language="de",
    )


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("therme", ["gastherme"]),
        ("behorde", ["aufsichtsbehorde"]),
        ("anteil", ["frauenanteil"]),
        ("frauen", ["frauenanteil"]),
        ("miete", ["grundmieten"]),  # no "Untermieter" and, as it loses its ending there, no "Mietverhältnis"
        ("haus", []),  # too short to tell "Haushalt" from a kind of house
        ("vertrag", []),
    ],
)
def test_a_word_is_found_before_and_behind_others(word: str, found: list[str]) -> None:
    assert list(compounds_with(word, "de", LISTED)) == found


@pytest.mark.parametrize("language", ["en", "fr", "es", "und"])
def test_other_languages_write_no_words_as_one(language: str) -> None:
    assert not joins_words(language)
    assert list(compounds_with("therme", language, LISTED)) == []
    assert split_word("wasserschaden", language, lambda _: True) is None


@pytest.mark.parametrize("other", ["vertrag", "untervertrag", "ruckvertrag", "vertragbar"])
def test_what_only_changes_a_word_is_no_word_beside_it(other: str) -> None:
    """What stands before a word and makes another of it, and what stands behind it and is none."""
    assert list(compounds_with("vertrag", "de", f"\n{other}\n")) == []


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("wasserschaden", Parts("wasser", "schaden", True, True)),
        ("leinenpflicht", Parts("leine", "pflicht", True, False)),
        ("widerspruchsfrist", Parts("widerspruchs", "frist", False, True)),
        ("samstagszuschlag", Parts("samstags", "zuschlag", False, True)),
        ("mahngebuhr", Parts("mahnung", "gebuhr", True, True)),
        ("anmeldegebuhr", Parts("anmeldung", "gebuhr", True, True)),
        ("parkgebuhr", Parts("park", "gebuhr", False, True)),
        ("kundigung", None),
        ("nichtzahlung", None),
    ],
)
def test_a_word_is_taken_apart_where_a_part_is_known(word: str, parts: Parts | None) -> None:
    known = {"wasser", "schaden", "leine", "frist", "zahlung", "kund", "schlag", "zuschlag"}
    known |= {"gebuhr", "mahnung", "anmeldung"}
    assert split_word(word, "de", known.__contains__) == parts


def test_a_question_finds_the_word_written_as_one_with_its_own(lease: DocumentContent) -> None:
    question = parse_question("Wer kümmert sich um die Therme?", [lease])
    assert {"therme", "gastherme"} <= {form for each in question.keywords for form in each.forms}


def test_a_word_that_the_document_has_in_two_parts_is_searched_by_both(lease: DocumentContent) -> None:
    question = parse_question("Was gilt bei einem Wasserschaden?", [lease])
    assert [each.text for each in question.keywords] == ["gilt", "wasser", "schaden"]
    assert lexicon_of(lease).parts_of("schaden") is None  # which it has


def test_a_word_of_which_one_part_is_known_is_missed_beside_it(lease: DocumentContent) -> None:
    question = parse_question("Gilt im Treppenhaus eine Leinenpflicht?", [lease])
    assert {"treppenhaus", "leinenpflicht", "leinen"} <= {each.text for each in question.keywords}
