"""Storing what auditors do: the row and its ledger entry together, and the bytes the ledger vouches for."""

import json
from typing import Any

from django.db import transaction
from django.db.models import Model

from audit.models import AuditEvent, Review, ReviewSample
from ledger import chain

KINDS: dict[type[Model], str] = {Review: "review", ReviewSample: "review_sample", AuditEvent: "audit_event"}


def store(row: Model) -> None:
    """Insert a row with its ledger entry, both or neither."""
    with transaction.atomic():
        row.save(force_insert=True)
        # Read back, so that the digest is of what the database holds and not of what we meant to store.
        chain.append(KINDS[type(row)], str(row.pk), row_payload(type(row)._default_manager.get(pk=row.pk)))


def row_payload(row: Model) -> bytes:
    """Canonical JSON of every column by its name; times in UTC."""
    fields: dict[str, Any] = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    texts = {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in fields.items()}
    return json.dumps(texts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str).encode()
