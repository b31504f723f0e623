"""The scheduled task that watches every base."""

from typing import Any

from celery import shared_task

from audit.alerts.watching import watch_bases


@shared_task(name="audit.tasks.watch")
def watch(**_: Any) -> None:
    """Open and close alerts."""
    watch_bases()
