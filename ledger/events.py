"""Changes that must not pass unseen: each an insert-only row, chained in the transaction of the change itself."""

import re
from typing import Any

from django.db import transaction
from django.utils import timezone

from ledger.models import Event
from ledger.payload import Payload, object_of

EVENT = Payload("event", "ledger_event", object_of("row", ("id", "kind", "actor", "subject", "details", "created_at")))
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
        EVENT.vouch(event.pk)
    return event
