"""Recorded replies: inside `playing`, each request gets the reply that was recorded for it, and no model is asked.

A reply belongs to the exact instructions, prompt and schema it was given for. The exchange says that it was recorded,
and by whom; nothing is sent, and nothing is paid.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jobs.block import with_value
from llm.dialect import Ask


class RecordedReply(NamedTuple):
    """A reply, who gave it, and the day (ISO)."""

    text: str
    model: str
    on: str


class UnansweredRequest(NamedTuple):
    """A request for which no reply is recorded."""

    digest: str
    purpose: str
    instructions: str
    prompt: str
    schema: dict[str, Any] | None


@dataclass(frozen=True)
class Recording:
    """Replies by the digest of their request, the name of the model that gave them, and what they lack."""

    replies: Mapping[str, RecordedReply]
    model: str
    unanswered: list[UnansweredRequest] = field(default_factory=list)


_recording: ContextVar[Recording | None] = ContextVar("recording", default=None)


def playing(recording: Recording) -> AbstractContextManager[None]:
    """Answer the requests of the block from a recording."""
    return with_value(_recording, recording)


def current_recording() -> Recording | None:
    """The recording that answers requests now; None where a model does."""
    return _recording.get()


def digest_of_request(ask: Ask) -> str:
    """SHA-256 of what a request says, whoever it is for."""
    said = [ask.instructions, ask.prompt, ask.schema]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def find_recorded(recording: Recording, ask: Ask, purpose: str) -> RecordedReply | None:
    """The reply recorded for a request; one without is noted."""
    digest = digest_of_request(ask)
    found = recording.replies.get(digest)
    if found is None:
        recording.unanswered.append(UnansweredRequest(digest, purpose, ask.instructions, ask.prompt, ask.schema))
    return found
