"""People, a base, and uploads with a queued job."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from documents.access import create_base, set_role
from documents.models import IngestJob, KnowledgeBase
from documents.storage.uploads import accept_upload
from documents.tests.files import make_pdf, upload_of
from llm.conftest import serve

__all__ = ["serve"]  # a model server

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org", "quiet-harbour-91", name="Olu Owner")


@pytest.fixture
def base(owner: User) -> KnowledgeBase:
    return create_base(owner, "Suppliers")


@pytest.fixture
def member(base: KnowledgeBase) -> Callable[[str], User]:
    """A person with a role in the base, or without one ("stranger")."""

    def make(role: str) -> User:
        user = User.objects.create_user(f"{role}@example.org", "quiet-harbour-91")
        if role != "stranger":
            set_role(base, user, role)
        return user

    return make


@pytest.fixture
def signed_in(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def queued(base: KnowledgeBase, owner: User) -> Callable[..., IngestJob]:
    """The queued job of a fresh upload."""

    def make(content: bytes | None = None, name: str = "policy.pdf") -> IngestJob:
        document = accept_upload(base, owner, upload_of(make_pdf() if content is None else content, name))
        return document.jobs.get()

    return make
