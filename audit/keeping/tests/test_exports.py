"""The list as a file: the same filters, the same permission, every run, and no cell that computes."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import AsyncClient

from accounts.models import User
from audit.conftest import House, MakeRun
from audit.keeping import exports
from audit.keeping.exports import ExportedRun
from audit.models import AuditEvent
from documents.spreadsheet import restore, write_csv


def taken(user: User, address: str) -> Any:
    """Open a streamed address as the server does, asynchronously; what arrived."""
    from asgiref.sync import async_to_sync

    async def get() -> tuple[int, str]:
        client = AsyncClient()
        await client.aforce_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        response: Any = await client.get(address)
        if not response.streaming:
            return response.status_code, response.content.decode()
        return response.status_code, "".join([part.decode() async for part in response])

    return async_to_sync(get)()


def test_it_streams_every_run_in_batches(house: House, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """AT15."""
    monkeypatch.setattr(exports, "RUNS_A_BATCH", 3)
    for number in range(7):
        make_run("primary", question=f"Question {number}")
    status, text = taken(house.auditor, "/audit/export.csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert status == 200
    assert [row["question"] for row in rows] == [f"Question {number}" for number in range(6, -1, -1)]
    assert all(row["ledger_hash"] and row["kept"] == "1" for row in rows)
    _, text = taken(house.auditor, "/audit/export.jsonl")
    assert [json.loads(line)["run"] for line in text.splitlines()] == [row["run"] for row in rows]
    assert set(AuditEvent.objects.values_list("action", flat=True)) == {"export_csv", "export_jsonl"}


def test_html_is_one_whole_file_that_reads_and_escapes(
    house: House, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AT15."""
    monkeypatch.setattr(exports, "RUNS_A_BATCH", 2)
    for number in range(5):
        make_run("primary", question=f"<script>alert({number})</script>", status="not_found")
    status, text = taken(house.auditor, "/audit/export.html?status=not_found")
    assert (status, text[:15], text[-8:]) == (200, "<!doctype html>", "</html>\n")
    assert [text.count(words) for words in ("<h2>", "<script", "&lt;script&gt;", "status: not_found")] == [5, 0, 5, 1]
    assert 'src="' not in text
    assert 'href="' not in text
    assert AuditEvent.objects.get().action == "export_html"


def test_it_filters_and_hides_like_the_list(house: House, make_run: MakeRun) -> None:
    make_run(status="not_found", question="Absent")
    make_run(question="Present")
    _, text = taken(house.auditor, "/audit/export.jsonl?status=not_found")
    assert [json.loads(line)["question"] for line in text.splitlines()] == ["Absent"]
    assert taken(house.stranger, "/audit/export.jsonl") == (200, "")
    assert taken(house.auditor, "/audit/export.jsonl?status=nonsense")[0] == 400


def test_what_a_model_judged_is_handed_to_the_owner_alone(
    house: House, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its roles, of a model's runs only, none without a question or a passage; the export is on record."""
    monkeypatch.setattr(exports, "PASSAGES_A_BATCH", 3)
    for number in range(3):
        make_run("primary discarded unjudged", arbiter="model", question=f"Question {number}", section="3 Fees")
    make_run("primary", question="Judged by rules")
    make_run("primary", arbiter="model", question="")  # erased
    status, text = taken(house.owner, "/audit/judged-passages.jsonl")
    rows = [json.loads(line) for line in text.splitlines()]
    assert (status, {row["question"] for row in rows}) == (200, {f"Question {number}" for number in range(3)})
    assert [row["role"] for row in rows] == ["primary", "discarded"] * 3
    assert {(row["section_title"], row["document"], bool(row["anchor_text"])) for row in rows} == {
        ("3 Fees", str(house.document.pk), True)
    }
    assert AuditEvent.objects.get().action == "export_judged"
    for person in (house.auditor, house.asker, house.stranger):
        assert taken(person, "/audit/judged-passages.jsonl") == (200, "")
    assert taken(house.owner, "/audit/judged-passages.jsonl?status=not_found") == (200, "")


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1"])
def test_no_cell_computes(cell: str) -> None:
    row = ExportedRun._make([""] * len(ExportedRun._fields))._replace(question=cell)
    read = next(csv.reader(io.StringIO(write_csv([row]), newline="")))
    told = read[ExportedRun._fields.index("question")]
    assert told != cell and restore(told) == cell
