"""Celery tasks of judging again. The job's row is the truth; a task may arrive twice, late or never."""

from functools import partial
from typing import Any

from celery import shared_task

from audit.models import Rejudgement
from audit.review import rejudging
from audit.runs.signs import sign_runs
from jobs import waking


@shared_task(name="audit.tasks.judge_again")  # in a queue served by threads, where the lease ends what hangs
def judge_again(rejudgement_id: str, **_: Any) -> None:
    rejudging.judge_stored(rejudgement_id)


@shared_task(name="audit.tasks.check_change", time_limit=rejudging.CHECK_LIMIT_S)
def check_change(rejudgement_id: str, **_: Any) -> None:
    """Search the golden questions with a proposed change."""
    rejudging.judge_stored(rejudgement_id)


@shared_task(name="audit.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake jobs whose message was lost or whose worker died, end those that used their last attempt, sign new runs."""
    rejudging.give_up_rejudgements()
    waking.sweep(Rejudgement.objects.all(), task_of)
    sign_runs()


def start(job: Rejudgement) -> None:
    """Wake a worker once the job is committed. If the broker is down, the sweeper does it later."""
    waking.wake_after_commit(job, partial(waking.send, task_of(job)))


def task_of(job: Rejudgement) -> waking.AnyTask:
    return check_change if job.kind == Rejudgement.Kind.CHANGE else judge_again
