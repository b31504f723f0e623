"""What an erasure leaves of a record, and how the ledger vouches for that."""

import json
from collections.abc import Sequence
from typing import Any

from audit.models import ERASED_COMMENT, ERASED_READ, ERASED_REVIEW
from chat.models import ERASED_ANSWER, ERASED_CITATION, ERASED_FEEDBACK, ERASED_REWRITING
from ledger.models import Entry, Event
from llm.models import ERASED_CALL
from retrieval.models import ERASED_CANDIDATE, ERASED_DOCUMENT, ERASED_RUN

ERASED = "erased"  # the kind of the event; its details hold the digest of what remains
# For each part of each kind's bytes, the blank an erasure leaves instead of content. "" is the top level.
BLANK: dict[str, dict[str, dict[str, Any]]] = {
    "run": {"run": ERASED_RUN, "candidates": ERASED_CANDIDATE, "documents": ERASED_DOCUMENT, "llm_call": ERASED_CALL},
    "reading": {"": ERASED_CALL},
    "look": {"": ERASED_CALL},
    "shared": {"": ERASED_CALL},
    "exchange": {"": ERASED_CALL},
    "answer": {"": ERASED_ANSWER, "citations": ERASED_CITATION, "llm_call": ERASED_CALL},
    "rewriting": {"": ERASED_REWRITING, "llm_call": ERASED_CALL},
    "feedback": {"": ERASED_FEEDBACK},
    "review": {"": ERASED_REVIEW},
    "comment": {"": ERASED_COMMENT},
    "audit_event": {"": ERASED_READ},
}


def erased_digests(entries: Sequence[Entry]) -> dict[int, str]:
    """For entries whose content was erased: the digest of what remains, by sequence."""
    subjects = {entry.subject: entry.sequence for entry in entries}
    events = Event.objects.filter(kind=ERASED, subject__in=subjects).order_by("created_at")
    return {subjects[event.subject]: str(event.details.get("left", "")) for event in events}


def is_blank(kind: str, payload: bytes) -> bool:
    """Whether all content is blank, so that no alteration can be disguised as an erasure."""
    content = json.loads(payload)
    parts = [
        (part, blank)
        for name, blank in BLANK.get(kind, {}).items()
        for part in as_list(content if name == "" else content.get(name))  # a run of an older form lists no documents
    ]
    return bool(parts) and all(
        part[column] == value for part, blank in parts for column, value in blank.items() if column in part
    )


def as_list(part: Any) -> list[dict[str, Any]]:
    if part is None or isinstance(part, str):  # the id of an exchange that is vouched for by itself
        return []
    return part if isinstance(part, list) else [part]
