"""The Celery application: settings from Django under CELERY_, tasks from the apps."""

import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")

app = Celery("docintel")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["documents.ingestion", "chat.turns", "audit.keeping", "audit.review"])


@setup_logging.connect
def log_like_django(**options: Any) -> None:
    """Use LOGGING of the settings; Celery would otherwise replace it by its own handlers and level."""
    dictConfig(settings.LOGGING)
