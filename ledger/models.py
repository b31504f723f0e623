"""The ledger: one hash-chained, insert-only row for everything that must not be rewritten unseen."""

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
