"""Reading, exporting or listing somebody else's record leaves a row and a ledger entry.

One's own leaves none, except an exported pack.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from accounts.models import User
from audit.conftest import House, MakeRun, Tamper
from audit.models import AuditEvent
from audit.proof.verification import verify
from ledger.models import Entry

SignIn = Callable[[User], Client]


@pytest.mark.parametrize(
    ("address", "action"),
    [
        ("/audit/", "list"),
        ("/audit/?status=not_found", "list"),
        ("/audit/runs/{run}/", "trail"),
        ("/audit/runs/{run}/?candidate=p1-l2-3", "trail"),
        ("/audit/runs/{run}/calls/{call}/request/", "exchange"),
        ("/audit/runs/{run}/calls/{call}/reply/", "exchange"),
        ("/audit/runs/{run}/evidence/", "evidence"),
        ("/audit/queue/", "queue"),
        ("/audit/figures/", "figures"),
        ("/audit/coverage/{document}/", "coverage"),
    ],
)
def test_an_auditor_leaves_a_trace_of_every_read(
    house: House, make_run: MakeRun, make_call: Any, signed_in: SignIn, address: str, action: str
) -> None:
    """AT8."""
    run = make_run(llm_call=make_call())
    names = {"run": run.pk, "call": run.llm_call_id, "document": house.document.pk}
    response = signed_in(house.auditor).get(address.format(**names))
    b"".join(response)  # a pack is a stream, and closes its file at its end
    assert response.status_code == 200
    event = AuditEvent.objects.get()
    assert (event.action, event.person_id, event.person_name) == (action, house.auditor.pk, "Auditor")
    assert event.run_id == (run.pk if "{run}" in address else None)
    assert Entry.objects.filter(kind="audit_event", subject_id=str(event.pk)).exists()
    assert verify().ok


@pytest.mark.parametrize("address", ["/audit/", "/audit/runs/{run}/", "/audit/figures/"])
def test_reading_ones_own_is_no_audit(house: House, make_run: MakeRun, signed_in: SignIn, address: str) -> None:
    run = make_run()
    assert signed_in(house.asker).get(address.format(run=run.pk)).status_code == 200
    assert not AuditEvent.objects.exists()


def test_a_pack_of_ones_own_is_recorded(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    """The record vouches for what is in the pack, whoever made it."""
    b"".join(signed_in(house.asker).get(f"/audit/runs/{make_run().pk}/evidence/"))
    event = AuditEvent.objects.get()
    assert (event.action, event.person_id) == ("evidence", house.asker.pk)


def test_nothing_is_shown_when_the_read_cannot_be_recorded(
    house: House, make_run: MakeRun, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise DatabaseError("the ledger is away")

    monkeypatch.setattr("audit.access_log.store", fail)
    client = signed_in(house.auditor)
    client.raise_request_exception = False
    for address in ("", f"runs/{make_run().pk}/", f"runs/{make_run().pk}/evidence/", "export.csv"):
        response = client.get(f"/audit/{address}")
        assert (response.status_code, b"attention" in response.content) == (500, False)


def test_the_trace_itself_cannot_be_removed_unseen(
    house: House, make_run: MakeRun, signed_in: SignIn, tamper: Tamper
) -> None:
    signed_in(house.auditor).get(f"/audit/runs/{make_run().pk}/")
    with pytest.raises(DatabaseError, match="Cannot delete"), transaction.atomic():
        AuditEvent.objects.all().delete()
    tamper("DELETE FROM audit_auditevent")
    assert "the row it vouches for is gone" in verify().sentence
