"""The Celery application: settings from Django under CELERY_, tasks from the apps."""

import logging
import os
import threading
from contextlib import suppress
from logging.config import dictConfig
from typing import Any

from billiard import active_children
from celery import Celery, Task
from celery.signals import (
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_ready,
    worker_shutting_down,
)
from django.apps import apps
from django.conf import settings
from django.db import connection
from kombu.exceptions import OperationalError

from jobs.ids import NOTHING, known_ids, start_with

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")

IDS = "docintel_ids"  # the header of a message

logger = logging.getLogger(__name__)

app = Celery("docintel")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["documents.ingestion", "chat.turns", "audit.alerts", "audit.keeping", "audit.review"])


@setup_logging.connect
def log_like_django(**options: Any) -> None:
    """Use LOGGING of the settings; Celery would otherwise replace it by its own handlers and level."""
    dictConfig(settings.LOGGING)


@before_task_publish.connect
def send_ids(headers: dict[str, object], **_: Any) -> None:
    """Say in the message which request asked for the work."""
    headers[IDS] = {name: value for name, value in known_ids().items() if name == "request"}


@task_prerun.connect
def take_ids(task: "Task[Any, Any]", **_: Any) -> None:
    """Name that request in the lines of the worker."""
    start_with(getattr(task.request, IDS, None) or NOTHING)


@task_postrun.connect
def forget_ids(**_: Any) -> None:
    start_with(NOTHING)


@worker_ready.connect
def tidy_up(**_: Any) -> None:
    """Remove what workers that were killed have left in the temporary folder."""
    from documents.ingestion.orphans import remove_temporary  # its models need the settings that this app reads

    remove_temporary()


@worker_ready.connect
def leave_when_stuck(**_: Any) -> None:
    """Have a worker of threads replaced when one of them cannot be ended; a pool of processes ends its own."""
    from jobs.lease import Lease  # as above

    Lease.on_stuck = leave


def leave() -> None:
    """End this worker, whoever started it starts another; what its other threads hold goes to others first."""
    logger.error("a thread cannot be ended: this worker leaves")
    try:
        pass_on()
    finally:
        os._exit(os.EX_TEMPFAIL)


@worker_shutting_down.connect
def stop_gracefully(**_: Any) -> None:
    """Let the work in hand end for a while; what has not ended by then goes to another worker."""
    timer = threading.Timer(settings.STOP_GRACE_S, pass_on)
    timer.daemon = True  # nothing to wait for where all of it has ended
    timer.start()


def pass_on() -> None:
    """Give back what this worker and its pool hold, and wake the sweepers, which find somebody for it."""
    from jobs.lease import give_back  # as above
    from jobs.models import LeasedJob

    pids = [os.getpid(), *(child.pid for child in active_children() if child.pid)]
    try:
        jobs = [model for model in apps.get_models() if issubclass(model, LeasedJob)]
        count = sum(give_back(model._default_manager.all(), pids) for model in jobs)
    finally:
        connection.close()
    logger.info("told to stop: %d jobs in hand go to other workers", count)
    if count:
        wake_sweepers()


def wake_sweepers() -> None:
    """Start every sweep now; without a broker the schedule does it."""
    with suppress(OperationalError):
        for name in settings.SWEEPS.keys() & settings.CELERY_BEAT_SCHEDULE.keys():
            app.send_task(settings.SWEEPS[name], retry=False, expires=settings.SWEEP_EVERY_S)
