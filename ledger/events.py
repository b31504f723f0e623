"""Changes that must not pass unseen: each an insert-only row, chained in the transaction of the change itself."""

import json
import re
from typing import Any

from django.db import transaction
from django.utils import timezone

from ledger import chain
from ledger.models import Event

ENTRY_KIND = "event"
ACTOR_MAX = 254
SUBJECT_MAX = 120
KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")


def record(kind: str, actor: str, subject: str, details: dict[str, Any]) -> Event:
    """Keep that `actor` (a person's name, "console" without one) changed `subject` ("base:<id>", "user:<id>"), and how.

    Call it inside the transaction of the change and as its last step: other appends wait until that ends, and a change
    that is rolled back leaves no event. `kind` is a lower-case word; `details` is what JSON can hold, never a secret.
    """
    if not KIND.fullmatch(kind):
        raise ValueError(f"An event needs a lower-case word as its kind, not {kind!r}.")
    with transaction.atomic():
        event = Event.objects.create(
            kind=kind,
            actor=actor[:ACTOR_MAX],
            subject=subject[:SUBJECT_MAX],
            details=details,
            created_at=timezone.now(),
        )
        # Read back, so that the digest is of what the database holds and not of what we meant to store.
        chain.append(ENTRY_KIND, str(event.pk), event_payload(Event.objects.get(pk=event.pk)))
    return event


def event_payload(event: Event) -> bytes:
    """Canonical JSON of every column; times in UTC."""
    fields = {
        "id": str(event.pk),
        "kind": event.kind,
        "actor": event.actor,
        "subject": event.subject,
        "details": event.details,
        "created_at": chain.time_text(event.created_at),
    }
    return json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
