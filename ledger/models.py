"""The ledger: one hash-chained, insert-only row for everything that must not be altered unnoticed."""

import uuid

from django.db import models

from ledger.triggers import insert_only


class Entry(models.Model):
    """One link of the chain. `hash` covers sequence, kind, subject, digest, time and the previous hash."""

    sequence = models.BigIntegerField(primary_key=True)
    kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=64)
    payload_digest = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["sequence"]
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["kind", "subject_id"], name="ledger_one_entry_a_subject")]
        triggers = insert_only()

    def __str__(self) -> str:
        return f"#{self.sequence} {self.kind}"

    @property
    def subject(self) -> str:
        """The name of what the entry vouches for, as salts and events use it."""
        return f"{self.kind}:{self.subject_id}"


class Salt(models.Model):
    """The salt that keeps an entry's digest from revealing its content; deleted only when that content is erased."""

    subject = models.CharField(max_length=105, primary_key=True)  # "<kind>:<subject id>" of the entry
    salt = models.CharField(max_length=32)

    class Meta:
        triggers = insert_only(may_delete=True)

    def __str__(self) -> str:
        return f"salt of {self.subject}"


class Event(models.Model):
    """A change without a record of its own: of a role, a setting, a deletion, a token. Insert-only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40, db_index=True)
    actor = models.CharField(max_length=254)  # a person by name, or "console"
    subject = models.CharField(max_length=120, db_index=True)  # what was changed, as "<kind of thing>:<its id>"
    details = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        triggers = insert_only()

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject} by {self.actor}"
