"""The row of a job; its purpose, end states and table belong to the app that uses it."""

import uuid

from django.db import models


class LeasedJob(models.Model):
    """Work done once, by one worker at a time. The row is the truth about it; a message only wakes a worker.

    Subclasses list their states in `State`, QUEUED and RUNNING first; every other state is an end.
    """

    QUEUED, RUNNING = OPEN = "queued", "running"
    ID_NAME = "job"  # in the log, see jobs.ids

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(max_length=10, default=QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_owner = models.CharField(max_length=80, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class StoppableJob(LeasedJob):
    """A job that whoever wants it done may stop; it ends done, stopped or failed."""

    class State(models.TextChoices):
        QUEUED = LeasedJob.QUEUED, "Queued"
        RUNNING = LeasedJob.RUNNING, "Running"
        DONE = "done", "Done"
        STOPPED = "stopped", "Stopped"
        FAILED = "failed", "Failed"

    stop_requested = models.BooleanField(default=False)

    class Meta:
        abstract = True


class RequestedJob(LeasedJob):
    """A job that somebody wants done, which ends done or failed."""

    class State(models.TextChoices):
        QUEUED = LeasedJob.QUEUED, "Queued"
        RUNNING = LeasedJob.RUNNING, "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    class Meta:
        abstract = True

    @property
    def is_pending(self) -> bool:
        return self.state in self.OPEN
