"""What is answered to the questions that reviewers asked the shipped documents, without a model."""

import uuid
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import KnowledgeBase

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("outsourcing-agreement.pdf", "information-security-policy.md")


@pytest.fixture
def shipped(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> KnowledgeBase:
    settings.MEDIA_ROOT = tmp_path / "files"
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none"})
    base.refresh_from_db()
    for name in NAMES:
        ingest_path(settings.BASE_DIR / "samples" / name, base, tenant)
    return base


def answer_to(question: str, base: KnowledgeBase, tenant: User) -> Answer:
    turn = keep_question(tenant, QuestionScope(base), question, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.get(turn=turn)


def test_each_is_answered_by_what_says_it_or_not_at_all(shipped: KnowledgeBase, tenant: User) -> None:
    early = answer_to("When may the customer terminate early?", shipped, tenant)
    quotes = " ".join(" ".join(each.quote.split()) for each in early.citations.all())
    assert early.kind == "extractive" and "one hundred and eighty (180) days\u2019 written notice" in quotes
    headline = early.text.partition("\n\n")[0]
    assert "thirty (30) days" not in headline, "the period to cure a breach is no time to terminate early"

    passwords = answer_to("How long must passwords be?", shipped, tenant)
    assert passwords.kind == "extractive" and "at least fourteen characters" in passwords.text

    helicopters = answer_to("what is the penalty for late delivery of helicopters?", shipped, tenant)
    assert (helicopters.kind, helicopters.citations.count()) == ("weak", 0)
    assert helicopters.text.startswith("No page that was read mentions \u201chelicopters\u201d")
