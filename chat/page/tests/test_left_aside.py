"""A question of chosen documents that found nothing offers to ask the whole base."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.asking import keep_question
from chat.conftest import ABSENT_QUESTION, LEASE_TEXT, RENT_QUESTION
from chat.models import Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase

OFFER = "Ask the whole base"


@pytest.fixture
def other(base: KnowledgeBase, tenant: User, tmp_path: Path) -> Document:
    path = tmp_path / "second-lease.md"
    path.write_text(LEASE_TEXT.replace("12,500", "14,000"))
    return ingest_path(path, base, tenant)


def page_after(question: str, scope: QuestionScope, tenant: User) -> str:
    turn = keep_question(tenant, scope, question, "balanced", form_id=scope.base.pk)
    answer_turn(turn.pk)
    client = Client()
    client.force_login(tenant)
    return client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()


def test_what_one_document_does_not_say_is_asked_of_all(
    base: KnowledgeBase, document: Document, other: Document, tenant: User
) -> None:
    page = page_after(ABSENT_QUESTION, QuestionScope(base, (document,)), tenant)
    assert OFFER in page and "1 other document of the base was not asked." in page
    turn = Turn.objects.get()
    client = Client()
    client.force_login(tenant)
    sent = {"form_id": other.pk, "mode": "balanced", "scope": f"base:{base.pk}", "question": ABSENT_QUESTION}
    client.post(reverse("chat:conversation", args=[turn.conversation_id]), sent)
    assert Turn.objects.exclude(pk=turn.pk).get().document_ids == []


@pytest.mark.parametrize(("question", "is_whole"), [(RENT_QUESTION, False), (ABSENT_QUESTION, True)])
def test_an_answer_or_a_search_of_all_offers_nothing(
    base: KnowledgeBase, document: Document, other: Document, tenant: User, question: str, is_whole: bool
) -> None:
    assert OFFER not in page_after(question, QuestionScope(base, () if is_whole else (document,)), tenant)


def test_the_only_document_of_a_base_leaves_nothing_aside(
    base: KnowledgeBase, document: Document, tenant: User
) -> None:
    assert OFFER not in page_after(ABSENT_QUESTION, QuestionScope(base, (document,)), tenant)
