"""Storing what auditors do: the row and its ledger entry together."""

from django.db.models import Model

from audit.models import AuditEvent, Review, ReviewSample
from ledger import record

KINDS: dict[type[Model], str] = {Review: "review", ReviewSample: "review_sample", AuditEvent: "audit_event"}


def store(row: Model) -> None:
    """Insert a row with its ledger entry, both or neither."""
    record.store(row, KINDS[type(row)])
