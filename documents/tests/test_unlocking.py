"""The password of a locked PDF: asked for once, sealed on its way, used once, kept nowhere."""

import hashlib
import logging
import os
import uuid
from collections.abc import Callable
from functools import cache
from io import StringIO
from pathlib import Path
from unittest.mock import Mock, patch

import pymupdf
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.models import User
from documents.access import create_base
from documents.ingestion import conductor, orphans, page_images, trash, unlocking
from documents.ingestion.queueing import queue_again
from documents.models import Document, IngestJob, KnowledgeBase, Passage
from documents.storage import passwords
from documents.storage.uploads import accept_upload
from documents.tests.files import AES_256, upload_of
from ledger.models import Event
from reading.processes import starting

pytestmark = pytest.mark.django_db
PASSWORD = "  Offene Tür 7 "


@cache
def locked_with(password: str) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 90), "The notice period is ninety days.")
    content: bytes = document.tobytes(encryption=AES_256, user_pw=password, owner_pw="own")
    return content


@pytest.fixture
def locked(queued: Callable[..., IngestJob]) -> Document:
    job = queued(locked_with(PASSWORD), "locked.pdf")
    conductor.ingest(job)
    return job.document


def again(document: Document) -> tuple[Document, IngestJob]:
    """Do what a worker would; the document and its newest job."""
    job = document.jobs.first()
    assert job is not None
    conductor.ingest(job)
    job.refresh_from_db()
    return Document.objects.get(pk=document.pk), job


def post(client: Client, document: Document, password: str) -> str:
    address = reverse("documents:unlock", args=[document.pk])
    return client.post(address, {"password": password, "from": "document"}, follow=True).content.decode()


def page_of(client: Client, document: Document) -> str:
    return client.get(reverse("documents:document", args=[document.pk])).content.decode()


def test_a_locked_file_is_opened_with_its_password_and_keeps_its_digest(
    signed_in: Client, locked: Document, owner: User
) -> None:
    page = page_of(signed_in, locked)
    assert 'type="password"' in page and "is not kept" in page and "Try again" not in page
    post(signed_in, locked, PASSWORD)
    document, job = again(locked)
    assert job.reason_code == "" and document.current_parse is not None
    assert Passage.objects.get(parse=document.current_parse).text == "The notice period is ninety days."
    assert document.sha256 == hashlib.sha256(locked_with(PASSWORD)).hexdigest()
    assert hashlib.sha256(Path(document.file.path).read_bytes()).hexdigest() == locked.sha256
    with pymupdf.open(document.unlocked.path) as copy:
        assert not copy.needs_pass
    original = signed_in.get(reverse("documents:original", args=[document.pk])).content
    assert hashlib.sha256(original).hexdigest() == locked.sha256
    assert signed_in.get(reverse("documents:page_image", args=[document.pk, 1])).status_code == 200
    assert "a copy without it is kept" in page_of(signed_in, document)
    event = Event.objects.get(kind="unlocked")
    assert (event.actor, event.subject) == (str(owner), f"document:{document.pk}")
    assert again(queue_again(document).document)[1].reason_code == ""  # the copy is read, nobody is asked


def test_the_password_is_in_no_row_no_log_and_gone_once_it_is_taken(
    signed_in: Client, locked: Document, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with patch("reading.processes.sandbox.start_reader", side_effect=starting.start_reader) as started:
        post(signed_in, locked, PASSWORD)
        sealed = passwords.client().get(passwords.sealed_key(locked.pk))
        left_s = passwords.client().ttl(passwords.sealed_key(locked.pk))
        again(locked)
    assert isinstance(sealed, bytes) and PASSWORD.strip().encode() not in sealed
    assert isinstance(left_s, int) and 0 < left_s <= passwords.KEPT_S
    assert passwords.client().get(passwords.sealed_key(locked.pk)) is None and passwords.take(locked.pk) is None
    arguments = [call.args[0] for call in started.call_args_list]  # what everybody on the machine can read
    assert arguments and PASSWORD.strip() not in repr(arguments)
    rows = [*Document.objects.values(), *IngestJob.objects.values(), *Event.objects.values()]
    assert PASSWORD.strip() not in repr(rows) and PASSWORD.strip() not in caplog.text


def test_a_wrong_password_says_so_and_asks_again_until_it_is_too_often(signed_in: Client, locked: Document) -> None:
    post(signed_in, locked, PASSWORD.strip())  # spaces count
    document, job = again(locked)
    assert (job.reason_code, document.unlocked.name) == ("wrong_password", "")
    page = page_of(signed_in, document)
    assert "does not open it" in page and 'type="password"' in page
    misses = [
        IngestJob(
            document=document, state="failed", stage="check", reason_code="wrong_password", ended_at=timezone.now()
        )
        for _ in range(passwords.MISSES_MAX)
    ]
    IngestJob.objects.bulk_create(misses)
    assert "Too many passwords" in post(signed_in, document, PASSWORD)
    assert passwords.take(document.pk) is None
    IngestJob.objects.filter(pk__in=[miss.pk for miss in misses]).update(
        ended_at=timezone.now() - passwords.MISSES_WITHIN
    )
    post(signed_in, document, PASSWORD)
    assert again(document)[0].current_parse is not None


@pytest.mark.parametrize("password", ["", "x" * 257, "a\nb", "a\x00b", "\ud800"])
def test_what_is_no_password_is_not_handed_on(locked: Document, password: str) -> None:
    with pytest.raises(passwords.PasswordRefused):
        unlocking.unlock(locked, password)
    assert passwords.take(locked.pk) is None


def test_a_document_that_is_not_locked_waits_for_no_password(
    signed_in: Client, queued: Callable[..., IngestJob], locked: Document
) -> None:
    job = queued()
    assert "does not wait for a password" in post(signed_in, job.document, PASSWORD)
    conductor.ingest(job)
    assert "does not wait for a password" in post(signed_in, job.document, PASSWORD)
    trash.move_to_trash(locked)
    assert "does not wait for a password" in post(signed_in, locked, PASSWORD)
    assert passwords.take(job.document.pk) is None and passwords.take(locked.pk) is None


def test_a_password_opens_the_file_of_its_document_only(locked: Document) -> None:
    unlocking.unlock(locked, PASSWORD)
    other = uuid.uuid4()
    sealed = passwords.client().get(passwords.sealed_key(locked.pk))
    assert isinstance(sealed, bytes)
    passwords.client().set(passwords.sealed_key(other), sealed, ex=60)
    assert passwords.take(other) is None
    passwords.client().set(passwords.sealed_key(locked.pk), b"not sealed by us", ex=60)
    assert passwords.take(locked.pk) is None


def test_who_has_the_locked_file_without_its_password_sees_nothing_of_it(
    locked: Document, signed_in: Client, member: Callable[[str], User], client: Client
) -> None:
    unlocking.unlock(locked, PASSWORD)
    document, _ = again(locked)
    page_images.make_page_image(document, 1)
    stranger = member("stranger")
    theirs = accept_upload(create_base(stranger, "Other"), stranger, upload_of(Path(document.file.path).read_bytes()))
    conductor.ingest(theirs.jobs.get())
    client.force_login(stranger)
    assert theirs.sha256 == document.sha256
    assert client.get(reverse("documents:page_image", args=[theirs.pk, 1])).status_code == 404
    assert client.get(reverse("documents:thumbnail", args=[theirs.pk])).status_code == 404


def test_readers_are_not_asked_for_a_password(locked: Document, member: Callable[[str], User], client: Client) -> None:
    client.force_login(member("viewer"))
    assert 'type="password"' not in page_of(client, locked)


def test_the_copy_goes_with_its_document(
    locked: Document, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    unlocking.unlock(locked, PASSWORD)
    document, _ = again(locked)
    page_images.make_page_image(document, 1)
    copy, images = Path(document.unlocked.path), page_images.folder_of(document.unlocked_sha256)
    for path in (copy, images):
        os.utime(path, (0, 0))
    orphans.remove_orphans()
    assert copy.exists() and images.exists()
    trash.move_to_trash(document)
    with django_capture_on_commit_callbacks(execute=True):
        trash.purge_document(document)
    assert not copy.exists() and not images.exists()


def test_the_api_takes_a_password(signed_in: Client, locked: Document) -> None:
    address = f"/api/v1/documents/{locked.pk}/unlock"
    told = signed_in.get(f"/api/v1/documents/{locked.pk}").json()
    assert told["situation"]["asks_password"] is True

    def send(**body: object) -> int:
        return signed_in.post(address, body, content_type="application/json").status_code

    assert send() == send(password="") == send(password=7) == send(password="x", more=1) == 400
    assert send(password="wrong") == 202
    assert again(locked)[1].reason_code == "wrong_password"
    IngestJob.objects.bulk_create(
        IngestJob(document=locked, state="failed", reason_code="wrong_password", ended_at=timezone.now())
        for _ in range(passwords.MISSES_MAX)
    )
    assert send(password=PASSWORD) == 429
    IngestJob.objects.filter(document=locked).update(ended_at=timezone.now() - passwords.MISSES_WITHIN)
    assert send(password=PASSWORD) == 202
    assert again(locked)[0].current_parse is not None
    assert send(password=PASSWORD) == 409


def ingest(path: Path, **options: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("ingest", str(path), base="Suppliers", stdout=out, stderr=err, **options)
    except CommandError as error:
        err.write(str(error))
    return out.getvalue(), err.getvalue()


def test_ingest_takes_a_password_from_a_descriptor_and_never_from_its_arguments(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked_with(PASSWORD))
    assert "locked with a password" in ingest(path)[1]
    reading, writing = os.pipe()
    os.write(writing, f"{PASSWORD}\n".encode())
    os.close(writing)
    assert "1 of 1 files are in Suppliers" in ingest(path, password_fd=reading)[0]
    assert "file descriptor 999" in ingest(path, password_fd=999)[1]


def test_ingest_asks_a_person_without_showing_what_is_typed(base: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked_with(PASSWORD))
    module = "documents.management.commands.ingest"
    typed = iter(["wrong", PASSWORD])
    asking = patch(f"{module}.getpass", side_effect=lambda prompt: next(typed))
    with patch(f"{module}.sys.stdin", Mock(isatty=lambda: True)), asking as asked:
        ingest(path)
    assert asked.call_count == 2 and base.documents.get().current_parse is not None
