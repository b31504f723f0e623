"""Requests by people: a job to read or improve a document again, or to stop the open one."""

from typing import TypeAlias

from django.db import IntegrityError, transaction
from django.utils import timezone

from documents.models import Document, IngestJob

Stage: TypeAlias = IngestJob.Stage
JobState: TypeAlias = IngestJob.State


def queue_again(document: Document, stage: Stage = Stage.CHECK) -> IngestJob:
    """A new job to read a document again, or to improve its current parse; the open job if there already is one."""
    parse_id = None if stage == Stage.CHECK else document.current_parse_id
    try:
        with transaction.atomic():
            job = IngestJob.objects.create(document=document, stage=stage, parse_id=parse_id)
            Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.WAITING)
            return job
    except IntegrityError:
        return document.jobs.get(state__in=(JobState.QUEUED, JobState.RUNNING))


def stop_jobs(document: Document) -> None:
    """Stop the work on a document: at once if it has not begun, else at the worker's next report."""
    waiting = document.jobs.filter(state=JobState.QUEUED)
    if waiting.update(state=JobState.CANCELLED, ended_at=timezone.now()):
        Document.objects.filter(pk=document.pk, current_parse=None).update(state=Document.State.FAILED)
    document.jobs.filter(state=JobState.RUNNING).update(cancel_requested=True)
