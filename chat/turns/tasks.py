"""Celery tasks of the chat. The row of a turn or retrieval is the truth; a task may arrive twice, late or never."""

from typing import Any

from celery import shared_task
from django.conf import settings

from chat.models import Retrieval, Turn
from chat.turns import conductor, retrieving
from jobs import waking

SPARE_S = 300  # loading contents, detecting and storing take seconds, a minute on the largest base
FULL_SEARCH_S = 3600  # 10,000 documents of ten pages take about ten minutes


def answer_limit_s() -> int:
    """More than the sum of all inner deadlines, so that only a hanging worker is killed."""
    return int(2 * settings.ARBITER_DEADLINE_S + settings.ANSWER_DEADLINE_S) + SPARE_S


@shared_task(name="chat.tasks.answer_turn", time_limit=answer_limit_s())
def answer_turn(turn_id: str, **_: Any) -> None:
    """Answer a stored question."""
    conductor.answer_turn(turn_id)


@shared_task(name="chat.tasks.search_every_document", time_limit=answer_limit_s() + FULL_SEARCH_S)
def search_every_document(turn_id: str, **_: Any) -> None:
    """Answer a stored question by a full search, in a queue of its own: it may take minutes."""
    conductor.answer_turn(turn_id)


@shared_task(name="chat.tasks.retrieve_evidence", time_limit=answer_limit_s())
def retrieve_evidence(retrieval_id: str, **_: Any) -> None:
    """Retrieve what a program asked for."""
    retrieving.retrieve_evidence(retrieval_id)


@shared_task(name="chat.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake jobs whose message was lost or whose worker died, and end those that used their last attempt."""
    conductor.give_up_exhausted()
    retrieving.give_up_retrievals()
    waking.sweep(Turn.objects.all(), wake)
    waking.sweep(Retrieval.objects.all(), wake)


def start(job: Turn | Retrieval) -> None:
    """Wake a worker once the question is committed. If the broker is down, the sweeper does it later."""
    waking.wake_after_commit(job, wake)


def wake(job: Turn | Retrieval) -> None:
    if isinstance(job, Retrieval):
        waking.send(retrieve_evidence, job)
    else:
        waking.send(search_every_document if job.is_full_search else answer_turn, job)
