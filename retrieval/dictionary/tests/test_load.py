"""The dictionary at work: from a base's rows to the line of a document (R18)."""

import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents import access
from documents.models import KnowledgeBase
from documents.storage.content import DocumentContent
from retrieval.dictionary import editing, load, packs
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.load import ensure_dictionary
from retrieval.models import Term
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import RetrievalResult

pytestmark = pytest.mark.django_db
OPEN = replace(SETTINGS, risk_max=100)  # what is found, not whether it is enough


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org", None)


@pytest.fixture
def base(owner: User) -> KnowledgeBase:
    return access.create_base(owner, "Suppliers")


@pytest.fixture(scope="module")
def agreement() -> DocumentContent:
    return content_of_lines(
        [
            "# Parties",
            "This agreement is made between the customer and the provider.",
            "# Money",
            "The monthly charges are $ 104.17 and fall due on the first working day.",
            "# Damage",
            "A deductible of $ 500 applies to every loss.",
            "# Figures",
            ("Total current assets 9,400", "table_row"),
            ("Goodwill 1,200", "table_row"),
            ("Total current liabilities 7,300", "table_row"),
            "# Places",
            "The provider works in three cities and keeps an office in each.",
        ],
        title="Agreement",
    )


def ask(base: KnowledgeBase, content: DocumentContent, text: str) -> RetrievalResult:
    return retrieve(text, [content], settings=OPEN, arbiter="rules", dictionary=ensure_dictionary(base))


def passages(result: RetrievalResult) -> str:
    """What the writer of an answer reads: the primary candidates in their context."""
    return " / ".join(candidate.context.text for candidate in result.candidates if candidate.verdict.role == "primary")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        pytest.param("How much do I pay each month?", "monthly charges are $ 104.17", id="C5"),
        pytest.param("Quelle est la franchise ?", "deductible of $ 500", id="french"),
        pytest.param("What is the working capital?", "Total current assets 9,400", id="first input"),
        pytest.param("What is the working capital?", "Total current liabilities 7,300", id="second input"),
        pytest.param("Quel est le fonds de roulement ?", "Total current liabilities 7,300", id="french measure"),
    ],
)
def test_it_finds_the_line_by_another_name(
    base: KnowledgeBase, agreement: DocumentContent, text: str, quote: str
) -> None:
    """(R18)"""
    result = ask(base, agreement, text)
    assert quote in passages(result)
    assert any(keyword.source == "dictionary" for keyword in result.question.keywords)


@pytest.mark.parametrize("text", ["Quel est le fonds de roulement ?", "What is the working capital?"])
def test_without_the_packs_it_does_not(base: KnowledgeBase, agreement: DocumentContent, text: str) -> None:
    packs.switch(base, [])
    assert "deductible" not in passages(ask(base, agreement, text))
    assert "Total current" not in passages(ask(base, agreement, text))


def test_a_term_acts_from_the_next_question_on_and_in_its_own_base_only(
    owner: User, base: KnowledgeBase, agreement: DocumentContent
) -> None:
    """(R18)"""
    other = access.create_base(owner, "Others")
    assert "cities" not in passages(ask(base, agreement, "Which metropolis is it?"))
    client = Client()
    client.force_login(owner)
    values = {"concept_name": "city", "term": "cities", "language": "en", "priority": "primary", "weight": "1"}
    added = client.post(reverse("retrieval:dictionary", args=[base.pk]), values)
    client.post(f"{added['Location']}terms/", values | {"term": "metropolis"})
    assert "three cities" in passages(ask(base, agreement, "Which metropolis is it?"))
    assert "cities" not in passages(ask(other, agreement, "Which metropolis is it?"))


def test_what_was_not_changed_is_not_read_again(base: KnowledgeBase, django_assert_num_queries: Any) -> None:
    read = ensure_dictionary(base)
    with django_assert_num_queries(2):  # whether packs are missing, and the digest
        assert ensure_dictionary(base) is read
    Term.objects.filter(concept__base=base, text="deductible").update(weight=0.25)
    (changed,) = {term for concept in ensure_dictionary(base) for term in concept.terms} - {
        term for concept in read for term in concept.terms
    }
    assert (changed.text, changed.weight) == ("deductible", 0.25)


def test_bases_with_the_same_words_share_them(base: KnowledgeBase, owner: User) -> None:
    other = access.create_base(owner, "Others")
    assert ensure_dictionary(other) is ensure_dictionary(base)
    Term.objects.filter(concept__base=other, text="deductible").update(weight=0.75)
    weights = [
        [term.weight for concept in ensure_dictionary(each) for term in concept.terms if term.text == "deductible"]
        for each in (base, other)
    ]
    assert set(weights[1]) == {0.75} and 0.75 not in weights[0]


def test_what_is_changed_while_it_is_read_is_not_kept_as_what_it_was(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_dictionary(base)
    Term.objects.filter(concept__base=base, text="deductible").update(weight=0.5)
    digests = [load.hash_rows(base.pk)]

    def change_after(base_id: uuid.UUID) -> bytes:
        """The digest; right after the first one somebody changes a term."""
        if len(digests) == 1:
            Term.objects.filter(concept__base=base_id, text="deductible").update(weight=0.25)
        digests.append(hash_rows(base_id))
        return digests[-2]

    hash_rows = load.hash_rows
    monkeypatch.setattr(load, "hash_rows", change_after)
    weights = {
        term.weight for concept in ensure_dictionary(base) for term in concept.terms if term.text == "deductible"
    }
    assert weights == {0.25}
    monkeypatch.undo()
    Term.objects.filter(concept__base=base, text="deductible").update(weight=0.5)
    weights = {
        term.weight for concept in ensure_dictionary(base) for term in concept.terms if term.text == "deductible"
    }
    assert weights == {0.5}


def test_an_absent_topic_stays_absent_with_the_packs(base: KnowledgeBase, agreement: DocumentContent) -> None:
    """What a pack adds is searched and shown, but proves nothing that the text does not say."""
    result = ask(base, agreement, "How long is the maternity leave?")
    assert result.status == "not_found"
    assert any(word.text == "congé maternité" or "maternity" in word.text for word in result.searched)


def test_a_group_is_present_when_any_of_its_words_is(base: KnowledgeBase, agreement: DocumentContent) -> None:
    """The first word of a group, under which it is counted, may be a secondary one."""
    packs.switch(base, [])
    concept = editing.add_concept(base, WordRow("rental", "en", "price of hire", "secondary"))
    editing.put_term(concept, WordRow("rental", "en", "hire fee"))
    editing.put_term(concept, WordRow("rental", "en", "monthly charges"))
    assert "monthly charges are $ 104.17" in passages(ask(base, agreement, "How high is the hire fee?"))
