"""Record every read of somebody else's record (AT8), and every refused attempt."""

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from audit.auditor_record import store
from audit.models import AuditEvent
from documents.models import KnowledgeBase, Viewer
from retrieval.models import RetrievalRun

NAME_MAX = 254


def is_auditor(user: Viewer, base_id: UUID | None = None) -> bool:
    """Whether the person may read other people's records, in this base or in any."""
    bases = KnowledgeBase.objects.with_role(user, "auditor", "owner")
    return bases.filter(Q(pk=base_id) if base_id else Q()).exists()


def record_read(user: Viewer, action: str, run: RetrievalRun, **detail: Any) -> None:
    """Record that a run was read or exported; reading one's own is not recorded."""
    if run.asked_by_id != user.pk:
        record_event(user, action, run.pk, **detail)


def record_list(user: Viewer, action: str, **detail: Any) -> None:
    """Record that a list was read by somebody who sees other people's runs in it."""
    if is_auditor(user):
        record_event(user, action, None, **detail)


def record_event(user: Viewer | None, action: str, run_id: UUID | None, **detail: Any) -> AuditEvent:
    """Insert a row and its ledger entry; without a person, the action came from the server's console."""
    person = user if isinstance(user, User) else None
    event = AuditEvent(
        action=action,
        run_id=run_id,
        person_id=person.pk if person else None,
        person_name=str(person)[:NAME_MAX] if person else "console",
        detail=detail,
        created_at=timezone.now(),
    )
    store(event)
    return event
