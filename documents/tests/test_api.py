"""Bases and documents for programs: the same gates and the same bytes as on the pages."""

import io
import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pandas as pd
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from documents.ingestion import conductor, tasks
from documents.models import Document, IdempotencyKey, IngestJob, KnowledgeBase, Line, Passage, TocEntry
from documents.tests.files import make_locked_pdf, make_pdf, upload_of
from ledger.models import Event

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]
Queued = Callable[..., IngestJob]
TABLES: dict[str, Any] = {"lines": Line, "toc": TocEntry, "passages": Passage}


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    woken: list[Any] = []
    monkeypatch.setattr(tasks, "wake", lambda job: woken.append(job.pk))
    return woken


@pytest.fixture
def document(base: KnowledgeBase, queued: Queued) -> Document:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none"})
    base.refresh_from_db()
    job = queued()
    conductor.ingest(job)
    return job.document


def send(client: Client, method: str, address: str, body: Any) -> Any:
    return client.generic(method, f"/api/v1/{address}", json.dumps(body), "application/json")


def upload(client: Client, base: KnowledgeBase, *files: SimpleUploadedFile) -> Any:
    return client.post(f"/api/v1/bases/{base.pk}/documents", {"files": list(files)})


# ---- bases


def test_it_makes_a_base_and_lists_those_of_the_caller(signed_in: Client, base: KnowledgeBase, member: Member) -> None:
    made = send(signed_in, "POST", "bases", {"name": "  Leases "})
    assert (made.status_code, made.json()["name"], made.json()["role"]) == (201, "Leases", "owner")
    listed = signed_in.get("/api/v1/bases").json()["results"]
    assert [one["name"] for one in listed] == ["Leases", "Suppliers"]
    client = Client()
    client.force_login(member("auditor"))
    assert [(one["name"], one["role"]) for one in client.get("/api/v1/bases").json()["results"]] == [
        ("Suppliers", "auditor")
    ]


def test_it_renames_a_document_and_records_it(signed_in: Client, document: Document) -> None:
    document.refresh_from_db()
    before = document.title
    changed = send(signed_in, "PATCH", f"documents/{document.pk}", {"title": "  Lease of \u202e the hall "})
    assert (changed.status_code, changed.json()["title"]) == (200, "Lease of the hall")
    document.refresh_from_db()
    assert document.is_title_given
    send(signed_in, "PATCH", f"documents/{document.pk}", {"title": "Lease of the hall"})  # nothing to record
    [event] = Event.objects.filter(kind="renamed")
    assert (event.subject, event.details) == (
        f"document:{document.pk}",
        {"base": str(document.base_id), "title": [before, "Lease of the hall"]},
    )


@pytest.mark.parametrize(
    "body", [{}, {"title": " "}, {"title": "\u202e"}, {"title": 3}, {"title": "x" * 301}, {"tags": []}]
)
def test_a_document_is_not_renamed_to_nothing(signed_in: Client, document: Document, body: dict[str, Any]) -> None:
    refused = send(signed_in, "PATCH", f"documents/{document.pk}", body)
    assert refused.status_code == 400
    assert {fault["field"] for fault in refused.json()["errors"]} & {"title", "tags"}
    assert not Document.objects.get(pk=document.pk).is_title_given


def test_it_changes_a_base_and_records_it(signed_in: Client, base: KnowledgeBase) -> None:
    changed = send(signed_in, "PATCH", f"bases/{base.pk}", {"settings": {"passages_max": 5}})
    assert changed.status_code == 200
    assert (changed.json()["settings"]["passages_max"], changed.json()["name"]) == (5, "Suppliers")
    assert send(signed_in, "PATCH", f"bases/{base.pk}", {"name": "Vendors"}).json()["name"] == "Vendors"
    assert [event.details for event in Event.objects.filter(kind="settings_changed").order_by("created_at")] == [
        {"passages_max": [8, 5]},
        {"name": ["Suppliers", "Vendors"]},
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"name": 965}, "name"),
        ({"settings": {"passages_max": 99}}, "settings.passages_max"),
        ({"settings": {"chunking": "words"}}, "settings.chunking"),
        ({"settings": 5}, "settings"),
    ],
)
def test_it_names_a_wrong_value(signed_in: Client, base: KnowledgeBase, body: Any, field: str) -> None:
    refused = send(signed_in, "PATCH", f"bases/{base.pk}", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)


def test_settings_that_do_not_fit_together_are_refused(signed_in: Client, base: KnowledgeBase) -> None:
    refused = send(signed_in, "PATCH", f"bases/{base.pk}", {"settings": {"chunk_size": 200, "chunk_overlap": 500}})
    assert (refused.status_code, refused.json()["code"]) == (400, "settings")


# ---- upload and state


def test_it_takes_files_each_by_itself(
    signed_in: Client, base: KnowledgeBase, woken: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        taken = upload(
            signed_in, base, upload_of(make_pdf()), upload_of(b"", "empty.pdf"), upload_of(make_pdf(), "2.pdf")
        )
    outcomes = taken.json()["outcomes"]
    assert taken.status_code == 201
    assert [outcome["code"] for outcome in outcomes] == ["accepted", "empty_file", "duplicate"]
    [document] = Document.objects.all()
    assert outcomes[0]["document_id"] == outcomes[2]["document_id"] == str(document.pk)
    assert len(woken) == 1


def test_an_upload_that_is_sent_again_with_its_key_is_answered_as_the_first_time(
    signed_in: Client, base: KnowledgeBase
) -> None:
    address, key = f"/api/v1/bases/{base.pk}/documents", {"Idempotency-Key": str(uuid.uuid4())}

    def send_again(*files: SimpleUploadedFile) -> Any:
        return signed_in.post(address, {"files": list(files)}, headers=key)

    first = send_again(upload_of(make_pdf()), upload_of(b"", "empty.pdf"))
    assert first.status_code == 201
    Document.objects.update(trashed_at=timezone.now())
    again = send_again(upload_of(make_pdf()), upload_of(b"", "empty.pdf"))
    assert (again.status_code, again.json()) == (201, first.json())
    for files in ([upload_of(make_pdf())], [upload_of(make_pdf(note="other")), upload_of(b"", "empty.pdf")]):
        refused = send_again(*files)
        assert (refused.status_code, refused.json()["code"]) == (422, "key_reused")
    assert Document.objects.count() == 1
    assert (
        signed_in.post(address, {"files": [upload_of(make_pdf())]}, headers={"Idempotency-Key": "1"}).status_code == 400
    )


def test_a_refused_upload_may_be_mended_and_sent_with_its_key(signed_in: Client, base: KnowledgeBase) -> None:
    address, key = f"/api/v1/bases/{base.pk}/documents", {"Idempotency-Key": str(uuid.uuid4())}
    assert signed_in.post(address, {"files": [upload_of(b"", "empty.pdf")]}, headers=key).status_code == 400
    assert signed_in.post(address, {"files": [upload_of(make_pdf())]}, headers=key).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_one_key_sent_eight_times_at_once_is_one_upload(signed_in: Client, base: KnowledgeBase) -> None:
    address, key = f"/api/v1/bases/{base.pk}/documents", {"Idempotency-Key": str(uuid.uuid4())}
    together, replies = Barrier(8, timeout=60), []

    def send_it() -> None:
        try:
            together.wait()
            replies.append(signed_in.post(address, {"files": [upload_of(make_pdf())]}, headers=key))
        finally:
            connection.close()

    threads = [Thread(target=send_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.status_code for reply in replies] == [201] * 8
    [document] = Document.objects.all()
    assert {reply.json()["outcomes"][0]["document_id"] for reply in replies} == {str(document.pk)}


def test_keys_are_forgotten_after_a_week(signed_in: Client, base: KnowledgeBase) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    signed_in.post(f"/api/v1/bases/{base.pk}/documents", {"files": [upload_of(make_pdf())]}, headers=key)
    tasks.tidy()
    assert IdempotencyKey.objects.count() == 1
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(days=8))
    tasks.tidy()
    assert not IdempotencyKey.objects.exists()


def test_it_tells_when_every_file_is_there_already(signed_in: Client, base: KnowledgeBase) -> None:
    upload(signed_in, base, upload_of(make_pdf()))
    again = upload(signed_in, base, upload_of(make_pdf(), "again.pdf"))
    assert (again.status_code, again.json()["outcomes"][0]["code"]) == (200, "duplicate")


@pytest.mark.parametrize(
    ("files", "status", "words", "codes"),
    [
        ([], 400, "at least one file", []),
        ([(b"<html></html>", "page.pdf"), (b"", "none.txt")], 400, "page.pdf: ", ["not_pdf", "empty_file"]),
        ([(make_pdf() + b" " * 2_000_000, "big.pdf")], 413, "big.pdf: ", ["too_large"]),
    ],
)
def test_it_refuses_when_nothing_can_be_taken_and_says_why_of_each_file(
    signed_in: Client,
    base: KnowledgeBase,
    settings: Settings,
    files: list[tuple[bytes, str]],
    status: int,
    words: str,
    codes: list[str],
) -> None:
    settings.UPLOAD_MAX_BYTES = 1_000_000
    refused = upload(signed_in, base, *(upload_of(*file) for file in files))
    assert (refused.status_code, refused.headers["Content-Type"]) == (status, "application/problem+json")
    assert words in refused.json()["detail"] and not Document.objects.exists()
    assert [outcome["code"] for outcome in refused.json().get("outcomes", [])] == codes


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b"no parts", "multipart/form-data; boundary=x", 400),
        (b"no parts", "multipart/form-data", 400),
        (b"%PDF-1.7", "application/pdf", 415),
        (
            b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\ntext\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
            400,
        ),
    ],
)
def test_an_upload_in_another_form_is_refused(
    signed_in: Client, base: KnowledgeBase, body: bytes, media_type: str, status: int
) -> None:
    refused = signed_in.generic("POST", f"/api/v1/bases/{base.pk}/documents", body, media_type)
    assert refused.status_code == status


def test_it_tells_the_state_of_a_document(signed_in: Client, queued: Queued) -> None:
    job = queued()
    address = f"/api/v1/documents/{job.document.pk}"
    waiting = signed_in.get(address).json()
    assert (waiting["state"], waiting["parse"], waiting["situation"]["kind"]) == ("waiting", None, "busy")
    refused = signed_in.get(f"{address}/lines")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_read")
    conductor.ingest(job)
    read = signed_in.get(address).json()["parse"]
    assert (read["page_count"], read["toc_origin"]) == (4, "outline")


def test_it_says_why_a_document_could_not_be_read(signed_in: Client, queued: Queued) -> None:
    job = queued(make_locked_pdf())
    conductor.ingest(job)
    told = signed_in.get(f"/api/v1/documents/{job.document.pk}").json()
    assert (told["state"], told["situation"]["kind"]) == ("failed", "fail")
    assert "password" in told["situation"]["note"].lower() + told["situation"]["words"].lower()


@pytest.mark.parametrize(
    ("query", "found"), [("", 1), ("q=policy", 1), ("q=zebra", 0), ("state=needs", 0), ("toc=strong", 1), ("q=%25", 0)]
)
def test_it_narrows_the_list(
    signed_in: Client, base: KnowledgeBase, document: Document, query: str, found: int
) -> None:
    listed = signed_in.get(f"/api/v1/bases/{base.pk}/documents?{query}").json()["results"]
    assert len(listed) == found


def test_it_trashes_a_document(signed_in: Client, document: Document) -> None:
    address = f"/api/v1/documents/{document.pk}"
    assert signed_in.delete(address).status_code == 204
    assert signed_in.get(address).json()["trashed_at"] is not None
    assert Event.objects.filter(kind="trashed", subject=f"document:{document.pk}").count() == 1


def test_it_gives_the_original_byte_for_byte(signed_in: Client, document: Document) -> None:
    given = signed_in.get(f"/api/v1/documents/{document.pk}/original")
    assert b"".join(given.streaming_content) == make_pdf()  # type: ignore[attr-defined]
    assert given.headers["Content-Disposition"] == 'attachment; filename="policy.pdf"'


# ---- lines, contents, passages


@pytest.mark.parametrize("table", TABLES)
def test_json_and_csv_are_the_same_table(signed_in: Client, document: Document, table: str) -> None:
    address = f"/api/v1/documents/{document.pk}/{table}"
    rows = signed_in.get(address, {"limit": 500}).json()["results"]
    text = signed_in.get(address, {"literal": "true"}, headers={"Accept": "text/csv"}).content.decode()
    assert signed_in.get(address, {"literal": "true", "format": "csv"}).content.decode() == text
    frame = pd.read_csv(io.StringIO(text), keep_default_na=False, dtype=str)
    assert len(rows) == TABLES[table].objects.count() == len(frame) > 3
    assert list(frame.columns) == list(rows[0])
    for row, cells in zip(rows, frame.to_dict("records"), strict=True):
        assert {name: read(cells[name], value) for name, value in row.items()} == row


def read(cell: str, like: Any) -> Any:
    """A cell of the CSV as the kind of value the JSON has."""
    if like is None or isinstance(like, (list, bool)):
        return json.loads(cell.lower()) if cell else None
    return type(like)(cell)


def test_it_gives_the_lines_of_a_page(signed_in: Client, document: Document) -> None:
    address = f"/api/v1/documents/{document.pk}/lines"
    lines = signed_in.get(address, {"page": 2}).json()["results"]
    assert {line["page_number"] for line in lines} == {2}
    assert "2 Retention" in [line["text"] for line in lines]
    assert signed_in.get(address, {"page": 99}).json() == {"results": [], "next": None}


@pytest.mark.parametrize(
    ("query", "status"),
    [("parse=1", 200), ("parse=2", 404), ("parse=0", 400), ("parse=x", 400), ("page=99999999999", 400)],
)
def test_it_gives_the_reading_that_is_asked_for(signed_in: Client, document: Document, query: str, status: int) -> None:
    assert signed_in.get(f"/api/v1/documents/{document.pk}/lines?{query}").status_code == status


# ---- the gate


@pytest.mark.parametrize("address", ["bases/{}", "bases/{}/documents", "documents/{}", "documents/{}/lines"])
def test_absent_and_forbidden_are_answered_alike(
    base: KnowledgeBase, document: Document, member: Member, address: str
) -> None:
    client = Client()
    client.force_login(member("stranger"))
    there = base.pk if address.startswith("bases") else document.pk
    forbidden, absent = (client.get(f"/api/v1/{address.format(pk)}") for pk in (there, uuid.uuid4()))
    assert forbidden.status_code == absent.status_code == 404
    assert forbidden.content == absent.content
