"""Which requests ask for an outline or a comparison, of what, and which only sound like one."""

from dataclasses import replace

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from reading.wording import Wording
from retrieval.question.forms import form_rules, read_form
from retrieval.question.parse import parse_question
from retrieval.search import SearchOptions
from retrieval.steps import begin_search
from retrieval.tests.builders import content_of_lines
from retrieval.words.tokens import language_of

NDA = content_of_lines(["This agreement ends after three years."], title="Non-Disclosure Agreement, Acme", number=1)
LICENCE = content_of_lines(["This licence ends after a year."], title="Software Licence, Globex", number=2)
REPORTS = [
    content_of_lines([f"Revenue was {year} million."], title=f"Initech annual report {year}", number=number)
    for number, year in ((3, 2022), (4, 2023))
]
ALL = [NDA, LICENCE, *REPORTS]


@pytest.mark.parametrize("wording", form_rules().alternatives, ids=lambda each: f"{each.section}.{each.language}")
def test_every_alternative_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = form_rules().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


@pytest.mark.parametrize(
    ("asked", "of"),
    [
        ("summarise this document", ()),
        ("Can you summarize it for me, please?", ()),
        ("Give me a short overview", ()),
        ("What is this document about?", ()),
        ("What are the key points?", ()),
        ("tl;dr", ()),
        ("Summarise the licence of Globex", (LICENCE,)),
        ("What is the NDA about?", (NDA,)),
        ("Résumez ce document, s'il vous plaît", ()),
        ("De quoi parle ce contrat ?", ()),
        ("Quels sont les points clés du document ?", ()),
        ("Fassen Sie dieses Dokument bitte zusammen", ()),
        ("Können Sie mir das Dokument zusammenfassen?", ()),
        ("Worum geht es in diesem Vertrag?", ()),
        ("Was sind die wichtigsten Punkte des Berichts?", ()),
        ("Geben Sie mir einen kurzen Überblick über den NDA", (NDA,)),
        ("Resume este documento, por favor", ()),
        ("¿Puede resumir este contrato?", ()),
        ("¿De qué trata este informe?", ()),
        ("¿Cuáles son los puntos clave de este contrato?", ()),
        ("Deme un breve resumen del NDA", (NDA,)),
    ],
)
def test_an_outline_is_asked_for(asked: str, of: tuple[DocumentContent, ...]) -> None:
    read = read_form(asked, ALL, language_of(asked.lower().split(), default="en"))
    assert (read.form, read.document_ids) == ("outline", tuple(each.document_id for each in of))


@pytest.mark.parametrize(
    "asked",
    [
        "Summarise the duties of the licensee",
        "What does the agreement say about termination?",
        "What are the key points of the insurance clause?",
        "Summarise page 3",
        "Summarise section 4",
        "What is a summary judgment?",
        "What are the main risks?",
        "What is the licence fee?",
    ],
)
def test_a_question_about_a_topic_asks_for_no_outline(asked: str) -> None:
    assert read_form(asked, ALL, "en").form == ""


@pytest.mark.parametrize(
    "asked",
    [
        "Fassen Sie die Pflichten des Mieters zusammen",
        "Was sagt der Vertrag über die Kündigung?",
        "Was sind die wichtigsten Risiken?",
    ],
)
def test_a_german_question_about_a_topic_asks_for_no_outline(asked: str) -> None:
    assert read_form(asked, ALL, "de").form == ""


@pytest.mark.parametrize(
    "asked",
    [
        "Resume las obligaciones del inquilino",
        "¿Qué dice el contrato sobre la rescisión?",
        "¿Cuáles son los riesgos principales?",
        "¿Menciona el resumen la renta?",
    ],
)
def test_a_spanish_question_about_a_topic_asks_for_no_outline(asked: str) -> None:
    assert read_form(asked, ALL, "es").form == ""


def test_a_letter_that_joins_in_another_language_joins_nothing() -> None:
    first, second = read_form("Compare part Y of Acme with Globex", ALL, "en").sides
    assert (first.name, first.asked, second.name) == ("Acme", "part Y", "Globex")


@pytest.mark.parametrize(
    ("asked", "sides", "respect"),
    [
        ("Compare Acme and Globex", ("Acme", "Globex"), ""),
        ("Compare how Acme and Globex describe breaches", ("Acme", "Globex"), "breaches"),
        ("Compare the NDA with the Globex licence on liability", ("NDA", "Globex licence"), "liability"),
        ("Compare the term in the NDA and the licence", ("NDA", "licence"), "term"),
        ("What is the difference between the NDA and the licence?", ("NDA", "licence"), ""),
        ("What are the differences in notice between Acme and Globex?", ("Acme", "Globex"), "notice"),
        ("How does the NDA differ from the licence on notice?", ("NDA", "licence"), "notice"),
        ("What changed between 2022 and 2023?", ("2022", "2023"), ""),
        ("How did revenue change between 2022 and 2023?", ("2022", "2023"), "revenue"),
        ("Comparez la durée dans le NDA et la licence", ("NDA", "licence"), "durée"),
        ("Vergleichen Sie Acme und Globex", ("Acme", "Globex"), ""),
        ("Was ist der Unterschied zwischen Acme und Globex?", ("Acme", "Globex"), ""),
        ("Vergleichen Sie Acme mit Globex hinsichtlich der Haftung", ("Acme", "Globex"), "Haftung"),
        ("¿Cuál es la diferencia entre el NDA y Globex?", ("NDA", "Globex"), ""),
        ("Compare Acme con Globex en cuanto a la responsabilidad", ("Acme", "Globex"), "responsabilidad"),
    ],
)
def test_documents_are_compared(asked: str, sides: tuple[str, ...], respect: str) -> None:
    read = read_form(asked, ALL, language_of(asked.lower().split(), default="en"))
    assert (read.form, tuple(side.name for side in read.sides)) == ("compare", sides)
    assert all(len(side.document_ids) == 1 and side.asked == respect for side in read.sides)


LEASE = content_of_lines(["The term is two years."], title="Mietvertrag Meier", number=5)
LEASES = [LEASE, replace(LEASE, document_id="second", title="Mietvertrag Schulz")]
SECOND_NDA = replace(NDA, document_id="other", title="Globex confidentiality", document_type="nda")
KINDS = [replace(NDA, document_type="nda"), SECOND_NDA, LICENCE, *REPORTS]


@pytest.mark.parametrize(
    ("asked", "contents", "places", "respect"),
    [
        ("Compare the NDAs on term", KINDS, (0, 1), "term"),
        ("Compare both NDAs", KINDS, (0, 1), ""),
        ("Compare all of the NDAs", KINDS, (0, 1), ""),
        ("Contrast all of the NDAs as to permitted disclosures", KINDS, (0, 1), "permitted disclosures"),
        ("Compare the term of the NDAs", KINDS, (0, 1), "term"),
        ("How do the NDAs differ on notice?", KINDS, (0, 1), "notice"),
        ("What are the differences between the annual reports?", KINDS, (3, 4), ""),
        ("Compare how the reports describe cash and debt", KINDS, (3, 4), "cash and debt"),
        ("Compare term and notice in all documents", ALL, (0, 1, 2, 3), "term and notice"),
        ("Compare all documents on term", KINDS, (0, 1, 2, 3, 4), "term"),
        ("Vergleichen Sie die Verträge hinsichtlich der Laufzeit", LEASES, (0, 1), "Laufzeit"),
        ("Vergleiche alle Dokumente bezüglich der Haftung", LEASES, (0, 1), "Haftung"),
        ("Comparez tous les documents sur la durée", LEASES, (0, 1), "durée"),
        ("¿Cuáles son las diferencias entre los documentos?", LEASES, (0, 1), ""),
    ],
)
def test_one_name_of_several_documents_compares_them(
    asked: str, contents: list[DocumentContent], places: tuple[int, ...], respect: str
) -> None:
    read = read_form(asked, contents, language_of(asked.lower().split(), default="en"))
    assert read.form == "compare" and {side.asked for side in read.sides} == {respect}
    assert [side.document_ids for side in read.sides] == [(contents[place].document_id,) for place in places]


@pytest.mark.parametrize(
    ("asked", "contents"),
    [
        ("Compare the NDA on term", KINDS),
        ("Compare the NDAs on term", ALL),
        ("Compare all documents on term", [replace(NDA, document_id=str(number)) for number in range(9)]),
        ("Compare the fees on term", KINDS),
        ("How did the reports change?", KINDS),
    ],
    ids=["one is meant", "there is one", "more than fit side by side", "no document is called so", "no respect"],
)
def test_a_name_that_is_not_of_a_few_documents_compares_none(asked: str, contents: list[DocumentContent]) -> None:
    assert read_form(asked, contents, "en").form == ""


def test_of_a_part_of_the_scope_no_kind_is_compared() -> None:
    """What was not read of it would be left out in silence."""
    options = SearchOptions(BaseSettings(), is_whole_scope=False)
    assert begin_search("Compare the NDAs on term", KINDS, options).question.form == ""
    assert begin_search("Compare Acme and Initech on term", KINDS, options).question.form == "compare"


def test_things_inside_a_document_are_compared_each_by_its_name() -> None:
    read = read_form("What is the difference between a precursor and an indication?", [NDA], "en")
    assert [(side.name, side.asked, side.document_ids) for side in read.sides] == [
        ("precursor", "precursor", ()),
        ("indication", "indication", ()),
    ]


def test_the_document_with_the_very_words_in_its_name_is_meant() -> None:
    terms, agreement = replace(NDA, title="Acme Terms of Service"), replace(LICENCE, title="SERVICE AGREEMENT, Globex")
    first, second = read_form("Compare the law of the service agreement and the lease", [terms, agreement], "en").sides
    assert first.document_ids == (agreement.document_id,) and second.document_ids == ()


def test_a_name_that_is_no_document_here_is_a_side_all_the_same() -> None:
    first, second = read_form("Compare Acme and Hooli on liability", ALL, "en").sides
    assert (first.document_ids, first.asked) == ((NDA.document_id,), "liability")
    assert (second.document_ids, second.asked) == ((), "Hooli liability")


@pytest.mark.parametrize(
    "asked",
    [
        "How does it compare with the base model?",
        "What is the rent and who pays it?",
        "How did net income and earnings per share change from 2019 to 2020?",
        "How do the fees for repairs differ from the ones for cleaning?",
        "Which changes are allowed?",
        "What is the difference between the two?",
    ],
)
def test_what_only_sounds_like_a_comparison_is_none(asked: str) -> None:
    assert read_form(asked, ALL, "en").form == ""


def test_an_outline_is_never_asked_back_for_being_vague() -> None:
    assert parse_question("summary", [NDA]).clarification == ""
    assert parse_question("summary", [NDA]).form == "outline"
