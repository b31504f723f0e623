"""One exchange with a model as a value: request, reply and outcome. It never contains keys.

Those made in a block are collected for whoever records that nothing came of it, and stores those nobody stored.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jobs.block import with_value


@dataclass(frozen=True)
class Exchange:
    """Everything an auditor needs from one exchange; `LLMCall` stores it field by field."""

    purpose: str
    host: str
    api: str  # "responses" or "chat_completions"
    model: str
    prompt_name: str
    prompt_version: str
    parameters: dict[str, Any]
    request: dict[str, Any]  # the body exactly as last sent
    request_sha256: str
    started_at: datetime
    latency_ms: int
    attempts: int  # requests sent, including those that probed what the server supports
    outcome: str
    error: str = ""
    model_returned: str = ""
    response_id: str = ""
    finish_reason: str = ""
    raw_reply: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    reuse_key: str = ""  # the same for equal requests of a base whose reply may be used again, see llm.reuse
    stand_ins: dict[str, str] = field(default_factory=dict)  # in request and reply, and what they stand for


def clean_text(text: str) -> str:
    """The text without NUL, which PostgreSQL refuses, and with lone surrogates replaced, which UTF-8 refuses."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def request_bytes(request: Mapping[str, Any]) -> bytes:
    """A request in canonical JSON: the bytes of its digest."""
    return json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def request_digest(request: Mapping[str, Any]) -> str:
    """SHA-256 of a request, so that a stored one can be verified."""
    return hashlib.sha256(request_bytes(request)).hexdigest()


_made: ContextVar[list[Exchange] | None] = ContextVar("made_exchanges", default=None)


def collecting() -> AbstractContextManager[None]:
    """Collect the exchanges made in the block, also in threads that copy its context."""
    return with_value(_made, [])


def note_exchange(exchange: Exchange) -> None:
    """Keep an exchange that ended, well or not, for the block it was made in, if that collects them."""
    made = _made.get()
    if made is not None:
        made.append(exchange)


def made_exchanges() -> list[Exchange]:
    """What was made in the block so far, in order; a thread of the block may go on making some."""
    return list(_made.get() or ())
