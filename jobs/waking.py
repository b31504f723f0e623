"""How workers learn of a job: by a message once its row is committed, and by a sweeper if messages are lost.

While the broker is down or silent nobody waits for it: the process that could not send does so once it answers, and the
sweeper if that process has ended by then.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, TypeAlias

from celery import Task
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from jobs import silence
from jobs.ids import known_ids, note_ids
from jobs.lease import Job, is_expired
from jobs.models import LeasedJob

WOKEN_AT_ONCE = 100  # more messages would only wait in the queue

AnyTask: TypeAlias = "Task[Any, Any]"


def send(task: AnyTask, job: LeasedJob) -> None:
    """Wake a worker of the task for a job, or have that done once Redis answers."""
    again = partial(send, task, job)
    if silence.lasts():
        silence.owe(again)
        return
    try:
        task.apply_async((str(job.pk),), retry=False)
    except OperationalError as error:
        silence.note(error, again)
        raise


def wake_after_commit(job: Job, wake: Callable[[Job], None]) -> None:
    """Wake a worker once the job's row is committed."""
    if not known_ids().keys() & {"turn", "job"}:  # inside a job, its own lines go on naming that one
        note_ids(**{job.ID_NAME: job.pk})
    # Not a partial: Django logs the function's name, which a partial lacks.
    transaction.on_commit(lambda: wake(job), robust=True)


def is_forgotten() -> Q:
    """Queued jobs without a recent wake-up; their `heartbeat_at` is the time of the last one."""
    then = Now() - timedelta(seconds=settings.SWEEP_EVERY_S)
    return Q(state=LeasedJob.QUEUED) & (Q(heartbeat_at__lt=then) | Q(heartbeat_at=None, created_at__lt=then))


def messages_for(task: AnyTask) -> int:
    queue = task.app.amqp.router.route({}, task.name)["queue"].name
    with task.app.connection_for_read() as link:
        channel: Any = link.default_channel
        return int(channel.client.llen(queue))


def sweep(jobs: "QuerySet[Job]", task_of: Callable[[Job], AnyTask]) -> None:
    """Wake workers for jobs whose message was lost or whose worker died, oldest first.

    A queue that nobody empties is not filled further. A job that is passed over so has its turn again later.
    """
    found = list(jobs.filter(is_expired() | is_forgotten()).order_by("created_at")[:WOKEN_AT_ONCE])
    jobs.filter(pk__in=[job.pk for job in found], state=LeasedJob.QUEUED).update(heartbeat_at=Now())
    room: dict[str, int] = {}
    for job in found:
        task = task_of(job)
        if task.name not in room:
            room[task.name] = WOKEN_AT_ONCE - messages_for(task)
        if room[task.name] > 0:
            room[task.name] -= 1
            send(task, job)
