"""What a document says of one kind, party or case is no answer to what is asked of another that it sets beside it."""

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.headlines.siblings import siblings_of
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms

CARRIER = content_of_lines(
    [
        "# 1 Booking",
        "Private senders may book a collection until 8 p.m. of the day before.",
        "Account customers may book a collection until 11 a.m. of the same day.",
        "# 2 Weight",
        "A domestic parcel may weigh 20 kg, an international parcel 15 kg.",
        "# 3 Claims",
        "Damage to a domestic parcel is reported within 14 days of delivery.",
        "The contents of an international parcel are declared in English.",
        "We decide on a claim of a private sender within 15 working days.",
        "# 4 Complaints",
        "Private senders may turn to the ombudsman within six months.",
        "# 5 Data",
        "Account customers may download the data of every parcel for 24 months.",
    ]
)
SUPPLIER = content_of_lines(
    [
        "# Kündigung",
        "Haushaltskunden können den Stromvertrag mit einer Frist von einem Monat kündigen.",
        "Gewerbekunden können den Stromvertrag mit einer Frist von drei Monaten kündigen.",
        "# Verzug",
        "Die Verzugszinsen für Gewerbekunden betragen neun Prozentpunkte über dem Basiszinssatz.",
        "# Gerichtsstand",
        "Gerichtsstand für Gewerbekunden ist Lindenau.",
    ],
    language="de",
)


def named_beside(word: str, content: DocumentContent) -> set[str]:
    terms = weigh_terms(parse_question(f"{word}?", [content]), lexicon_of(content))
    return {" ".join(name) for term in terms for name in siblings_of(term, content)}


@pytest.mark.parametrize(
    ("word", "content", "beside"),
    [
        ("private", CARRIER, "account custom"),
        ("domestic", CARRIER, "internat parcel"),
        ("Haushaltskunden", SUPPLIER, "gewerbekund"),
    ],
)
def test_a_document_tells_what_stands_beside_a_word(word: str, content: DocumentContent, beside: str) -> None:
    assert beside in named_beside(word, content)


@pytest.mark.parametrize(
    ("question", "content", "reason"),
    [
        ("How long do you take to decide on a claim of an account customer?", CARRIER, "private sender"),
        ("How long do you take to decide on a claim of a private sender?", CARRIER, ""),
        ("To whom may account customers turn with a complaint within six months?", CARRIER, "Private senders"),
        ("How long may account customers download the data of a parcel?", CARRIER, ""),
        ("Wie hoch sind die Verzugszinsen für Gewerbekunden?", SUPPLIER, ""),
        ("Wo ist der Gerichtsstand für Haushaltskunden?", SUPPLIER, "Gewerbekunden"),
    ],
)
def test_what_is_said_of_one_is_no_answer_for_the_other(question: str, content: DocumentContent, reason: str) -> None:
    result = retrieve(question, [content], settings=BaseSettings(), arbiter="rules")
    assert result.status == ("weak" if reason else "found")
    assert reason in result.not_found_reason
