"""A scripted model server for each test, and the settings that point at it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from pytest_django import Settings

from llm import call
from tests.scripted_llm import ScriptedLLM

Serve = Callable[..., ScriptedLLM]


@pytest.fixture
def serve(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a server with one behaviour (or several in turn) and configure it."""
    monkeypatch.setattr(call, "BACKOFF_S", 0.01)
    with ExitStack() as stack:

        def start(*behaviours: str, pace_s: float = 0.0) -> ScriptedLLM:
            server = stack.enter_context(ScriptedLLM(behaviours or "good", pace_s=pace_s))
            settings.LLM_BASE_URL, settings.LLM_API_KEY = server.base_url, "sk-secret-key"
            settings.LLM_MODEL, settings.LLM_CONFIGURED = "scripted-model", True
            return server

        yield start
