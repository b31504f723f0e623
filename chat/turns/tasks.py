"""The background edges of the chat. The turn's row is the truth; a task may arrive twice, late or never."""

from datetime import timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from chat.models import Turn
from chat.turns import conductor, lease

SPARE_S = 300  # reading contents, detectors and storing take seconds, on the largest base a minute
WOKEN_AT_ONCE = 100  # more messages would only lie in the queue


def answer_limit_s() -> int:
    """Above the sum of the deadlines inside, so that it ends only a worker that hangs."""
    return int(2 * settings.ARBITER_DEADLINE_S + settings.ANSWER_DEADLINE_S) + SPARE_S


@shared_task(name="chat.tasks.answer_turn", time_limit=answer_limit_s())
def answer_turn(turn_id: str, **_: Any) -> None:
    """Answer a question that was kept."""
    conductor.answer_turn(turn_id)


@shared_task(name="chat.tasks.sweep")
def sweep(**_: Any) -> None:
    """Wake turns whose message was lost or whose worker died, and end those that had their last attempt."""
    conductor.give_up_exhausted()
    turns = list(Turn.objects.filter(lease.expired() | is_forgotten()).order_by("created_at")[:WOKEN_AT_ONCE])
    Turn.objects.filter(pk__in=[turn.pk for turn in turns], state=Turn.State.QUEUED).update(heartbeat_at=Now())
    for turn in turns:
        wake(turn)


def is_forgotten() -> Q:
    """Queued turns that nobody was woken for lately; their `heartbeat_at` is the time of the last wake-up call."""
    then = Now() - timedelta(seconds=settings.SWEEP_EVERY_S)
    return Q(state=Turn.State.QUEUED) & (Q(heartbeat_at__lt=then) | Q(heartbeat_at=None, created_at__lt=then))


def start(turn: Turn) -> None:
    """Wake a worker once the question is committed. When the broker is away, the sweeper does it later."""
    # Not a partial: Django names the function in its log line and a partial has no name.
    transaction.on_commit(lambda: wake(turn), robust=True)


def wake(turn: Turn) -> None:
    answer_turn.apply_async((str(turn.pk),), retry=False)
