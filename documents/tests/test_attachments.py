"""PDFs that a document carries are taken in as documents of its base by one button, and linked to it."""

import hashlib
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from documents.ingestion import conductor
from documents.models import Document, IngestJob, Role
from documents.storage.attachments import attached_to, take_in
from documents.storage.uploads import accept_upload
from documents.tests.files import make_pdf, upload_of
from reading.tests.pdfs import carrying

pytestmark = pytest.mark.django_db

TERMS, ANNEX = make_pdf(1, note="terms"), make_pdf(1, note="annex")
FILES = {"terms.pdf": TERMS, "annex.pdf": ANNEX, "prices.csv": b"name;amount\n", "not-a-pdf.pdf": b"plain words"}
BUTTON = "Take attached PDFs in as documents"


@pytest.fixture
def carrier(queued: Callable[..., IngestJob]) -> Document:
    job = queued(carrying(FILES), "portfolio.pdf")
    conductor.ingest(job)
    return Document.objects.get(pk=job.document_id)


def page_of(client: Client, document: Document) -> str:
    return client.get(reverse("documents:document", args=[document.pk])).content.decode()


def test_what_is_attached_is_named_and_taken_in_by_one_button(signed_in: Client, carrier: Document) -> None:
    page = page_of(signed_in, carrier)
    assert BUTTON in page and all(name in page for name in FILES) and "Files are attached to this one" in page
    answer = signed_in.post(reverse("documents:attachments", args=[carrier.pk]), follow=True).content.decode()
    assert "2 attached files are documents of this base now" in answer
    taken = Document.objects.filter(carrier=carrier)
    assert {(each.file_name, each.sha256, each.base_id) for each in taken} == {
        (name, hashlib.sha256(content).hexdigest(), carrier.base_id)
        for name, content in (("terms.pdf", TERMS), ("annex.pdf", ANNEX))
    }
    assert all(each.jobs.filter(state=IngestJob.State.QUEUED).exists() for each in taken)
    for each in taken:
        conductor.ingest(each.jobs.get())
        assert f'href="{reverse("documents:document", args=[carrier.pk])}"' in page_of(signed_in, each)
        assert f'href="{reverse("documents:document", args=[each.pk])}"' in page_of(signed_in, carrier)
    again = signed_in.post(reverse("documents:attachments", args=[carrier.pk]), follow=True).content.decode()
    assert "There is no attached PDF that is not in this base already." in again
    assert Document.objects.filter(base=carrier.base).count() == 3


@pytest.mark.parametrize("role", [Role.VIEWER, Role.AUDITOR, "stranger"])
def test_who_may_not_upload_may_not_take_in(
    client: Client, carrier: Document, member: Callable[[str], User], role: str
) -> None:
    client.force_login(member(role))
    assert client.post(reverse("documents:attachments", args=[carrier.pk])).status_code == 404
    assert not Document.objects.filter(carrier=carrier).exists()
    assert role == "stranger" or BUTTON not in page_of(client, carrier)


def test_the_quota_of_the_day_holds_for_attached_files(carrier: Document, owner: User, settings: Settings) -> None:
    settings.QUOTA_FILES_DAY = 2  # one of them is the carrier
    taken = take_in(carrier, owner)
    assert len(taken.documents) == 1
    assert len(taken.refusals) == 1 and "as many as one person may in a day" in taken.refusals[0]


def test_a_file_the_base_has_already_stays_as_it_is(carrier: Document, owner: User) -> None:
    known = accept_upload(carrier.base, owner, upload_of(TERMS, "known.pdf"))
    assert [each.file_name for each in take_in(carrier, owner).documents] == ["annex.pdf"]
    known.refresh_from_db()
    assert known.carrier is None
    told = {each.name: each.document for each in attached_to(carrier, carrier.current_parse)}
    assert told["terms.pdf"] == known and told["prices.csv"] is None


def test_a_document_that_is_no_pdf_has_none(queued: Callable[..., IngestJob], owner: User) -> None:
    job = queued(b"# Notes\n\nSome words.\n", "notes.md")
    conductor.ingest(job)
    document = Document.objects.get(pk=job.document_id)
    assert take_in(document, owner) == ((), ()) and attached_to(document, document.current_parse) == []
