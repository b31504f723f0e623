"""Changes that must be recorded: each is an insert-only row, chained in the transaction of the change."""

import re
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from ledger.models import Event
from ledger.payload import Payload

EVENT = Payload.of_columns("event", "ledger_event", "id kind actor subject details created_at")
ACTOR_MAX = 254
SUBJECT_MAX = 120
KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")


def record(kind: str, actor: str, subject: str, details: Mapping[str, object]) -> Event:
    """Record that `actor` (a person's name, or "console") changed `subject` ("base:<id>", "user:<id>"), and how.

    Call it as the last step of the change's transaction: other appends wait until that ends, and a rolled-back change
    leaves no event. `kind` is a lower-case word; `details` is JSON without secrets.
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
