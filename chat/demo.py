"""The demonstration: the sample documents in a base of their own, with one question asked, so that every page has something."""

import uuid

from django.conf import settings
from django.db import transaction

from accounts.models import User
from chat.answering import answer_turn
from chat.asking import keep_question
from chat.models import Conversation, Turn
from chat.scope import Scope
from documents import access
from documents.ingestion import ingest_path
from documents.models import Document, KnowledgeBase, Role

BASE_NAME = "Demo"
DEMO_EMAIL = "demo@localhost"  # nobody can sign in as it: inactive, and without a usable password
SAMPLES = ("outsourcing-agreement.pdf", "annual-report.pdf", "information-security-policy.md")
QUESTION = "What is the deductible amount?"
ASKED_OF = "outsourcing-agreement.pdf"
FORM_ID = uuid.UUID("5b0c1a52-6d0f-4f64-9d0e-3f9a7c1d2e11")  # fixed, so that loading twice asks once


def demo_user() -> User:
    """The system user that holds the demonstration until the first owner takes it over."""
    user = User.objects.filter(email=DEMO_EMAIL).first()
    return user or User.objects.create_user(DEMO_EMAIL, None, name="Demonstration", is_active=False)


def load(user: User | None) -> Turn:
    """Load the samples into the base "Demo" and ask one question, here and without a worker. Loading twice changes nothing.

    The base belongs to `user`, or to nobody who can sign in until `hand_over`; everybody who administers the site
    becomes an owner too.
    """
    holder = user or demo_user()
    base = demo_base(holder)
    share(base)
    documents = [ingest_path(settings.BASE_DIR / "samples" / name, base, holder) for name in SAMPLES]
    asked = next(document for document in documents if document.file_name == ASKED_OF)
    return ask_once(holder, base, asked)


def demo_base(holder: User) -> KnowledgeBase:
    known = (
        KnowledgeBase.objects.living().filter(name=BASE_NAME, created_by__email__in=[DEMO_EMAIL, holder.email]).first()
    )
    base = known or access.create_base(holder, BASE_NAME)
    access.set_role(base, holder, Role.OWNER)
    return base


def share(base: KnowledgeBase) -> None:
    for owner in User.objects.filter(is_superuser=True, is_active=True):
        access.set_role(base, owner, Role.OWNER)


def ask_once(holder: User, base: KnowledgeBase, document: Document) -> Turn:
    asked = Turn.objects.filter(conversation__base=base, question=QUESTION).first()
    turn = asked or keep_question(holder, Scope(base, (document,)), QUESTION, "balanced", form_id=FORM_ID)
    answer_turn(turn.pk)
    turn.refresh_from_db()
    return turn


def hand_over(user: User) -> None:
    """Give the demonstration to the first owner; nothing happens when it was not loaded."""
    base = KnowledgeBase.objects.living().filter(name=BASE_NAME, created_by__email=DEMO_EMAIL).first()
    if base is None:
        return
    with transaction.atomic():
        access.set_role(base, user, Role.OWNER)
        access.remove_member(base, demo_user())
        Conversation.objects.filter(base=base, user__email=DEMO_EMAIL).update(user=user)
        KnowledgeBase.objects.filter(pk=base.pk).update(created_by=user)
