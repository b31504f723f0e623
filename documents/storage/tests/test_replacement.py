"""A newer file in place of a document: the old one answers until the new one is read, and its pages stay for trails."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from documents.access import delete_base
from documents.ingestion import conductor, tasks, trash
from documents.models import Document, IngestJob, KnowledgeBase
from documents.naming import rename_document
from documents.storage.replacement import newest, replace, versions_of
from documents.storage.uploads import UploadRefused
from documents.tests.files import make_locked_pdf, make_pdf, upload_of
from ledger.models import Event

pytestmark = pytest.mark.django_db

Queued = Callable[..., IngestJob]


@pytest.fixture
def first(queued: Queued, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> Document:
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    base.settings = {"embeddings": "none"}
    base.save()
    job = queued()
    conductor.ingest(job)
    Document.objects.filter(pk=job.document_id).update(tags=["supplier"])
    return Document.objects.get(pk=job.document_id)


def newer_than(document: Document, user: User, note: str, *, is_read: bool = True) -> Document:
    newer = replace(document, user, upload_of(make_pdf(note=note), "policy-2.pdf"))
    if is_read:
        conductor.ingest(newer.jobs.get())
    return Document.objects.get(pk=newer.pk)


def answering(base: KnowledgeBase) -> list[Document]:
    return list(Document.objects.filter(base=base).answering())


def test_the_old_version_answers_until_the_new_one_is_read(first: Document, owner: User) -> None:
    second = newer_than(first, owner, "two", is_read=False)
    assert answering(first.base) == [first]
    conductor.ingest(second.jobs.get())
    second.refresh_from_db()
    first.refresh_from_db()
    assert answering(first.base) == [second]
    assert first.current_parse is not None, "its pages stay for the trails that cite them"
    assert second.tags == ["supplier"]
    assert Event.objects.get(kind="replaced").subject == f"document:{first.pk}"


def test_a_replaced_version_shows_the_way_to_the_one_that_answers(
    first: Document, owner: User, signed_in: Client
) -> None:
    page = signed_in.get(reverse("documents:document", args=[first.pk])).content.decode()
    assert "This version was replaced" not in page and f"?document={first.pk}" in page
    assert 'class="doc-state"' in page
    second = newer_than(first, owner, "two")
    third = newer_than(second, owner, "three")
    page = signed_in.get(reverse("documents:document", args=[first.pk])).content.decode()
    newest_url = reverse("documents:newest", args=[first.pk])
    assert "This version was replaced" in page and newest_url in page
    assert 'class="doc-state"' not in page and re.search(r's-warn">.*?Replaced\s*</span>', page, re.DOTALL)
    assert "Ask the newer version" in page and f"?document={third.pk}" in page and f"?document={first.pk}" not in page
    for version in (first, second, third):
        moved = signed_in.get(reverse("documents:newest", args=[version.pk]), {"quote": "a  b"})
        assert moved.headers["Location"] == reverse("documents:document", args=[third.pk]) + "?quote=a+b"
    page = signed_in.get(reverse("documents:document", args=[third.pk])).content.decode()
    assert "This version was replaced" not in page and "Ask the newer version" not in page
    Document.objects.filter(pk__in=[second.pk, third.pk]).update(trashed_at=timezone.now())
    page = signed_in.get(reverse("documents:document", args=[first.pk])).content.decode()
    assert "The newer version is not there any more." in page and "?document=" not in page


def test_a_name_a_person_gave_stays_with_the_newer_version(first: Document, owner: User) -> None:
    second = newer_than(first, owner, "two")
    assert second.title == first.title and not second.is_title_given, "what it prints"
    rename_document(second, "Our policy", owner)
    third = newer_than(Document.objects.get(pk=second.pk), owner, "three", is_read=False)
    assert third.title == "Our policy", "before it is read as well"
    conductor.ingest(third.jobs.get())
    third.refresh_from_db()
    assert third.title == "Our policy" and third.is_title_given


def test_versions_form_a_chain(first: Document, owner: User) -> None:
    second = newer_than(first, owner, "two")
    third = newer_than(second, owner, "three")
    assert all(versions_of(document) == [first, second, third] for document in (first, second, third))
    assert newest([first.pk, str(second.pk), third.pk]) == [third.pk] * 3


def test_only_the_newest_version_is_replaced(first: Document, owner: User) -> None:
    newer_than(first, owner, "two", is_read=False)
    with pytest.raises(UploadRefused, match="being read already"):
        newer_than(first, owner, "another")
    conductor.ingest(IngestJob.objects.get(state="queued", stage="check"))
    with pytest.raises(UploadRefused, match="not the current version"):
        newer_than(first, owner, "another")
    assert Document.objects.count() == 2


def test_a_version_that_cannot_be_read_leaves_the_old_one_and_gives_way(first: Document, owner: User) -> None:
    broken = replace(first, owner, upload_of(make_locked_pdf(), "locked.pdf"))
    conductor.ingest(broken.jobs.get())
    broken.refresh_from_db()
    assert (broken.state, answering(first.base)) == ("failed", [first])
    second = newer_than(first, owner, "two")
    broken.refresh_from_db()
    assert broken.trashed_at
    assert answering(first.base) == [second]


def test_the_same_bytes_are_no_new_version_but_an_earlier_one_may_come_back(first: Document, owner: User) -> None:
    with pytest.raises(UploadRefused, match="already"):
        replace(first, owner, upload_of(make_pdf(), "again.pdf"))
    second = newer_than(first, owner, "two")
    third = replace(second, owner, upload_of(make_pdf(), "policy.pdf"))
    conductor.ingest(third.jobs.get())
    assert [document.pk for document in answering(first.base)] == [third.pk]


def test_older_versions_go_to_the_trash_and_away_with_the_newest(first: Document, owner: User) -> None:
    second = newer_than(first, owner, "two")
    trash.move_to_trash(second, owner)
    assert not Document.objects.filter(trashed_at=None).exists()
    trash.restore_document(second, owner)
    assert Document.objects.filter(trashed_at=None).count() == 2
    assert answering(first.base) == [second]
    trash.move_to_trash(second, owner)
    assert trash.purge_document(second, owner)
    assert not Document.objects.exists()


def test_a_deleted_base_takes_every_version_along(first: Document, owner: User) -> None:
    newer_than(first, owner, "two")
    delete_base(first.base, owner)
    trash.purge_due()
    assert not Document.objects.exists()


def test_it_replaces_by_the_form(signed_in: Client, first: Document) -> None:
    address = reverse("documents:replace", args=[first.pk])
    response = signed_in.post(address, {"files": upload_of(make_pdf(note="two"), "policy-2.pdf")}, follow=True)
    second = Document.objects.get(replaces=first)
    assert response.redirect_chain[-1][0] == reverse("documents:document", args=[second.pk])
    conductor.ingest(second.jobs.get())
    shown = signed_in.get(reverse("documents:document", args=[second.pk])).content.decode()
    assert reverse("documents:document", args=[first.pk]) in shown
    listed = signed_in.get(reverse("documents:base", args=[first.base_id])).content.decode()
    assert f"document-{second.pk}" in listed
    assert f"document-{first.pk}" not in listed


@pytest.mark.parametrize("files", [{}, {"files": upload_of(b"<html></html>", "page.pdf")}])
def test_it_says_what_is_wrong_with_a_replacement(signed_in: Client, first: Document, files: dict[str, object]) -> None:
    response = signed_in.post(reverse("documents:replace", args=[first.pk]), files, follow=True)
    assert b'class="note error"' in response.content
    assert Document.objects.count() == 1


def test_a_replaced_document_stays_out_of_the_trash_list(signed_in: Client, first: Document) -> None:
    Document.objects.filter(pk=first.pk).update(replaced_at=timezone.now(), trashed_at=timezone.now())
    assert b"The trash is empty" in signed_in.get(reverse("documents:trashed", args=[first.base_id])).content
