"""The same fields asked of each of several documents (R87): a row a document, a column a field."""

import csv
import json
import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from chat.fields import grid
from chat.fields.extracting import carry_out_extraction
from chat.fields.forms import FieldsForm
from chat.fields.values import NOT_ASKED, NOT_READ
from chat.models import Extraction
from chat.turns.conductor import AnsweringFailed
from docintel_site.celery import app
from documents.ingestion.conductor import ingest_path
from documents.models import Document, Membership
from retrieval.models import RetrievalRun
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)

LISTED = "Rent (amount): What is the rent?\nFee: What is the licence fee?\n=Logo: Who holds the trademark of the logo?"
FIELDS = [
    {"name": "Rent", "question": "What is the rent a month?", "type": "amount"},
    {"name": "Fee", "question": "What is the licence fee?"},
]


@pytest.fixture
def at_once() -> Iterator[None]:
    """The worker works where it is called."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture
def client(tenant: User, document: Document, tmp_path: Path) -> Client:
    """Somebody with a lease and a licence in one base."""
    path = tmp_path / "licence.md"
    path.write_text("# Licence\n\nThe licence fee is 900 euros a year.\n")
    ingest_path(path, document.base, tenant)
    client = Client()
    client.force_login(tenant)
    return client


def send(client: Client, document: Document, form_id: Any = None, **more: Any) -> Any:
    form = {"scope": f"base:{document.base_id}", "mode": "balanced", "form_id": form_id or uuid.uuid4()}
    return client.post("/ask/fields/", form | {"listed": LISTED, "is_grid": "on"} | more)


def post(client: Client, document: Document, headers: Any = None, **more: Any) -> Any:
    asked = {"knowledge_base_id": str(document.base_id), "fields": FIELDS, **more}
    return client.post("/api/v1/grids", json.dumps(asked), content_type="application/json", headers=headers or {})


@pytest.mark.usefixtures("at_once")
def test_each_document_has_a_value_of_its_own(client: Client, document: Document) -> None:
    """(R87)"""
    address = send(client, document).headers["Location"]
    page = on_one_line(client.get(address))
    lease, licence = re.findall(r'<tr id="grid-row-[^"]+"><th scope="row">.*?</tr>', page)
    assert document.title in lease and "12,500 euros a month" in lease and "900 euros" not in lease
    assert "Licence" in licence and "900 euros" in licence and "12,500" not in licence
    assert licence.count("Not found") == 2, "the licence has no rent and no logo"
    assert "hx-trigger" not in page and page.count("/audit/runs/") == 6
    link = next(each for each in re.findall(r'href="(/documents/[^"]+)"', lease) if "rent" in each)
    assert "12,500" in client.get(link.replace("&amp;", "&")).content.decode()
    (alone,) = set(re.findall(r'href="(/ask/fields/[0-9a-f-]{36}/)"', licence))
    assert "900 euros a year" in client.get(alone).content.decode()


@pytest.mark.usefixtures("at_once")
def test_a_grid_is_exported_a_document_a_line(client: Client, document: Document) -> None:
    address = send(client, document).headers["Location"]
    lease, licence = csv.DictReader(client.get(f"{address}export.csv").content.decode().splitlines())
    assert (lease["document"], lease["Rent"], lease["Rent (outcome)"]) == (
        document.title,
        "12,500 euros a month",
        "found",
    )
    assert (licence["Rent"], licence["Rent (outcome)"], licence["state"]) == ("", "not_found", "done")
    assert "'=Logo (outcome)" in lease, "no spreadsheet computes the name of a field"
    told = json.loads(client.get(f"{address}export.json").content)
    assert [row["document"] for row in told["documents"]] == [document.title, "Licence"]
    assert client.get(f"{address}export.exe").status_code == 404
    taken = send(client, document, listed="state: Who is the tenant?").headers["Location"]
    head = client.get(f"{taken}export.csv").content.decode().splitlines()[0]
    assert head.startswith('"document","state","state (value)","state (outcome)"'), "each column has a head of its own"


def test_a_form_or_request_sent_twice_makes_one_grid_that_is_listed_once(client: Client, document: Document) -> None:
    form_id = uuid.uuid4()
    first, second = send(client, document, form_id), send(client, document, form_id)
    assert first.headers["Location"] == second.headers["Location"] and Extraction.objects.count() == 2
    listed = client.get("/ask/fields/").content.decode()
    assert listed.count(first.headers["Location"]) == 1 and "of each document" in listed
    changed = send(client, document, form_id, listed="Term: How long is the term?")
    assert changed.headers["Location"] != first.headers["Location"] and Extraction.objects.count() == 4
    assert "Term" not in client.get(first.headers["Location"]).content.decode(), "what was asked before stays as it was"
    key = {"Idempotency-Key": str(uuid.uuid4())}
    asked, again = post(client, document, key), post(client, document, key)
    assert asked.status_code == 202 and asked.headers["Location"] == again.headers["Location"]
    assert Extraction.objects.count() == 6
    assert post(client, document, key, fields=FIELDS[:1]).status_code == 422


def test_stop_ends_all_documents_and_what_was_not_asked_is_never_not_found(client: Client, document: Document) -> None:
    address = send(client, document).headers["Location"]
    lease, licence = Extraction.objects.order_by("created_at")
    carry_out_extraction(lease.pk)
    running = on_one_line(client.get(address))
    assert "1 of 2 documents are done." in running and 'hx-trigger="every 3s"' in running
    assert running.count("Waiting") == 3 and "Running" not in running, "nobody works at the other document yet"
    action = re.search(r'<form class="row" method="post" action="([^"]+/stop)">', running)
    assert action and client.post(action[1]).headers["Location"] == address
    assert "Stopping." in client.get(address).content.decode()
    carry_out_extraction(licence.pk)
    ended = on_one_line(client.get(address))
    assert "You stopped this." in ended and "12,500 euros a month" in ended and "hx-trigger" not in ended
    told = client.get(f"/api/v1/grids/{lease.grid}").json()
    assert told["is_ended"] and [row["state"] for row in told["documents"]] == ["done", "stopped"]
    assert all(field["caveats"] == [NOT_ASKED] for field in told["documents"][1]["fields"])
    again = client.post(f"{address}stop", follow=True)
    assert "Every field had been asked already" in again.content.decode()


def test_a_page_that_waits_is_sent_what_has_changed_and_nothing_else(client: Client, document: Document) -> None:
    page = client.get(send(client, document).headers["Location"]).content.decode()
    lease, licence = Extraction.objects.order_by("created_at")

    def look_again(page: str) -> Any:
        (address,) = re.findall(r'hx-get="([^"]+)"', page)
        return client.get(address, headers={"HX-Request": "true"})

    assert look_again(page).status_code == 204 and not look_again(page).content
    carry_out_extraction(licence.pk)
    changed = look_again(page).content.decode()
    assert "<html" not in changed and re.findall(r'<tr id="grid-row-([^"]+)" hx-swap-oob="true">', changed) == [
        str(licence.pk)
    ]
    assert "900 euros a year" in changed and "1 of 2 documents are done." in changed
    assert look_again(changed).status_code == 204, "it says what it has seen by now"
    client.post(f"/ask/fields/grids/{lease.grid}/stop")
    stopping = look_again(changed).content.decode()
    assert "Stopping." in stopping and "900 euros" not in stopping
    carry_out_extraction(lease.pk)
    ended = look_again(stopping).content.decode()
    assert "hx-get" not in ended and str(lease.pk) in ended and "export.csv" in ended


def test_fields_of_one_asking_are_sent_again_only_when_they_have_ended(client: Client, document: Document) -> None:
    page = client.get(send(client, document, is_grid="").headers["Location"]).content.decode()
    (address,) = re.findall(r'hx-get="([^"]+)"', page)
    assert client.get(address, headers={"HX-Request": "true"}).status_code == 204
    carry_out_extraction(Extraction.objects.get().pk)
    ended = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "12,500 euros a month" in ended and "hx-get" not in ended


def test_a_program_asks_reads_and_stops_a_grid(client: Client, document: Document) -> None:
    """(R87)"""
    begun = post(client, document)
    assert begun.status_code == 202 and begun.json()["is_ended"] is False
    for row in begun.json()["documents"]:
        carry_out_extraction(row["extraction_id"])
    lease, licence = client.get(begun.headers["Location"]).json()["documents"]
    assert (lease["fields"][0]["value"], licence["fields"][0]["outcome"]) == ("12,500 euros a month", "not_found")
    assert client.get(f"/api/v1/extractions/{lease['extraction_id']}").json()["fields"] == lease["fields"]
    as_csv = client.get(begun.headers["Location"], headers={"Accept": "text/csv"}).content.decode()
    assert as_csv.splitlines()[0].startswith('"document","state","Rent","Rent (outcome)"')
    assert client.post(f"{begun.headers['Location']}/stop").status_code == 202
    assert client.get(f"/api/v1/grids/{lease['extraction_id']}").status_code == 404, "it is no grid by itself"


@pytest.mark.parametrize(("limit", "words"), [("CELLS_MAX", "too many values"), ("CHOSEN_MAX", "at most 1 at once")])
def test_a_grid_that_is_too_large_is_refused_with_its_size(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch, limit: str, words: str
) -> None:
    """(R87)"""
    monkeypatch.setattr(grid, limit, 1)
    refused = send(client, document)
    assert refused.status_code == 400 and words in refused.content.decode()
    assert 'name="is_grid"' in refused.content.decode() and "checked" in refused.content.decode()
    told = post(client, document)
    assert told.status_code == 400 and words in told.content.decode() and not Extraction.objects.exists()


def test_nobody_fills_the_queue_of_the_others(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "WAITING_MAX", 6)
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = post(client, document, key)
    refused = [post(client, document), send(client, document)]
    assert [each.status_code for each in refused] == [400, 400] and Extraction.objects.count() == 2
    assert all("4 values you asked for are still to come" in each.content.decode() for each in refused)
    assert post(client, document, key).headers["Location"] == first.headers["Location"], "it was asked before"
    for row in Extraction.objects.all():
        carry_out_extraction(row.pk)
    assert post(client, document).status_code == 202


def test_a_form_that_is_sent_again_has_its_grid_when_no_more_may_wait(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "WAITING_MAX", 6)
    form_id = str(uuid.uuid4())
    first, again, other = [send(client, document, form_id=each) for each in (form_id, form_id, str(uuid.uuid4()))]
    assert (first.status_code, again.status_code, other.status_code) == (302, 302, 400)
    assert again.headers["Location"] == first.headers["Location"] and Extraction.objects.count() == 2


def test_what_is_lost_between_the_check_of_a_form_and_its_storing_is_said_on_it(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = FieldsForm.clean

    def and_then_the_base_is_closed(form: FieldsForm) -> None:
        check(form)
        Membership.objects.all().delete()

    monkeypatch.setattr(FieldsForm, "clean", and_then_the_base_is_closed)
    refused = send(client, document)
    assert refused.status_code == 400 and 'id="fields-error"' in refused.content.decode()
    assert not Extraction.objects.exists()


def test_a_grid_is_open_to_who_asked_it_alone(
    client: Client, document: Document, django_user_model: type[User]
) -> None:
    address = send(client, document).headers["Location"]
    stranger = Client()
    stranger.force_login(django_user_model.objects.create_user("stranger@example.org", "quiet-harbour-91"))
    assert [stranger.get(address).status_code, stranger.post(f"{address}stop").status_code] == [404, 404]
    assert not Extraction.objects.filter(stop_requested=True).exists()


def test_of_a_document_that_was_not_read_nothing_is_asked_and_its_row_says_so(
    client: Client, document: Document
) -> None:
    """(R57, R87)"""
    Document.objects.filter(pk=document.pk).update(current_parse=None, state=Document.State.FAILED)
    address = send(client, document).headers["Location"]
    lease, licence = Extraction.objects.order_by("created_at")
    for row in (lease, licence):
        carry_out_extraction(row.pk)
    assert {run.field.extraction_id for run in RetrievalRun.objects.all()} == {licence.pk}
    page = on_one_line(client.get(address))
    unread, _ = re.findall(r'<tr id="grid-row-[^"]+"><th scope="row">.*?</tr>', page)
    assert NOT_READ in unread and unread.count("Not read") == 3 and "hx-get" not in page
    told, read = csv.DictReader(client.get(f"{address}export.csv").content.decode().splitlines())
    assert (told["state"], told["Rent (outcome)"], told["Rent (caveat)"]) == ("failed", "not_read", NOT_READ)
    assert read["state"] == "done"


def test_what_is_deleted_or_closed_meanwhile_is_a_failure_of_its_row_alone(
    client: Client, document: Document, tenant: User
) -> None:
    address = send(client, document).headers["Location"]
    lease, licence = Extraction.objects.order_by("created_at")
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    for row in (lease, licence):
        with suppress(AnsweringFailed):
            carry_out_extraction(row.pk)
    told = json.loads(client.get(f"{address}export.json").content)
    assert [row["state"] for row in told["documents"]] == ["failed", "done"] and told["is_ended"]
    assert client.get(address).status_code == 200
    Membership.objects.filter(user=tenant).delete()
    assert client.get(address).status_code == 404 == client.get(f"{address}export.csv").status_code
