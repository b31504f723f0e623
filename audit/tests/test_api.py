"""Runs, candidates, reviews and evidence for programs: the gates and the records of the pages."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun
from audit.models import AuditEvent, Review
from audit.proof.verification import verify
from retrieval.models import RetrievalRun

SignIn = Callable[[User], Client]
WHY = "The sentence is about something else."
RUNS = "/api/v1/runs"


def opine(client: Client, run: RetrievalRun, **fields: Any) -> Any:
    asked = {"candidate_id": "p1-l1-2", "outcome": "agree", **fields}
    return client.post(f"{RUNS}/{run.pk}/reviews", json.dumps(asked), content_type="application/json")


def ids_of(client: Client, **query: Any) -> list[str]:
    return [run["id"] for run in client.get(RUNS, query).json()["results"]]


def test_it_lists_one_s_own_runs_and_all_of_an_audited_base(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run, other = make_run(), make_run(asked_by=house.viewer, asked_by_name="Viewer")
    assert ids_of(signed_in(house.asker)) == [str(run.pk)]
    assert ids_of(signed_in(house.auditor)) == [str(other.pk), str(run.pk)]
    assert ids_of(signed_in(house.stranger)) == []


def test_it_filters_like_the_page(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    make_run(), make_run(status="not_found", question="Who holds the trademark?")
    client = signed_in(house.auditor)
    [line] = client.get(RUNS, {"status": "not_found"}).json()["results"]
    assert (line["status"], line["question"]) == ("not_found", "Who holds the trademark?")
    assert len(ids_of(client, text="trademark")) == 1
    refused = client.get(RUNS, {"status": "lost"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "status")


def test_it_pages_through_the_runs(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    runs = [str(make_run().pk) for _ in range(5)]
    client, address = signed_in(house.auditor), f"{RUNS}?limit=2"
    found: list[str] = []
    while address:
        page = client.get(address).json()
        found, address = found + [run["id"] for run in page["results"]], page["next"]
    assert found == runs[::-1]


def test_it_gives_a_run_with_its_answer_and_every_candidate(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, signed_in: SignIn
) -> None:
    run = make_run()
    make_answer(run)
    client = signed_in(house.auditor)
    whole = client.get(f"{RUNS}/{run.pk}").json()
    assert whole["answer"]["citations"][0]["quote"] == run.candidates.order_by("position")[0].content_anchor
    assert whole["parsed"] == run.parsed and whole["gates"] == run.gates
    rows = client.get(f"{RUNS}/{run.pk}/candidates").json()["results"]
    assert [row["role"] for row in rows] == ["primary", "supporting", "tangential", "discarded"]


def test_it_gives_every_document_of_the_scope(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run = make_run(states="read counted unreadable")
    client, address = signed_in(house.asker), f"{RUNS}/{run.pk}/documents?limit=2"
    told = client.get(f"{RUNS}/{run.pk}").json()["looked_at"]
    assert told == "3 documents: 1 read line by line, 1 searched for words only, 1 could not be read"
    page = client.get(address).json()
    rows = [*page["results"], *client.get(page["next"]).json()["results"]]
    assert [row["state"] for row in rows] == ["read", "counted", "unreadable"]
    assert (rows[1]["reason"], rows[1]["words"]) == ("rank 2 of 30; the 10 best are read line by line", ["attention"])
    assert rows[1]["scores"] is None, "which are for auditors (L11)"
    audited = signed_in(house.auditor).get(f"{RUNS}/{run.pk}/documents").json()["results"]
    assert audited[1]["scores"] == {"words": 0.25, "meaning": None, "name": None, "fused": 0.01}
    assert (rows[2]["cause"], rows[2]["parse_id"], rows[2]["scores"]) == ("waiting", None, None)
    assert signed_in(house.stranger).get(address).status_code == 404
    older, client = make_run(), signed_in(house.asker)
    assert client.get(f"{RUNS}/{older.pk}").json()["looked_at"] is None
    assert client.get(f"{RUNS}/{older.pk}/documents").json()["results"] == []


def test_what_is_read_of_others_is_recorded(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run = make_run()
    for rest in ("", "/candidates", "/documents", "/reviews"):
        signed_in(house.asker).get(f"{RUNS}/{run.pk}{rest}")
    for rest in ("", "/candidates", "/documents", "/reviews", "/evidence"):
        signed_in(house.stranger).get(f"{RUNS}/{run.pk}{rest}")
    assert not AuditEvent.objects.exists()
    client = signed_in(house.auditor)
    for rest in ("", "/candidates", "/documents", "/reviews", "/evidence"):
        list(client.get(f"{RUNS}/{run.pk}{rest}"))
    client.get(RUNS)
    recorded = AuditEvent.objects.order_by("created_at").values_list("action", flat=True)
    assert list(recorded) == ["trail", "trail", "documents", "trail", "evidence", "list"]
    assert verify().ok


def test_it_takes_a_review_and_reports_a_conflict(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run, client = make_run(), signed_in(house.auditor)
    first = opine(client, run, outcome="overrule", corrected_role="tangential", reason=WHY)
    assert (first.status_code, first.json()["original_role"], first.json()["corrected_role"]) == (
        201,
        "primary",
        "tangential",
    )
    conflict = opine(client, run, outcome="agree")
    assert (conflict.status_code, conflict.json()["code"]) == (409, "review_conflict")
    assert opine(client, run, previous=first.json()["id"]).status_code == 201
    listed = client.get(f"{RUNS}/{run.pk}/reviews").json()["results"]
    assert [(review["candidate_id"], review["outcome"]) for review in listed] == [
        ("p1-l1-2", "overrule"),
        ("p1-l1-2", "agree"),
    ]
    assert listed[1]["previous_id"] == listed[0]["id"] and verify().ok


def test_the_answer_is_reviewed_without_a_candidate(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    kept = opine(signed_in(house.owner), make_run(), candidate_id=None, outcome="incomplete", reason=WHY)
    assert (kept.status_code, kept.json()["candidate_id"]) == (201, None)


@pytest.mark.parametrize(
    ("person", "fields", "status"),
    [
        ("asker", {}, 403),
        ("viewer", {}, 404),
        ("stranger", {}, 404),
        ("auditor", {"candidate_id": "none"}, 404),
        ("auditor", {"outcome": "overrule", "corrected_role": "tangential", "reason": "no"}, 400),
        ("auditor", {"outcome": "maybe"}, 400),
        ("auditor", {"previous": "no id"}, 400),
        ("auditor", {"previous": "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"}, 409),
    ],
)
def test_it_refuses_a_review(
    house: House, make_run: MakeRun, signed_in: SignIn, person: str, fields: dict[str, Any], status: int
) -> None:
    refused = opine(signed_in(getattr(house, person)), make_run(), **fields)
    assert refused.status_code == status
    assert not Review.objects.exists()


def test_it_gives_the_evidence_as_one_file(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run = make_run()
    given = signed_in(house.auditor).get(f"{RUNS}/{run.pk}/evidence")
    pack = zipfile.ZipFile(BytesIO(b"".join(given.streaming_content)))  # type: ignore[attr-defined]
    assert pack.testzip() is None and len(pack.namelist()) > 3
    assert given.headers["Content-Disposition"] == f'attachment; filename="evidence-{run.pk}.zip"'
