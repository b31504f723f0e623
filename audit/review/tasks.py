"""Celery tasks of judging again. The job's row is the truth; a task may arrive twice, late or never."""

from typing import Any

from celery import shared_task
from django.conf import settings

from audit.models import Rejudgement
from audit.review import rejudging
from audit.review.proposed import QUESTIONS_MAX
from audit.review.replay import REPEATS_ON_PAGE_MAX
from audit.runs.signs import sign_runs
from jobs import waking

SPARE_S = 300  # loading and storing take seconds
JUDGE_LIMIT_S = int(REPEATS_ON_PAGE_MAX * settings.ARBITER_DEADLINE_S) + SPARE_S
CHECK_LIMIT_S = int(4 * QUESTIONS_MAX * settings.ARBITER_DEADLINE_S) + SPARE_S  # two searches of two looks each


@shared_task(name="audit.tasks.judge_again", time_limit=JUDGE_LIMIT_S)
def judge_again(rejudgement_id: str, **_: Any) -> None:
    """Judge stored briefs again."""
    rejudging.judge_stored(rejudgement_id)


@shared_task(name="audit.tasks.check_change", time_limit=CHECK_LIMIT_S)
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
    waking.wake_after_commit(job, wake)


def wake(job: Rejudgement) -> None:
    waking.send(task_of(job), job)


def task_of(job: Rejudgement) -> waking.AnyTask:
    return check_change if job.kind == Rejudgement.Kind.CHANGE else judge_again
