"""Celery tasks of the chat. The row of a job is the truth; a task may arrive twice, late or never."""

from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from accounts.models import User
from chat.fields import extracting
from chat.model_page import testing
from chat.models import Extraction, ModelTest, Retrieval, Turn
from chat.page import trying
from chat.turns import conductor, demo, evidence
from chat.turns.stopping import FULL_SEARCH_S, answer_limit_s
from jobs import silence, waking

# The queue `ask` is served by threads, of which Celery can end none: there the lease ends what takes too long.


@shared_task(name="chat.tasks.answer_turn")
def answer_turn(turn_id: str, **_: Any) -> None:
    conductor.answer_turn(turn_id)


@shared_task(name="chat.tasks.search_every_document", time_limit=answer_limit_s() + 2 * FULL_SEARCH_S)
def search_every_document(turn_id: str, **_: Any) -> None:
    """Answer a stored question by a full search, in a queue of its own: it may take minutes."""
    conductor.answer_turn(turn_id)


@shared_task(name="chat.tasks.retrieve_evidence")
def retrieve_evidence(retrieval_id: str, **_: Any) -> None:
    evidence.retrieve_evidence(retrieval_id)


@shared_task(name="chat.tasks.extract_fields", time_limit=answer_limit_s() + 2 * FULL_SEARCH_S)
def extract_fields(extraction_id: str, **_: Any) -> None:
    """Ask several fields, in the queue of what may take minutes."""
    extracting.carry_out_extraction(extraction_id)


@shared_task(name="chat.tasks.test_model")
def test_model(test_id: str, **_: Any) -> None:
    """Have the model judge the three fixed passages."""
    testing.carry_out_test(test_id)


@shared_task(name="chat.tasks.load_demo", time_limit=FULL_SEARCH_S)
def load_demo(user_id: int, **_: Any) -> None:
    demo.load(User.objects.get(pk=user_id))


@shared_task(name="chat.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake jobs whose message was lost or whose worker died, and end those that used their last attempt."""
    conductor.give_up_exhausted()
    evidence.give_up_retrievals()
    extracting.give_up_extractions()
    testing.give_up_tests()
    for jobs in (Turn, Retrieval, Extraction, ModelTest):
        waking.sweep(jobs._default_manager.all(), task_of)


@shared_task(name="chat.tasks.try_questions", time_limit=answer_limit_s())
def try_questions(language: str = "", **_: Any) -> None:
    """Try the questions that newly read documents are to be suggested with, first in this language."""
    trying.try_questions(language)


def start(*asked: Turn | Retrieval | Extraction | ModelTest) -> None:
    """Wake a worker for each once it is committed. If the broker is down, the sweeper does it later."""
    for job in asked:
        waking.wake_after_commit(job, wake)


def start_trying(language: str) -> None:
    """Have a worker try questions for somebody who waits for them; if the broker is down, the sweep does it later."""
    if not silence.lasts():
        try:
            try_questions.apply_async((language,), retry=False, expires=settings.SWEEP_EVERY_S)
        except OperationalError as error:
            silence.note(error)


def start_demo(user: User) -> None:
    """Have a worker bring the demonstration. Lost with the message if the broker is down; it can be asked for again."""
    transaction.on_commit(lambda: load_demo.apply_async((user.pk,), retry=False), robust=True)


def wake(job: Turn | Retrieval | Extraction | ModelTest) -> None:
    waking.send(task_of(job), job)


def task_of(job: Turn | Retrieval | Extraction | ModelTest) -> waking.AnyTask:
    if isinstance(job, Retrieval):
        return retrieve_evidence
    if isinstance(job, Extraction):
        return extract_fields
    if isinstance(job, ModelTest):
        return test_model
    return search_every_document if job.is_full_search else answer_turn
