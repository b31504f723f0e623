"""Celery tasks of judging again. The job's row is the truth; a task may arrive twice, late or never."""

from typing import Any

from celery import shared_task
from django.conf import settings

from audit.models import Rejudgement
from audit.review import rejudging
from audit.review.replay import REPEATS_ON_PAGE_MAX
from jobs import waking

SPARE_S = 300  # loading and storing take seconds
JUDGE_LIMIT_S = int(REPEATS_ON_PAGE_MAX * settings.ARBITER_DEADLINE_S) + SPARE_S


@shared_task(name="audit.tasks.judge_again", time_limit=JUDGE_LIMIT_S)
def judge_again(rejudgement_id: str, **_: Any) -> None:
    """Judge stored briefs again."""
    rejudging.judge_stored(rejudgement_id)


@shared_task(name="audit.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake jobs whose message was lost or whose worker died, and end those that used their last attempt."""
    rejudging.give_up_rejudgements()
    waking.sweep(Rejudgement.objects.all(), wake)


def start(job: Rejudgement) -> None:
    """Wake a worker once the job is committed. If the broker is down, the sweeper does it later."""
    waking.wake_after_commit(job, wake)


def wake(job: Rejudgement) -> None:
    waking.send(judge_again, job)
