"""What is under a legal hold is not deleted for good, by nobody and by no schedule, until the hold is released."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from documents.access import create_base, delete_base
from documents.ingestion import trash
from documents.models import Document, KnowledgeBase
from ledger.holds import Held, place, release

pytestmark = pytest.mark.django_db
REASON = "Claim 2026-114 before the court"


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org", name="Olga")


@pytest.fixture
def document(owner: User) -> Document:
    """A document that has been in the trash for long."""
    base = create_base(owner, "Held")
    return Document.objects.create(
        base=base,
        title="Lease",
        file_name="lease.pdf",
        file="nowhere/lease",
        sha256="a" * 64,
        size_bytes=1,
        media_type="application/pdf",
        state=Document.State.READY,
        trashed_at=timezone.now() - timedelta(days=trash.KEPT_DAYS + 1),
    )


@pytest.mark.parametrize("subject", ["document:{0.pk}", "base:{0.base_id}"])
def test_neither_an_owner_nor_the_schedule_purges_it(document: Document, owner: User, subject: str) -> None:
    place(subject.format(document), "Olga", REASON)
    with pytest.raises(Held, match=REASON):
        trash.purge_document(document, owner)
    trash.purge_due()
    assert Document.objects.filter(pk=document.pk).exists()
    release(subject.format(document), "Olga", "The claim was settled")
    trash.purge_due()
    assert not Document.objects.filter(pk=document.pk).exists()


@pytest.mark.parametrize("subject", ["document:{0.pk}", "base:{0.base_id}", "base:{0.base_id}:user:7"])
def test_a_base_with_what_is_held_is_not_deleted(document: Document, owner: User, subject: str) -> None:
    """In a deleted base nobody could open a held document any more, or release it."""
    place(subject.format(document), "Olga", REASON)
    with pytest.raises(Held):
        delete_base(document.base, owner)
    assert KnowledgeBase.objects.get(pk=document.base_id).deleted_at is None
    release(subject.format(document), "Olga", "The claim was settled")
    delete_base(document.base, owner)
    assert KnowledgeBase.objects.get(pk=document.base_id).deleted_at is not None


def test_the_pages_say_why(document: Document, owner: User, client: Client) -> None:
    place(f"base:{document.base_id}", "Olga", REASON)
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    for address, data in (
        (f"/documents/{document.pk}/purge/", {}),
        (f"/bases/{document.base_id}/delete/", {"name": "Held"}),
    ):
        page = client.post(address, data, follow=True)
        assert page.status_code == 200
        assert REASON in page.content.decode()
    assert Document.objects.filter(pk=document.pk).exists()


def test_the_trash_marks_what_is_held_and_offers_no_deletion_of_it(
    document: Document, owner: User, client: Client
) -> None:
    free = Document.objects.get(pk=document.pk)
    free.pk, free.sha256, free.file = None, "b" * 64, "nowhere/free"
    free.save(force_insert=True)
    place(f"document:{document.pk}", "Olga", REASON)
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    page = client.get(f"/bases/{document.base_id}/trash/").content.decode()
    rows = {each.pk: page.split(f"/documents/{each.pk}/", 1)[1].split("</tr>")[0] for each in (document, free)}
    assert "under legal hold" in rows[document.pk] and "/purge/" not in rows[document.pk]
    assert "under legal hold" not in rows[free.pk] and "/purge/" in rows[free.pk]
    place(f"base:{document.base_id}", "Olga", REASON)
    page = client.get(f"/bases/{document.base_id}/trash/").content.decode()
    assert page.count("under legal hold") == 2 and "/purge/" not in page
