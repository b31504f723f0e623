"""The pages that ask several things at once (R87)."""

import json
import re
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.utils.html import escape

from accounts.models import User
from chat.fields.extracting import carry_out_extraction
from chat.fields.values import NOT_ASKED
from chat.models import Extraction
from chat.turns import stopping
from docintel_site.celery import app
from documents.ingestion.conductor import ingest_path
from documents.models import Document
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)

LISTED = "Rent: What is the rent a month?\nLandlord: Who is the landlord?\nLogo: Who holds the trademark of the logo?"


@pytest.fixture
def client(tenant: User) -> Iterator[Client]:
    app.conf.task_always_eager = True
    client = Client()
    client.force_login(tenant)
    yield client
    app.conf.task_always_eager = False


def send(client: Client, document: Document, listed: str = LISTED, form_id: Any = None, **more: Any) -> Any:
    form = {"scope": f"base:{document.base_id}", "mode": "balanced", "form_id": form_id or uuid.uuid4()}
    return client.post("/ask/fields/", form | {"listed": listed} | more)


def test_a_list_is_asked_and_each_value_opens_its_quote(client: Client, document: Document) -> None:
    asked = send(client, document)
    assert asked.status_code == 302
    page = client.get(asked.headers["Location"]).content.decode()
    assert "The rent is 12,500 euros a month" in page and "Harbour Sheds Limited" in page and "Not found" in page
    assert "hx-trigger" not in page, "nothing is left to wait for"
    link = next(each for each in re.findall(r'href="(/documents/[^"]+)"', page) if "rent" in each)
    assert "12,500" in client.get(link.replace("&amp;", "&")).content.decode()
    trail = re.findall(r'href="(/audit/runs/[^"]+)"', page)
    assert len(trail) == 3 and client.get(trail[0]).status_code == 200
    assert "Rent, Landlord, Logo" in " ".join(client.get("/ask/fields/").content.decode().split())


def test_of_several_documents_the_page_says_that_a_field_has_one_value(
    client: Client, document: Document, tenant: User, tmp_path: Path
) -> None:
    """(R87)"""
    alone = on_one_line(client.get(send(client, document, "Rent").headers["Location"]))
    path = tmp_path / "licence.md"
    path.write_text("# Licence\n\nThe licence fee is 900 euros a year.\n")
    ingest_path(path, document.base, tenant)
    together = on_one_line(client.get(send(client, document, "Licence fee").headers["Location"]))
    told = "Each field has one value, the best found in all these documents together"
    assert told in together and told not in alone
    assert "<bdi>Licence</bdi>," in together, "the document of the value stands with its quote"


def test_the_base_that_is_asked_stays_chosen(client: Client, document: Document) -> None:
    opened = client.get(f"/ask/?base={document.base_id}").content.decode()
    assert f'href="/ask/fields/?base={document.base_id}"' in opened
    uploaded_last = client.get("/ask/fields/").content.decode()
    assert f'value="document:{document.pk}" selected' in uploaded_last


def test_the_same_form_sent_twice_asks_once(client: Client, document: Document) -> None:
    form_id = uuid.uuid4()
    first, second = send(client, document, form_id=form_id), send(client, document, form_id=form_id)
    assert first.headers["Location"] == second.headers["Location"] and Extraction.objects.count() == 1


def test_a_file_is_read_and_faults_lose_nothing(client: Client, document: Document) -> None:
    wrong = send(client, document, listed="Rent: What is the rent?\nrent: Again?")
    assert wrong.status_code == 400
    page = wrong.content.decode()
    assert escape("The name “rent” is given twice.") in page and "rent: Again?" in page
    both = send(client, document, file=SimpleUploadedFile("fields.csv", b"name\nRent"))
    assert "not both" in both.content.decode() and not Extraction.objects.exists()
    file = SimpleUploadedFile("fields.csv", b"name,type\nRent a month,amount")
    assert send(client, document, listed="", file=file).status_code == 302
    assert Extraction.objects.get().fields.get().answer_type == "amount"


def test_what_was_found_is_exported(client: Client, document: Document) -> None:
    address = send(client, document).headers["Location"]
    as_csv, as_json = (client.get(f"{address}export.{form}") for form in ("csv", "json"))
    assert as_csv.content.decode().splitlines()[1].startswith('"Rent","found",')
    assert [field["name"] for field in json.loads(as_json.content)["fields"]] == ["Rent", "Landlord", "Logo"]
    assert client.get(f"{address}export.exe").status_code == 404


def test_while_they_are_asked_the_table_looks_again(client: Client, document: Document) -> None:
    address = send(client, document).headers["Location"]
    Extraction.objects.update(state="running")
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 2s"' in part and "<html" not in part


def test_stop_is_a_button_and_what_was_not_asked_is_never_not_found(client: Client, document: Document) -> None:
    app.conf.task_always_eager = False
    address = send(client, document).headers["Location"]
    part = client.get(address).content.decode()
    action = re.search(r'<form class="row" method="post" action="([^"]+/stop)">', part)
    assert action and 'id="stop-fields" type="submit"' in part, "htmx gives the focus back to what has an id"
    assert client.post(action[1]).headers["Location"] == address
    asked = client.get(address).content.decode()
    assert "Stopping." in asked and "stop-fields" not in asked and "hx-trigger" in asked
    carry_out_extraction(Extraction.objects.get().pk)
    ended = client.get(address).content.decode()
    assert "You stopped this." in ended and ended.count(NOT_ASKED) == 3
    assert "Not found" not in ended and "hx-trigger" not in ended


def test_stop_does_not_wait_for_what_is_being_stored(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.conf.task_always_eager = False
    address = send(client, document).headers["Location"]
    stored = Extraction.objects.get()
    monkeypatch.setattr(stopping, "STOP_WAIT_S", 0.05)
    held, stopped = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        storing = pool.submit(hold_row, stored.pk, held, stopped)
        assert held.wait(60)
        try:
            answer = client.post(f"{address}stop", follow=True)
        finally:
            stopped.set()
        storing.result(60)
    assert "Every field had been asked already" in answer.content.decode()
    stored.refresh_from_db()
    assert stored.stop_requested is False


def hold_row(pk: uuid.UUID, held: Event, stopped: Event) -> None:
    """Hold the row of an extraction, as storing does, until Stop was answered."""
    try:
        with transaction.atomic():
            Extraction.objects.select_for_update().get(pk=pk)
            held.set()
            stopped.wait(240)
    finally:
        connection.close()
