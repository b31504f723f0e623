"""The Celery application: settings from Django under CELERY_, tasks from every app's tasks.py."""

import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init
from django.conf import settings

from retrieval.version import VersionUnknown, program_version

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")

app = Celery("docintel")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_like_django(**options: Any) -> None:
    """Take LOGGING of the settings; Celery would otherwise put its own handlers and level in its place."""
    dictConfig(settings.LOGGING)


@worker_init.connect
def refuse_without_version(**options: Any) -> None:
    """End a worker whose records could not name their program; Celery lets an ordinary exception pass."""
    try:
        program_version()
    except VersionUnknown as error:
        raise SystemExit(str(error)) from None
