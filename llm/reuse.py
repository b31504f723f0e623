"""A reply used again: an equal request of the same base, structured or streamed, gets the reply it had, free (R108).

Only inside `reusing`, so that what measures or doubts a model (replays, golden checks, asking again) always asks it.
"""

import hashlib
import json
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime

from jobs.block import with_value
from llm.dialect import Ask
from llm.models import LLMCall


@dataclass(frozen=True)
class Replies:
    """Whose replies are kept for equal requests. None before `since` is used, none at all if not `may_reuse`."""

    base: str
    may_reuse: bool
    since: datetime | None = None


_replies: ContextVar[Replies | None] = ContextVar("replies", default=None)


def reusing(replies: Replies) -> AbstractContextManager[None]:
    """Keep the replies in the block for equal requests of the base, and use those it has."""
    return with_value(_replies, replies)


def key_of(ask: Ask, server: str, purpose: str) -> str:
    """The digest of base, server, model, schema (none of a streamed reply) and the full input; "" outside `reusing`."""
    replies = _replies.get()
    if replies is None:
        return ""
    said = [replies.base, server, purpose, ask.model, ask.instructions, ask.prompt, ask.schema]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def find_earlier(key: str) -> LLMCall | None:
    """The last equal call that was answered at temperature 0 and not erased; None if the model has to be asked."""
    replies = _replies.get()
    if not key or replies is None or not replies.may_reuse:
        return None
    equal = LLMCall.objects.filter(reuse_key=key, outcome="ok", parameters__temperature=0)
    if replies.since:
        equal = equal.filter(started_at__gt=replies.since)
    return equal.exclude(parameters__has_key="reused").order_by("-started_at").first()
