"""How workers learn of a job: by a message once its row is committed, and by a sweeper if messages are lost.

Sending is not retried: while the broker is down, the sweeper does it later.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import Task
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from jobs.lease import Job, is_expired
from jobs.models import LeasedJob

WOKEN_AT_ONCE = 100  # more messages would only wait in the queue


def send(task: "Task[Any, Any]", job: LeasedJob) -> None:
    """Wake a worker of the task for a job."""
    task.apply_async((str(job.pk),), retry=False)


def wake_after_commit(job: Job, wake: Callable[[Job], None]) -> None:
    """Wake a worker once the job's row is committed."""
    # Not a partial: Django logs the function's name, which a partial lacks.
    transaction.on_commit(lambda: wake(job), robust=True)


def is_forgotten() -> Q:
    """Queued jobs without a recent wake-up; their `heartbeat_at` is the time of the last one."""
    then = Now() - timedelta(seconds=settings.SWEEP_EVERY_S)
    return Q(state=LeasedJob.QUEUED) & (Q(heartbeat_at__lt=then) | Q(heartbeat_at=None, created_at__lt=then))


def sweep(jobs: "QuerySet[Job]", wake: Callable[[Job], None]) -> None:
    """Wake workers for jobs whose message was lost or whose worker died, oldest first."""
    found = list(jobs.filter(is_expired() | is_forgotten()).order_by("created_at")[:WOKEN_AT_ONCE])
    jobs.filter(pk__in=[job.pk for job in found], state=LeasedJob.QUEUED).update(heartbeat_at=Now())
    for job in found:
        wake(job)
