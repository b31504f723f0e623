"""How a job leaves its worker: what is written for each end, and that nothing is written for a job of somebody else."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from documents.ingestion.ending import (
    cancel,
    fail,
    give_up_exhausted,
    hand_over,
    is_left_to_another_attempt,
    mark_failed,
)
from documents.ingestion.reporting import IngestLease, claim_job
from documents.models import Document, IngestJob, KnowledgeBase
from documents.tests.readings import make_document, store_text
from reading.reasons import REASONS, ReadingError, refusal

Stage = IngestJob.Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.objects.create(name="Suppliers")


@pytest.fixture
def lease(base: KnowledgeBase) -> IngestLease:
    job = make_document(base).jobs.create(stage=Stage.PAGES, done_count=3, total_count=4, reason_code="internal")
    claimed = claim_job(job, Stage.values)
    assert claimed is not None
    return claimed


def job_of(lease: IngestLease) -> IngestJob:
    return IngestJob.objects.select_related("document").get(pk=lease.job.pk)


def take_over(lease: IngestLease) -> None:
    """Another worker has the job now."""
    IngestJob.objects.filter(pk=lease.job.pk).update(lease_owner="another")


@pytest.mark.parametrize("stage", [Stage.CHECK, Stage.RECOGNISE, Stage.ANNOTATE, Stage.EMBED])
def test_the_next_stage_gets_all_attempts_and_nothing_of_the_last(lease: IngestLease, stage: IngestJob.Stage) -> None:
    hand_over(lease, stage)
    job = job_of(lease)
    assert (job.state, job.stage, job.attempts, job.done_count, job.total_count) == ("queued", stage, 0, 0, 0)
    assert (job.reason_code, job.lease_owner, job.ended_at) == ("", "", None)
    assert claim_job(job, [stage]) is not None


def test_a_stage_that_goes_on_later_keeps_what_is_done(lease: IngestLease) -> None:
    hand_over(lease, Stage.PAGES)
    job = job_of(lease)
    assert (job.state, job.attempts, job.done_count, job.total_count) == ("queued", 0, 3, 4)


def test_the_last_stage_ends_the_job_with_its_parse(lease: IngestLease) -> None:
    parse = store_text(lease.job.document)
    hand_over(lease, Stage.DONE, parse_id=parse.pk)
    job = job_of(lease)
    assert (job.state, job.stage, job.parse_id) == ("done", "done", parse.pk) and job.ended_at
    assert claim_job(job, Stage.values) is None


@pytest.mark.parametrize(
    ("code", "attempts", "is_left"),
    [
        ("parse_killed", 1, True),
        ("parse_killed", 2, True),
        ("parse_killed", 3, False),
        ("parse_killed", 9, False),
        ("damaged", 1, False),
        ("parse_crash", 1, False),
    ],
)
def test_only_what_was_stopped_from_outside_is_tried_again(
    lease: IngestLease, settings: Any, code: str, attempts: int, is_left: bool
) -> None:
    settings.ATTEMPTS_MAX, lease.job.attempts = 3, attempts
    assert is_left_to_another_attempt(lease, refusal(code, "signal 9")) is is_left
    assert job_of(lease).state == ("queued" if is_left else "running")
    assert (job_of(lease).error_for_admins == "signal 9") is is_left


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize(("end", "state"), [("fail", "failed"), ("cancel", "cancelled")])
def test_a_document_that_was_read_before_keeps_answering(
    lease: IngestLease, is_read: bool, end: str, state: str
) -> None:
    if is_read:
        store_text(lease.job.document)
    error = ReadingError("damaged", "Fetch it once more {limit} %s.", "xref broken")
    fail(lease, error) if end == "fail" else cancel(lease)
    job = job_of(lease)
    assert (job.state, job.document.state, job.lease_owner) == (state, "ready" if is_read else "failed", "")
    told = ("damaged", "Fetch it once more {limit} %s.", "xref broken") if end == "fail" else ("internal", "", "")
    assert (job.reason_code, job.error_for_people, job.error_for_admins) == told and job.ended_at


def test_a_job_of_another_worker_is_left_alone(lease: IngestLease) -> None:
    take_over(lease)
    before = IngestJob.objects.values().get()
    hand_over(lease, Stage.EMBED)
    is_left_to_another_attempt(lease, refusal("parse_killed"))
    assert IngestJob.objects.values().get() == before
    fail(lease, refusal("damaged"))
    assert IngestJob.objects.values().get() == before
    cancel(lease)
    assert IngestJob.objects.values().get() == before


LONG_AGO = timedelta(days=1)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"state": "queued", "attempts": 3}, "parse_killed"),
        ({"state": "queued", "attempts": 4, "reason_code": "internal"}, "internal"),
        ({"state": "running", "attempts": 3, "heartbeat_at": Now() - LONG_AGO}, "parse_killed"),
        ({"state": "running", "attempts": 3, "heartbeat_at": None}, "parse_killed"),
        ({"state": "running", "attempts": 3, "heartbeat_at": Now()}, None),
        ({"state": "queued", "attempts": 2}, None),
        ({"state": "done", "attempts": 3}, None),
        ({"state": "failed", "attempts": 3}, None),
        ({"state": "cancelled", "attempts": 3}, None),
    ],
)
def test_a_job_whose_last_attempt_died_is_given_up(
    base: KnowledgeBase, settings: Any, fields: dict[str, Any], code: str | None
) -> None:
    settings.ATTEMPTS_MAX = 3
    job = make_document(base).jobs.create(stage="pages", lease_owner="w-7")
    IngestJob.objects.filter(pk=job.pk).update(**fields)
    give_up_exhausted()
    job.refresh_from_db()
    if code is None:
        assert job.state == fields["state"] and job.error_for_people == ""
        return
    assert (job.state, job.reason_code, job.error_for_people) == ("failed", code, REASONS[code])
    assert "workers died in stage pages; the last was w-7" in job.error_for_admins
    assert job.lease_owner == "" and job.ended_at
    assert Document.objects.get().state == "failed"


def test_what_is_known_of_the_last_attempt_is_kept(base: KnowledgeBase, settings: Any) -> None:
    job = make_document(base).jobs.create(
        attempts=settings.ATTEMPTS_MAX, error_for_admins="Traceback", reason_code="internal"
    )
    give_up_exhausted()
    job.refresh_from_db()
    assert job.error_for_admins == "Traceback"


def test_only_its_own_document_is_marked(base: KnowledgeBase) -> None:
    job, other = make_document(base, "a.md").jobs.create(), make_document(base, "b.md")
    mark_failed(job)
    other.refresh_from_db()
    assert other.state == "waiting" and Document.objects.get(file_name="a.md").state == "failed"
