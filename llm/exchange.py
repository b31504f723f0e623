"""One exchange with a model as a value: request, reply and outcome. It never contains keys."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


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


def clean_text(text: str) -> str:
    """The text without NUL, which PostgreSQL refuses, and with lone surrogates replaced, which UTF-8 refuses."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def request_digest(request: Mapping[str, Any]) -> str:
    """SHA-256 of a request in canonical JSON, so that a stored request can be verified."""
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
