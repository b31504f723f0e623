"""Storing a row that must not be rewritten unseen: the row and its ledger entry together, and the bytes it vouches for."""

import json
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from ledger import chain
from ledger.models import Change

CHANGE = "change"
NAME_MAX = 254


def store(row: Model, kind: str) -> None:
    """Insert a row with its ledger entry, both or neither."""
    with transaction.atomic():
        row.save(force_insert=True)
        # Read back, so that the digest is of what the database holds and not of what we meant to store.
        chain.append(kind, str(row.pk), row_payload(type(row)._default_manager.get(pk=row.pk)))


def row_payload(row: Model) -> bytes:
    """Canonical JSON of every column by its name; times in UTC."""
    fields: dict[str, Any] = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    texts = {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in fields.items()}
    return json.dumps(texts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str).encode()


def record_change(action: str, subject_id: UUID, *, by: Any = None, **detail: Any) -> None:
    """Record who changed what; without a person the server did it, by its schedule or at its console.

    To be called last in the transaction that makes the change: other entries wait until it ends.
    """
    change = Change(
        action=action,
        subject_id=subject_id,
        person_id=by.pk if by is not None else None,
        person_name=str(by)[:NAME_MAX] if by is not None else "server",
        detail=detail,
        created_at=timezone.now(),
    )
    store(change, CHANGE)
