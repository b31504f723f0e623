"""The queues of ingestion: jobs that people ask for or stop, and whose turn is next.

A message only wakes a worker. It takes a job of the person (or of the base, where a program put the file there) with
the fewest at work, then of the one whose last turn of that queue is longest ago (`LastTurn`), the oldest first.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Case, CharField, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce, Now
from django.utils import timezone

from documents.ingestion.reporting import IngestLease, claim_job
from documents.models import Document, IngestJob, JobState, LastTurn, Stage
from jobs.lease import is_free


def queue_again(document: Document, stage: Stage = Stage.CHECK, pages: Sequence[int] = ()) -> IngestJob:
    """A new job to read a document again, or to improve its current parse; the open job if there already is one.

    With `pages` the stage is recognition, and only these are read again.
    """
    parse_id = None if stage == Stage.CHECK else document.current_parse_id
    try:
        with transaction.atomic():
            job = IngestJob.objects.create(document=document, stage=stage, parse_id=parse_id, pages=sorted(set(pages)))
            Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.WAITING)
            return job
    except IntegrityError:
        return document.jobs.get(state__in=IngestJob.OPEN)


def stop_jobs(document: Document) -> None:
    """Stop the work on a document: at once if it has not begun, else at the worker's next report."""
    waiting = document.jobs.filter(state=JobState.QUEUED)
    if waiting.update(state=JobState.CANCELLED, ended_at=timezone.now()):
        Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.FAILED)
    document.jobs.filter(state=JobState.RUNNING).update(cancel_requested=True)


# ---- whose turn is next


def claim_next(stages: Sequence[Stage], woken_for: str) -> IngestLease | None:
    """The lease of the job in one of these stages whose turn it is, however many somebody else has queued (T8).

    There is a message for every job, so each is taken in the end, though seldom for its own.
    """
    with transaction.atomic():
        # Locked, so that two workers that look at once take one each, and none waits for a purge.
        job = find_next(stages, woken_for).select_for_update(skip_locked=True, of=("self",)).first()
        if job is None:
            return None
        LastTurn.objects.bulk_create(
            [LastTurn(queue=stages[0], whose=job.whose, taken_at=Now())],
            update_conflicts=True,
            unique_fields=["queue", "whose"],
            update_fields=["taken_at"],
        )
        return claim_job(job, stages)


def find_next(stages: Sequence[Stage], woken_for: str) -> "QuerySet[Any]":
    """Free jobs: of those with the fewest at work first, then of those whose last turn is longest ago, oldest first.

    What has been worked on and goes on later stands behind other documents of the same person.
    """
    in_queue = with_owner(IngestJob.objects.filter(stage__in=stages)).order_by()
    # No subquery: it would be run for each of ten thousand that wait, and no more are at work than there are workers.
    running = in_queue.filter(state=JobState.RUNNING).values_list("whose").annotate(Count("pk"))
    at_work = [When(whose=whose, then=Value(count)) for whose, count in running]
    last_turn = LastTurn.objects.filter(queue=stages[0], whose=OuterRef("whose")).values("taken_at")
    # What was released after an error waits for the sweeper, as the cause would still be there.
    long_ago = Now() - timedelta(seconds=settings.SWEEP_EVERY_S)
    is_due = Q(reason_code="") | Q(pk=woken_for) | Q(heartbeat_at__lt=long_ago)
    free = in_queue.filter(is_free(), is_due, attempts__lt=settings.ATTEMPTS_MAX).annotate(
        at_work=Case(*at_work, default=Value(0)), last_turn=Subquery(last_turn), has_begun=Q(done_count__gt=0)
    )
    found: QuerySet[Any] = free.order_by(
        "at_work", F("last_turn").asc(nulls_first=True), "has_begun", "created_at", "pk"
    )
    return found


def with_owner(jobs: "QuerySet[IngestJob]") -> "QuerySet[Any]":
    """The jobs with `whose` turn they take: of who uploaded the document, or of its base if a program did."""
    person, base = Cast("document__created_by", CharField()), Cast("document__base", CharField())
    return jobs.annotate(whose=Coalesce(person, base))
