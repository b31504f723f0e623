"""What came with a base from elsewhere: listed for its auditors, handed out as it came, removed by its owners."""

import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.carrying.checker import IMPORTED
from audit.carrying.keeping import path_of
from audit.conftest import House
from audit.models import AuditEvent, CarriedArchive, CarriedRun
from audit.runs import listing
from ledger import holds
from ledger.chain import digest_of
from ledger.events import record
from ledger.models import Event

Browse = Callable[..., Any]
RECORD = '{"kind": "run", "content": "résumé"}\n'.encode()


@pytest.fixture
def brought(house: House, settings: Settings, tmp_path: Path) -> CarriedArchive:
    """An archive of 30 questions, the newest of them erased where it came from."""
    settings.CARRIED_ROOT = tmp_path
    ids = [uuid4() for _ in range(30)]
    files = {f"records/{run_id}.jsonl": RECORD for run_id in ids}
    manifest = json.dumps({"files": {name: digest_of(content) for name, content in files.items()}}).encode()
    archive = CarriedArchive.objects.create(
        base=house.base,
        from_base=uuid4(),
        from_name="Old <house>",
        exported_at=timezone.now(),
        program="0.9",
        manifest_sha256=digest_of(manifest),
        head_sequence=1234567,
        head_hash="ab" * 32,
        is_vouched=False,
        finished_at=timezone.now(),
    )
    CarriedRun.objects.bulk_create(
        CarriedRun(
            archive=archive,
            run_id=run_id,
            question=f"<b>Question {number}</b>" if number else "",
            outcome="not_found",
            asked_by_name="Asim",
            asked_at=timezone.now() - timedelta(days=number),
        )
        for number, run_id in enumerate(ids)
    )
    record(IMPORTED, "console", f"base:{house.base.pk}", {"manifest": archive.manifest_sha256})
    with zipfile.ZipFile(path_of(archive), "w") as file:
        file.writestr("manifest.json", manifest)
        for name, content in files.items():
            file.writestr(name, content)
    return archive


def test_the_questions_are_listed_a_page_at_a_time(house: House, brought: CarriedArchive, browse: Browse) -> None:
    page = browse(house.auditor, f"/audit/carried/{house.base.pk}/").content.decode()
    assert "&lt;b&gt;Question 1&lt;/b&gt;" in page and "<b>Question" not in page and "Old &lt;house&gt;" in page
    assert "#1234567" in page and "no head kept elsewhere was given" in page and "Not found" in page
    assert page.count(".jsonl") == listing.RUNS_A_PAGE and "Erased" in page
    older = page.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    rest = browse(house.auditor, f"/audit/carried/{house.base.pk}/{older}").content.decode()
    assert rest.count(".jsonl") == 30 - listing.RUNS_A_PAGE and "Question 29" in rest and 'rel="next"' not in rest
    assert browse(house.auditor, f"/audit/carried/{house.base.pk}/?before=nonsense").status_code == 400
    assert AuditEvent.objects.filter(action="carried").count() == 2
    assert (
        "The records of 1 base from another" in browse(house.owner, f"/audit/keeping/{house.base.pk}/").content.decode()
    )


def test_a_base_that_was_made_here_brought_nothing(house: House, browse: Browse) -> None:
    assert b"nothing was brought along" in browse(house.auditor, f"/audit/carried/{house.base.pk}/").content
    assert b"Brought along" not in browse(house.owner, f"/audit/keeping/{house.base.pk}/").content


def test_a_record_is_handed_out_as_it_came_and_that_is_recorded(
    house: House, brought: CarriedArchive, browse: Browse
) -> None:
    run_id = brought.runs.all()[0].run_id
    response = browse(house.auditor, f"/audit/carried/archives/{brought.pk}/{run_id}.jsonl")
    assert response.content == RECORD and response["Content-Disposition"].startswith("attachment")
    assert AuditEvent.objects.get(action="carried_record").detail["run"] == str(run_id)
    whole = browse(house.auditor, f"/audit/carried/archives/{brought.pk}/archive.zip")
    with zipfile.ZipFile(BytesIO(b"".join(whole))) as file:
        assert len(file.namelist()) == 31
    assert AuditEvent.objects.filter(action="carried_archive").count() == 1


def test_a_file_that_is_gone_or_changed_is_said_to_be(house: House, brought: CarriedArchive, browse: Browse) -> None:
    run_id = brought.runs.all()[0].run_id
    address = f"/audit/carried/archives/{brought.pk}"
    with zipfile.ZipFile(path_of(brought), "w") as file:
        file.writestr(f"records/{run_id}.jsonl", RECORD)
        file.writestr("manifest.json", json.dumps({"files": {f"records/{run_id}.jsonl": digest_of(RECORD)}}))
    assert browse(house.auditor, f"{address}/{run_id}.jsonl").status_code == 409, "another manifest, made to fit"
    path_of(brought).unlink()
    for name in (f"{run_id}.jsonl", "archive.zip"):
        response = browse(house.auditor, f"{address}/{name}")
        assert response.status_code == 409 and b"cannot be read" in response.content
    assert not AuditEvent.objects.filter(action__startswith="carried_").exists()


def test_only_owners_remove_the_records_with_a_reason(
    house: House, brought: CarriedArchive, signed_in: Callable[[User], Client]
) -> None:
    address = f"/audit/carried/archives/{brought.pk}/remove/"
    assert signed_in(house.auditor).post(address, {"reason": "They asked us to."}).status_code == 404
    client = signed_in(house.owner)
    assert "Give a reason" in client.post(address, {"reason": "ok"}, follow=True).content.decode()
    holds.place(f"base:{house.base.pk}", "Owner", "A court asked for it.")
    assert "legal hold" in client.post(address, {"reason": "They asked us to."}, follow=True).content.decode()
    assert brought.runs.count() == 30
    holds.release(f"base:{house.base.pk}", "Owner", "The court is done.")
    page = client.post(address, {"reason": "They asked us to."}, follow=True).content.decode()
    assert "The records were removed on" in page and "Question 1" not in page
    assert Event.objects.get(kind="carried_removed").actor == "Owner"
    assert client.post(address, {"reason": "They asked us to."}).status_code == 404
    assert client.get(f"/audit/carried/archives/{brought.pk}/archive.zip").status_code == 404
