"""The demonstration: the sample documents in their own base, and questions, so that every page shows something.

Two are answered by what is set up. Three show what a large language model does, by replies of one that were recorded.
"""

import uuid
from collections.abc import Callable
from contextlib import ExitStack

from django.conf import settings
from django.core.files import File
from django.db import transaction

from accounts.models import User
from chat.asking import keep_question
from chat.models import Conversation, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.recordings import read_recording
from documents import access
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase, Role
from documents.taking import take_files
from llm.recordings.recorded import playing

BASE_NAME = "Demo"
DEMO_EMAIL = "demo@localhost"  # nobody can sign in as it: inactive, without a usable password
SAMPLES = ("outsourcing-agreement.pdf", "annual-report.pdf", "information-security-policy.md")
ABSENT_QUESTION = "Is there anything about earthquakes?"  # a not-found answer has a trail too
QUESTION = "What is the deductible amount?"
ASKED_OF = "outsourcing-agreement.pdf"
RECORDED_QUESTIONS = (
    "Does the equipment insurance cover loss or damage caused by earthquake?",
    "What happens if we exit early?",
    "On what date does the Provider begin to deliver the Services?",
)
# Fixed, so that loading twice asks once.
FORM_IDS = {
    ABSENT_QUESTION: uuid.UUID("0f7b7c1e-2a8b-4f0e-9a58-6c1b7c0b5d24"),
    QUESTION: uuid.UUID("5b0c1a52-6d0f-4f64-9d0e-3f9a7c1d2e11"),
    RECORDED_QUESTIONS[0]: uuid.UUID("8d3d6f0a-41f7-4a35-8f0c-0c6c8a4a9b01"),
    RECORDED_QUESTIONS[1]: uuid.UUID("8d3d6f0a-41f7-4a35-8f0c-0c6c8a4a9b02"),
    RECORDED_QUESTIONS[2]: uuid.UUID("8d3d6f0a-41f7-4a35-8f0c-0c6c8a4a9b03"),
}


def demo_user() -> User:
    """The system user that owns the demonstration until the first owner takes over."""
    user = User.objects.filter(email=DEMO_EMAIL).first()
    return user or User.objects.create_user(DEMO_EMAIL, None, name="Demonstration", is_active=False)


def load(user: User | None, tell: Callable[[str], None] = lambda words: None) -> Turn:
    """Load the samples into the base "Demo" and ask in this process; return the turn that found something.

    Loading twice changes nothing. The base belongs to `user`, or to nobody who can sign in until `hand_over`; what is
    loaded after that, if an owner comes in meanwhile, is given to them at the end. Every administrator of the site
    becomes an owner too. `tell` is told each step that is done.
    """
    holder = user or demo_user()
    base = demo_base(holder)
    share_demo_base(base)
    documents = []
    for name in SAMPLES:
        documents.append(ingest_path(settings.BASE_DIR / "samples" / name, base, holder))
        tell(f"{name} is read")
    asked = next(document for document in documents if document.file_name == ASKED_OF)
    with playing(read_recording()):
        for question in RECORDED_QUESTIONS:
            ask_once(holder, base, asked, question)
            tell(f"asked: {question}")
    for question in (ABSENT_QUESTION, QUESTION):
        turn = ask_once(holder, base, asked, question)
        tell(f"asked: {question}")
    owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if user is None and owner:
        give_base(base, owner)
    return turn


def take_samples(base: KnowledgeBase, holder: User) -> None:
    """Put the samples into the base with their reading ordered, so that its page has them before a worker loads them.

    What is refused, as where the disk is full, is left to `load`, which fails with the reason.
    """
    with ExitStack() as opened:
        paths = [settings.BASE_DIR / "samples" / name for name in SAMPLES]
        files = [File(opened.enter_context(path.open("rb")), name=path.name) for path in paths]
        take_files(base, holder, files)


def demo_base(holder: User) -> KnowledgeBase:
    known = (
        KnowledgeBase.objects.living().filter(name=BASE_NAME, created_by__email__in=[DEMO_EMAIL, holder.email]).first()
    )
    base = known or access.create_base(holder, BASE_NAME)
    access.set_role(base, holder, Role.OWNER)
    return base


def share_demo_base(base: KnowledgeBase) -> None:
    for owner in User.objects.filter(is_superuser=True, is_active=True):
        access.set_role(base, owner, Role.OWNER)


def ask_once(holder: User, base: KnowledgeBase, document: Document, question: str) -> Turn:
    """Ask as the holder, who may have handed the base over since the question before."""
    if not access.role_in(holder, base):
        access.set_role(base, holder, Role.OWNER)
    asked = Turn.objects.filter(conversation__base=base, question=question).first()
    turn = asked or keep_question(
        holder, QuestionScope(base, (document,)), question, "balanced", form_id=FORM_IDS[question]
    )
    answer_turn(turn.pk)
    turn.refresh_from_db()
    return turn


def hand_over(user: User) -> None:
    """Give the demonstration to the first owner; does nothing if it was not loaded."""
    base = KnowledgeBase.objects.living().filter(name=BASE_NAME, created_by__email=DEMO_EMAIL).first()
    if base:
        give_base(base, user)


def give_base(base: KnowledgeBase, user: User) -> None:
    """Make the base of the demonstration and its conversations a person's own."""
    with transaction.atomic():
        access.set_role(base, user, Role.OWNER, by=user)
        access.remove_member(base, demo_user(), by=user)
        Conversation.objects.filter(base=base, user__email=DEMO_EMAIL).update(user=user)
        KnowledgeBase.objects.filter(pk=base.pk).update(created_by=user)
