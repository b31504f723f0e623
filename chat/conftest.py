"""A base with one document that was really read, its people, and a scripted model on a real socket."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import User
from audit.conftest import house, make_answer, make_run
from chat.asking import keep_question
from chat.models import Turn
from chat.scope import QuestionScope
from documents import access
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase, Role
from llm.conftest import Serve, serve

# runs straight into the tables, where nothing has to be retrieved, and a model server
__all__ = ["Serve", "house", "make_answer", "make_run", "serve"]

LEASE_TEXT = """\
# Lease of the warehouse

## Parties

The landlord is Harbour Sheds Limited. The tenant is Northern Tools Limited.

## Rent

The rent is 12,500 euros a month and is due on the first working day. The tenant pays the rent by bank transfer.

## Deposit

The tenant pays a deposit of 25,000 euros before it moves in. The deposit is returned within thirty days.

## Termination

Either party may end the lease with six months' notice in writing. No notice is needed after a fire.

## Repairs

The landlord repairs the roof and the walls. The tenant repairs doors, gates and the loading ramp.
"""
RENT_QUESTION = "What is the rent a month?"
ABSENT_QUESTION = "Who holds the trademark of the logo?"

Ask = Callable[..., Turn]


@pytest.fixture
def tenant(transactional_db: None) -> User:
    return User.objects.create_user("tenant@example.org", "a long pass phrase", name="Tenant")


@pytest.fixture
def stranger(transactional_db: None) -> User:
    user = User.objects.create_user("stranger@example.org", "a long pass phrase", name="Stranger")
    access.create_base(user, "Elsewhere")
    return user


@pytest.fixture
def base(tenant: User) -> KnowledgeBase:
    base = access.create_base(tenant, "Leases")
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none"})
    base.refresh_from_db()
    return base


@pytest.fixture
def document(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "lease.md"
    path.write_text(LEASE_TEXT)
    document = ingest_path(path, base, tenant)
    assert document.state == Document.State.READY
    return document


@pytest.fixture
def viewer(base: KnowledgeBase, transactional_db: None) -> User:
    user = User.objects.create_user("viewer@example.org", "a long pass phrase", name="Viewer")
    access.set_role(base, user, Role.VIEWER)
    return user


@pytest.fixture
def ask(document: Document, tenant: User) -> Ask:
    """Keep a question of the lease, without answering it."""

    def keep(question: str = RENT_QUESTION, *, mode: str = "balanced", user: User | None = None) -> Turn:
        return keep_question(
            user or tenant, QuestionScope(document.base, (document,)), question, mode, form_id=uuid.uuid4()
        )

    return keep


@pytest.fixture(autouse=True)
def no_model(settings: Settings) -> None:
    settings.LLM_CONFIGURED, settings.LLM_BASE_URL, settings.LLM_API_KEY = False, "", ""
