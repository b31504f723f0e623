"""What is taken and what is refused, by content and size, and what becomes of names and duplicates."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from documents.access import create_base
from documents.ingestion import trash
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage.uploads import (
    DuplicateDocument,
    QuotaReached,
    UploadRefused,
    accept_upload,
    clean_file_name,
    has_readable_suffix,
    quota_renewed_in_s,
)
from documents.taking import take_files
from documents.tests.files import make_pdf, upload_of

pytestmark = pytest.mark.django_db

PDF_BYTES = make_pdf()


def test_it_keeps_the_file_and_queues_a_job(base: KnowledgeBase, owner: User) -> None:
    document = accept_upload(base, owner, upload_of(PDF_BYTES, "Supplier policy.pdf"))
    assert (document.title, document.file_name, document.state) == ("Supplier policy", "Supplier policy.pdf", "waiting")
    assert document.sha256 == hashlib.sha256(PDF_BYTES).hexdigest()
    assert Path(document.file.path).read_bytes() == PDF_BYTES
    assert document.jobs.get().state == IngestJob.State.QUEUED


def test_it_stores_under_a_name_of_its_own(base: KnowledgeBase, owner: User) -> None:
    """U7."""
    document = accept_upload(base, owner, upload_of(PDF_BYTES, "../../etc/passwd.pdf"))
    assert document.file.name == f"{base.pk}/{document.pk}"
    assert document.file_name == "passwd.pdf"


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("policy.pdf", PDF_BYTES, "application/pdf"),
        ("policy", PDF_BYTES, "application/pdf"),
        ("POLICY.PDF", PDF_BYTES, "application/pdf"),
        ("policy.md", PDF_BYTES, "application/pdf"),
        ("junk first.pdf", b"x" * 900 + PDF_BYTES, "application/pdf"),
        ("notes.md", "# Überschrift\n\ntext".encode(), "text/markdown"),
        ("notes.MARKDOWN", b"\xef\xbb\xbf# with a mark", "text/markdown"),
        ("about pdf.md", b"a PDF begins with %PDF-1.7", "text/markdown"),
        ("notes.txt", b"plain", "text/plain"),
    ],
)
def test_it_tells_the_type_by_content(
    base: KnowledgeBase, owner: User, name: str, content: bytes, media_type: str
) -> None:
    assert accept_upload(base, owner, upload_of(content, name)).media_type == media_type


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.pdf", b"", "empty_file"),
        ("page.pdf", b"<!doctype html><html><p>not a PDF</p></html>", "not_pdf"),
        ("image.pdf", b"\x89PNG\r\n\x1a\n" + b"\x00" * 100, "not_pdf"),
        ("book.pdf", b"PK\x03\x04mimetypeapplication/epub+zip", "not_pdf"),
        ("drawing.pdf", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not_pdf"),
        ("junk.pdf", b"x" * 1500 + PDF_BYTES, "not_pdf"),
        ("letter.docx", b"PK\x03\x04word/document.xml", "not_supported"),
        ("page.html", b"<p>text</p>", "not_supported"),
        ("no name", b"text", "not_supported"),
        ("nul.txt", b"a\x00b", "not_text"),
        ("latin.md", "Gebühr".encode("latin-1"), "not_text"),
        ("cut.md", "Gebühr ü".encode()[:-1], "not_text"),
        ("utf16.txt", "text".encode("utf-16"), "not_text"),
    ],
)
def test_it_refuses_and_says_why(base: KnowledgeBase, owner: User, name: str, content: bytes, code: str) -> None:
    with pytest.raises(UploadRefused) as refusal:
        accept_upload(base, owner, upload_of(content, name))
    assert refusal.value.code == code
    assert refusal.value.message.endswith(".")
    assert not Document.objects.exists()


def test_it_names_the_limit_of_a_file_that_is_too_large(base: KnowledgeBase, owner: User, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1_000_000
    with pytest.raises(UploadRefused, match="larger than 1 MB"):
        accept_upload(base, owner, upload_of(b"%PDF-" + b"x" * 1_000_000))


def test_it_counts_what_arrives_and_not_what_was_announced(base: KnowledgeBase, owner: User, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1_000
    file = upload_of(b"%PDF-" + b"x" * 2_000)
    file.size = 10
    with pytest.raises(UploadRefused) as refusal:
        accept_upload(base, owner, file)
    assert refusal.value.code == "too_large"


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("policy.pdf", "policy.pdf"),
        ("../../x.pdf", "x.pdf"),
        ("C:\\temp\\x.pdf", "x.pdf"),
        ("x.pdf\x00.html", "x.pdf.html"),
        ("a\nb\x1b[31m.pdf", "ab[31m.pdf"),
        ("exe.\u202efdp", "exe.fdp"),
        ("cafe\u0301.pdf", "caf\u00e9.pdf"),
        ("lone\udced.pdf", "lone.pdf"),
        ("", "unnamed"),
        ("/", "unnamed"),
        ('say "hi"; x.pdf', 'say "hi"; x.pdf'),
    ],
)
def test_it_cleans_names(name: str, cleaned: str) -> None:
    assert clean_file_name(name) == cleaned


def test_it_shortens_a_long_name_but_keeps_its_ending() -> None:
    name = clean_file_name("ü" * 300 + ".pdf")
    assert len(name.encode()) <= 255
    assert name.endswith("ü.pdf")


def test_it_links_a_duplicate_of_the_same_base(base: KnowledgeBase, owner: User) -> None:
    first = accept_upload(base, owner, upload_of(PDF_BYTES))
    with pytest.raises(DuplicateDocument) as duplicate:
        accept_upload(base, owner, upload_of(PDF_BYTES, "other name.pdf"))
    assert duplicate.value.document == first
    assert IngestJob.objects.count() == 1


def test_it_says_nothing_of_other_bases(base: KnowledgeBase, owner: User) -> None:
    accept_upload(create_base(owner, "Elsewhere"), owner, upload_of(PDF_BYTES))
    assert accept_upload(base, owner, upload_of(PDF_BYTES)).base == base


def test_it_takes_a_file_again_whose_copy_is_in_the_trash(base: KnowledgeBase, owner: User) -> None:
    first = accept_upload(base, owner, upload_of(PDF_BYTES))
    Document.objects.update(trashed_at=first.created_at)
    assert accept_upload(base, owner, upload_of(PDF_BYTES)) != first


def test_it_takes_other_bytes_of_the_same_name(base: KnowledgeBase, owner: User) -> None:
    accept_upload(base, owner, upload_of(PDF_BYTES))
    accept_upload(base, owner, upload_of(make_pdf(note="second edition")))
    assert Document.objects.count() == 2


def test_it_judges_each_file_by_itself(base: KnowledgeBase, owner: User) -> None:
    files = [upload_of(PDF_BYTES), upload_of(b"", "empty.pdf"), upload_of(b"# A", "a.md"), upload_of(PDF_BYTES)]
    outcomes = take_files(base, owner, files)
    assert [one.code for one in outcomes] == ["accepted", "empty_file", "accepted", "duplicate"]


@pytest.mark.django_db(transaction=True)
def test_it_makes_one_document_of_the_same_bytes_at_once(base: KnowledgeBase, owner: User, settings: Any) -> None:
    together = Barrier(4, timeout=60)
    told: list[str] = []

    def send() -> None:
        together.wait()
        try:
            accept_upload(base, owner, upload_of(PDF_BYTES))
            told.append("accepted")
        except DuplicateDocument:
            told.append("duplicate")
        finally:
            connection.close()

    senders = [Thread(target=send) for _ in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert sorted(told) == ["accepted", "duplicate", "duplicate", "duplicate"]
    document = Document.objects.get()
    assert [path.name for path in (settings.MEDIA_ROOT / str(base.pk)).iterdir()] == [str(document.pk)]


@pytest.mark.django_db(transaction=True)
def test_the_same_bytes_come_and_go_at_once_and_are_there_at_most_once(base: KnowledgeBase, owner: User) -> None:
    together = Barrier(4, timeout=60)

    def send() -> None:
        accept_upload(base, owner, upload_of(PDF_BYTES))

    def throw_away() -> None:
        for document in base.documents.living():
            trash.move_to_trash(document, owner)

    def put_back() -> None:
        for document in base.documents.exclude(trashed_at=None)[:1]:
            trash.restore_document(document, owner)

    def often(act: Callable[[], None]) -> None:
        together.wait()
        try:
            for _ in range(15):
                with suppress(DuplicateDocument, trash.CopyExists):
                    act()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        for done in [people.submit(often, act) for act in (send, send, throw_away, put_back)]:
            done.result()
    assert base.documents.living().count() <= 1
    assert all(Path(document.file.path).exists() for document in base.documents.all())


def test_it_knows_what_of_a_folder_to_try() -> None:
    names = ["a.pdf", "b.MD", "c.txt", "d.docx", ".DS_Store"]
    assert [name for name in names if has_readable_suffix(name)] == ["a.pdf", "b.MD", "c.txt"]


# ---- quotas of a person (U12)


@pytest.mark.django_db(transaction=True)
def test_uploads_at_once_are_not_more_than_the_quota(base: KnowledgeBase, owner: User, settings: Settings) -> None:
    """U12."""
    settings.QUOTA_FILES_DAY = 5
    at_once = 20
    together, refused = Barrier(at_once, timeout=60), []

    def send(number: int) -> None:
        together.wait()
        try:
            accept_upload(base, owner, upload_of(f"# Page {number}".encode(), f"{number}.md"))
        except QuotaReached as refusal:
            refused.append(refusal.message)
        finally:
            connection.close()

    with ThreadPoolExecutor(at_once) as people:
        list(people.map(send, range(at_once)))
    assert (base.documents.count(), IngestJob.objects.count(), len(refused)) == (5, 5, 15)
    assert all(words.startswith("You have uploaded 5 files today, as many as one person may") for words in refused)
    kept = {document.file.path for document in base.documents.all()}
    assert {str(path) for path in Path(settings.MEDIA_ROOT, str(base.pk)).iterdir()} == kept


def test_a_quota_is_of_one_person_and_one_day(base: KnowledgeBase, owner: User, settings: Settings) -> None:
    settings.QUOTA_FILES_DAY = 1
    first = accept_upload(base, owner, upload_of(b"# One", "one.md"))
    with pytest.raises(DuplicateDocument):
        accept_upload(base, owner, upload_of(b"# One", "one.md"))
    with pytest.raises(QuotaReached):
        accept_upload(base, owner, upload_of(b"# Two", "two.md"))
    trash.move_to_trash(first, owner)
    with pytest.raises(QuotaReached):
        accept_upload(base, owner, upload_of(b"# Two", "two.md"))
    for whose in (User.objects.create_user("other@example.org", "quiet-harbour-91"), None):
        assert accept_upload(base, whose, upload_of(f"# By {whose}".encode(), "by.md"))
    assert 0 < quota_renewed_in_s() <= 24 * 3600
    Document.objects.filter(pk=first.pk).update(created_at=first.created_at - timedelta(days=1))
    assert accept_upload(base, owner, upload_of(b"# Two", "two.md"))


def test_a_quota_of_bytes_is_never_passed(base: KnowledgeBase, owner: User, settings: Settings) -> None:
    settings.QUOTA_BYTES_DAY = 2_000_000
    assert accept_upload(base, owner, upload_of(b"a" * 1_500_000, "a.md"))
    with pytest.raises(QuotaReached, match="more than 2 MB today"):
        accept_upload(base, owner, upload_of(b"b" * 500_001, "b.md"))
    assert accept_upload(base, owner, upload_of(b"c" * 500_000, "c.md"))


def test_beyond_the_quota_pages_and_programs_are_told_with_429(
    base: KnowledgeBase, owner: User, signed_in: Client, settings: Settings
) -> None:
    settings.QUOTA_FILES_DAY = 1
    accept_upload(base, owner, upload_of(b"# One", "one.md"))
    page, api = f"/bases/{base.pk}/upload/", f"/api/v1/bases/{base.pk}/documents"
    for path, accept in ((page, "application/json"), (page, "text/html"), (api, "application/json")):
        answer = signed_in.post(path, {"files": upload_of(b"# Two", "two.md")}, headers={"Accept": accept})
        assert answer.status_code == 429 and 0 < int(answer.headers["Retry-After"]) <= 24 * 3600
        assert "You have uploaded 1 files today" in answer.content.decode()
        if accept == "application/json":
            told = answer.json()
            assert (told["code"] if path == api else told["outcomes"][0]["code"]) == "quota"
    assert base.documents.count() == 1
    newer = f"/documents/{base.documents.get().pk}/replace/"
    replaced = signed_in.post(newer, {"files": upload_of(b"# Two", "two.md")}, follow=True)
    assert "You have uploaded 1 files today" in replaced.content.decode()
    assert base.documents.count() == 1
